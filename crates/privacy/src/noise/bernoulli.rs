//! Exact coins: of a rational probability, of exp(−a/b), and of a probability known only by bounds.

use num_bigint::BigUint;
use rand::CryptoRng;

use super::enclosure::Enclosure;
use super::uniform::{random_bits, uniform_below, uniform_below_u64, uniform_below_u128};

/// True with probability `numerator / denominator`: a uniform integer below the denominator is below the numerator.
///
/// # Panics
/// If the denominator is zero or below the numerator.
pub(crate) fn bernoulli<R: CryptoRng + ?Sized>(rng: &mut R, numerator: u128, denominator: u128) -> bool {
    assert!(numerator <= denominator, "a probability is at most one");
    uniform_below_u128(rng, denominator) < numerator
}

/// True with probability exp(−numerator / denominator), for any ratio at least zero.
///
/// The whole part w is a geometric variable that reaches w ([`geometric_by_e`]), the fraction γ is Algorithm 1 of Canonne, Kamath
/// & Steinke (2020): K grows while coins of probability γ/K fall true, and exp(−γ) is the probability that K stops odd.
///
/// Exact for all 128-bit ratios: nothing is computed but a quotient and its remainder. A coin of γ/K is thrown as one of γ and one
/// of 1/K, so that no product can overflow.
///
/// # Panics
/// If the denominator is zero.
pub(crate) fn bernoulli_exp_minus<R: CryptoRng + ?Sized>(
    rng: &mut R,
    numerator: u128,
    denominator: u128,
) -> bool {
    assert!(denominator > 0, "a denominator is above zero");
    let (whole, fraction) = (numerator / denominator, numerator % denominator);
    if whole > 0 && u128::from(geometric_by_e(rng)) < whole {
        return false;
    }
    match u64::try_from(denominator) {
        Ok(denominator) => exp_minus_fraction(rng, fraction as u64, denominator),
        Err(_) => stops_odd(rng, |rng| bernoulli(rng, fraction, denominator)),
    }
}

/// True with probability exp(−numerator / denominator) on integers of any size: [`bernoulli_exp_minus`] beyond its boundary.
///
/// # Panics
/// If the denominator is zero.
pub(crate) fn bernoulli_exp_minus_wide<R: CryptoRng + ?Sized>(
    rng: &mut R,
    numerator: &BigUint,
    denominator: &BigUint,
) -> bool {
    if let (Ok(numerator), Ok(denominator)) = (u128::try_from(numerator), u128::try_from(denominator)) {
        return bernoulli_exp_minus(rng, numerator, denominator);
    }
    let (whole, fraction) = (numerator / denominator, numerator % denominator);
    if whole > BigUint::ZERO && BigUint::from(geometric_by_e(rng)) < whole {
        return false;
    }
    stops_odd(rng, |rng| uniform_below(rng, denominator) < fraction)
}

/// A number V with P(V ≥ k) = exp(−k).
///
/// V counts the k ≥ 1 with U < exp(−k) for one uniform U in [0, 1). Its first 64 bits are compared with those of exp(−k), and in the one case in
/// 2⁶⁴ that they are equal, more bits of both decide. Beyond the table V starts anew: it has no memory.
#[inline]
pub(crate) fn geometric_by_e<R: CryptoRng + ?Sized>(rng: &mut R) -> u64 {
    let mut passed = 0;
    loop {
        let word = rng.next_u64();
        for (index, &threshold) in EXP_MINUS.iter().enumerate() {
            if word >= threshold && (word > threshold || !below_exp_minus(rng, word, index + 1)) {
                return passed + index as u64;
            }
        }
        passed += EXP_MINUS.len() as u64;
    }
}

/// True with the probability p that `enclose(bits)` bounds ever more closely.
///
/// A uniform number U in [0, 1) is revealed 64 bits at a time until it lies below the lower or above the upper bound: U < p has
/// probability p exactly, and the bounds only tell how it compares. Ends with certainty if the bounds close in on p.
///
/// # Panics
/// If bounds have another number of bits than asked for.
pub(crate) fn bernoulli_by_enclosure<R: CryptoRng + ?Sized>(
    rng: &mut R,
    enclose: impl FnMut(u32) -> Enclosure,
) -> bool {
    below_enclosure(rng, BigUint::ZERO, 0, enclose)
}

/// exp(−fraction / denominator) for a fraction below one, on 64-bit integers.
#[inline]
pub(super) fn exp_minus_fraction<R: CryptoRng + ?Sized>(
    rng: &mut R,
    fraction: u64,
    denominator: u64,
) -> bool {
    // One word for the coins of γ/K while the product fits, two beyond.
    let mut count = 1_u64;
    loop {
        let goes_on = match denominator.checked_mul(count) {
            Some(product) => uniform_below_u64(rng, product) < fraction,
            None => uniform_below_u64(rng, denominator) < fraction && uniform_below_u64(rng, count) == 0,
        };
        if !goes_on {
            return count % 2 == 1;
        }
        count += 1;
    }
}

/// Whether the count of coins γ/1, γ/2, … up to the first that falls false is odd: probability exp(−γ).
fn stops_odd<R: CryptoRng + ?Sized>(rng: &mut R, mut coin: impl FnMut(&mut R) -> bool) -> bool {
    let mut count = 1_u64;
    while coin(rng) && uniform_below_u64(rng, count) == 0 {
        count += 1;
    }
    count % 2 == 1
}

