//! Normal variables that are known by intervals, jointly normal with what else is known of a record.
//!
//! The columns of a record are the latent z, scores of ordered variables (the mean of z in each level) and indicators of levels, as many as are related to a latent one. Given z the inverse of their covariance says of each latent
//! column what it is given all others: normal with mean μ_a − Σ_b Ω_ab (v_b − μ_b)/Ω_aa and variance 1/Ω_aa. Data augmentation (Tanner & Wong 1987) draws z within its interval by that, and the
//! covariance anew, in turns; each z begins at a place of its interval by chance. A record is then drawn by the last covariance, its latent columns in turns (Gibbs).

use rayon::prelude::*;
use statistics::regression::SymmetricMatrix;

use super::normal::{below, density, quantile, truncated};
use crate::randomness::{Rng, Seed};

/// Records that a covariance is learned from, and the fewest.
const MOST_RECORDS: usize = 10_000;
const FEWEST_RECORDS: usize = 50;
/// Draws of all z and of the covariance.
const ROUNDS: usize = 12;
/// Draws of the z of a record, at most.
const TURNS: usize = 4;
/// Columns of what is known, at most, and records that each needs.
const MOST_KNOWN: usize = 40;
const RECORDS_A_COLUMN: usize = 25;
/// An indicator is for a level that this share of the records has.
const LEAST_SHARE: f64 = 0.01;
/// A column is related to a latent one if their squared correlation is above what chance gives, by so many times.
const ABOVE_CHANCE: f64 = 6.0;
/// Ordered variables of up to so many levels are known by indicators.
const FEW_LEVELS: usize = 6;
/// What is added to the diagonal of a correlation matrix.
const RIDGE: f64 = 1e-4;

/// What a variable is.
pub(crate) enum Variable {
    /// Its classes of numbers are intervals of z with these limits; further classes are codes and missing.
    Latent { limits: Vec<f64>, classes: usize },
    /// Its levels are known; so many of them, from the first, have an order.
    Known { classes: usize, ordered: usize },
}

impl Variable {
    pub(crate) fn latent(limits: Vec<f64>, classes: usize) -> Self {
        Self::Latent { limits, classes }
    }

    pub(crate) fn known(classes: usize, ordered: usize) -> Self {
        Self::Known { classes, ordered }
    }
}

/// Records as classes.
pub(crate) struct Coded<'a> {
    pub(crate) rows: usize,
    pub(crate) class: &'a (dyn Fn(usize, usize) -> u32 + Sync),
}

/// A column of what is known: a number for each class of a variable.
struct Known {
    variable: usize,
    of_class: Vec<f64>,
}

struct LatentColumn {
    variable: usize,
    limits: Vec<f64>,
    /// The mean of z in each interval.
    means: Vec<f64>,
}

/// Latent columns first, then what is known.
pub(crate) struct Joint {
    variables: usize,
    latent: Vec<LatentColumn>,
    known: Vec<Known>,
    means: Vec<f64>,
    /// −Ω_ab/Ω_aa of the latent columns, and the deviations 1/√Ω_aa.
    weights: Vec<Vec<f64>>,
    deviations: Vec<f64>,
}

impl Joint {
    /// Nothing where there is no latent variable, or too few records.
    pub(crate) fn learn(variables: &[Variable], records: &Coded<'_>, seed: Seed) -> Option<Self> {
        let latent: Vec<LatentColumn> = variables
            .iter()
            .enumerate()
            .filter_map(|(variable, of)| match of {
                Variable::Latent { limits, .. } => Some(LatentColumn::new(variable, limits)),
                Variable::Known { .. } => None,
            })
            .collect();
        let step = records.rows.div_ceil(MOST_RECORDS).max(1);
        let rows: Vec<usize> = (0..records.rows).step_by(step).collect();
        if latent.is_empty()
            || rows.len() < FEWEST_RECORDS
            || rows.len() < RECORDS_A_COLUMN / 5 * latent.len()
        {
            return None;
        }
        let known = related(variables, &latent, records, &rows);
        let mut joint = Self {
            variables: variables.len(),
            means: vec![0.0; latent.len() + known.len()],
            weights: Vec::new(),
            deviations: Vec::new(),
            latent,
            known,
        };
        let start = |row: &usize| {
            let class = |variable: usize| (records.class)(*row, variable);
            let mut rng = seed.stream(*row as u64);
            let mut values = joint.start(&class);
            for (value, of) in values.iter_mut().zip(&joint.latent) {
                if let Some((low, high)) = of.interval(class(of.variable)) {
                    *value = truncated(0.0, 1.0, low, high, &mut rng);
                }
            }
            values
        };
        let mut table: Vec<Vec<f64>> = rows.par_iter().map(start).collect();
        for round in 0..ROUNDS {
            joint.regress(&table)?;
            let streams = seed.child(round as u64);
            table.par_iter_mut().zip(&rows).for_each(|(values, row)| {
                let class = |variable: usize| (records.class)(*row, variable);
                joint.turn(values, &class, &mut streams.stream(*row as u64));
            });
        }
        joint.regress(&table)?;
        Some(joint)
    }

