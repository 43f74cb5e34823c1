//! Pool, then analyse: the m files as one of M = Σ nₗ records, T = v (M/N + 1), normal (Jackson et al. 2022, section 3.1.2).

use super::{FileEstimate, Parts, Rule, RuleCard, Weights, t_s};
use crate::InferenceError;

/// The card.
pub(super) const CARD: RuleCard = RuleCard {
    rule: Rule::Pooled,
    name: "pooled",
    formula: "T_s of the pooled file of M records: v_pooled (M/N + 1), normal",
    valid_when: "where `ts` is; one analysis instead of m, and fewer empty cells in each table",
    needs_original_rows: true,
    citation: "Jackson, Mitra, Francis and Dove (2022), On integrating the number of synthetic data sets m, section 3.1.2",
};

/// One file of M records under T_s.
pub(super) fn parts(files: &[FileEstimate], rows: f64, weights: Weights) -> Result<Parts, InferenceError> {
    if files.len() != 1 {
        return Err(InferenceError::rule(CARD.name, "takes the one estimate of the pooled file"));
    }
    Ok(t_s::parts(files, rows, weights))
}
