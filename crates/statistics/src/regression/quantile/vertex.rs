//! A vertex of the linear program, and the walk from it to the best one.

use super::super::RegressionError;
use super::super::normal_equations::dot;
use super::kink::{Kink, last_that_pays};
use super::problem::Problem;

/// Multipliers may be out of their bounds by this share of the record's weight for rounding.
const TOLERANCE: f64 = 1e-8;
/// Slopes below this share of the largest one are rounding.
const NO_SLOPE: f64 = 1e-11;
/// Steps between two fresh inverses.
const REFRESH: usize = 64;

/// As many records as columns, through which the surface passes, and the side of every other record.
pub(super) struct Vertex {
    pub(super) basis: Vec<usize>,
    /// Columns of the inverse of the basis rows.
    inverse: Vec<Vec<f64>>,
    above: Vec<bool>,
    in_basis: Vec<bool>,
}

impl Vertex {
    /// A vertex near the τ-quantile of the residuals from `fitted`: the nearest records that are independent.
    pub(super) fn near(problem: &Problem, fitted: &[f64], tau: f64) -> Result<Self, RegressionError> {
        let residuals: Vec<f64> =
            problem.rows.iter().zip(&problem.response).map(|(row, y)| y - fitted[*row]).collect();
        let mut sorted = residuals.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let middle = sorted[((sorted.len() - 1) as f64 * tau) as usize];
        let mut order: Vec<usize> = (0..residuals.len()).collect();
        let distance = |row: usize| (residuals[row] - middle).abs();
        order.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b)));
        let basis = problem.independent_rows(&order).ok_or_else(|| {
            RegressionError::Design("the columns depend on each other more than rounding can tell".into())
        })?;
        let mut in_basis = vec![false; residuals.len()];
        basis.iter().for_each(|row| in_basis[*row] = true);
        let above = residuals.iter().map(|residual| *residual > middle).collect();
        let mut vertex = Self { basis, inverse: Vec::new(), above, in_basis };
        if vertex.refresh(problem) {
            Ok(vertex)
        } else {
            Err(RegressionError::Design(
                "the columns depend on each other more than rounding can tell".into(),
            ))
        }
    }

    /// The coefficients of the surface through the basis.
    pub(super) fn coefficients(&self, response: &[f64]) -> Vec<f64> {
        let mut coefficients = vec![0.0; self.basis.len()];
        for (row, column) in self.basis.iter().zip(&self.inverse) {
            coefficients.iter_mut().zip(column).for_each(|(sum, entry)| *sum += response[*row] * entry);
        }
        coefficients
    }

    /// Walks to the optimal vertex for this response; `false` when the limit on steps was reached.
    pub(super) fn descend(&mut self, problem: &Problem, response: &[f64], tau: f64) -> bool {
        let rows = response.len();
        let mut near = (rows / 8).max(40 * problem.size).max(3000).min(rows);
        let mut must_be_near: Vec<bool> = vec![false; rows];
        let mut steps = 1000 * (problem.size + 50);
        loop {
            let coefficients = self.coefficients(response);
            let residuals: Vec<f64> =
                (0..rows).map(|row| response[row] - problem.fitted(row, &coefficients)).collect();
            for row in (0..rows).filter(|row| !self.in_basis[*row]) {
                if residuals[row] != 0.0 {
                    self.above[row] = residuals[row] > 0.0;
                }
            }
            let limit = distance_of_nearest(&residuals, near);
            let is_near =
                |row: usize| residuals[row].abs() <= limit || must_be_near[row] || self.in_basis[row];
            let active: Vec<usize> = (0..rows).filter(|row| is_near(*row)).collect();
            let is_all = active.len() == rows;
            let end = self.descend_among(problem, response, tau, active, &mut steps);
            match end {
                End::NoKink if !is_all => near = (4 * near).min(rows),
                End::NoKink | End::TooManySteps => return false,
                End::Optimal => {
                    let coefficients = self.coefficients(response);
                    let mut crossed = false;
                    for row in (0..rows).filter(|row| !self.in_basis[*row]) {
                        let residual = response[row] - problem.fitted(row, &coefficients);
                        let has_crossed = residual != 0.0 && (residual > 0.0) != self.above[row];
                        if has_crossed && residual.abs() > problem.rounding {
                            must_be_near[row] = true;
                            crossed = true;
                        }
                    }
                    if !crossed {
                        return true;
                    }
                    near = (near + near / 2).min(rows);
                }
            }
        }
    }

    /// The multipliers of all records at these coefficients, and whether they prove optimality: bounds are kept, and every
    /// record is on the side that its multiplier says.
    pub(super) fn certificate(&self, problem: &Problem, coefficients: &[f64], tau: f64) -> (Vec<f64>, bool) {
        let rounding = problem.rounding;
        let mut multipliers = vec![0.0; problem.rows.len()];
        let mut sides_hold = true;
        for row in (0..multipliers.len()).filter(|row| !self.in_basis[*row]) {
            let residual = problem.response[row] - problem.fitted(row, coefficients);
            sides_hold &= if self.above[row] { residual >= -rounding } else { residual <= rounding };
            multipliers[row] = problem.weights[row] * if self.above[row] { tau } else { tau - 1.0 };
        }
        let sum = self.weighted_sides(problem, 0..multipliers.len(), tau);
        let mut bounds_hold = true;
        for (row, multiplier) in self.basis.iter().zip(self.basis_multipliers(&sum)) {
            let weight = problem.weights[*row];
            let bounded = multiplier.clamp(weight * (tau - 1.0), weight * tau);
            bounds_hold &= (bounded - multiplier).abs() <= 10.0 * TOLERANCE * weight;
            multipliers[*row] = bounded;
        }
        (multipliers, sides_hold && bounds_hold)
    }

    /// Σ wᵢ ψᵢ xᵢ over records that are not in the basis.
    fn weighted_sides(&self, problem: &Problem, rows: impl Iterator<Item = usize>, tau: f64) -> Vec<f64> {
        let mut sum = vec![0.0; problem.size];
        for row in rows.filter(|row| !self.in_basis[*row]) {
            let multiplier = problem.weights[row] * if self.above[row] { tau } else { tau - 1.0 };
            sum.iter_mut().zip(problem.row(row)).for_each(|(sum, x)| *sum += multiplier * x);
        }
        sum
    }

    /// a of the basis, from Σ aᵢxᵢ = 0 over all records.
    fn basis_multipliers<'a>(&'a self, sum: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.inverse.iter().map(|column| -dot(column, sum))
    }

    /// Walks among the `active` records; all others keep their sides.
    fn descend_among(
        &mut self,
        problem: &Problem,
        response: &[f64],
        tau: f64,
        active: Vec<usize>,
        steps: &mut usize,
    ) -> End {
        let mut is_active = vec![false; response.len()];
        active.iter().for_each(|row| is_active[*row] = true);
        let others = self.weighted_sides(problem, (0..response.len()).filter(|row| !is_active[*row]), tau);
        let matrix = active.iter().flat_map(|row| problem.row(*row)).copied().collect();
        let mut walk =
            Walk { problem, response, tau, active, matrix, others, residuals: Vec::new(), sum: Vec::new() };
        walk.refresh(self);
        let mut since_refresh = 0;
        loop {
            let worst = self.worst(&walk);
            let Some((leaving, upwards, excess)) = worst else {
                if since_refresh == 0 {
                    return End::Optimal;
                }
                // What looks optimal must be so with a fresh inverse too.
                since_refresh = 0;
                if !self.refresh(problem) {
                    return End::TooManySteps;
                }
                walk.refresh(self);
                continue;
            };
            if *steps == 0 {
                return End::TooManySteps;
            }
            *steps -= 1;
            if !self.step(&mut walk, leaving, upwards, excess) {
                return End::NoKink;
            }
            since_refresh += 1;
            if since_refresh == REFRESH {
                since_refresh = 0;
                if !self.refresh(problem) {
                    return End::TooManySteps;
                }
                walk.refresh(self);
            }
        }
    }

    /// The basis record whose multiplier is furthest out of bounds, whether it is to go up, and by how much.
    fn worst(&self, walk: &Walk<'_>) -> Option<(usize, bool, f64)> {
        let mut worst: Option<(usize, bool, f64)> = None;
        for (at, multiplier) in self.basis_multipliers(&walk.sum).enumerate() {
            let weight = walk.problem.weights[self.basis[at]];
            let (above, below) = (multiplier - walk.tau * weight, (walk.tau - 1.0) * weight - multiplier);
            let (upwards, excess) = if above > below { (true, above) } else { (false, below) };
            if excess > TOLERANCE * weight && worst.is_none_or(|(_, _, most)| excess > most) {
                worst = Some((at, upwards, excess));
            }
        }
        worst
    }

    /// Lets a basis record go up or down, to the last kink that still pays; `false` when there is none.
    fn step(&mut self, walk: &mut Walk<'_>, leaving: usize, upwards: bool, excess: f64) -> bool {
        let problem = walk.problem;
        let sign = if upwards { 1.0 } else { -1.0 };
        let direction: Vec<f64> = self.inverse[leaving].iter().map(|entry| sign * entry).collect();
        let slopes: Vec<f64> =
            walk.matrix.chunks_exact(problem.size).map(|row| dot(row, &direction)).collect();
        let steepest = slopes.iter().fold(0.0_f64, |most, slope| most.max(slope.abs()));
        let mut kinks: Vec<Kink> = Vec::new();
        for (at, (row, slope)) in walk.active.iter().zip(&slopes).enumerate() {
            let approaches = if self.above[*row] { *slope < 0.0 } else { *slope > 0.0 };
            if approaches && slope.abs() > NO_SLOPE * steepest && !self.in_basis[*row] {
                let distance = (-walk.residuals[at] / slope).max(0.0);
                kinks.push(Kink { distance, at, weight: problem.weights[*row] * slope.abs() });
            }
        }
        let Some(passed) = last_that_pays(&mut kinks, excess) else { return false };
        let entering = &kinks[passed];
        let (distance, entering_at) = (entering.distance, entering.at);
        for kink in &kinks[..passed] {
            let row = walk.active[kink.at];
            let change = if self.above[row] { -problem.weights[row] } else { problem.weights[row] };
            walk.add(row, change);
            self.above[row] = !self.above[row];
        }
        let entering_row = walk.active[entering_at];
        let leaving_row = self.basis[leaving];
        let tau = walk.tau;
        let side = |above: bool| if above { tau } else { tau - 1.0 };
        walk.add(entering_row, -problem.weights[entering_row] * side(self.above[entering_row]));
        walk.add(leaving_row, problem.weights[leaving_row] * side(upwards));
        for ((residual, slope), row) in walk.residuals.iter_mut().zip(&slopes).zip(&walk.active) {
            if *row == leaving_row {
                *residual = sign * distance;
            } else if !self.in_basis[*row] {
                *residual += distance * slope;
            }
        }
        walk.residuals[entering_at] = 0.0;
        self.exchange(problem, leaving, entering_row);
        self.above[leaving_row] = upwards;
        true
    }

    /// Puts a record into the place of a basis record.
    fn exchange(&mut self, problem: &Problem, leaving: usize, entering: usize) {
        let along: Vec<f64> = self.inverse.iter().map(|column| dot(problem.row(entering), column)).collect();
        let pivot = along[leaving];
        self.inverse[leaving].iter_mut().for_each(|entry| *entry /= pivot);
        let new_column = self.inverse[leaving].clone();
        for (at, column) in self.inverse.iter_mut().enumerate().filter(|(at, _)| *at != leaving) {
            column.iter_mut().zip(&new_column).for_each(|(entry, new)| *entry -= along[at] * new);
        }
        self.in_basis[self.basis[leaving]] = false;
        self.in_basis[entering] = true;
        self.basis[leaving] = entering;
    }

    /// Inverts the basis afresh; `false` when it is singular.
    fn refresh(&mut self, problem: &Problem) -> bool {
        let size = problem.size;
        // Gauss and Jordan on (B, I), with the largest pivot of each column.
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(size);
        for (at, row) in self.basis.iter().enumerate() {
            let mut both = problem.row(*row).to_vec();
            both.resize(2 * size, 0.0);
            both[size + at] = 1.0;
            rows.push(both);
        }
        for column in 0..size {
            let largest =
                (column..size).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()));
            let Some(largest) = largest.filter(|at| rows[*at][column] != 0.0) else { return false };
            rows.swap(column, largest);
            let pivot = rows[column][column];
            rows[column].iter_mut().for_each(|entry| *entry /= pivot);
            let pivot_row = rows[column].clone();
            for (at, row) in rows.iter_mut().enumerate() {
                let factor = row[column];
                if at != column && factor != 0.0 {
                    row.iter_mut().zip(&pivot_row).for_each(|(entry, pivot)| *entry -= factor * pivot);
                }
            }
        }
        self.inverse = (0..size).map(|column| rows.iter().map(|row| row[size + column]).collect()).collect();
        true
    }
}

