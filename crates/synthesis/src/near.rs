//! Numbers near those that one record alone has, or the few of one household.
//!
//! An amount to the cent, or a ratio to fourteen decimals, that one record has and no other names that record wherever it is seen; one that the few records of a household or a
//! firm share names these. Where most numbers of a variable are such, a number drawn from a donor gives way to one near it. With the numbers x₍₁₎ < … < x₍ₙ₎ that one record
//! each has, the i-th becomes
//!
//! x₍ᵤ₎ = (1 − {u}) x₍⌊u⌋₎ + {u} x₍⌈u⌉₎, u uniform on [i − h, i + h] ∩ [1, n] by reflection at the ends,
//!
//! rounded to the precision that the numbers show: the largest step of which all of them are multiples. Ranks drawn evenly stay even under such
//! a kernel, so the distribution is kept to within h ranks. Numbers that several records share (zeros, round amounts) are left as they are, unless most are shared by
//! a few and lie so far apart, at the precision that they show, that it is no chance that these are equal: at most one in [`SPARSE`] of the possible numbers occurs.
//! A draw may meet a number of the data by chance; drawing again would say which numbers are in it.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::SynthesisError;
use crate::randomness::Rng;
use crate::stored::{StateReader, StateWriter, ensure};

/// h: how many ranks away a number may be drawn.
const RANKS: f64 = 5.0;

/// Fewer numbers of single records are too far apart to draw between them.
const FEWEST: usize = 2 * RANKS as usize;

/// A number that this share of the records has is a value of its own, such as zero, and does not count when most others are looked at.
const SHARED_BY: f64 = 0.01;

/// The most records of one household or firm.
const OF_A_FEW: usize = 9;

/// Of the possible numbers between the smallest and the largest, at most one in so many occurs where numbers that a few records share are names.
const SPARSE: f64 = 20.0;

/// More decimals than this are not a precision that somebody chose.
const DECIMALS: i32 = 9;

/// The numbers that one record each has, or a few have, where they are most.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NearNumbers {
    /// Ascending, all different.
    once: Vec<f64>,
    precision: Option<Precision>,
}

/// Multiples of `units` / 10^`decimals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Precision {
    decimals: i32,
    units: u64,
}

/// What there is to say where numbers of these variables are drawn near others.
pub(crate) fn remark<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{}: apart from frequent values, most numbers are those of one record or of a few and would identify them; such a number is replaced by one near it, at the \
             same precision",
            names.join(", ")
        )
    })
}

/// A number rounded to the precision that others show.
pub(crate) fn rounded_like(numbers: impl IntoIterator<Item = f64>, number: f64) -> f64 {
    let numbers: Vec<f64> = numbers.into_iter().collect();
    Precision::of(&numbers).map_or(number, |precision| precision.round(number))
}

impl NearNumbers {
    /// What is needed to draw near the numbers of single records, or of few; `None` where most numbers are shared.
    pub(crate) fn learn(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = numbers.into_iter().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let counted = sorted.chunk_by(|left, right| left == right).map(|equal| (equal[0], equal.len()));
        Self::of_counted(&counted.collect::<Vec<_>>())
    }

    /// The same from the different numbers, ascending, with how many records have each.
    pub(crate) fn of_counted(numbers: &[(f64, usize)]) -> Option<Self> {
        let share = numbers.iter().map(|(_, count)| *count).sum::<usize>() as f64 * SHARED_BY;
        let counted = || numbers.iter().copied();
        // The numbers that at most so many records have, where most records have such a one, frequent values set apart.
        let most_have = |records: usize, frequent: f64| {
            let (mut numbers, mut having, mut others) = (Vec::new(), 0, 0);
            for (number, count) in counted() {
                if count <= records {
                    numbers.push(number);
                    having += count;
                } else if (count as f64) < frequent {
                    others += count;
                }
            }
            (numbers.len() >= FEWEST && having > others).then_some(numbers)
        };
        if let Some(once) = most_have(1, share.max(3.0)) {
            let precision = Precision::of(&once);
            return Some(Self { once, precision });
        }
        let of_few = most_have(OF_A_FEW, share.max(1.0 + OF_A_FEW as f64))?;
        let precision = Precision::of(&of_few);
        let are_names = precision.is_none_or(|precision| precision.is_sparse(&of_few));
        are_names.then_some(Self { once: of_few, precision })
    }

