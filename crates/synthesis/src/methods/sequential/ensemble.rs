//! `bagging` and `forest`: donors over an ensemble of trees, each of a bootstrap sample (Breiman 1996, 2001; Caiola & Reiter 2010).
//!
//! A draw takes a tree by chance, then a donor in the record's leaf of that tree. Proper synthesis takes the Bayesian bootstrap's weights of
//! the trees' donors.

use rand::RngExt;
use statistics::trees::{Forest, ForestOptions, Tree};

use super::cart::{FitColumns, LeafResponses, failed, leaves_of, split_by, tree_options, tree_response};
use super::conditional::{Conditional, Draws, Given, Task};
use super::donors::DonorWeights;
use super::leaf_size;
use super::scores::Scores;
use super::stored_tree;
use super::surroundings::Conditioning;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, ensure};

/// The name of the method that looks at all predictors in every node.
pub(super) const BAGGING: &str = "bagging";

/// The name of the method that looks at a few predictors in every node.
pub(super) const FOREST: &str = "forest";

/// The name under which it is stored which of the two it is, and of how many trees.
const ENSEMBLE: &str = "ensemble";

#[derive(Debug)]
struct Ensemble {
    forest: bool,
    trees: Vec<Member>,
    /// The response of every record that was learned from.
    responses: LeafResponses,
}

#[derive(Debug)]
struct Member {
    tree: Tree,
    weights: DonorWeights,
}

/// Fits bagged trees.
pub(super) fn fit_bagging(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    fit(task, None)
}

/// Fits a random forest.
pub(super) fn fit_forest(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    let usual = Forest::usual_predictors_per_split(task.predictors.len(), &tree_response(task.response));
    fit(task, Some(usual))
}

fn fit(task: &Task<'_>, predictors_per_split: Option<usize>) -> Result<Box<dyn Conditional>, SynthesisError> {
    let predictors = FitColumns::of(task);
    let response = tree_response(task.response);
    let leaf = task.settings.min_bucket.unwrap_or(leaf_size::USUAL);
    let options = ForestOptions {
        trees: task.settings.trees as usize,
        predictors_per_split,
        tree: tree_options(task.settings, leaf),
    };
    let forest = Forest::fit(&predictors.columns(), &response, None, &options, &mut task.seed.stream(0))
        .map_err(|error| failed(&error))?;
    let member = |tree: &Tree| Member { tree: tree.clone(), weights: DonorWeights::default() };
    let all: Vec<u32> = (0..task.rows.len() as u32).collect();
    Ok(Box::new(Ensemble {
        forest: predictors_per_split.is_some(),
        trees: forest.trees().iter().map(member).collect(),
        responses: LeafResponses::of(task.response, &all),
    }))
}

/// A fit from its stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let (forest, count): (bool, usize) = from.settings(ENSEMBLE)?;
    ensure(count > 0, "an ensemble has no trees")?;
    let responses = LeafResponses::load(from, of)?;
    let mut trees = Vec::new();
    for _ in 0..count {
        let tree = stored_tree::load(from, of, &Scores::default(), responses.len())?;
        trees.push(Member { tree, weights: DonorWeights::default() });
    }
    Ok(Box::new(Ensemble { forest, trees, responses }))
}

impl Conditional for Ensemble {
    fn method(&self) -> &'static str {
        if self.forest { FOREST } else { BAGGING }
    }

    fn draw(
        &self,
        given: &Given<'_>,
        predictors: &[usize],
        rows: &[u32],
        rng: &mut Rng,
    ) -> Result<Draws, SynthesisError> {
        let features = split_by(&given.features(predictors));
        let chosen: Vec<usize> = rows.iter().map(|_| rng.random_range(0..self.trees.len())).collect();
        let mut donors = vec![0; rows.len()];
        for (number, Member { tree, weights }) in self.trees.iter().enumerate() {
            let places: Vec<usize> = (0..rows.len()).filter(|place| chosen[*place] == number).collect();
            let of: Vec<u32> = places.iter().map(|place| rows[*place]).collect();
            for (place, leaf) in places.into_iter().zip(leaves_of(tree, &features, &of)?) {
                let in_leaf = tree.donors(leaf);
                donors[place] = in_leaf[weights.pick(0..in_leaf.len(), rng)] as usize;
            }
        }
        Ok(self.responses.draws(donors.into_iter()))
    }

    fn with_drawn_parameters(&self, seed: Seed) -> Box<dyn Conditional> {
        let member = |(number, member): (usize, &Member)| {
            let most = (0..member.tree.leaves() as u32).map(|leaf| member.tree.donors(leaf).len()).max();
            let weights = DonorWeights::bayesian_bootstrap(most.unwrap_or(0), seed.child(number as u64));
            Member { tree: member.tree.clone(), weights }
        };
        Box::new(Self {
            forest: self.forest,
            trees: self.trees.iter().enumerate().map(member).collect(),
            responses: self.responses.clone(),
        })
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(ENSEMBLE, &(self.forest, self.trees.len()))?;
        self.responses.store(into)?;
        self.trees.iter().try_for_each(|member| stored_tree::store(&member.tree, into))
    }
}
