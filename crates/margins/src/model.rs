//! A fitted model: the expected counts of every cell, held as the full table or on a junction tree.

use serde::{Deserialize, Serialize};

use crate::convergence::Convergence;
use crate::dense::DenseModel;
use crate::error::Error;
use crate::sampler::Sampler;
use crate::tree::TreeModel;
use crate::variables::{cells, cells_exactly};

/// A margin is refused by [`FittedModel::margin`] if a table on the way to it has more cells than this.
pub const MARGIN_LIMIT: usize = 1 << 26;

/// A fitted log-linear model. It keeps no reference to the targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FittedModel {
    /// The full table.
    Dense(DenseModel),
    /// A junction tree of clique tables.
    Tree(TreeModel),
}

impl FittedModel {
    /// The number of classes of each variable.
    pub fn dims(&self) -> &[usize] {
        match self {
            Self::Dense(model) => model.dims(),
            Self::Tree(model) => model.dims(),
        }
    }

    /// How far the fit came.
    pub fn convergence(&self) -> &Convergence {
        match self {
            Self::Dense(model) => model.convergence(),
            Self::Tree(model) => model.convergence(),
        }
    }

    /// Cells of the full table, exactly, in decimal: there may be more than any machine integer holds.
    pub fn cells(&self) -> String {
        cells_exactly(self.dims(), &(0..self.dims().len()).collect::<Vec<_>>())
    }

    /// Cells held in memory, 8 bytes each.
    pub fn held_cells(&self) -> usize {
        match self {
            Self::Dense(model) => model.table().len(),
            Self::Tree(model) => model.held_cells(),
        }
    }

    /// The expected count of one cell of the full table.
    pub fn expected(&self, classes: &[usize]) -> Result<f64, Error> {
        let dims = self.dims();
        if classes.len() != dims.len() || classes.iter().zip(dims).any(|(class, classes)| class >= classes) {
            return Err(Error::Cell { count: dims.len() });
        }
        Ok(match self {
            Self::Dense(model) => model.expected(classes),
            Self::Tree(model) => model.expected(classes),
        })
    }

    /// The expected counts of a margin over `variables` (ascending), row-major.
    ///
    /// Any margin will do, not only the fitted ones; the empty one is the total. On a junction tree a margin
    /// whose variables no clique holds is found by variable elimination, and refused if that needs a table
    /// above [`MARGIN_LIMIT`].
    pub fn margin(&self, variables: &[usize]) -> Result<Vec<f64>, Error> {
        self.margin_within(variables, MARGIN_LIMIT)
    }

    /// [`margin`](Self::margin) with another limit on the cells of the largest table on the way.
    pub fn margin_within(&self, variables: &[usize], limit: usize) -> Result<Vec<f64>, Error> {
        let dims = self.dims();
        let ascending = variables.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || variables.last().is_some_and(|&last| last >= dims.len()) {
            return Err(Error::Variables {
                what: "a margin",
                variables: variables.to_vec(),
                count: dims.len(),
            });
        }
        if cells(dims, variables) > limit as u128 {
            let cells = cells_exactly(dims, variables);
            return Err(Error::MarginTooLarge { variables: variables.to_vec(), cells, limit });
        }
        match self {
            Self::Dense(model) => Ok(model.margin(variables)),
            Self::Tree(model) => model.margin(variables, limit),
        }
    }

    /// Draws `rows` independent records: one column of class numbers for each variable.
    ///
    /// The same seed gives the same records on any number of threads, and the first records of a longer
    /// sample are those of a shorter one.
    pub fn sample(&self, rows: usize, seed: [u8; 32]) -> Vec<Vec<u32>> {
        self.sampler().rows(rows, seed)
    }

    /// What is worked out once to draw many samples, or one in blocks.
    pub fn sampler(&self) -> Sampler<'_> {
        Sampler::new(self)
    }
}
