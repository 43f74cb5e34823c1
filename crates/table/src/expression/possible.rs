//! What a condition can be for the records of a region, such as a cell of a cross-table.
//!
//! A cell whose numbers are intervals holds many records. A condition holds for all of them, for none, or it depends; only what
//! holds for all makes the cell a structural zero.

use super::{ArithmeticOperator, Comparator, Condition, Formula};

/// Everything that a region can hold of one variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Span {
    /// Nothing.
    Missing,
    /// One level.
    Level(u32),
    /// One special code.
    Code(f64),
    /// Numbers from `low` to `high`, both included.
    Numbers {
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// Anything at all, as for a variable that is not in the cross-table.
    Anything,
}

/// A set of records, described by what each variable can be.
pub trait Region {
    /// What the variable at this position of the schema can be.
    fn span(&self, variable: usize) -> Span;
}

/// Which of true, false and open a condition can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcomes(u8);

const TRUE: Outcomes = Outcomes(1);
const FALSE: Outcomes = Outcomes(2);
const OPEN: Outcomes = Outcomes(4);
const ANY: Outcomes = Outcomes(7);

impl Outcomes {
    /// It is true for every record.
    pub fn always_true(self) -> bool {
        self == TRUE
    }

    /// It is false for every record.
    pub fn always_false(self) -> bool {
        self == FALSE
    }

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn combine(self, other: Self, connect: impl Fn(Option<bool>, Option<bool>) -> Option<bool>) -> Self {
        let members = |set: Self| {
            let all = [(TRUE, Some(true)), (FALSE, Some(false)), (OPEN, None)];
            all.into_iter().filter(move |(member, _)| set.0 & member.0 != 0).map(|(_, value)| value)
        };
        let of = |value: Option<bool>| match value {
            Some(true) => TRUE,
            Some(false) => FALSE,
            None => OPEN,
        };
        members(self)
            .flat_map(|left| members(other).map(move |right| (left, right)))
            .fold(Self(0), |all, (left, right)| all.or(of(connect(left, right))))
    }
}

impl Condition {
    /// What the condition can be for the records of a region; a superset where it is not known exactly.
    pub fn outcomes(&self, region: &impl Region) -> Outcomes {
        match self {
            Self::And(left, right) => {
                left.outcomes(region).combine(right.outcomes(region), |left, right| match (left, right) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                })
            }
            Self::Or(left, right) => {
                left.outcomes(region).combine(right.outcomes(region), |left, right| match (left, right) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                })
            }
            Self::Not(inner) => inner.outcomes(region).combine(TRUE, |truth, _| truth.map(|truth| !truth)),
            Self::IsMissing(variable) => match region.span(*variable) {
                Span::Missing => TRUE,
                Span::Anything => TRUE.or(FALSE),
                _ => FALSE,
            },
            Self::IsUndefined(formula) => match formula.bounds(region) {
                Bounds::Undefined => TRUE,
                Bounds::Range(..) => FALSE,
                Bounds::Unknown => TRUE.or(FALSE),
            },
            Self::LevelIn { variable, member } => match region.span(*variable) {
                Span::Level(level) if member[level as usize] => TRUE,
                Span::Level(_) => FALSE,
                Span::Anything => ANY,
                _ => OPEN,
            },
            Self::SameLevel { left, right, same_level } => match (region.span(*left), region.span(*right)) {
                (Span::Level(left), Span::Level(right)) if same_level[left as usize] == Some(right) => TRUE,
                (Span::Level(_), Span::Level(_)) => FALSE,
                (Span::Anything, _) | (_, Span::Anything) => ANY,
                _ => OPEN,
            },
            Self::Compare(comparator, left, right) => {
                let bounds = |formula: &Formula| match (comparator.is_equality(), formula) {
                    (true, Formula::Variable(variable)) => match region.span(*variable) {
                        Span::Code(value) => Bounds::Range(value, value),
                        _ => formula.bounds(region),
                    },
                    _ => formula.bounds(region),
                };
                match (bounds(left), bounds(right)) {
                    (Bounds::Undefined, _) | (_, Bounds::Undefined) => OPEN,
                    (Bounds::Unknown, _) | (_, Bounds::Unknown) => ANY,
                    (Bounds::Range(a, b), Bounds::Range(c, d)) => compare(*comparator, (a, b), (c, d)),
                }
            }
        }
    }
}

