//! The discrete Gaussian distribution.

use std::f64::consts::TAU;

use num_bigint::{BigInt, BigUint};
use rand::CryptoRng;

use super::bernoulli::{bernoulli_exp_minus, bernoulli_exp_minus_wide};
use super::discrete_laplace::DiscreteLaplace;
use super::greatest_common_divisor;
use crate::{Cost, PrivacyError};

/// Integers with P(z) ∝ exp(−z²/(2σ²)), for a rational σ².
///
/// **Privacy.** Added to integers of L2 sensitivity Δ₂ it gives ρ-zCDP with ρ = Δ₂²/(2σ²) (Canonne, Kamath & Steinke 2020, Thm. 4; for vectors the same by independence of the cells).
/// [`DiscreteGaussian::for_cost`] takes ρ as the exact integer that is paid, so σ² = Δ₂²/(2ρ) without rounding.
///
/// **Exactness.** Algorithm 3 of the same paper: with t = ⌊σ⌋ + 1, a discrete Laplace draw Y of scale t is taken with
/// probability exp(−(|Y| − σ²/t)²/(2σ²)).
///
/// **Boundary.** With σ² = p/q the exponent is (|Y|·q·t − p)²/(2·p·q·t²). It is computed in 128 bits with checks, and on big integers where one fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscreteGaussian {
    numerator: u128,
    denominator: u128,
    /// t = ⌊σ⌋ + 1.
    step: u128,
    proposal: DiscreteLaplace,
}

impl DiscreteGaussian {
    /// The law with σ² = `numerator / denominator`, both above zero.
    pub(crate) fn with_variance_parameter(numerator: u128, denominator: u128) -> Result<Self, PrivacyError> {
        if numerator == 0 || denominator == 0 {
            return Err(PrivacyError::Scale);
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        // ⌊√(p/q)⌋ = ⌊√⌊p/q⌋⌋
        let step = (numerator / denominator).isqrt() + 1;
        Ok(Self { numerator, denominator, step, proposal: DiscreteLaplace::with_scale(step, 1)? })
    }

    /// The law that costs exactly this ρ at this squared L2 sensitivity: σ² = Δ₂²/(2ρ).
    pub fn for_cost(rho: Cost, squared_sensitivity: u64) -> Result<Self, PrivacyError> {
        if rho.is_zero() {
            return Err(PrivacyError::FreeLook);
        }
        if squared_sensitivity == 0 {
            return Err(PrivacyError::Sensitivity);
        }
        let half_of_one = u128::from(Cost::UNITS_IN_ONE / 2);
        Self::with_variance_parameter(u128::from(squared_sensitivity) * half_of_one, u128::from(rho.units()))
    }

    /// σ² as a ratio in lowest terms.
    pub fn variance_parameter(&self) -> (u128, u128) {
        (self.numerator, self.denominator)
    }

    /// σ, to the nearest number; the standard deviation is slightly smaller.
    pub fn sigma(&self) -> f64 {
        (self.numerator as f64 / self.denominator as f64).sqrt()
    }

    /// A draw. Beyond ±i64::MAX it stays there; [`DiscreteGaussian::add_to`] keeps the privacy argument exact even then.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> i64 {
        let (negative, magnitude) = self.signed(rng);
        let magnitude = i64::try_from(magnitude).unwrap_or(i64::MAX);
        if negative { -magnitude } else { magnitude }
    }

