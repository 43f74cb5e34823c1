//! The linear program of a quantile regression.

use super::super::design::{BLOCK, Design, KeptColumns};
use super::super::normal_equations::dot;

/// Rows with a weight, written out, with columns scaled to a largest entry of 1.
pub(super) struct Problem {
    /// The number of columns.
    pub(super) size: usize,
    /// Row by row.
    matrix: Vec<f64>,
    /// What each column was divided by.
    pub(super) scales: Vec<f64>,
    pub(super) response: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// Where each row stands in the design.
    pub(super) rows: Vec<usize>,
    /// The largest distance of a response from the mean.
    spread: f64,
    /// A residual that is zero but for rounding.
    pub(super) rounding: f64,
}

impl Problem {
    pub(super) fn new(design: &Design, kept: &KeptColumns, response: &[f64], weights: &[f64]) -> Self {
        let size = kept.len();
        let rows: Vec<usize> = (0..design.rows()).filter(|row| weights[*row] > 0.0).collect();
        let mut matrix = vec![0.0; design.rows() * size];
        for start in (0..design.rows()).step_by(BLOCK) {
            let block = start..(start + BLOCK).min(design.rows());
            for term in design.expand(block, kept).terms {
                for (row, (column, value)) in term.columns.iter().zip(&term.values).enumerate() {
                    if (*column as usize) < size {
                        matrix[(start + row) * size + *column as usize] = *value;
                    }
                }
            }
        }
        if rows.len() < design.rows() {
            matrix = rows.iter().flat_map(|row| matrix[row * size..(row + 1) * size].to_vec()).collect();
        }
        let mut scales = vec![0.0_f64; size];
        for row in matrix.chunks(size) {
            scales.iter_mut().zip(row).for_each(|(largest, entry)| *largest = largest.max(entry.abs()));
        }
        for row in matrix.chunks_mut(size) {
            row.iter_mut().zip(&scales).for_each(|(entry, scale)| *entry /= scale);
        }
        let response: Vec<f64> = rows.iter().map(|row| response[*row]).collect();
        let mean = response.iter().sum::<f64>() / response.len() as f64;
        let spread = response.iter().fold(0.0_f64, |most, y| most.max((y - mean).abs()));
        let largest = response.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
        let weights = rows.iter().map(|row| weights[*row]).collect();
        let rounding = 1e-11 * (largest + spread);
        Self { size, matrix, scales, response, weights, rows, spread, rounding }
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.matrix[row * self.size..(row + 1) * self.size]
    }

    pub(super) fn fitted(&self, row: usize, coefficients: &[f64]) -> f64 {
        dot(self.row(row), coefficients)
    }

    /// The response with each record moved by its own amount below `share` of the spread.
    pub(super) fn moved_response(&self, share: f64) -> Vec<f64> {
        let most = share * self.spread;
        self.response.iter().enumerate().map(|(row, y)| y + most * (unit_hash(row as u64) - 0.5)).collect()
    }

    /// The first rows, in this order, that are linearly independent; `None` when there are too few.
    pub(super) fn independent_rows(&self, order: &[usize]) -> Option<Vec<usize>> {
        let size = self.size;
        let mut chosen = Vec::with_capacity(size);
        // Rows reduced so that each has a leading entry of 1 where all later ones have 0.
        let mut reduced: Vec<(usize, Vec<f64>)> = Vec::with_capacity(size);
        for row in order {
            let mut left = self.row(*row).to_vec();
            for (lead, earlier) in &reduced {
                let factor = left[*lead];
                if factor != 0.0 {
                    left.iter_mut().zip(earlier).for_each(|(entry, earlier)| *entry -= factor * earlier);
                }
            }
            let lead = (0..size).max_by(|a, b| left[*a].abs().total_cmp(&left[*b].abs()))?;
            let pivot = left[lead];
            if pivot.abs() > 1e-6 {
                left.iter_mut().for_each(|entry| *entry /= pivot);
                reduced.push((lead, left));
                chosen.push(*row);
                if chosen.len() == size {
                    return Some(chosen);
                }
            }
        }
        None
    }
}

/// A number in [0, 1) that depends on the row alone (the finaliser of splitmix64, Steele, Lea & Flood 2014).
fn unit_hash(row: u64) -> f64 {
    let mut z = row.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
