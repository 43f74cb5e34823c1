//! Which candidates are kept, given their weights.

use std::collections::BTreeMap;

use rand::RngExt;

use crate::SynthesisError;
use crate::randomness::{BLOCK, Rng, Seed};

/// `n` different candidates by systematic sampling in their order (Madow 1949): candidate r has probability min(1, λ w_r), with λ such that these sum to
/// n, and is kept if a tick u, u + 1, u + 2, … lies in its stretch of the cumulated probabilities, with u uniform on (0, 1).
pub(super) fn systematic(weights: &[f64], n: usize, rng: &mut Rng) -> Result<Vec<u32>, SynthesisError> {
    let all: Vec<u32> = (0..weights.len() as u32).collect();
    systematic_of(&all, weights, n, rng)
}

fn systematic_of(
    places: &[u32],
    weights: &[f64],
    n: usize,
    rng: &mut Rng,
) -> Result<Vec<u32>, SynthesisError> {
    let weight = |place: &u32| weights[*place as usize];
    if places.iter().filter(|place| weight(place) > 0.0).count() < n {
        let message =
            "too few candidates are no copies of unique records; draw more, or say `no_copies = false`";
        return Err(SynthesisError::option("candidates", message));
    }
    // Those with probability 1 are set apart until λ w is below 1 for all others.
    let mut largest = f64::INFINITY;
    let scale = loop {
        let certain = places.iter().filter(|place| weight(place) >= largest).count();
        let rest: f64 = places.iter().map(weight).filter(|weight| *weight < largest).sum();
        if certain >= n || rest <= 0.0 {
            break 0.0;
        }
        let scale = (n - certain) as f64 / rest;
        let next = 1.0 / scale;
        if next >= largest || places.iter().map(weight).all(|weight| weight < next || weight >= largest) {
            break scale;
        }
        largest = next;
    };
    let start: f64 = rng.random();
    let mut cumulated = 0.0_f64;
    let mut kept = Vec::with_capacity(n);
    for place in places {
        let probability = if weight(place) >= largest { 1.0 } else { weight(place) * scale };
        let before = cumulated;
        cumulated += probability;
        // The number of ticks below a point x is ⌈x − u⌉.
        if (cumulated - start).ceil() > (before - start).ceil() && probability > 0.0 {
            kept.push(*place);
        }
    }
    // Rounding of the sum may leave the last tick just outside.
    if kept.len() < n
        && let Some(place) =
            places.iter().rev().find(|place| weight(place) > 0.0 && kept.binary_search(place).is_err())
    {
        let at = kept.partition_point(|other| other < place);
        kept.insert(at, *place);
    }
    kept.truncate(n);
    Ok(kept)
}

/// The same within strata, each of which keeps its size: with k candidates for each of n records, candidate r belongs to record r mod n.
pub(super) fn within_strata(
    weights: &[f64],
    n: usize,
    strata: &[Vec<u64>],
    seed: Seed,
) -> Result<Vec<u32>, SynthesisError> {
    let mut places: BTreeMap<&[u64], Vec<u32>> = BTreeMap::new();
    for (place, stratum) in strata.iter().enumerate() {
        places.entry(stratum).or_default().push(place as u32);
    }
    let mut kept = Vec::with_capacity(n);
    for (number, of_stratum) in places.values().enumerate() {
        let size = of_stratum.partition_point(|place| (*place as usize) < n);
        kept.extend(systematic_of(of_stratum, weights, size, &mut seed.stream(number as u64))?);
    }
    kept.sort_unstable();
    Ok(kept)
}

/// One candidate for each of n records, of which candidate k of record r is at k n + r, with probabilities in proportion to the weights. Where all are
/// copies, and have none, each is as likely.
pub(super) fn one_of_each(weights: &[f64], n: usize, seed: Seed) -> Vec<u32> {
    let mut kept = Vec::with_capacity(n);
    let each = weights.len() / n.max(1);
    for block in 0..n.div_ceil(BLOCK) {
        let mut rng = seed.stream(block as u64);
        for record in block * BLOCK..n.min((block + 1) * BLOCK) {
            let weight = |k: usize| weights[k * n + record];
            let total: f64 = (0..each).map(weight).sum();
            let mut left = rng.random::<f64>() * if total > 0.0 { total } else { each as f64 };
            let chosen = (0..each).find(|k| {
                left -= if total > 0.0 { weight(*k) } else { 1.0 };
                left < 0.0
            });
            kept.push((chosen.unwrap_or(each - 1) * n + record) as u32);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten thousand starts: each candidate is kept as often as its probability says, to within five standard errors, none twice, and always n.
    #[test]
    fn candidates_are_kept_in_proportion_to_their_weights() {
        let weights = [0.0, 1.0, 2.0, 0.5, 40.0, 1.5, 1.0, 0.0, 3.0];
        // The fifth is certain; the others share two places in proportion to 9.
        let expected = weights.map(|weight| if weight > 10.0 { 1.0 } else { weight * 2.0 / 9.0 });
        let mut counts = [0.0; 9];
        for seed in 0..10_000 {
            let kept = systematic(&weights, 3, &mut Seed::new(seed).stream(0)).unwrap();
            assert!(kept.len() == 3 && kept.is_sorted_by(|left, right| left < right), "{kept:?}");
            kept.iter().for_each(|place| counts[*place as usize] += 1.0);
        }
        for (count, expected) in counts.iter().zip(expected) {
            let error = (expected * (1.0 - expected) / 10_000.0_f64).sqrt();
            assert!((count / 10_000.0 - expected).abs() <= 5.0 * error + 1e-12, "{counts:?}");
        }
        assert!(systematic(&weights, 8, &mut Seed::new(1).stream(0)).is_err(), "two have no weight");
        assert_eq!(systematic(&weights, 7, &mut Seed::new(1).stream(0)).unwrap(), [1, 2, 3, 4, 5, 6, 8]);
    }

    #[test]
    fn strata_keep_their_sizes() {
        let strata: Vec<Vec<u64>> = (0..50).map(|place| vec![u64::from(place % 10 < 3)]).collect();
        let weights: Vec<f64> = (0..50).map(|place| 0.5 + f64::from(place % 7)).collect();
        for seed in 0..100 {
            let kept = within_strata(&weights, 10, &strata, Seed::new(seed)).unwrap();
            assert_eq!(kept.len(), 10);
            assert_eq!(kept.iter().filter(|place| strata[**place as usize] == [1]).count(), 3);
        }
    }

    #[test]
    fn every_record_keeps_one_of_its_own() {
        let weights = [1.0, 0.0, 1.0, 3.0, 0.0, 1.0];
        let mut second = 0.0;
        for seed in 0..4_000 {
            let kept = one_of_each(&weights, 3, Seed::new(seed));
            assert!(kept.iter().enumerate().all(|(record, place)| *place as usize % 3 == record));
            second += f64::from(u8::from(kept[0] == 3));
        }
        assert!((second / 4_000.0 - 0.75).abs() < 5.0 * (0.75_f64 * 0.25 / 4_000.0).sqrt(), "{second}");
    }
}
