//! Combining rules: one answer from m synthetic files.
//!
//! File l gives an estimate q⁽ˡ⁾ with the variance v⁽ˡ⁾ that its own n_l records would have as a plain sample. The point estimate is a
//! weighted mean q̄; b is the variance of the q⁽ˡ⁾, v̄ the mean of the v⁽ˡ⁾. Every rule splits the variance of q̄ in two:
//!
//! Var(q̄ − Q) = **S**, the sampling variance of the estimate Q̂ that the N original records would give,
//!            + **D**, the variance of q̄ around Q̂ that drawing synthetic records adds.
//!
//! The interval for the population quantity Q needs S + D, the one for Q̂ needs D alone; [`Target`] says which is meant.
//! A rule is one file here and one line in [`RULES`].

mod partial;
mod pooled;
mod proper;
mod t_f;
mod t_p;
mod t_s;
mod weights;

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::similar_name;

pub use weights::Weights;

use crate::InferenceError;
use crate::interval::Reference;

/// What the interval is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// The quantity in the population that the original records are a sample of.
    #[default]
    Population,
    /// The estimate that the original records would give.
    Original,
}

impl std::str::FromStr for Target {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "population" => Ok(Self::Population),
            "original" => Ok(Self::Original),
            _ => Err("say population or original"),
        }
    }
}

impl Target {
    /// The target in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Population => "the population quantity",
            Self::Original => "the estimate that the original data would give",
        }
    }
}

/// A rule by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// T_p of Reiter (2003), with v scaled to N records.
    Tp,
    /// T_s of Raab, Nowok & Dibben (2016).
    Ts,
    /// T_s of proper synthesis (Raab, Nowok & Dibben 2016).
    Proper,
    /// T_p for partially synthetic files (Reiter 2003).
    Partial,
    /// T_f of Raghunathan, Reiter & Rubin (2003).
    Tf,
    /// All files analysed as one.
    Pooled,
    /// The posterior of cell shares given a `dirichlet` release (McClure & Reiter 2012).
    Posterior,
    /// A parametric bootstrap of the whole release.
    Bootstrap,
}

/// What is known of a rule.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct RuleCard {
    /// The rule.
    pub rule: Rule,
    /// Its name on the command line.
    pub name: &'static str,
    /// Its formula for the population quantity, and the reference distribution.
    pub formula: &'static str,
    /// The same for the estimate that the original data would give.
    pub original_formula: &'static str,
    /// When it is valid.
    pub valid_when: &'static str,
    /// Whether it needs the number of original records.
    pub needs_original_rows: bool,
    /// The source.
    pub citation: &'static str,
}

/// Every rule, in the order in which they are shown.
pub const RULES: &[RuleCard] =
    &[t_p::CARD, t_s::CARD, proper::CARD, partial::CARD, t_f::CARD, pooled::CARD, POSTERIOR, BOOTSTRAP];

const POSTERIOR: RuleCard = RuleCard {
    rule: Rule::Posterior,
    name: "posterior",
    formula: "p(shares | released counts, a, N), by Metropolis within Gibbs; equal-tailed interval",
    original_formula: "p(y/N | released counts, a, N), by Metropolis within Gibbs; equal-tailed interval",
    valid_when: "a release that a strong prior makes private, and a share or a table: the prior is taken out again",
    needs_original_rows: true,
    citation: "McClure and Reiter (2012), Differential privacy and statistical disclosure risk measures, Appendix B",
};

const BOOTSTRAP: RuleCard = RuleCard {
    rule: Rule::Bootstrap,
    name: "bootstrap",
    formula: "N records drawn from the pooled files, released again by the same recipe and budget; basic interval of q* - q",
    original_formula: "the same, with q* minus the estimate of the N records that were drawn",
    valid_when: "a private release whose recipe is known: privacy noise is common to all m files, so b cannot show it",
    needs_original_rows: true,
    citation: "Davison and Hinkley (1997), Bootstrap methods and their application, sections 2.2 and 5.2",
};

impl RuleCard {
    /// The variance for a target, without the distribution.
    pub(crate) fn variance_for(&self, target: Target) -> &'static str {
        let formula = self.formula_for(target);
        let end = [", normal", ", t with"].iter().filter_map(|distribution| formula.find(distribution)).min();
        &formula[..end.unwrap_or(formula.len())]
    }

    /// The formula for a target.
    pub(crate) fn formula_for(&self, target: Target) -> &'static str {
        match target {
            Target::Population => self.formula,
            Target::Original => self.original_formula,
        }
    }
}

impl Rule {
    /// Its card.
    pub fn card(self) -> &'static RuleCard {
        RULES.iter().find(|card| card.rule == self).expect("every rule has a card, as a test shows")
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.card().name
    }
}

impl FromStr for Rule {
    type Err = InferenceError;

    fn from_str(name: &str) -> Result<Self, InferenceError> {
        RULES.iter().find(|card| card.name == name).map(|card| card.rule).ok_or_else(|| {
            let names = RULES.iter().map(|card| card.name);
            let hint = similar_name::hint(name, names.clone());
            let all = names.collect::<Vec<_>>().join(", ");
            InferenceError::Option {
                option: "--rule",
                message: format!("knows no `{name}`{hint}; the rules are {all}"),
            }
        })
    }
}

