//! exp in plain arithmetic, so that weights are the same bytes on every machine, and so that compilers can form several at once.

use std::f32::consts::{LN_2, LOG2_E};

/// Adding this rounds a number below 2^21 to a whole one, which then stands in its lowest bits.
const ROUNDING: f32 = 12_582_912.0;

/// Exponents are held within this.
const FURTHEST: f32 = 80.0;

/// e^x to a relative error below 10⁻⁵, below 4 · 10⁻⁷ for |x| ≤ 3: 2^k e^r with k whole and |r| ≤ ½ ln 2, e^r by its series.
#[inline]
pub(super) fn exp(x: f32) -> f32 {
    let x = x.clamp(-FURTHEST, FURTHEST);
    let shifted = x * LOG2_E + ROUNDING;
    let r = x - (shifted - ROUNDING) * LN_2;
    let series = 1.0
        + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0))))));
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    series * power
}

/// How many are formed at a time.
const AT_ONCE: usize = 256;

/// Multiplies every weight by e^x, with x found first for many of them, so that what looks something up does not keep the rest from being formed
/// several at once.
#[inline]
pub(super) fn multiply(weights: &mut [f64], mut exponents: impl Iterator<Item = f32>) {
    let mut found = [0.0; AT_ONCE];
    for weights in weights.chunks_mut(AT_ONCE) {
        found.iter_mut().zip(exponents.by_ref().take(weights.len())).for_each(|(place, x)| *place = x);
        weights.iter_mut().zip(&found).for_each(|(weight, x)| *weight *= f64::from(exp(*x)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential() {
        for step in -8_000..=8_000_i16 {
            let x = f32::from(step) * 0.009_97;
            let relative = f64::from(exp(x)) / f64::from(x).exp() - 1.0;
            let most = if x.abs() <= 3.0 { 4e-7 } else { 1e-5 };
            assert!(relative.abs() < most, "{x}: {relative}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e9) > 0.0 && exp(1e9).is_finite());
    }

    #[test]
    fn many_weights_are_multiplied_each_by_its_own() {
        let exponents = |at: u16| f32::from(at % 7) / 3.0 - 1.0;
        let mut weights: Vec<f64> = (0..1_000_u16).map(f64::from).collect();
        multiply(&mut weights, (0..1_000).map(exponents));
        for (at, weight) in (0..1_000).zip(weights) {
            assert_eq!(weight, f64::from(at) * f64::from(exp(exponents(at))), "{at}");
        }
    }
}
