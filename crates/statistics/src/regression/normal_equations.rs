//! XᵀWX and XᵀWz, accumulated from codes in fixed ranges of rows; and which columns they show to be aliased.

use std::ops::Range;

use rayon::prelude::*;

use super::design::{BLOCK, Design, Expanded, KeptColumns, TermRows, fixed_ranges};

/// Numbers that the partial sums may take together.
const MOST_NUMBERS: usize = 1 << 24;

/// Four sums of every entry are kept side by side up to this many columns: where most records have the same level, no sum then waits for the one
/// before. Of more columns four would no longer fit into the cache.
const SUMS: usize = 4;
const MOST_COLUMNS_OF_SUMS: usize = 128;

/// A share of a column's squared length, left after the earlier columns, that is well above rounding.
pub(super) const SAFE_SHARE: f64 = 1e-9;

/// XᵀWX, of which the upper triangle is kept, and XᵀWz, over the kept columns.
pub(super) struct NormalEquations {
    size: usize,
    stride: usize,
    matrix: Vec<f64>,
    pub(super) vector: Vec<f64>,
}

impl NormalEquations {
    pub(super) fn accumulate(design: &Design, kept: &KeptColumns, weights: &[f64], response: &[f64]) -> Self {
        let stride = kept.len() + 1;
        let ranges = fixed_ranges(design.rows(), (MOST_NUMBERS / (SUMS * stride * stride)).clamp(1, 16));
        let parts: Vec<Self> =
            ranges.into_par_iter().map(|rows| Self::of_rows(design, kept, weights, response, rows)).collect();
        let mut parts = parts.into_iter();
        let mut total = parts.next().expect("there is at least one range");
        for part in parts {
            total.matrix.iter_mut().zip(part.matrix).for_each(|(sum, more)| *sum += more);
            total.vector.iter_mut().zip(part.vector).for_each(|(sum, more)| *sum += more);
        }
        total.vector.truncate(kept.len());
        total
    }

    fn of_rows(
        design: &Design,
        kept: &KeptColumns,
        weights: &[f64],
        response: &[f64],
        rows: Range<usize>,
    ) -> Self {
        let size = kept.len();
        let stride = size + 1;
        let entries = stride * stride;
        let lanes = if stride <= MOST_COLUMNS_OF_SUMS { SUMS } else { 1 };
        let mut sums = Self { size, stride, matrix: vec![0.0; lanes * entries], vector: vec![0.0; stride] };
        let mut expanded = Expanded::default();
        let mut weighted = Vec::with_capacity(BLOCK);
        for start in rows.clone().step_by(BLOCK) {
            let block = start..(start + BLOCK).min(rows.end);
            design.expand_into(block.clone(), kept, &mut expanded);
            for (position, term) in expanded.terms.iter().enumerate() {
                weighted.clear();
                weighted.extend(
                    term.values.iter().zip(&weights[block.clone()]).map(|(value, weight)| value * weight),
                );
                for ((column, weighted), z) in
                    term.columns.iter().zip(&weighted).zip(&response[block.clone()])
                {
                    sums.vector[*column as usize] += weighted * z;
                }
                for other in &expanded.terms[position..] {
                    if term.is_one_column && other.is_one_column {
                        let at = term.columns[0] as usize * stride + other.columns[0] as usize;
                        sums.matrix[at] += dot(&weighted, &other.values);
                    } else {
                        sums.add_products(term, &weighted, other);
                    }
                }
            }
        }
        let (total, more) = sums.matrix.split_at_mut(entries);
        for more in more.chunks_exact(entries) {
            total.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        sums.matrix.truncate(entries);
        sums
    }

    /// Adds the products of two terms, each record's to the entry of its columns.
    fn add_products(&mut self, term: &TermRows, weighted: &[f64], other: &TermRows) {
        let stride = self.stride;
        let at = |row: u32, column: u32| row as usize * stride + column as usize;
        let mut from = 0;
        if let [one, two, three, four] =
            &mut self.matrix.chunks_exact_mut(stride * stride).collect::<Vec<_>>()[..]
        {
            let columns = term.columns.chunks_exact(SUMS).zip(other.columns.chunks_exact(SUMS));
            let products = weighted.chunks_exact(SUMS).zip(other.values.chunks_exact(SUMS));
            for ((rows, columns), (left, right)) in columns.zip(products) {
                one[at(rows[0], columns[0])] += left[0] * right[0];
                two[at(rows[1], columns[1])] += left[1] * right[1];
                three[at(rows[2], columns[2])] += left[2] * right[2];
                four[at(rows[3], columns[3])] += left[3] * right[3];
            }
            from = weighted.len() / SUMS * SUMS;
        }
        let columns = term.columns[from..].iter().zip(&other.columns[from..]);
        let products = weighted[from..].iter().zip(&other.values[from..]);
        for ((row, column), (left, right)) in columns.zip(products) {
            self.matrix[at(*row, *column)] += left * right;
        }
    }

    /// The entry of two kept columns.
    pub(super) fn get(&self, i: usize, j: usize) -> f64 {
        self.matrix[i.min(j) * self.stride + i.max(j)]
    }

    /// The columns that are not aliased with earlier ones, or `None` where rounding leaves it open.
    ///
    /// In the order of the columns, the Cholesky factor's squared diagonal is what is left of each column's squared length
    /// after projection on the earlier ones. Rounding leaves about size · ε of it where nothing is left.
    pub(super) fn estimable(&self) -> Option<Vec<usize>> {
        let nothing = 1e-14_f64.max(8.0 * self.size as f64 * f64::EPSILON);
        let mut estimable: Vec<usize> = Vec::new();
        let mut factor: Vec<Vec<f64>> = Vec::new();
        for j in 0..self.size {
            let length = self.get(j, j);
            let mut column = Vec::with_capacity(estimable.len() + 1);
            for (i, of_earlier) in estimable.iter().zip(&factor) {
                let done = column.len();
                column.push((self.get(*i, j) - dot(&of_earlier[..done], &column)) / of_earlier[done]);
            }
            let left = length - dot(&column, &column);
            if length == 0.0 || left <= nothing * length {
                continue;
            }
            if left < SAFE_SHARE * length {
                return None;
            }
            column.push(left.sqrt());
            estimable.push(j);
            factor.push(column);
        }
        Some(estimable)
    }
}

/// XᵀWr over the kept columns.
pub(super) fn weighted_sums(design: &Design, kept: &KeptColumns, weights: &[f64], of: &[f64]) -> Vec<f64> {
    let parts: Vec<Vec<f64>> = fixed_ranges(design.rows(), 64)
        .into_par_iter()
        .map(|rows| {
            let mut sums = vec![0.0; kept.len() + 1];
            for start in rows.clone().step_by(BLOCK) {
                let block = start..(start + BLOCK).min(rows.end);
                for term in design.expand(block.clone(), kept).terms {
                    let products = weights[block.clone()].iter().zip(&of[block.clone()]);
                    for ((column, value), (weight, r)) in term.columns.iter().zip(&term.values).zip(products)
                    {
                        sums[*column as usize] += value * weight * r;
                    }
                }
            }
            sums
        })
        .collect();
    (0..kept.len()).map(|column| parts.iter().map(|part| part[column]).sum()).collect()
}

/// Σ aᵢbᵢ in eight interleaved sums: one order on every machine, and one that vectorises.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (whole_a, whole_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = whole_a.remainder().iter().zip(whole_b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in whole_a.zip(whole_b) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::super::design::{Coding, Factor, Term};
    use super::*;

