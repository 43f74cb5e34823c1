//! Cells with counts, written out as records in random order.

use rand::seq::SliceRandom;
use table::Domain;

use crate::Cells;
use crate::randomness::{BLOCK, Seed};

/// As many records of each cell as its count, in random order; `class` gives the class of a cell in a variable. `None` if a file cannot hold them.
pub(super) fn records(
    domain: &Domain,
    counts: &[u64],
    class: impl Fn(usize, usize) -> u32 + Sync,
    seed: Seed,
) -> Option<Cells> {
    let rows = counts.iter().fold(0_u64, |rows, count| rows.saturating_add(*count));
    u32::try_from(rows).ok()?;
    let repeated =
        counts.iter().enumerate().flat_map(|(cell, count)| std::iter::repeat_n(cell as u32, *count as usize));
    let mut order: Vec<u32> = repeated.collect();
    order.shuffle(&mut seed.child(2).stream(0));
    Some(Cells::draw(domain, order.len(), seed, |block, rows, _| {
        let records = &order[block as usize * BLOCK..][..rows];
        let column = |place: usize| records.iter().map(|cell| class(*cell as usize, place)).collect();
        (0..domain.variables().len()).map(column).collect()
    }))
}
