//! T_p of partial synthesis: b/m + v̄ n_syn/N, t with (m − 1)(1 + S/D)² degrees of freedom (Reiter 2003).
//!
//! Reiter's files have N records each, and v̄ is the variance of Q̂ as it is. Files of another size hold the kept records drawn again; v̄ is then that of n_syn records
//! and is scaled as in T_p. Where N is not known, the files are taken to have N records.

use super::{FileEstimate, Parts, Rule, RuleCard, Weights, need_two, scaled_to_original};
use crate::InferenceError;

/// The card.
pub(super) const CARD: RuleCard = RuleCard {
    rule: Rule::Partial,
    name: "partial",
    formula: "T_p = b/m + v n_syn/N, t with (m-1)(1 + m v n_syn/(N b))^2 degrees of freedom",
    original_formula: "D = b/m, t with m-1 degrees of freedom",
    valid_when: "some values are the original ones; two files or more. Without N, files of N records are supposed",
    needs_original_rows: false,
    citation: "Reiter (2003), Inference for partially synthetic, public use microdata sets",
};

/// `rows` is N, if it is known.
pub(super) fn parts(
    files: &[FileEstimate],
    rows: Option<f64>,
    weights: Weights,
) -> Result<Parts, InferenceError> {
    need_two(files, CARD.name)?;
    let shares = weights.shares(files);
    Ok(Parts {
        estimate: weights.mean(files),
        sampling: match rows {
            Some(rows) => scaled_to_original(files, &shares, rows),
            None => files.iter().zip(&shares).map(|(file, share)| share * file.variance).sum(),
        },
        synthesis: weights.variance_of_mean(files),
        synthesis_degrees_of_freedom: Some((files.len() - 1) as f64),
    })
}