    fn pseudo_random(rows: usize, seed: usize) -> impl Iterator<Item = usize> {
        (0..rows).map(move |row| (row * 7919 + seed * 104_729 + row * row % 613) % 10_007)
    }

    fn design(rows: usize) -> Design {
        let factor = |seed, levels: u32| Factor {
            codes: pseudo_random(rows, seed).map(|x| x as u32 % levels).collect(),
            levels,
        };
        let number = |seed| pseudo_random(rows, seed).map(|x| x as f64 / 1e4 - 0.5).collect();
        let terms = vec![
            Term::intercept(),
            Term::factor(0),
            Term::factor(1),
            Term::number(0),
            Term { factors: vec![(0, Coding::Treatment), (1, Coding::Treatment)], numbers: vec![] },
            Term { factors: vec![(1, Coding::Indicator)], numbers: vec![1] },
            Term::number(1),
        ];
        Design::new(rows, vec![factor(1, 4), factor(2, 3)], vec![number(3), number(4)], terms).unwrap()
    }

    #[test]
    fn the_sums_are_those_of_the_written_out_matrix() {
        let design = design(5000);
        let weights: Vec<f64> = pseudo_random(5000, 9).map(|x| x as f64 / 1e3).collect();
        let response: Vec<f64> = pseudo_random(5000, 8).map(|x| x as f64 / 1e2).collect();
        let kept = KeptColumns::new(vec![0, 1, 3, 4, 5, 6, 9, 12, 13, 14], design.columns());
        let sums = NormalEquations::accumulate(&design, &kept, &weights, &response);
        let rows: Vec<Vec<f64>> = (0..5000).map(|row| design.row(row)).collect();
        for (i, left) in kept.columns.iter().enumerate() {
            let expected: f64 =
                rows.iter().zip(&weights).zip(&response).map(|((x, w), z)| x[*left] * w * z).sum();
            assert!((sums.vector[i] - expected).abs() <= 1e-11 * expected.abs(), "{i}");
            for (j, right) in kept.columns.iter().enumerate() {
                let expected: f64 = rows.iter().zip(&weights).map(|(x, w)| x[*left] * x[*right] * w).sum();
                assert!((sums.get(i, j) - expected).abs() <= 1e-11 * (1.0 + expected.abs()), "{i} {j}");
            }
        }
    }

    #[test]
    fn aliased_columns_are_those_that_earlier_ones_explain() {
        let design = design(3000);
        let (ones, kept) = (vec![1.0; 3000], KeptColumns::all(design.columns()));
        let sums = NormalEquations::accumulate(&design, &kept, &ones, &ones);
        // The last column is the sum of the indicator columns of its products with the second factor.
        let expected: Vec<usize> = (0..design.columns() - 1).collect();
        assert_eq!(sums.estimable(), Some(expected));
    }

    #[test]
    fn a_column_that_is_nearly_aliased_is_left_to_a_better_method() {
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        let near: Vec<f64> = x.iter().map(|x| x + 1e-5 * (x * 1.7).sin()).collect();
        let design = Design::of_columns(vec![x, near]).unwrap();
        let sums = NormalEquations::accumulate(&design, &KeptColumns::all(2), &[1.0; 100], &[1.0; 100]);
        assert_eq!(sums.estimable(), None);
    }
}
