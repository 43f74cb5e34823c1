//! Draws counted by value, for the tests.

use crate::{NoiseSource, NoiseStream};

/// Counts of draws from −reach to reach; what lies beyond is counted at the ends.
pub(crate) fn count_draws(
    draws: u64,
    reach: i64,
    seed: u64,
    mut draw: impl FnMut(&mut NoiseStream) -> i64,
) -> Vec<u64> {
    let mut noise = NoiseSource::insecure_test_seed(seed);
    let mut counts = vec![0; 2 * reach as usize + 1];
    for _ in 0..draws {
        let value = draw(noise.rng()).clamp(-reach, reach);
        counts[(value + reach) as usize] += 1;
    }
    counts
}

/// Probabilities from −reach to reach; what lies beyond is shared by the ends.
pub fn shares(reach: i64, probability: impl Fn(i64) -> f64) -> Vec<f64> {
    let mut shares: Vec<f64> = (-reach..=reach).map(probability).collect();
    let beyond = (1.0 - shares.iter().sum::<f64>()).max(0.0) / 2.0;
    let last = shares.len() - 1;
    shares[0] += beyond;
    shares[last] += beyond;
    shares
}
