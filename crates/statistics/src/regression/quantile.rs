//! Quantile regression, solved exactly.
//!
//! β makes Σ wᵢ ρ_τ(yᵢ − xᵢβ) smallest, with ρ_τ(r) = r (τ − 1) below 0 and r τ from 0 on (Koenker & Bassett 1978). It is a linear program, and an
//! optimal β passes through as many records as there are columns. We walk from one such vertex to the next, in the way of
//! Barrodale & Roberts (1973): drop the record whose multiplier is furthest out of its bounds, and go along the edge not to
//! the next kink but to the last one that still pays. Records far from the surface keep their side and enter as one sum
//! (Portnoy & Koenker 1997), which is checked at the end. One τ starts where its neighbour ended.
//!
//! Ties, the rule in counts and recoded categories, would let the walk stand still. So the response is moved by a tiny and
//! fixed amount, different for each record; the vertex found is then checked against the response as it is, with smaller
//! moves where it does not hold.

mod kink;
mod problem;
mod vertex;

use problem::Problem;
use vertex::Vertex;

use super::design::KeptColumns;
use super::{Design, RegressionError, checked_weights, linear};

/// A fitted quantile regression.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantileFit {
    /// The quantile.
    pub tau: f64,
    /// One coefficient a column; `None` for a column that is aliased with earlier ones.
    pub coefficients: Vec<Option<f64>>,
    /// The records that the surface passes through, one for each estimated column.
    pub interpolated: Vec<usize>,
    /// The dual solution, one multiplier a record within [w(τ − 1), wτ]: wτ above the surface, w(τ − 1) below it. They prove
    /// that the fit is optimal: Xᵀa = 0, and Σ aᵢyᵢ = Σ wᵢρ_τ(rᵢ).
    pub multipliers: Vec<f64>,
    /// Σ wᵢ ρ_τ(rᵢ).
    pub loss: f64,
    /// Whether the conditions of optimality hold; else the limit on steps was reached.
    pub optimal: bool,
}

impl QuantileFit {
    /// The conditional quantile of each row of another design with the same columns.
    pub fn predict(&self, design: &Design) -> Vec<f64> {
        let complete: Vec<f64> = self.coefficients.iter().map(|beta| beta.unwrap_or(0.0)).collect();
        design.linear_predictor(&complete)
    }
}

/// ρ_τ(r) = r (τ − 1) below 0 and r τ from 0 on.
pub(crate) fn check_loss(tau: f64, residual: f64) -> f64 {
    if residual < 0.0 { (tau - 1.0) * residual } else { tau * residual }
}

/// The quantile regressions of all `taus`, each strictly between 0 and 1, in the order given. Weights are counts.
pub fn quantile(
    design: &Design,
    response: &[f64],
    weights: Option<&[f64]>,
    taus: &[f64],
) -> Result<Vec<QuantileFit>, RegressionError> {
    let weights = checked_weights(design, response, weights)?;
    if response.iter().any(|y| !y.is_finite()) {
        return Err(RegressionError::Response { wanted: "a finite number in every row" });
    }
    if let Some(tau) = taus.iter().find(|tau| !(**tau > 0.0 && **tau < 1.0)) {
        return Err(RegressionError::Tau(*tau));
    }
    let mean = linear(design, response, Some(&weights))?;
    let kept = KeptColumns::new(mean.estimated(), design.columns());
    if kept.len() == 0 {
        return Err(RegressionError::Design("every column is zero; add an intercept".into()));
    }
    let problem = Problem::new(design, &kept, response, &weights);
    let mut order: Vec<usize> = (0..taus.len()).collect();
    order.sort_by(|a, b| taus[*a].total_cmp(&taus[*b]));
    let mut fits: Vec<Option<QuantileFit>> = vec![None; taus.len()];
    let mut vertex: Option<Vertex> = None;
    for position in order {
        let tau = taus[position];
        let start = vertex.take().map_or_else(|| Vertex::near(&problem, &mean.fitted, tau), Ok)?;
        let solved = solved(&problem, start, tau);
        fits[position] = Some(described(&problem, &solved, &kept, design, tau));
        vertex = Some(solved.vertex);
    }
    Ok(fits.into_iter().flatten().collect())
}

/// A vertex with its multipliers on the response as it is.
struct Solved {
    vertex: Vertex,
    coefficients: Vec<f64>,
    multipliers: Vec<f64>,
    optimal: bool,
}

/// Moves of the response, as shares of its spread.
const MOVES: [f64; 4] = [1e-6, 1e-8, 1e-10, 0.0];

fn solved(problem: &Problem, start: Vertex, tau: f64) -> Solved {
    let mut vertex = start;
    let mut last = None;
    for share in MOVES {
        let moved = problem.moved_response(share);
        let finished = vertex.descend(problem, &moved, tau);
        let coefficients = vertex.coefficients(&problem.response);
        let (multipliers, optimal) = vertex.certificate(problem, &coefficients, tau);
        let optimal = optimal && finished;
        last = Some((coefficients, multipliers, optimal));
        if optimal {
            break;
        }
    }
    let (coefficients, multipliers, optimal) = last.expect("there is at least one move");
    Solved { vertex, coefficients, multipliers, optimal }
}

fn described(
    problem: &Problem,
    solved: &Solved,
    kept: &KeptColumns,
    design: &Design,
    tau: f64,
) -> QuantileFit {
    let mut coefficients = vec![None; design.columns()];
    let scaled = kept.columns.iter().zip(&solved.coefficients).zip(&problem.scales);
    scaled.for_each(|((column, beta), scale)| coefficients[*column] = Some(beta / scale));
    let mut multipliers = vec![0.0; design.rows()];
    problem.rows.iter().zip(&solved.multipliers).for_each(|(row, a)| multipliers[*row] = *a);
    let loss = |row: usize| {
        let residual = problem.response[row] - problem.fitted(row, &solved.coefficients);
        problem.weights[row] * check_loss(tau, residual)
    };
    let mut interpolated: Vec<usize> = solved.vertex.basis.iter().map(|row| problem.rows[*row]).collect();
    interpolated.sort_unstable();
    QuantileFit {
        tau,
        coefficients,
        interpolated,
        multipliers,
        loss: (0..problem.rows.len()).map(loss).sum(),
        optimal: solved.optimal,
    }
}

#[cfg(test)]
mod tests;
