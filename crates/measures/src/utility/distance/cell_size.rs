//! By how many per cent cells differ, for small and for large cells apart: a count of 3 made 4 is off by a third, a count of
//! 3,000 made 3,001 is not.

use crate::utility::tables::CellPairs;

/// A range of original counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellSize {
    /// The smallest count.
    pub from: u64,
    /// How it is called.
    pub name: &'static str,
}

/// The sizes of cells that are told apart; each reaches to the next.
pub(crate) const CELL_SIZES: [CellSize; 6] = [
    CellSize { from: 1, name: "1" },
    CellSize { from: 2, name: "2 to 4" },
    CellSize { from: 5, name: "5 to 9" },
    CellSize { from: 10, name: "10 to 24" },
    CellSize { from: 25, name: "25 to 99" },
    CellSize { from: 100, name: "100 or more" },
];

/// 100 |s N/n − y| / y, added up over the cells of each size. Cells that the original leaves empty have no percentage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PercentDifferences {
    cells: [u64; CELL_SIZES.len()],
    sums: [f64; CELL_SIZES.len()],
}

impl PercentDifferences {
    /// The differences of one table; none without synthetic records.
    pub fn of(counts: &CellPairs) -> Self {
        let mut all = Self::default();
        let (original, synthetic) = counts.totals();
        if synthetic == 0 {
            return all;
        }
        let scale = original as f64 / synthetic as f64;
        for (y, s) in counts.pairs.iter().copied().filter(|(y, _)| *y > 0) {
            let size = CELL_SIZES.partition_point(|size| size.from <= y) - 1;
            all.cells[size] += 1;
            all.sums[size] += 100.0 * (s as f64 * scale - y as f64).abs() / y as f64;
        }
        all
    }

    /// Adds the cells of another table.
    pub fn add(&mut self, other: &Self) {
        for size in 0..CELL_SIZES.len() {
            self.cells[size] += other.cells[size];
            self.sums[size] += other.sums[size];
        }
    }

    /// For each size, the number of cells and their mean difference.
    pub fn means(&self) -> [(u64, Option<f64>); CELL_SIZES.len()] {
        std::array::from_fn(|size| {
            let cells = self.cells[size];
            (cells, (cells > 0).then(|| self.sums[size] / cells as f64))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_told_apart_by_their_original_count() {
        // 224 records on each side.
        let mut all = PercentDifferences::of(&CellPairs::new([(1, 0), (3, 6), (20, 19), (200, 198), (0, 1)]));
        assert_eq!(all.means()[0], (1, Some(100.0)));
        assert_eq!(all.means()[1], (1, Some(100.0)));
        assert_eq!(all.means()[2], (0, None));
        assert_eq!((all.means()[3], all.means()[5]), ((1, Some(5.0)), (1, Some(1.0))));
        all.add(&PercentDifferences::of(&CellPairs::new([(1, 1), (4, 4)])));
        assert_eq!((all.means()[0], all.means()[1]), ((2, Some(50.0)), (2, Some(50.0))));
        // Half as many synthetic records: scaled up.
        let half = PercentDifferences::of(&CellPairs::new([(10, 5), (30, 15)]));
        assert_eq!((half.means()[3], half.means()[4]), ((1, Some(0.0)), (1, Some(0.0))));
    }
}
