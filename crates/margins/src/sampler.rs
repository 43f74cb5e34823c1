//! A sampler: records drawn from a fitted model, as columns of class numbers.
//!
//! From the full table each record is one look-up. On a junction tree the first clique is drawn whole, and
//! every further clique given what is already drawn of it: its variables depend on the earlier ones through
//! the separator alone.

mod inversion;
mod stream;

use rand::RngExt;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use inversion::Inversion;
use stream::stream;

use crate::attributes::{difference, positions};
use crate::model::FittedModel;
use crate::model::tree::TreeModel;

/// Draws records from a fitted model. Costs O(cells held) to make, little more than the model in memory, and
/// about one look-up a record and clique to use.
#[derive(Clone, Debug)]
pub struct Sampler<'a> {
    sizes: &'a [usize],
    draws: Draws<'a>,
}

#[derive(Clone, Debug)]
enum Draws<'a> {
    Whole(Inversion<'a>),
    Stepwise(Vec<Conditional>),
}

impl<'a> Sampler<'a> {
    /// Records a block. A sample is the same however many blocks are drawn at once.
    pub const BLOCK: usize = 1 << 14;

    pub(crate) fn new(model: &'a FittedModel) -> Self {
        let draws = match model {
            FittedModel::Dense(model) => Draws::Whole(Inversion::new(model.table())),
            FittedModel::Tree(model) => {
                let conditionals = (0..model.cliques().len()).map(|at| Conditional::new(model, at));
                Draws::Stepwise(conditionals.collect())
            }
        };
        Self { sizes: model.sizes(), draws }
    }

    /// Draws `rows` independent records: one column of class numbers for each variable.
    pub(crate) fn rows(&self, rows: usize, seed: [u8; 32]) -> Vec<Vec<u32>> {
        let blocks: Vec<Vec<Vec<u32>>> = (0..rows.div_ceil(Self::BLOCK))
            .into_par_iter()
            .map(|block| self.block(block as u64, Self::BLOCK.min(rows - block * Self::BLOCK), seed))
            .collect();
        (0..self.sizes.len())
            .into_par_iter()
            .map(|variable| {
                let mut column = Vec::with_capacity(rows);
                blocks.iter().for_each(|block| column.extend_from_slice(&block[variable]));
                column
            })
            .collect()
    }

    /// Draws the first `rows` records of one block of a sample, for samples that are not to be held in memory
    /// whole.
    ///
    /// # Panics
    ///
    /// If `rows` is more than [`Self::BLOCK`].
    pub fn block(&self, block: u64, rows: usize, seed: [u8; 32]) -> Vec<Vec<u32>> {
        assert!(rows <= Self::BLOCK, "a block has at most {} records", Self::BLOCK);
        let mut rng = stream(seed, block);
        let mut columns = vec![vec![0; rows]; self.sizes.len()];
        match &self.draws {
            Draws::Whole(inversion) => {
                for row in 0..rows {
                    let mut cell = inversion.cell(rng.random());
                    for (column, &classes) in columns.iter_mut().zip(self.sizes).rev() {
                        column[row] = (cell % classes) as u32;
                        cell /= classes;
                    }
                }
            }
            Draws::Stepwise(conditionals) => {
                // One number a record and clique in the order of the records, so that fewer rows give the
                // same first ones.
                for row in 0..rows {
                    for conditional in conditionals {
                        conditional.draw(row, &mut columns, &mut rng);
                    }
                }
            }
        }
        columns
    }
}

/// The variables that a clique adds, given those that it shares with its parent.
#[derive(Clone, Debug)]
struct Conditional {
    /// (variable, classes) that are given, in order.
    given: Vec<(usize, usize)>,
    /// (variable, classes) to draw, in order.
    drawn: Vec<(usize, usize)>,
    /// Combinations of the variables to draw.
    size: usize,
    /// Running totals of the counts, separately for each combination of those given.
    through: Vec<f64>,
}

impl Conditional {
    fn new(model: &TreeModel, at: usize) -> Self {
        let sizes = model.sizes();
        let clique = &model.cliques()[at];
        let given = model.separator(at);
        let drawn = difference(&clique.attributes, given);
        let size: usize = drawn.iter().map(|&variable| sizes[variable]).product();
        let order = [given, &drawn].concat();
        let mut through: Vec<f64> = positions(sizes, &order, &clique.attributes)
            .into_iter()
            .map(|position| clique.counts[position])
            .collect();
        for counts in through.chunks_exact_mut(size) {
            let mut total = 0.0;
            for count in counts {
                total += *count;
                *count = total;
            }
        }
        let with_classes =
            |attributes: &[usize]| attributes.iter().map(|&variable| (variable, sizes[variable])).collect();
        Self { given: with_classes(given), drawn: with_classes(&drawn), size, through }
    }

    fn draw(&self, row: usize, columns: &mut [Vec<u32>], rng: &mut ChaCha12Rng) {
        let case = self
            .given
            .iter()
            .fold(0, |at, &(variable, classes)| at * classes + columns[variable][row] as usize);
        let through = &self.through[case * self.size..(case + 1) * self.size];
        let total = through[self.size - 1];
        let wanted = rng.random::<f64>() * total;
        let mut combination = through.partition_point(|&through| through <= wanted);
        if combination == self.size {
            // Rounding reached the very end: the last combination that is possible.
            combination = through.partition_point(|&through| through < total);
        }
        for &(variable, classes) in self.drawn.iter().rev() {
            columns[variable][row] = (combination % classes) as u32;
            combination /= classes;
        }
    }
}
