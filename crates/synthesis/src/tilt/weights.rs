//! The weights of candidates: coordinate descent on the penalised likelihood of the tilted distribution.

use rayon::prelude::*;

use super::aim::{Features, Targets};
use super::exponential::multiply;
use super::pool::{Change, Feature, Pool, Sums};

/// c: the ridge, in records.
const RIDGE: f64 = 10.0;

/// A coefficient moves by at most this in a step.
const LONGEST_STEP: f64 = 0.5;

/// No weight is above so many times the mean …
const CAP: f64 = 5.0;

/// … nor above this share of the number of candidates a record, so that none is kept twice.
const OF_CANDIDATES: f64 = 0.98;

/// A sweep that moves less than this, in units of squared standard errors, is the last.
const STILL: f64 = 0.5;

/// Weights are brought under the cap at most so often.
const MOST_CAPS: usize = 30;

/// Candidates whose sums are formed at once.
const BLOCK: usize = 1 << 12;

/// From so many blocks on they are shared out among threads.
const SHARED_OUT: usize = 12;

/// Coefficients on their way, and what they aim at.
pub(super) struct Fit<'a> {
    pub targets: Targets<'a>,
    pub theta: Vec<f64>,
}

impl<'a> Fit<'a> {
    pub(super) fn new(targets: Targets<'a>, theta: Vec<f64>) -> Self {
        Self { targets, theta }
    }
}

/// Weights of the candidates of a pool.
pub(super) struct Weights<'a> {
    pool: &'a Pool,
    features: &'a Features,
    weights: Vec<f64>,
    cap: f64,
}

impl<'a> Weights<'a> {
    /// Equal weights, but none for copies; `each` is how many candidates there are for each record that is kept.
    pub(super) fn new(pool: &'a Pool, features: &'a Features, is_copy: &[bool], each: f64) -> Self {
        let weights = is_copy.iter().map(|is_copy| f64::from(u8::from(!is_copy))).collect();
        Self { pool, features, weights, cap: CAP.min(OF_CANDIDATES * each) }
    }

    /// Multiplies the weights by exp(θ · f).
    pub(super) fn tilt(&mut self, fit: &Fit<'_>) {
        let (pool, features) = (self.pool, self.features);
        let block = |(number, weights): (usize, &mut [f64])| {
            let mut exponents = [0.0; BLOCK];
            let exponents = &mut exponents[..weights.len()];
            for (feature, place) in features.iter() {
                pool.add_exponents(feature, &fit.theta[place], number * BLOCK, exponents);
            }
            multiply(weights, exponents.iter().map(|exponent| *exponent as f32));
        };
        if self.weights.len() >= SHARED_OUT * BLOCK {
            self.weights.par_chunks_mut(BLOCK).enumerate().for_each(block);
        } else {
            self.weights.chunks_mut(BLOCK).enumerate().for_each(block);
        }
        self.cap();
    }

    /// Sweeps over all features until they are still, at most so often. In each, every coefficient in turn takes a Newton step of the penalised
    /// likelihood, (t − e − c θ) / (v + c), cells of a table at once.
    pub(super) fn sweep(&mut self, fit: &mut Fit<'_>, most: usize) {
        let n = fit.targets.records;
        for _ in 0..most {
            let mut moved = 0.0;
            let mut pending: Option<(Feature, Change)> = None;
            for (feature, place) in self.features.iter() {
                let sums = self.pass(pending.take().as_ref(), Some(feature));
                let Some(sums) = sums.filter(|sums| sums.total > 0.0) else { return };
                let scale = n / sums.total;
                let targets = &fit.targets.sums[place.clone()];
                let theta = &mut fit.theta[place];
                let mut step = Vec::with_capacity(theta.len());
                for (at, (theta, target)) in theta.iter_mut().zip(targets).enumerate() {
                    let expected = scale * sums.first[at];
                    let variance = match sums.second.get(at) {
                        None => expected,
                        Some(second) => (scale * second - expected * expected / n).max(0.0),
                    };
                    let d = (target - expected - RIDGE * *theta) / (variance + RIDGE);
                    let d = d.clamp(-LONGEST_STEP, LONGEST_STEP);
                    *theta += d;
                    moved += d * d * variance;
                    step.push(d);
                }
                pending = Some((feature, Change::new(feature, &step)));
            }
            self.pass(pending.as_ref(), None);
            self.cap();
            if moved < STILL {
                break;
            }
        }
    }

