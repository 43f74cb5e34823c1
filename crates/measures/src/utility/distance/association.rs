//! How strongly two variables go together: correlation of numbers, Cramér's V of categories.

use rayon::prelude::*;
use table::{Attributes, CountSource};

use crate::MeasureError;
use crate::utility::tables::MissingValues;

/// Pearson's correlation over the records that have both numbers; `None` if one of them does not vary there.
///
/// ```
/// use measures::utility::distance::correlation;
/// let x = [Some(1.0), Some(2.0), None, Some(3.0)];
/// let y = [Some(2.0), Some(4.0), Some(9.0), Some(6.0)];
/// assert!((correlation(&x, &y).unwrap() - 1.0).abs() < 1e-15);
/// ```
pub fn correlation(x: &[Option<f64>], y: &[Option<f64>]) -> Option<f64> {
    let both = || x.iter().zip(y).filter_map(|(x, y)| Some(((*x)?, (*y)?)));
    let (mut n, mut sum_x, mut sum_y) = (0.0, 0.0, 0.0);
    both().for_each(|(x, y)| (n, sum_x, sum_y) = (n + 1.0, sum_x + x, sum_y + y));
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in both().map(|(x, y)| (x - mean_x, y - mean_y)) {
        (xx, yy, xy) = (xx + x * x, yy + y * y, xy + x * y);
    }
    // A constant column has nothing but rounding left.
    let varies = |squares: f64, mean: f64| squares > n * (1e-14 * mean).powi(2);
    (varies(xx, mean_x) && varies(yy, mean_y)).then(|| (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}

/// Cramér's V = √(χ² / (n (min(r, c) − 1))) of a table given as cells `(row, column, count)`, with r and c the rows and columns
/// that hold a record; `None` if one of the variables does not vary.
pub(crate) fn cramers_v(cells: &[(u32, u32, u64)]) -> Option<f64> {
    let total: u64 = cells.iter().map(|cell| cell.2).sum();
    let sums = |of: fn(&(u32, u32, u64)) -> u32| {
        let mut sums = vec![0_u64; cells.iter().map(of).max().map_or(0, |most| most as usize + 1)];
        cells.iter().for_each(|cell| sums[of(cell) as usize] += cell.2);
        sums
    };
    let (rows, columns) = (sums(|cell| cell.0), sums(|cell| cell.1));
    let occupied = |sums: &[u64]| sums.iter().filter(|sum| **sum > 0).count();
    let dimensions = occupied(&rows).min(occupied(&columns)).checked_sub(1).filter(|left| *left > 0)?;
    // Over the occupied cells (y − e)² / e; over the empty ones e, which is what is left of the total.
    let (mut chi_square, mut expected_there) = (0.0, 0.0);
    for (row, column, count) in cells.iter().filter(|cell| cell.2 > 0) {
        let expected = rows[*row as usize] as f64 * columns[*column as usize] as f64 / total as f64;
        chi_square += (*count as f64 - expected).powi(2) / expected;
        expected_there += expected;
    }
    chi_square += (total as f64 - expected_there).max(0.0);
    Some((chi_square / (total as f64 * dimensions as f64)).sqrt().min(1.0))
}

/// V of each of these pairs of variables.
pub(super) fn all_cramers_v(
    table: &dyn CountSource,
    pairs: &[Attributes],
    missing: MissingValues,
) -> Result<Vec<Option<f64>>, MeasureError> {
    let domain = table.domain();
    let of_pair = |of: &Attributes| {
        let counts = table.contingency_table(of)?;
        let left_out: Vec<Option<u32>> = of
            .positions()
            .iter()
            .map(|position| match missing {
                MissingValues::AreAClass => None,
                MissingValues::AreLeftOut => domain.variables()[*position].missing_class(),
            })
            .collect();
        let cells = (0..counts.occupied()).map(|position| {
            let cell = counts.cell(position);
            (cell[0], cell[1], counts.counts()[position])
        });
        let kept = cells.filter(|cell| Some(cell.0) != left_out[0] && Some(cell.1) != left_out[1]);
        Ok(cramers_v(&kept.collect::<Vec<_>>()))
    };
    pairs.par_iter().map(of_pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_is_what_r_says() {
        // cor(c(1, 4, 2, 8, 5), c(3, 1, 6, 2, 2))
        let x = [1.0, 4.0, 2.0, 8.0, 5.0].map(Some);
        let y = [3.0, 1.0, 6.0, 2.0, 2.0].map(Some);
        assert!((correlation(&x, &y).unwrap() - -0.522_036_897_663_874_4).abs() < 1e-12);
        assert_eq!(correlation(&x, &[Some(0.1); 5]), None);
        assert_eq!(correlation(&[None, Some(1.0)], &[Some(1.0), None]), None);
    }

    #[test]
    fn v_of_a_table_by_hand() {
        // [[10, 5], [5, 10]]: χ² = 4 · 2.5² / 7.5, n = 30.
        let v = cramers_v(&[(0, 0, 10), (0, 1, 5), (1, 0, 5), (1, 1, 10)]).unwrap();
        assert!((v - (4.0 * 6.25 / 7.5 / 30.0_f64).sqrt()).abs() < 1e-15);
        // Empty cells count with what is expected of them: the diagonal is perfect association.
        assert!((cramers_v(&[(0, 0, 7), (1, 1, 7), (3, 5, 7)]).unwrap() - 1.0).abs() < 1e-12);
        assert!(cramers_v(&[(0, 0, 4), (0, 1, 4), (1, 0, 2), (1, 1, 2)]).unwrap() < 1e-12);
        assert_eq!(cramers_v(&[(0, 0, 4), (0, 1, 4)]), None);
        assert_eq!(cramers_v(&[]), None);
    }
}
