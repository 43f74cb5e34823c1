//! The table of a pair behind its noise.
//!
//! What may be expected of it before the noise is looked through are up to six tables, each charged h for what it took from the noisy counts y:
//!
//! - I: independence of the single variables, e; h = 0.
//! - R: e and the singular values of the doubly centred y − e above sd (√(a−1) + √(b−1)), at most three, each shrunk as Gavish and Donoho (2017) do for squared
//!   error: √((s² − (a−1) sd² − (b−1) sd²)² − 4 (a−1)(b−1) sd⁴)/s; never below 0.03 e; h = 2 r (a + b − 2).
//! - L, where both variables are ordered or binary: e exp(β s_a s_b) raked to the single variables, with scores s of mean 0 and variance 1, the linear-by-linear association
//!   of Goodman (1979) and Agresti (2013, 10.5); h = 1.5.
//! - LR: as R around L; h = 1.5 + 2 r (a + b − 2).
//! - S and LS, where a variable is ordered: as R and LR, with y − e first projected onto smooth functions of its groups, weighted by what they are expected to hold: polynomials of degree 1 to 4 of the scores, the
//!   largest group by itself, and each code or missing value by itself. Projected noise has the same standard deviation in fewer dimensions, which take the place of a − 1 and b − 1: so a bent
//!   association, or one of unordered levels with a smooth outcome, is seen behind more noise.
//!
//! Each is the mean of a Gamma prior ([`shrink`]); the estimates (E√y)² are averaged by exp(evidence − h). So a table is flattened only as far as its noise
//! leaves no better guess, and an association along the order of levels survives much noise.

use super::grouping::{Grouping, Levels};
use super::posterior::{Noise, Shrunk, log_sum, shapes_of_pairs, shrink};

/// Rounds of raking.
const ROUNDS: usize = 4;
/// The most singular values.
const MOST_RANK: usize = 3;
/// A table with singular values added keeps this share of each cell.
const KEPT: f64 = 0.03;
/// The charge of the slope β.
const CHARGE_OF_SLOPE: f64 = 1.5;
/// The largest slope that is tried, and how many values at first.
const LARGEST_SLOPE: f64 = 1.2;
const SLOPES: usize = 17;
const GOLDEN_STEPS: usize = 9;
/// The highest degree of a smooth function.
const DEGREE: i32 = 4;
/// Exponents and scores are cut here.
const MOST_EXPONENT: f64 = 6.0;
const MOST_SCORE: f64 = 4.0;

/// One side of a pair: its levels, their expected counts, and its groups.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) levels: &'a Levels,
    pub(super) counts: &'a [f64],
    pub(super) grouping: &'a Grouping,
}

impl Side<'_> {
    fn sums(&self) -> Vec<f64> {
        self.grouping.sums(self.counts)
    }

    /// Scores of the groups, with mean 0 and variance 1 over the records that have one; nothing if the levels have no order or no spread.
    fn scores(&self) -> Option<Vec<f64>> {
        let levels = self.levels;
        let values = if levels.have_an_order() { levels.ordered } else { levels.size };
        if !levels.have_an_order() && levels.size != 2 {
            return None;
        }
        let of = &self.counts[..values];
        let total: f64 = of.iter().sum();
        let mean = of.iter().enumerate().map(|(level, count)| level as f64 * count).sum::<f64>() / total;
        let mut sums = vec![(0.0, 0.0); self.grouping.groups];
        for (level, count) in of.iter().enumerate() {
            let (score, weight) = &mut sums[self.grouping.of_level[level] as usize];
            *score += (level as f64 - mean) * count;
            *weight += count;
        }
        let means: Vec<f64> =
            sums.iter().map(|(score, weight)| if *weight > 0.0 { score / weight } else { 0.0 }).collect();
        let variance =
            means.iter().zip(&sums).map(|(score, (_, weight))| score * score * weight).sum::<f64>() / total;
        let scale = variance.sqrt();
        (scale > 1e-9)
            .then(|| means.iter().map(|score| (score / scale).clamp(-MOST_SCORE, MOST_SCORE)).collect())
    }

    /// The smooth functions of ordered groups, or all where levels have no order or the groups are too few to be smooth over.
    fn functions(&self) -> Functions {
        let groups = self.grouping.groups;
        let sums = self.sums();
        let (true, Some(scores)) = (self.levels.have_an_order(), self.scores()) else {
            return Functions::All(groups);
        };
        let mut is_value = vec![false; groups];
        self.grouping.of_level[..self.levels.ordered]
            .iter()
            .for_each(|group| is_value[*group as usize] = true);
        let of_values = |function: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..groups).map(|group| if is_value[group] { function(group) } else { 0.0 }).collect()
        };
        let alone = |which: usize| (0..groups).map(|group| f64::from(u8::from(group == which))).collect();
        let largest = (0..groups).max_by(|one, other| sums[*one].total_cmp(&sums[*other])).unwrap_or(0);
        let mut functions: Vec<Vec<f64>> =
            (1..=DEGREE).map(|degree| of_values(&|group| scores[group].powi(degree))).collect();
        functions.push(alone(largest));
        functions.extend((0..groups).filter(|group| !is_value[*group]).map(alone));
        let functions = orthonormal(functions, &sums);
        if functions.is_empty() || functions.len() + 2 > groups.saturating_sub(1) {
            return Functions::All(groups);
        }
        Functions::Some(functions)
    }
}

