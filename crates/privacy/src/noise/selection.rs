//! Choosing the best of several candidates privately.

use num_bigint::BigUint;
use rand::CryptoRng;

use super::bernoulli::{bernoulli_exp_minus, bernoulli_exp_minus_wide};
use super::uniform::uniform_below_u64;
use crate::{Cost, PrivacyError};

/// The index of a candidate with a high score, by permute-and-flip (McKenna & Sheldon 2020).
///
/// Candidates are visited in random order; each is taken with probability exp(−ε·(q* − q)/(2Δ)), where q* is the best score, which is always taken.
/// Equal in distribution to report-noisy-max with exponential noise of scale 2Δ/ε (Ding et al. 2021), and never worse in
/// expected score than the exponential mechanism.
///
/// **Privacy.** ε-differential privacy if no score changes by more than Δ between neighbours (McKenna & Sheldon, Thm. 1).
///
/// **Exactness.** Scores and Δ are integers in a common unit (say 2⁻²⁰ for scores with a fraction), ε is the integer cost; the coins are
/// those of `bernoulli_exp_minus`. If ε·(q* − q) or Δ·2⁴¹ exceed 128 bits, the coin is thrown on big integers.
///
/// ```
/// use privacy::{Cost, NoiseSource, noise::permute_and_flip};
/// let mut noise = NoiseSource::insecure_test_seed(1);
/// let best = permute_and_flip(noise.rng(), &[3, 1_000, 5], 1, Cost::rounded_down(1.0)?)?;
/// assert_eq!(best, 1);
/// # Ok::<(), privacy::PrivacyError>(())
/// ```
pub fn permute_and_flip<R: CryptoRng + ?Sized>(
    rng: &mut R,
    scores: &[i128],
    sensitivity: u128,
    epsilon: Cost,
) -> Result<usize, PrivacyError> {
    let best = best_score(scores, sensitivity, epsilon)?;
    let mut order: Vec<usize> = (0..scores.len()).collect();
    for visited in 0..order.len() {
        let next = visited + uniform_below_u64(rng, (order.len() - visited) as u64) as usize;
        order.swap(visited, next);
        let candidate = order[visited];
        if taken(rng, best, scores[candidate], sensitivity, epsilon) {
            return Ok(candidate);
        }
    }
    unreachable!("the best candidate is always taken")
}

/// The index of a candidate by the exponential mechanism (McSherry & Talwar 2007): P(i) ∝ exp(ε·qᵢ/(2Δ)).
///
/// Candidates are drawn uniformly, with replacement, until one is taken with probability exp(−ε·(q* − q)/(2Δ)): exact by rejection.
///
/// **Privacy.** ε-differential privacy, and ε²/8-zCDP, since it is ε-bounded-range (Cesar & Rogers 2021): where the budget is kept in ρ
/// it is the cheaper choice of the two, see [`exponential_mechanism_rho`](crate::conversion::exponential_mechanism_rho).
pub fn exponential_mechanism<R: CryptoRng + ?Sized>(
    rng: &mut R,
    scores: &[i128],
    sensitivity: u128,
    epsilon: Cost,
) -> Result<usize, PrivacyError> {
    let best = best_score(scores, sensitivity, epsilon)?;
    loop {
        let candidate = uniform_below_u64(rng, scores.len() as u64) as usize;
        if taken(rng, best, scores[candidate], sensitivity, epsilon) {
            return Ok(candidate);
        }
    }
}

fn best_score(scores: &[i128], sensitivity: u128, epsilon: Cost) -> Result<i128, PrivacyError> {
    if epsilon.is_zero() {
        return Err(PrivacyError::FreeLook);
    }
    if sensitivity == 0 {
        return Err(PrivacyError::Sensitivity);
    }
    scores.iter().copied().max().ok_or(PrivacyError::NoCandidates)
}

