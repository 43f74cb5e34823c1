//! Records in cells of keys, from which donors are drawn; a cell that no record is in gives way to a coarser one.

use std::ops::Range;

use super::donors::DonorWeights;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, cuts_into_parts, ensure};

/// Records sorted by their cell, the first key first: the records that agree on the first few keys lie together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DonorPool {
    /// For each key, the values that occur, ascending.
    values: Vec<Vec<u64>>,
    /// For each cell, the positions of its keys' values; cells ascending.
    cells: Vec<u32>,
    /// Where the donors of each cell begin, and where the last end.
    offsets: Vec<u32>,
    donors: Vec<u32>,
    weights: DonorWeights,
}

impl DonorPool {
    /// The pool of records whose keys are `keys[key][record]`.
    pub(super) fn new(keys: &[Vec<u64>], records: usize) -> Self {
        let distinct = |key: &Vec<u64>| {
            let mut values = key.clone();
            values.sort_unstable();
            values.dedup();
            values
        };
        let values: Vec<Vec<u64>> = keys.iter().map(distinct).collect();
        let position = |key: usize, value: u64| values[key].partition_point(|known| *known < value) as u32;
        let codes: Vec<Vec<u32>> = keys
            .iter()
            .enumerate()
            .map(|(key, column)| column.iter().map(|value| position(key, *value)).collect())
            .collect();
        let cell = |record: u32| codes.iter().map(move |column| column[record as usize]);
        let mut donors: Vec<u32> = (0..records as u32).collect();
        donors.sort_by(|left, right| cell(*left).cmp(cell(*right)));
        let (mut cells, mut offsets): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for (at, donor) in donors.iter().enumerate() {
            if at == 0 || cell(donors[at - 1]).ne(cell(*donor)) {
                cells.extend(cell(*donor));
                offsets.push(at as u32);
            }
        }
        offsets.push(records as u32);
        Self { values, cells, offsets, donors, weights: DonorWeights::default() }
    }

    /// Writes the pool.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        self.values.iter().try_for_each(|values| into.array("values of a key", values))?;
        into.array("cells", &self.cells)?;
        into.array("offsets of donors", &self.offsets)?;
        into.array("donors", &self.donors)
    }

    /// A pool of `keys` keys whose donors are among `records` records.
    pub(super) fn load(
        from: &mut StateReader<'_>,
        keys: usize,
        records: usize,
    ) -> Result<Self, SynthesisError> {
        let values =
            (0..keys).map(|_| from.array("values of a key")).collect::<Result<Vec<Vec<u64>>, _>>()?;
        let (cells, offsets): (Vec<u32>, Vec<u32>) = (from.array("cells")?, from.array("offsets of donors")?);
        let donors: Vec<u32> = from.array("donors")?;
        let cells_are_fine = (offsets.len() - usize::from(!offsets.is_empty())).checked_mul(keys)
            == Some(cells.len())
            && cells.iter().enumerate().all(|(at, code)| (*code as usize) < values[at % keys].len())
            && (keys == 0 || cells.chunks_exact(keys).is_sorted_by(|left, right| left < right));
        let are_fine = cells_are_fine
            && values.iter().all(|values| values.is_sorted_by(|left, right| left < right))
            && !donors.is_empty()
            && cuts_into_parts(&offsets, donors.len())
            && donors.iter().all(|donor| (*donor as usize) < records);
        ensure(are_fine, "its donors are not those of its cells")?;
        Ok(Self { values, cells, offsets, donors, weights: DonorWeights::default() })
    }

    /// How many keys there are.
    pub(super) fn keys(&self) -> usize {
        self.values.len()
    }

    /// The donors that agree on as many of the first keys as any record does.
    pub(super) fn group(&self, keys: &[u64]) -> Range<usize> {
        let width = self.keys();
        let mut cells = 0..self.offsets.len() - 1;
        for (place, key) in keys.iter().enumerate() {
            let Ok(code) = self.values[place].binary_search(key) else { break };
            let at = |cell: usize| self.cells[cell * width + place];
            let narrowed = partition_point(cells.clone(), |cell| at(cell) < code as u32)
                ..partition_point(cells.clone(), |cell| at(cell) <= code as u32);
            if narrowed.is_empty() {
                break;
            }
            cells = narrowed;
        }
        self.offsets[cells.start] as usize..self.offsets[cells.end] as usize
    }

    /// One donor: the position of a record.
    pub(super) fn draw(&self, keys: &[u64], rng: &mut Rng) -> u32 {
        self.donors[self.weights.pick(self.group(keys), rng)]
    }

    /// The same pool with weights of the Bayesian bootstrap.
    pub(super) fn with_drawn_weights(&self, seed: Seed) -> Self {
        Self { weights: DonorWeights::bayesian_bootstrap(self.donors.len(), seed), ..self.clone() }
    }
}

/// The first of `range` for which `is_before` no longer holds.
fn partition_point(range: Range<usize>, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn donors(pool: &DonorPool, keys: &[u64]) -> Vec<u32> {
        let mut donors = pool.donors[pool.group(keys)].to_vec();
        donors.sort_unstable();
        donors
    }

    #[test]
    fn donors_agree_on_the_keys_or_on_as_many_of_the_first_as_can_be() {
        let pool = DonorPool::new(&[vec![5, 9, 5, 9, 5], vec![1, 1, 2, 3, 1]], 5);
        assert_eq!(donors(&pool, &[5, 1]), [0, 4]);
        assert_eq!(donors(&pool, &[9, 3]), [3]);
        assert_eq!(donors(&pool, &[9, 2]), [1, 3], "no record has both; the first key is kept");
        assert_eq!(donors(&pool, &[9, 77]), [1, 3]);
        assert_eq!(donors(&pool, &[4, 1]), [0, 1, 2, 3, 4]);
        assert_eq!(donors(&DonorPool::new(&[], 3), &[]), [0, 1, 2]);
    }
}
