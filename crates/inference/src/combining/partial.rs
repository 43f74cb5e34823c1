//! T_p of partial synthesis: b/m + v̄, t with (m − 1)(1 + m v̄/b)² degrees of freedom (Reiter 2003).

use super::{FileEstimate, Parts, Rule, RuleCard, Weights, need_two};
use crate::InferenceError;

/// The card.
pub(super) const CARD: RuleCard = RuleCard {
    rule: Rule::Partial,
    name: "partial",
    formula: "T_p = b/m + v, t with (m-1)(1 + m v/b)^2 degrees of freedom",
    valid_when: "some values are the original ones, and every file has the original's N records; two files or more",
    needs_original_rows: false,
    citation: "Reiter (2003), Inference for partially synthetic, public use microdata sets",
};

/// The files have N records each, so that v̄ is already the variance of Q̂.
pub(super) fn parts(files: &[FileEstimate], weights: Weights) -> Result<Parts, InferenceError> {
    need_two(files, CARD.name)?;
    let shares = weights.shares(files);
    Ok(Parts {
        estimate: weights.mean(files),
        sampling: files.iter().zip(&shares).map(|(file, share)| share * file.variance).sum(),
        synthesis: weights.variance_of_mean(files),
        synthesis_degrees_of_freedom: Some((files.len() - 1) as f64),
    })
}
