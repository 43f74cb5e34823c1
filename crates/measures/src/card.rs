//! What a measure is: the card that reports, documentation and the command line read.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Better, Finding};

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
    /// A finding of this measure; what is expected of it is as on the card.
    pub(crate) fn finding(&self, on: &[impl AsRef<str>], value: f64) -> Finding {
        let null = if let Null::Value(null) = self.null { Some(null) } else { None };
        Finding::value(self.name, on.iter().map(AsRef::as_ref), value, null, self.better)
    }

    /// A finding without a number.
    pub(crate) fn undefined(&self, on: &[impl AsRef<str>], because: impl ToString) -> Finding {
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
    pub const NOT_NEGATIVE: Self = Self { from: 0.0, to: None };
    /// From zero to one.
    pub const UNIT: Self = Self { from: 0.0, to: Some(1.0) };
    /// From zero to a hundred.
    pub const PERCENT: Self = Self { from: 0.0, to: Some(100.0) };

    /// Whether a value lies in the range.
    pub fn contains(&self, value: f64) -> bool {
        value >= self.from && self.to.is_none_or(|to| value <= to)
    }
}
