//! The propensity score by a classification tree, with its null distribution by resampling.
//!
//! A tree looks for what tells the files apart and finds something even where there is nothing. How much it finds by chance is
//! found by fitting it again where there is nothing to find:
//!
//! - **Resampling**: the synthetic file is replaced by n records drawn from the original, which is a synthesis that is right by
//!   construction. This null has the noise of a right synthesis whatever the sizes and the tree's options, so that pMSE over its
//!   mean is 1 for one. It depends on the original and on n alone: [`Prepared`] draws it once for all synthetic files of an original. For
//!   that n is rounded to N times a power of 1.04, and the draws are scaled by c (1 − c)³, to which pMSE by given splits is proportional
//!   for a given N.
//! - **Permutation**: the labels original and synthetic are permuted among the records. Both files are then random, as they
//!   are not when the synthetic one is drawn given the original: the mean is taken (1 − c) times (Snoke et al. 2018, section 3.2; ½ for
//!   files of one size). Two samples of one population rank uniformly among their permutations.
//! - **Pairs** of synthetic sets, for m ≥ 2: two sets of n records from one generator, likewise taken 8 (1 − c)² c² times.
//!
//! The last two scale as they would for given splits. But a tree stops sooner where there is less noise, so that a right
//! synthesis scores somewhat below 1, about 0.8, and with files of unequal size it may be far from it. They are therefore given for files
//! of [one size](TreePropensity::of_one_size) only.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statistics::trees::{Predictor, Response, Risk, Tree, TreeError, TreeOptions};

use super::{Pooled, PropensityScores, ScoreSummary};
use crate::Prepared;

/// The tree for a share c of synthetic records. For files of one size that of synthpop's `utility.gen`: rpart's misclassification risk,
/// complexity 10⁻³, at least 5 records in a leaf. Misclassification sees a leaf only when it turns against the larger file, so that with
/// unequal sizes hardly any tree would grow; there the risk is Gini's impurity, which sees every change of shares.
pub(crate) fn propensity_tree(share: f64) -> TreeOptions {
    let risk = if is_even(share) { Risk::Misclassification } else { Risk::Impurity };
    TreeOptions { complexity: 1e-3, risk, ..TreeOptions::default() }
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
    /// pMSE of each resample of the original.
    pub resampled: Vec<f64>,
    /// The share of synthetic records.
    pub share: f64,
}

impl TreePropensity {
    /// Whether the files are of one size, up to 4 %.
    pub fn of_one_size(&self) -> bool {
        is_even(self.share)
    }
}

/// Whether about half of the records are synthetic.
pub(super) fn is_even(share: f64) -> bool {
    (share - 0.5).abs() <= 0.01
}

/// How often the null distributions are drawn, and from which seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NullDraws {
    /// Permutations of the labels.
    pub permutations: usize,
    /// Resamples of the original.
    pub resamples: usize,
    /// The seed.
    pub seed: u64,
    /// Whether fewer will do, from half of them on, where these tell the mean of the null distribution to 5 %.
    #[serde(default)]
    pub until_known: bool,
}

/// The propensity by a tree, with draws of its null distributions; `None` if a file is empty.
pub fn tree_propensity(pooled: &Pooled, draws: NullDraws) -> Result<Option<TreePropensity>, TreeError> {
    tree_propensity_prepared(pooled, draws, &Prepared::default())
}

/// The same, with resamples of the original found again where they were drawn for another synthetic file.
pub(crate) fn tree_propensity_prepared(
    pooled: &Pooled,
    draws: NullDraws,
    prepared: &Prepared,
) -> Result<Option<TreePropensity>, TreeError> {
    let (is_synthetic, options) = (pooled.is_synthetic(), &propensity_tree(pooled.share()));
    let predictors = pooled.predictors()?;
    let predictors: Vec<&Predictor> = predictors.iter().collect();
    let Some((scores, leaves)) = scores(&predictors, &is_synthetic, options)? else { return Ok(None) };
    let synthetic = pooled.records().1;
    let permuted = |draw: usize| {
        let mut labels = is_synthetic.clone();
        labels.shuffle(&mut stream(draws.seed, 2 * draw));
        Ok(pmse_of(&fit(&predictors, &labels, options)?, labels.len(), synthetic))
    };
    let permuted = until_known(draws.permutations, draws.until_known, permuted);
    Ok(Some(TreePropensity {
        summary: scores.summary(),
        leaves,
        permuted: permuted?,
        resampled: resampled(pooled, draws, prepared)?,
        share: scores.share(),
    }))
}

