//! What numbers add up to, and how far they reach: means, totals and tails, which no class can hide.
//!
//! With original values x₁ … x_N of mean x̄ and standard deviation s, and n synthetic ones of mean x̄':
//!
//! - `amounts.mean_z` = |x̄' − x̄| / (s/√n), which is about |normal| for draws from the original's distribution, and √2 times that for a fresh sample;
//! - `amounts.total_error` = 100 |x̄'/x̄ − 1|, in per cent, where no value is negative, so that a total means something;
//! - `amounts.tail_error` = 100 |t'/t − 1|, t the mean of the largest hundredth of the values (at least `FEWEST`), less the median. Its
//!   `detail.standard_error` is what two samples of the original's distribution differ by, likewise in per cent of t: the asymptotic variance of a
//!   mean above the quantile q of share p is (Var(x | x > q) + p (E(x | x > q) − q)²) / (n (1 − p)) (Brazauskas, Jones, Puri & Zitikis 2008).
//!
//! Missing values and special codes are left out. Where the schema describes the design of a sample, weighted means, shares and the sum of weights stand beside these; see
//! `weighted.rs` beside this file.

use crate::utility::numbers::number_pairs;
use crate::utility::weighted;
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Settings,
};

/// Values of a tail, at least.
const FEWEST: usize = 5;

/// The share of values in a tail.
const TAIL: f64 = 0.01;

/// The family of means, totals and tails.
#[derive(Clone, Copy, Debug)]
pub struct Amounts;

/// Measures of this family that other crates refer to.
pub mod names {
    /// `amounts.mean_z`.
    pub const MEAN_Z: &str = "amounts.mean_z";
    /// `amounts.total_error`.
    pub const TOTAL_ERROR: &str = "amounts.total_error";
    /// `amounts.tail_error`.
    pub const TAIL_ERROR: &str = "amounts.tail_error";
    /// `amounts.worst_mean_z`.
    pub const WORST_MEAN_Z: &str = "amounts.worst_mean_z";
    /// `amounts.weighted_mean_z`.
    pub const WEIGHTED_MEAN_Z: &str = "amounts.weighted_mean_z";
    /// `amounts.weighted_share`.
    pub const WEIGHTED_SHARE: &str = "amounts.weighted_share";
    /// `amounts.weighted_size`.
    pub const WEIGHTED_SIZE: &str = "amounts.weighted_size";
}

const fn card(name: &'static str, question: &'static str, unit: &'static str, null: Null) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better: Better::Lower,
        unit,
        range: Range::NOT_NEGATIVE,
        null,
        citation: "Lookalike: what an analyst adds up must add up",
        kept: Kept::All,
    }
}

const CARDS: &[MeasureCard] = &[
    card(
        names::MEAN_Z,
        "How many standard errors is the mean of this number from the original's?",
        "",
        Null::Formula("about 0.8"),
    ),
    card(names::TOTAL_ERROR, "By how many per cent is the total of this number off?", "%", Null::None),
    card(
        names::TAIL_ERROR,
        "By how many per cent is the mean of the largest hundredth off, counted from the median?",
        "%",
        Null::None,
    ),
    card(
        names::WORST_MEAN_Z,
        "How many standard errors is the mean off that is furthest from the original's?",
        "",
        Null::None,
    ),
    survey_card(
        names::WEIGHTED_MEAN_Z,
        "How many standard errors of the sample's design is the weighted mean of this number from the original's?",
        "",
    ),
    survey_card(names::WEIGHTED_SHARE, "By how much does the weighted share of a level differ at most?", ""),
    survey_card(names::WEIGHTED_SIZE, "By how many per cent is the sum of weights off?", "%"),
];

/// Only where the schema gives variables the roles of a design.
const fn survey_card(name: &'static str, question: &'static str, unit: &'static str) -> MeasureCard {
    MeasureCard {
        citation: "Binder (1983), International Statistical Review 51; Lumley (2004), Journal of Statistical Software 9(8)",
        ..card(name, question, unit, Null::None)
    }
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "amounts",
    aspect: Aspect::Utility,
    honours: &[],
    requires: None,
    usual_axis: None,
    identified_by: &[],
    measures: CARDS,
};

