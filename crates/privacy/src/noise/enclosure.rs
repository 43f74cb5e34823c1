//! A probability between two bounds of any precision, with outward rounding.

use num_bigint::BigUint;

/// A number in [0, 1] known to lie within `lower / 2^bits` and `upper / 2^bits`.
///
/// Arithmetic rounds outwards, so that the truth never leaves the bounds; asked with more bits, bounds come closer.
///
/// ```
/// use privacy::noise::Enclosure;
/// let half_life = Enclosure::exp_minus(&1_u32.into(), &3_u32.into(), 100);
/// assert!((half_life.midpoint() - (-1.0_f64 / 3.0).exp()).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosure {
    lower: BigUint,
    upper: BigUint,
    bits: u32,
}

impl Enclosure {
    /// The number between `lower / 2^bits` and `upper / 2^bits`.
    ///
    /// # Panics
    /// If the bounds are the wrong way round or above one.
    pub fn new(lower: BigUint, upper: BigUint, bits: u32) -> Self {
        assert!(lower <= upper && upper <= one(bits), "bounds of a probability lie within 0 and 1, in order");
        Self { lower, upper, bits }
    }

    /// `numerator / denominator`, at most one.
    pub fn ratio(numerator: &BigUint, denominator: &BigUint, bits: u32) -> Self {
        let scaled = numerator << bits;
        Self::new(&scaled / denominator, div_ceil(&scaled, denominator), bits)
    }

    /// exp(−numerator / denominator).
    ///
    /// The argument is halved k times until it is at most ½, the alternating series 1 − x + x²/2 − … is summed up to the first term
    /// below one unit in the last place (the remainder is at most that term), and the result is squared k times. Every squaring at
    /// most doubles the relative width, which the k + 8 guard bits pay for.
    pub fn exp_minus(numerator: &BigUint, denominator: &BigUint, bits: u32) -> Self {
        assert!(*denominator > BigUint::ZERO, "a denominator is above zero");
        let magnitude = numerator.bits().saturating_sub(denominator.bits());
        let halvings = u32::try_from(magnitude + 2).expect("an exponent has fewer than 2³² bits");
        if halvings > 2 * bits.max(64) {
            // exp(−x) for x ≥ 2^(2·bits) is far below 2^−bits.
            return Self::new(BigUint::ZERO, BigUint::from(1_u32), bits);
        }
        let work = bits + halvings + 16;
        let x = Self::ratio(numerator, &(denominator << halvings), work);
        let mut result = x.exp_minus_series();
        for _ in 0..halvings {
            result = result.times(&result);
        }
        result.to_bits(bits)
    }

    /// The product.
    pub fn times(&self, other: &Self) -> Self {
        self.same_bits(other);
        let upper = ceil_shift(&(&self.upper * &other.upper), self.bits);
        Self { lower: (&self.lower * &other.lower) >> self.bits, upper, bits: self.bits }
    }

    /// One minus the number.
    pub fn complement(&self) -> Self {
        let one = one(self.bits);
        Self { lower: &one - &self.upper, upper: &one - &self.lower, bits: self.bits }
    }

    /// The number to the power of `exponent`, by squaring.
    pub fn power(&self, exponent: &BigUint) -> Self {
        let one = one(self.bits);
        let mut result = Self { lower: one.clone(), upper: one, bits: self.bits };
        for bit in (0..exponent.bits()).rev() {
            result = result.times(&result);
            if exponent.bit(bit) {
                result = result.times(self);
            }
        }
        result
    }

    /// number / (1 + other).
    pub(crate) fn over_one_plus(&self, other: &Self) -> Self {
        self.same_bits(other);
        let one = one(self.bits);
        Self {
            lower: (&self.lower << self.bits) / (&one + &other.upper),
            upper: div_ceil(&(&self.upper << self.bits), &(&one + &other.lower)),
            bits: self.bits,
        }
    }

    /// The bounds at fewer bits, rounded outwards.
    pub fn to_bits(&self, bits: u32) -> Self {
        let excess = self.bits.checked_sub(bits).expect("bounds can only be made coarser");
        Self { lower: &self.lower >> excess, upper: ceil_shift(&self.upper, excess), bits }
    }

    /// The lower bound, in units of 2^−bits.
    pub fn lower(&self) -> &BigUint {
        &self.lower
    }

    /// The upper bound, in units of 2^−bits.
    pub fn upper(&self) -> &BigUint {
        &self.upper
    }

    /// The number of bits after the point.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The middle of the bounds, for reports and tests.
    pub fn midpoint(&self) -> f64 {
        let sum = &self.lower + &self.upper;
        let excess = sum.bits().saturating_sub(64);
        let leading = u64::try_from(sum >> excess).expect("64 bits are left");
        leading as f64 * 2_f64.powf(excess as f64 - f64::from(self.bits) - 1.0)
    }

