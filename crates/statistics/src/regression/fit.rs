//! What a regression with one linear predictor leaves behind.

use rand::Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

use super::{Convergence, Design, SymmetricMatrix};

/// The distribution of the response, with its canonical link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Normal, with the mean itself as linear predictor.
    Gaussian,
    /// Bernoulli, with the log odds as linear predictor.
    Logistic,
    /// Poisson, with the log mean as linear predictor.
    Poisson,
}

/// A fitted linear, logistic or Poisson regression.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The family.
    pub family: Family,
    /// One estimate a column of the design; `None` for a column that is aliased with earlier ones.
    pub coefficients: Vec<Option<f64>>,
    /// (XᵀWX)⁻¹ over the estimated columns, in their order.
    pub unscaled_covariance: SymmetricMatrix,
    /// The residual variance σ² of a linear model, 1 for the others; `None` where no degree of freedom is left to estimate it.
    pub dispersion: Option<f64>,
    /// The fitted mean of each row.
    pub fitted: Vec<f64>,
    /// The deviance; the residual sum of squares of a linear model. A logistic one counts every record on its own: it is
    /// −2 times the log likelihood.
    pub deviance: f64,
    /// The log likelihood at the estimates.
    pub log_likelihood: f64,
    /// The number of records: the sum of the weights.
    pub records: f64,
    /// How the iterations ended.
    pub convergence: Convergence,
}

impl Fit {
    /// The columns that were estimated.
    pub fn estimated(&self) -> Vec<usize> {
        (0..self.coefficients.len()).filter(|column| self.coefficients[*column].is_some()).collect()
    }

    /// The columns that are aliased with earlier ones.
    pub fn aliased(&self) -> Vec<usize> {
        (0..self.coefficients.len()).filter(|column| self.coefficients[*column].is_none()).collect()
    }

    /// Records less estimated coefficients.
    pub fn residual_degrees_of_freedom(&self) -> f64 {
        self.records - self.unscaled_covariance.size() as f64
    }

    /// The covariance of the estimated coefficients; `None` where the residual variance cannot be estimated.
    pub fn covariance(&self) -> Option<SymmetricMatrix> {
        self.dispersion.map(|dispersion| self.unscaled_covariance.scaled(dispersion))
    }

    /// The standard error of each coefficient; `None` for aliased ones, and where there is no [covariance](Self::covariance).
    pub fn standard_errors(&self) -> Vec<Option<f64>> {
        let unscaled = self.unscaled_covariance.root_diagonal();
        let mut unscaled = unscaled.into_iter();
        let scale = self.dispersion.map(f64::sqrt);
        let each = self.coefficients.iter().map(|coefficient| {
            coefficient.and_then(|_| unscaled.next()).and_then(|error| scale.map(|scale| scale * error))
        });
        each.collect()
    }

    /// The mean of each row of another design with the same columns.
    pub fn predict(&self, design: &Design) -> Vec<f64> {
        self.predict_with(design, &self.complete_coefficients())
    }

    /// The same with other coefficients, such as [drawn](Self::draw) ones.
    pub(crate) fn predict_with(&self, design: &Design, coefficients: &[f64]) -> Vec<f64> {
        let mut means = design.linear_predictor(coefficients);
        means.iter_mut().for_each(|mean| *mean = self.family.mean(*mean));
        means
    }

    /// One coefficient a column, 0 for the aliased ones.
    pub fn complete_coefficients(&self) -> Vec<f64> {
        self.coefficients.iter().map(|coefficient| coefficient.unwrap_or(0.0)).collect()
    }

    /// A draw of the parameters from their posterior under a flat prior, for proper synthesis.
    ///
    /// Linear: σ² = RSS / χ²(df), then β ~ N(β̂, σ²(XᵀX)⁻¹) (Rubin 1987, p. 167). The others: β ~ N(β̂, (XᵀWX)⁻¹), the
    /// large-sample approximation. `None` where the covariance cannot be had.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<Drawn> {
        let sigma = match self.family {
            Family::Gaussian => {
                let chi_square = ChiSquared::new(self.residual_degrees_of_freedom()).ok()?;
                (self.deviance / chi_square.sample(rng)).sqrt()
            }
            Family::Logistic | Family::Poisson => 1.0,
        };
        let factor = self.unscaled_covariance.cholesky()?;
        let noise: Vec<f64> = factor.iter().map(|_| StandardNormal.sample(rng)).collect();
        let mut coefficients = self.complete_coefficients();
        for (column, row) in self.estimated().into_iter().zip(factor) {
            coefficients[column] += sigma * row.iter().zip(&noise).map(|(a, b)| a * b).sum::<f64>();
        }
        Some(Drawn { coefficients, sigma })
    }
}

/// Parameters drawn from their posterior.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// One coefficient a column, 0 for the aliased ones.
    pub coefficients: Vec<f64>,
    /// The residual standard deviation of a linear model; 1 for the others.
    pub sigma: f64,
}

impl Family {
    /// The mean that belongs to a linear predictor. As in R, log odds beyond ±30 stand for a probability within ε of 0 or 1.
    pub fn mean(self, predictor: f64) -> f64 {
        match self {
            Self::Gaussian => predictor,
            Self::Logistic => {
                let odds = if predictor < -30.0 {
                    f64::EPSILON
                } else if predictor > 30.0 {
                    1.0 / f64::EPSILON
                } else {
                    predictor.exp()
                };
                odds / (1.0 + odds)
            }
            Self::Poisson => predictor.exp().max(f64::EPSILON),
        }
    }
}
