//! Weighted least squares on the columns of a design that can be estimated.
//!
//! Two roads lead to the triangle R with RᵀR = XᵀWX. The exact one is a QR decomposition; it is taken for small problems, and
//! wherever a column is close to the span of earlier ones. The fast one adds up XᵀWX from codes and takes its Cholesky factor;
//! one step of refinement on the residuals gives its coefficients the precision of the other road (Björck 1996, §2.9.3).

use faer::Mat;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor;
use faer::{Par, Spec};

use super::SymmetricMatrix;
use super::design::{Design, KeptColumns};
use super::normal_equations::{NormalEquations, SAFE_SHARE, weighted_sums};
use super::orthogonal;

/// R's tolerance for aliased columns in `lm`.
pub(super) const LM_TOLERANCE: f64 = 1e-7;
/// R's tolerance for aliased columns in `glm`, at its default criterion of convergence.
pub(super) const GLM_TOLERANCE: f64 = 1e-11;

/// The share of the tolerance below which a column that was estimable has lost its records.
const NOTHING_LEFT: f64 = 1e-3;

/// Which problems are small: rows × columns², the cost of a QR decomposition.
#[derive(Clone, Copy)]
pub(super) struct ExactBelow(pub(super) usize);

/// A design with its estimable columns.
pub(super) struct LeastSquares<'a> {
    design: &'a Design,
    kept: KeptColumns,
    exact: bool,
    tolerance: f64,
    /// XᵀWX of all columns with the weights by which the estimable ones were found.
    first: Option<NormalEquations>,
}

/// A point near the solution: coefficients, one a column of the design, and what they predict.
pub(super) struct Near<'a> {
    pub(super) coefficients: &'a [f64],
    pub(super) predictor: &'a [f64],
}

/// Coefficients of the estimable columns, and the triangle that gives their covariance.
pub(super) struct Solution {
    pub(super) coefficients: Vec<f64>,
    triangle: Mat<f64>,
}

impl<'a> LeastSquares<'a> {
    /// Finds the columns that can be estimated with these weights.
    pub(super) fn new(design: &'a Design, weights: &[f64], tolerance: f64, exact: ExactBelow) -> Self {
        let all = KeptColumns::all(design.columns());
        let cost = design.rows().saturating_mul(design.columns().saturating_mul(design.columns()));
        let exact = cost <= exact.0;
        let no_response = vec![0.0; design.rows()];
        let first = (!exact).then(|| NormalEquations::accumulate(design, &all, weights, &no_response));
        let columns = first.as_ref().and_then(NormalEquations::estimable);
        let exact = columns.is_none();
        let columns = columns.unwrap_or_else(|| {
            orthogonal::estimable(&orthogonal::triangle(design, &all, weights, &no_response), tolerance)
        });
        Self { design, kept: KeptColumns::new(columns, design.columns()), exact, tolerance, first }
    }

    /// The estimable columns.
    pub(super) fn kept(&self) -> &KeptColumns {
        &self.kept
    }

    /// β that makes Σ wᵢ (zᵢ − xᵢβ)² smallest with the weights by which the estimable columns were found, whose XᵀWX is at hand.
    pub(super) fn solve_first(&mut self, weights: &[f64], response: &[f64]) -> Option<Solution> {
        let first = self.first.take().filter(|_| !self.exact);
        let by_equations = first.and_then(|first| {
            let columns = &self.kept.columns;
            self.refined(|i, j| first.get(columns[i], columns[j]), weights, response)
        });
        by_equations.or_else(|| self.by_rotation(weights, response))
    }

    /// The same with other weights, from a point near it: the normal equations of what is left are as precise as a step of refinement. `None` when these weights leave some column without a record.
    pub(super) fn solve_near(&self, near: &Near<'_>, weights: &[f64], response: &[f64]) -> Option<Solution> {
        if self.exact {
            return self.by_rotation(weights, response);
        }
        let left: Vec<f64> = response.iter().zip(near.predictor).map(|(z, fitted)| z - fitted).collect();
        let equations = NormalEquations::accumulate(self.design, &self.kept, weights, &left);
        let Some(triangle) = self.triangle(|i, j| equations.get(i, j)) else {
            return self.by_rotation(weights, response);
        };
        let step = solve_upper(&triangle, solve_transposed(&triangle, equations.vector));
        let coefficients = self.kept.columns.iter().zip(step);
        let coefficients = coefficients.map(|(column, step)| near.coefficients[*column] + step).collect();
        Some(Solution { coefficients, triangle })
    }

    fn by_rotation(&self, weights: &[f64], response: &[f64]) -> Option<Solution> {
        let size = self.kept.len();
        let with_response = orthogonal::triangle(self.design, &self.kept, weights, response);
        for column in 0..size {
            let length = (0..=column).map(|row| with_response[(row, column)].powi(2)).sum::<f64>().sqrt();
            if with_response[(column, column)].abs() <= NOTHING_LEFT * self.tolerance * length {
                return None;
            }
        }
        let triangle = Mat::from_fn(size, size, |i, j| with_response[(i, j)]);
        let rotated: Vec<f64> = (0..size).map(|row| with_response[(row, size)]).collect();
        let coefficients = solve_upper(&triangle, rotated);
        Some(Solution { coefficients, triangle })
    }

