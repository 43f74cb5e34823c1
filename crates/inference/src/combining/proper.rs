//! T_s of proper synthesis: v̄ (n_syn/N + (1 + n_syn/N)/m), normal (Raab, Nowok & Dibben 2016).

use super::{FileEstimate, Parts, Rule, RuleCard, Weights, scaled_to_original};

/// The card.
pub(super) const CARD: RuleCard = RuleCard {
    rule: Rule::Proper,
    name: "proper",
    formula: "T = v (n_syn/N + (1 + n_syn/N)/m), normal",
    valid_when: "every value is synthetic, and each file has parameters of its own, drawn from their posterior \
                 (`proper` synthesis); one file is enough",
    needs_original_rows: true,
    citation: "Raab, Nowok and Dibben (2016), Practical data synthesis for large samples",
};

/// Each file has its own parameters, as uncertain as Q̂ itself: q has variance v + v n_syn/N around Q̂.
pub(super) fn parts(files: &[FileEstimate], rows: f64, weights: Weights) -> Parts {
    let shares = weights.shares(files);
    let around = |file: &FileEstimate| file.variance * (1.0 + file.records as f64 / rows);
    Parts {
        estimate: weights.mean(files),
        sampling: scaled_to_original(files, &shares, rows),
        synthesis: files.iter().zip(&shares).map(|(file, share)| share * share * around(file)).sum(),
        synthesis_degrees_of_freedom: None,
    }
}
