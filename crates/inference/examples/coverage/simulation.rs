//! How often intervals cover what they are for: populations, samples and releases drawn many times.

use inference::{FileEstimate, Interval, Level, Rule, Target, Weights, combine, share};
use rand_distr::{Binomial, Distribution, Gamma};
use rayon::prelude::*;
use statistics::counts::{CountFamily, Mean};
use synthesis::randomness::{Rng, Seed};

/// How a synthetic file is made from the counts of the original cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Synthesis {
    /// Every cell its own count, with dispersion σ and this factor on its mean.
    Counts { sigma: f64, scale: f64 },
    /// A multinomial draw of this many records with the original's shares.
    Multinomial { records: u64 },
    /// The shares drawn from their posterior, then a multinomial draw: proper synthesis.
    Posterior { records: u64 },
    /// Pairs of cells keep their total; which of the two a record is in is drawn again.
    Partial,
}

/// What is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The share of the cells of odd number.
    Share,
    /// The log odds ratio of odd number and being in the first half.
    LogOddsRatio,
}

/// One line of the study.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub synthesis: Synthesis,
    pub quantity: Quantity,
    pub rule: Rule,
    pub target: Target,
    pub weights: Weights,
    pub m: usize,
    pub cells: usize,
    pub rows: u64,
    /// How fast the shares of cells fall: cell c has (c + 5) to minus this power.
    pub steepness: f64,
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The share of intervals that cover.
    pub coverage: f64,
    /// The mean error of the estimate, in its own standard deviations.
    pub standardised_bias: f64,
    /// The mean of T over the variance of the errors.
    pub variance_ratio: f64,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            synthesis: Synthesis::Multinomial { records: 4000 },
            quantity: Quantity::Share,
            rule: Rule::Ts,
            target: Target::Population,
            weights: Weights::Equal,
            m: 1,
            cells: 400,
            rows: 4000,
            steepness: 0.5,
        }
    }
}

impl Setting {
    pub fn simulate(&self, replications: u64, seed: u64) -> Outcome {
        let truth = shares(self.cells, self.steepness);
        let done: Vec<(f64, f64, bool)> = (0..replications)
            .into_par_iter()
            .filter_map(|number| self.once(&truth, Seed::new(seed).stream(number)))
            .collect();
        let n = done.len() as f64;
        let bias = done.iter().map(|(error, _, _)| error).sum::<f64>() / n;
        let variance = done.iter().map(|(error, _, _)| (error - bias).powi(2)).sum::<f64>() / (n - 1.0);
        Outcome {
            coverage: done.iter().filter(|(_, _, covers)| *covers).count() as f64 / n,
            standardised_bias: bias / variance.sqrt(),
            variance_ratio: done.iter().map(|(_, total, _)| total).sum::<f64>()
                / n
                / (variance + bias * bias),
        }
    }

    /// Error, T, and whether the interval covers; `None` where a file has nothing to estimate from.
    fn once(&self, truth: &[f64], mut rng: Rng) -> Option<(f64, f64, bool)> {
        let original = multinomial(self.rows, truth, &mut rng);
        let wanted = match self.target {
            Target::Population => self.of_shares(truth),
            Target::Original => self.quantity.of(&original)?.estimate,
        };
        let file = |counts: Vec<u64>| self.quantity.of(&counts);
        let mut files: Vec<FileEstimate> = Vec::with_capacity(self.m);
        let mut pooled = vec![0; self.cells];
        for _ in 0..self.m {
            let counts = self.synthesis.draw(&original, &mut rng);
            pooled.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += count);
            files.push(file(counts)?);
        }
        if self.rule == Rule::Pooled {
            files = vec![file(pooled)?];
        }
        let found = combine(self.rule, &files, Some(self.rows), self.target, self.weights).ok()?;
        let interval = Interval::around(found.estimate, found.variance, found.reference, Level::USUAL);
        Some((found.estimate - wanted, found.variance, interval.covers(wanted)))
    }

    fn of_shares(&self, shares: &[f64]) -> f64 {
        let sum = |keep: fn(usize, usize) -> bool| -> f64 {
            let kept = shares.iter().enumerate().filter(|(cell, _)| keep(*cell, shares.len()));
            kept.map(|(_, share)| share).sum()
        };
        match self.quantity {
            Quantity::Share => sum(|cell, _| cell % 2 == 1),
            Quantity::LogOddsRatio => {
                let quarter = QUARTERS.map(sum);
                (quarter[0] * quarter[3] / (quarter[1] * quarter[2])).ln()
            }
        }
    }
}

