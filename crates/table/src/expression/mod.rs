//! Rules, formulas and impossible cells as SQL expressions over a record's variables.
//!
//! Users know SQL, so there is no language of our own: the grammar is `sqlparser`'s, of which we take comparison, `and`, `or`,
//! `not`, `in`, `between`, `is [not] missing` (or `null`), arithmetic and the functions `pow, abs, min, max, floor, ceil,
//! round, sqrt, ln, exp`. An [`Expression`] is text that parses; [binding](Expression::condition) it to variables checks names, levels
//! and types once, so that evaluating a [`Condition`] or a [`Formula`] on a record cannot fail.
//!
//! Missing values follow SQL's three-valued logic: a comparison with a missing value is neither true nor false, arithmetic on it
//! is missing. A special code equals itself (`income = -8`), and is missing for everything else.

mod bind;
mod evaluate;
mod parse;
mod possible;

use std::collections::BTreeSet;

pub use evaluate::{Condition, Formula, Record, Value};
pub use parse::{ArithmeticOperator, Comparator, Function};
pub use possible::{Outcomes, Region, Span};

use crate::TableError;
use crate::schema::Variable;
use parse::Node;

/// An expression that parses; see the [module](self) for the grammar.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    node: Node,
}

impl Expression {
    /// Parses `text`.
    ///
    /// ```
    /// use table::expression::Expression;
    /// let rule = Expression::parse("age < 16 and marital is not missing")?;
    /// assert_eq!(rule.variables().into_iter().collect::<Vec<_>>(), ["age", "marital"]);
    /// # Ok::<(), table::TableError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, TableError> {
        Ok(Self { text: text.to_owned(), node: parse::parse(text)? })
    }

    /// The expression as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the variables it uses.
    pub fn variables(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        self.node.collect_variables(&mut names);
        names
    }

    /// Whether it says something that is true or false, and not a number.
    pub fn is_condition(&self) -> bool {
        matches!(
            self.node,
            Node::Compare(..)
                | Node::And(..)
                | Node::Or(..)
                | Node::Not(_)
                | Node::IsMissing(_)
                | Node::In(..)
        )
    }

    /// The expression as a condition on records of these variables.
    pub fn condition(&self, variables: &[Variable]) -> Result<Condition, TableError> {
        bind::Binder { expression: &self.text, variables }.condition(&self.node)
    }

    /// The expression as a number computed from records of these variables.
    pub fn formula(&self, variables: &[Variable]) -> Result<Formula, TableError> {
        bind::Binder { expression: &self.text, variables }.formula(&self.node)
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl std::fmt::Display for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
