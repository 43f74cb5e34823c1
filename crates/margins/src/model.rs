//! A fitted model: the expected counts of every cell, held as the full table or on a junction tree.

pub(crate) mod convergence;
pub(crate) mod dense;
pub(crate) mod tree;

use serde::{Deserialize, Serialize};

use crate::attributes::{cells, cells_exactly};
use crate::error::Error;
use crate::model::convergence::Convergence;
use crate::model::dense::DenseModel;
use crate::model::tree::TreeModel;
use crate::sampler::Sampler;

/// A margin is refused by [`FittedModel::margin`] if a table on the way to it has more cells than this.
const MARGIN_LIMIT: usize = 1 << 26;

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
    /// The model that a fit has ended at; `form` says whether one clique is meant as the full table.
    pub(crate) fn new(
        sizes: &[usize],
        form: Form,
        mut cliques: Vec<FittedClique>,
        convergence: Convergence,
    ) -> Self {
        match (form, cliques.len()) {
            (Form::Dense, 1) => Self::Dense(DenseModel::new(sizes, cliques.remove(0), convergence)),
            _ => Self::Tree(TreeModel::new(sizes, cliques, convergence)),
        }
    }

    /// The number of classes of each variable.
    pub fn sizes(&self) -> &[usize] {
        match self {
            Self::Dense(model) => model.sizes(),
            Self::Tree(model) => model.sizes(),
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
        cells_exactly(self.sizes(), &(0..self.sizes().len()).collect::<Vec<_>>())
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
        let sizes = self.sizes();
        if classes.len() != sizes.len() || classes.iter().zip(sizes).any(|(class, classes)| class >= classes)
        {
            return Err(Error::Cell { count: sizes.len() });
        }
        Ok(match self {
            Self::Dense(model) => model.expected(classes),
            Self::Tree(model) => model.expected(classes),
        })
    }

    /// The expected counts of a margin over `attributes` (ascending), row-major.
    ///
    /// Any margin will do, not only the fitted ones; the empty one is the total. On a junction tree a margin
    /// whose attributes no clique holds is found by variable elimination, and refused if that needs a table
    /// of more than 2²⁶ cells.
    pub fn margin(&self, attributes: &[usize]) -> Result<Vec<f64>, Error> {
        self.margin_within(attributes, MARGIN_LIMIT)
    }

    /// [`margin`](Self::margin) with another limit on the cells of the largest table on the way.
    pub fn margin_within(&self, attributes: &[usize], limit: usize) -> Result<Vec<f64>, Error> {
        let sizes = self.sizes();
        let ascending = attributes.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || attributes.last().is_some_and(|&last| last >= sizes.len()) {
            return Err(Error::Attributes {
                what: "a margin",
                attributes: attributes.to_vec(),
                count: sizes.len(),
            });
        }
        if cells(sizes, attributes) > limit as u128 {
            let cells = cells_exactly(sizes, attributes);
            return Err(Error::MarginTooLarge { attributes: attributes.to_vec(), cells, limit });
        }
        match self {
            Self::Dense(model) => Ok(model.margin(attributes)),
            Self::Tree(model) => model.margin(attributes, limit),
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

/// Whether to hold the full table or a junction tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The full table where it is allowed and not much larger than the junction tree, else the tree.
    Automatic,
    /// The full table, or a refusal.
    Dense,
    /// The junction tree, or a refusal.
    Tree,
}

/// A clique as a fit leaves it, its cells in the order in which the fit walks over them.
#[derive(Debug)]
pub(crate) struct FittedClique {
    /// The clique that it hangs on, by its place in the list.
    pub(crate) parent: Option<usize>,
    /// Its attributes in the order of the layout.
    pub(crate) layout: Vec<usize>,
    pub(crate) cells: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use crate::{Options, TargetMargin, fit};

    #[test]
    fn a_margin_beyond_the_limit_is_refused_in_words() {
        let chain: Vec<TargetMargin> =
            (0..39).map(|i| TargetMargin::new([i, i + 1], vec![1.0; 49])).collect();
        let model = fit(&[7; 40], &chain, &[], &Options::default()).unwrap();
        let refusal = model.margin_within(&[0, 20, 39], 100).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "the margin over variables [0, 20, 39] needs a table of 343 cells, and the limit is 100"
        );
    }
}
