//! A dense model: the expected count of every cell of the full table.

use serde::{Deserialize, Serialize};

use crate::convergence::Convergence;
use crate::error::Error;
use crate::multinomial::multinomial;
use crate::raking::FittedClique;
use crate::traversal::summed;
use crate::variables::for_each_position;

/// The expected count of every cell of the full table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredDense")]
pub struct DenseModel {
    dims: Vec<usize>,
    table: Vec<f64>,
    convergence: Convergence,
}

#[derive(Deserialize)]
struct StoredDense {
    dims: Vec<usize>,
    table: Vec<f64>,
    convergence: Convergence,
}

impl TryFrom<StoredDense> for DenseModel {
    type Error = Error;

    fn try_from(stored: StoredDense) -> Result<Self, Error> {
        let StoredDense { dims, table, convergence } = stored;
        let cells = dims.iter().try_fold(1_usize, |cells, &classes| cells.checked_mul(classes));
        if cells != Some(table.len()) || !table.iter().all(|cell| cell.is_finite() && *cell >= 0.0) {
            return Err(Error::Stored { what: "a full table" });
        }
        Ok(Self { dims, table, convergence })
    }
}

impl DenseModel {
    pub(crate) fn new(dims: &[usize], fitted: FittedClique, convergence: Convergence) -> Self {
        let order: Vec<usize> = (0..dims.len()).collect();
        let table = if fitted.layout == order {
            fitted.cells
        } else {
            let mut table = vec![0.0; fitted.cells.len()];
            for_each_position(dims, &fitted.layout, &order, |cell, position| {
                table[position] = fitted.cells[cell]
            });
            table
        };
        Self { dims: dims.to_vec(), table, convergence }
    }

    /// The number of classes of each variable.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// How far the fit came.
    pub fn convergence(&self) -> &Convergence {
        &self.convergence
    }

    /// The expected counts, row-major: the last variable runs fastest.
    pub fn table(&self) -> &[f64] {
        &self.table
    }

    /// Draws the counts of `records` independent records: (cell, count) for every cell that got one,
    /// ascending. Costs O(cells + records) at most, and O(cells) however many records there are.
    ///
    /// The same seed gives the same counts on any number of threads; they are not those of
    /// [`FittedModel::sample`](crate::FittedModel::sample), which draws in another way.
    pub fn sample_counts(&self, records: u64, seed: [u8; 32]) -> Vec<(usize, u64)> {
        multinomial(&self.table, records, seed)
    }

    pub(crate) fn expected(&self, classes: &[usize]) -> f64 {
        self.table[classes.iter().zip(&self.dims).fold(0, |at, (class, classes)| at * classes + class)]
    }

    pub(crate) fn margin(&self, variables: &[usize]) -> Vec<f64> {
        let all: Vec<usize> = (0..self.dims.len()).collect();
        summed(&self.dims, &all, &self.table, variables)
    }
}
