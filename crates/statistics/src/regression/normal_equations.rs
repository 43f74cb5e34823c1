//! XᵀWX and XᵀWz, accumulated from codes in fixed ranges of rows; and which columns they show to be aliased.
//!
//! A row has one entry in each term, so that it adds one number to the sums of each pair of terms. These sums lie pair by pair, small enough for the
//! cache, and those of small pairs several times over: where most records have the same levels, no sum then waits for the one before.

use std::ops::Range;

use rayon::prelude::*;

use super::design::{BLOCK, Design, KeptColumns, fixed_ranges};
use super::term_codes::{TermBlock, TermCodes};

/// Numbers that the partial sums may take together.
const MOST_NUMBERS: usize = 1 << 24;

/// Rows that are added up at a time: codes and products of two terms then lie in the nearest cache.
const ROWS: usize = 2048;

/// Each cell of a pair of terms is kept so many times, up to this many cells.
const LANES: usize = 4;
const MOST_CELLS_IN_LANES: usize = 4096;

/// A share of a column's squared length, left after the earlier columns, that is well above rounding.
pub(super) const SAFE_SHARE: f64 = 1e-9;

/// XᵀWX, of which the upper triangle is kept, and XᵀWz, over the kept columns.
pub(super) struct NormalEquations {
    size: usize,
    matrix: Vec<f64>,
    pub(super) vector: Vec<f64>,
}

/// The cells of two terms among all sums: the columns of the first by those of the second, or those of one term with itself.
struct Pair {
    terms: (usize, usize),
    start: usize,
    cells: usize,
    lanes: usize,
}

impl NormalEquations {
    pub(super) fn accumulate(design: &Design, kept: &KeptColumns, weights: &[f64], response: &[f64]) -> Self {
        let codes = TermCodes::new(design, kept);
        let (pairs, numbers) = pairs_of(&codes);
        let ranges = fixed_ranges(design.rows(), (MOST_NUMBERS / numbers.max(1)).clamp(1, 16));
        let of_rows = |rows| sums_of_rows(design, &codes, &pairs, numbers, weights, response, rows);
        let parts: Vec<(Vec<f64>, Vec<f64>)> = ranges.into_par_iter().map(of_rows).collect();
        let mut parts = parts.into_iter();
        let (mut sums, mut vector) = parts.next().expect("there is at least one range");
        for (more_sums, more_vector) in parts {
            sums.iter_mut().zip(more_sums).for_each(|(sum, more)| *sum += more);
            vector.iter_mut().zip(more_vector).for_each(|(sum, more)| *sum += more);
        }
        let size = kept.len();
        let mut equations = Self { size, matrix: vec![0.0; size * size], vector };
        pairs.iter().for_each(|pair| equations.take_in(pair, &codes, &sums));
        equations
    }

    /// Writes the sums of a pair of terms into the matrix.
    fn take_in(&mut self, pair: &Pair, codes: &TermCodes, sums: &[f64]) {
        let (one, other) = (codes.columns_of(pair.terms.0), codes.columns_of(pair.terms.1));
        let width = codes.width(pair.terms.1);
        let sum = |cell: usize| -> f64 {
            (0..pair.lanes).map(|lane| sums[pair.start + lane * pair.cells + cell]).sum()
        };
        for (row, i) in one.enumerate() {
            if pair.terms.0 == pair.terms.1 {
                self.matrix[i * self.size + i] = sum(row);
                continue;
            }
            for (column, j) in other.clone().enumerate() {
                self.matrix[i * self.size + j] = sum(row * width + column);
            }
        }
    }