/// Functions made to have mean zero over the records, times the records of each group, and orthonormal; what adds nothing is left out.
fn orthonormal(functions: Vec<Vec<f64>>, sums: &[f64]) -> Vec<Vec<f64>> {
    let total: f64 = sums.iter().sum();
    let product =
        |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
    let mut found: Vec<Vec<f64>> = Vec::with_capacity(functions.len());
    for function in functions {
        let mean = product(&function, sums) / total;
        let mut vector: Vec<f64> =
            function.iter().zip(sums).map(|(value, sum)| (value - mean) * sum).collect();
        let before = product(&vector, &vector).sqrt();
        // Twice, against rounding.
        for _ in 0..2 {
            for other in &found {
                let along = product(&vector, other);
                vector.iter_mut().zip(other).for_each(|(entry, other)| *entry -= along * other);
            }
        }
        let length = product(&vector, &vector).sqrt();
        if length > 1e-6 * before && length > 0.0 {
            vector.iter_mut().for_each(|entry| *entry /= length);
            found.push(vector);
        }
    }
    found
}

/// The expected counts of independence, the second side fastest.
pub(super) fn independence(one: &[f64], other: &[f64], records: f64) -> Vec<f64> {
    one.iter().flat_map(|one| other.iter().map(move |other| one * other / records)).collect()
}