    /// The solution by the entries of XᵀWX, with one step of refinement.
    fn refined(
        &self,
        entry: impl Fn(usize, usize) -> f64,
        weights: &[f64],
        response: &[f64],
    ) -> Option<Solution> {
        let triangle = self.triangle(entry)?;
        let solve = |right: Vec<f64>| solve_upper(&triangle, solve_transposed(&triangle, right));
        let sums = |of: &[f64]| weighted_sums(self.design, &self.kept, weights, of);
        let mut coefficients = solve(sums(response));
        let predictor = self.design.linear_predictor(&self.kept.scatter(&coefficients));
        let residuals: Vec<f64> = response.iter().zip(&predictor).map(|(z, fitted)| z - fitted).collect();
        let correction = solve(sums(&residuals));
        coefficients.iter_mut().zip(correction).for_each(|(coefficient, more)| *coefficient += more);
        Some(Solution { coefficients, triangle })
    }

    /// The Cholesky factor, unless a column is close to the span of earlier ones.
    fn triangle(&self, entry: impl Fn(usize, usize) -> f64) -> Option<Mat<f64>> {
        let size = self.kept.len();
        let triangle = cholesky(size, &entry)?;
        (0..size).all(|j| triangle[(j, j)].powi(2) >= SAFE_SHARE * entry(j, j)).then_some(triangle)
    }
}

impl Solution {
    /// (XᵀWX)⁻¹ of the estimable columns.
    pub(super) fn unscaled_covariance(&self) -> SymmetricMatrix {
        SymmetricMatrix::inverse_of_gram(&self.triangle)
    }
}

/// The upper triangle R with RᵀR = A, or `None` unless A is positive definite.
pub(super) fn cholesky(size: usize, entry: impl Fn(usize, usize) -> f64) -> Option<Mat<f64>> {
    let mut lower = Mat::from_fn(size, size, |i, j| if i >= j { entry(j, i) } else { 0.0 });
    let scratch = factor::cholesky_in_place_scratch::<f64>(size, Par::Seq, Spec::default());
    let factored = factor::cholesky_in_place(
        lower.as_mut(),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Spec::default(),
    );
    factored.ok()?;
    Some(Mat::from_fn(size, size, |i, j| if i <= j { lower[(j, i)] } else { 0.0 }))
}

/// x with Rx = b.
pub(super) fn solve_upper(triangle: &Mat<f64>, mut right: Vec<f64>) -> Vec<f64> {
    for column in (0..right.len()).rev() {
        right[column] /= triangle[(column, column)];
        let (above, rest) = right.split_at_mut(column);
        for (row, entry) in above.iter_mut().enumerate() {
            *entry -= triangle[(row, column)] * rest[0];
        }
    }
    right
}

/// x with Rᵀx = b.
pub(super) fn solve_transposed(triangle: &Mat<f64>, mut right: Vec<f64>) -> Vec<f64> {
    for row in 0..right.len() {
        let sum: f64 = (0..row).map(|earlier| triangle[(earlier, row)] * right[earlier]).sum();
        right[row] = (right[row] - sum) / triangle[(row, row)];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number with a large mean, its square, and a factor: the roads must agree where the fast one is taken.
    fn curved() -> (Design, Vec<f64>, Vec<f64>) {
        use super::super::design::{Factor, Term};
        let rows = 4000;
        let x: Vec<f64> = (0..rows).map(|row| 40.0 + f64::from(row * 7919 % 613) / 10.0).collect();
        let square: Vec<f64> = x.iter().map(|x| x * x).collect();
        let factor = Factor { codes: (0..rows as u32).map(|row| row * 31 % 17 % 5).collect(), levels: 6 };
        let weights = (0..rows).map(|row| 1.0 + f64::from(row % 4)).collect();
        let z = (0..rows).map(|row| f64::from(row * row % 101)).collect();
        let terms = vec![Term::intercept(), Term::number(0), Term::number(1), Term::factor(0)];
        (Design::new(rows as usize, vec![factor], vec![x, square], terms).unwrap(), weights, z)
    }

    #[test]
    fn both_roads_lead_to_the_same_place() {
        let (design, weights, z) = curved();
        let mut exact = LeastSquares::new(&design, &weights, LM_TOLERANCE, ExactBelow(usize::MAX));
        let mut fast = LeastSquares::new(&design, &weights, LM_TOLERANCE, ExactBelow(0));
        // The sixth level of the factor has no record.
        assert_eq!(exact.kept().columns, [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(fast.kept(), exact.kept());
        let predictor = design.linear_predictor(&[1.0, -0.5, 0.01, 1.0, 2.0, 3.0, 4.0, 0.0]);
        let coefficients = &[1.0, -0.5, 0.01, 1.0, 2.0, 3.0, 4.0, 0.0];
        let near = fast.solve_near(&Near { coefficients, predictor: &predictor }, &weights, &z).unwrap();
        let (exact, fast) =
            (exact.solve_first(&weights, &z).unwrap(), fast.solve_first(&weights, &z).unwrap());
        for other in [&fast, &near] {
            for (one, other) in exact.coefficients.iter().zip(&other.coefficients) {
                assert!((one / other - 1.0).abs() < 1e-10, "{one} {other}");
            }
        }
        let (exact, fast) = (exact.unscaled_covariance(), fast.unscaled_covariance());
        for (one, other) in exact.root_diagonal().iter().zip(fast.root_diagonal()) {
            assert!((one / other - 1.0).abs() < 1e-9, "{one} {other}");
        }
    }

    #[test]
    fn weights_that_leave_a_column_without_records_are_noticed() {
        let (design, weights, z) = curved();
        let least_squares = LeastSquares::new(&design, &weights, LM_TOLERANCE, ExactBelow(0));
        let nothing = vec![0.0; design.rows()];
        let near = Near { coefficients: &nothing[..design.columns()], predictor: &nothing };
        assert!(least_squares.solve_near(&near, &nothing, &z).is_none());
    }
}
