//! T_p = b/m + v̄ n_syn/N, t with (m − 1)(1 + S/D)² degrees of freedom (Reiter 2003; Jackson et al. 2022, section 3.1).
//!
//! With n_syn = N this is Reiter's T_p = b/m + v̄ and his degrees of freedom (m − 1)(1 + m v̄/b)². Reiter's rule supposes n_syn = N; the factor
//! n_syn/N carries v over to the N records whose sampling variance is meant.

use super::{FileEstimate, Parts, Rule, RuleCard, Weights, need_two, scaled_to_original};
use crate::InferenceError;

/// The card.
pub(super) const CARD: RuleCard = RuleCard {
    rule: Rule::Tp,
    name: "tp",
    formula: "T_p = b/m + v n_syn/N, t with (m-1)(1 + m v n_syn/(N b))^2 degrees of freedom",
    valid_when: "two files or more, drawn independently given the original data, with whatever variance; not for noise that all files share",
    needs_original_rows: true,
    citation: "Reiter (2003), Inference for partially synthetic, public use microdata sets; Jackson, Mitra, Francis and Dove (2022)",
};

pub(super) fn parts(files: &[FileEstimate], rows: f64, weights: Weights) -> Result<Parts, InferenceError> {
    need_two(files, CARD.name)?;
    Ok(Parts {
        estimate: weights.mean(files),
        sampling: scaled_to_original(files, &weights.shares(files), rows),
        synthesis: weights.variance_of_mean(files),
        synthesis_degrees_of_freedom: Some((files.len() - 1) as f64),
    })
}
