//! A dense model: the expected count of every cell of the full table.

use serde::{Deserialize, Serialize};

use crate::attributes::for_each_position;
use crate::error::Error;
use crate::model::FittedClique;
use crate::model::convergence::Convergence;
use crate::traversal::summed;

/// The expected count of every cell of the full table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredDense")]
pub struct DenseModel {
    #[serde(rename = "dims")]
    sizes: Vec<usize>,
    table: Vec<f64>,
    convergence: Convergence,
}

#[derive(Deserialize)]
struct StoredDense {
    #[serde(rename = "dims")]
    sizes: Vec<usize>,
    table: Vec<f64>,
    convergence: Convergence,
}

impl TryFrom<StoredDense> for DenseModel {
    type Error = Error;

    fn try_from(stored: StoredDense) -> Result<Self, Error> {
        let StoredDense { sizes, table, convergence } = stored;
        let cells = sizes.iter().try_fold(1_usize, |cells, &classes| cells.checked_mul(classes));
        if cells != Some(table.len()) || !table.iter().all(|cell| cell.is_finite() && *cell >= 0.0) {
            return Err(Error::Stored { what: "a full table" });
        }
        Ok(Self { sizes, table, convergence })
    }
}

impl DenseModel {
    /// A model that was stored; refused unless there is one finite count, not below zero, for each cell.
    pub fn stored(sizes: Vec<usize>, table: Vec<f64>, convergence: Convergence) -> Result<Self, Error> {
        StoredDense { sizes, table, convergence }.try_into()
    }

    pub(crate) fn new(sizes: &[usize], fitted: FittedClique, convergence: Convergence) -> Self {
        let order: Vec<usize> = (0..sizes.len()).collect();
        let table = if fitted.layout == order {
            fitted.cells
        } else {
            let mut table = vec![0.0; fitted.cells.len()];
            for_each_position(sizes, &fitted.layout, &order, |cell, position| {
                table[position] = fitted.cells[cell]
            });
            table
        };
        Self { sizes: sizes.to_vec(), table, convergence }
    }

    /// The number of classes of each variable.
    pub(crate) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// How far the fit came.
    pub(crate) fn convergence(&self) -> &Convergence {
        &self.convergence
    }

    /// The expected counts, row-major: the last variable runs fastest.
    pub fn table(&self) -> &[f64] {
        &self.table
    }

    pub(crate) fn expected(&self, classes: &[usize]) -> f64 {
        self.table[classes.iter().zip(&self.sizes).fold(0, |at, (class, classes)| at * classes + class)]
    }

    pub(crate) fn margin(&self, attributes: &[usize]) -> Vec<f64> {
        let all: Vec<usize> = (0..self.sizes.len()).collect();
        summed(&self.sizes, &all, &self.table, attributes)
    }
}
