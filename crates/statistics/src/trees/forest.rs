//! Bagged trees and random forests.

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
    /// How many predictors a node looks at, drawn again for every node; `None` is bagging: all of them.
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
#[derive(Clone, Debug, PartialEq)]
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
        let trees = Self::grow(predictors, response, weights, options, rng, |tree, _, _| tree)?;
        Ok(Self { trees })
    }

    /// The same for classes, with the share of records whose class is found by the vote of the trees that have not seen them (out of
    /// bag; Breiman 2001). Ties and records that every tree has seen count one half each.
    pub fn fit_judged(
        predictors: &[&Predictor],
        codes: &[u32],
        levels: u32,
        options: &ForestOptions,
        rng: &mut impl Rng,
    ) -> Result<(Self, f64), TreeError> {
        let response = Response::Classes { codes, levels };
        let grown = Self::grow(predictors, &response, None, options, rng, |tree, drawn, predictors| {
            let is_right = |row: usize| match drawn[row] {
                0 => {
                    let weights = tree.class_weights(tree.leaf_at(predictors, row));
                    let most =
                        weights.iter().max_by_key(|(class, weight)| (*weight, std::cmp::Reverse(*class)));
                    if most.is_some_and(|(class, _)| *class == codes[row]) { 1 } else { -1 }
                }
                _ => 0,
            };
            let votes: Vec<i8> = (0..codes.len()).map(is_right).collect();
            (tree, votes)
        })?;
        let mut sums = vec![0_i32; codes.len()];
        let mut trees = Vec::with_capacity(grown.len());
        for (tree, votes) in grown {
            sums.iter_mut().zip(votes).for_each(|(sum, vote)| *sum += i32::from(vote));
            trees.push(tree);
        }
        let right: f64 = sums.iter().map(|sum| 0.5 + 0.5 * f64::from(sum.signum())).sum();
        Ok((Self { trees }, right / codes.len() as f64))
    }

    /// Grows the trees and makes something of each, which sees how often each record was drawn for it.
    fn grow<T: Send>(
        predictors: &[&Predictor],
        response: &Response<'_>,
        weights: Option<&[u32]>,
        options: &ForestOptions,
        rng: &mut impl Rng,
        of_tree: impl Fn(Tree, &[u32], &[&Predictor]) -> T + Sync,
    ) -> Result<Vec<T>, TreeError> {
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
            Ok(of_tree(tree, &drawn, predictors))
        };
        seeds.par_iter().map(fit).collect()
    }

    /// The trees.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// A donor for each record: a tree drawn at random, then one of the donors in the record's leaf.
    #[cfg(test)]
    pub(crate) fn draw_donors(
        &self,
        predictors: &[&Predictor],
        rows: std::ops::Range<usize>,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A response that follows the first of four columns, with noise.
    fn columns() -> (Vec<Predictor>, Vec<f64>) {
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let columns: Vec<Vec<f64>> =
            (0..4).map(|_| (0..600).map(|_| f64::from(rng.random_range(0..50u32))).collect()).collect();
        let response = columns[0].iter().map(|x| x + rng.random::<f64>()).collect();
        (columns.iter().map(|column| Predictor::numeric(column, None).unwrap()).collect(), response)
    }

    fn fit(options: &ForestOptions, weights: Option<&[u32]>) -> Forest {
        let (columns, response) = columns();
        let predictors: Vec<&Predictor> = columns.iter().collect();
        let mut rng = ChaCha12Rng::seed_from_u64(9);
        Forest::fit(&predictors, &Response::Numeric(&response), weights, options, &mut rng).unwrap()
    }

    #[test]
    fn every_record_is_a_donor_of_the_leaf_it_leads_to_in_every_tree() {
        let (columns, _) = columns();
        let predictors: Vec<&Predictor> = columns.iter().collect();
        let forest = fit(&ForestOptions { predictors_per_split: Some(2), ..ForestOptions::default() }, None);
        assert_eq!(forest.trees().len(), 10);
        for tree in forest.trees() {
            let leaves = tree.route(&predictors, 0..600).unwrap();
            assert!((0u32..).zip(&leaves).all(|(row, leaf)| tree.donors(*leaf).contains(&row)));
            assert_eq!((0..tree.leaves()).map(|leaf| tree.donors(leaf as u32).len()).sum::<usize>(), 600);
            assert_eq!((0..tree.leaves()).map(|leaf| tree.weight(leaf as u32)).sum::<u64>(), 600);
        }
    }

    #[test]
    fn a_bootstrap_sample_leaves_out_a_share_of_one_in_e() {
        let rows: Vec<u32> = (0..10_000).collect();
        let drawn = bootstrap_weights(10_000, &rows, None, &mut ChaCha12Rng::seed_from_u64(1));
        assert_eq!(drawn.iter().sum::<u32>(), 10_000);
        let out = drawn.iter().filter(|weight| **weight == 0).count() as f64 / 1e4;
        // The standard deviation is 0.0031; five of them.
        assert!((out - (-1f64).exp()).abs() < 0.016, "{out}");
    }

    #[test]
    fn records_are_drawn_in_proportion_to_their_weight_and_never_without() {
        let weights: Vec<u32> = (0..300).map(|row| row % 3).collect();
        let rows: Vec<u32> = (0..300).filter(|row| row % 3 > 0).collect();
        let drawn = bootstrap_weights(300, &rows, Some(&weights), &mut ChaCha12Rng::seed_from_u64(2));
        let of = |kind: usize| drawn.iter().skip(kind).step_by(3).sum::<u32>();
        assert_eq!((of(0), of(1) + of(2)), (0, 300));
        // 200 expected, standard deviation 8.2; five of them.
        assert!(of(2).abs_diff(200) < 41);
        let forest = fit(&ForestOptions::default(), Some(&[vec![1; 300], vec![0; 300]].concat()));
        assert!(
            forest
                .trees()
                .iter()
                .all(|tree| (0..tree.leaves() as u32).all(|l| tree.donors(l).iter().all(|r| *r < 300)))
        );
    }

    #[test]
    fn donors_are_near_and_one_seed_gives_one_draw() {
        let (columns, response) = columns();
        let predictors: Vec<&Predictor> = columns.iter().collect();
        let forest = fit(&ForestOptions::default(), None);
        let draw =
            |seed| forest.draw_donors(&predictors, 0..600, &mut ChaCha12Rng::seed_from_u64(seed)).unwrap();
        assert_eq!(draw(4), draw(4));
        assert_ne!(draw(4), draw(5));
        let apart: f64 =
            draw(4).iter().zip(&response).map(|(donor, own)| (response[*donor as usize] - own).abs()).sum();
        assert!(apart / 600.0 < 1.5, "{apart}");
        assert!(forest.draw_donors(&predictors[1..], 0..1, &mut ChaCha12Rng::seed_from_u64(1)).is_err());
    }

    #[test]
    fn bagging_looks_at_all_predictors_and_a_forest_at_some() {
        let roots = |options: &ForestOptions| -> Vec<f64> {
            let forest = fit(&ForestOptions { trees: 40, tree: one_split(), ..*options }, None);
            (0..4)
                .map(|p| forest.trees().iter().filter(|tree| tree.importance()[p] > 0.0).count() as f64)
                .collect()
        };
        let bagging = ForestOptions::default();
        assert_eq!(roots(&bagging), [40.0, 0.0, 0.0, 0.0]);
        // The first predictor is among two of four in half of the nodes: 20 of 40, standard deviation 3.2.
        let first = roots(&ForestOptions { predictors_per_split: Some(2), ..bagging })[0];
        assert!((first - 20.0).abs() < 13.0, "{first}");
    }

    fn one_split() -> TreeOptions {
        TreeOptions { max_depth: 1, ..TreeOptions::default() }
    }

    /// Classes that a column tells are found out of bag; coin tosses are not. 600 tosses: five standard deviations of the accuracy are 0.10.
    #[test]
    fn records_are_judged_by_trees_that_have_not_seen_them() {
        let (columns, _) = columns();
        let predictors: Vec<&Predictor> = columns.iter().collect();
        let options = ForestOptions { trees: 40, ..ForestOptions::default() };
        let accuracy = |codes: &[u32]| {
            Forest::fit_judged(&predictors, codes, 2, &options, &mut ChaCha12Rng::seed_from_u64(5)).unwrap().1
        };
        let told: Vec<u32> = (0..600).map(|row| u32::from(columns[0].code(row) > 20)).collect();
        assert!(accuracy(&told) > 0.99);
        let mut rng = ChaCha12Rng::seed_from_u64(6);
        let tossed: Vec<u32> = (0..600).map(|_| rng.random_range(0..2)).collect();
        assert!((accuracy(&tossed) - 0.5).abs() < 0.10, "{}", accuracy(&tossed));
    }

    #[test]
    fn bad_options_are_refused() {
        let (columns, response) = columns();
        let predictors: Vec<&Predictor> = columns.iter().collect();
        let numbers = Response::Numeric(&response);
        for options in [
            ForestOptions { trees: 0, ..ForestOptions::default() },
            ForestOptions { predictors_per_split: Some(0), ..ForestOptions::default() },
        ] {
            let rng = &mut ChaCha12Rng::seed_from_u64(1);
            assert!(matches!(
                Forest::fit(&predictors, &numbers, None, &options, rng),
                Err(TreeError::Option { .. })
            ));
        }
        assert_eq!(Forest::usual_predictors_per_split(4, &numbers), 1);
        assert_eq!(Forest::usual_predictors_per_split(17, &Response::Classes { codes: &[], levels: 2 }), 4);
    }
}
