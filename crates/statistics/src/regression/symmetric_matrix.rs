//! A symmetric matrix, such as the covariance of estimates; and the triangles that make one.

use faer::linalg::{matmul, triangular_inverse};
use faer::{Accum, Mat, Par};

use super::normal_equations::dot;

/// A symmetric matrix, written out in full.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricMatrix {
    size: usize,
    entries: Vec<f64>,
}

impl SymmetricMatrix {
    /// The matrix with these entries on and above the diagonal.
    pub fn from_upper(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut entries = vec![0.0; size * size];
        for i in 0..size {
            for j in i..size {
                let value = entry(i, j);
                entries[i * size + j] = value;
                entries[j * size + i] = value;
            }
        }
        Self { size, entries }
    }

    /// The number of rows and columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// One entry.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.row(row)[column]
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.size..(row + 1) * self.size]
    }

    /// Every entry times `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        Self { size: self.size, entries: self.entries.iter().map(|entry| entry * factor).collect() }
    }

    /// The square roots of the diagonal: standard errors, of a covariance matrix.
    pub(crate) fn root_diagonal(&self) -> Vec<f64> {
        (0..self.size).map(|i| self.get(i, i).sqrt()).collect()
    }

    /// (RᵀR)⁻¹ of an upper triangle R.
    pub(super) fn inverse_of_gram(triangle: &Mat<f64>) -> Self {
        let size = triangle.nrows();
        let mut inverse = Mat::zeros(size, size);
        triangular_inverse::invert_upper_triangular(inverse.as_mut(), triangle.as_ref(), Par::Seq);
        let mut product = Mat::zeros(size, size);
        matmul::matmul(
            product.as_mut(),
            Accum::Replace,
            inverse.as_ref(),
            inverse.transpose(),
            1.0,
            Par::Seq,
        );
        Self::from_upper(size, |i, j| product[(i, j)])
    }

    /// The lower triangle L with LLᵀ = this matrix, row by row; `None` unless it is positive definite.
    pub fn cholesky(&self) -> Option<Vec<Vec<f64>>> {
        let mut factor: Vec<Vec<f64>> = Vec::with_capacity(self.size);
        for i in 0..self.size {
            let mut row: Vec<f64> = Vec::with_capacity(i + 1);
            for (j, earlier) in factor.iter().enumerate() {
                row.push((self.get(i, j) - dot(&earlier[..j], &row)) / earlier[j]);
            }
            let left = self.get(i, i) - dot(&row, &row);
            if left.is_nan() || left <= 0.0 {
                return None;
            }
            row.push(left.sqrt());
            factor.push(row);
        }
        Some(factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_and_its_inverse_by_hand() {
        // R = (2 1; 0 4): RᵀR = (4 2; 2 17), of determinant 64.
        let triangle = Mat::from_fn(2, 2, |i, j| [[2.0, 1.0], [0.0, 4.0]][i][j]);
        let inverse = SymmetricMatrix::inverse_of_gram(&triangle);
        assert_eq!(
            (inverse.get(0, 0), inverse.get(1, 0), inverse.get(1, 1)),
            (17.0 / 64.0, -2.0 / 64.0, 4.0 / 64.0)
        );
        let gram = SymmetricMatrix::from_upper(2, |i, j| [[4.0, 2.0], [2.0, 17.0]][i][j]);
        assert_eq!(gram.cholesky().unwrap(), [vec![2.0], vec![1.0, 4.0]]);
        assert_eq!(gram.scaled(2.0).row(1), [4.0, 34.0]);
        let indefinite = SymmetricMatrix::from_upper(2, |i, j| if i == j { 1.0 } else { 2.0 });
        assert_eq!(indefinite.cholesky(), None);
    }
}
