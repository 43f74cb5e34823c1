//! The coefficients of a regression with what is needed to draw them from their posterior.

use rand_distr::{ChiSquared, Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use statistics::regression::{Fit, SymmetricMatrix};

use crate::randomness::Seed;

/// Coefficients, and the root of their covariance over those that were estimated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Posterior {
    /// One a column, 0 for those that are aliased.
    pub coefficients: Vec<f64>,
    /// The residual standard deviation; 1 where there is none.
    pub sigma: f64,
    estimated: Vec<usize>,
    /// Cholesky's factor of the covariance over σ², row by row; empty where there is none.
    root: Vec<Vec<f64>>,
    /// Residual degrees of freedom of σ, if it is drawn too.
    freedom: Option<f64>,
}

impl Posterior {
    /// Of a linear, logistic or Poisson regression.
    pub(super) fn of(fit: &Fit, sigma_is_drawn: bool) -> Self {
        Self {
            coefficients: fit.complete_coefficients(),
            sigma: fit.dispersion.unwrap_or(0.0).sqrt(),
            estimated: fit.estimated(),
            root: root(&fit.unscaled_covariance),
            freedom: sigma_is_drawn.then(|| fit.residual_degrees_of_freedom()),
        }
    }

    /// Of coefficients with this covariance, all of them estimated.
    pub(super) fn normal(
        coefficients: Vec<f64>,
        estimated: Vec<usize>,
        covariance: &SymmetricMatrix,
    ) -> Self {
        Self { coefficients, sigma: 1.0, estimated, root: root(covariance), freedom: None }
    }

    /// σ² = RSS / χ²(df), then β ~ N(β̂, σ² (XᵀX)⁻¹) (Rubin 1987, p. 167); without σ, β ~ N(β̂, (XᵀWX)⁻¹).
    pub(super) fn drawn(&self, seed: Seed) -> Self {
        let mut rng = seed.stream(0);
        let mut drawn = self.clone();
        if let Some(law) = self.freedom.and_then(|freedom| ChiSquared::new(freedom).ok()) {
            let freedom = self.freedom.unwrap_or(1.0);
            drawn.sigma = self.sigma * (freedom / law.sample(&mut rng)).sqrt();
        }
        let noise: Vec<f64> = self.root.iter().map(|_| StandardNormal.sample(&mut rng)).collect();
        for (column, row) in self.estimated.iter().zip(&self.root) {
            drawn.coefficients[*column] +=
                drawn.sigma * row.iter().zip(&noise).map(|(a, b)| a * b).sum::<f64>();
        }
        drawn
    }
}

fn root(covariance: &SymmetricMatrix) -> Vec<Vec<f64>> {
    covariance.cholesky().unwrap_or_default()
}