/// What one synthetic file says of one quantity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileEstimate {
    /// The estimate q.
    pub estimate: f64,
    /// Its variance v, as if the file were a plain sample of as many records as it has.
    pub variance: f64,
    /// The number of records n_syn of the whole file.
    pub records: u64,
}

/// An estimate from all files, with its variance and the distribution that goes with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Combined {
    /// The point estimate q̄.
    pub estimate: f64,
    /// S: the sampling variance of the original-data estimate.
    pub sampling_variance: f64,
    /// D: the variance that synthesis adds.
    pub synthesis_variance: f64,
    /// The variance of the point estimate around the target.
    pub variance: f64,
    /// The distribution of (q̄ − target) / √variance.
    pub reference: Reference,
    /// Whether T_f came out negative and the variance is its usual floor.
    pub floored: bool,
}

/// The two parts of a rule, before a target is chosen.
struct Parts {
    estimate: f64,
    sampling: f64,
    synthesis: f64,
    /// The degrees of freedom of D alone, where D is estimated from the scatter of few files; `None` where it is not.
    synthesis_degrees_of_freedom: Option<f64>,
}

/// Combines what the files say of one quantity.
///
/// `original_rows` is N. Rules that do not need it take the size of the files for it. For [`Rule::Pooled`] there is one entry, of the pooled file.
/// Posterior and bootstrap are no combining rules and are refused here.
pub fn combine(
    rule: Rule,
    files: &[FileEstimate],
    original_rows: Option<u64>,
    target: Target,
    weights: Weights,
) -> Result<Combined, InferenceError> {
    let name = rule.name();
    if files.is_empty() {
        return Err(InferenceError::rule(name, "needs at least one synthetic file"));
    }
    if rule.card().needs_original_rows && original_rows.is_none_or(|rows| rows == 0) {
        let message = "needs the number of original records; give --original-rows N, or the release folder, whose \
                       manifest knows it";
        return Err(InferenceError::rule(name, message));
    }
    let rows = original_rows.unwrap_or(1) as f64;
    let parts = match rule {
        Rule::Tp => t_p::parts(files, rows, weights)?,
        Rule::Ts => t_s::parts(files, rows, weights),
        Rule::Proper => proper::parts(files, rows, weights),
        Rule::Partial => partial::parts(files, original_rows.map(|rows| rows as f64), weights)?,
        Rule::Tf => return t_f::combine(files, rows, target, weights),
        Rule::Pooled => pooled::parts(files, rows, weights)?,
        Rule::Posterior | Rule::Bootstrap => {
            return Err(InferenceError::rule(
                name,
                "does not combine estimates; it is computed from the files",
            ));
        }
    };
    Ok(parts.for_target(target))
}

impl Parts {
    /// The variance for the target. Where D is estimated with ν degrees of freedom, S + D has ν (1 + S/D)² of them (Reiter 2003).
    fn for_target(&self, target: Target) -> Combined {
        let (variance, ratio) = match target {
            Target::Population => (self.sampling + self.synthesis, self.sampling / self.synthesis),
            Target::Original => (self.synthesis, 0.0),
        };
        let reference = match self.synthesis_degrees_of_freedom {
            Some(freedom) if self.synthesis > 0.0 => {
                Reference::StudentT { degrees_of_freedom: freedom * (1.0 + ratio).powi(2) }
            }
            _ => Reference::Normal,
        };
        Combined {
            estimate: self.estimate,
            sampling_variance: self.sampling,
            synthesis_variance: self.synthesis,
            variance,
            reference,
            floored: false,
        }
    }
}

/// The mean estimate, each file alike.
pub(crate) fn mean_estimate(files: &[FileEstimate]) -> f64 {
    mean(files, |file| file.estimate)
}

/// b: the variance of the estimates between files, with m − 1; `None` for a single file.
pub fn between_variance(files: &[FileEstimate]) -> Option<f64> {
    let centre = mean_estimate(files);
    let squares: f64 = files.iter().map(|file| (file.estimate - centre).powi(2)).sum();
    (files.len() > 1).then(|| squares / (files.len() - 1) as f64)
}

/// v̄: the mean variance within files.
pub fn within_variance(files: &[FileEstimate]) -> f64 {
    mean(files, |file| file.variance)
}

fn mean(files: &[FileEstimate], of: impl Fn(&FileEstimate) -> f64) -> f64 {
    files.iter().map(of).sum::<f64>() / files.len() as f64
}

/// S: v is that of n_l records, the original has N; v n_l/N is the variance of its estimate.
fn scaled_to_original(files: &[FileEstimate], weights: &[f64], rows: f64) -> f64 {
    files.iter().zip(weights).map(|(file, weight)| weight * file.variance * file.records as f64 / rows).sum()
}

fn need_two(files: &[FileEstimate], rule: &'static str) -> Result<(), InferenceError> {
    if files.len() >= 2 {
        return Ok(());
    }
    let message = "needs at least two synthetic files, because it looks at the scatter between them; with one file use \
                   --rule ts where it is valid";
    Err(InferenceError::rule(rule, message))
}

#[cfg(test)]
mod tests;