fn compare(comparator: Comparator, (a, b): (f64, f64), (c, d): (f64, f64)) -> Outcomes {
    let both = TRUE.or(FALSE);
    let decided = |always: bool, never: bool| match (always, never) {
        (true, _) => TRUE,
        (_, true) => FALSE,
        _ => both,
    };
    let one_point = a == b && c == d && a == c;
    let disjoint = b < c || d < a;
    match comparator {
        Comparator::Equal => decided(one_point, disjoint),
        Comparator::NotEqual => decided(disjoint, one_point),
        Comparator::Less => decided(b < c, a >= d),
        Comparator::AtMost => decided(b <= c, a > d),
        Comparator::Greater => decided(a > d, b <= c),
        Comparator::AtLeast => decided(a >= d, b < c),
    }
}

/// Where a formula's value can lie.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bounds {
    /// It has no value for any record.
    Undefined,
    /// It has a value for every record, between these.
    Range(f64, f64),
    /// It is not known.
    Unknown,
}

impl Formula {
    fn bounds(&self, region: &impl Region) -> Bounds {
        match self {
            Self::Constant(value) => Bounds::Range(*value, *value),
            Self::Variable(variable) => match region.span(*variable) {
                Span::Numbers { low, high } => Bounds::Range(low, high),
                Span::Anything => Bounds::Unknown,
                _ => Bounds::Undefined,
            },
            Self::Negate(inner) => match inner.bounds(region) {
                Bounds::Range(low, high) => Bounds::Range(-high, -low),
                other => other,
            },
            Self::Arithmetic(operator, left, right) => match (left.bounds(region), right.bounds(region)) {
                (Bounds::Undefined, _) | (_, Bounds::Undefined) => Bounds::Undefined,
                (Bounds::Range(a, b), Bounds::Range(c, d)) => match operator {
                    ArithmeticOperator::Plus => Bounds::Range(a + c, b + d),
                    ArithmeticOperator::Minus => Bounds::Range(a - d, b - c),
                    ArithmeticOperator::Times => hull([a * c, a * d, b * c, b * d]),
                    ArithmeticOperator::Over if c > 0.0 || d < 0.0 => hull([a / c, a / d, b / c, b / d]),
                    ArithmeticOperator::Over => Bounds::Unknown,
                },
                _ => Bounds::Unknown,
            },
            Self::Call(_, arguments) => {
                let undefined = arguments.iter().any(|argument| argument.bounds(region) == Bounds::Undefined);
                if undefined { Bounds::Undefined } else { Bounds::Unknown }
            }
        }
    }
}

fn hull(corners: [f64; 4]) -> Bounds {
    let low = corners.into_iter().fold(f64::INFINITY, f64::min);
    let high = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
    Bounds::Range(low, high)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::Expression;
    use super::*;
    use crate::schema::{Kind, Levels, Variable};

    struct Cell([Span; 3]);

    impl Region for Cell {
        fn span(&self, variable: usize) -> Span {
            self.0[variable]
        }
    }

    #[rstest]
    #[case("age < 16", [0.0, 15.0], TRUE)]
    #[case("age < 16", [0.0, 16.0], TRUE.or(FALSE))]
    #[case("age < 16", [16.0, 30.0], FALSE)]
    #[case("age < 16 and marital = 'MARRIED'", [0.0, 15.0], TRUE)]
    #[case("age < 16 and marital = 'SINGLE'", [0.0, 20.0], FALSE)]
    #[case("pay > 3 or age >= 0", [0.0, 15.0], TRUE)]
    #[case("pay > 3 and age >= 0", [0.0, 15.0], OPEN)]
    #[case("pay is missing", [0.0, 15.0], TRUE)]
    #[case("2 * age - 1 <= 29", [0.0, 15.0], TRUE)]
    #[case("30 / age = 2", [15.0, 15.0], TRUE)]
    #[case("age between 5 and 9", [5.0, 9.0], TRUE)]
    #[case("age in (1, 2)", [1.0, 2.0], TRUE.or(FALSE))]
    #[case("not age = 7", [8.0, 9.0], TRUE)]
    #[case("floor(age) = 7", [7.0, 7.0], ANY)]
    fn holds_for_all_for_none_or_it_depends(
        #[case] text: &str,
        #[case] age: [f64; 2],
        #[case] expected: Outcomes,
    ) {
        let variables = [
            Variable::new("age", Kind::Integer { range: None }),
            Variable::new(
                "marital",
                Kind::Categorical { levels: Levels::new(["SINGLE", "MARRIED"]).unwrap() },
            ),
            Variable::new("pay", Kind::Real { range: None }),
        ];
        let cell = Cell([Span::Numbers { low: age[0], high: age[1] }, Span::Level(1), Span::Missing]);
        let condition = Expression::parse(text).unwrap().condition(&variables).unwrap();
        assert_eq!(condition.outcomes(&cell), expected, "{text}");
    }
}
