//! The standard normal distribution.

use rand::RngExt;
use statrs::function::erf::{erfc, erfc_inv};

use crate::randomness::Rng;

/// Φ(z).
pub(super) fn below(z: f64) -> f64 {
    0.5 * erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// The z with Φ(z) = p; ±∞ at 0 and 1.
pub(super) fn quantile(p: f64) -> f64 {
    match p {
        p if p <= 0.0 => f64::NEG_INFINITY,
        p if p >= 1.0 => f64::INFINITY,
        p => -std::f64::consts::SQRT_2 * erfc_inv(2.0 * p),
    }
}

/// φ(z).
pub(super) fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// Beyond so many standard deviations the tail is taken for exponential.
const FAR: f64 = 5.0;

/// A normal draw with this mean and standard deviation, given that it lies between two limits.
pub(super) fn truncated(mean: f64, deviation: f64, low: f64, high: f64, rng: &mut Rng) -> f64 {
    let (from, to) = ((low - mean) / deviation, (high - mean) / deviation);
    let uniform: f64 = rng.random();
    // By symmetry the interval never lies far above the mean alone, where shares would be differences of ones.
    let (from, to, sign) = if from > 0.0 { (-to, -from, -1.0) } else { (from, to, 1.0) };
    let z = if to < -FAR {
        // The density falls as e^(to·d) with the distance d below `to`.
        let cut = if from.is_finite() { (to * (to - from)).exp() } else { 0.0 };
        to - (1.0 - uniform * (1.0 - cut)).ln() / to
    } else {
        let (least, most) = (below(from), below(to));
        quantile(least + uniform * (most - least))
    };
    (mean + deviation * sign * z.clamp(from, to)).clamp(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::Seed;

    #[test]
    fn quantiles_are_those_of_shares() {
        for z in [-6.0, -1.959_963_984_540_054, -0.3, 0.0, 1.2, 4.0] {
            assert!((quantile(below(z)) - z).abs() < 1e-9, "{z}");
        }
        assert!((below(-1.959_963_984_540_054) - 0.025).abs() < 1e-9);
        assert_eq!((quantile(0.0), quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    /// Means of 40,000 draws against φ(a) − φ(b) over Φ(b) − Φ(a), and beyond 8 standard deviations against 8 + 1/8 − 2/8³; errors of five standard errors.
    #[test]
    fn truncated_draws_have_the_truncated_mean() {
        let mut rng = Seed::new(5).stream(0);
        let mut mean = |of: (f64, f64), low: f64, high: f64| {
            let draws: Vec<f64> = (0..40_000).map(|_| truncated(of.0, of.1, low, high, &mut rng)).collect();
            assert!(draws.iter().all(|z| (low..=high).contains(z)));
            draws.iter().sum::<f64>() / 40_000.0
        };
        let exact = |a: f64, b: f64| (density(a) - density(b)) / (below(b) - below(a));
        for (low, high) in [(-0.5, 2.0), (1.0, f64::INFINITY), (f64::NEG_INFINITY, -2.0), (0.2, 0.3)] {
            assert!((mean((0.0, 1.0), low, high) - exact(low, high)).abs() < 0.02, "{low} to {high}");
        }
        assert!((mean((3.0, 2.0), 4.0, 6.0) - (3.0 + 2.0 * exact(0.5, 1.5))).abs() < 0.02);
        let far = 8.0 + 1.0 / 8.0 - 2.0 / 512.0;
        assert!((mean((0.0, 1.0), 8.0, f64::INFINITY) - far).abs() < 0.005);
        assert!((mean((0.0, 1.0), f64::NEG_INFINITY, -8.0) + far).abs() < 0.005);
    }
}