/// A null distribution is known when its mean is known to this share of itself.
const KNOWN: f64 = 0.05;

/// How many more are drawn at a time.
const STEP: usize = 2;

/// So many draws, or fewer, from half of them on, where that will do and the mean is known from these. Draws that do not vary say nothing of
/// their mean.
fn until_known(
    draws: usize,
    fewer_will_do: bool,
    one: impl Fn(usize) -> Result<f64, TreeError> + Sync,
) -> Result<Vec<f64>, TreeError> {
    let is_known = |drawn: &[f64]| {
        let null = TreeNull::of(drawn, 1.0);
        let error = null.and_then(|null| null.relative_error(drawn.len()));
        error.is_some_and(|error| error > 0.0 && error <= KNOWN)
    };
    let first = if fewer_will_do { draws.div_ceil(2) } else { draws };
    let mut drawn: Vec<f64> = (0..first).into_par_iter().map(&one).collect::<Result<_, TreeError>>()?;
    while drawn.len() < draws && !is_known(&drawn) {
        let more = drawn.len()..(drawn.len() + STEP).min(draws);
        drawn.extend(more.into_par_iter().map(&one).collect::<Result<Vec<f64>, TreeError>>()?);
    }
    Ok(drawn)
}

/// Synthetic files whose sizes differ by less than about half of this share one null distribution.
const SIZE_STEP: f64 = 1.04;

/// pMSE of resamples of the original, as large as the synthetic file up to the rounding of [`SIZE_STEP`].
fn resampled(pooled: &Pooled, draws: NullDraws, prepared: &Prepared) -> Result<Vec<f64>, TreeError> {
    let (original, synthetic) = pooled.records();
    if draws.resamples == 0 || original == 0 || synthetic == 0 {
        return Ok(Vec::new());
    }
    let steps = ((synthetic as f64 / original as f64).ln() / SIZE_STEP.ln()).round();
    let drawn = ((original as f64 * SIZE_STEP.powf(steps)).round() as usize).max(1);
    let alone = pooled.original_alone();
    let is_of_one_size = is_even(pooled.share());
    let of_draws = prepared.draws(key_of(&alone, drawn, is_of_one_size, draws), || {
        let predictors = alone.predictors()?;
        let options = propensity_tree(pooled.share());
        let predictors: Vec<&Predictor> = predictors.iter().collect();
        // A record stands for itself and for its copies in the resample.
        let one = |draw: usize| {
            let mut rng = stream(draws.seed, 2 * draw + 1);
            let mut copies = vec![0; original];
            (0..drawn).for_each(|_| copies[rng.random_range(0..original as u32) as usize] += 1);
            let weights: Vec<u32> = copies.iter().map(|copies| copies + 1).collect();
            let response = Response::TwoClasses { second: &copies };
            let tree = Tree::fit(&predictors, &response, Some(&weights), &options)?;
            Ok(pmse_of(&tree, original + drawn, drawn))
        };
        until_known(draws.resamples, draws.until_known, one)
    })?;
    let by_size = |share: f64| share * (1.0 - share).powi(3);
    let scale = by_size(pooled.share()) / by_size(drawn as f64 / (original + drawn) as f64);
    Ok(of_draws.iter().map(|pmse| scale * pmse).collect())
}

/// A hash of all that resamples depend on.
fn key_of(original: &Pooled, drawn: usize, is_of_one_size: bool, draws: NullDraws) -> u128 {
    original.key((drawn, is_of_one_size, draws.resamples, draws.until_known, draws.seed))
}

/// Even streams are for permutations, odd ones for resamples.
fn stream(seed: u64, stream: usize) -> ChaCha12Rng {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    rng.set_stream(stream as u64);
    rng
}

