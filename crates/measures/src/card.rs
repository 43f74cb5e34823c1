//! What a measure and its family are: the cards that reports, documentation, the frontier and the command line read.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Better, Finding, Setting};

/// What holds for all measures that come out of one computation. Other crates know a family by this card alone.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FamilyCard {
    /// The first part of its measures' names.
    pub name: &'static str,
    /// Whether it measures what the synthetic data are good for or what they disclose.
    pub aspect: Aspect,
    /// The settings that its findings depend on.
    pub honours: &'static [Setting],
    /// A setting without which it has nothing to compute.
    pub requires: Option<Setting>,
    /// Its measure for the map of a frontier, where nobody chooses one; `None` if it has none that judges a whole file.
    pub usual_axis: Option<UsualAxis>,
    /// Details that identify a finding among those of its measure; the others describe it.
    pub identified_by: &'static [&'static str],
    /// Its measures.
    pub measures: &'static [MeasureCard],
}

/// What a measure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Aspect {
    /// How well the synthetic data serve in place of the original.
    Utility,
    /// What the synthetic data disclose.
    Risk,
}

/// A measure that sums up a file, for the map of a frontier.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct UsualAxis {
    /// The measure.
    pub measure: &'static str,
    /// What it is called on the axis of tables of this many variables.
    pub label: &'static str,
    /// Whether it is of tables of a number of variables, of which one must be chosen.
    pub by_ways: bool,
    /// Among the families of one aspect the lowest rank is taken.
    pub rank: u8,
    /// The last value at which a file can still be used, where there is such a one: beyond it nothing is recommended.
    pub usable: Option<f64>,
    /// Where it takes all variables for keys: with more than this many hardly two records agree on all of them, so that it finds nothing whatever a file
    /// gives away, and the family of the next rank is taken unless keys are named.
    pub most_variables: Option<usize>,
}

/// With more variables than this an attack that takes all of them for keys finds nothing.
pub(crate) const MOST_VARIABLES_AS_KEYS: usize = 12;

/// Everything a reader needs to understand a measure's number.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MeasureCard {
    /// Its name in findings.
    pub name: &'static str,
    /// The question it answers.
    pub question: &'static str,
    /// Which direction is better.
    pub better: Better,
    /// What it is counted in; empty for a pure number.
    pub unit: &'static str,
    /// The values it can take.
    pub range: Range,
    /// What a right generator is expected to score.
    pub null: Null,
    /// Where it is defined.
    pub citation: &'static str,
    /// Which of its findings are kept where there is not room for all.
    pub kept: Kept,
}

/// Which findings of a measure a frontier keeps of every run; all of a measure that an axis or a limit names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kept {
    /// All.
    All,
    /// Those of at most this many variables.
    UpTo(usize),
    /// Only those of the whole file: single tables and variables are summed up by another measure, a mean.
    Whole,
    /// All, but which variables they are on is a result, differs between runs and becomes the detail `table`.
    Extremes,
    /// None: it describes, or is one of many statistics of the same table.
    None,
}

/// The values a measure can take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Range {
    /// The smallest.
    pub from: f64,
    /// The largest; none when there is no limit.
    pub to: Option<f64>,
}

/// What a measure is expected to be when the synthetic records come from the distribution of the original.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Null {
    /// This number.
    Value(f64),
    /// A number that depends on the tables and comes with each finding; here the formula.
    Formula(&'static str),
    /// Not known in closed form, or not a question that makes sense.
    None,
}

impl MeasureCard {
    /// The same card with other findings kept.
    pub const fn keeping(self, kept: Kept) -> Self {
        Self { kept, ..self }
    }

    /// A finding of this measure; what is expected of it is as on the card.
    pub fn finding(&self, on: &[impl AsRef<str>], value: f64) -> Finding {
        let null = if let Null::Value(null) = self.null { Some(null) } else { None };
        Finding::value(self.name, on.iter().map(AsRef::as_ref), value, null, self.better)
    }

    /// A finding without a number.
    pub fn undefined(&self, on: &[impl AsRef<str>], because: impl ToString) -> Finding {
        Finding::undefined(self.name, on.iter().map(AsRef::as_ref), self.better, because)
    }

    /// The mean of these numbers, with how many they are; undefined if there are none.
    pub(crate) fn mean_finding(&self, on: &[&str], values: &[f64]) -> Finding {
        let finding = match values.len() {
            0 => self.undefined(on, "it is defined nowhere in these files"),
            some => self.finding(on, values.iter().sum::<f64>() / some as f64),
        };
        finding.with("of", values.len())
    }
}

impl Range {
    /// From zero without limit.
    pub(crate) const NOT_NEGATIVE: Self = Self { from: 0.0, to: None };
    /// From zero to one.
    pub const UNIT: Self = Self { from: 0.0, to: Some(1.0) };
    /// From zero to a hundred.
    pub(crate) const PERCENT: Self = Self { from: 0.0, to: Some(100.0) };

    /// Whether a value lies in the range.
    pub fn contains(&self, value: f64) -> bool {
        value >= self.from && self.to.is_none_or(|to| value <= to)
    }
}