impl Measure for Amounts {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(&self, comparison: &Comparison<'_>, _: &Settings) -> Result<Vec<Finding>, MeasureError> {
        let mut findings = Vec::new();
        let mut worst: Option<(&str, f64)> = None;
        for pair in number_pairs(comparison) {
            let (original, synthetic) = pair.sorted();
            let on = [pair.name];
            let [z, total, tail] = match (Sample::of(&original), Sample::of(&synthetic)) {
                (Some(original), Some(synthetic)) => [
                    original
                        .mean_z(&synthetic)
                        .ok_or("all values of the original are equal, and others are not"),
                    original
                        .total_error(&synthetic)
                        .ok_or("a total means nothing where values are negative, or all are zero"),
                    original
                        .tail_error(&synthetic)
                        .ok_or("the largest values of the original are its median"),
                ],
                _ => [Err("one of the files has no value here"); 3],
            };
            let finding = |card: &MeasureCard, value: Result<f64, &str>| match value {
                Ok(value) => card.finding(&on, value),
                Err(because) => card.undefined(&on, because),
            };
            if let Ok(z) = z
                && worst.is_none_or(|(_, known)| z > known)
            {
                worst = Some((pair.name, z));
            }
            let of_tail = match Sample::of(&original).zip(Sample::of(&synthetic)) {
                Some((original, synthetic)) if tail.is_ok() => {
                    finding(&CARDS[2], tail).with("standard_error", original.tail_standard_error(&synthetic))
                }
                _ => finding(&CARDS[2], tail),
            };
            findings.extend([finding(&CARDS[0], z), finding(&CARDS[1], total), of_tail]);
        }
        let whole: [&str; 0] = [];
        findings.extend(worst.map(|(name, z)| CARDS[3].finding(&whole, z).with("variable", name)));
        match weighted::designs(comparison)? {
            None => {}
            Some(Ok(designs)) => {
                findings.extend(weighted::of_variables(
                    comparison,
                    &designs,
                    [&CARDS[4], &CARDS[5], &CARDS[6]],
                ));
            }
            Some(Err(because)) => findings.push(CARDS[4].undefined(&whole, because)),
        }
        Ok(findings)
    }
}

/// What is known of sorted values.
struct Sample {
    size: f64,
    least: f64,
    mean: f64,
    deviation: f64,
    median: f64,
    tail: f64,
    /// What the variance of `tail` is about, times the number of values.
    tail_variance: f64,
}

impl Sample {
    fn of(sorted: &[f64]) -> Option<Self> {
        let size = sorted.len() as f64;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let average = mean(sorted);
        let squares = sorted.iter().map(|value| (value - average).powi(2)).sum::<f64>();
        let in_tail = ((size * TAIL).round() as usize).max(FEWEST).min(sorted.len());
        let largest = &sorted[sorted.len() - in_tail..];
        let (tail, share) = (mean(largest), in_tail as f64 / size);
        let spread = largest.iter().map(|value| (value - tail).powi(2)).sum::<f64>() / in_tail as f64;
        let beyond = tail - largest.first()?;
        Some(Self {
            size,
            least: *sorted.first()?,
            mean: average,
            deviation: (squares / (size - 1.0).max(1.0)).sqrt(),
            median: table::grouping::quantile_at(sorted, 0.5),
            tail,
            tail_variance: (spread + (1.0 - share) * beyond.powi(2)) / share,
        })
    }

    fn mean_z(&self, synthetic: &Self) -> Option<f64> {
        let difference = (synthetic.mean - self.mean).abs();
        if difference == 0.0 {
            return Some(0.0);
        }
        (self.deviation > 0.0).then(|| difference / (self.deviation / synthetic.size.sqrt()))
    }

