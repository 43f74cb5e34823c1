//! Uniform integers below a bound, exact by rejection.

use num_bigint::BigUint;
use rand::CryptoRng;

/// A uniform integer in 0..bound.
///
/// The upper half of a 64-bit word times the bound; of the 2⁶⁴ words, the 2⁶⁴ mod bound that would favour some results are
/// rejected, so that each result has exactly ⌊2⁶⁴/bound⌋ words (Lemire 2019). The product of two 64-bit numbers fits 128 bits.
///
/// # Panics
/// If the bound is zero.
#[inline]
pub fn uniform_below_u64<R: CryptoRng + ?Sized>(rng: &mut R, bound: u64) -> u64 {
    assert!(bound > 0, "a bound is above zero");
    let mut product = u128::from(rng.next_u64()) * u128::from(bound);
    // 2⁶⁴ mod bound is below bound, so most words are accepted without the division that computes it.
    if (product as u64) < bound {
        let surplus = bound.wrapping_neg() % bound;
        while (product as u64) < surplus {
            product = u128::from(rng.next_u64()) * u128::from(bound);
        }
    }
    (product >> 64) as u64
}

/// A uniform integer in 0..bound, for any 128-bit bound.
///
/// As many random bits as bound − 1 has, drawn again until below the bound: at most half are rejected.
///
/// # Panics
/// If the bound is zero.
pub(crate) fn uniform_below_u128<R: CryptoRng + ?Sized>(rng: &mut R, bound: u128) -> u128 {
    if let Ok(bound) = u64::try_from(bound) {
        return u128::from(uniform_below_u64(rng, bound));
    }
    let excess = (bound - 1).leading_zeros();
    loop {
        let bits = (u128::from(rng.next_u64()) << 64) | u128::from(rng.next_u64());
        let candidate = bits >> excess;
        if candidate < bound {
            return candidate;
        }
    }
}

/// A uniform integer in 0..bound, for a bound of any size; rejection as in [`uniform_below_u128`].
///
/// # Panics
/// If the bound is zero.
pub(crate) fn uniform_below<R: CryptoRng + ?Sized>(rng: &mut R, bound: &BigUint) -> BigUint {
    if let Ok(bound) = u128::try_from(bound) {
        return BigUint::from(uniform_below_u128(rng, bound));
    }
    let bits = (bound - 1_u32).bits();
    loop {
        let candidate = random_bits(rng, bits);
        if candidate < *bound {
            return candidate;
        }
    }
}

/// A uniform integer of `bits` bits.
pub(super) fn random_bits<R: CryptoRng + ?Sized>(rng: &mut R, bits: u64) -> BigUint {
    let words = bits.div_ceil(64);
    let mut number = BigUint::ZERO;
    for _ in 0..words {
        number = (number << 64_u32) | BigUint::from(rng.next_u64());
    }
    number >> (words * 64 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoiseSource;
    use crate::chi_square::chi_square_p_value;

    #[test]
    fn every_width_is_uniform_and_below_its_bound() {
        let mut noise = NoiseSource::insecure_test_seed(1);
        let rng = noise.rng();
        let wide: BigUint = BigUint::from(3_u32) << 200_u32;
        let mut counts = [[0_u64; 12]; 3];
        for _ in 0..60_000 {
            counts[0][uniform_below_u64(rng, 12) as usize] += 1;
            counts[1][(uniform_below_u128(rng, 12 << 100) >> 100) as usize] += 1;
            let draw = uniform_below(rng, &wide) >> 198_u32;
            counts[2][usize::try_from(&draw).unwrap()] += 1;
        }
        for counts in counts {
            // Error rate 1e-6 each.
            assert!(chi_square_p_value(&counts, &[1.0 / 12.0; 12]) > 1e-6, "{counts:?}");
        }
    }

    /// With a bound of 3·2⁶², a quarter of the words must be rejected; without rejection a third of results were doubled.
    #[test]
    fn words_that_would_favour_some_results_are_rejected() {
        let mut noise = NoiseSource::insecure_test_seed(2);
        let bound = 3_u64 << 62;
        let mut counts = [0_u64; 3];
        for _ in 0..30_000 {
            let draw = uniform_below_u64(noise.rng(), bound);
            assert!(draw < bound);
            counts[(draw % 3) as usize] += 1;
        }
        assert!(chi_square_p_value(&counts, &[1.0 / 3.0; 3]) > 1e-6, "{counts:?}");
        assert_eq!(uniform_below_u64(noise.rng(), 1), 0);
    }
}