/// The estimated counts of a pair that was seen as `seen`, the second side fastest.
pub(super) fn estimated(sides: [Side<'_>; 2], seen: &[f64], noise: &Noise, records: f64) -> Vec<f64> {
    let (one, other) = (sides[0].sums(), sides[1].sums());
    let independent = independence(&one, &other, records);
    let mut priors: Vec<(Vec<f64>, f64)> = Vec::new();
    let within = [sides[0].functions(), sides[1].functions()];
    let is_smooth = within.iter().any(|functions| matches!(functions, Functions::Some(_)));
    let all = [Functions::All(one.len()), Functions::All(other.len())];
    let mut add = |base: &[f64], charge: f64| {
        priors.extend(with_rank(base, seen, noise.sd(), charge, &all));
        if is_smooth {
            priors.extend(with_rank(base, seen, noise.sd(), charge, &within));
        }
    };
    add(&independent, 0.0);
    if let (Some(scores), Some(other_scores)) = (sides[0].scores(), sides[1].scores()) {
        let linear = linear_by_linear(&independent, seen, [&one, &other], [&scores, &other_scores]);
        add(&linear, CHARGE_OF_SLOPE);
        priors.push((linear, CHARGE_OF_SLOPE));
    }
    priors.push((independent, 0.0));
    let least = 1e-9 * records / seen.len() as f64;
    let believed: Vec<(Shrunk, f64)> = priors
        .into_iter()
        .map(|(mut means, charge)| {
            means.iter_mut().for_each(|mean| *mean = mean.max(least));
            (shrink(seen, &means, shapes_of_pairs(), noise), charge)
        })
        .collect();
    let all = log_sum(believed.iter().map(|(one, charge)| one.log_evidence - charge));
    let mut estimates = vec![0.0; seen.len()];
    for (one, charge) in &believed {
        let weight = (one.log_evidence - charge - all).exp();
        if weight > 1e-9 {
            estimates
                .iter_mut()
                .zip(&one.roots)
                .for_each(|(estimate, root)| *estimate += weight * root * root);
        }
    }
    estimates
}

/// Functions of the groups of a variable that sum to zero.
enum Functions {
    /// All of them, of so many groups.
    All(usize),
    /// Some, orthonormal.
    Some(Vec<Vec<f64>>),
}

impl Functions {
    fn dimension(&self) -> usize {
        match self {
            Self::All(groups) => groups.saturating_sub(1),
            Self::Some(functions) => functions.len(),
        }
    }

    /// Projects a vector.
    fn project(&self, vector: &mut [f64]) {
        match self {
            Self::All(groups) => {
                let mean = vector.iter().sum::<f64>() / *groups as f64;
                vector.iter_mut().for_each(|entry| *entry -= mean);
            }
            Self::Some(functions) => {
                let mut image = vec![0.0; vector.len()];
                for function in functions {
                    let product: f64 = function.iter().zip(&*vector).map(|(one, other)| one * other).sum();
                    image.iter_mut().zip(function).for_each(|(image, entry)| *image += product * entry);
                }
                vector.copy_from_slice(&image);
            }
        }
    }
}

/// A table with the clear singular values of what it leaves unexplained within some functions, and its charge; nothing where none is clear.
fn with_rank(
    base: &[f64],
    seen: &[f64],
    sd: f64,
    charge: f64,
    within: &[Functions; 2],
) -> Option<(Vec<f64>, f64)> {
    let columns = match &within[1] {
        Functions::All(groups) => *groups,
        Functions::Some(functions) => functions[0].len(),
    };
    let rows = base.len() / columns;
    let dimensions = [within[0].dimension(), within[1].dimension()];
    if dimensions.contains(&0) {
        return None;
    }
    let mut rest: Vec<f64> = seen.iter().zip(base).map(|(seen, base)| seen - base).collect();
    project(&mut rest, columns, within);
    let matrix = faer::MatRef::from_row_major_slice(&rest, rows, columns);
    let (left, values, right) = leading(matrix);
    let (one, other) = (dimensions[0] as f64 * sd * sd, dimensions[1] as f64 * sd * sd);
    let threshold = one.sqrt() + other.sqrt();
    let most = dimensions[0].min(dimensions[1]);
    let rank = values.iter().take(most).take_while(|value| **value > threshold).count();
    if rank == 0 {
        return None;
    }
    let mut table = base.to_vec();
    for at in 0..rank {
        let value = values[at];
        let square = value * value;
        let shrunk = ((square - one - other).powi(2) - 4.0 * one * other).max(0.0).sqrt() / value;
        for (row, cells) in table.chunks_mut(columns).enumerate() {
            let factor = shrunk * left[at][row];
            cells.iter_mut().zip(&right[at]).for_each(|(cell, right)| *cell += factor * right);
        }
    }
    let wanted: f64 = base.iter().sum();
    table.iter_mut().zip(base).for_each(|(cell, base)| *cell = cell.max(KEPT * base));
    let sum: f64 = table.iter().sum();
    table.iter_mut().for_each(|cell| *cell *= wanted / sum);
    Some((table, charge + 2.0 * (rank * (dimensions[0] + dimensions[1])) as f64))
}

/// Projects every row and every column.
fn project(table: &mut [f64], columns: usize, [of_rows, of_columns]: &[Functions; 2]) {
    table.chunks_mut(columns).for_each(|row| of_columns.project(row));
    let rows = table.len() / columns;
    let mut line = vec![0.0; rows];
    for column in 0..columns {
        line.iter_mut().enumerate().for_each(|(row, entry)| *entry = table[row * columns + column]);
        of_rows.project(&mut line);
        line.iter().enumerate().for_each(|(row, entry)| table[row * columns + column] = *entry);
    }
}

/// The largest singular values with their vectors on both sides, by the eigenvectors of the smaller of AAᵀ and AᵀA.
fn leading(matrix: faer::MatRef<'_, f64>) -> (Vec<Vec<f64>>, Vec<f64>, Vec<Vec<f64>>) {
    let wide = matrix.nrows() <= matrix.ncols();
    let (short, long) = if wide { (matrix, matrix.transpose()) } else { (matrix.transpose(), matrix) };
    let gram = short * long;
    let Ok(eigen) = gram.self_adjoint_eigen(faer::Side::Lower) else {
        return (Vec::new(), Vec::new(), Vec::new());
    };
    let size = gram.nrows();
    let (mut near, mut values, mut far) = (Vec::new(), Vec::new(), Vec::new());
    for at in (0..size).rev().take(MOST_RANK) {
        let value = eigen.S()[at].max(0.0).sqrt();
        if value <= 0.0 {
            break;
        }
        let vector = eigen.U().col(at);
        let image = long * vector;
        near.push(vector.iter().copied().collect::<Vec<f64>>());
        far.push(image.iter().map(|entry| entry / value).collect::<Vec<f64>>());
        values.push(value);
    }
    if wide { (near, values, far) } else { (far, values, near) }
}

/// e exp(β s_a s_b), raked to the single variables, with the β whose table is nearest to what was seen.
fn linear_by_linear(independent: &[f64], seen: &[f64], sums: [&[f64]; 2], scores: [&[f64]; 2]) -> Vec<f64> {
    let table = |slope: f64| {
        let columns = scores[1].len();
        let mut table = independent.to_vec();
        for (cells, one) in table.chunks_mut(columns).zip(scores[0]) {
            for (cell, other) in cells.iter_mut().zip(scores[1]) {
                *cell *= (slope * one * other).clamp(-MOST_EXPONENT, MOST_EXPONENT).exp();
            }
        }
        rake(&mut table, sums);
        table
    };
    let distance = |slope: f64| -> f64 {
        table(slope).iter().zip(seen).map(|(expected, seen)| (seen - expected).powi(2)).sum()
    };
    let step = 2.0 * LARGEST_SLOPE / (SLOPES - 1) as f64;
    let slopes = (0..SLOPES).map(|at| at as f64 * step - LARGEST_SLOPE);
    let (best, _) = slopes
        .map(|slope| (slope, distance(slope)))
        .fold((0.0, f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best });
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (best - step, best + step);
    let inner = |low: f64, high: f64| (high - golden * (high - low), low + golden * (high - low));
    let (mut left, mut right) = inner(low, high);
    let (mut at_left, mut at_right) = (distance(left), distance(right));
    for _ in 0..GOLDEN_STEPS {
        if at_left < at_right {
            high = right;
            (right, at_right) = (left, at_left);
            left = inner(low, high).0;
            at_left = distance(left);
        } else {
            low = left;
            (left, at_left) = (right, at_right);
            right = inner(low, high).1;
            at_right = distance(right);
        }
    }
    table(0.5 * (low + high))
}

/// Some rounds of iterative proportional fitting to the sums of both sides.
fn rake(table: &mut [f64], sums: [&[f64]; 2]) {
    let columns = sums[1].len();
    let mut totals = vec![0.0; columns];
    for _ in 0..ROUNDS {
        totals.fill(0.0);
        for (cells, wanted) in table.chunks_mut(columns).zip(sums[0]) {
            let factor = wanted / cells.iter().sum::<f64>().max(f64::MIN_POSITIVE);
            for (cell, total) in cells.iter_mut().zip(&mut totals) {
                *cell *= factor;
                *total += *cell;
            }
        }
        totals
            .iter_mut()
            .zip(sums[1])
            .for_each(|(total, wanted)| *total = wanted / total.max(f64::MIN_POSITIVE));
        table.chunks_mut(columns).for_each(|cells| {
            cells.iter_mut().zip(&totals).for_each(|(cell, factor)| *cell *= factor);
        });
    }
}
