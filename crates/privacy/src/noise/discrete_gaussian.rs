//! The discrete Gaussian distribution.

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
    pub fn with_variance_parameter(numerator: u128, denominator: u128) -> Result<Self, PrivacyError> {
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

    /// P(Z = z), for tests and reports: the density over its sum, which is summed out to 12σ.
    pub fn probability(&self, z: i64) -> f64 {
        let density = |z: f64| (-0.5 * (z / self.sigma()).powi(2)).exp();
        density(z as f64) / (1.0 + 2.0 * self.positive_half(density))
    }

    /// The variance, somewhat below σ².
    pub fn variance(&self) -> f64 {
        let density = |z: f64| (-0.5 * (z / self.sigma()).powi(2)).exp();
        let squares = self.positive_half(|z| z * z * density(z));
        2.0 * squares / (1.0 + 2.0 * self.positive_half(density))
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

    fn positive_half(&self, term: impl Fn(f64) -> f64) -> f64 {
        let reach = (12.0 * self.sigma()).ceil().max(12.0) as u64;
        (1..=reach).rev().map(|z| term(z as f64)).sum()
    }
}