    /// χ² over its degrees of freedom of every pair of variables: Σ (o − e)² / ½(o + e), as far as cells are occupied.
    pub(super) fn distances(&mut self, fit: &Fit<'_>) -> Vec<f64> {
        let mut distances = Vec::new();
        for (feature, place) in self.features.iter() {
            if !matches!(feature, Feature::Pair { .. }) {
                continue;
            }
            let Some(sums) = self.pass(None, Some(feature)).filter(|sums| sums.total > 0.0) else { continue };
            let scale = fit.targets.records / sums.total;
            let cells = fit.targets.sums[place].iter().zip(sums.first.iter().map(|sum| scale * sum));
            let (mut chi_square, mut occupied) = (0.0, 0.0);
            for (observed, expected) in cells.filter(|(observed, expected)| *observed + expected > 0.0) {
                chi_square += 2.0 * (observed - expected).powi(2) / (observed + expected);
                occupied += 1.0;
            }
            distances.push(chi_square / f64::max(occupied - 1.0, 1.0));
        }
        distances
    }

    /// (Σ w)² / (M Σ w²): the share of the candidates that equal weights would need for the same variance (Kish 1965).
    pub(super) fn effective_share(&self) -> f64 {
        let sum: f64 = self.weights.iter().sum();
        let squares: f64 = self.weights.iter().map(|weight| weight * weight).sum();
        if squares > 0.0 { sum * sum / (self.weights.len() as f64 * squares) } else { 0.0 }
    }

    /// The share of the candidates whose weight is the largest that is allowed.
    pub(super) fn capped_share(&self) -> f64 {
        let mean = self.weights.iter().sum::<f64>() / self.weights.len() as f64;
        let capped = self.weights.iter().filter(|weight| **weight >= 0.98 * self.cap * mean).count();
        capped as f64 / self.weights.len() as f64
    }

    pub(super) fn into_weights(self) -> Vec<f64> {
        self.weights
    }

    /// Brings the mean near 1 with no weight above the cap, so that no candidate is kept twice; as far as there are candidates enough.
    fn cap(&mut self) {
        let all = self.weights.len() as f64;
        for _ in 0..MOST_CAPS {
            let total: f64 = self.weights.chunks(BLOCK).map(|block| block.iter().sum::<f64>()).sum();
            if total <= 0.0 {
                return;
            }
            let (scale, cap) = (all / total, self.cap);
            self.weights.iter_mut().for_each(|weight| *weight = (*weight * scale).min(cap));
            let capped: f64 = self.weights.chunks(BLOCK).map(|block| block.iter().sum::<f64>()).sum();
            if capped >= 0.99 * all {
                break;
            }
        }
    }

    /// Multiplies the weights by a change, then sums a feature: once over all candidates, block by block, added in order.
    fn pass(&mut self, change: Option<&(Feature, Change)>, wanted: Option<Feature>) -> Option<Sums> {
        let pool = self.pool;
        let block = |number: usize, weights: &mut [f64], sums: &mut [f64]| {
            let start = number * BLOCK;
            if let Some((feature, change)) = change {
                pool.multiply(*feature, change, start, weights);
            }
            if let Some(feature) = wanted {
                pool.collect(feature, start, weights, sums);
            }
        };
        let empty = || wanted.map_or_else(Vec::new, Pool::empty_sums);
        let mut sums = empty();
        let mut add = |of_block: &[f64]| sums.iter_mut().zip(of_block).for_each(|(sum, more)| *sum += more);
        if self.weights.len() >= SHARED_OUT * BLOCK {
            let blocks = self.weights.par_chunks_mut(BLOCK).enumerate().map(|(number, weights)| {
                let mut of_block = empty();
                block(number, weights, &mut of_block);
                of_block
            });
            blocks.collect::<Vec<_>>().iter().for_each(|of_block| add(of_block));
        } else {
            let mut of_block = empty();
            for (number, weights) in self.weights.chunks_mut(BLOCK).enumerate() {
                of_block.fill(0.0);
                block(number, weights, &mut of_block);
                add(&of_block);
            }
        }
        wanted.map(|feature| Sums::new(feature, sums))
    }
}