    /// exp(−x) for x ≤ ½ by its alternating series.
    fn exp_minus_series(&self) -> Self {
        // Powers of x over factorials, each enclosed, added to the sum of their sign.
        let mut term = Self { lower: one(self.bits), upper: one(self.bits), bits: self.bits };
        let (mut plus, mut minus) =
            ((term.lower.clone(), term.upper.clone()), (BigUint::ZERO, BigUint::ZERO));
        let mut order = 0_u32;
        while term.upper > BigUint::from(1_u32) {
            order += 1;
            let product = term.times(self);
            term = Self {
                lower: product.lower / order,
                upper: div_ceil(&product.upper, &order.into()),
                bits: self.bits,
            };
            let sum = if order.is_multiple_of(2) { &mut plus } else { &mut minus };
            sum.0 += &term.lower;
            sum.1 += &term.upper;
        }
        // Terms fall in size, so what is left out is at most the last one in either direction.
        let lower = plus.0 - minus.1 - &term.upper;
        let upper = plus.1 - minus.0 + &term.upper;
        Self { lower, upper: upper.min(one(self.bits)), bits: self.bits }
    }

    fn same_bits(&self, other: &Self) {
        assert_eq!(self.bits, other.bits, "bounds that are combined have the same number of bits");
    }
}

/// The probability that the largest of `draws` independent discrete Laplace draws of the given rate exceeds `level`:
/// 1 − (1 − P(Z > level))^draws, P(Z > j) = e^(−r(j+1)) / (1 + e^(−r)) for j ≥ 0 and rate r = `numerator / denominator`.
///
/// Raising to a power of `draws` loses log₂(draws) bits, which are worked with in addition.
pub(crate) fn any_exceeds(
    draws: &BigUint,
    numerator: &BigUint,
    denominator: &BigUint,
    level: u64,
    bits: u32,
) -> Enclosure {
    let guard = 2 * u32::try_from(draws.bits()).expect("a number of draws has fewer than 2³² bits") + 8;
    let work = bits + guard;
    let step = Enclosure::exp_minus(numerator, denominator, work);
    let reach = Enclosure::exp_minus(&(numerator * (u128::from(level) + 1)), denominator, work);
    reach.over_one_plus(&step).complement().power(draws).complement().to_bits(bits)
}

fn one(bits: u32) -> BigUint {
    BigUint::from(1_u32) << bits
}

fn div_ceil(numerator: &BigUint, denominator: &BigUint) -> BigUint {
    (numerator + denominator - 1_u32) / denominator
}

fn ceil_shift(number: &BigUint, bits: u32) -> BigUint {
    (number + (one(bits) - 1_u32)) >> bits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bounds_enclose_the_exponential_and_are_a_few_units_wide() {
        for (a, b) in [(1_u32, 1_u32), (1, 3), (7, 2), (22, 7), (1, 1_000_000), (40, 1), (0, 5)] {
            let coarse = Enclosure::exp_minus(&a.into(), &b.into(), 64);
            let fine = Enclosure::exp_minus(&a.into(), &b.into(), 256);
            let finer = fine.to_bits(64);
            assert!(coarse.lower <= finer.lower && finer.upper <= coarse.upper, "{a}/{b}");
            assert!(&coarse.upper - &coarse.lower <= BigUint::from(2_u32), "{a}/{b}: {coarse:?}");
            assert!(&fine.upper - &fine.lower <= BigUint::from(2_u32), "{a}/{b}: {fine:?}");
            let truth = (-f64::from(a) / f64::from(b)).exp();
            assert!((fine.midpoint() / truth - 1.0).abs() < 1e-15, "{a}/{b}");
        }
    }

    #[test]
    fn exponents_beyond_all_bounds_are_cheap() {
        let huge = BigUint::from(1_u32) << 5_000_u32;
        let tiny = Enclosure::exp_minus(&huge, &3_u32.into(), 64);
        assert_eq!((tiny.lower, tiny.upper), (BigUint::ZERO, 1_u32.into()));
    }

    #[test]
    fn the_chance_that_any_draw_exceeds_a_level() {
        let (one, two) = (BigUint::from(1_u32), BigUint::from(2_u32));
        // P(Z > 3) at rate ½, once: e⁻² / (1 + e^−½)
        let single = any_exceeds(&one, &one, &two, 3, 80).midpoint();
        assert!((single - (-2.0_f64).exp() / (1.0 + (-0.5_f64).exp())).abs() < 1e-15);
        let cells = BigUint::from(10_u64.pow(15));
        let many = any_exceeds(&cells, &one, &two, 70, 80);
        let tail = (-35.5_f64).exp() / (1.0 + (-0.5_f64).exp());
        assert!((many.midpoint() - (1.0 - (-1e15 * tail).exp())).abs() < 1e-12);
        assert!(&many.upper - &many.lower <= BigUint::from(2_u32));
    }

    proptest! {
        #[test]
        fn arithmetic_never_loses_the_truth(a in 0_u32..5_000, b in 1_u32..1_000, power in 0_u32..50) {
            let (coarse, fine) = (
                Enclosure::exp_minus(&a.into(), &b.into(), 40),
                Enclosure::exp_minus(&a.into(), &b.into(), 200),
            );
            let fold = |bounds: &Enclosure| bounds.complement().power(&power.into()).over_one_plus(bounds).to_bits(40);
            let (coarse, fine) = (fold(&coarse), fold(&fine));
            prop_assert!(coarse.lower <= fine.lower && fine.upper <= coarse.upper);
        }
    }
}