    /// A count plus a draw, held within the 64-bit integers, which is post-processing of the exact sum.
    pub fn add_to<R: CryptoRng + ?Sized>(&self, count: i64, rng: &mut R) -> i64 {
        let (negative, magnitude) = self.signed(rng);
        let magnitude = i128::try_from(magnitude).unwrap_or(i128::MAX);
        let noise = if negative { -magnitude } else { magnitude };
        i128::from(count).saturating_add(noise).clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// P(Z = z), for tests and reports.
    pub fn probability(&self, z: i64) -> f64 {
        density(z as f64, self.sigma()) / self.normaliser()
    }

    /// The variance, somewhat below σ².
    pub fn variance(&self) -> f64 {
        let sigma = self.sigma();
        if sigma > WIDE {
            return sigma * sigma;
        }
        2.0 * positive_half(|z| z * z * density(z, sigma)) / self.normaliser()
    }

    /// Σ exp(−z²/(2σ²)).
    fn normaliser(&self) -> f64 {
        let sigma = self.sigma();
        if sigma > WIDE { sigma * TAU.sqrt() } else { 1.0 + 2.0 * positive_half(|z| density(z, sigma)) }
    }

    fn signed<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> (bool, u128) {
        loop {
            let (negative, magnitude) = self.proposal.signed(rng);
            if self.taken(rng, magnitude) {
                return (negative, magnitude);
            }
        }
    }

    fn taken<R: CryptoRng + ?Sized>(&self, rng: &mut R, magnitude: u128) -> bool {
        match self.exponent(magnitude) {
            Some((numerator, denominator)) => bernoulli_exp_minus(rng, numerator, denominator),
            None => {
                let (numerator, denominator) = self.exponent_wide(magnitude);
                bernoulli_exp_minus_wide(rng, &numerator, &denominator)
            }
        }
    }

    /// (|Y|·q·t − p)² and 2·p·q·t², if they fit.
    fn exponent(&self, magnitude: u128) -> Option<(u128, u128)> {
        let step = self.denominator.checked_mul(self.step)?;
        let gap = magnitude.checked_mul(step)?.abs_diff(self.numerator);
        let denominator = step.checked_mul(self.step)?.checked_mul(self.numerator)?.checked_mul(2)?;
        Some((gap.checked_mul(gap)?, denominator))
    }

    fn exponent_wide(&self, magnitude: u128) -> (BigUint, BigUint) {
        let step = BigUint::from(self.denominator) * self.step;
        let gap = BigInt::from(&step * magnitude) - BigInt::from(self.numerator);
        (gap.magnitude() * gap.magnitude(), step * self.step * self.numerator * 2_u32)
    }
}

/// From here on sums over the integers are integrals, up to a share of 2·exp(−2π²σ²) < 10⁻⁷⁶ (Poisson summation).
const WIDE: f64 = 3.0;

fn density(z: f64, sigma: f64) -> f64 {
    (-0.5 * (z / sigma).powi(2)).exp()
}

/// The sum over 1, 2, … for terms that vanish within 12σ.
fn positive_half(term: impl Fn(f64) -> f64) -> f64 {
    (1..=(12.0 * WIDE) as u32).rev().map(|z| term(f64::from(z))).sum()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::NoiseSource;
    use crate::chi_square::chi_square_p_value;
    use crate::draws::{count_draws, shares};

    /// Three million draws each, every integer a cell of its own; error rate 1e-6 each.
    #[rstest]
    #[case(1, 10)]
    #[case(1, 1)]
    #[case(7, 3)]
    #[case(250, 1)]
    #[case(1_000_000, 1)]
    fn draws_have_their_probabilities(#[case] numerator: u128, #[case] denominator: u128) {
        let law = DiscreteGaussian::with_variance_parameter(numerator, denominator).unwrap();
        let reach = (7.0 * law.sigma()).ceil() as i64 + 2;
        let counts = count_draws(3_000_000, reach, 21, |rng| law.sample(rng));
        let p_value = chi_square_p_value(&counts, &shares(reach, |z| law.probability(z)));
        assert!(p_value > 1e-6, "{p_value}");
    }

    #[test]
    fn sums_and_integrals_agree_where_they_meet() {
        for (numerator, denominator) in [(1, 100), (1, 2), (899, 100), (901, 100)] {
            let law = DiscreteGaussian::with_variance_parameter(numerator, denominator).unwrap();
            assert!(((-60..=60).map(|z| law.probability(z)).sum::<f64>() - 1.0).abs() < 1e-14);
            let variance: f64 = (-60..=60_i64).map(|z| law.probability(z) * (z * z) as f64).sum();
            assert!((variance - law.variance()).abs() < 1e-13);
        }
    }

    #[test]
    fn wide_exponents_are_exact_too() {
        let law = DiscreteGaussian::with_variance_parameter((3 << 90) + 1, 1 << 90).unwrap();
        assert!(law.exponent(1).is_none(), "the case needs big integers");
        let counts = count_draws(100_000, 15, 22, |rng| law.sample(rng));
        assert!(chi_square_p_value(&counts, &shares(15, |z| law.probability(z))) > 1e-6);
        let narrow = DiscreteGaussian::with_variance_parameter(7, 3).unwrap();
        for magnitude in [0, 1, 5, 1_000] {
            let (numerator, denominator) = narrow.exponent(magnitude).unwrap();
            assert_eq!(narrow.exponent_wide(magnitude), (numerator.into(), denominator.into()));
        }
    }

    #[test]
    fn noise_is_drawn_with_exactly_what_is_paid() {
        let paid = Cost::rounded_down(0.02).unwrap();
        let (numerator, denominator) = DiscreteGaussian::for_cost(paid, 2).unwrap().variance_parameter();
        // σ² = Δ₂²/(2ρ): 2ρσ² = Δ₂²
        assert_eq!(2 * u128::from(paid.units()) * numerator, (2 << 40) * denominator);
        // A σ where σ² was meant, or the other way round, would give √5 or 25.
        let sigma = DiscreteGaussian::for_cost(paid, 1).unwrap().sigma();
        assert!((sigma - 5.0).abs() < 1e-9);
        assert!(matches!(DiscreteGaussian::for_cost(Cost::ZERO, 1), Err(PrivacyError::FreeLook)));
        assert!(matches!(DiscreteGaussian::for_cost(paid, 0), Err(PrivacyError::Sensitivity)));
    }

    #[test]
    fn the_smallest_and_largest_costs_can_be_drawn() {
        let mut noise = NoiseSource::insecure_test_seed(23);
        for units in [1, u64::MAX] {
            for squared_sensitivity in [1, u64::MAX] {
                let law = DiscreteGaussian::for_cost(Cost::from_units(units), squared_sensitivity).unwrap();
                for _ in 0..20 {
                    law.sample(noise.rng());
                }
            }
        }
        assert_eq!(DiscreteGaussian::for_cost(Cost::from_units(u64::MAX), 1).unwrap().sample(noise.rng()), 0);
    }
}
