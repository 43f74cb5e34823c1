//! Domains bought from the budget: bounds, quantiles and frequent levels of single columns, behind the ledger.
//!
//! A [`GuardedColumns`] holds records before their classes are known. Like [`GuardedTable`](super::GuardedTable) it shows nothing by itself: each question names its
//! price, which the ledger books before anything is looked at. k is the number of records that one unit may have.
//!
//! **Quantiles** (Smith 2011; recursively Kaplan, Schnapp & Stemmer 2022). For a quantile q of the numbers of an interval, a candidate c has the score
//! −|(1 − q)·b − q·a|, b of them below c and a at or above it. A record more or less changes it by at most max(q, 1 − q), and
//! c is chosen by the exponential mechanism among public candidates. The quantile in the middle is found first; those below it are sought among the
//! numbers below c, those above it among the others. The intervals of one level are disjoint, so that a level costs as much
//! as one choice: if kᵢ of the k records of a unit lie in interval i, its choice loses ε·kᵢ/k, and these add up to ε (to
//! Σ(ε·kᵢ/k)²/8 ≤ ε²/8 in ρ). A replaced unit changes two intervals, or one of them twice; the sensitivity is doubled, and each change loses half.
//!
//! **Bounds.** A candidate c for the upper bound has the score −||{x > c}| − t|, which a record changes by at most one; t is a public number, large enough that candidates
//! beyond all numbers are rarely chosen: their score lies t below the best, and t = (2kΔ/ε)·ln(4·candidates).
//!
//! **Values by themselves.** The counts of a few public values (0 and the ends of the range) and of all others are a histogram.
//!
//! **Levels.** Every level that occurs gets discrete Laplace noise and is released if the noisy count reaches a threshold: the argument is that of
//! [`thresholded`](super::thresholded).

use table::column::Entry;
use table::{Column, Table};

use super::charge_noise;
use super::thresholded::{Thresholded, thresholded_for_units};
use crate::ledger::{Charge, DeltaCost, Event, Notion, PrivacyLedger};
use crate::noise::exponential_mechanism;
use crate::{Cost, NoiseSource, PrivacyError, conversion};

/// Columns of a confidential table behind their ledger.
pub struct GuardedColumns<'a> {
    records: &'a Table,
    ledger: &'a mut PrivacyLedger,
    noise: &'a mut NoiseSource,
}

/// Which end of a range is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The smallest number.
    Low,
    /// The largest number.
    High,
}

/// Public candidates for a cut between two limits, in ascending order.
pub type Candidates<'a> = &'a dyn Fn(f64, f64) -> Vec<f64>;

impl<'a> GuardedColumns<'a> {
    /// Puts the columns of a table behind a ledger.
    pub fn new(records: &'a Table, ledger: &'a mut PrivacyLedger, noise: &'a mut NoiseSource) -> Self {
        Self { records, ledger, noise }
    }

    /// How many levels of choices this number of cuts takes: ⌈log₂(cuts + 1)⌉.
    pub fn levels_of_choices(cuts: usize) -> u32 {
        usize::BITS - cuts.leading_zeros()
    }

    /// Cuts near the quantiles 1/parts, 2/parts … of the numbers of a variable that lie between two limits and are none of those in `without`.
    /// One event a level of choices, each of which costs `charge`. Gives each cut with the number of its quantile, in ascending order; where no candidate is left
    /// between two others, there is none.
    pub fn quantile_cuts(
        &mut self,
        name: &str,
        parts: usize,
        (low, high): (f64, f64),
        without: &[f64],
        candidates: Candidates<'_>,
        charge: Charge,
    ) -> Result<Vec<(usize, f64)>, PrivacyError> {
        let levels = Self::levels_of_choices(parts.saturating_sub(1));
        let mut epsilon = Cost::ZERO;
        for level in 1..=levels {
            let purpose = format!("cuts of {name}, choice {level} of {levels}");
            // In units of half a record a record changes a score by 2·parts at most.
            epsilon = self.pay_choice(&purpose, 2 * parts as u64, charge)?;
        }
        let mut values = self.numbers(name)?;
        values.retain(|value| (low..=high).contains(value) && !without.contains(value));
        values.sort_unstable_by(f64::total_cmp);
        let sensitivity = self.ledger.unit_l1_sensitivity();
        let mut search =
            Search { candidates, epsilon, sensitivity, noise: &mut *self.noise, found: Vec::new() };
        search.between(&values, (low, high), 0, parts)?;
        let mut found = search.found;
        found.sort_unstable_by_key(|(quantile, _)| *quantile);
        Ok(found)
    }

    /// One end of the range of a variable, among public candidates.
    pub fn bound(
        &mut self,
        name: &str,
        end: Bound,
        candidates: &[f64],
        charge: Charge,
    ) -> Result<f64, PrivacyError> {
        let word = if end == Bound::Low { "lower" } else { "upper" };
        let epsilon = self.pay_choice(&format!("{word} bound of {name}"), 2, charge)?;
        let values = self.numbers(name)?;
        let change = self.ledger.unit_l1_sensitivity();
        let target = 2.0 * change as f64 / epsilon.lower() * (4.0 * candidates.len() as f64).ln();
        let beyond = |candidate: &f64| match end {
            Bound::Low => values.iter().filter(|value| *value < candidate).count(),
            Bound::High => values.iter().filter(|value| *value > candidate).count(),
        };
        let target = target.ceil() as i128;
        let scores: Vec<i128> =
            candidates.iter().map(|candidate| -2 * (beyond(candidate) as i128 - target).abs()).collect();
        let chosen = exponential_mechanism(self.noise.rng(), &scores, 2 * u128::from(change), epsilon)?;
        Ok(candidates[chosen])
    }

