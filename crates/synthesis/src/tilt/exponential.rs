//! exp in plain arithmetic, so that weights are the same bytes on every machine, and so that compilers can form several at once.

use std::f64::consts::{LN_2, LOG2_E};

/// Adding this rounds a number below 2^51 to a whole one, which then stands in its lowest bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// e^x for |x| ≤ 700, to a relative error below 1e-9: 2^k e^r with k whole and |r| ≤ ½ ln 2, e^r by its series.
#[inline]
pub(super) fn exp(x: f64) -> f64 {
    let shifted = x * LOG2_E + ROUNDING;
    let r = x - (shifted - ROUNDING) * LN_2;
    let series = 1.0
        + r * (1.0
            + r * (0.5
                + r * (1.0 / 6.0
                    + r * (1.0 / 24.0
                        + r * (1.0 / 120.0
                            + r * (1.0 / 720.0 + r * (1.0 / 5040.0 + r * (1.0 / 40320.0))))))));
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    series * power
}

/// How many are formed at a time.
const AT_ONCE: usize = 256;

/// Multiplies every weight by e^x, with x found first for many of them, so that what looks something up does not keep the rest from being formed
/// several at once.
#[inline]
pub(super) fn multiply(weights: &mut [f64], mut exponents: impl Iterator<Item = f64>) {
    let mut found = [0.0; AT_ONCE];
    for weights in weights.chunks_mut(AT_ONCE) {
        found.iter_mut().zip(exponents.by_ref().take(weights.len())).for_each(|(place, x)| *place = x);
        weights.iter_mut().zip(&found).for_each(|(weight, x)| *weight *= exp(*x));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential() {
        for step in -7_000..=7_000_i32 {
            let x = f64::from(step) * 0.099_7;
            let relative = exp(x) / x.exp() - 1.0;
            assert!(relative.abs() < 1e-9, "{x}: {relative}");
        }
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn many_weights_are_multiplied_each_by_its_own() {
        let exponents = |at: usize| (at % 7) as f64 / 3.0 - 1.0;
        let mut weights: Vec<f64> = (0..1_000).map(|at| at as f64).collect();
        multiply(&mut weights, (0..1_000).map(exponents));
        for (at, weight) in weights.iter().enumerate() {
            assert_eq!(*weight, at as f64 * exp(exponents(at)), "{at}");
        }
    }
}
