//! When an iterative fit stops, and how it ended.

/// When the iterations stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterations {
    /// The most steps; at least one is taken.
    pub most: usize,
    /// The relative change of the deviance below which they have converged.
    pub tolerance: f64,
    /// Where a generalised linear model takes the weights of its covariance.
    pub covariance: CovarianceAt,
}

/// Where a generalised linear model takes the weights of its covariance (X'WX)⁻¹.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CovarianceAt {
    /// At the estimate: the inverse of the information there.
    #[default]
    Estimate,
    /// At the coefficients before the last step, as in R's `glm`, whose standard errors are off by up to the length of that step.
    LastStep,
}

impl Default for Iterations {
    /// 25 steps and 10⁻⁸, as in R's `glm`: estimates agree with R's because the iterations stop at the same step.
    fn default() -> Self {
        Self { most: 25, tolerance: 1e-8, covariance: CovarianceAt::Estimate }
    }
}

impl Iterations {
    /// 50 steps and 10⁻¹²: as far as rounding lets Newton's method go.
    pub fn to_the_end() -> Self {
        Self { most: 50, tolerance: 1e-12, covariance: CovarianceAt::Estimate }
    }

    /// All as in R's `glm`, the covariance of the last step's weights included.
    pub fn as_in_r() -> Self {
        Self { covariance: CovarianceAt::LastStep, ..Self::default() }
    }
}

/// Whether the iterations met their criterion, and whether the estimates exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convergence {
    /// Whether the criterion was met.
    pub converged: bool,
    /// The number of steps taken.
    pub iterations: usize,
    /// Whether some fitted means run off to the edge of their range, so that some coefficients have no finite estimate.
    pub separated: bool,
}

impl Convergence {
    /// The end of a fit in closed form.
    pub fn closed_form() -> Self {
        Self { converged: true, iterations: 1, separated: false }
    }

    /// A sentence for the reader where something is to be said.
    pub fn warning(&self) -> Option<&'static str> {
        match (self.separated, self.converged) {
            (true, _) => Some(
                "some combination of predictors decides the response (separation): fitted values run to the edge of \
                 their range, and coefficients with a very large standard error have no finite estimate",
            ),
            (false, false) => Some(
                "the iterations did not converge; raise their number, or leave out predictors that nearly repeat others",
            ),
            (false, true) => None,
        }
    }
}
