//! The propensity score by a classification tree, with its null distribution by resampling.
//!
//! A tree looks for what tells the files apart and finds something even where there is nothing. How much it finds by chance is
//! found by fitting it again where there is nothing to find:
//!
//! - **Permutation**: the labels original and synthetic are dealt anew among the records. Both files are then random, as they
//!   are not when the synthetic one is drawn given the original: the mean is taken (1 − c) times, as it is exactly so for the
//!   saturated model (Snoke et al. 2018, section 3.2; ½ for files of one size).
//! - **Pairs** of synthetic sets, for m ≥ 2: two sets of n records from one generator, likewise taken 8 (1 − c)² c² times.
//!
//! Two samples of one population rank uniformly among their permutations. The scaling is exact for given splits; as the complexity
//! limit stops a tree sooner where there is less noise, a right synthesis scores somewhat below 1, about 0.8 to 1.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use statistics::trees::{Predictor, Response, Risk, Tree, TreeError, TreeOptions};

use super::{Pooled, PropensityScores, ScoreSummary};

/// The tree of synthpop's `utility.gen`: rpart's misclassification risk, complexity 10⁻³, at least 5 records in a leaf.
pub fn propensity_tree() -> TreeOptions {
    TreeOptions { complexity: 1e-3, risk: Risk::Misclassification, ..TreeOptions::default() }
}

/// What a tree says of two files.
#[derive(Clone, Debug, PartialEq)]
pub struct TreePropensity {
    /// What the scores say.
    pub summary: ScoreSummary,
    /// The leaves of the tree.
    pub leaves: usize,
    /// pMSE of each permutation of the labels, unscaled.
    pub permuted: Vec<f64>,
    /// The share of synthetic records.
    pub share: f64,
}

/// The propensity by a tree, and that of `permutations` random labellings; `None` if a file is empty.
pub fn tree_propensity(
    pooled: &Pooled,
    options: &TreeOptions,
    permutations: usize,
    seed: u64,
) -> Result<Option<TreePropensity>, TreeError> {
    let is_synthetic = pooled.is_synthetic();
    let predictors = pooled.predictors()?;
    let predictors: Vec<&Predictor> = predictors.iter().collect();
    let Some((scores, leaves)) = scores(&predictors, &is_synthetic, options)? else { return Ok(None) };
    let permuted = |permutation: usize| {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        rng.set_stream(permutation as u64);
        let mut labels = is_synthetic.clone();
        labels.shuffle(&mut rng);
        Ok(scores_of(&predictors, &labels, options)?.map_or(0.0, |(pmse, _)| pmse))
    };
    let permuted =
        (0..permutations).into_par_iter().map(permuted).collect::<Result<Vec<f64>, TreeError>>()?;
    Ok(Some(TreePropensity { summary: scores.summary(), leaves, permuted, share: scores.share() }))
}

/// pMSE of the tree alone; `None` if a file is empty.
pub fn tree_pmse(pooled: &Pooled, options: &TreeOptions) -> Result<Option<f64>, TreeError> {
    let predictors = pooled.predictors()?;
    let predictors: Vec<&Predictor> = predictors.iter().collect();
    Ok(scores_of(&predictors, &pooled.is_synthetic(), options)?.map(|(pmse, _)| pmse))
}

fn scores_of(
    predictors: &[&Predictor],
    is_synthetic: &[bool],
    options: &TreeOptions,
) -> Result<Option<(f64, usize)>, TreeError> {
    Ok(scores(predictors, is_synthetic, options)?.map(|(scores, leaves)| (scores.pmse(), leaves)))
}

/// The share of synthetic records in each record's leaf, and the number of leaves.
fn scores(
    predictors: &[&Predictor],
    is_synthetic: &[bool],
    options: &TreeOptions,
) -> Result<Option<(PropensityScores, usize)>, TreeError> {
    if is_synthetic.is_empty() {
        return Ok(None);
    }
    let codes: Vec<u32> = is_synthetic.iter().map(|is| u32::from(*is)).collect();
    let tree = Tree::fit(predictors, &Response::Classes { codes: &codes, levels: 2 }, None, options)?;
    let mut scores = vec![0.0; is_synthetic.len()];
    for leaf in 0..tree.leaves() as u32 {
        let share = tree.share(leaf, 1).unwrap_or_default();
        tree.donors(leaf).iter().for_each(|record| scores[*record as usize] = share);
    }
    Ok(PropensityScores::new(scores, is_synthetic.to_vec()).map(|scores| (scores, tree.leaves())))
}

/// A null distribution: pMSE by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeNull {
    /// The mean.
    pub mean: f64,
    /// The standard deviation; `None` for fewer than two draws.
    pub sd: Option<f64>,
}

impl TreeNull {
    /// Draws, each taken `scale` times; `None` without draws.
    fn of(draws: &[f64], scale: f64) -> Option<Self> {
        let count = draws.len() as f64;
        let mean = scale * draws.iter().sum::<f64>() / count;
        let squares: f64 = draws.iter().map(|draw| (scale * draw - mean).powi(2)).sum();
        let sd = (draws.len() > 1).then(|| (squares / (count - 1.0)).sqrt());
        (!draws.is_empty()).then_some(Self { mean, sd })
    }

    /// From pMSE of permutations, for a share c of synthetic records.
    pub fn of_permutations(pmse: &[f64], share: f64) -> Option<Self> {
        Self::of(pmse, 1.0 - share)
    }

    /// From pMSE between pairs of synthetic sets, for a share c of synthetic records in each.
    pub fn of_pairs(pmse: &[f64], share: f64) -> Option<Self> {
        Self::of(pmse, 8.0 * (1.0 - share).powi(2) * share.powi(2))
    }

    /// pMSE over its null mean; `None` if the tree finds nothing by chance.
    pub fn standardised(&self, pmse: f64) -> Option<f64> {
        (self.mean > 0.0).then(|| pmse / self.mean)
    }

    /// pMSE less its null mean in standard deviations; `None` where there is no spread.
    pub fn z(&self, pmse: f64) -> Option<f64> {
        self.sd.filter(|sd| *sd > 0.0).map(|sd| (pmse - self.mean) / sd)
    }
}
