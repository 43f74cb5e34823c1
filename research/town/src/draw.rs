//! Draws that give the same value on every machine: integers, and sums, products and quotients of doubles.
//! The exponential of the platform's mathematical library may differ in its last bit, so we bring our own.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The one stream of a town: ChaCha8 with the seed as the first eight bytes of the key.
pub(crate) fn stream(seed: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

/// An integer uniform on 0 … `n` − 1, but for a bias below `n` / 2⁶⁴.
pub(crate) fn below(rng: &mut ChaCha8Rng, n: u32) -> u32 {
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u32
}

/// True with probability `thousandths` / 1000.
pub(crate) fn happens(rng: &mut ChaCha8Rng, thousandths: u32) -> bool {
    below(rng, 1000) < thousandths
}

/// The position k, with probability wₖ / Σ w. The weights must not all be zero.
pub(crate) fn position(rng: &mut ChaCha8Rng, weights: &[u32]) -> usize {
    let draw = below(rng, weights.iter().sum());
    let mut reached = 0;
    let passed = |weight: &&u32| {
        reached += **weight;
        reached <= draw
    };
    weights.iter().take_while(passed).count()
}

/// Almost a standard normal: the sum of twelve uniforms less 6 (Irwin–Hall).
///
/// Mean exactly 0, variance exactly 1, excess kurtosis −0.1, and never beyond ±6.
pub(crate) fn bell(rng: &mut ChaCha8Rng) -> f64 {
    let sum: u64 = (0..12).map(|_| u64::from(rng.next_u32())).sum();
    (sum + 6) as f64 / 4_294_967_296.0 - 6.0 // half a step for each uniform, so that the mean is 0
}

/// eˣ = (1 + y + y²/2 + y³/6 + y⁴/24)¹⁰²⁴ with y = x / 1024; relative error below 10⁻⁸ for |x| ≤ 12.
pub(crate) fn exp(x: f64) -> f64 {
    let y = x / 1024.0;
    let root = 1.0 + y * (1.0 + y / 2.0 * (1.0 + y / 3.0 * (1.0 + y / 4.0)));
    (0..10).fold(root, |power, _| power * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_the_exponential() {
        for x in -120..=120 {
            let x = f64::from(x) / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-8, "{x}");
        }
    }

    /// 100,000 draws; mean and variance within 4 standard errors (error rate 6·10⁻⁵ each).
    #[test]
    fn bell_has_mean_0_and_variance_1() {
        let mut rng = stream(1);
        let draws: Vec<f64> = (0..100_000).map(|_| bell(&mut rng)).collect();
        let moment = |k| draws.iter().map(|z| z.powi(k)).sum::<f64>() / 1e5;
        assert!(moment(1).abs() < 4.0 / 1e5_f64.sqrt());
        assert!((moment(2) - 1.0).abs() < 4.0 * (1.9 / 1e5_f64).sqrt()); // Var z² = kurtosis − 1 = 1.9
    }

    #[test]
    fn a_weight_of_zero_is_never_drawn() {
        let mut rng = stream(1);
        let mut seen = [0; 4];
        (0..1000).for_each(|_| seen[position(&mut rng, &[0, 3, 0, 1])] += 1);
        assert!(seen[0] == 0 && seen[2] == 0 && seen[1] > seen[3] && seen[3] > 0, "{seen:?}");
    }
}
