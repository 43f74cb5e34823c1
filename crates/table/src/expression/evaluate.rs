//! Conditions and formulas evaluated on one record, in three-valued logic.

use super::{ArithmeticOperator, Comparator, Function};

/// What a record says of one variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Missing,
    /// A number, or a date as days since 1970-01-01.
    Number(f64),
    /// A special code, with its number.
    Code(f64),
    /// The level at this position.
    Level(u32),
    /// Text that is there, of a variable whose text is not compared.
    Text,
}

/// Anything that has a value for each variable: a row of a table, a cell, a record being made.
pub trait Record {
    /// The value of the variable at this position of the schema.
    fn value(&self, variable: usize) -> Value;
}

/// A condition on a record.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Both hold.
    And(Box<Condition>, Box<Condition>),
    /// At least one holds.
    Or(Box<Condition>, Box<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// The variable is missing.
    IsMissing(usize),
    /// The formula has no value.
    IsUndefined(Formula),
    /// The variable's level is one of those marked.
    LevelIn {
        /// The variable.
        variable: usize,
        /// For each level, whether it is meant.
        member: Vec<bool>,
    },
    /// Two categorical variables have a level of the same name.
    SameLevel {
        /// One variable.
        left: usize,
        /// The other.
        right: usize,
        /// For each level of the left one, the position of the same level of the right one.
        same_level: Vec<Option<u32>>,
    },
    /// Two numbers compare like this.
    Compare(Comparator, Formula, Formula),
}

/// A number computed from a record.
#[derive(Clone, Debug)]
pub enum Formula {
    /// A constant.
    Constant(f64),
    /// The value of a numeric variable.
    Variable(usize),
    /// With the other sign.
    Negate(Box<Formula>),
    /// One of the four operations.
    Arithmetic(ArithmeticOperator, Box<Formula>, Box<Formula>),
    /// A function of several numbers.
    Call(Function, Vec<Formula>),
}

impl Condition {
    /// Adds the numbers that the condition compares with.
    pub fn collect_constants(&self, constants: &mut Vec<f64>) {
        match self {
            Self::And(left, right) | Self::Or(left, right) => {
                left.collect_constants(constants);
                right.collect_constants(constants);
            }
            Self::Not(inner) => inner.collect_constants(constants),
            Self::Compare(_, left, right) => {
                let numbers = [left, right].into_iter().filter_map(|side| match side {
                    Formula::Constant(number) => Some(*number),
                    _ => None,
                });
                constants.extend(numbers);
            }
            Self::IsMissing(_) | Self::IsUndefined(_) | Self::LevelIn { .. } | Self::SameLevel { .. } => {}
        }
    }

    /// Whether the condition holds for the record; `None` when a missing value leaves it open.
    pub fn holds(&self, record: &impl Record) -> Option<bool> {
        match self {
            Self::And(left, right) => match (left.holds(record), right.holds(record)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Self::Or(left, right) => match (left.holds(record), right.holds(record)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Self::Not(inner) => inner.holds(record).map(|truth| !truth),
            Self::IsMissing(variable) => Some(record.value(*variable) == Value::Missing),
            Self::IsUndefined(formula) => Some(formula.number(record).is_none()),
            Self::LevelIn { variable, member } => match record.value(*variable) {
                Value::Level(level) => Some(member[level as usize]),
                _ => None,
            },
            Self::SameLevel { left, right, same_level } => {
                match (record.value(*left), record.value(*right)) {
                    (Value::Level(left), Value::Level(right)) => {
                        Some(same_level[left as usize] == Some(right))
                    }
                    _ => None,
                }
            }
            Self::Compare(comparison, left, right) => {
                let operand = |formula: &Formula| {
                    if comparison.is_equality() {
                        formula.number_or_code(record)
                    } else {
                        formula.number(record)
                    }
                };
                let order = operand(left)?.partial_cmp(&operand(right)?)?;
                Some(comparison.holds(order))
            }
        }
    }
}

impl Formula {
    /// The number, or `None` when it is undefined: a missing value or a special code went in, or the result is not finite.
    pub fn number(&self, record: &impl Record) -> Option<f64> {
        let number = match self {
            Self::Constant(value) => *value,
            Self::Variable(variable) => match record.value(*variable) {
                Value::Number(value) => value,
                _ => return None,
            },
            Self::Negate(inner) => -inner.number(record)?,
            Self::Arithmetic(operator, left, right) => {
                let (left, right) = (left.number(record)?, right.number(record)?);
                match operator {
                    ArithmeticOperator::Plus => left + right,
                    ArithmeticOperator::Minus => left - right,
                    ArithmeticOperator::Times => left * right,
                    ArithmeticOperator::Over => left / right,
                }
            }
            Self::Call(function, arguments) => {
                let mut numbers = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    numbers.push(argument.number(record)?);
                }
                function.apply(&numbers)
            }
        };
        number.is_finite().then_some(number)
    }

    fn number_or_code(&self, record: &impl Record) -> Option<f64> {
        match self {
            Self::Variable(variable) => match record.value(*variable) {
                Value::Number(value) | Value::Code(value) => Some(value),
                _ => None,
            },
            other => other.number(record),
        }
    }
}

impl Function {
    fn apply(self, numbers: &[f64]) -> f64 {
        match (self, numbers) {
            (Self::Pow, [base, exponent]) => base.powf(*exponent),
            (Self::Abs, [number]) => number.abs(),
            (Self::Floor, [number]) => number.floor(),
            (Self::Ceil, [number]) => number.ceil(),
            (Self::Sqrt, [number]) => number.sqrt(),
            (Self::Ln, [number]) => number.ln(),
            (Self::Exp, [number]) => number.exp(),
            (Self::Round, [number]) => number.round(),
            (Self::Round, [number, digits]) => {
                let scale = 10_f64.powi(digits.round() as i32);
                (number * scale).round() / scale
            }
            (Self::Min, numbers) => numbers.iter().copied().fold(f64::INFINITY, f64::min),
            (Self::Max, numbers) => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            _ => f64::NAN,
        }
    }
}
