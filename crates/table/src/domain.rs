//! The classes into which each variable falls when a table is counted.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::TableError;
use crate::column::Entry;
use crate::date::DateFormat;
use crate::datetime::DatetimeFormat;
use crate::expression::Span;
use crate::schema::{Kind, Levels, SpecialCode, Variable};

/// The variables of a cross-table with their classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Domain(Vec<Classes>);

/// The classes of one variable: its levels or intervals, then its special codes, then missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Classes {
    name: String,
    partition: Partition,
    codes: Vec<SpecialCode>,
    missing: bool,
    numbers: NumberForm,
}

/// What the numbers of a variable are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum NumberForm {
    Whole,
    Real,
    Day,
    Time(DatetimeFormat),
}

/// How a variable's values, without codes and missing, fall into classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Partition {
    /// One class a level.
    Levels(Levels),
    /// One class a number.
    Values(Vec<f64>),
    /// Intervals closed on the left; the last one on both sides. A limit that comes twice is a class of its own, and the one after it lies
    /// above it.
    Intervals {
        /// The limits, one more than there are intervals.
        limits: Vec<f64>,
        /// How they were chosen.
        chosen_by: ClassRule,
    },
}

/// How the limits of intervals were chosen; recorded because they say something about the data unless declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClassRule {
    /// `cuts` in the schema.
    DeclaredCuts,
    /// Quantiles of the values.
    Quantiles,
    /// Intervals of equal width between the extremes of the values.
    EqualWidth,
}

impl Partition {
    /// The number of classes.
    pub fn len(&self) -> usize {
        match self {
            Self::Levels(levels) => levels.len(),
            Self::Values(values) => values.len(),
            Self::Intervals { limits, .. } => limits.len() - 1,
        }
    }

    /// Whether there are no classes, as for a variable that is missing throughout.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The class of a number; `None` when it lies in none of them.
    pub fn class_of(&self, value: f64) -> Option<u32> {
        match self {
            Self::Levels(_) => None,
            Self::Values(values) => {
                let at = values.partition_point(|known| *known < value);
                values.get(at).filter(|known| **known == value).map(|_| at as u32)
            }
            Self::Intervals { limits, .. } => {
                let below = limits.partition_point(|limit| *limit <= value);
                match below {
                    0 => None,
                    below if below > 1 && limits[below - 2] == value => Some(below as u32 - 2),
                    below if below == limits.len() => {
                        (value == limits[below - 1]).then_some(below as u32 - 2)
                    }
                    below => Some(below as u32 - 1),
                }
            }
        }
    }
}

impl Classes {
    /// The classes of a variable whose values fall into this partition.
    pub fn new(variable: &Variable, partition: Partition) -> Self {
        Self {
            name: variable.name.clone(),
            partition,
            codes: variable.codes.clone(),
            missing: variable.missing,
            numbers: match variable.kind {
                Kind::Date { .. } => NumberForm::Day,
                Kind::Datetime { format, .. } => NumberForm::Time(format),
                Kind::Real { .. } => NumberForm::Real,
                _ => NumberForm::Whole,
            },
        }
    }

    /// A variable with the levels 0, 1, …, of which only the number matters.
    pub fn of_size(name: impl Into<String>, size: usize) -> Self {
        let levels = Levels::new((0..size).map(|level| level.to_string())).unwrap_or_default();
        Self {
            name: name.into(),
            partition: Partition::Levels(levels),
            codes: Vec::new(),
            missing: false,
            numbers: NumberForm::Whole,
        }
    }

    /// Whether these can be the classes of this variable: its own levels, or numbers of its kind in ascending order.
    pub fn are_of(&self, variable: &Variable) -> bool {
        let is_whole = !matches!(variable.kind, Kind::Real { .. });
        let ascend = |numbers: &[f64]| {
            variable.kind.is_numeric()
                && numbers.iter().all(|number| number.is_finite())
                && numbers.is_sorted_by(|left, right| left < right)
        };
        let is_of_kind = match &self.partition {
            Partition::Levels(levels) => variable.kind.levels() == Some(levels),
            Partition::Values(values) => {
                ascend(values) && values.iter().all(|value| !is_whole || value.fract() == 0.0)
            }
            Partition::Intervals { limits, .. } => {
                let distinct: Vec<f64> = limits.iter().copied().step_by(2).collect();
                let others: Vec<f64> = limits.iter().copied().skip(1).step_by(2).collect();
                limits.len() > 1 && limits.is_sorted() && ascend(&distinct) && ascend(&others)
            }
        };
        is_of_kind && *self == Self::new(variable, self.partition.clone())
    }