    /// How many records have each of these values, and how many numbers have none of them (last), under noise.
    pub fn counts_of_values(
        &mut self,
        name: &str,
        values: &[f64],
        charge: Charge,
    ) -> Result<Vec<i64>, PrivacyError> {
        let (l1, l2_squared) = (self.ledger.unit_l1_sensitivity(), self.ledger.unit_l2_sensitivity_squared());
        let purpose = format!("values of {name} that many records may have");
        let law = charge_noise(self.ledger, &purpose, charge, l1, l2_squared)?;
        let mut counts = vec![0_i64; values.len() + 1];
        for number in self.numbers(name)? {
            counts[values.iter().position(|value| *value == number).unwrap_or(values.len())] += 1;
        }
        let rng = self.noise.rng();
        Ok(counts.into_iter().map(|count| law.add_to(count, rng)).collect())
    }

    /// The levels of a variable whose noisy count reaches a threshold, in alphabetical order: the order of the records is theirs.
    pub fn frequent_levels(
        &mut self,
        name: &str,
        epsilon: Cost,
        delta: DeltaCost,
    ) -> Result<Vec<String>, PrivacyError> {
        let Thresholded { law, threshold, event } =
            thresholded_for_units(self.ledger, epsilon, delta, |_| {
                format!("levels of {name} whose noisy count reaches a threshold")
            })?;
        self.ledger.spend(event)?;
        let column = self.records.column(name)?;
        let levels = self.records.schema().variable(name)?.kind.levels().cloned().unwrap_or_default();
        let Column::Categorical(codes) = column else { return Ok(Vec::new()) };
        let counts = codes.frequencies(levels.len() + 1);
        let rng = self.noise.rng();
        let mut frequent: Vec<String> = levels
            .iter()
            .zip(counts)
            .filter(|(_, count)| *count > 0 && law.add_to(*count as i64, rng) >= threshold)
            .map(|(level, _)| level.to_owned())
            .collect();
        frequent.sort_unstable();
        Ok(frequent)
    }

    /// Books a choice by the exponential mechanism; `change` is what one record more or less changes in a score. Gives the ε of the choice.
    fn pay_choice(&mut self, purpose: &str, change: u64, charge: Charge) -> Result<Cost, PrivacyError> {
        let sensitivity = (change * self.ledger.unit_l1_sensitivity()) as f64;
        let (event, epsilon) = match charge.notion() {
            Notion::Pure | Notion::Approximate => {
                (Event::exponential_mechanism(purpose, charge.cost(), sensitivity)?, charge.cost())
            }
            Notion::ZeroConcentrated => {
                let epsilon = conversion::exponential_mechanism_epsilon(charge.cost())?;
                (Event::exponential_mechanism_in_rho(purpose, epsilon, sensitivity)?, epsilon)
            }
        };
        self.ledger.spend(event)?;
        Ok(epsilon)
    }

    /// The numbers of a column, without special codes and missing values.
    fn numbers(&self, name: &str) -> Result<Vec<f64>, PrivacyError> {
        let column = self.records.column(name)?;
        let numbers = (0..column.len()).filter_map(|row| match column.number(row) {
            Some(Entry::Value(value)) => Some(value),
            _ => None,
        });
        Ok(numbers.collect())
    }
}

/// The search for cuts, from the middle outwards.
struct Search<'a> {
    candidates: Candidates<'a>,
    epsilon: Cost,
    /// Records by which neighbours differ.
    sensitivity: u64,
    noise: &'a mut NoiseSource,
    found: Vec<(usize, f64)>,
}

impl Search<'_> {
    /// The cuts after part `first` and before part `last`, among these numbers of an interval.
    fn between(
        &mut self,
        values: &[f64],
        (low, high): (f64, f64),
        first: usize,
        last: usize,
    ) -> Result<(), PrivacyError> {
        if last - first < 2 {
            return Ok(());
        }
        let middle = first.midpoint(last);
        let candidates = (self.candidates)(low, high);
        if candidates.is_empty() {
            return Ok(());
        }
        let scores = quantile_scores(values, &candidates, middle - first, last - first);
        let change = 2 * (middle - first).max(last - middle) as u128;
        let change = change * u128::from(self.sensitivity);
        let chosen = exponential_mechanism(self.noise.rng(), &scores, change, self.epsilon)?;
        let cut = candidates[chosen];
        self.found.push((middle, cut));
        let (below, above) = values.split_at(values.partition_point(|value| *value < cut));
        self.between(below, (low, cut), first, middle)?;
        self.between(above, (cut, high), middle, last)
    }
}

/// −2·|(parts − at)·b − at·a| for every candidate, b of the sorted values below it and a not.
pub(super) fn quantile_scores(values: &[f64], candidates: &[f64], at: usize, parts: usize) -> Vec<i128> {
    let score = |candidate: &f64| {
        let below = values.partition_point(|value| value < candidate);
        let above = values.len() - below;
        -2 * ((parts - at) as i128 * below as i128 - at as i128 * above as i128).abs()
    };
    candidates.iter().map(score).collect()
}
