//! A model that is a list of cells with weights: records are drawn in proportion.

use std::ops::Range;

use rand::RngExt;
use table::{Attributes, ContingencyTable, Domain};

use super::stored_cells;
use super::uniform_cell::UniformCell;
use crate::randomness::{Rng, Seed};
use crate::stored::StateWriter;
use crate::{Cells, Model, StructuralZeros, SynthesisError};

/// Cells with whole weights and a prior that is spread evenly over all cells that can occur; nothing exact of the records.
pub(super) struct WeightedCells {
    state: State,
    /// Running totals of the weights.
    totals: Vec<u64>,
    prior: Option<UniformCell>,
}

/// What was fitted.
pub(super) struct State {
    pub domain: Domain,
    pub zeros: StructuralZeros,
    pub table: ContingencyTable,
    /// Records' worth of probability that is spread evenly; all of it where no cell has a weight.
    pub nprior: f64,
    pub remarks: Vec<String>,
}

impl WeightedCells {
    pub(super) fn new(method: &'static str, state: State) -> Result<Self, SynthesisError> {
        let mut total = 0;
        let totals: Vec<u64> = (state.table.counts().iter())
            .map(|count| {
                total += count;
                total
            })
            .collect();
        let needs_prior = state.nprior > 0.0 || total == 0;
        let prior =
            if needs_prior { Some(UniformCell::new(method, &state.domain, &state.zeros)?) } else { None };
        Ok(Self { state, totals, prior })
    }

    /// The sparse table of weights given for every cell, those that cannot occur left out.
    pub(super) fn sparse(
        domain: &Domain,
        zeros: &StructuralZeros,
        cells: impl Iterator<Item = (Vec<u32>, u64)>,
    ) -> ContingencyTable {
        let all = Attributes::all(domain);
        let kept: Vec<(Vec<u32>, u64)> =
            cells.filter(|(cell, weight)| *weight > 0 && !zeros.contains(cell)).collect();
        let listed = kept.iter().map(|(cell, weight)| (cell.as_slice(), *weight));
        ContingencyTable::from_cells(all.clone(), &domain.sizes(&all), listed)
    }

    fn draw(&self, rng: &mut Rng) -> Vec<u32> {
        let total = self.totals.last().copied().unwrap_or(0);
        let prior_share = self.state.nprior / (total as f64 + self.state.nprior);
        match &self.prior {
            Some(prior) if total == 0 || rng.random_bool(prior_share) => prior.draw(rng),
            _ => {
                let unit = rng.random_range(0..total);
                self.state.table.cell(self.totals.partition_point(|total| *total <= unit))
            }
        }
    }
}

/// Some of `rows` records, drawn one cell at a time, block by block.
pub(super) fn draw_each(
    domain: &Domain,
    rows: usize,
    part: Range<usize>,
    seed: Seed,
    draw: impl Fn(&mut Rng) -> Vec<u32> + Sync,
) -> Cells {
    Cells::draw_part(domain, rows, part, seed, |_, rows, mut rng| {
        let mut columns = vec![Vec::with_capacity(rows); domain.variables().len()];
        for _ in 0..rows {
            let cell = draw(&mut rng);
            columns.iter_mut().zip(cell).for_each(|(column, class)| column.push(class));
        }
        columns
    })
}

impl Model<Cells> for WeightedCells {
    fn has_parts(&self, _: usize) -> bool {
        true
    }

    fn sample(&self, rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        Ok(draw_each(&self.state.domain, rows, 0..rows, seed, |rng| self.draw(rng)))
    }

    fn sample_part(
        &self,
        rows: usize,
        part: Range<usize>,
        seed: Seed,
    ) -> Option<Result<Cells, SynthesisError>> {
        Some(Ok(draw_each(&self.state.domain, rows, part, seed, |rng| self.draw(rng))))
    }

    fn remarks(&self) -> Vec<String> {
        self.state.remarks.clone()
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(super::catall::NOISY, &Some(&self.state.remarks))?;
        stored_cells::store(&self.state.zeros, &self.state.table, into)
    }

    fn confidential(&self) -> Option<&'static str> {
        None
    }
}
