//! Regression on plain arrays, with standard errors.
//!
//! | function | model | as in R |
//! |---|---|---|
//! | [`linear`] | y = xβ + σε | `lm` |
//! | [`logistic`] | log odds of y = xβ | `glm(binomial)` |
//! | [`poisson`] | ln E y = xβ | `glm(poisson)` |
//! | [`multinomial`] | ln P(y = k) / P(y = first) = xβₖ | `nnet::multinom` |
//! | [`proportional_odds`] | log odds of y ≤ j = ζⱼ − xβ | `MASS::polr` |
//! | [`quantile()`] | τ-quantile of y = xβ | `quantreg::rq` |
//!
//! The predictors are a [`Design`]: factors as codes, numbers, and terms that are products of them. The dummies are never
//! written out for large data; see [`Design`].
//!
//! - **Aliasing** is R's: columns are taken in order, and one that earlier ones explain is left out, reported and given no
//!   coefficient. What R's `QR` decides by a length below 10⁻⁷ (10⁻¹¹ in a GLM) of the column's own, the fast road decides by
//!   the diagonal of a Cholesky factor, and asks the QR wherever rounding leaves a doubt.
//! - **Weights** are counts everywhere: a row of weight 3 is three records. Identical rows can be joined before fitting.
//! - **Separation** is a [`Convergence`] that says so, never a NaN.
//! - **Threads** change nothing: sums are taken over fixed ranges of rows and added in order.
//!
//! ```
//! use statistics::regression::{Design, linear};
//!
//! let x = vec![1.0, 2.0, 3.0, 4.0];
//! let design = Design::of_columns(vec![vec![1.0; 4], x])?;
//! let fit = linear(&design, &[1.0, 3.0, 5.0, 7.0], None)?;
//! assert!((fit.coefficients[1].unwrap() - 2.0).abs() < 1e-12);
//! # Ok::<(), statistics::regression::RegressionError>(())
//! ```

mod categories;
mod convergence;
mod design;
mod error;
mod fit;
mod generalized_linear;
mod least_squares;
mod linear;
mod multinomial;
mod newton;
mod normal_equations;
mod orthogonal;
mod proportional_odds;
mod quantile;
mod symmetric_matrix;
mod term_codes;
#[cfg(test)]
mod tests;

pub use convergence::{Convergence, CovarianceAt, Iterations};
pub use design::{Coding, Design, Factor, MOST_COLUMNS, Term};
pub use error::RegressionError;
pub use fit::{Drawn, Family, Fit};
pub use generalized_linear::{logistic, poisson};
pub use linear::linear;
pub use multinomial::{MultinomialFit, multinomial};
pub use proportional_odds::{DrawnOdds, ProportionalOddsFit, proportional_odds};
pub use quantile::{QuantileFit, quantile};
pub use symmetric_matrix::SymmetricMatrix;

/// The weights, or ones, if there is one for each row and at least one above 0.
fn checked_weights(
    design: &Design,
    response: &[f64],
    weights: Option<&[f64]>,
) -> Result<Vec<f64>, RegressionError> {
    let expected = design.rows();
    if response.len() != expected {
        return Err(RegressionError::Length { what: "the response", found: response.len(), expected });
    }
    let weights = weights.map_or_else(|| vec![1.0; expected], <[f64]>::to_vec);
    if weights.len() != expected {
        return Err(RegressionError::Length { what: "the weights", found: weights.len(), expected });
    }
    if weights.iter().any(|weight| !(weight.is_finite() && *weight >= 0.0)) {
        return Err(RegressionError::Weight);
    }
    if weights.iter().all(|weight| *weight == 0.0) {
        return Err(RegressionError::Empty);
    }
    Ok(weights)
}
