//! Bagged trees and random forests.

use std::ops::Range;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::block::LARGEST_BLOCK;
use super::grow::Sampling;
use super::{Predictor, Response, Tree, TreeError, TreeOptions};

/// How many trees, and how they differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForestOptions {
    /// The number of trees.
    pub trees: usize,
    /// How many predictors a node looks at, drawn anew for every node; `None` is bagging: all of them.
    pub predictors_per_split: Option<usize>,
    /// What stops each tree from growing.
    pub tree: TreeOptions,
}

impl Default for ForestOptions {
    fn default() -> Self {
        Self { trees: 10, predictors_per_split: None, tree: TreeOptions::default() }
    }
}

/// Trees, each grown from a bootstrap sample of the records (Breiman 1996), where asked for with a few predictors drawn at every node
/// (Breiman 2001).
///
/// The donors of a leaf are all records that lead to it, those too that its bootstrap sample left out. A draw picks a tree, then a donor in
/// its leaf: every tree counts the same, as in Meinshausen's (2006) forest weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredForest")]
pub struct Forest {
    trees: Vec<Tree>,
}

impl Forest {
    /// How many predictors random forests look at by default: a third of them for numbers, the square root for classes (Liaw & Wiener 2002).
    pub fn usual_predictors_per_split(predictors: usize, response: &Response<'_>) -> usize {
        match response {
            Response::Numeric(_) => (predictors / 3).max(1),
            Response::Classes { .. } => predictors.isqrt().max(1),
        }
    }

    /// Fits the trees, in parallel; the same random numbers give the same forest on any number of threads.
    pub fn fit(
        predictors: &[&Predictor],
        response: &Response<'_>,
        weights: Option<&[u32]>,
        options: &ForestOptions,
        rng: &mut impl Rng,
    ) -> Result<Self, TreeError> {
        if options.trees == 0 {
            return Err(TreeError::Option { option: "trees", range: "at least 1" });
        }
        if options.predictors_per_split == Some(0) {
            return Err(TreeError::Option { option: "predictors_per_split", range: "at least 1" });
        }
        if weights.is_some_and(|weights| weights.len() != response.len()) {
            return Err(TreeError::Length { what: "the column of weights".to_owned() });
        }
        let rows: Vec<u32> = match weights {
            None => (0..response.len() as u32).collect(),
            Some(weights) => (0..weights.len() as u32).filter(|row| weights[*row as usize] > 0).collect(),
        };
        if rows.is_empty() {
            return Err(TreeError::NoRecords);
        }
        let seeds: Vec<([u8; 32], u64)> = (0..options.trees).map(|_| (rng.random(), rng.random())).collect();
        let fit = |(bootstrap, seed): &([u8; 32], u64)| {
            let mut rng = ChaCha12Rng::from_seed(*bootstrap);
            let drawn = bootstrap_weights(response.len(), &rows, weights, &mut rng);
            let sampling =
                options.predictors_per_split.map(|predictors| Sampling { predictors, seed: *seed });
            let mut tree =
                Tree::fit_by(predictors, response, Some(&drawn), &options.tree, sampling, LARGEST_BLOCK)?;
            tree.adopt(predictors, &rows);
            Ok(tree)
        };
        Ok(Self { trees: seeds.par_iter().map(fit).collect::<Result<_, TreeError>>()? })
    }

    /// The trees.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// A donor for each record: a tree drawn at random, then one of the donors in the record's leaf.
    pub fn draw_donors(
        &self,
        predictors: &[&Predictor],
        rows: Range<usize>,
        rng: &mut impl Rng,
    ) -> Result<Vec<u32>, TreeError> {
        self.trees[0].check_columns(predictors, &rows)?;
        let draw = |row| {
            let tree = &self.trees[rng.random_range(0..self.trees.len())];
            let donors = tree.donors(tree.leaf_at(predictors, row));
            donors[rng.random_range(0..donors.len())]
        };
        Ok(rows.map(draw).collect())
    }
}

/// How often each record is drawn in as many draws with replacement as there is weight, each in proportion to its weight.
fn bootstrap_weights(records: usize, rows: &[u32], weights: Option<&[u32]>, rng: &mut impl Rng) -> Vec<u32> {
    let mut drawn = vec![0; records];
    match weights {
        None => (0..rows.len()).for_each(|_| drawn[rng.random_range(0..rows.len())] += 1),
        Some(weights) => {
            let mut total = 0u64;
            let ends: Vec<u64> = rows
                .iter()
                .map(|&row| {
                    total += u64::from(weights[row as usize]);
                    total
                })
                .collect();
            for _ in 0..total {
                let draw = rng.random_range(0..total);
                drawn[rows[ends.partition_point(|end| *end <= draw)] as usize] += 1;
            }
        }
    }
    drawn
}

#[derive(Deserialize)]
struct StoredForest {
    trees: Vec<Tree>,
}

impl TryFrom<StoredForest> for Forest {
    type Error = TreeError;

    fn try_from(stored: StoredForest) -> Result<Self, TreeError> {
        let StoredForest { trees } = stored;
        let Some(first) = trees.first() else {
            return Err(TreeError::Stored { what: "a forest has no tree" });
        };
        match trees.iter().all(|tree| tree.same_predictors(first)) {
            true => Ok(Self { trees }),
            false => Err(TreeError::Stored { what: "the trees of a forest differ in their predictors" }),
        }
    }
}
