//! The coefficients of a regression with what is needed to draw them from their posterior.

use rand_distr::{ChiSquared, Distribution, StandardNormal};
use statistics::regression::{Fit, SymmetricMatrix};

use crate::SynthesisError;
use crate::randomness::Seed;
use crate::stored::{StateReader, StateWriter, ensure};

/// The name under which what is not an array is stored.
const POSTERIOR: &str = "posterior";

/// Coefficients, and the root of their covariance over those that were estimated.
#[derive(Clone, Debug, PartialEq)]
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

    /// Writes the coefficients and the root.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(POSTERIOR, &(self.sigma, self.freedom, &self.estimated))?;
        into.array("coefficients", &self.coefficients)?;
        let count = self.root.iter().map(Vec::len).sum();
        into.numbers("root of the covariance", count, self.root.iter().flatten().copied())
    }

    /// A posterior of this many coefficients.
    pub(super) fn load(from: &mut StateReader<'_>, count: usize) -> Result<Self, SynthesisError> {
        let (sigma, freedom, estimated): (f64, Option<f64>, Vec<usize>) = from.settings(POSTERIOR)?;
        let coefficients: Vec<f64> = from.array("coefficients")?;
        let flat: Vec<f64> = from.array("root of the covariance")?;
        let size = estimated.len();
        let are_fine = coefficients.len() == count
            && size <= count
            && estimated.iter().all(|column| *column < count)
            && [0, size * (size + 1) / 2].contains(&flat.len())
            && sigma.is_finite()
            && sigma >= 0.0
            && coefficients.iter().chain(&flat).all(|number| number.is_finite());
        ensure(are_fine, "the coefficients of a regression are not those of its columns")?;
        let mut rest = &flat[..];
        let mut root = Vec::new();
        while !rest.is_empty() {
            let (row, others) = rest.split_at(root.len() + 1);
            root.push(row.to_vec());
            rest = others;
        }
        Ok(Self { coefficients, sigma, estimated, root, freedom })
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
