//! New values of an identifier, by its look.

use std::collections::{BTreeMap, HashSet};

use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use table::identifiers::{Look, RunClass};
use table::schema::Identifier;

use super::sieve::Sieve;
use crate::SynthesisError;
use crate::randomness::Rng;
use crate::stored::{StateReader, StateWriter, ensure};

/// Running numbers from here on are not small: they are drawn apart from the original ones.
const SMALL: i64 = 1_000_000;

/// Texts must leave this many times as many unused as are needed, or the look is widened.
const ROOM: f64 = 4.0;

/// How new values are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum NewValues {
    /// Whole numbers one after the other from this one, given out in random order.
    Running(i64),
    /// Texts, or whole numbers, of this look, none of which is taken.
    Like { look: Look, taken: Sieve, whole: bool },
    /// `synthetic-1`, `synthetic-2`, …
    Label,
}

impl NewValues {
    /// New values beside these.
    pub(super) fn learn(declared: &Identifier, values: &[String]) -> Self {
        if let Some(pattern) = &declared.pattern {
            return Self::like(Look::declared(pattern), values, declared.whole);
        }
        if declared.whole {
            let numbers: Vec<i64> = values.iter().filter_map(|value| value.parse().ok()).collect();
            let (low, high) = (numbers.iter().min().copied(), numbers.iter().max().copied());
            let (low, high) = (low.unwrap_or(1), high.unwrap_or(1));
            let fills_its_range = (high as f64 - low as f64) < 2.0 * numbers.len() as f64;
            if low < 0 || (high < SMALL && fills_its_range) {
                return Self::Running(first_of_width(low));
            }
            let mut widths: BTreeMap<usize, u64> = BTreeMap::new();
            values.iter().for_each(|value| *widths.entry(value.len().min(18)).or_default() += 1);
            return Self::like(Look::of_numbers(widths), values, true);
        }
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        let has_digit = |text: &&str| text.contains(|character: char| character.is_ascii_digit());
        let is_label = !texts.is_empty()
            && texts.iter().all(has_digit)
            && texts.iter().all(|text| text.split_whitespace().count() <= 2);
        match Look::of_most(&texts, 0.95).filter(|_| is_label) {
            Some(look) => Self::like(look, values, false),
            None => Self::Label,
        }
    }

    /// New values as a person declared them.
    pub(super) fn declared(declared: &Identifier) -> Self {
        match (&declared.pattern, declared.whole) {
            (Some(pattern), whole) => Self::like(Look::declared(pattern), &[], whole),
            (None, true) => Self::Running(1),
            (None, false) => Self::Label,
        }
    }

    fn like(look: Look, values: &[String], whole: bool) -> Self {
        Self::Like { look, taken: Sieve::of(values), whole }
    }

    /// Writes what is taken.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        match self {
            Self::Like { taken, .. } => taken.store(into),
            Self::Running(_) | Self::Label => Ok(()),
        }
    }

    /// The same values with what is taken; refused where so many as a data set needs could not be made.
    pub(super) fn load(self, from: &mut StateReader<'_>) -> Result<Self, SynthesisError> {
        match self {
            Self::Like { look, taken, whole } => {
                ensure(look.can_be_written(whole), "an identifier has a look that cannot be written")?;
                Ok(Self::Like { look, taken: taken.load(from)?, whole })
            }
            Self::Running(first) => {
                let has_room = first.checked_add(i64::from(u32::MAX)).is_some();
                ensure(has_room, "the numbers of an identifier leave their range")?;
                Ok(self)
            }
            Self::Label => Ok(self),
        }
    }

    /// So many different values.
    pub(super) fn draw(&self, count: usize, rng: &mut Rng) -> Vec<String> {
        match self {
            Self::Label => (1..=count).map(|number| format!("synthetic-{number}")).collect(),
            Self::Running(first) => {
                let mut numbers: Vec<i64> = (0..count as i64).map(|number| first + number).collect();
                numbers.shuffle(rng);
                numbers.iter().map(i64::to_string).collect()
            }
            Self::Like { look, taken, whole } => {
                let mut drawn = HashSet::with_capacity(count);
                let mut values = Vec::with_capacity(count);
                let mut look = look.clone();
                let mut in_vain = 0;
                while look.capacity() < ROOM * count as f64 {
                    look = look.widened();
                }
                while values.len() < count {
                    let value = text_of(&look, *whole, rng);
                    if taken.is_free(&value)
                        && (!whole || value.parse::<i64>().is_ok())
                        && drawn.insert(value.clone())
                    {
                        values.push(value);
                        in_vain = 0;
                        continue;
                    }
                    in_vain += 1;
                    if in_vain == 100 {
                        (look, in_vain) = (look.widened(), 0);
                    }
                }
                values
            }
        }
    }
}

/// The first number with as many digits as this one: 1 of 4, 1001 of 4523; 0 of 0.
fn first_of_width(number: i64) -> i64 {
    match number.checked_ilog10() {
        None => 0,
        Some(0) => 1,
        Some(log) => 10_i64.pow(log) + 1,
    }
}

/// A text of this look.
fn text_of(look: &Look, whole: bool, rng: &mut Rng) -> String {
    let mut text = String::new();
    for run in look.runs() {
        match &run.class {
            RunClass::Fixed(fixed) => text.push_str(fixed),
            RunClass::OneOf(these) => {
                let texts: u64 = run.lengths.values().sum();
                let mut drawn = rng.random_range(0..texts.max(1));
                let mut length = 1;
                for (candidate, count) in &run.lengths {
                    length = *candidate;
                    if drawn < *count {
                        break;
                    }
                    drawn -= count;
                }
                let characters = these.as_bytes();
                for at in 0..length {
                    let no_zero = at == 0 && characters[0] == b'0' && (whole || !run.zero_first);
                    let from = usize::from(no_zero);
                    text.push(char::from(characters[rng.random_range(from..characters.len())]));
                }
            }
        }
    }
    text
}