/// How a walk among some of the records ended.
enum End {
    Optimal,
    /// The edge goes on without a kink that stops it: records far away must take part.
    NoKink,
    TooManySteps,
}

/// What a walk keeps up to date.
struct Walk<'a> {
    problem: &'a Problem,
    response: &'a [f64],
    tau: f64,
    active: Vec<usize>,
    /// Their rows, side by side in memory.
    matrix: Vec<f64>,
    /// Σ wᵢψᵢxᵢ of the records that keep their sides.
    others: Vec<f64>,
    residuals: Vec<f64>,
    /// Σ wᵢψᵢxᵢ of all records that are not in the basis.
    sum: Vec<f64>,
}

impl Walk<'_> {
    fn refresh(&mut self, vertex: &Vertex) {
        let coefficients = vertex.coefficients(self.response);
        let residual = |row: &usize| self.response[*row] - self.problem.fitted(*row, &coefficients);
        self.residuals = self.active.iter().map(residual).collect();
        self.sum = vertex.weighted_sides(self.problem, self.active.iter().copied(), self.tau);
        self.sum.iter_mut().zip(&self.others).for_each(|(sum, other)| *sum += other);
    }

    fn add(&mut self, row: usize, multiplier: f64) {
        self.sum.iter_mut().zip(self.problem.row(row)).for_each(|(sum, x)| *sum += multiplier * x);
    }
}

/// The distance within which this many residuals lie.
fn distance_of_nearest(residuals: &[f64], count: usize) -> f64 {
    let mut distances: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
    let at = count.clamp(1, distances.len()) - 1;
    *distances.select_nth_unstable_by(at, f64::total_cmp).1
}