#[cfg(test)]
mod tests {
    use super::super::aim::Aim;
    use super::super::pool::Coded;
    use super::*;
    use crate::randomness::Seed;
    use rand::RngExt;

    /// Records of two binary variables and a number that depends on both; candidates have all three apart.
    fn records(rows: usize, seed: u64, apart: bool) -> Pool {
        let mut rng = Seed::new(seed).stream(0);
        let (mut a, mut b, mut x, mut z) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rows {
            let left = u8::from(rng.random::<f64>() < 0.3);
            let chance = if apart { 0.45 } else { 0.3 + 0.5 * f64::from(left) };
            let right = u8::from(rng.random::<f64>() < chance);
            let noise = rng.random::<f64>() + rng.random::<f64>() + rng.random::<f64>() - 1.5;
            let shift = if apart { 0.3 } else { 0.6 * f64::from(left) + 0.2 * f64::from(right) };
            let number = (noise + shift).clamp(-3.0, 3.0);
            a.push(left);
            b.push(right);
            x.push(((number + 1.0) * 2.0).clamp(0.0, 3.0) as u8);
            z.push(number as f32);
        }
        let column = |classes: Vec<u8>| Coded { classes, moments: None };
        let number = Coded { classes: x, moments: Some(z) };
        Pool::new(rows, vec![(2, false), (2, false), (4, true)], vec![column(a), column(b), number])
    }

    /// With the penalised likelihood at its minimum, o − e = c θ in every cell and moment.
    #[test]
    fn what_is_left_is_the_ridge_times_theta() {
        let aim = Aim::of(records(400, 1, false), false);
        let pool = records(4_000, 2, true);
        let mut weights = Weights::new(&pool, aim.features(), &vec![false; 4_000], 5.0);
        let mut fit = Fit::new(aim.targets(None), vec![0.0; aim.features().coefficients()]);
        let before = weights.distances(&fit);
        weights.cap = 1e9;
        // Tables and the variables in them say the same, and only the ridge shares it out between them: many sweeps.
        for _ in 0..2_000 {
            weights.sweep(&mut fit, 1);
        }
        let after = weights.distances(&fit);
        assert!(before[0] > 5.0 && after.iter().all(|distance| *distance < 1.0), "{before:?} {after:?}");
        let n = fit.targets.records;
        for (feature, place) in aim.features().iter() {
            let sums = weights.pass(None, Some(feature)).unwrap();
            for (at, coefficient) in place.enumerate() {
                let left = fit.targets.sums[coefficient] - n / sums.total * sums.first[at];
                assert!((left - RIDGE * fit.theta[coefficient]).abs() < 0.05, "{feature:?} {left}");
            }
        }
        assert!((0.3..0.95).contains(&weights.effective_share()), "{}", weights.effective_share());
    }

    #[test]
    fn copies_have_no_weight_and_nobody_too_much() {
        let aim = Aim::of(records(4_000, 1, false), false);
        let pool = records(20_000, 2, true);
        let is_copy: Vec<bool> = (0..20_000).map(|row| row % 11 == 0).collect();
        let mut weights = Weights::new(&pool, aim.features(), &is_copy, 2.0);
        let mut fit = Fit::new(aim.targets(None), vec![0.0; aim.features().coefficients()]);
        weights.sweep(&mut fit, 4);
        let weights = weights.into_weights();
        let mean = weights.iter().sum::<f64>() / 20_000.0;
        assert!(weights.iter().zip(&is_copy).all(|(weight, is_copy)| (*weight == 0.0) == *is_copy));
        assert!(weights.iter().all(|weight| *weight <= 2.0 * mean), "no candidate is kept twice");
    }

    #[test]
    fn sums_are_the_same_bytes_on_any_number_of_threads() {
        let aim = Aim::of(records(3_000, 3, false), false);
        let pool = records(80_000, 4, true);
        let run = |threads: usize| {
            let pool_of_threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool_of_threads.install(|| {
                let mut weights = Weights::new(&pool, aim.features(), &vec![false; 80_000], 5.0);
                let mut fit = Fit::new(aim.targets(None), vec![0.0; aim.features().coefficients()]);
                weights.sweep(&mut fit, 3);
                weights.into_weights()
            })
        };
        assert_eq!(run(1), run(3));
    }
}