/// Odd or even number, first or second half.
const QUARTERS: [fn(usize, usize) -> bool; 4] = [
    |cell, cells| cell % 2 == 1 && cell < cells / 2,
    |cell, cells| cell % 2 == 1 && cell >= cells / 2,
    |cell, cells| cell % 2 == 0 && cell < cells / 2,
    |cell, cells| cell % 2 == 0 && cell >= cells / 2,
];

impl Quantity {
    fn of(self, counts: &[u64]) -> Option<FileEstimate> {
        let records = counts.iter().sum();
        let sum = |keep: fn(usize, usize) -> bool| -> u64 {
            counts
                .iter()
                .enumerate()
                .filter(|(cell, _)| keep(*cell, counts.len()))
                .map(|(_, count)| count)
                .sum()
        };
        match self {
            Self::Share => {
                let found = share(sum(|cell, _| cell % 2 == 1), records).ok()?;
                Some(FileEstimate { estimate: found.estimate, variance: found.variance, records })
            }
            Self::LogOddsRatio => {
                let quarter = QUARTERS.map(sum);
                if quarter.contains(&0) {
                    return None;
                }
                let quarter = quarter.map(|count| count as f64);
                let estimate = (quarter[0] * quarter[3] / (quarter[1] * quarter[2])).ln();
                Some(FileEstimate {
                    estimate,
                    variance: quarter.iter().map(|count| 1.0 / count).sum(),
                    records,
                })
            }
        }
    }
}

impl Synthesis {
    pub fn draw(self, original: &[u64], rng: &mut Rng) -> Vec<u64> {
        let rows = original.iter().sum::<u64>() as f64;
        match self {
            Self::Counts { sigma, scale } => {
                let family = if sigma == 0.0 {
                    CountFamily::Poisson
                } else {
                    CountFamily::nbi(sigma).expect("a dispersion")
                };
                let draw = |count: &u64| {
                    let mean = Mean::new(*count as f64 * scale).expect("a mean");
                    if *count == 0 { 0 } else { family.distribution(mean).sample(rng) }
                };
                original.iter().map(draw).collect()
            }
            Self::Multinomial { records } => {
                let shares: Vec<f64> = original.iter().map(|count| *count as f64 / rows).collect();
                multinomial(records, &shares, rng)
            }
            Self::Posterior { records } => {
                let gammas = original.iter().map(|count| match *count {
                    0 => 0.0,
                    count => Gamma::new(count as f64, 1.0).expect("a positive shape").sample(rng),
                });
                let gammas: Vec<f64> = gammas.collect();
                let total: f64 = gammas.iter().sum();
                multinomial(records, &gammas.iter().map(|gamma| gamma / total).collect::<Vec<f64>>(), rng)
            }
            Self::Partial => {
                let mut counts = original.to_vec();
                for pair in counts.chunks_mut(2) {
                    let total: u64 = pair.iter().sum();
                    let odd = pair[pair.len() - 1] as f64 / total.max(1) as f64;
                    let drawn = Binomial::new(total, odd).expect("a share").sample(rng);
                    let last = pair.len() - 1;
                    pair[last] = drawn;
                    pair[0] = total - drawn;
                }
                counts
            }
        }
    }
}

/// Cell shares that fall with their number.
pub fn shares(cells: usize, steepness: f64) -> Vec<f64> {
    let weights: Vec<f64> = (0..cells).map(|cell| (cell as f64 + 5.0).powf(-steepness)).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

pub fn multinomial(records: u64, shares: &[f64], rng: &mut Rng) -> Vec<u64> {
    let (mut left, mut mass) = (records, 1.0_f64);
    let draw = |share: &f64| {
        let probability = if mass > 0.0 { (share / mass).clamp(0.0, 1.0) } else { 1.0 };
        let count = Binomial::new(left, probability).expect("a probability").sample(rng);
        left -= count;
        mass -= share;
        count
    };
    let mut counts: Vec<u64> = shares.iter().map(draw).collect();
    if let Some(last) = counts.last_mut() {
        *last += left;
    }
    counts
}
