//! Hellinger, Euclidean and total variation distance of the shares of cells.

use crate::utility::tables::{CellPairs, cell_difference};

/// Distances between the shares p = y/N and q = s/n of the cells of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellShareDistances {
    /// √(½ Σ (√p − √q)²), in [0, 1]. Times √N it is Jackson's distance of counts, the synthetic ones scaled to N.
    pub hellinger: f64,
    /// √(Σ (p − q)²), in [0, √2].
    pub euclidean: f64,
    /// ½ Σ |p − q|, in [0, 1]: the share of records that lie in another cell.
    pub total_variation: f64,
}

impl CellShareDistances {
    /// The distances of these counts, or the reason why there are none.
    ///
    /// ```
    /// use measures::utility::{distance::CellShareDistances, tables::CellPairs};
    /// let apart = CellShareDistances::of(&CellPairs::new([(5, 0), (0, 7)])).unwrap();
    /// assert_eq!((apart.hellinger, apart.total_variation), (1.0, 1.0));
    /// ```
    pub fn of(counts: &CellPairs) -> Result<Self, &'static str> {
        let (original, synthetic) = counts.totals();
        if original == 0 {
            return Err("the original has no record in this table");
        }
        if synthetic == 0 {
            return Err("the synthetic file has no record in this table");
        }
        let (mut roots, mut squares, mut absolute) = (0.0, 0.0, 0.0);
        for (y, s) in counts.pairs.iter().copied() {
            let difference = cell_difference((y, s), original, synthetic) / synthetic as f64;
            squares += difference * difference;
            absolute += difference.abs();
            let (p, q) = (y as f64 / original as f64, s as f64 / synthetic as f64);
            // (√p − √q)² = (p − q)² / (√p + √q)², which does not cancel.
            roots += (difference / (p.sqrt() + q.sqrt())).powi(2);
        }
        Ok(Self {
            hellinger: (roots / 2.0).sqrt().min(1.0),
            euclidean: squares.sqrt(),
            total_variation: (absolute / 2.0).min(1.0),
        })
    }

    /// The three of them.
    pub fn values(&self) -> [f64; 3] {
        [self.hellinger, self.euclidean, self.total_variation]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_by_hand() {
        // p = (½, ½), q = (¾, ¼).
        let found = CellShareDistances::of(&CellPairs::new([(2, 30), (2, 10)])).unwrap();
        let overlap = 0.375_f64.sqrt() + 0.125_f64.sqrt();
        assert!((found.hellinger - (1.0 - overlap).sqrt()).abs() < 1e-14);
        assert!((found.euclidean - 0.125_f64.sqrt()).abs() < 1e-15);
        assert!((found.total_variation - 0.25).abs() < 1e-15);
        assert!(CellShareDistances::of(&CellPairs::new([(2, 0)])).is_err());
        let same = CellShareDistances::of(&CellPairs::new([(1, 3), (2, 6)])).unwrap();
        assert_eq!(same.values(), [0.0; 3]);
    }
}
