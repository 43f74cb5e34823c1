//! T_f = (1 + 1/m) b − v̄: fully synthetic files in Rubin's sense (Raghunathan, Reiter & Rubin 2003).
//!
//! The files are samples of populations that were drawn from a Bayesian posterior predictive distribution. Here v̄ is subtracted: b holds
//! the uncertainty of the imputation and of drawing the file. T_f can be negative; then it is max(0, T_f) + v̄ n_syn/N (Reiter 2002).

use super::{
    Combined, FileEstimate, Rule, RuleCard, Target, Weights, between_variance, need_two, within_variance,
};
use crate::InferenceError;
use crate::interval::Reference;

/// The card.
pub(super) const CARD: RuleCard = RuleCard {
    rule: Rule::Tf,
    name: "tf",
    formula: "T_f = (1 + 1/m) b - v, t with (m-1)(1 - v/((1+1/m) b))^2 degrees of freedom; v n_syn/N where it is negative",
    valid_when: "every file is a sample of a whole population imputed from a Bayesian posterior predictive distribution; none of Lookalike's methods",
    needs_original_rows: true,
    citation: "Raghunathan, Reiter and Rubin (2003), Multiple imputation for statistical disclosure limitation; Reiter (2002)",
};

pub(super) fn combine(
    files: &[FileEstimate],
    rows: f64,
    target: Target,
    weights: Weights,
) -> Result<Combined, InferenceError> {
    need_two(files, CARD.name)?;
    if weights != Weights::Equal {
        return Err(InferenceError::rule(CARD.name, "has no weights; leave --weights out"));
    }
    let (m, within) = (files.len() as f64, within_variance(files));
    let between = between_variance(files).unwrap_or(0.0);
    let around = between / m;
    let total = (1.0 + 1.0 / m) * between - within;
    let floored = total < 0.0;
    let population = if floored {
        within * files.iter().map(|file| file.records as f64).sum::<f64>() / m / rows
    } else {
        total
    };
    let freedom = match target {
        Target::Population if floored => None,
        Target::Population => Some((m - 1.0) * (1.0 - within / ((1.0 + 1.0 / m) * between)).powi(2)),
        Target::Original => Some(m - 1.0),
    };
    Ok(Combined {
        estimate: weights.mean(files),
        sampling_variance: (population - around).max(0.0),
        synthesis_variance: around,
        variance: if target == Target::Population { population } else { around },
        reference: match freedom {
            Some(degrees_of_freedom) if between > 0.0 => Reference::StudentT { degrees_of_freedom },
            _ => Reference::Normal,
        },
        floored: floored && target == Target::Population,
    })
}
