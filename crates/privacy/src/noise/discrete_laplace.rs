//! The discrete Laplace distribution (two-sided geometric).

use num_bigint::BigUint;
use rand::CryptoRng;

use super::bernoulli::{bernoulli_exp_minus, exp_minus_fraction, geometric_by_e};
use super::greatest_common_divisor;
use super::uniform::{uniform_below_u64, uniform_below_u128};
use crate::{Cost, PrivacyError};

/// Integers with P(z) = (1 − e^−r)/(1 + e^−r) · e^(−r·|z|), for a rational rate r; 1/r is the scale.
///
/// **Privacy.** Added to integers of L1 sensitivity Δ with r = ε/Δ it gives ε-differential privacy: the ratio of P(z) and P(z + d) is at
/// most e^(r·|d|) (Ghosh, Roughgarden & Sundararajan 2012). [`DiscreteLaplace::for_cost`] takes ε as the exact integer that is paid.
///
/// **Exactness.** Algorithm 2 of Canonne, Kamath & Steinke (2020): with r = s/t, draw U uniform below t until a coin of exp(−U/t) falls true, and V
/// with P(V ≥ k) = e^−k; then X = U + t·V is geometric with ratio e^(−1/t), and Y = ⌊X/s⌋ geometric with ratio e^−r. A fair sign is given to Y, and
/// the draw starts anew on a negative zero, which would count zero twice.
///
/// **Boundary.** If s and t (in lowest terms) are below 2⁶⁴, then U < 2⁶⁴ and t·V < 2⁶⁴·2⁶³, so X < 2¹²⁸: a 64-bit uniform, no product in a coin beyond
/// 64 bits, and a 128-bit X are exact. (V is a count of steps: reaching 2⁶³ of them would take centuries.) Wider ratios draw a 128-bit U,
/// and if X does not fit 128 bits it is a big integer.
///
/// ```
/// use privacy::{Cost, NoiseSource, noise::DiscreteLaplace};
/// let mut noise = NoiseSource::insecure_test_seed(1);
/// let epsilon = Cost::rounded_down(0.5)?;
/// let law = DiscreteLaplace::for_cost(epsilon, 1)?;
/// assert_eq!(law.scale(), 2.0);
/// let noisy = law.add_to(120, noise.rng());
/// # let _ = noisy;
/// # Ok::<(), privacy::PrivacyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscreteLaplace {
    /// s of the rate s/t.
    numerator: u128,
    /// t of the rate s/t.
    denominator: u128,
}

impl DiscreteLaplace {
    /// The law with scale `numerator / denominator`, both above zero.
    pub fn with_scale(numerator: u128, denominator: u128) -> Result<Self, PrivacyError> {
        if numerator == 0 || denominator == 0 {
            return Err(PrivacyError::Scale);
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        Ok(Self { numerator: denominator / divisor, denominator: numerator / divisor })
    }

    /// The law that costs exactly this ε at this L1 sensitivity: rate = ε/Δ.
    pub fn for_cost(epsilon: Cost, sensitivity: u64) -> Result<Self, PrivacyError> {
        if epsilon.is_zero() {
            return Err(PrivacyError::FreeLook);
        }
        if sensitivity == 0 {
            return Err(PrivacyError::Sensitivity);
        }
        let scale = u128::from(sensitivity) * u128::from(Cost::UNITS_IN_ONE);
        Self::with_scale(scale, u128::from(epsilon.units()))
    }

    /// The rate r as a ratio in lowest terms.
    pub fn rate(&self) -> (u128, u128) {
        (self.numerator, self.denominator)
    }

    /// 1/r, to the nearest number.
    pub fn scale(&self) -> f64 {
        self.denominator as f64 / self.numerator as f64
    }

    /// A draw. Beyond ±i64::MAX it stays there; [`DiscreteLaplace::add_to`] keeps the privacy argument exact even then.
    #[inline]
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> i64 {
        let (negative, magnitude) = self.signed(rng);
        let magnitude = i64::try_from(magnitude).unwrap_or(i64::MAX);
        if negative { -magnitude } else { magnitude }
    }

    /// A count plus a draw, held within the 64-bit integers, which is post-processing of the exact sum.
    #[inline]
    pub fn add_to<R: CryptoRng + ?Sized>(&self, count: i64, rng: &mut R) -> i64 {
        let (negative, magnitude) = self.signed(rng);
        let magnitude = i128::try_from(magnitude).unwrap_or(i128::MAX);
        let noise = if negative { -magnitude } else { magnitude };
        let sum = i128::from(count).saturating_add(noise);
        sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// P(Z = z), for tests and reports.
    pub fn probability(&self, z: i64) -> f64 {
        let rate = 1.0 / self.scale();
        (rate / 2.0).tanh() * (-rate * z.unsigned_abs() as f64).exp()
    }

    /// P(Z ≤ z), for tests and reports.
    pub fn cumulative(&self, z: i64) -> f64 {
        let rate = 1.0 / self.scale();
        // P(Z > j) = e^(−r(j+1)) / (1 + e^−r) for j ≥ 0
        let above = |j: f64| (-rate * (j + 1.0)).exp() / (1.0 + (-rate).exp());
        if z >= 0 { 1.0 - above(z as f64) } else { above(-(z as f64) - 1.0) }
    }

    /// Var Z = 2e^−r / (1 − e^−r)².
    pub fn variance(&self) -> f64 {
        let rate = 1.0 / self.scale();
        0.5 / (rate / 2.0).sinh().powi(2)
    }

    /// Sign and magnitude; zero is never negative.
    #[inline]
    pub(super) fn signed<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> (bool, u128) {
        loop {
            let magnitude = match (u64::try_from(self.numerator), u64::try_from(self.denominator)) {
                (Ok(numerator), Ok(denominator)) => geometric(rng, numerator, denominator),
                _ => geometric_wide(rng, self.numerator, self.denominator),
            };
            let negative = rng.next_u32() & 1 == 1;
            if !(negative && magnitude == 0) {
                return (negative, magnitude);
            }
        }
    }
}

/// Y with P(Y ≥ k) = exp(−k·numerator/denominator).
#[inline]
fn geometric<R: CryptoRng + ?Sized>(rng: &mut R, numerator: u64, denominator: u64) -> u128 {
    let within = loop {
        let uniform = uniform_below_u64(rng, denominator);
        if exp_minus_fraction(rng, uniform, denominator) {
            break uniform;
        }
    };
    let x = u128::from(within) + u128::from(denominator) * u128::from(geometric_by_e(rng));
    match u64::try_from(x) {
        Ok(x) => u128::from(x / numerator),
        Err(_) => x / u128::from(numerator),
    }
}

#[cold]
fn geometric_wide<R: CryptoRng + ?Sized>(rng: &mut R, numerator: u128, denominator: u128) -> u128 {
    let within = loop {
        let uniform = uniform_below_u128(rng, denominator);
        if bernoulli_exp_minus(rng, uniform, denominator) {
            break uniform;
        }
    };
    let steps = u128::from(geometric_by_e(rng));
    match denominator.checked_mul(steps).and_then(|whole| whole.checked_add(within)) {
        Some(x) => x / numerator,
        None => {
            let x = BigUint::from(denominator) * steps + within;
            // Beyond 128 bits every user of the draw holds it at a far smaller bound.
            u128::try_from(x / numerator).unwrap_or(u128::MAX)
        }
    }
}
