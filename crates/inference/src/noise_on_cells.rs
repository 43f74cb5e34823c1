//! How many records noise on all cells makes out of nothing.
//!
//! A method with noise on every cell adds discrete Laplace noise X, P(X = x) ∝ αˣ with α = e^{−1/scale}, to every cell that can occur, and takes negative counts for 0. A cell of y
//! records gains E max(0, y + X) − y = α^y · α/(1 − α²): an empty one α/(1 − α²), a full one next to nothing. K cells gain at most K α/(1 − α²), spread evenly, whatever
//! the data say.

use privacy::ledger::Mechanism;
use synthesis::{Making, StructuralZeros, private};
use table::{Domain, Schema};

use crate::InferenceError;
use crate::provenance::Provenance;

/// The most records that noise adds, and the number of cells it is on; `None` for a release without noise on all cells.
pub(crate) fn records_of_noise(
    provenance: &Provenance,
    schema: &Schema,
) -> Result<Option<(f64, f64)>, InferenceError> {
    let event = provenance.ledger.as_ref().and_then(|ledger| ledger.events.last());
    let scale =
        event.filter(|event| event.mechanism == Mechanism::DiscreteLaplace).and_then(|event| event.scale);
    let on_every_cell = provenance.making() == Some(Making::NoisyModel { on_every_cell: true });
    let Some(scale) = scale.filter(|_| on_every_cell) else { return Ok(None) };
    let schema = private::declared(schema)?;
    let domain = Domain::declared(&schema, provenance.recipe.groups as usize)?;
    let zeros = StructuralZeros::declared(&schema, &domain)?;
    let cells: f64 = zeros.possible_cells(&domain)?.to_string().parse().unwrap_or(f64::INFINITY);
    Ok(Some((cells * gain_of_an_empty_cell(scale), cells)))
}

/// E max(0, X) = α/(1 − α²).
fn gain_of_an_empty_cell(scale: f64) -> f64 {
    let alpha = (-1.0 / scale).exp();
    alpha / (1.0 - alpha * alpha)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_cell_gains_what_the_sum_says() {
        for scale in [0.3, 1.0, 10.0] {
            let alpha: f64 = (-1.0_f64 / scale).exp();
            let by_sum: f64 =
                (1..2_000).map(|x| f64::from(x) * (1.0 - alpha) / (1.0 + alpha) * alpha.powi(x)).sum();
            assert!((gain_of_an_empty_cell(scale) / by_sum - 1.0).abs() < 1e-9, "{scale}");
        }
    }
}
