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
    if levels.is_number {
        let support = support(&seen[..levels.ordered], noise.sd());
        let outside = (0..levels.ordered).filter(|level| !support.contains(level));
        outside.for_each(|level| estimates[level] = least);
    }
    let sum: f64 = estimates.iter().sum();
    estimates.iter_mut().for_each(|estimate| *estimate *= records / sum);
    estimates
}

/// The classes of a number from the first to the last where counts are clear of noise, and as far again beyond as it took to tell.
///
/// Behind noise every empty class of a wide range is expected to hold a little; together these are some per cent of the records, far out, and the variance of the number many times too large. Sums over 1, 2, 4, … classes
/// are held against √(2 ln m) standard deviations, m the number of such sums, which noise alone hardly ever exceeds (Donoho & Johnstone 1994). All classes where none is clear.
fn support(seen: &[f64], sd: f64) -> std::ops::Range<usize> {
    let count = seen.len();
    let lengths: Vec<usize> = std::iter::successors(Some(1), |length| Some(2 * length))
        .take_while(|length| *length <= count)
        .collect();
    let sums: usize = lengths.iter().map(|length| count - length + 1).sum();
    let clear = sd * (2.0 * (sums.max(2) as f64).ln()).sqrt();
    let is_clear = |first: usize, length: usize| {
        seen[first..first + length].iter().sum::<f64>() > clear * (length as f64).sqrt()
    };
    // From the first to the last, and what it took to tell on either side.
    let mut found: Option<([usize; 2], [usize; 2])> = None;
    for length in lengths {
        let starts = || (0..=count - length).filter(|first| is_clear(*first, length));
        match &mut found {
            None => {
                found = starts()
                    .next()
                    .zip(starts().next_back())
                    .map(|(first, last)| ([first, last + length], [length; 2]));
            }
            // A longer sum tells something where it lies outside of what shorter ones told.
            Some(([from, to], reaches)) => {
                if let Some(first) = starts().find(|first| first + length <= *from) {
                    (*from, reaches[0]) = (first, length);
                }
                if let Some(last) = starts().rev().find(|first| first >= to) {
                    (*to, reaches[1]) = (last + length, length);
                }
            }
        }
    }
    found.map_or(0..count, |([from, to], reaches)| {
        from.saturating_sub(reaches[0])..(to + reaches[1]).min(count)
    })
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

    /// A number of 20 classes in a range of 100, the noise of sums as it may be: nothing far out, nothing of it cut off, and no order told where nothing is clear.
    #[test]
    fn far_classes_of_a_number_stay_empty() {
        let levels = Levels { size: 100, ordered: 100, is_number: true, parents: None };
        let truth = |level: usize| 400.0 * (-((level as f64 - 40.0) / 5.0).powi(2)).exp();
        let noise = |level: usize| 30.0 * ((level * 7 + 3) as f64 * 2.399).sin() * 2_f64.sqrt();
        let seen: Vec<f64> = (0..100).map(|level| truth(level) + noise(level)).collect();
        let records: f64 = (0..100).map(truth).sum();
        let spread = |levels: &Levels| {
            let found = estimated(levels, &seen, &Noise::normal(30.0), records);
            found
                .iter()
                .enumerate()
                .map(|(level, count)| count / records * (level as f64 - 40.0).powi(2))
                .sum::<f64>()
        };
        let (number, codes) = (spread(&levels), spread(&Levels { is_number: false, ..levels.clone() }));
        assert!((number / 12.5 - 1.0).abs() < 0.25, "{number}, with codes {codes}");
        assert!(number < codes, "{number} and {codes}");
        let of = support(&seen, 30.0);
        assert!(of.contains(&33) && of.contains(&47) && of.len() < 40, "{of:?}");
        assert_eq!(support(&[5.0, -9.0, 20.0], 30.0), 0..3);
    }

    #[test]
    fn a_smooth_variable_borrows_from_its_neighbours() {
        let levels = Levels { size: 60, ordered: 60, is_number: false, parents: None };
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