    /// The variable's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How values fall into classes.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// The number of classes, special codes and missing included; at least one.
    pub fn size(&self) -> usize {
        (self.partition.len() + self.codes.len() + usize::from(self.missing)).max(1)
    }

    /// The class of a missing value, if the variable may be missing.
    pub fn missing_class(&self) -> Option<u32> {
        self.missing.then(|| (self.partition.len() + self.codes.len()) as u32)
    }

    /// The class of a numeric entry; `None` when the value lies in none.
    pub fn class_of(&self, entry: Entry<f64>) -> Option<u32> {
        match entry {
            Entry::Value(value) => self.partition.class_of(value),
            Entry::Code(position) => Some((self.partition.len() + position) as u32),
            Entry::Missing => self.missing_class(),
        }
    }

    /// Everything that a record of a class can hold.
    pub fn span(&self, class: u32) -> Span {
        let position = class as usize;
        let values = self.partition.len();
        if position >= values {
            return self.codes.get(position - values).map_or(Span::Missing, |code| Span::Code(code.value));
        }
        match &self.partition {
            Partition::Levels(_) => Span::Level(class),
            Partition::Values(values) => Span::Numbers { low: values[position], high: values[position] },
            Partition::Intervals { limits, .. } => {
                let (low, high) = (limits[position], limits[position + 1]);
                let is_last = position + 2 == limits.len() || low == high;
                match self.step() {
                    None => Span::Numbers { low, high },
                    Some(step) => {
                        let last = if is_last { (high / step).floor() } else { (high / step).ceil() - 1.0 };
                        Span::Numbers { low: (low / step).ceil() * step, high: last * step }
                    }
                }
            }
        }
    }

    /// The distance of neighbouring numbers: 1 for counts and days, the precision of times; `None` for real numbers.
    pub fn step(&self) -> Option<f64> {
        match self.numbers {
            NumberForm::Real => None,
            NumberForm::Whole | NumberForm::Day => Some(1.0),
            NumberForm::Time(format) => Some(format.tick() as f64),
        }
    }

    /// Whether the numbers of the variable are whole: counts, days or microseconds.
    pub fn is_whole(&self) -> bool {
        self.numbers != NumberForm::Real
    }

    /// What a class is called: a level, an interval such as `[16,28)`, a code, or `missing`.
    pub fn label(&self, class: u32) -> String {
        let class = class as usize;
        let number = |value: f64| match self.numbers {
            NumberForm::Day => DateFormat::Iso.format(value as i32),
            NumberForm::Time(format) => format.iso(value as i64),
            NumberForm::Whole | NumberForm::Real => value.to_string(),
        };
        match &self.partition {
            Partition::Levels(levels) if class < levels.len() => {
                levels.get(class as u32).unwrap_or_default().to_owned()
            }
            Partition::Values(values) if class < values.len() => number(values[class]),
            Partition::Intervals { limits, .. } if class + 1 < limits.len() => {
                let (low, high) = (limits[class], limits[class + 1]);
                if low == high {
                    return number(low);
                }
                let begin = if class > 0 && limits[class - 1] == low { '(' } else { '[' };
                let end = if class + 2 == limits.len() { ']' } else { ')' };
                format!("{begin}{},{}{end}", number(low), number(high))
            }
            other => match self.codes.get(class - other.len()) {
                Some(code) => number(code.value),
                None => "missing".to_owned(),
            },
        }
    }
}

impl Domain {
    /// A domain of these variables, whose names must differ.
    pub fn new(variables: Vec<Classes>) -> Result<Self, TableError> {
        for (position, classes) in variables.iter().enumerate() {
            if variables[..position].iter().any(|other| other.name == classes.name) {
                return Err(TableError::variable(&classes.name, "the name is used twice"));
            }
        }
        Ok(Self(variables))
    }

    /// The variables with their classes.
    pub fn variables(&self) -> &[Classes] {
        &self.0
    }

    /// The position of the variable of this name.
    pub fn position_of(&self, name: &str) -> Result<usize, TableError> {
        let names = self.0.iter().map(Classes::name);
        self.0
            .iter()
            .position(|classes| classes.name == name)
            .ok_or_else(|| TableError::unknown_variable(name, names))
    }

    /// The number of classes of each of these variables.
    pub fn sizes(&self, of: &crate::Attributes) -> Vec<usize> {
        of.positions().iter().map(|position| self.0[*position].size()).collect()
    }

