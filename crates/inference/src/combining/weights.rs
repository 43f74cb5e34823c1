//! Weights of files whose sizes are random: Jackson's open case.
//!
//! Count models draw n_syn too. The estimate of a share in file l is then a ratio X⁽ˡ⁾/n_l, and the plain mean of such ratios is biased: by
//! −Cov(X/n, n)/E n to first order, whatever m is. Weights n_l/Σn give Σ X⁽ˡ⁾/Σ n_l, a ratio of sums, whose bias falls with 1/m. Its variance is that of
//! a ratio estimate, m/(m − 1) Σ wₗ² (qₗ − q̄)² (Cochran 1977, section 6.4), which is b/m when all weights are alike.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FileEstimate;

/// How files count in the point estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// Each file alike.
    #[default]
    Equal,
    /// In proportion to its number of records.
    NSyn,
}

impl std::str::FromStr for Weights {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "equal" => Ok(Self::Equal),
            "n-syn" => Ok(Self::NSyn),
            _ => Err("say equal or n-syn"),
        }
    }
}

impl Weights {
    /// The weight of each file; they sum to 1.
    pub(super) fn shares(self, files: &[FileEstimate]) -> Vec<f64> {
        match self {
            Self::Equal => vec![1.0 / files.len() as f64; files.len()],
            Self::NSyn => {
                let total: u64 = files.iter().map(|file| file.records).sum();
                files.iter().map(|file| file.records as f64 / total as f64).collect()
            }
        }
    }

    /// The weighted mean of the estimates.
    pub(super) fn mean(self, files: &[FileEstimate]) -> f64 {
        self.shares(files).iter().zip(files).map(|(share, file)| share * file.estimate).sum()
    }

    /// The variance of the weighted mean, from the scatter of the files.
    pub(super) fn variance_of_mean(self, files: &[FileEstimate]) -> f64 {
        let (m, centre) = (files.len() as f64, self.mean(files));
        let scatter = self
            .shares(files)
            .into_iter()
            .zip(files)
            .map(|(share, file)| (share * (file.estimate - centre)).powi(2));
        m / (m - 1.0) * scatter.sum::<f64>()
    }
}
