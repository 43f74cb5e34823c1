//! T_s = v̄ (n_syn/N + 1/m): complete synthesis from a fitted model, normal (Raab, Nowok & Dibben 2016).

use super::{FileEstimate, Parts, Rule, RuleCard, Weights, scaled_to_original};

/// The card.
pub(super) const CARD: RuleCard = RuleCard {
    rule: Rule::Ts,
    name: "ts",
    formula: "T_s = v (n_syn/N + 1/m), normal",
    valid_when: "every value is synthetic, drawn from a model that was fitted once, with the variance of a plain sample \
                 (multinomial or Poisson counts, trees, regressions); one file is enough",
    needs_original_rows: true,
    citation: "Raab, Nowok and Dibben (2016), Practical data synthesis for large samples",
};

/// Given the original data the files are plain samples: each q has variance v, their mean Σ wₗ² vₗ.
pub(super) fn parts(files: &[FileEstimate], rows: f64, weights: Weights) -> Parts {
    let shares = weights.shares(files);
    Parts {
        estimate: weights.mean(files),
        sampling: scaled_to_original(files, &shares, rows),
        synthesis: files.iter().zip(&shares).map(|(file, share)| share * share * file.variance).sum(),
        synthesis_degrees_of_freedom: None,
    }
}
