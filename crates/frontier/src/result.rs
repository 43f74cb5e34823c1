//! What a frontier found: plain data, written as `frontier.json`, read by the report and by `release`.

use std::collections::BTreeMap;

use measures::{Better, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AskedBattery;

/// Contestants on one risk-utility map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frontier {
    /// Always `lookalike-frontier`.
    pub format: String,
    /// Version of the format.
    pub version: u32,
    /// The software that made it.
    pub software: String,
    /// The confidential table's file name, without its folders.
    pub data: String,
    /// Its number of records.
    pub rows: u64,
    /// Its number of variables.
    pub columns: usize,
    /// How many of them no recipe was fitted to, so that attacks can be compared with what is true of anyone; none if none were set apart.
    #[serde(default)]
    pub holdout: Option<u64>,
    /// How often each contestant was run.
    pub repeat: u32,
    /// The seed of all runs.
    pub seed: u64,
    /// Key sets of the battery.
    pub keys: Vec<Vec<String>>,
    /// Targets of the battery.
    pub targets: Vec<String>,
    /// Models of the battery, as formulas.
    pub models: Vec<String>,
    /// The family of each of them.
    #[serde(default)]
    pub model_families: Vec<String>,
    /// All that was asked of every contestant; none in a frontier of an earlier version.
    #[serde(default)]
    pub settings: Option<AskedBattery>,
    /// SHA-256 of the confidential records as they were read; empty in a frontier of an earlier version.
    #[serde(default)]
    pub data_sha256: String,
    /// SHA-256 of their schema; empty in a frontier of an earlier version.
    #[serde(default)]
    pub schema_sha256: String,
    /// The axis along which the map's risk is read.
    pub risk: Axis,
    /// The axis along which the map's utility is read.
    pub utility: Axis,
    /// Every axis that can be chosen: those on which some contestant has a number.
    pub axes: Vec<Axis>,
    /// Everything that was tried.
    pub contestants: Vec<Contestant>,
    /// The owner's limits.
    pub limits: Vec<Limit>,
    /// What to release, and why.
    pub recommendation: Recommendation,
    /// What was left out of the grid, and what else is to be said of the whole.
    pub remarks: Vec<String>,
    /// Says who may read it: a frontier looks at the original without paying, so nothing of it is private.
    pub confidential: String,
}

/// How long the runs took: kept apart from [`Frontier`], which is the same bytes whenever and wherever it is computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timings {
    /// Mean seconds of making one run's data sets and of measuring them, by the name of the contestant. Runs go side by side, one thread
    /// each, so these are about CPU seconds.
    pub contestants: BTreeMap<String, [f64; 2]>,
}

/// A number by which contestants are compared: a finding of the whole table, or the mean of one measure over what it is on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Axis {
    /// The measure's name, as on its card; `epsilon` is what was spent of privacy.
    pub measure: String,
    /// Which of several findings of one name it is, such as `2-way`; empty where there is one, or where it is their mean.
    pub of: String,
    /// For people, such as `mean S_pMSE of two-way tables`.
    pub label: String,
    /// In which direction it gets better.
    pub better: Better,
    /// Whether it is about risk; otherwise about utility.
    pub is_risk: bool,
}

/// A method with its settings, or a file that another tool made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Contestant {
    /// Its name, unique in the frontier and fit for a file name.
    pub name: String,
    /// For people, such as `saturated, NBI, sigma 0.5, m 5`.
    pub label: String,
    /// Where its data sets come from.
    pub origin: Origin,
    /// The epsilon of the guarantee, where there is one; that of a budget rho is converted at a delta that the remarks name.
    pub epsilon: Option<f64>,
    /// How many runs gave a result.
    pub runs: u32,
    /// How many gave none.
    #[serde(default)]
    pub failed_runs: u32,
    /// Why it has no result.
    pub failed: Option<String>,
    /// What is to be said of it: whether the runs confirm the plan, what its fits had to say.
    pub remarks: Vec<String>,
    /// Its value on each axis, in the order of [`Frontier::axes`]; none where it has no number.
    pub values: Vec<Option<Estimated>>,
    /// What theory says of it on each axis before anything is generated; none where theory is silent.
    pub planned: Vec<Option<f64>>,
    /// Every finding, the mean over runs, with `each` and `sd` in its detail.
    pub findings: Vec<Finding>,
    /// Where it stands among the others.
    pub place: Option<Place>,
    /// Every limit and whether it is kept.
    pub checks: Vec<LimitCheck>,
    /// The total scores of Taub & Elliot (2019), where overall utility and TCAP were measured.
    pub scores: Option<TotalScores>,
}

/// Where a contestant's data sets come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Made by this recipe (TOML, without a seed).
    Recipe {
        /// The method.
        method: String,
        /// The recipe.
        recipe: String,
    },
    /// Made by another tool.
    Imported {
        /// The files' names, without their folders.
        files: Vec<String>,
    },
}

/// A number estimated from repeated runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimated {
    /// The mean over runs.
    pub mean: f64,
    /// The standard deviation over runs; none of a single run.
    pub sd: Option<f64>,
    /// The smallest and largest run.
    pub range: [f64; 2],
}

/// Where a contestant stands on the chosen axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Whether no other contestant is at least as good on both axes and better on one, by the means.
    pub on_front: bool,
    /// The probability, over the spread of runs, that some other contestant dominates it.
    pub dominated_probability: f64,
    /// The contestants that dominate it by the means.
    pub dominated_by: Vec<String>,
    /// Whether every limit is kept.
    pub acceptable: bool,
}

/// A bound that a release must keep, such as `attribute.tcap <= 0.4`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// As it was written.
    pub text: String,
    /// The measure, `epsilon`, or `intruder.regions`.
    pub measure: String,
    /// The bound itself; none for regions.
    pub bound: Option<f64>,
    /// Whether the measure must be at most the bound; otherwise at least.
    pub at_most: bool,
}

/// Whether one limit is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitCheck {
    /// As it was written.
    pub limit: String,
    /// The measure that it is about, as on its card, or `epsilon`.
    #[serde(default)]
    pub measure: String,
    /// The worst value over what the measure is on, averaged over runs.
    pub value: Option<f64>,
    /// Whether it is kept; a value that is not there keeps nothing.
    pub kept: bool,
    /// The share of runs that keep it.
    pub share_of_runs: Option<f64>,
    /// Why it is not kept, where that is not plain from the number.
    pub because: Option<String>,
}

/// The four total scores of Taub & Elliot (2019, section 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TotalScores {
    /// The overall utility.
    pub utility: f64,
    /// The mean TCAP.
    pub risk: f64,
    /// Utility − risk.
    pub difference: f64,
    /// The smaller of utility and safety.
    pub minimum: f64,
    /// Utility · safety.
    pub product: f64,
    /// √(utility · safety).
    pub geometric_mean: f64,
}

/// What to release, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recommendation {
    /// The contestant with the highest utility among the acceptable ones.
    pub name: Option<String>,
    /// The next best.
    pub runners_up: Vec<String>,
    /// The reason in a sentence; where nothing is acceptable, what comes closest and what stands in the way.
    pub reason: String,
}
