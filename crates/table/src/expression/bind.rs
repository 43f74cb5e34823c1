//! Looks names and levels up, checks types, and turns a parsed expression into something that can be evaluated.

use super::evaluate::{Condition, Formula};
use super::parse::{Comparator, Node};
use crate::TableError;
use crate::schema::{Kind, Levels, Origin, Variable};

pub(crate) struct Binder<'a> {
    pub(crate) expression: &'a str,
    pub(crate) variables: &'a [Variable],
}

impl Binder<'_> {
    fn refuse<T>(&self, message: impl Into<String>) -> Result<T, TableError> {
        Err(TableError::Expression { expression: self.expression.to_owned(), message: message.into() })
    }

    fn variable(&self, name: &str) -> Result<usize, TableError> {
        match self.variables.iter().position(|variable| variable.name == name) {
            Some(position) => Ok(position),
            None => {
                let known = self.variables.iter().map(|variable| variable.name.as_str());
                let hint = crate::similar_name::hint(name, known);
                self.refuse(format!("there is no variable `{name}`{hint}"))
            }
        }
    }

    fn levels_of(&self, node: &Node) -> Result<Option<(usize, &Levels)>, TableError> {
        let Node::Variable(name) = node else { return Ok(None) };
        let position = self.variable(name)?;
        Ok(self.variables[position].kind.levels().map(|levels| (position, levels)))
    }

    pub(crate) fn condition(&self, node: &Node) -> Result<Condition, TableError> {
        let boxed = |node: &Node| self.condition(node).map(Box::new);
        match node {
            Node::And(left, right) => Ok(Condition::And(boxed(left)?, boxed(right)?)),
            Node::Or(left, right) => Ok(Condition::Or(boxed(left)?, boxed(right)?)),
            Node::Not(inner) => Ok(Condition::Not(boxed(inner)?)),
            Node::IsMissing(inner) => match inner.as_ref() {
                Node::Variable(name) => Ok(Condition::IsMissing(self.variable(name)?)),
                other => Ok(Condition::IsUndefined(self.formula(other)?)),
            },
            Node::Compare(comparison, left, right) => self.compare(*comparison, left, right),
            Node::In(tested, list) => {
                let mut any: Option<Condition> = None;
                for item in list {
                    let equal = self.compare(Comparator::Equal, tested, item)?;
                    any = Some(match any {
                        None => equal,
                        Some(Condition::LevelIn { variable, mut member }) => {
                            if let Condition::LevelIn { member: more, .. } = equal {
                                member.iter_mut().zip(more).for_each(|(one, other)| *one |= other);
                            }
                            Condition::LevelIn { variable, member }
                        }
                        Some(before) => Condition::Or(Box::new(before), Box::new(equal)),
                    });
                }
                any.map_or_else(|| self.refuse("the list after `in` is empty"), Ok)
            }
            Node::Number(_) | Node::Text(_) | Node::Variable(_) => {
                self.refuse("a condition needs a comparison, such as `age < 16`")
            }
            Node::Negate(_) | Node::Arithmetic(..) | Node::Call(..) => {
                self.refuse("this is a number where a condition is needed; compare it with something")
            }
        }
    }

    fn compare(&self, comparison: Comparator, left: &Node, right: &Node) -> Result<Condition, TableError> {
        match (self.levels_of(left)?, self.levels_of(right)?) {
            (Some((variable, levels)), None) => self.compare_level(comparison, variable, levels, right),
            (None, Some((variable, levels))) => {
                self.compare_level(comparison.mirrored(), variable, levels, left)
            }
            (Some((left, left_levels)), Some((right, right_levels))) => {
                if !comparison.is_equality() {
                    return self.refuse("two categorical variables can only be compared with = and <>");
                }
                let same_level = left_levels.iter().map(|level| right_levels.position(level)).collect();
                let equal = Condition::SameLevel { left, right, same_level };
                Ok(if comparison == Comparator::Equal { equal } else { Condition::Not(Box::new(equal)) })
            }
            (None, None) => {
                let sides = (self.side(left, right)?, self.side(right, left)?);
                Ok(Condition::Compare(comparison, sides.0, sides.1))
            }
        }
    }

    /// A categorical variable against a constant level: the set of levels for which the comparison holds.
    fn compare_level(
        &self,
        comparison: Comparator,
        variable: usize,
        levels: &Levels,
        constant: &Node,
    ) -> Result<Condition, TableError> {
        let name = &self.variables[variable].name;
        let level = match constant {
            Node::Text(text) => text.clone(),
            Node::Number(number) => number.to_string(),
            _ => {
                return self
                    .refuse(format!("`{name}` is categorical; compare it with one of its levels in quotes"));
            }
        };
        let Some(position) = levels.position(&level) else {
            // Levels that were read off the records are theirs.
            let is_public = self.variables[variable].origin == Origin::Declared;
            let hint =
                if is_public { crate::similar_name::hint(&level, levels.iter()) } else { String::new() };
            return self.refuse(format!("`{name}` has no level '{level}'{hint}"));
        };
        if !comparison.is_equality() && !matches!(self.variables[variable].kind, Kind::Ordinal { .. }) {
            return self.refuse(format!(
                "the levels of `{name}` have no order; make its kind ordinal to compare them"
            ));
        }
        let member = (0..levels.len() as u32).map(|other| comparison.holds(other.cmp(&position))).collect();
        Ok(Condition::LevelIn { variable, member })
    }

    /// One side of a numeric comparison; a text is a date or a time if the other side is one.
    fn side(&self, node: &Node, other: &Node) -> Result<Formula, TableError> {
        if let (Node::Text(text), Node::Variable(name)) = (node, other) {
            let position = self.variable(name)?;
            if let Kind::Date { format, .. } = &self.variables[position].kind {
                let day = crate::date::DateFormat::Iso.parse(text).or_else(|| format.parse(text));
                return match day {
                    Some(day) => Ok(Formula::Constant(f64::from(day))),
                    None => self.refuse(format!("'{text}' is not a date; write it as YYYY-MM-DD")),
                };
            }
            if let Kind::Datetime { format, .. } = &self.variables[position].kind {
                return match format.parse_written(text) {
                    Some(time) => Ok(Formula::Constant(time as f64)),
                    None => self.refuse(format!("'{text}' is not a time; write it as {}", format.name())),
                };
            }
            if matches!(self.variables[position].kind, Kind::TextId) {
                return self
                    .refuse(format!("`{name}` is an identifier; only `is missing` can be asked of it"));
            }
            return self.refuse(format!("`{name}` is a number and '{text}' is text"));
        }
        self.formula(node)
    }

    pub(crate) fn formula(&self, node: &Node) -> Result<Formula, TableError> {
        match node {
            Node::Number(value) => Ok(Formula::Constant(*value)),
            Node::Variable(name) => {
                let position = self.variable(name)?;
                match &self.variables[position].kind {
                    Kind::Integer { .. } | Kind::Real { .. } | Kind::Date { .. } | Kind::Datetime { .. } => {
                        Ok(Formula::Variable(position))
                    }
                    Kind::Categorical { .. } | Kind::Ordinal { .. } => {
                        self.refuse(format!("`{name}` is categorical; a number is needed here"))
                    }
                    Kind::TextId => {
                        self.refuse(format!("`{name}` is an identifier; a number is needed here"))
                    }
                }
            }
            Node::Negate(inner) => Ok(Formula::Negate(Box::new(self.formula(inner)?))),
            Node::Arithmetic(operator, left, right) => Ok(Formula::Arithmetic(
                *operator,
                Box::new(self.formula(left)?),
                Box::new(self.formula(right)?),
            )),
            Node::Call(function, arguments) => {
                let arguments = arguments.iter().map(|node| self.formula(node)).collect::<Result<_, _>>()?;
                Ok(Formula::Call(*function, arguments))
            }
            Node::Text(text) => self.refuse(format!("'{text}' is text; a number is needed here")),
            _ => self.refuse("this is a condition where a number is needed"),
        }
    }
}
