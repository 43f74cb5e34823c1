//! Donors in groups, one of which is picked by chance.

use std::ops::Range;

use rand::RngExt;
use rand_distr::{Distribution, Exp1};

use crate::randomness::{Rng, Seed};

/// Weights of donors that lie one after the other, or none where all weigh the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DonorWeights {
    /// The sum of the weights up to and with each donor.
    cumulative: Option<Vec<f64>>,
}

impl DonorWeights {
    /// Weights of the Bayesian bootstrap: within any group of donors their shares are uniform on the simplex (Rubin 1981).
    pub(super) fn bayesian_bootstrap(donors: usize, seed: Seed) -> Self {
        let mut rng = seed.stream(0);
        let mut sum = 0.0;
        let next = |_| {
            let weight: f64 = Exp1.sample(&mut rng);
            sum += weight;
            sum
        };
        Self { cumulative: Some((0..donors).map(next).collect()) }
    }

    /// The weight of these donors together.
    pub(super) fn sum(&self, group: Range<usize>) -> f64 {
        match &self.cumulative {
            None => group.len() as f64,
            Some(cumulative) if group.start == 0 => cumulative[group.end - 1],
            Some(cumulative) => cumulative[group.end - 1] - cumulative[group.start - 1],
        }
    }

    /// One donor of a group that is not empty.
    #[inline]
    pub(super) fn pick(&self, group: Range<usize>, rng: &mut Rng) -> usize {
        let Some(cumulative) = &self.cumulative else {
            return rng.random_range(group);
        };
        let before = if group.start == 0 { 0.0 } else { cumulative[group.start - 1] };
        let target = before + rng.random::<f64>() * (cumulative[group.end - 1] - before);
        let within = cumulative[group.clone()].partition_point(|sum| *sum <= target);
        (group.start + within).min(group.end - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_pick_evenly_and_bootstrap_weights_by_their_share() {
        let seed = Seed::new(1);
        let mut rng = seed.stream(7);
        let counts = |weights: &DonorWeights, rng: &mut Rng| {
            let mut counts = [0_u32; 8];
            (0..60_000).for_each(|_| counts[weights.pick(2..5, rng)] += 1);
            counts
        };
        let even = counts(&DonorWeights::default(), &mut rng);
        // Binomial(60,000, 1/3): five standard deviations are 577.
        assert!(even[2..5].iter().all(|count| count.abs_diff(20_000) < 577), "{even:?}");
        let weights = DonorWeights::bayesian_bootstrap(8, seed);
        let drawn = counts(&weights, &mut rng);
        let cumulative = weights.cumulative.clone().unwrap();
        let total = cumulative[4] - cumulative[1];
        for donor in 2..5 {
            let share = (cumulative[donor] - cumulative[donor - 1]) / total;
            let deviation = (60_000.0 * share * (1.0 - share)).sqrt();
            assert!((f64::from(drawn[donor]) - 60_000.0 * share).abs() < 5.0 * deviation, "{drawn:?}");
        }
        assert!(
            (weights.sum(2..5) - total).abs() < 1e-12 && (weights.sum(0..2) - cumulative[1]).abs() < 1e-12
        );
        assert_eq!(DonorWeights::default().sum(2..5), 3.0);
        assert_eq!(drawn[..2].iter().chain(&drawn[5..]).sum::<u32>(), 0);
    }
}
