//! Counts of single variables behind their noise.
//!
//! The prior mean of a level is the same for all, and for ordered levels also the mean of the neighbours within 2, 5 and 12 levels, the level itself left out, and smooth curves ([`smooth`]) at a charge of
//! what they take from the counts; prior and shape are averaged by their evidence. The estimates are rescaled to the number of records.

use super::grouping::Levels;
use super::posterior::{Noise, Shrunk, log_sum, shapes_of_one_ways, shrink};
use super::smooth;

/// How far neighbours reach.
const REACHES: [usize; 3] = [2, 5, 12];
/// A mean of neighbours is taken for no less than this share of its standard error: more would put records where there are none.
const LEAST_ERROR: f64 = 0.3;

/// The number of records: the sums of the noisy tables by inverse variance, with what is planned for as a weak prior.
pub(super) fn records(sums: &[(f64, f64)], planned: u64) -> f64 {
    let planned = planned as f64;
    let prior = (planned / 2.0).powi(-2);
    let (weighted, precision) =
        sums.iter().fold((planned * prior, prior), |(weighted, precision), (sum, variance)| {
            (weighted + sum / variance, precision + variance.recip())
        });
    (weighted / precision).max(planned / 100.0)
}

/// The expected counts of a variable, all above zero, which sum to `records`.
pub(super) fn estimated(levels: &Levels, seen: &[f64], noise: &Noise, records: f64) -> Vec<f64> {
    let even = records / levels.size as f64;
    let mut priors = vec![(vec![even; levels.size], 0.0)];
    if levels.ordered > 3 {
        let reaches = REACHES.into_iter().filter(|reach| 2 * reach < levels.ordered.max(5));
        priors.extend(reaches.map(|reach| (neighbours(levels, seen, even, noise.sd(), reach), 0.0)));
        let curves = smooth::curves(&seen[..levels.ordered], noise.sd());
        priors.extend(curves.into_iter().map(|(mut curve, charge)| {
            curve.resize(levels.size, even);
            (curve, charge)
        }));
    }
    let shrunk: Vec<(Shrunk, f64)> = priors
        .iter()
        .map(|(prior, charge)| (shrink(seen, prior, shapes_of_one_ways(), noise), *charge))
        .collect();
    let all = log_sum(shrunk.iter().map(|(one, charge)| one.log_evidence - charge));
    let mut estimates = vec![0.0; levels.size];
    for (one, charge) in &shrunk {
        let weight = (one.log_evidence - charge - all).exp();
        estimates.iter_mut().zip(&one.roots).for_each(|(estimate, root)| *estimate += weight * root);
    }
    let least = 1e-9 * records / levels.size as f64;
    estimates.iter_mut().for_each(|root| *root = (*root * *root).max(least));
    let sum: f64 = estimates.iter().sum();
    estimates.iter_mut().for_each(|estimate| *estimate *= records / sum);
    estimates
}

fn neighbours(levels: &Levels, seen: &[f64], even: f64, sd: f64, reach: usize) -> Vec<f64> {
    let mean = |level: usize| {
        if level >= levels.ordered {
            return even;
        }
        let near = level.saturating_sub(reach)..(level + reach + 1).min(levels.ordered);
        let others = near.filter(|other| *other != level);
        let (sum, count) = others.fold((0.0, 0.0), |(sum, count), other| (sum + seen[other], count + 1.0));
        (sum / count).max(LEAST_ERROR * sd / count.sqrt()).max(1e-3 * even)
    };
    (0..levels.size).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_records_is_that_of_the_data_where_they_are_clear() {
        let clear = records(&[(1_010.0, 100.0), (990.0, 100.0)], 1_050);
        assert!((clear - 1_000.0).abs() < 0.1, "{clear}");
        assert!((records(&[(-1e9, 1e12)], 1_000) - 750.0).abs() < 1.0);
        assert!(records(&[(-1e9, 1e8)], 1_000) >= 10.0);
    }

    #[test]
    fn a_smooth_variable_borrows_from_its_neighbours() {
        let levels = Levels { size: 60, ordered: 60, parents: None };
        let truth: Vec<f64> =
            (0..60).map(|level| 2_000.0 * (-((f64::from(level) - 30.0) / 12.0).powi(2)).exp()).collect();
        // Noise of both signs, as large as most counts.
        let seen: Vec<f64> = truth
            .iter()
            .enumerate()
            .map(|(at, count)| count + [300.0, -420.0, 150.0, -90.0, 60.0][at % 5])
            .collect();
        let records: f64 = truth.iter().sum();
        let error = |levels: &Levels| -> f64 {
            let found = estimated(levels, &seen, &Noise::normal(270.0), records);
            assert!((found.iter().sum::<f64>() - records).abs() < 1e-6 * records);
            found.iter().zip(&truth).map(|(found, truth)| (found - truth).abs()).sum()
        };
        let (ordered, not) = (error(&levels), error(&Levels { ordered: 0, ..levels.clone() }));
        assert!(ordered < 0.7 * not, "{ordered} and {not}");
    }
}
