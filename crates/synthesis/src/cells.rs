//! Records as classes: what a model draws.

use std::ops::Range;

use rayon::prelude::*;
use table::{Attributes, Classes, Codes, Domain};

use crate::randomness::{BLOCK, Rng, Seed};

/// Drawn records, one column of classes for each variable of a domain, in the smallest width that holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    columns: Vec<Codes>,
}

/// Some records, one column of class numbers for each variable.
pub type Block = Vec<Vec<u32>>;

/// How many blocks are drawn at once before they are stored narrowly.
const AT_ONCE: usize = 32;

impl Cells {
    /// No records yet of these variables, with room for `rows`.
    pub fn with_capacity(domain: &Domain, rows: usize) -> Self {
        let column = |classes: &Classes| Codes::with_capacity(classes.size(), rows);
        Self { columns: domain.variables().iter().map(column).collect() }
    }

    /// `rows` records, drawn block by block on all cores; `draw` is given the number of records and the block's own random
    /// numbers.
    pub fn draw(
        domain: &Domain,
        rows: usize,
        seed: Seed,
        draw: impl Fn(u64, usize, Rng) -> Block + Sync,
    ) -> Self {
        Self::draw_part(domain, rows, 0..rows, seed, draw)
    }

    /// Some of `rows` records, drawn in the same way; they begin at a multiple of [`BLOCK`].
    pub fn draw_part(
        domain: &Domain,
        rows: usize,
        part: Range<usize>,
        seed: Seed,
        draw: impl Fn(u64, usize, Rng) -> Block + Sync,
    ) -> Self {
        debug_assert_eq!(part.start % BLOCK, 0, "blocks are drawn whole");
        let mut cells = Self::with_capacity(domain, part.len());
        let blocks: Vec<usize> = (part.start / BLOCK..part.end.min(rows).div_ceil(BLOCK)).collect();
        for some in blocks.chunks(AT_ONCE) {
            let drawn = some.par_iter().map(|block| {
                let rows = BLOCK.min(part.end.min(rows) - block * BLOCK);
                draw(*block as u64, rows, seed.stream(*block as u64))
            });
            drawn.collect::<Vec<Block>>().into_iter().for_each(|block| cells.append(&block));
        }
        cells
    }

    /// The number of records.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Codes::len)
    }

    /// The columns.
    pub fn columns(&self) -> &[Codes] {
        &self.columns
    }

    /// The class of each variable in one record.
    pub fn record(&self, row: usize) -> Vec<u32> {
        self.columns.iter().map(|column| column.get(row)).collect()
    }

    /// Appends the records of other cells.
    pub(crate) fn append_cells(&mut self, others: &Self) {
        self.columns.iter_mut().zip(&others.columns).for_each(|(column, more)| column.extend(more.iter()));
    }

    /// Appends records.
    pub fn append(&mut self, block: &Block) {
        self.columns.iter_mut().zip(block).for_each(|(column, more)| column.extend(more.iter().copied()));
    }

    /// The records of a stratum: those variables have the stratum's classes, the others are as drawn in `within`.
    pub(crate) fn append_stratum(&mut self, by: &Attributes, stratum: &[u32], within: &Self) {
        let mut rest = within.columns.iter();
        for (position, column) in self.columns.iter_mut().enumerate() {
            match by.positions().iter().position(|other| *other == position) {
                Some(place) => column.extend(std::iter::repeat_n(stratum[place], within.rows())),
                None => {
                    if let Some(drawn) = rest.next() {
                        column.extend(drawn.iter());
                    }
                }
            }
        }
    }

    /// The first records.
    pub(crate) fn first(&self, rows: usize, domain: &Domain) -> Self {
        let columns = self.columns.iter().zip(domain.variables());
        let column = |(column, classes): (&Codes, &Classes)| {
            Codes::collect(classes.size(), (0..rows).map(|row| column.get(row)))
        };
        Self { columns: columns.map(column).collect() }
    }

    /// The records in another order: position `i` takes record `order[i]`.
    pub(crate) fn reorder(self, order: &[u32], domain: &Domain) -> Self {
        let columns = self.columns.into_iter().zip(domain.variables());
        let column = |(column, classes): (Codes, &Classes)| {
            Codes::collect(classes.size(), order.iter().map(|row| column.get(*row as usize)))
        };
        Self { columns: columns.map(column).collect() }
    }
}