/// ⌊2⁶⁴·exp(−k)⌋ for k = 1, 2, …; `every_threshold_is_the_floor` proves them.
const EXP_MINUS: [u64; 8] = [
    6_786_177_901_268_885_274,
    2_496_495_334_008_788_799,
    918_409_308_362_266_468,
    337_863_903_126_961_437,
    124_293_183_874_348_897,
    45_724_907_025_114_798,
    16_821_253_244_015_389,
    6_188_193_243_211_692,
];

#[cold]
fn below_exp_minus<R: CryptoRng + ?Sized>(rng: &mut R, word: u64, exponent: usize) -> bool {
    let one = BigUint::from(1_u32);
    below_enclosure(rng, word.into(), 64, |bits| Enclosure::exp_minus(&BigUint::from(exponent), &one, bits))
}

/// Whether a uniform number whose first bits are known is below the enclosed one.
fn below_enclosure<R: CryptoRng + ?Sized>(
    rng: &mut R,
    mut uniform: BigUint,
    mut bits: u32,
    mut enclose: impl FnMut(u32) -> Enclosure,
) -> bool {
    loop {
        uniform = (uniform << 64_u32) | random_bits(rng, 64);
        bits += 64;
        let bounds = enclose(bits);
        assert_eq!(bounds.bits(), bits, "bounds have the number of bits that was asked for");
        if uniform < *bounds.lower() {
            return true;
        }
        if uniform >= *bounds.upper() {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::NoiseSource;
    use crate::chi_square::chi_square_p_value;
    use crate::scripted::Scripted;

    #[test]
    fn every_threshold_is_the_floor() {
        for (index, &threshold) in EXP_MINUS.iter().enumerate() {
            let bounds = Enclosure::exp_minus(&BigUint::from(index + 1), &1_u32.into(), 128);
            assert_eq!(bounds.lower() >> 64_u32, BigUint::from(threshold));
            assert_eq!(bounds.upper() >> 64_u32, BigUint::from(threshold));
        }
    }

    #[test]
    fn a_tie_in_the_first_bits_is_decided_by_more() {
        let bounds = Enclosure::exp_minus(&1_u32.into(), &1_u32.into(), 128);
        let second = u64::try_from(bounds.lower() % (BigUint::from(1_u32) << 64_u32)).unwrap();
        // Just below exp(−1), then 0 for exp(−2) and beyond is never reached: one pass. Just above: none.
        assert_eq!(geometric_by_e(&mut Scripted::new([EXP_MINUS[0], second - 2])), 1);
        assert_eq!(geometric_by_e(&mut Scripted::new([EXP_MINUS[0], second + 2])), 0);
        assert_eq!(geometric_by_e(&mut Scripted::new([0, u64::MAX])), 8);
    }

    /// Half a million coins each; error rate 1e-6 each, two-sided.
    #[rstest]
    #[case(0, 1)]
    #[case(1, 3)]
    #[case(1, 1)]
    #[case(7, 2)]
    #[case(999_983, 1_000_003)]
    #[case(3 << 90, 4 << 90)]
    #[case((5 << 100) + 1, 4 << 100)]
    fn coins_of_exp_minus(#[case] numerator: u128, #[case] denominator: u128) {
        let probability = (-(numerator as f64) / denominator as f64).exp();
        let mut noise = NoiseSource::insecure_test_seed(3);
        let rng = noise.rng();
        let (mut narrow, mut wide, mut enclosed) = ([0_u64; 2], [0_u64; 2], [0_u64; 2]);
        let shift = 200_u32;
        let (big_numerator, big_denominator) =
            (BigUint::from(numerator) << shift, BigUint::from(denominator) << shift);
        for _ in 0..500_000 {
            narrow[usize::from(bernoulli_exp_minus(rng, numerator, denominator))] += 1;
        }
        for _ in 0..20_000 {
            wide[usize::from(bernoulli_exp_minus_wide(rng, &big_numerator, &big_denominator))] += 1;
            let coin = bernoulli_by_enclosure(rng, |bits| {
                Enclosure::exp_minus(&numerator.into(), &denominator.into(), bits)
            });
            enclosed[usize::from(coin)] += 1;
        }
        for counts in [narrow, wide, enclosed] {
            assert!(chi_square_p_value(&counts, &[1.0 - probability, probability]) > 1e-6, "{counts:?}");
        }
    }

    #[test]
    fn the_geometric_has_its_distribution() {
        let mut noise = NoiseSource::insecure_test_seed(4);
        let mut counts = [0_u64; 12];
        for _ in 0..1_000_000 {
            counts[geometric_by_e(noise.rng()).min(11) as usize] += 1;
        }
        let tail = |k: usize| (-(k as f64)).exp();
        let mut shares: Vec<f64> = (0..11).map(|k| tail(k) - tail(k + 1)).collect();
        shares.push(tail(11));
        assert!(chi_square_p_value(&counts, &shares) > 1e-6, "{counts:?}");
    }

    #[test]
    fn rational_coins() {
        let mut noise = NoiseSource::insecure_test_seed(5);
        let heads = (0..300_000).filter(|_| bernoulli(noise.rng(), 1, 3)).count() as u64;
        assert!(chi_square_p_value(&[heads, 300_000 - heads], &[1.0 / 3.0, 2.0 / 3.0]) > 1e-6);
        assert!(!bernoulli(noise.rng(), 0, 7) && bernoulli(noise.rng(), 7, 7));
    }
}
