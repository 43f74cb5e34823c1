//! The posterior of cell shares given a `dirichlet` release (McClure & Reiter 2012, Appendix B), for two cells and for K.
//!
//! The release drew s ~ Multinomial(n, (y_c + a_c)/(N + Σa)); the analyst knows s, a and N. With y ~ Multinomial(N, p) and
//! p ~ Dirichlet(g_1, …, g_K), the posterior of (p, y) is proportional to
//!
//! Π_c (y_c + a_c)^{s_c} · p_c^{y_c + g_c − 1} / y_c!
//!
//! With g = 1 in each of many cells the analyst's own prior weighs K records and swamps the data. `PredictiveRelease::with_total_prior` spreads the weight of one
//! record over all cells of the whole table (Perks 1947; Berger, Bernardo & Sun 2015, section 3): a margin then has the same prior whether it is asked for
//! itself or summed from a larger table.
//!
//! McClure's sampler alternates a Metropolis step for y given p, which moves records from one cell to another, and a draw of
//! p ~ Dirichlet(y + g). [`CountStep::GivenShares`] with two cells is that sampler. It wanders slowly where a is strong: p and y then hold each other
//! fast. [`CountStep::SharesIntegratedOut`] has the same stationary distribution and moves y with p integrated out,
//! Π_c (y_c + a_c)^{s_c} · Γ(y_c + g)/y_c!, by moves of every size; it is the default.
//!
//! Several files of one release are one set of draws, so their counts are added. Cells of a margin are sums of cells of the whole table: a_c is then a
//! times the number of cells that can occur in it.

mod exact;
mod sampler;

pub use exact::exact_moments;
pub use sampler::{CountStep, Posterior, SamplerSettings, ShareSummary, sample};

use crate::InferenceError;

/// What is known of a `dirichlet` release.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictiveRelease {
    /// s_c: released records in each cell, all files together.
    released: Vec<u64>,
    /// a_c: what the prior adds to each cell.
    prior_weights: Vec<f64>,
    /// N: the number of original records.
    original_rows: u64,
    /// g: the analyst's own prior, Dirichlet(g_1, …, g_K).
    analyst_prior: Vec<f64>,
}

/// The most cells that are sampled.
pub const MOST_CELLS: usize = 2_000;

impl PredictiveRelease {
    /// A release with the analyst's flat prior, g = 1, as McClure & Reiter take it.
    pub fn new(
        released: Vec<u64>,
        prior_weights: Vec<f64>,
        original_rows: u64,
    ) -> Result<Self, InferenceError> {
        let flat = vec![1.0; released.len()];
        Self::with_prior(released, prior_weights, original_rows, flat)
    }

    /// A release with an analyst's prior that weighs one record in all: g_c = a_c/Σa, in proportion to the cells of the whole table that are behind each.
    pub(crate) fn with_total_prior(
        released: Vec<u64>,
        prior_weights: Vec<f64>,
        original_rows: u64,
    ) -> Result<Self, InferenceError> {
        let total: f64 = prior_weights.iter().sum();
        let analyst_prior = prior_weights.iter().map(|weight| weight / total).collect();
        Self::with_prior(released, prior_weights, original_rows, analyst_prior)
    }

    /// A release with the analyst's prior Dirichlet(g_1, …, g_K).
    pub fn with_prior(
        released: Vec<u64>,
        prior_weights: Vec<f64>,
        original_rows: u64,
        analyst_prior: Vec<f64>,
    ) -> Result<Self, InferenceError> {
        let refuse = |message: &str| Err(InferenceError::rule("posterior", message));
        let cells = released.len();
        if cells != prior_weights.len() || cells != analyst_prior.len() || cells < 2 {
            return refuse("needs at least two cells, each with its count and its prior weight");
        }
        if released.len() > MOST_CELLS {
            return refuse("is computed for tables of up to 2,000 cells; ask for a smaller table");
        }
        if prior_weights.iter().any(|weight| !(weight.is_finite() && *weight > 0.0)) {
            return refuse("needs a positive prior weight in every cell");
        }
        if original_rows == 0 || analyst_prior.iter().any(|prior| !(prior.is_finite() && *prior > 0.0)) {
            return refuse("needs at least one original record and a positive prior");
        }
        Ok(Self { released, prior_weights, original_rows, analyst_prior })
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.released.len()
    }

    /// N.
    pub fn original_rows(&self) -> u64 {
        self.original_rows
    }

    /// The standard deviation that a share of a cell among a group of cells has before the release is seen: that of Beta(g_c, Σ'g).
    pub(crate) fn prior_standard_deviation(&self, cell: usize, group: &[usize]) -> f64 {
        let total: f64 = group.iter().map(|cell| self.analyst_prior[*cell]).sum();
        let mean = self.analyst_prior[cell] / total;
        (mean * (1.0 - mean) / (total + 1.0)).sqrt()
    }

    /// ln of Π (y_c + a_c)^{s_c}, cell by cell.
    fn ln_likelihood(&self, cell: usize, count: u64) -> f64 {
        self.released[cell] as f64 * (count as f64 + self.prior_weights[cell]).ln()
    }
}

/// The weight a = 1/(e^{ε/n} − 1) with which a file of n records costs ε.
pub fn prior_weight(epsilon: f64, rows: u64) -> f64 {
    1.0 / (epsilon / rows as f64).exp_m1()
}

/// Mean and variance of a share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The mean.
    pub mean: f64,
    /// The variance.
    pub variance: f64,
}

#[cfg(test)]
mod tests;
