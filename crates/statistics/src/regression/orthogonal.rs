//! The triangle of a QR decomposition of √W (X, z), block of rows by block of rows.
//!
//! Stacking a block under the triangle so far and reducing again keeps every inner product to full precision, in memory for one
//! triangle (Golub, Plemmons & Sameh 1988; "TSQR" in Demmel et al. 2012).

use std::ops::Range;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::qr::no_pivoting::factor;
use faer::{Mat, Par, Spec};
use rayon::prelude::*;

use super::design::{BLOCK, Design, KeptColumns, fixed_ranges};

/// T with TᵀT = (X, z)ᵀ W (X, z): square, with one row and column more than there are kept columns.
pub(super) fn triangle(design: &Design, kept: &KeptColumns, weights: &[f64], response: &[f64]) -> Mat<f64> {
    let size = kept.len() + 1;
    let ranges = fixed_ranges(design.rows(), ((1 << 24) / (size * size)).clamp(1, 16));
    let parts: Vec<Mat<f64>> = ranges
        .into_par_iter()
        .map(|rows| {
            let step = BLOCK.max(size.next_multiple_of(BLOCK));
            let mut triangle = Mat::zeros(0, size);
            for start in rows.clone().step_by(step) {
                let block = written_out(design, kept, weights, response, start..(start + step).min(rows.end));
                triangle = reduced(stacked(&triangle, &block));
            }
            triangle
        })
        .collect();
    let mut parts = parts.into_iter();
    let mut all = parts.next().expect("there is at least one range");
    for part in parts {
        all = reduced(stacked(&all, &part));
    }
    if all.nrows() < size { stacked(&all, &Mat::zeros(size - all.nrows(), size)) } else { all }
}

fn written_out(
    design: &Design,
    kept: &KeptColumns,
    weights: &[f64],
    response: &[f64],
    rows: Range<usize>,
) -> Mat<f64> {
    let size = kept.len() + 1;
    let mut block = Mat::zeros(rows.len(), size);
    let roots: Vec<f64> = weights[rows.clone()].iter().map(|weight| weight.sqrt()).collect();
    for term in design.expand(rows.clone(), kept).terms {
        for (row, (column, value)) in term.columns.iter().zip(&term.values).enumerate() {
            if (*column as usize) < kept.len() {
                block[(row, *column as usize)] = roots[row] * value;
            }
        }
    }
    for (row, (root, z)) in roots.iter().zip(&response[rows]).enumerate() {
        block[(row, size - 1)] = root * z;
    }
    block
}

fn stacked(upper: &Mat<f64>, lower: &Mat<f64>) -> Mat<f64> {
    let above = upper.nrows();
    Mat::from_fn(above + lower.nrows(), lower.ncols(), |row, column| {
        if row < above { upper[(row, column)] } else { lower[(row - above, column)] }
    })
}

/// The triangle of the QR decomposition of a matrix.
fn reduced(mut matrix: Mat<f64>) -> Mat<f64> {
    let (rows, columns) = matrix.shape();
    let size = rows.min(columns);
    if size == 0 {
        return Mat::zeros(0, columns);
    }
    let block_size = factor::recommended_block_size::<f64>(rows, columns);
    let scratch = factor::qr_in_place_scratch::<f64>(rows, columns, block_size, Par::Seq, Spec::default());
    let mut coefficients = Mat::zeros(block_size, size);
    factor::qr_in_place(
        matrix.as_mut(),
        coefficients.as_mut(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Spec::default(),
    );
    Mat::from_fn(size, columns, |row, column| if row <= column { matrix[(row, column)] } else { 0.0 })
}

/// The columns that are not aliased with earlier ones, by R's rule (LINPACK's `dqrdc2` with limited pivoting): a column whose
/// length after projection on the earlier estimable ones is below `tolerance` of its own is left out. The last column of
/// `triangle` is the response.
pub(super) fn estimable(triangle: &Mat<f64>, tolerance: f64) -> Vec<usize> {
    let (rows, columns) = (triangle.nrows(), triangle.ncols() - 1);
    let mut work: Vec<Vec<f64>> = (0..columns).map(|j| triangle.col(j).iter().copied().collect()).collect();
    let length = |entries: &[f64]| entries.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    let lengths: Vec<f64> = work.iter().map(|column| length(column)).collect();
    let mut estimable: Vec<usize> = Vec::new();
    for j in 0..columns {
        let step = estimable.len();
        if step == rows {
            break;
        }
        let left = length(&work[j][step..]);
        if lengths[j] == 0.0 || left < tolerance * lengths[j] {
            continue;
        }
        let mut reflector = work[j][step..].to_vec();
        reflector[0] += left.copysign(reflector[0]);
        let scale = 2.0 / reflector.iter().map(|entry| entry * entry).sum::<f64>();
        for later in &mut work[j + 1..] {
            let projection: f64 = reflector.iter().zip(&later[step..]).map(|(a, b)| a * b).sum();
            let factor = scale * projection;
            later[step..].iter_mut().zip(&reflector).for_each(|(entry, along)| *entry -= factor * along);
        }
        estimable.push(j);
    }
    estimable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triangle_keeps_every_inner_product_of_a_deficient_matrix() {
        let rows = 3000;
        let x: Vec<f64> = (0..rows).map(|row| f64::from(row * 37 % 101) / 10.0).collect();
        let y: Vec<f64> = (0..rows).map(|row| f64::from(row * row % 97)).collect();
        let sum: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        let columns = vec![vec![1.0; 3000], x, sum, vec![0.0; 3000], y];
        let z: Vec<f64> = (0..rows).map(|row| f64::from(row % 11)).collect();
        let weights: Vec<f64> = (0..rows).map(|row| 0.5 + f64::from(row % 3)).collect();
        let design = Design::of_columns(columns.clone()).unwrap();
        let triangle = triangle(&design, &KeptColumns::all(5), &weights, &z);
        let all: Vec<&Vec<f64>> = columns.iter().chain([&z]).collect();
        for i in 0..6 {
            for j in 0..6 {
                let expected: f64 = (0..3000).map(|row| all[i][row] * all[j][row] * weights[row]).sum();
                let found: f64 = (0..6).map(|row| triangle[(row, i)] * triangle[(row, j)]).sum();
                assert!(
                    (found - expected).abs() <= 1e-12 * expected.abs().max(1e3),
                    "{i} {j}: {found} {expected}"
                );
            }
        }
        assert_eq!(estimable(&triangle, 1e-7), [0, 1, 2]);
    }

    #[test]
    fn fewer_rows_than_columns_still_give_a_square() {
        let design = Design::of_columns(vec![vec![1.0, 1.0], vec![1.0, 2.0], vec![1.0, 3.0]]).unwrap();
        let triangle = triangle(&design, &KeptColumns::all(3), &[1.0; 2], &[0.0, 1.0]);
        assert_eq!(triangle.shape(), (4, 4));
        assert_eq!(estimable(&triangle, 1e-7), [0, 1]);
    }
}
