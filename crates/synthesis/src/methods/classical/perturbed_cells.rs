//! The cross-table of all variables, its counts perturbed once and for all, written out as records.
//!
//! Where noise on a count were drawn anew for every data set, its mean over data sets would give the count away. So all noise comes from a key that is made of
//! the table itself, the SHA-256 of its cells and counts: the same records give the same noise, as in the cell-key method (Fraser & Wooton 2005), and
//! who does not know all of them does not know the key.

use std::sync::Arc;

use rand::SeedableRng;
use sha2::{Digest, Sha256};
use table::{Attributes, ContingencyTable, Domain};

use super::super::{expanded_cells, stored_cells};
use crate::randomness::{Rng, Seed};
use crate::stored::{StateContext, StateReader, StateWriter};
use crate::synthesizer::{CountSynthesizer, Data};
use crate::{Cells, Making, Model, RecordsCard, StructuralZeros, SynthesisError, Synthesizer};

/// How a count is perturbed.
pub(super) trait Perturbation: Send + Sync {
    /// The published count of a cell with this many records.
    fn perturbed(&self, count: u64, key: &mut Rng) -> u64;
}

/// A synthesizer that perturbs counts in this way.
pub(super) fn synthesizer(perturbation: impl Perturbation + 'static) -> Synthesizer {
    Synthesizer::Counts(Box::new(PerturbedCells(Arc::new(perturbation))))
}

struct PerturbedCells(Arc<dyn Perturbation>);

impl CountSynthesizer for PerturbedCells {
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            leaves_out: Some("the counts of small cells were changed; what depends on them".into()),
            ..RecordsCard::new(Making::Perturbed)
        }
    }

    fn rows_can_be_chosen(&self) -> bool {
        false
    }

    fn fit(&self, data: Data<'_>) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
        let domain = data.counts.domain().clone();
        let table = data.counts.contingency_table(&Attributes::all(&domain))?;
        Ok(Box::new(PerturbedTable::new(domain, data.zeros.clone(), table, self.0.as_ref())))
    }
}

/// A model from its stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
    perturbation: impl Perturbation,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    let domain = stored_cells::domain(context)?;
    let (zeros, table) = stored_cells::load(from, &domain)?;
    stored_cells::check_total(&table, false, context)?;
    Ok(Box::new(PerturbedTable::new(domain, zeros, table, &perturbation)))
}

struct PerturbedTable {
    domain: Domain,
    zeros: StructuralZeros,
    table: ContingencyTable,
    counts: Vec<u64>,
}

impl PerturbedTable {
    fn new(
        domain: Domain,
        zeros: StructuralZeros,
        table: ContingencyTable,
        perturbation: &dyn Perturbation,
    ) -> Self {
        let mut hash = Sha256::new();
        table.words().iter().for_each(|word| hash.update(word.to_le_bytes()));
        table.counts().iter().for_each(|count| hash.update(count.to_le_bytes()));
        let mut key = Rng::from_seed(hash.finalize().into());
        let counts = table.counts().iter().map(|count| perturbation.perturbed(*count, &mut key)).collect();
        Self { domain, zeros, table, counts }
    }
}

impl Model<Cells> for PerturbedTable {
    /// The number of records follows from the perturbed counts and is not asked for.
    fn sample(&self, _rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        let class = |cell: usize, place: usize| self.table.class(cell, place);
        expanded_cells::records(&self.domain, &self.counts, class, seed).ok_or_else(|| {
            SynthesisError::option("method", format!("one file takes up to {} records", u32::MAX))
        })
    }

    fn remarks(&self) -> Vec<String> {
        let kept = self.counts.iter().filter(|count| **count > 0).count();
        vec![format!(
            "these are the cells of real units with some counts changed, not synthetic data; {kept} of {} occupied cells are kept",
            self.table.occupied()
        )]
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        stored_cells::store(&self.zeros, &self.table, into)
    }

    fn confidential(&self) -> Option<&'static str> {
        Some("every occupied cell with its exact count: the records themselves, in classes")
    }
}
