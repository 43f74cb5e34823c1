//! Linear regression by ordinary least squares.

use super::least_squares::{ExactBelow, LM_TOLERANCE, LeastSquares};
use super::{Convergence, Design, Family, Fit, RegressionError, checked_weights};

/// β̂ that makes Σ wᵢ (yᵢ − xᵢβ)² smallest, with σ̂² = RSS / (Σ wᵢ − rank).
///
/// Weights are counts: a row of weight 3 stands for three records, unlike `lm(weights = )` of R, whose weights are
/// precisions. As in R, a column whose length after projection on the earlier ones is below 10⁻⁷ of its own is aliased: it
/// is left out, and gets no coefficient.
pub fn linear(design: &Design, response: &[f64], weights: Option<&[f64]>) -> Result<Fit, RegressionError> {
    let weights = checked_weights(design, response, weights)?;
    if response.iter().any(|y| !y.is_finite()) {
        return Err(RegressionError::Response { wanted: "a finite number in every row" });
    }
    let mut least_squares = LeastSquares::new(design, &weights, LM_TOLERANCE, ExactBelow(1 << 31));
    let solution = least_squares
        .solve_first(&weights, response)
        .ok_or(RegressionError::Design("the columns that are kept are not independent".into()))?;
    let kept = least_squares.kept();
    let fitted = design.linear_predictor(&kept.scatter(&solution.coefficients));
    let residual_squares =
        response.iter().zip(&fitted).zip(&weights).map(|((y, mean), w)| w * (y - mean).powi(2));
    let deviance: f64 = residual_squares.sum();
    let records: f64 = weights.iter().sum();
    let left = records - kept.len() as f64;
    let mut coefficients = vec![None; design.columns()];
    kept.columns
        .iter()
        .zip(&solution.coefficients)
        .for_each(|(column, beta)| coefficients[*column] = Some(*beta));
    Ok(Fit {
        family: Family::Gaussian,
        coefficients,
        unscaled_covariance: solution.unscaled_covariance(),
        dispersion: (left > 0.0).then(|| deviance / left),
        log_likelihood: -0.5 * records * ((std::f64::consts::TAU * deviance / records).ln() + 1.0),
        fitted,
        deviance,
        records,
        convergence: Convergence::closed_form(),
    })
}
