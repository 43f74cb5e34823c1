//! The discrete Laplace distribution (two-sided geometric).

use num_bigint::BigUint;
use rand::CryptoRng;

use super::bernoulli::{bernoulli_exp_minus, exp_minus_fraction, geometric_by_e};
use super::enclosure::any_exceeds;
use super::greatest_common_divisor;
use super::uniform::{uniform_below_u64, uniform_below_u128};
use crate::ledger::DeltaCost;
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

    /// The smallest level j with P(Z > j) ≤ δ, by rigorous bounds: what noise exceeds with probability δ at most.
    ///
    /// In a histogram whose empty cells are left out, a cell of one record that is released only if its noisy count is at least j + 2 gives
    /// itself away with probability P(1 + Z ≥ j + 2) ≤ δ (Korolova et al. 2009; Bun, Nissim & Stemmer 2016).
    pub fn level_exceeded_with(&self, delta: DeltaCost) -> Result<u64, PrivacyError> {
        let (one, numerator, denominator) =
            (BigUint::from(1_u32), self.numerator.into(), self.denominator.into());
        // δ at 64 bits is a whole number, so a bound at 64 bits, rounded up, is compared exactly.
        let rare = |level: u64| {
            *any_exceeds(&one, &numerator, &denominator, level, 64).upper() <= BigUint::from(delta.units())
        };
        let (mut common, mut enough) = (0, 1 << 62);
        if !rare(enough) {
            return Err(PrivacyError::Scale);
        }
        if rare(0) {
            return Ok(0);
        }
        while enough - common > 1 {
            let middle = common + (enough - common) / 2;
            if rare(middle) {
                enough = middle;
            } else {
                common = middle;
            }
        }
        Ok(enough)
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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::NoiseSource;
    use crate::chi_square::chi_square_p_value;
    use crate::draws::{count_draws, shares};

    /// Ten million draws each, every integer out to ±8 scales a cell of its own; error rate 1e-6 each.
    #[rstest]
    #[case(1, 10)]
    #[case(1, 3)]
    #[case(1, 1)]
    #[case(10, 1)]
    #[case(100, 1)]
    #[case(1_000, 1)]
    #[case(10_000, 1)]
    fn draws_have_their_probabilities(#[case] numerator: u128, #[case] denominator: u128) {
        let law = DiscreteLaplace::with_scale(numerator, denominator).unwrap();
        let reach = (8.0 * law.scale()).ceil() as i64 + 2;
        let counts = count_draws(10_000_000, reach, 11, |rng| law.sample(rng));
        let p_value = chi_square_p_value(&counts, &shares(reach, |z| law.probability(z)));
        assert!(p_value > 1e-6, "{p_value}");
    }

    #[test]
    fn noise_of_scale_one_hundredth_is_zero() {
        let law = DiscreteLaplace::with_scale(1, 100).unwrap();
        let mut noise = NoiseSource::insecure_test_seed(12);
        assert!((0..10_000_000).all(|_| law.sample(noise.rng()) == 0));
        assert!(law.probability(1) < 1e-43);
    }

    /// The test above must see what it is there to see: the same draws against laws that are a little wrong.
    #[test]
    fn the_chi_square_test_catches_wrong_laws() {
        let law = DiscreteLaplace::with_scale(10, 1).unwrap();
        let counts = count_draws(5_000_000, 100, 13, |rng| law.sample(rng));
        let p_value = |share: &dyn Fn(i64) -> f64| chi_square_p_value(&counts, &shares(100, share));
        assert!(p_value(&|z| law.probability(z)) > 1e-6);
        // Zero counted twice, once with each sign.
        let q = (-0.1_f64).exp();
        let two_zeros = |z: i64| (1.0 - q) / 2.0 * q.powi(z.abs() as i32) * if z == 0 { 2.0 } else { 1.0 };
        assert!(p_value(&two_zeros) < 1e-12);
        // A continuous Laplace rounded to integers.
        let below = |x: f64| if x < 0.0 { 0.5 * (x / 10.0).exp() } else { 1.0 - 0.5 * (-x / 10.0).exp() };
        let rounded = |z: i64| below(z as f64 + 0.5) - below(z as f64 - 0.5);
        assert!(p_value(&rounded) < 1e-6);
        // Two per cent more noise.
        let wider = DiscreteLaplace::with_scale(102, 10).unwrap();
        assert!(p_value(&|z| wider.probability(z)) < 1e-12);
    }

    /// Ratios that need 128 bits, and products that need more; error rate 1e-6 each.
    #[rstest]
    #[case((3 << 80) + 1, 1 << 80, 3.0)]
    #[case(u128::MAX, (1 << 126) + 1, 4.0)]
    fn wide_ratios_are_exact_too(#[case] numerator: u128, #[case] denominator: u128, #[case] scale: f64) {
        let law = DiscreteLaplace::with_scale(numerator, denominator).unwrap();
        assert!((law.scale() - scale).abs() < 1e-12);
        let counts = count_draws(300_000, 60, 14, |rng| law.sample(rng));
        assert!(chi_square_p_value(&counts, &shares(60, |z| law.probability(z))) > 1e-6);
    }

    #[test]
    fn moments_and_sums_are_those_of_the_law() {
        let law = DiscreteLaplace::with_scale(7, 2).unwrap();
        let cells = || -300..=300_i64;
        assert!((cells().map(|z| law.probability(z)).sum::<f64>() - 1.0).abs() < 1e-14);
        let variance: f64 = cells().map(|z| law.probability(z) * (z * z) as f64).sum();
        assert!((variance - law.variance()).abs() < 1e-10);
        let mut sum = 0.0;
        for z in cells() {
            sum += law.probability(z);
            assert!((law.cumulative(z) - sum).abs() < 1e-13, "{z}");
        }
        let mut noise = NoiseSource::insecure_test_seed(15);
        let draws: Vec<f64> = (0..1_000_000).map(|_| law.sample(noise.rng()) as f64).collect();
        let mean = draws.iter().sum::<f64>() / 1e6;
        let square = draws.iter().map(|draw| draw * draw).sum::<f64>() / 1e6;
        // Five standard errors; the kurtosis of a Laplace is about 6.
        assert!(mean.abs() < 5.0 * (variance / 1e6).sqrt());
        assert!((square / variance - 1.0).abs() < 5.0 * (5.2_f64 / 1e6).sqrt());
    }

    #[test]
    fn noise_is_drawn_with_exactly_what_is_paid() {
        let paid = Cost::rounded_down(0.3).unwrap();
        let (numerator, denominator) = DiscreteLaplace::for_cost(paid, 6).unwrap().rate();
        // rate = ε/Δ as exact ratios
        assert_eq!(numerator * 6 * (1 << 40), u128::from(paid.units()) * denominator);
        assert!(matches!(DiscreteLaplace::for_cost(Cost::ZERO, 1), Err(PrivacyError::FreeLook)));
        assert!(matches!(DiscreteLaplace::for_cost(paid, 0), Err(PrivacyError::Sensitivity)));
        assert!(matches!(DiscreteLaplace::with_scale(1, 0), Err(PrivacyError::Scale)));
    }

    #[test]
    fn the_level_of_a_threshold_is_the_smallest() {
        for (scale, delta) in [(1, 1e-6), (10, 1e-9), (1_000, 1e-3), (1, 0.4)] {
            let law = DiscreteLaplace::with_scale(scale, 1).unwrap();
            let delta = crate::Delta::new(delta).unwrap();
            let level = law.level_exceeded_with(DeltaCost::rounded_down(delta)).unwrap() as i64;
            let above = |level: i64| law.cumulative(-level - 1);
            assert!(above(level) <= delta.value(), "{scale}");
            assert!(level == 0 || above(level - 1) > delta.value(), "{scale}");
        }
        let law = DiscreteLaplace::with_scale(1 << 70, 1).unwrap();
        assert!(law.level_exceeded_with(DeltaCost::from_units(1)).is_err());
    }

    #[test]
    fn the_smallest_and_largest_costs_can_be_drawn() {
        let mut noise = NoiseSource::insecure_test_seed(16);
        for units in [1, u64::MAX] {
            for sensitivity in [1, u64::MAX] {
                let law = DiscreteLaplace::for_cost(Cost::from_units(units), sensitivity).unwrap();
                for _ in 0..100 {
                    law.sample(noise.rng());
                }
            }
        }
        let enormous = DiscreteLaplace::with_scale(u128::MAX, 1).unwrap();
        for _ in 0..100 {
            let noisy = enormous.add_to(5, noise.rng());
            assert!(noisy == i64::MAX || noisy == i64::MIN, "held at the ends");
        }
    }
}