/// pMSE of the tree alone; `None` if a file is empty.
pub fn tree_pmse(pooled: &Pooled) -> Result<Option<f64>, TreeError> {
    let (predictors, options) = (pooled.predictors()?, &propensity_tree(pooled.share()));
    let predictors: Vec<&Predictor> = predictors.iter().collect();
    let (original, synthetic) = pooled.records();
    if original == 0 || synthetic == 0 {
        return Ok(None);
    }
    let tree = fit(&predictors, &pooled.is_synthetic(), options)?;
    Ok(Some(pmse_of(&tree, original + synthetic, synthetic)))
}

/// How much each variable helps the tree to tell the files apart: its share of the fall in impurity over all splits, largest first. Empty
/// where the tree does not split.
pub fn tree_importance(pooled: &Pooled) -> Result<Vec<(String, f64)>, TreeError> {
    let (predictors, options) = (pooled.predictors()?, &propensity_tree(pooled.share()));
    let predictors: Vec<&Predictor> = predictors.iter().collect();
    let codes: Vec<u32> = pooled.is_synthetic().iter().map(|is| u32::from(*is)).collect();
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let tree = Tree::fit(&predictors, &Response::Classes { codes: &codes, levels: 2 }, None, options)?;
    let total: f64 = tree.importance().iter().sum();
    let shares = pooled.names.iter().cloned().zip(tree.importance().iter().map(|own| own / total));
    let mut shares: Vec<(String, f64)> = shares.filter(|(_, share)| *share > 0.0).collect();
    shares.sort_by(|one, other| other.1.total_cmp(&one.1));
    Ok(shares)
}

/// The mean of (p − c)² over all records, where p is the share of synthetic ones in a record's leaf and c that in all.
fn pmse_of(tree: &Tree, records: usize, synthetic: usize) -> f64 {
    let share = synthetic as f64 / records as f64;
    let of_leaf = |leaf: u32| {
        let of_leaf = tree.share(leaf, 1).unwrap_or_default();
        tree.weight(leaf) as f64 * (of_leaf - share).powi(2)
    };
    (0..tree.leaves() as u32).map(of_leaf).sum::<f64>() / records as f64
}

fn fit(predictors: &[&Predictor], is_synthetic: &[bool], options: &TreeOptions) -> Result<Tree, TreeError> {
    let codes: Vec<u32> = is_synthetic.iter().map(|is| u32::from(*is)).collect();
    Tree::fit(predictors, &Response::Classes { codes: &codes, levels: 2 }, None, options)
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
    let tree = fit(predictors, is_synthetic, options)?;
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

    /// From pMSE of resamples of the original.
    pub fn of_resamples(pmse: &[f64]) -> Option<Self> {
        Self::of(pmse, 1.0)
    }

    /// From pMSE of permutations, for a share c of synthetic records.
    pub fn of_permutations(pmse: &[f64], share: f64) -> Option<Self> {
        Self::of(pmse, 1.0 - share)
    }

    /// From pMSE between pairs of synthetic sets, for a share c of synthetic records in each.
    pub fn of_pairs(pmse: &[f64], share: f64) -> Option<Self> {
        Self::of(pmse, 8.0 * (1.0 - share).powi(2) * share.powi(2))
    }

    /// The standard error of the mean of so many draws, as a share of it; `None` where there is none.
    pub fn relative_error(&self, draws: usize) -> Option<f64> {
        Some(self.sd? / (self.mean * (draws as f64).sqrt())).filter(|error| error.is_finite())
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

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;
    use crate::Comparison;

    #[test]
    fn the_variable_that_was_changed_is_what_tells_the_files_apart() {
        let table = |shift: usize| {
            let rows: String =
                (0..400).map(|row| format!("{},{}\n", row * 37 % 101, (row * 53 % 97) + shift)).collect();
            read_csv_text(&format!("same,moved\n{rows}"), &ReadOptions::default()).unwrap()
        };
        let (original, synthetic) = (table(0), table(60));
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let pooled = Pooled::new(&comparison, &[]).unwrap();
        let found = tree_importance(&pooled).unwrap();
        assert_eq!(found[0].0, "moved");
        assert!(found[0].1 > 0.9, "{found:?}");
        assert!((found.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
        let nothing = Comparison { original: &original, synthetic: &original, holdout: None };
        assert_eq!(tree_importance(&Pooled::new(&nothing, &[]).unwrap()).unwrap(), []);
    }
}