    fn total_error(&self, synthetic: &Self) -> Option<f64> {
        let adds_up = self.least >= 0.0 && synthetic.least >= 0.0 && self.mean > 0.0;
        adds_up.then(|| 100.0 * (synthetic.mean / self.mean - 1.0).abs())
    }

    fn tail_error(&self, synthetic: &Self) -> Option<f64> {
        let reach = self.tail - self.median;
        (reach > 0.0).then(|| 100.0 * ((synthetic.tail - self.median) / reach - 1.0).abs())
    }

    /// What the tails of two samples of these sizes differ by, in per cent of the original's reach.
    fn tail_standard_error(&self, synthetic: &Self) -> f64 {
        let variance = self.tail_variance * (1.0 / self.size + 1.0 / synthetic.size);
        100.0 * variance.sqrt() / (self.tail - self.median)
    }
}

#[cfg(test)]
mod tests {
    use table::Table;
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    fn table(values: &[f64]) -> Table {
        let rows: String = values.iter().map(|value| format!("{value}\n")).collect();
        read_csv_text(&format!("x\n{rows}"), &ReadOptions::default()).unwrap()
    }

    fn found(original: &[f64], synthetic: &[f64], name: &str) -> Option<f64> {
        let (original, synthetic) = (table(original), table(synthetic));
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let findings = Amounts.evaluate(&comparison, &Settings::default()).unwrap();
        findings.iter().find(|finding| finding.measure == name).and_then(|finding| finding.value)
    }

    #[test]
    fn means_totals_and_tails_are_as_defined() {
        let original: Vec<f64> = (0..500).map(|row| f64::from(row % 100)).collect();
        let mut synthetic = original.clone();
        assert_eq!(found(&original, &synthetic, names::MEAN_Z), Some(0.0));
        // One value in a hundred, 99, becomes 999: 900 more in every 100 records, on a mean of 49.5.
        synthetic.iter_mut().filter(|value| **value == 99.0).for_each(|value| *value = 999.0);
        let deviation = (833.25_f64 * 500.0 / 499.0).sqrt();
        let z = found(&original, &synthetic, names::MEAN_Z).unwrap();
        assert!((z - 9.0 / (deviation / 500_f64.sqrt())).abs() < 1e-9, "{z}");
        let total = found(&original, &synthetic, names::TOTAL_ERROR).unwrap();
        assert!((total - 100.0 * 9.0 / 49.5).abs() < 1e-9, "{total}");
        let tail = found(&original, &synthetic, names::TAIL_ERROR).unwrap();
        assert!((tail - 100.0 * (949.5 / 49.5 - 1.0)).abs() < 1e-9, "{tail}");
        assert_eq!(found(&original, &synthetic, names::WORST_MEAN_Z), Some(z));
    }

    /// Of 400 pairs of samples of one skewed distribution the error is within two standard errors in about 95 %: with heavy tails in somewhat fewer,
    /// because the largest values of a sample say little of the next. The share is 0.9 at least with a probability of error below 0.001.
    #[test]
    fn the_standard_error_of_a_tail_is_that_of_two_samples() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand_chacha::ChaCha12Rng::seed_from_u64(20);
        let mut within = 0;
        for _ in 0..400 {
            let mut sample = || {
                let mut values: Vec<f64> = (0..2_000).map(|_| -(1.0 - rng.random::<f64>()).ln()).collect();
                values.sort_by(f64::total_cmp);
                Sample::of(&values).unwrap()
            };
            let (one, other) = (sample(), sample());
            within += usize::from(one.tail_error(&other).unwrap() <= 2.0 * one.tail_standard_error(&other));
        }
        assert!((364..=396).contains(&within), "{within} of 400");
    }

    #[test]
    fn what_does_not_exist_has_a_reason() {
        let signed: Vec<f64> = (-50..50).map(f64::from).collect();
        assert_eq!(found(&signed, &signed, names::TOTAL_ERROR), None);
        assert_eq!(found(&[2.0; 40], &[3.0; 40], names::MEAN_Z), None);
    }
}