    /// The entry of two kept columns.
    pub(super) fn get(&self, i: usize, j: usize) -> f64 {
        self.matrix[i.min(j) * self.size + i.max(j)]
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

/// All pairs of terms that have columns, and how many numbers their sums take.
fn pairs_of(codes: &TermCodes) -> (Vec<Pair>, usize) {
    let terms: Vec<usize> = (0..codes.len()).filter(|term| !codes.columns_of(*term).is_empty()).collect();
    let (mut pairs, mut start) = (Vec::new(), 0);
    for (position, &one) in terms.iter().enumerate() {
        for &other in &terms[position..] {
            let cells = if one == other { codes.width(one) } else { codes.width(one) * codes.width(other) };
            let lanes = if cells <= MOST_CELLS_IN_LANES { LANES } else { 1 };
            pairs.push(Pair { terms: (one, other), start, cells, lanes });
            start += lanes * cells;
        }
    }
    (pairs, start)
}

/// The sums of all pairs, and XᵀWz, over some rows.
fn sums_of_rows(
    design: &Design,
    codes: &TermCodes,
    pairs: &[Pair],
    numbers: usize,
    weights: &[f64],
    response: &[f64],
    rows: Range<usize>,
) -> (Vec<f64>, Vec<f64>) {
    let mut sums = vec![0.0; numbers];
    let mut vector = vec![0.0; codes.size()];
    let mut blocks: Vec<TermBlock> = Vec::new();
    let (mut weighted, mut products) = (Vec::with_capacity(ROWS), Vec::with_capacity(ROWS));
    for start in rows.clone().step_by(ROWS) {
        let block = start..(start + ROWS).min(rows.end);
        codes.blocks(design, block.clone(), &mut blocks);
        let (weights, response) = (&weights[block.clone()], &response[block]);
        for of_one in pairs.chunk_by(|pair, next| pair.terms.0 == next.terms.0) {
            let term = of_one[0].terms.0;
            let one = &blocks[term];
            // A term without numbers has the values 1.
            let weighted = if one.values.is_empty() {
                weights
            } else {
                multiply(&one.values, weights, &mut weighted);
                &weighted
            };
            add_vector(codes, term, one, weighted, response, &mut vector);
            for pair in of_one {
                let other = &blocks[pair.terms.1];
                let products = if other.values.is_empty() {
                    weighted
                } else {
                    multiply(weighted, &other.values, &mut products);
                    &products
                };
                let cells = &mut sums[pair.start..pair.start + pair.lanes * pair.cells];
                let is_one_term = pair.terms.0 == pair.terms.1;
                match (one.codes.is_empty(), other.codes.is_empty()) {
                    (true, true) => cells[0] += total(products),
                    (true, false) => add(cells, pair, products, &other.codes),
                    (false, _) if is_one_term || other.codes.is_empty() => {
                        add(cells, pair, products, &one.codes);
                    }
                    (false, _) => {
                        let width = codes.width(pair.terms.1);
                        add_pairs(cells, pair, products, &one.codes, &other.codes, width);
                    }
                }
            }
        }
    }
    (sums, vector)
}

fn multiply(values: &[f64], by: &[f64], into: &mut Vec<f64>) {
    into.clear();
    into.extend(values.iter().zip(by).map(|(value, by)| value * by));
}

/// Adds the products of a term's weighted values and the response to those of its columns.
fn add_vector(
    codes: &TermCodes,
    term: usize,
    block: &TermBlock,
    weighted: &[f64],
    response: &[f64],
    vector: &mut [f64],
) {
    let columns = codes.columns_of(term);
    if block.codes.is_empty() {
        vector[columns.start] += dot(weighted, response);
        return;
    }
    for ((code, weighted), z) in block.codes.iter().zip(weighted).zip(response) {
        let column = usize::from(*code);
        if column < columns.len() {
            vector[columns.start + column] += weighted * z;
        }
    }
}

/// Adds each row's product to its cell, row by row in turn to each lane.
#[inline]
fn add(cells: &mut [f64], pair: &Pair, products: &[f64], codes: &[u16]) {
    let mut from = 0;
    if pair.lanes == LANES {
        let (one, two) = cells.split_at_mut(2 * pair.cells);
        let ((one, two), (three, four)) = (one.split_at_mut(pair.cells), two.split_at_mut(pair.cells));
        for (codes, products) in codes.chunks_exact(LANES).zip(products.chunks_exact(LANES)) {
            one[usize::from(codes[0])] += products[0];
            two[usize::from(codes[1])] += products[1];
            three[usize::from(codes[2])] += products[2];
            four[usize::from(codes[3])] += products[3];
        }
        from = products.len() / LANES * LANES;
    }
    for (code, product) in codes[from..].iter().zip(&products[from..]) {
        cells[usize::from(*code)] += product;
    }
}

/// The same where the cell is told by the codes of two terms.
#[inline]
fn add_pairs(cells: &mut [f64], pair: &Pair, products: &[f64], rows: &[u16], columns: &[u16], width: usize) {
    let at = |row: u16, column: u16| usize::from(row) * width + usize::from(column);
    let mut from = 0;
    if pair.lanes == LANES {
        let (one, two) = cells.split_at_mut(2 * pair.cells);
        let ((one, two), (three, four)) = (one.split_at_mut(pair.cells), two.split_at_mut(pair.cells));
        let codes = rows.chunks_exact(LANES).zip(columns.chunks_exact(LANES));
        for ((rows, columns), products) in codes.zip(products.chunks_exact(LANES)) {
            one[at(rows[0], columns[0])] += products[0];
            two[at(rows[1], columns[1])] += products[1];
            three[at(rows[2], columns[2])] += products[2];
            four[at(rows[3], columns[3])] += products[3];
        }
        from = products.len() / LANES * LANES;
    }
    for ((row, column), product) in rows[from..].iter().zip(&columns[from..]).zip(&products[from..]) {
        cells[at(*row, *column)] += product;
    }
}

/// Σ aᵢ in eight interleaved sums.
fn total(of: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let whole = of.chunks_exact(8);
    let rest: f64 = whole.remainder().iter().sum();
    whole.for_each(|eight| lanes.iter_mut().zip(eight).for_each(|(lane, more)| *lane += more));
    lanes.iter().sum::<f64>() + rest
}

/// XᵀWr over the kept columns.
pub(super) fn weighted_sums(design: &Design, kept: &KeptColumns, weights: &[f64], of: &[f64]) -> Vec<f64> {
    let codes = TermCodes::new(design, kept);
    let of_rows = |rows: Range<usize>| {
        let mut sums = vec![0.0; kept.len()];
        let (mut blocks, mut weighted) = (Vec::new(), Vec::with_capacity(BLOCK));
        for start in rows.clone().step_by(BLOCK) {
            let block = start..(start + BLOCK).min(rows.end);
            codes.blocks(design, block.clone(), &mut blocks);
            let terms = blocks.iter().enumerate().filter(|(term, _)| !codes.columns_of(*term).is_empty());
            for (term, rows) in terms {
                let weights = &weights[block.clone()];
                let weighted = if rows.values.is_empty() {
                    weights
                } else {
                    multiply(&rows.values, weights, &mut weighted);
                    &weighted
                };
                add_vector(&codes, term, rows, weighted, &of[block.clone()], &mut sums);
            }
        }
        sums
    };
    let parts: Vec<Vec<f64>> = fixed_ranges(design.rows(), 64).into_par_iter().map(of_rows).collect();
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