    /// A number near this one, if one record alone or a few have it; else itself.
    pub(crate) fn near(&self, number: f64, rng: &mut Rng) -> f64 {
        let Ok(rank) = self.once.binary_search_by(|known| known.total_cmp(&number)) else { return number };
        let end = (self.once.len() - 1) as f64;
        let drawn = rank as f64 + (2.0 * rng.random::<f64>() - 1.0) * RANKS;
        let reflected = if drawn < 0.0 { -drawn } else { drawn.min(2.0 * end - drawn) };
        let place = reflected.clamp(0.0, end);
        let (below, above) = (self.once[place.floor() as usize], self.once[place.ceil() as usize]);
        let between = below + place.fract() * (above - below);
        self.precision.map_or(between, |precision| precision.round(between))
    }

    /// Writes them.
    pub(crate) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        let precision = self.precision.map_or([0, 0], |of| [of.decimals as u64, of.units]);
        into.array("precision", &precision)?;
        into.array("numbers of single records", &self.once)
    }

    /// Stored ones.
    pub(crate) fn load(from: &mut StateReader<'_>) -> Result<Self, SynthesisError> {
        let (precision, once): (Vec<u64>, Vec<f64>) =
            (from.array("precision")?, from.array("numbers of single records")?);
        let precision = match precision[..] {
            [_, 0] => None,
            [decimals, units] if decimals <= DECIMALS as u64 => {
                Some(Precision { decimals: decimals as i32, units })
            }
            _ => return Err(crate::stored::damaged("a precision is not a step and its decimals")),
        };
        let ascend =
            once.is_sorted_by(|left, right| left < right) && once.iter().all(|number| number.is_finite());
        ensure(ascend && once.len() >= FEWEST, "numbers of single records are not in order")?;
        Ok(Self { once, precision })
    }
}

impl Precision {
    /// The coarsest step of which all numbers are multiples; `None` where they have more than [`DECIMALS`] decimals.
    pub(crate) fn of(numbers: &[f64]) -> Option<Self> {
        let decimals = (0..=DECIMALS).find(|decimals| {
            let scale = 10.0_f64.powi(*decimals);
            numbers
                .iter()
                .all(|number| (number * scale).abs() < 9e15 && (number * scale).round() / scale == *number)
        })?;
        let scale = 10.0_f64.powi(decimals);
        let units = numbers.iter().fold(0, |units, number| gcd(units, (number * scale).round().abs() as u64));
        Some(Self { decimals, units: units.max(1) })
    }

    /// Whether it is a step that can be rounded to; a stored one may be damaged.
    pub(crate) fn is_fine(self) -> bool {
        self.units > 0 && (0..=DECIMALS).contains(&self.decimals)
    }

    /// Whether these ascending numbers are few of those that are possible between them: at most one in [`SPARSE`].
    fn is_sparse(self, numbers: &[f64]) -> bool {
        let (Some(low), Some(high)) = (numbers.first(), numbers.last()) else { return false };
        let steps = (high - low) * 10.0_f64.powi(self.decimals) / self.units as f64;
        numbers.len() as f64 * SPARSE <= steps
    }

    pub(crate) fn round(self, number: f64) -> f64 {
        let scale = 10.0_f64.powi(self.decimals);
        let units = self.units as f64;
        (number * scale / units).round() * units / scale
    }
}

