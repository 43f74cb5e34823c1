//! The sizes of a table's cells: how many cells hold 0, 1, 2, … records.

use std::collections::BTreeMap;

use super::PlanError;

/// How many cells of the original table have each size.
///
/// Size 0 stands for the *random zeros*, the K₀ empty cells in which a record could have been found. Structural zeros stay
/// empty in every synthetic table; they are no part of the histogram, nor of K.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSizes {
    cells_of: BTreeMap<u64, u64>,
    cells: u64,
    records: u64,
}

/// The largest cell that is accepted: with the largest scale it stays within the means that count families take.
const LARGEST_SIZE: u64 = 1_000_000_000_000;

impl CellSizes {
    /// From the number of cells of each size; sizes without cells are dropped.
    ///
    /// ```
    /// use frontier::plan::CellSizes;
    ///
    /// let sizes = CellSizes::new([(0, 90), (1, 7), (4, 3)].into())?;
    /// assert_eq!((sizes.cells(), sizes.records(), sizes.random_zeros()), (100, 19, 90));
    /// # Ok::<(), frontier::plan::PlanError>(())
    /// ```
    pub fn new(mut cells_of: BTreeMap<u64, u64>) -> Result<Self, PlanError> {
        cells_of.retain(|_, cells| *cells > 0);
        let (mut cells, mut records) = (0_u64, 0_u64);
        for (&size, &count) in &cells_of {
            cells = cells.checked_add(count).ok_or(PlanError::TooLarge)?;
            let held = size.checked_mul(count).ok_or(PlanError::TooLarge)?;
            records = records.checked_add(held).ok_or(PlanError::TooLarge)?;
        }
        match cells_of.last_key_value() {
            None => Err(PlanError::NoCells),
            Some((&largest, _)) if largest > LARGEST_SIZE => Err(PlanError::TooLarge),
            Some(_) => Ok(Self { cells_of, cells, records }),
        }
    }

    /// From the counts of all cells, empty ones included.
    pub fn from_counts(counts: impl IntoIterator<Item = u64>) -> Result<Self, PlanError> {
        let mut small = [0_u64; 256];
        let mut cells_of = BTreeMap::new();
        for count in counts {
            match small.get_mut(count as usize) {
                Some(cells) => *cells += 1,
                None => *cells_of.entry(count).or_insert(0) += 1,
            }
        }
        cells_of.extend((0..).zip(small));
        Self::new(cells_of)
    }

    /// K: the number of cells, random zeros included.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// n: the number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// K₀: the number of empty cells that could have held a record.
    pub fn random_zeros(&self) -> u64 {
        self.cells_of_size(0)
    }

    /// The number of cells of this size.
    pub(crate) fn cells_of_size(&self, size: u64) -> u64 {
        self.cells_of.get(&size).copied().unwrap_or(0)
    }

    /// The share of cells that have this size, in [0, 1]: Jackson's τ₂.
    pub fn share(&self, size: u64) -> f64 {
        self.cells_of_size(size) as f64 / self.cells as f64
    }

    /// The cells that are not empty: pairs of size and number of cells, by increasing size.
    pub fn occupied(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + Clone {
        self.cells_of.range(1..).map(|(size, cells)| (*size, *cells))
    }

    /// Σ size² over the cells.
    pub(super) fn sum_of_squares(&self) -> f64 {
        self.occupied().map(|(size, cells)| (size as f64) * (size as f64) * cells as f64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_their_histogram_are_the_same() {
        let counts = [0, 3, 1, 0, 1000, 1, 0, 3, 256, 255];
        let sizes = CellSizes::from_counts(counts).unwrap();
        assert_eq!(
            sizes,
            CellSizes::new([(0, 3), (1, 2), (3, 2), (255, 1), (256, 1), (1000, 1)].into()).unwrap()
        );
        assert_eq!((sizes.cells(), sizes.records(), sizes.random_zeros()), (10, 1519, 3));
        assert_eq!((sizes.share(3), sizes.share(7)), (0.2, 0.0));
        assert_eq!(sizes.occupied().next(), Some((1, 2)));
        assert_eq!(sizes.sum_of_squares(), 2.0 + 18.0 + 255.0 * 255.0 + 65_536.0 + 1e6);
    }

    #[test]
    fn a_table_without_cells_or_beyond_counting_is_refused() {
        assert_eq!(CellSizes::new(BTreeMap::new()), Err(PlanError::NoCells));
        assert_eq!(CellSizes::new([(3, 0)].into()), Err(PlanError::NoCells));
        assert_eq!(CellSizes::new([(0, u64::MAX), (1, 1)].into()), Err(PlanError::TooLarge));
        assert_eq!(CellSizes::new([(2, u64::MAX)].into()), Err(PlanError::TooLarge));
        assert_eq!(CellSizes::new([(LARGEST_SIZE + 1, 1)].into()), Err(PlanError::TooLarge));
        // K = 10¹⁸ is fine.
        assert!(CellSizes::new([(0, 1_000_000_000_000_000_000), (1, 5)].into()).is_ok());
    }
}