    /// The z of a record, by variable.
    pub(crate) fn draw(&self, class: &impl Fn(usize) -> u32, rng: &mut Rng) -> Vec<Option<f64>> {
        let mut values = self.start(class);
        // One latent column is drawn from its own law at once, two hardly need more than one turn each.
        for _ in 0..TURNS.min(self.latent.len()) {
            self.turn(&mut values, class, rng);
        }
        let mut found = vec![None; self.variables];
        for (of, z) in self.latent.iter().zip(values) {
            if of.interval(class(of.variable)).is_some() {
                found[of.variable] = Some(z);
            }
        }
        found
    }

    /// The columns of a record, each z at the mean of its interval, and at 0 where it has none.
    fn start(&self, class: &impl Fn(usize) -> u32) -> Vec<f64> {
        let latent = self.latent.iter().map(|of| {
            let class = class(of.variable) as usize;
            of.means.get(class).copied().unwrap_or(0.0)
        });
        let known = self.known.iter().map(|of| of.of_class[class(of.variable) as usize]);
        latent.chain(known).collect()
    }

    /// Draws every z given all others.
    fn turn(&self, values: &mut [f64], class: &impl Fn(usize) -> u32, rng: &mut Rng) {
        for (at, of) in self.latent.iter().enumerate() {
            let Some((low, high)) = of.interval(class(of.variable)) else { continue };
            let others = self.weights[at].iter().zip(values.iter()).zip(&self.means);
            let mean =
                self.means[at] + others.map(|((weight, value), mean)| weight * (value - mean)).sum::<f64>();
            values[at] = truncated(mean, self.deviations[at], low, high, rng);
        }
    }

    /// Means, weights and deviations from records.
    fn regress(&mut self, table: &[Vec<f64>]) -> Option<()> {
        let (n, size) = (table.len() as f64, self.means.len());
        let blocks: Vec<Vec<f64>> = table
            .par_chunks(1 << 10)
            .map(|rows| {
                // Sums, then products on and above the diagonal.
                let mut sums = vec![0.0; size + size * size];
                for values in rows {
                    for (i, one) in values.iter().enumerate() {
                        sums[i] += one;
                        let products = &mut sums[size + i * size..][i..size];
                        products.iter_mut().zip(&values[i..]).for_each(|(sum, other)| *sum += one * other);
                    }
                }
                sums
            })
            .collect();
        let mut sums = vec![0.0; size + size * size];
        blocks.iter().for_each(|block| sums.iter_mut().zip(block).for_each(|(sum, more)| *sum += more));
        let means: Vec<f64> = sums[..size].iter().map(|sum| sum / n).collect();
        let covariance = |i: usize, j: usize| sums[size + i * size + j] / n - means[i] * means[j];
        let scales: Vec<f64> = (0..size).map(|i| covariance(i, i).max(1e-12).sqrt()).collect();
        let correlations = SymmetricMatrix::from_upper(size, |i, j| {
            let ridge = if i == j { RIDGE } else { 0.0 };
            covariance(i, j) / (scales[i] * scales[j]) + ridge
        });
        let inverse = inverse(&correlations)?;
        let latent = self.latent.len();
        self.weights = (0..latent)
            .map(|a| {
                let of = |b: usize| match a == b {
                    true => 0.0,
                    false => -inverse[a][b] / inverse[a][a] * scales[a] / scales[b],
                };
                (0..size).map(of).collect()
            })
            .collect();
        self.deviations = (0..latent).map(|a| scales[a] / inverse[a][a].sqrt()).collect();
        self.means = means;
        Some(())
    }
}

impl LatentColumn {
    fn new(variable: usize, limits: &[f64]) -> Self {
        let mean = |ends: &[f64]| {
            (density(ends[0]) - density(ends[1])) / (below(ends[1]) - below(ends[0])).max(1e-12)
        };
        Self { variable, limits: limits.to_vec(), means: limits.windows(2).map(mean).collect() }
    }

    /// The interval of z of a class; nothing for codes and missing.
    fn interval(&self, class: u32) -> Option<(f64, f64)> {
        let class = class as usize;
        (class + 1 < self.limits.len()).then(|| (self.limits[class], self.limits[class + 1]))
    }
}

