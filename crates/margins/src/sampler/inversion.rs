//! Inversion: drawing a cell with probability proportional to its count, in constant time on average.
//!
//! A uniform number is looked up among the running totals. A guide table (Chen & Asau 1974) says where to
//! start, and running totals are kept for buckets of cells only, so the extra memory is a fraction of the
//! table's.

use rayon::prelude::*;

/// Cells a bucket; four cache lines of counts.
const BUCKET: usize = 32;

/// Buckets that one thread sums at a time, at least.
const SHARE: usize = 4096;

/// A table of counts, prepared for drawing cells.
#[derive(Clone, Debug)]
pub(crate) struct Inversion<'a> {
    counts: &'a [f64],
    /// The total of all buckets up to and including each.
    through: Vec<f64>,
    /// For each of equally many equal shares of the total, the bucket where it begins.
    guide: Vec<u32>,
}

impl<'a> Inversion<'a> {
    pub(crate) fn new(counts: &'a [f64]) -> Self {
        let buckets = counts.par_chunks(BUCKET).with_min_len(SHARE);
        let mut through: Vec<f64> = buckets.map(|bucket| bucket.iter().sum()).collect();
        let mut total = 0.0;
        for through in &mut through {
            total += *through;
            *through = total;
        }
        let shares = through.len();
        let mut bucket = 0;
        let guide = (0..shares)
            .map(|share| {
                let begins = share as f64 / shares as f64 * total;
                while bucket + 1 < shares && through[bucket] <= begins {
                    bucket += 1;
                }
                bucket as u32
            })
            .collect();
        Self { counts, through, guide }
    }

    /// The cell at `uniform`, a number in [0, 1). Never a cell with count zero.
    pub(crate) fn cell(&self, uniform: f64) -> usize {
        let shares = self.guide.len();
        let wanted = uniform * self.through[shares - 1];
        let share = ((uniform * shares as f64) as usize).min(shares - 1);
        // Rounding may put the guide one bucket too far.
        let mut bucket = (self.guide[share] as usize).saturating_sub(1);
        while bucket + 1 < shares && self.through[bucket] <= wanted {
            bucket += 1;
        }
        let first = bucket * BUCKET;
        let cells = &self.counts[first..(first + BUCKET).min(self.counts.len())];
        let mut left = wanted - if bucket > 0 { self.through[bucket - 1] } else { 0.0 };
        let mut last_possible = first;
        for (cell, &count) in cells.iter().enumerate() {
            if count > 0.0 {
                last_possible = first + cell;
                if left < count {
                    break;
                }
            }
            left -= count;
        }
        last_possible
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_steps_through_the_unit_interval_find_each_cell_as_often_as_its_share() {
        let counts: Vec<f64> =
            (0..500).map(|cell| ((cell * 7919) % 11) as f64 * f64::from(cell % 3 != 1)).collect();
        let total: f64 = counts.iter().sum();
        let inversion = Inversion::new(&counts);
        let steps = 1_000_000;
        let mut found = vec![0; counts.len()];
        for step in 0..steps {
            found[inversion.cell((step as f64 + 0.5) / steps as f64)] += 1;
        }
        for (cell, (&found, &count)) in found.iter().zip(&counts).enumerate() {
            let expected = count / total * steps as f64;
            assert!((f64::from(found) - expected).abs() <= 1.0, "cell {cell}: {found} of {expected}");
            assert!(count > 0.0 || found == 0);
        }
    }

    #[test]
    fn the_ends_of_the_interval_stay_inside() {
        let mut counts = vec![0.0; 100];
        counts[37] = 0.1;
        counts[61] = 1e-300;
        let inversion = Inversion::new(&counts);
        assert_eq!(inversion.cell(0.0), 37);
        assert!([37, 61].contains(&inversion.cell(1.0 - f64::EPSILON / 2.0)));
        assert_eq!(Inversion::new(&[3.0]).cell(0.7), 0);
    }
}