/// A coin of exp(−ε·(best − score)/(2Δ)), with ε in units of 2⁻⁴⁰.
fn taken<R: CryptoRng + ?Sized>(
    rng: &mut R,
    best: i128,
    score: i128,
    sensitivity: u128,
    epsilon: Cost,
) -> bool {
    let gap = best.abs_diff(score);
    let (units, twice) = (u128::from(epsilon.units()), 2 * u128::from(Cost::UNITS_IN_ONE));
    match (gap.checked_mul(units), sensitivity.checked_mul(twice)) {
        (Some(numerator), Some(denominator)) => bernoulli_exp_minus(rng, numerator, denominator),
        _ => {
            let (numerator, denominator) = (BigUint::from(gap) * units, BigUint::from(sensitivity) * twice);
            bernoulli_exp_minus_wide(rng, &numerator, &denominator)
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::NoiseSource;
    use crate::chi_square::chi_square_p_value;

    /// The probabilities of permute-and-flip by walking through all orders.
    fn by_enumeration(take: &[f64]) -> Vec<f64> {
        fn visit(take: &[f64], left: &[usize], reached: f64, shares: &mut [f64]) {
            for (position, &candidate) in left.iter().enumerate() {
                let here = reached / left.len() as f64;
                shares[candidate] += here * take[candidate];
                let mut rest = left.to_vec();
                rest.remove(position);
                visit(take, &rest, here * (1.0 - take[candidate]), shares);
            }
        }
        let mut shares = vec![0.0; take.len()];
        visit(take, &(0..take.len()).collect::<Vec<_>>(), 1.0, &mut shares);
        shares
    }

    /// 200,000 choices each, error rate 1e-6 each. The last case needs big integers.
    #[rstest]
    #[case([5, 4, 2], 1, 1.0, 1.0)]
    #[case([-3, 0, 0], 2, 0.5, 1.0)]
    #[case([10, 10, 10], 1, 3.0, 1.0)]
    #[case([0, 1 << 20, 3 << 20], 1 << 20, 0.7, (1 << 20) as f64)]
    #[case([0, 1 << 100, 3 << 100], 1 << 100, 0.7, (1_u128 << 100) as f64)]
    fn choices_have_their_probabilities(
        #[case] scores: [i128; 3],
        #[case] sensitivity: u128,
        #[case] epsilon: f64,
        #[case] unit: f64,
    ) {
        let cost = Cost::rounded_down(epsilon).unwrap();
        let best = *scores.iter().max().unwrap();
        let delta = sensitivity as f64 / unit;
        let take = scores.map(|score| (-epsilon * ((best - score) as f64 / unit) / (2.0 * delta)).exp());
        let mut noise = NoiseSource::insecure_test_seed(6);
        let (mut flips, mut powers) = ([0_u64; 3], [0_u64; 3]);
        for _ in 0..200_000 {
            flips[permute_and_flip(noise.rng(), &scores, sensitivity, cost).unwrap()] += 1;
            powers[exponential_mechanism(noise.rng(), &scores, sensitivity, cost).unwrap()] += 1;
        }
        assert!(chi_square_p_value(&flips, &by_enumeration(&take)) > 1e-6, "{flips:?}");
        let sum: f64 = take.iter().sum();
        assert!(chi_square_p_value(&powers, &take.map(|weight| weight / sum)) > 1e-6, "{powers:?}");
    }

    #[test]
    fn choices_that_cannot_be_are_refused() {
        let mut noise = NoiseSource::insecure_test_seed(7);
        let cost = Cost::rounded_down(1.0).unwrap();
        assert!(matches!(permute_and_flip(noise.rng(), &[], 1, cost), Err(PrivacyError::NoCandidates)));
        assert!(matches!(permute_and_flip(noise.rng(), &[1], 0, cost), Err(PrivacyError::Sensitivity)));
        assert!(matches!(
            exponential_mechanism(noise.rng(), &[1], 1, Cost::ZERO),
            Err(PrivacyError::FreeLook)
        ));
    }
}