    /// The other variables, as positions here and as a domain of their own.
    pub fn without(&self, by: &crate::Attributes) -> Result<(crate::Attributes, Self), TableError> {
        let rest = crate::Attributes::all(self).without(by);
        let classes = rest.positions().iter().map(|position| self.0[*position].clone()).collect();
        Ok((rest, Self::new(classes)?))
    }

    /// The number of cells of the cross-table of these variables, exactly.
    pub fn cells(&self, of: &crate::Attributes) -> BigUint {
        product(&self.sizes(of))
    }

    /// The names of these variables, joined by ×.
    pub fn describe(&self, of: &crate::Attributes) -> String {
        of.positions().iter().map(|position| self.0[*position].name.as_str()).collect::<Vec<_>>().join(" × ")
    }
}

/// The product of sizes, exactly.
pub fn product(sizes: &[usize]) -> BigUint {
    sizes.iter().fold(BigUint::from(1_u8), |product, size| product * BigUint::from(*size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Attributes;

    #[test]
    fn two_to_the_two_hundredth_is_printed_exactly() {
        let domain = Domain::new((0..200).map(|i| Classes::of_size(format!("b{i}"), 2)).collect()).unwrap();
        assert_eq!(
            domain.cells(&Attributes::all(&domain)).to_string(),
            "1606938044258990275541962092341162602522202993782792835301376"
        );
    }

    #[test]
    fn intervals_are_closed_on_the_left_and_the_last_on_both_sides() {
        let partition =
            Partition::Intervals { limits: vec![16.0, 28.0, 97.0], chosen_by: ClassRule::Quantiles };
        let classes = [15.9, 16.0, 27.9, 28.0, 97.0, 97.1].map(|value| partition.class_of(value));
        assert_eq!(classes, [None, Some(0), Some(0), Some(1), Some(1), None]);
    }

    #[test]
    fn classes_of_another_variable_are_known_as_such() {
        let age = Variable::new("age", Kind::Integer { range: Some((0, 99)) });
        let levels = |names: &[&str]| Levels::new(names.iter().copied()).unwrap();
        let sex = Variable::new("sex", Kind::Categorical { levels: levels(&["F", "M"]) });
        let intervals = |limits: &[f64]| Partition::Intervals {
            limits: limits.to_vec(),
            chosen_by: ClassRule::DeclaredCuts,
        };
        let fit =
            |variable: &Variable, partition: Partition| Classes::new(variable, partition).are_of(variable);
        assert!(fit(&age, intervals(&[0.0, 16.0, 99.0])) && fit(&age, Partition::Values(vec![1.0, 7.0])));
        assert!(fit(&sex, Partition::Levels(levels(&["F", "M"]))));
        assert!(!fit(&age, intervals(&[0.0])) && !fit(&age, intervals(&[0.0, f64::NAN])));
        assert!(!fit(&age, intervals(&[5.0, 4.0])) && !fit(&age, Partition::Values(vec![0.5])));
        assert!(!fit(&sex, Partition::Levels(levels(&["F"]))) && !fit(&sex, Partition::Values(vec![])));
        let other = Classes::new(&Variable { missing: true, ..age.clone() }, Partition::Values(vec![1.0]));
        assert!(!other.are_of(&age));
    }

    #[test]
    fn minus_zero_is_zero() {
        assert_eq!(Partition::Values(vec![-0.0, 1.0]).class_of(0.0), Some(0));
        assert_eq!(Partition::Values(vec![0.0, 1.0]).class_of(-0.0), Some(0));
        assert_eq!(Partition::Values(vec![0.0, 1.0]).class_of(0.5), None);
    }

    #[test]
    fn codes_and_missing_are_classes_after_the_values() {
        let mut income = Variable::new("income", Kind::Real { range: None });
        income.codes = vec![SpecialCode { value: -8.0, meaning: "not applicable".into() }];
        income.missing = true;
        let partition =
            Partition::Intervals { limits: vec![0.0, 860.0, 1200.0], chosen_by: ClassRule::DeclaredCuts };
        let classes = Classes::new(&income, partition);
        assert_eq!(classes.size(), 4);
        assert_eq!((classes.class_of(Entry::Code(0)), classes.class_of(Entry::Missing)), (Some(2), Some(3)));
        let labels: Vec<String> = (0..4).map(|class| classes.label(class)).collect();
        assert_eq!(labels, ["[0,860)", "[860,1200]", "-8", "missing"]);
    }
}
