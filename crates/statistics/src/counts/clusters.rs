//! Counts as clusters: the exact way to a zero-truncated draw that costs no more when zero is nearly certain.
//!
//! Every family here is a compound Poisson law: clusters arrive at rate −ln P(0), and the count is the sum of their sizes
//! (Feller 1968, XII.2). "Not zero" then means "at least one cluster", and a zero-truncated Poisson number of clusters can
//! be drawn directly. A Poisson count has clusters of size 1, a negative binomial one logarithmic clusters (Quenouille
//! 1949), a Poisson-inverse Gaussian one clusters with P(j) ∝ Γ(j − ½) qʲ / j!.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, Exp1};

use super::mixing::poisson;

/// A Poisson count given that it is not zero.
///
/// The first arrival of a Poisson process, given that it comes before `mean`, is a truncated exponential time; what
/// arrives in the time that is left is a plain Poisson count.
pub(super) fn positive_poisson<R: Rng + ?Sized>(mean: f64, rng: &mut R) -> f64 {
    let uniform: f64 = rng.random();
    let first_arrival = -(uniform * (-mean).exp_m1()).ln_1p();
    1.0 + poisson(mean - first_arrival, rng)
}

/// A logarithmic cluster, P(j) = qʲ / (−j ln(1 − q)) for j ≥ 1, with q = θ/(1 + θ) given by its odds θ > 0.
///
/// Kemp's (1981) LK: given G = 1 − (1 − q)^U the size is geometric, P(j > i) = Gⁱ.
pub(super) fn logarithmic<R: Rng + ?Sized>(odds: f64, rng: &mut R) -> f64 {
    let uniform: f64 = rng.random();
    // 1 − G = (1 + θ)^−U, so ln G = ln(1 − (1 + θ)^−U).
    let ln_g = ln_one_minus_exp(-uniform * odds.ln_1p());
    geometric(ln_g, rng)
}

/// A cluster with P(j) ∝ Γ(j − ½) qʲ / j! for j ≥ 1, with q = θ/(1 + θ) given by its odds θ > 0.
///
/// Without qʲ this is Sibuya's law with exponent ½, a geometric law whose chance of stopping is arcsine distributed
/// (Devroye 1993). A Sibuya draw j is kept with probability qʲ⁻¹; at least half of them are, for any q.
pub(super) fn tempered_sibuya<R: Rng + ?Sized>(odds: f64, rng: &mut R) -> f64 {
    // ln q = −ln(1 + 1/θ).
    let ln_q = -(1.0 / odds).ln_1p();
    loop {
        let angle: f64 = rng.random::<f64>() * std::f64::consts::FRAC_PI_2;
        // ln cos², written so that a small angle (a large cluster) keeps its digits.
        let ln_continue = (-angle.sin().powi(2)).ln_1p();
        let size = geometric(ln_continue, rng);
        let waiting: f64 = Exp1.sample(rng);
        if waiting >= -(size - 1.0) * ln_q {
            return size;
        }
    }
}

/// A geometric count from 1 on with P(j > i) = exp(i · ln_continue), as the integer part of an exponential time.
fn geometric<R: Rng + ?Sized>(ln_continue: f64, rng: &mut R) -> f64 {
    let time: f64 = Exp1.sample(rng);
    if ln_continue >= 0.0 {
        // Stopping has underflowed; a size beyond all bounds, which tempering refuses and a logarithmic draw never asks for.
        return f64::MAX;
    }
    1.0 + (time / -ln_continue).floor()
}

/// ln(1 − eˣ) for x ≤ 0, accurate at both ends (Mächler 2012).
fn ln_one_minus_exp(x: f64) -> f64 {
    if x > -std::f64::consts::LN_2 { (-x.exp_m1()).ln() } else { (-x.exp()).ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// Counts of 1, 2, …, 7 and "8 or more" in 100,000 draws against `probability`, by chi-square with 7 degrees of
    /// freedom: 35.3 is its 1 − 1e-5 quantile.
    fn assert_sizes(draw: impl Fn(&mut ChaCha8Rng) -> f64, probability: impl Fn(i32) -> f64, what: &str) {
        let mut rng = ChaCha8Rng::seed_from_u64(19);
        let n = 100_000;
        let mut observed = [0.0; 8];
        for _ in 0..n {
            let size = draw(&mut rng);
            assert!(size >= 1.0 && size == size.floor(), "{what}: {size}");
            observed[(size.min(8.0) as usize) - 1] += 1.0;
        }
        let mut expected = [0.0; 8];
        for (expected, j) in expected.iter_mut().zip(1..8) {
            *expected = f64::from(n) * probability(j);
        }
        expected[7] = f64::from(n) - expected.iter().sum::<f64>();
        let chi_square: f64 = observed
            .iter()
            .zip(&expected)
            .filter(|(_, e)| **e > 0.5)
            .map(|(o, e)| (o - e) * (o - e) / e)
            .sum();
        assert!(chi_square < 35.3, "{what}: chi-square {chi_square}, {observed:?} against {expected:?}");
    }

    #[test]
    fn a_positive_poisson_follows_the_truncated_probabilities() {
        for mean in [1e-9, 0.01, 0.6, 3.0_f64] {
            let mut probabilities = vec![mean / mean.exp_m1()];
            for j in 2..8 {
                probabilities.push(probabilities[j - 2] * mean / j as f64);
            }
            assert_sizes(
                |rng| positive_poisson(mean, rng),
                |j| probabilities[j as usize - 1],
                &format!("mean {mean}"),
            );
        }
    }

    #[test]
    fn logarithmic_clusters_follow_their_law() {
        for odds in [1e-9, 0.2, 5.0, 1e6_f64] {
            let q = odds / (1.0 + odds);
            assert_sizes(
                |rng| logarithmic(odds, rng),
                |j| q.powi(j) / (f64::from(j) * odds.ln_1p()),
                &format!("logarithmic, odds {odds}"),
            );
        }
    }

    #[test]
    fn tempered_sibuya_clusters_follow_their_law() {
        for odds in [1e-9, 0.2, 5.0, 1e6_f64] {
            let q: f64 = odds / (1.0 + odds);
            // 1 − √(1 − qz) over 1 − √(1 − q): the first weight is q/2, each next one (j − ½) q/(j + 1) times the last.
            let total = q / (1.0 + (1.0 - q).sqrt());
            let mut probabilities = vec![0.5 * q / total];
            for j in 1..8 {
                probabilities.push(probabilities[j - 1] * (j as f64 - 0.5) * q / (j as f64 + 1.0));
            }
            assert_sizes(
                |rng| tempered_sibuya(odds, rng),
                |j| probabilities[j as usize - 1],
                &format!("tempered Sibuya, odds {odds}"),
            );
        }
    }
}