/// What is known and related to a latent column: the columns with the largest correlations with one.
fn related(
    variables: &[Variable],
    latent: &[LatentColumn],
    records: &Coded<'_>,
    rows: &[usize],
) -> Vec<Known> {
    let n = rows.len() as f64;
    let middles: Vec<Vec<f64>> = latent
        .iter()
        .map(|of| {
            let middle = |row: &usize| {
                of.means.get((records.class)(*row, of.variable) as usize).copied().unwrap_or(0.0)
            };
            rows.iter().map(middle).collect()
        })
        .collect();
    let candidates = |(variable, of): (usize, &Variable)| -> Vec<(f64, Known)> {
        let (classes, ordered, first) = match of {
            Variable::Latent { limits, classes } => (*classes, 0, limits.len() - 1),
            Variable::Known { classes, ordered } => (*classes, *ordered, 0),
        };
        let mut counts = vec![0.0; classes];
        let codes: Vec<usize> = rows.iter().map(|row| (records.class)(*row, variable) as usize).collect();
        codes.iter().for_each(|code| counts[*code] += 1.0);
        let is_score = ordered > FEW_LEVELS;
        let mut columns = Vec::new();
        if is_score {
            columns.push(scores(&counts[..ordered], classes));
        }
        let from = if is_score { ordered } else { first };
        let most = (from..classes).max_by(|one, other| counts[*one].total_cmp(&counts[*other]));
        for level in from..classes {
            // All levels but one tell the last; beside numbers there are always others.
            let tells = from > 0 || Some(level) != most;
            if tells && counts[level] >= LEAST_SHARE * n && counts[level] < n {
                let mut of_class = vec![0.0; classes];
                of_class[level] = 1.0;
                columns.push(of_class);
            }
        }
        let correlation = |of_class: &Vec<f64>, middles: &Vec<f64>| {
            let (mut x, mut y, mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for (code, middle) in codes.iter().zip(middles) {
                let value = of_class[*code];
                (x, y) = (x + value, y + middle);
                (xx, yy, xy) = (xx + value * value, yy + middle * middle, xy + value * middle);
            }
            let product = xy / n - x * y / n / n;
            let variances = (xx / n - x * x / n / n) * (yy / n - y * y / n / n);
            if variances > 1e-15 { product * product / variances } else { 0.0 }
        };
        let with_strength = |of_class: Vec<f64>| {
            let others = latent.iter().zip(&middles).filter(|(of, _)| of.variable != variable);
            let strength = others.map(|(_, middles)| correlation(&of_class, middles)).fold(0.0, f64::max);
            (strength, Known { variable, of_class })
        };
        columns.into_iter().map(with_strength).collect()
    };
    let all: Vec<Vec<(f64, Known)>> = variables.par_iter().enumerate().map(candidates).collect();
    let mut all: Vec<(f64, Known)> =
        all.into_iter().flatten().filter(|(strength, _)| *strength > ABOVE_CHANCE / n).collect();
    // A stable sort: equal ones stay in the order of their variables.
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    let most = MOST_KNOWN.min((rows.len() / RECORDS_A_COLUMN).saturating_sub(latent.len()));
    all.into_iter().take(most).map(|(_, known)| known).collect()
}

/// The mean of z in each ordered level, by their counts; 0 in the others.
fn scores(counts: &[f64], classes: usize) -> Vec<f64> {
    let all: f64 = counts.iter().sum::<f64>().max(1.0);
    let mut sum = 0.0;
    let mut limits = vec![f64::NEG_INFINITY];
    limits.extend(counts.iter().map(|count| {
        sum += count / all;
        quantile(sum)
    }));
    let mean = |ends: &[f64]| match below(ends[1]) - below(ends[0]) {
        share if share > 1e-9 => (density(ends[0]) - density(ends[1])) / share,
        _ => ends[0].clamp(-4.0, 4.0),
    };
    let mut of_class: Vec<f64> = limits.windows(2).map(mean).collect();
    of_class.resize(classes, 0.0);
    of_class
}

/// The inverse of a positive definite matrix, row by row.
fn inverse(matrix: &SymmetricMatrix) -> Option<Vec<Vec<f64>>> {
    use faer::linalg::solvers::DenseSolveCore;
    let size = matrix.size();
    let dense = faer::Mat::from_fn(size, size, |i, j| matrix.get(i, j));
    let inverse = dense.llt(faer::Side::Lower).ok()?.inverse();
    Some((0..size).map(|i| (0..size).map(|j| inverse[(i, j)]).collect()).collect())
}
