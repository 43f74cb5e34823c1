//! Products of matrices that lie row by row in slices.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::Real;

/// Output rows that are one piece of work.
const PIECE: usize = 256;

/// A matrix, row by row, as it is or transposed.
#[derive(Clone, Copy)]
pub(crate) struct View<'a, T> {
    data: &'a [T],
    columns: usize,
    transposed: bool,
}

impl<'a, T: Real> View<'a, T> {
    /// The rows of a matrix with so many columns.
    pub(crate) fn rows(data: &'a [T], columns: usize) -> Self {
        Self { data, columns, transposed: false }
    }

    /// The transpose.
    pub(crate) fn transpose(self) -> Self {
        Self { transposed: !self.transposed, ..self }
    }

    fn matrix(&self) -> MatRef<'a, T> {
        let rows = self.data.len().checked_div(self.columns).unwrap_or(0);
        let matrix = MatRef::from_row_major_slice(self.data, rows, self.columns);
        if self.transposed { matrix.transpose() } else { matrix }
    }
}

/// `into` = `left` · `right`, added to what is there if `add` says so. Cut by rows of the result, which does not depend on the number of threads.
pub(crate) fn product<T: Real>(into: &mut [T], left: View<'_, T>, right: View<'_, T>, add: bool) {
    if into.is_empty() {
        return;
    }
    if alone(into, left, right, add) {
        return;
    }
    let (left, right) = (left.matrix(), right.matrix());
    let columns = right.ncols();
    let accumulate = if add { Accum::Add } else { Accum::Replace };
    into.par_chunks_mut(PIECE * columns).enumerate().for_each(|(piece, into)| {
        let rows = into.len() / columns;
        let left = left.subrows(piece * PIECE, rows);
        let into = MatMut::from_row_major_slice_mut(into, rows, columns);
        matmul(into, accumulate, left, right, T::of(1.0), Par::Seq);
    });
}

/// Products that have one row, or one term in each sum, by loops of a fixed order; whether this is one. Matrix products proper may round in another way where memory begins at another place. Of one record by itself every product
/// is of this kind, so that its gradient is the same to the last bit whenever and wherever it is computed, which private training rests on.
fn alone<T: Real>(into: &mut [T], left: View<'_, T>, right: View<'_, T>, add: bool) -> bool {
    let (rows, inner, columns) = (left.matrix().nrows(), left.matrix().ncols(), right.matrix().ncols());
    if rows != 1 && inner != 1 {
        return false;
    }
    if !add {
        into.fill(T::of(0.0));
    }
    if rows == 1 && right.transposed {
        for (sum, column) in into.iter_mut().zip(right.data.chunks_exact(inner)) {
            *sum += scalar_product(left.data, column);
        }
    } else if rows == 1 {
        for (factor, row) in left.data.iter().zip(right.data.chunks_exact(columns)) {
            add_times(into, *factor, row);
        }
    } else {
        for (row, factor) in into.chunks_exact_mut(columns).zip(left.data) {
            add_times(row, *factor, right.data);
        }
    }
    true
}

/// y += a x; nothing where a is zero, as behind a rectifier.
fn add_times<T: Real>(sums: &mut [T], factor: T, values: &[T]) {
    if factor != T::of(0.0) {
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * *value);
    }
}

/// Sums that a scalar product is made of, side by side.
const LANES: usize = 16;

/// The scalar product, added up in a fixed order.
fn scalar_product<T: Real>(left: &[T], right: &[T]) -> T {
    let mut sums = [T::of(0.0); LANES];
    let (left, right) = (left.chunks_exact(LANES), right.chunks_exact(LANES));
    let rest = left.remainder().iter().zip(right.remainder()).map(|(left, right)| *left * *right);
    let rest: T = rest.sum();
    for (left, right) in left.zip(right) {
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += *left * *right;
        }
    }
    sums.into_iter().sum::<T>() + rest
}
