//! Arithmetic within `I(…)` and the functions of a formula, kept as written so that coefficients get R's names.

use std::fmt;

use table::Variable;
use table::expression::{ArithmeticOperator, Formula as Number, Function};
use table::similar_name;

/// Arithmetic on numeric variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Arithmetic {
    /// A constant as it was written.
    Constant(f64, String),
    /// A variable, and where its name stands in the formula.
    Variable(String, usize),
    Negate(Box<Arithmetic>),
    Operation(ArithmeticOperator, Box<Arithmetic>, Box<Arithmetic>),
    Power(Box<Arithmetic>, Box<Arithmetic>),
    Call(&'static str, Function, Box<Arithmetic>),
    /// `I(…)` and plain parentheses: nothing but a name.
    Parentheses(&'static str, Box<Arithmetic>),
}

/// The functions that formulas know.
pub(super) const FUNCTIONS: [(&str, Function); 4] =
    [("log", Function::Ln), ("sqrt", Function::Sqrt), ("exp", Function::Exp), ("abs", Function::Abs)];

impl Arithmetic {
    /// The arithmetic on records of these variables; `Err` is where and why not.
    pub(super) fn bind(&self, variables: &[Variable]) -> Result<Number, (usize, String)> {
        let boxed = |inner: &Self| inner.bind(variables).map(Box::new);
        Ok(match self {
            Self::Constant(value, _) => Number::Constant(*value),
            Self::Variable(name, at) => {
                let position = position_of(name, variables).map_err(|message| (*at, message))?;
                if !variables[position].kind.is_numeric() {
                    let kind = variables[position].kind.name();
                    return Err((*at, format!("`{name}` is {kind}; a number is needed here")));
                }
                Number::Variable(position)
            }
            Self::Negate(inner) => Number::Negate(boxed(inner)?),
            Self::Operation(operator, left, right) => {
                Number::Arithmetic(*operator, boxed(left)?, boxed(right)?)
            }
            Self::Power(base, exponent) => {
                Number::Call(Function::Pow, vec![base.bind(variables)?, exponent.bind(variables)?])
            }
            Self::Call(_, function, inner) => Number::Call(*function, vec![inner.bind(variables)?]),
            Self::Parentheses(_, inner) => inner.bind(variables)?,
        })
    }

    /// Adds the names of the variables it uses.
    pub(super) fn collect_variables<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Constant(..) => {}
            Self::Variable(name, _) => names.push(name),
            Self::Negate(inner) | Self::Call(_, _, inner) | Self::Parentheses(_, inner) => {
                inner.collect_variables(names);
            }
            Self::Operation(_, left, right) | Self::Power(left, right) => {
                left.collect_variables(names);
                right.collect_variables(names);
            }
        }
    }
}

/// The position of a variable, or a sentence with the nearest name.
pub(super) fn position_of(name: &str, variables: &[Variable]) -> Result<usize, String> {
    variables.iter().position(|variable| variable.name == name).ok_or_else(|| {
        let known = variables.iter().map(|variable| variable.name.as_str());
        format!("there is no variable `{name}`{}", similar_name::hint(name, known))
    })
}

/// A name as R writes it: in back quotes unless it is letters, digits, dots and underscores.
pub(super) fn quoted(name: &str) -> String {
    let plain = name.chars().all(is_name_character) && name.chars().next().is_some_and(starts_name);
    if plain && name != "." { name.to_owned() } else { format!("`{name}`") }
}

/// Whether a name may begin like this.
pub(super) fn starts_name(character: char) -> bool {
    character.is_alphabetic() || character == '.'
}

/// Whether a name may go on like this.
pub(super) fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || character == '.' || character == '_'
}

impl fmt::Display for Arithmetic {
    /// As R's `deparse` writes it: blanks around + − * /, none around ^.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(_, text) => f.write_str(text),
            Self::Variable(name, _) => f.write_str(&quoted(name)),
            Self::Negate(inner) => write!(f, "-{inner}"),
            Self::Operation(operator, left, right) => {
                let sign = match operator {
                    ArithmeticOperator::Plus => " + ",
                    ArithmeticOperator::Minus => " - ",
                    ArithmeticOperator::Times => " * ",
                    ArithmeticOperator::Over => "/",
                };
                write!(f, "{left}{sign}{right}")
            }
            Self::Power(base, exponent) => write!(f, "{base}^{exponent}"),
            Self::Call(name, _, inner) => write!(f, "{name}({inner})"),
            Self::Parentheses(name, inner) => write!(f, "{name}({inner})"),
        }
    }
}
