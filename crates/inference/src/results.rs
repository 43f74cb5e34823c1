//! What `fit` answers, for people and machines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::interval::{Interval, Level};
use crate::{FileEstimate, Rule, Target, Weights};

/// All answers from one set of synthetic files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Findings {
    /// The synthetic files.
    pub files: Vec<FileFacts>,
    /// N, where it is known.
    pub original_rows: Option<u64>,
    /// The method that made them, where it is known.
    pub method: Option<String>,
    /// What the intervals are for.
    pub target: Target,
    /// The probability with which they are to cover.
    pub level: Level,
    /// One for each thing that was asked for.
    pub answers: Vec<Answer>,
}

/// A synthetic file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileFacts {
    /// Its name.
    pub name: String,
    /// Its number of records.
    pub records: u64,
}

/// The answer to one thing that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// What was asked for, as it was written.
    pub asked: String,
    /// The family of a model.
    pub family: Option<String>,
    /// The design of the sample, where records count by their weight and standard errors are those of the design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survey: Option<SurveyFacts>,
    /// The rule.
    pub rule: RuleUsed,
    /// What stands against the answer: an invalid rule, a known bias.
    pub warnings: Vec<String>,
    /// The quantities.
    pub quantities: Vec<Quantity>,
}

/// The design by which an answer counts records, in the first file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyFacts {
    /// The variable that holds the weights.
    pub weight: Option<String>,
    /// The variable of the strata.
    pub stratum: Option<String>,
    /// The variable of the clusters.
    pub cluster: Option<String>,
    /// How many strata there are.
    pub strata: usize,
    /// How many clusters there are; records, where no variable names them.
    pub clusters: usize,
    /// How many strata have one cluster alone.
    pub lonely_strata: usize,
    /// Clusters less strata.
    pub degrees_of_freedom: f64,
}

/// Which rule was used, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleUsed {
    /// The rule.
    pub rule: Rule,
    /// Its formula.
    pub formula: String,
    /// Who chose it.
    pub chosen_by: ChosenBy,
    /// Why it is valid, or what would be.
    pub because: String,
    /// The source.
    pub citation: String,
    /// The rule that is valid for this release.
    pub valid_rule: Rule,
    /// How files count in the estimate.
    pub weights: Weights,
}

/// Who chose a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChosenBy {
    /// The manifest of the release.
    Manifest,
    /// The user.
    User,
    /// Neither: nothing is known of the files.
    Default,
}

/// One quantity: a coefficient, a mean, a share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quantity {
    /// What it is called.
    pub name: String,
    /// What each file says; `null` where it cannot say anything.
    pub by_file: Vec<Option<FileEstimate>>,
    /// q: the mean of the estimates.
    pub mean_estimate: Option<f64>,
    /// b: their variance between files.
    pub between_variance: Option<f64>,
    /// v: the mean variance within files.
    pub within_variance: Option<f64>,
    /// The estimate of the target.
    pub estimate: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// The interval for the target.
    pub interval: Option<Interval>,
    /// The degrees of freedom of the t distribution; `null` for another one.
    pub degrees_of_freedom: Option<f64>,
    /// The standard error that the original data would have shown, sqrt(v n_syn/N).
    pub expected_original_standard_error: Option<f64>,
    /// The bias that a bootstrap found in one more release of the files' records. The interval allows for it, the estimate does not; the files have a bias already, so that
    /// it is found too small where it is not small.
    pub bias: Option<f64>,
    /// The error of a posterior mean that is due to its sampler.
    pub monte_carlo_error: Option<f64>,
    /// Bootstrap replicates that gave this quantity.
    pub replicates: Option<usize>,
    /// What must be known to read the interval.
    pub remark: Option<String>,
    /// Why there is no interval, where there is none.
    pub not_computed: Option<String>,
}
