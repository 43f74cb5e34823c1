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

/// How probable a bound may be that is too far out.
const WRONG_BOUND: f64 = 0.05;

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

    /// t: about how many numbers lie beyond a bound that is chosen for this ε among this many candidates, where a unit has `records` records. A table needs
    /// many times as many for the bounds to mean anything.
    pub fn numbers_beyond_a_bound(epsilon: f64, records: u64, candidates: usize) -> f64 {
        2.0 * records as f64 / epsilon * (WRONG_BOUND.recip() * candidates as f64).ln()
    }

    /// One end of the range of a variable, among public candidates in ascending order: the innermost one beyond which few numbers lie. By the exponential
    /// mechanism with the score −max(b(c) − t, t − b(c'), 0), b(c) the records beyond c, c' the next candidate inwards, and t so many that a candidate
    /// far outside, beyond whose neighbour nobody lies either, is chosen with small probability. A record changes a score by 1 at most.
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
        let target = Self::numbers_beyond_a_bound(epsilon.lower(), change, candidates.len());
        let beyond = |candidate: &f64| match end {
            Bound::Low => values.iter().filter(|value| *value < candidate).count() as i128,
            Bound::High => values.iter().filter(|value| *value > candidate).count() as i128,
        };
        let beyond: Vec<i128> = candidates.iter().map(beyond).collect();
        let target = target.ceil() as i128;
        let score = |place: usize| {
            let inwards = match end {
                Bound::Low => beyond.get(place + 1),
                Bound::High => place.checked_sub(1).and_then(|inner| beyond.get(inner)),
            };
            let too_far_out = inwards.map_or(0, |inwards| target - inwards);
            -2 * (beyond[place] - target).max(too_far_out).max(0)
        };
        let scores: Vec<i128> = (0..candidates.len()).map(score).collect();
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

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;
    use crate::chi_square::chi_square_p_value;
    use crate::ledger::Budget;
    use crate::{Delta, Epsilon, Neighbours};

    fn numbers(values: &[f64]) -> Table {
        let schema = "[table]\ndeclared = true\nreason = \"invented\"\n[variables.x]\nkind = \"real\"\nrange = [0, 10]\n";
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
        let lines: Vec<String> = values.iter().map(f64::to_string).collect();
        read_csv_text(&format!("x\n{}\n", lines.join("\n")), &options).unwrap()
    }

    fn ledger(neighbours: Neighbours, records: u64) -> PrivacyLedger {
        let budget = Budget::approximate(Epsilon::new(100.0).unwrap(), Delta::new(0.1).unwrap()).unwrap();
        PrivacyLedger::open(budget, neighbours, "person").for_units("id", records)
    }

    fn epsilon(value: f64) -> Cost {
        Cost::rounded_down(value).unwrap()
    }

    const CANDIDATES: [f64; 5] = [1.0, 2.0, 3.0, 5.0, 8.0];

    /// P(c) ∝ exp(ε·score/(2Δ)) for the cut before part `at` of `parts`.
    fn by_enumeration(values: &[f64], at: usize, parts: usize, change: f64, epsilon: f64) -> Vec<f64> {
        let mut values = values.to_vec();
        values.sort_unstable_by(f64::total_cmp);
        let scores = quantile_scores(&values, &CANDIDATES, at, parts);
        let weights: Vec<f64> =
            scores.iter().map(|score| (epsilon * *score as f64 / (2.0 * change)).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// The median of five numbers among five candidates: the draws are those of the formula. Wrongly failing with probability 10⁻⁶.
    #[test]
    fn a_cut_has_the_probabilities_of_the_exponential_mechanism() {
        let values = [0.5, 1.5, 1.5, 4.0, 9.0];
        let table = numbers(&values);
        for (neighbours, records) in
            [(Neighbours::AddRemove, 1), (Neighbours::AddRemove, 3), (Neighbours::ReplaceOne, 1)]
        {
            let mut counts = [0_u64; 5];
            for seed in 0..8_000 {
                let (mut ledger, mut noise) =
                    (ledger(neighbours, records), NoiseSource::insecure_test_seed(seed));
                let mut columns = GuardedColumns::new(&table, &mut ledger, &mut noise);
                let candidates = |_: f64, _: f64| CANDIDATES.to_vec();
                let charge = Charge::Pure(epsilon(2.0));
                let cuts = columns.quantile_cuts("x", 2, (0.0, 10.0), &[], &candidates, charge).unwrap();
                let at = CANDIDATES.iter().position(|candidate| *candidate == cuts[0].1).unwrap();
                counts[at] += 1;
            }
            let twice = if neighbours == Neighbours::ReplaceOne { 2.0 } else { 1.0 };
            let shares = by_enumeration(&values, 1, 2, 2.0 * twice * records as f64, 2.0);
            assert!(chi_square_p_value(&counts, &shares) > 1e-6, "{counts:?} {shares:?}");
        }
    }

    /// For every unit of up to three records that is added, no probability grows or shrinks by more than e^ε; with the sensitivity of one record it would.
    #[test]
    fn neighbours_with_a_unit_of_several_records_stay_within_epsilon() {
        let values = [0.5, 1.5, 1.5, 4.0, 9.0];
        let places = [0.2, 1.7, 2.5, 4.5, 9.5];
        let worst = |records: f64, at: usize, parts: usize| {
            let change = 2.0 * at.max(parts - at) as f64 * records;
            let before = by_enumeration(&values, at, parts, change, 1.0);
            let mut worst: f64 = 0.0;
            for one in places {
                for two in places {
                    for three in places {
                        let more: Vec<f64> = values.iter().copied().chain([one, two, three]).collect();
                        let after = by_enumeration(&more, at, parts, change, 1.0);
                        let ratios = before.iter().zip(&after).map(|(one, other)| (one / other).ln().abs());
                        worst = ratios.fold(worst, f64::max);
                    }
                }
            }
            worst
        };
        for (at, parts) in [(1, 2), (1, 5), (3, 4)] {
            assert!(worst(3.0, at, parts) <= 1.0 + 1e-9, "{at} of {parts}");
        }
        assert!(worst(1.0, 1, 2) > 1.0);
    }

    /// Cuts of ten thousand log-normal numbers at ε = 0.1 leave between an eighth and a third of them in each of five classes: five seeds, fixed.
    #[test]
    fn cuts_of_skewed_numbers_leave_something_in_every_class() {
        let normal = |place: usize| {
            let share = (place as f64 + 0.5) / 10_000.0;
            // Tukey's lambda distribution is near enough to the normal one.
            4.91 * (share.powf(0.14) - (1.0 - share).powf(0.14))
        };
        let values: Vec<f64> = (0..10_000).map(|place| (normal(place) - 2.0).exp().min(10.0)).collect();
        let table = numbers(&values);
        let candidates = |low: f64, high: f64| {
            let all = (1..1_000).map(|place| 10.0 * (f64::from(place) / 1_000.0).powi(3));
            all.filter(|cut| low < *cut && *cut < high).collect()
        };
        for seed in 0..5 {
            let (mut ledger, mut noise) =
                (ledger(Neighbours::AddRemove, 1), NoiseSource::insecure_test_seed(seed));
            let mut columns = GuardedColumns::new(&table, &mut ledger, &mut noise);
            let charge = Charge::Pure(epsilon(0.1 / 3.0));
            let cuts = columns.quantile_cuts("x", 5, (0.0, 10.0), &[], &candidates, charge).unwrap();
            assert_eq!(cuts.iter().map(|(quantile, _)| *quantile).collect::<Vec<_>>(), [1, 2, 3, 4]);
            assert_eq!(ledger.events().len(), 3);
            let limits: Vec<f64> =
                std::iter::once(0.0).chain(cuts.iter().map(|cut| cut.1)).chain([11.0]).collect();
            for pair in limits.windows(2) {
                let share = values.iter().filter(|value| (pair[0]..pair[1]).contains(value)).count();
                assert!((1_250..3_333).contains(&share), "seed {seed}: {share}");
            }
        }
    }

    /// A level that only one unit has, with all of its k records, is released with probability δ at most.
    #[test]
    fn a_level_of_one_unit_stays_below_the_threshold() {
        for records in [1_u64, 2, 5] {
            let ledger = ledger(Neighbours::AddRemove, records);
            let delta = DeltaCost::rounded_down(Delta::new(1e-3).unwrap());
            let found = thresholded_for_units(&ledger, epsilon(1.0), delta, |_| String::new()).unwrap();
            let rate = 1.0 / found.law.scale();
            assert!((rate - 1.0 / records as f64).abs() < 1e-9);
            // The worst case: k levels, bounded as if each had all k records.
            let excess = (found.threshold - records as i64) as f64;
            let each = (-rate * excess).exp() / (1.0 + (-rate).exp());
            assert!(records as f64 * each <= 1e-3, "{records}");
            let one_less = (-rate * (excess - 1.0)).exp() / (1.0 + (-rate).exp());
            assert!(records as f64 * one_less > 1e-3, "{records}: the threshold is the smallest");
        }
    }

    #[test]
    fn bounds_are_found_near_the_ends_and_rarely_far_beyond() {
        let values: Vec<f64> = (0..5_000).map(|place| 2.0 + f64::from(place) / 1_000.0).collect();
        let table = numbers(&values);
        let candidates = [-1e6, -10.0, 0.0, 1.0, 2.0, 5.0, 10.0, 1e3, 1e6];
        let mut wrong = 0;
        for seed in 0..20 {
            let (mut ledger, mut noise) =
                (ledger(Neighbours::AddRemove, 1), NoiseSource::insecure_test_seed(seed));
            let mut columns = GuardedColumns::new(&table, &mut ledger, &mut noise);
            let charge = Charge::Pure(epsilon(0.5));
            let low = columns.bound("x", Bound::Low, &candidates, charge).unwrap();
            let high = columns.bound("x", Bound::High, &candidates, charge).unwrap();
            wrong += usize::from(low != 2.0) + usize::from(high != 10.0);
        }
        // Each of 40 is wrong with probability 0.05 at most: more than 7 with probability below 0.002.
        assert!(wrong <= 7, "{wrong} of 40 bounds");
    }
}