/// The greatest common divisor (Euclid).
fn gcd(left: u64, right: u64) -> u64 {
    if right == 0 { left } else { gcd(right, left % right) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::Seed;

    fn amounts(records: usize, decimals: i32) -> Vec<f64> {
        let mut rng = Seed::new(1).stream(0);
        let scale = 10.0_f64.powi(decimals);
        (0..records).map(|_| ((6.0 + 3.0 * rng.random::<f64>()).exp() * scale).round() / scale).collect()
    }

    #[test]
    fn numbers_of_single_records_give_way_to_numbers_near_them_of_the_same_precision() {
        let numbers = amounts(2_000, 2);
        let near = NearNumbers::learn(numbers.iter().copied()).unwrap();
        assert_eq!(near.precision, Some(Precision { decimals: 2, units: 1 }));
        let mut rng = Seed::new(2).stream(0);
        let drawn: Vec<f64> = numbers.iter().map(|number| near.near(*number, &mut rng)).collect();
        let is_known = |number: &f64| near.once.binary_search_by(|known| known.total_cmp(number)).is_ok();
        let met = drawn.iter().filter(|number| is_known(number)).count();
        assert!(met < 100, "{met} of 2,000 meet a number of the data");
        for (new, old) in drawn.iter().zip(&numbers) {
            assert!((new / old - 1.0).abs() < 0.05, "{new} is not near {old}");
            assert_eq!((new * 100.0).round() / 100.0, *new);
        }
        let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
        assert!((mean(&drawn) / mean(&numbers) - 1.0).abs() < 1e-3);
    }

    /// 400 draws of the first, the middle and the last: uniform over the ranks within reach, so the mean rank is known. Each bound is five
    /// standard errors.
    #[test]
    fn ranks_are_drawn_evenly_and_reflected_at_the_ends() {
        let numbers: Vec<f64> = (0..101).map(f64::from).map(|number| number + 0.123_456_789_1).collect();
        let near = NearNumbers::learn(numbers).unwrap();
        assert_eq!(near.precision, None);
        let mut rng = Seed::new(3).stream(0);
        for (rank, expected, deviation) in [(0, 2.5, 1.44), (50, 50.0, 2.89), (100, 97.5, 1.44)] {
            let drawn: Vec<f64> =
                (0..400).map(|_| near.near(near.once[rank], &mut rng) - 0.123_456_789_1).collect();
            let mean = drawn.iter().sum::<f64>() / 400.0;
            assert!((mean - expected).abs() < 5.0 * deviation / 20.0, "{mean} instead of {expected}");
            assert!(drawn.iter().all(|number| (number - rank as f64).abs() <= RANKS + 1e-9));
        }
    }

    #[test]
    fn shared_numbers_stay_and_do_not_hide_the_others() {
        let zeros_and_amounts = amounts(300, 0).into_iter().chain(std::iter::repeat_n(0.0, 3_000));
        let near = NearNumbers::learn(zeros_and_amounts).unwrap();
        let mut rng = Seed::new(4).stream(0);
        assert_eq!(near.near(0.0, &mut rng), 0.0);
        assert_eq!(near.near(near.once[9], &mut rng).fract(), 0.0);
        assert_eq!(NearNumbers::learn((0..3_000).map(|age| f64::from(age % 90))), None);
        assert_eq!(NearNumbers::learn(amounts(9, 2)), None);
    }

    /// Households of one to four persons with one income to the cent each, and weights in whole kilograms that a few of 300 people share by chance.
    #[test]
    fn numbers_that_only_a_household_shares_are_names_and_coarse_ones_are_not() {
        let incomes = amounts(600, 2);
        let persons =
            incomes.iter().enumerate().flat_map(|(at, income)| std::iter::repeat_n(*income, 1 + at % 4));
        let near = NearNumbers::learn(persons).unwrap();
        let mut rng = Seed::new(5).stream(0);
        let is_known = |number: f64| near.once.binary_search_by(|known| known.total_cmp(&number)).is_ok();
        let met = incomes.iter().filter(|income| is_known(near.near(**income, &mut rng))).count();
        assert!(met < 60, "{met} of 600 incomes come back");
        let weights = (0..300).map(|person| f64::from(40 + 37 * person % 83));
        assert_eq!(NearNumbers::learn(weights), None);
    }

    #[test]
    fn the_step_of_round_amounts_is_kept() {
        let precision = |numbers: &[f64]| Precision::of(numbers).map(|of| (of.decimals, of.units));
        assert_eq!(precision(&[1_250.0, 700.0, -50.0]), Some((0, 50)));
        assert_eq!(precision(&[0.25, 1.5, 3.0]), Some((2, 25)));
        assert_eq!(precision(&[0.1 + 0.2]), None);
        assert_eq!(Precision { decimals: 2, units: 25 }.round(1.1), 1.0);
    }
}
