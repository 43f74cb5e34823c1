//! `cart`: donors in the leaf of a classification or regression tree (Reiter 2005).
//!
//! A tree is grown on the original records; a synthetic record is led to its leaf by the values that it has so far, and takes the response
//! of one of the original records there, which are weighed by main effects of all predictors unless `main_effects = false`. Proper synthesis
//! weighs the records by the Bayesian bootstrap and draws the effects from their posterior.

use statistics::trees::{self, Predictor, Tree, TreeError, TreeOptions};

use super::conditional::{Conditional, Draws, Given, Response, Task};
use super::donors::DonorWeights;
use super::feature::Feature;
use super::leaf_size;
use super::main_effects::MainEffects;
use super::options::Settings;
use super::scores::Scores;
use super::stored_tree;
use super::surroundings::{Conditioning, Drawing};
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, ensure};

/// The name of the method.
pub(super) const NAME: &str = "cart";

/// The name under which it is stored whether donors are weighed by main effects.
const HAS_EFFECTS: &str = "main effects";

#[derive(Debug)]
struct Cart {
    /// What the tree splits by beside the predictors.
    scores: Scores,
    tree: Tree,
    /// Where the donors of each leaf begin, and where the last end.
    offsets: Vec<u32>,
    /// The donors' responses, leaf by leaf.
    responses: LeafResponses,
    weights: DonorWeights,
    /// How donors of a leaf are weighed, unless all alike.
    effects: Option<MainEffects>,
}

/// Responses of donors, leaf by leaf.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LeafResponses {
    Categories(Vec<u32>),
    Numbers(Vec<f64>),
}

/// Fits the tree.
pub(super) fn fit(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    let predictors = FitColumns::of(task);
    let growth = leaf_size::choose(task)?;
    let options = tree_options(task.settings, growth.leaf);
    let features = task.given.features(task.predictors);
    let scores =
        if growth.scores { Scores::fit(&features, task.rows, task.response) } else { Scores::default() };
    let of_scores = scores.columns(&features, task.rows)?;
    let columns: Vec<&Predictor> = predictors.columns().into_iter().chain(&of_scores).collect();
    let tree =
        Tree::fit(&columns, &tree_response(task.response), None, &options).map_err(|error| failed(&error))?;
    let mut donors: Vec<u32> =
        (0..tree.leaves() as u32).flat_map(|leaf| tree.donors(leaf)).copied().collect();
    let offsets = donor_offsets(&tree);
    let effects = (task.settings.main_effects && !task.predictors.is_empty())
        .then(|| MainEffects::fit(task, &mut donors, &offsets));
    let responses = LeafResponses::of(task.response, &donors);
    Ok(Box::new(Cart { scores, tree, offsets, responses, weights: DonorWeights::default(), effects }))
}

/// A fit from its stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let responses = LeafResponses::load(from, of)?;
    let scores = Scores::load(from, of)?;
    let tree = stored_tree::load(from, of, &scores, responses.len())?;
    let offsets = donor_offsets(&tree);
    ensure(offsets.last() == Some(&(responses.len() as u32)), "leaves hold donors that are not there")?;
    let has_effects = from.settings(HAS_EFFECTS)?;
    let effects = if has_effects { Some(MainEffects::load(from, of, &offsets)?) } else { None };
    Ok(Box::new(Cart { scores, tree, offsets, responses, weights: DonorWeights::default(), effects }))
}

impl Conditional for Cart {
    fn method(&self) -> &'static str {
        NAME
    }

    fn draw(
        &self,
        given: &Given<'_>,
        predictors: &[usize],
        rows: &[u32],
        rng: &mut Rng,
    ) -> Result<Draws, SynthesisError> {
        let features = given.features(predictors);
        let columns = split_by(&features);
        let leaves = if self.scores.is_empty() {
            leaves_of(&self.tree, &columns, rows)?
        } else {
            let scores = self.scores.columns(&features, rows)?;
            let code = |at: usize, predictor: usize| match columns.get(predictor) {
                Some(column) => column.code(rows[at] as usize),
                None => scores[predictor - columns.len()].code(at),
            };
            (0..rows.len()).map(|at| self.tree.leaf_by(|predictor| code(at, predictor))).collect()
        };
        if let Some(effects) = &self.effects {
            let donors = effects.draw(&features, rows, &leaves, &self.weights, rng);
            return Ok(self.responses.draws(donors.into_iter()));
        }
        let donor = |leaf: u32| {
            let leaf = leaf as usize;
            self.weights.pick(self.offsets[leaf] as usize..self.offsets[leaf + 1] as usize, rng)
        };
        Ok(self.responses.draws(leaves.into_iter().map(donor)))
    }

    fn with_drawn_parameters(&self, seed: Seed) -> Box<dyn Conditional> {
        let donors = self.offsets.last().map_or(0, |end| *end as usize);
        Box::new(Self {
            scores: self.scores.clone(),
            tree: self.tree.clone(),
            offsets: self.offsets.clone(),
            responses: self.responses.clone(),
            weights: DonorWeights::bayesian_bootstrap(donors, seed),
            effects: self.effects.as_ref().map(|effects| effects.with_drawn_factors(seed.child(1))),
        })
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        self.responses.store(into)?;
        self.scores.store(into)?;
        stored_tree::store(&self.tree, into)?;
        into.settings(HAS_EFFECTS, &self.effects.is_some())?;
        self.effects.iter().try_for_each(|effects| effects.store(into))
    }
}

