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
    let (left, right) = (left.matrix(), right.matrix());
    let columns = right.ncols();
    if into.is_empty() {
        return;
    }
    let accumulate = if add { Accum::Add } else { Accum::Replace };
    into.par_chunks_mut(PIECE * columns).enumerate().for_each(|(piece, into)| {
        let rows = into.len() / columns;
        let left = left.subrows(piece * PIECE, rows);
        let into = MatMut::from_row_major_slice_mut(into, rows, columns);
        matmul(into, accumulate, left, right, T::of(1.0), Par::Seq);
    });
}