/// Where the donors of each leaf begin, and where the last end.
fn donor_offsets(tree: &Tree) -> Vec<u32> {
    let mut end = 0;
    let ends = (0..tree.leaves() as u32).map(|leaf| {
        end += tree.donors(leaf).len() as u32;
        end
    });
    std::iter::once(0).chain(ends).collect()
}

impl LeafResponses {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Categories(codes) => codes.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }

    /// Writes the responses.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        match self {
            Self::Categories(codes) => into.array("responses", codes),
            Self::Numbers(numbers) => into.array("responses", numbers),
        }
    }

    /// Responses of the kind that a conditional draws, one for each record that it was fitted to.
    pub(super) fn load(from: &mut StateReader<'_>, of: Conditioning<'_>) -> Result<Self, SynthesisError> {
        let (responses, are_fine) = match of.draws {
            Drawing::Categories(size) => {
                let codes: Vec<u32> = from.array("responses")?;
                let are_fine = codes.iter().all(|code| *code < size);
                (Self::Categories(codes), are_fine)
            }
            Drawing::Numbers => {
                let numbers: Vec<f64> = from.array("responses")?;
                let are_fine = numbers.iter().all(|number| number.is_finite());
                (Self::Numbers(numbers), are_fine)
            }
        };
        let is_size = (1..=of.around.records).contains(&responses.len());
        ensure(are_fine && is_size, "donors have responses that the variable does not have")?;
        Ok(responses)
    }

    /// The responses of these donors.
    pub(super) fn of(response: Response<'_>, donors: &[u32]) -> Self {
        match response {
            Response::Categories { codes, .. } => {
                Self::Categories(donors.iter().map(|donor| codes[*donor as usize]).collect())
            }
            Response::Numbers(numbers) => {
                Self::Numbers(donors.iter().map(|donor| numbers[*donor as usize]).collect())
            }
        }
    }

    /// The responses at these places.
    pub(super) fn draws(&self, places: impl Iterator<Item = usize>) -> Draws {
        match self {
            Self::Categories(codes) => Draws::Codes(places.map(|place| codes[place]).collect()),
            Self::Numbers(numbers) => Draws::Numbers(places.map(|place| numbers[place]).collect()),
        }
    }
}

/// The predictors' columns at the records of a task: those of all records, or copies of some.
pub(super) enum FitColumns<'a> {
    All(Vec<&'a Predictor>),
    Some(Vec<Predictor>),
}

impl<'a> FitColumns<'a> {
    pub(super) fn of(task: &Task<'a>) -> Self {
        let all = split_by(&task.given.features(task.predictors));
        if task.has_all_rows() {
            Self::All(all)
        } else {
            Self::Some(all.into_iter().map(|column| column.take(task.rows)).collect())
        }
    }

    pub(super) fn columns(&self) -> Vec<&Predictor> {
        match self {
            Self::All(columns) => columns.clone(),
            Self::Some(columns) => columns.iter().collect(),
        }
    }
}

/// The columns that trees split by.
pub(super) fn split_by<'a>(features: &[&'a Feature]) -> Vec<&'a Predictor> {
    features.iter().map(|feature| &feature.predictor).collect()
}

/// The leaf of each of these records; those of a block are routed at once.
pub(super) fn leaves_of(
    tree: &Tree,
    predictors: &[&Predictor],
    rows: &[u32],
) -> Result<Vec<u32>, SynthesisError> {
    if let [first, .., last] = rows
        && (*last as usize).wrapping_sub(*first as usize) == rows.len() - 1
    {
        let block = *first as usize..*last as usize + 1;
        return tree.route(predictors, block).map_err(|error| failed(&error));
    }
    let mut codes = vec![0; predictors.len()];
    let leaf = |row: &u32| {
        codes.iter_mut().zip(predictors).for_each(|(code, column)| *code = column.code(*row as usize));
        tree.leaf_of(&codes)
    };
    Ok(rows.iter().map(leaf).collect())
}

/// The response as trees take it.
pub(super) fn tree_response(response: Response<'_>) -> trees::Response<'_> {
    match response {
        Response::Categories { codes, size } => trees::Response::Classes { codes, levels: size },
        Response::Numbers(numbers) => trees::Response::Numeric(numbers),
    }
}

/// What stops trees with leaves of this size from growing; rpart's smallest node to split is three times the smallest leaf.
pub(super) fn tree_options(settings: &Settings, leaf: u32) -> TreeOptions {
    TreeOptions {
        min_bucket: leaf,
        min_split: leaf.saturating_mul(3),
        complexity: settings.complexity,
        max_depth: settings.depth,
        risk: settings.risk,
    }
}

/// A tree that cannot be fitted or used.
pub(super) fn failed(error: &TreeError) -> SynthesisError {
    SynthesisError::Fit { method: NAME, message: error.to_string() }
}
