//! Main effects within the leaves of a tree: donors weighed so that the table of the response with every predictor comes out nearer.
//!
//! A path of a tree holds about log₂(n / bucket) splits, so of many predictors most are left out, and their weak associations with the
//! response with them. Here a record with predictors x in leaf L takes a donor d of L with probability
//!
//! ```text
//! p(d | L, x) ∝ Π_j φ_j(x_j, y_d)
//! ```
//!
//! where x_j and y_d stand for groups of values. This is the multinomial logit of y on the groups of all predictors with the leaf's shares as
//! offset, and by its likelihood equations the expected two-way table of y with each x_j is the observed one. The factors are found as in
//! iterative proportional fitting (Deming & Stephan 1940): one predictor after the other, φ_j(a, b) = (o + c) / (e + c), with o the count of
//! records of groups a and b, e the count expected with the factors so far, and c = 3 records more in each cell, which hold the factors of
//! sparse cells near 1.
//!
//! A response of fewer than 100 records keeps the share that it has in the leaf: the product of many factors rests on joint patterns of
//! predictors, which synthetic records have less purely than the data, and would lose what is rare and comes in clusters.
//!
//! There is one round over the predictors, which stops short of the likelihood equations: of forty weak effects in a simulation with leaves
//! of 50 it keeps 81 per cent, where the tree alone keeps 30. Measured on SD2011 (35 variables, forty runs), the mean S_pMSE of two-way tables
//! falls from 1.70 to 1.55 and of three-way tables from 1.86 to 1.75; on Adult from 1.75 to 1.37 and from 1.95 to 1.56. That is not the
//! noise of the sample learned by heart: two-way tables come nearer to those of records that the fit has not seen as well. A second round,
//! finer groups or another c between 1 and 10 change little.

use std::ops::Range;

use rand::RngExt;
use rand_distr::{Distribution, Gamma};

use super::conditional::{Response, Task};
use super::donors::DonorWeights;
use super::feature::{Feature, FeatureCoding};
use super::groups::{self, Groups};
use super::surroundings::Conditioning;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, ensure};

/// A response of fewer records than this keeps its share in the leaf.
const FEW: u32 = 100;

/// Records that are added to what is observed and to what is expected of each cell.
const PSEUDO_COUNT: f64 = 3.0;

/// Factors are held between this and its inverse …
const LARGEST_FACTOR: f64 = 1000.0;

/// … and in draws, after this many of them, weights are brought back to a sum of 1, lest they leave the range of their type.
const FACTORS_AT_ONCE: usize = 8;

const OTHER_RUNS: &str = "the groups of donors in the leaves of a tree are not those of its leaves";

/// Factors of the donors in the leaves of a tree.
#[derive(Clone, Debug)]
pub(super) struct MainEffects {
    /// How many groups the response has, without those that keep their share.
    groups: usize,
    /// Where the donors of each leaf begin, and where the last end: those of one group after the other, those that keep their share last.
    offsets: Vec<u32>,
    /// Where the runs of each leaf begin, and where the last end.
    leaves: Vec<u32>,
    runs: Vec<Run>,
    predictors: Vec<Effect>,
}

/// The main effect of one predictor: a cell for each of its groups and each of the response's, the latter side by side.
#[derive(Clone, Debug)]
struct Effect {
    /// φ.
    factors: Vec<f32>,
    /// How many records were observed.
    observed: Vec<u32>,
}

/// Donors of one leaf that are in the same group; they lie side by side.
#[derive(Clone, Copy, Debug)]
struct Run {
    group: u8,
    start: u32,
    end: u32,
}

/// Records in leaves of several groups, each with the runs of its leaf and a weight for each of these.
struct Open<'a> {
    records: Vec<(u32, &'a [Run])>,
    weights: Vec<f32>,
}

impl MainEffects {
    /// Fits the factors and sorts the donors of each leaf, which lie between `offsets`, by their group.
    pub(super) fn fit(task: &Task<'_>, donors: &mut [u32], offsets: &[u32]) -> Self {
        let (group_of, groups) = response_groups(task.response);
        let group = |donor: &u32| group_of[*donor as usize];
        let (mut leaves, mut runs) = (vec![0], Vec::new());
        for leaf in offsets.windows(2) {
            let mut start = leaf[0];
            let of_leaf = &mut donors[start as usize..leaf[1] as usize];
            of_leaf.sort_by_key(group);
            for run in of_leaf.chunk_by(|left, right| group(left) == group(right)) {
                let end = start + run.len() as u32;
                if usize::from(group(&run[0])) < groups {
                    runs.push(Run { group: group(&run[0]), start, end });
                }
                start = end;
            }
            leaves.push(runs.len() as u32);
        }
        let mut effects = Self { groups, offsets: offsets.to_vec(), leaves, runs, predictors: Vec::new() };
        let (mut records, mut own) = (Vec::new(), Vec::new());
        for leaf in 0..offsets.len() as u32 - 1 {
            let runs = effects.runs_of(leaf);
            for run in runs.iter().filter(|_| runs.len() > 1) {
                records.extend(donors[run.donors()].iter().map(|donor| (task.rows[*donor as usize], leaf)));
                own.extend(run.donors().map(|_| run.group));
            }
        }
        let mut open = effects.open(records.into_iter(), &DonorWeights::default());
        let mut predictors = Vec::with_capacity(task.predictors.len());
        for predictor in task.given.features(task.predictors) {
            let effect = open.fit_effect(predictor, &own, groups);
            open.multiply(predictor, &effect.factors, groups);
            predictors.push(effect);
        }
        effects.predictors = predictors;
        effects
    }

    /// Writes the factors and the runs, of which each begins where the one before it ends, and the first of a leaf with the leaf.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings("groups of the response", &self.groups)?;
        into.array("runs of leaves", &self.leaves)?;
        into.numbers("groups of runs", self.runs.len(), self.runs.iter().map(|run| run.group))?;
        into.numbers("ends of runs", self.runs.len(), self.runs.iter().map(|run| run.end))?;
        self.predictors.iter().try_for_each(|effect| {
            into.array("factors", &effect.factors)?;
            into.array("observed", &effect.observed)
        })
    }

    /// Factors of the predictors of a conditional, for donors of leaves that lie between `offsets`.
    pub(super) fn load(
        from: &mut StateReader<'_>,
        of: Conditioning<'_>,
        offsets: &[u32],
    ) -> Result<Self, SynthesisError> {
        let groups: usize = from.settings("groups of the response")?;
        let leaves: Vec<u32> = from.array("runs of leaves")?;
        let (of_runs, ends): (Vec<u8>, Vec<u32>) =
            (from.array("groups of runs")?, from.array("ends of runs")?);
        let are_lists = leaves.len() == offsets.len()
            && leaves[0] == 0
            && leaves.is_sorted()
            && leaves.last().is_some_and(|last| *last as usize == ends.len())
            && of_runs.len() == ends.len();
        ensure(are_lists, OTHER_RUNS)?;
        let mut runs = Vec::with_capacity(ends.len());
        for (leaf, donors) in leaves.windows(2).zip(offsets.windows(2)) {
            let (mut start, mut after) = (donors[0], 0);
            for at in leaf[0] as usize..leaf[1] as usize {
                let run = Run { group: of_runs[at], start, end: ends[at] };
                let group = usize::from(run.group);
                let is_fine = (after..groups).contains(&group) && run.start < run.end && run.end <= donors[1];
                ensure(is_fine, OTHER_RUNS)?;
                (start, after) = (run.end, group + 1);
                runs.push(run);
            }
        }
        let mut predictors = Vec::with_capacity(of.predictors.len());
        for predictor in of.predictors {
            let of_predictor = of.around.codings[*predictor].as_ref().map_or(0, FeatureCoding::groups);
            let (factors, observed): (Vec<f32>, Vec<u32>) = (from.array("factors")?, from.array("observed")?);
            let are_fine = of_predictor.checked_mul(groups) == Some(factors.len())
                && observed.len() == factors.len()
                && factors.iter().all(|factor| factor.is_finite() && *factor > 0.0);
            ensure(are_fine, "the main effects of a tree are not those of its predictors")?;
            predictors.push(Effect { factors, observed });
        }
        Ok(Self { groups, offsets: offsets.to_vec(), leaves, runs, predictors })
    }

    /// The same with the counts behind the factors drawn from their posterior, Gamma(o + c), as if cells were independent.
    pub(super) fn with_drawn_factors(&self, seed: Seed) -> Self {
        let mut rng = seed.stream(0);
        let mut drawn = self.clone();
        for Effect { factors, observed } in &mut drawn.predictors {
            for (factor, observed) in factors.iter_mut().zip(observed) {
                let count = f64::from(*observed) + PSEUDO_COUNT;
                let gamma = Gamma::new(count, 1.0).map_or(count, |gamma| gamma.sample(&mut rng));
                let bounded =
                    (f64::from(*factor) * gamma / count).clamp(1.0 / LARGEST_FACTOR, LARGEST_FACTOR);
                *factor = bounded as f32;
            }
        }
        drawn
    }

    /// A donor for each of these records, which are in these leaves.
    pub(super) fn draw(
        &self,
        predictors: &[&Feature],
        rows: &[u32],
        leaves: &[u32],
        donors: &DonorWeights,
        rng: &mut Rng,
    ) -> Vec<usize> {
        let mut open = self.open(rows.iter().copied().zip(leaves.iter().copied()), donors);
        for (some, effects) in predictors.chunks(FACTORS_AT_ONCE).zip(self.predictors.chunks(FACTORS_AT_ONCE))
        {
            for (predictor, effect) in some.iter().zip(effects) {
                open.multiply(predictor, &effect.factors, self.groups);
            }
            open.scale();
        }
        let mut rest = &open.weights[..];
        let mut donor = |leaf: &u32| {
            let runs = self.runs_of(*leaf);
            let all = self.offsets[*leaf as usize] as usize..self.offsets[*leaf as usize + 1] as usize;
            let any = donors.pick(all, rng);
            if runs.len() < 2 {
                return any;
            }
            let (of_record, others) = rest.split_at(runs.len());
            rest = others;
            // Whether it is one that keeps its share is decided by the leaf alone.
            let keeps_its_share = any >= runs[runs.len() - 1].end as usize;
            if keeps_its_share { any } else { donors.pick(runs[pick(of_record, rng)].donors(), rng) }
        };
        leaves.iter().map(&mut donor).collect()
    }

    fn runs_of(&self, leaf: u32) -> &[Run] {
        &self.runs[self.leaves[leaf as usize] as usize..self.leaves[leaf as usize + 1] as usize]
    }

    /// Those of these records whose leaf has donors of several groups, weighed as they are in the leaf.
    fn open(&self, records: impl Iterator<Item = (u32, u32)>, donors: &DonorWeights) -> Open<'_> {
        let mut open = Open { records: Vec::new(), weights: Vec::new() };
        for (row, leaf) in records {
            let runs = self.runs_of(leaf);
            if runs.len() > 1 {
                open.records.push((row, runs));
                open.weights.extend(runs.iter().map(|run| donors.sum(run.donors()) as f32));
            }
        }
        open
    }
}

impl Run {
    fn donors(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Open<'_> {
    /// Brings the weights of each record to a sum of 1 and finds the factors by which what is expected becomes what is observed, where the
    /// groups of the records' own responses are `own`.
    fn fit_effect(&mut self, predictor: &Feature, own: &[u8], groups: usize) -> Effect {
        let cells = predictor.count() * groups;
        let (mut observed, mut expected) = (vec![0u32; cells], vec![0f64; cells]);
        let mut rest = &mut self.weights[..];
        for ((row, runs), own) in self.records.iter().zip(own) {
            let (of_record, others) = rest.split_at_mut(runs.len());
            rest = others;
            let first = usize::from(predictor.groups[*row as usize]) * groups;
            let scale = 1.0 / of_record.iter().sum::<f32>();
            for (weight, run) in of_record.iter_mut().zip(*runs) {
                *weight *= scale;
                expected[first + usize::from(run.group)] += f64::from(*weight);
            }
            observed[first + usize::from(*own)] += 1;
        }
        let factor = |(observed, expected): (&u32, &f64)| {
            let factor = (f64::from(*observed) + PSEUDO_COUNT) / (expected + PSEUDO_COUNT);
            factor.clamp(1.0 / LARGEST_FACTOR, LARGEST_FACTOR) as f32
        };
        Effect { factors: observed.iter().zip(&expected).map(factor).collect(), observed }
    }

    /// Multiplies each weight by its factor.
    fn multiply(&mut self, predictor: &Feature, factors: &[f32], groups: usize) {
        let mut rest = &mut self.weights[..];
        for (row, runs) in &self.records {
            let (of_record, others) = rest.split_at_mut(runs.len());
            rest = others;
            let first = usize::from(predictor.groups[*row as usize]) * groups;
            let factors = &factors[first..first + groups];
            of_record
                .iter_mut()
                .zip(*runs)
                .for_each(|(weight, run)| *weight *= factors[usize::from(run.group)]);
        }
    }

    /// Brings the weights of each record to a sum of 1.
    fn scale(&mut self) {
        let mut rest = &mut self.weights[..];
        for (_, runs) in &self.records {
            let (of_record, others) = rest.split_at_mut(runs.len());
            rest = others;
            let scale = 1.0 / of_record.iter().sum::<f32>();
            of_record.iter_mut().for_each(|weight| *weight *= scale);
        }
    }
}

/// A position, with a probability in proportion to its weight.
fn pick(weights: &[f32], rng: &mut Rng) -> usize {
    let mut left = rng.random::<f32>() * weights.iter().sum::<f32>();
    let chosen = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    chosen.unwrap_or(weights.len() - 1)
}

/// The group of each record's response, and how many there are without those that keep their share, which come last.
fn response_groups(response: Response<'_>) -> (Vec<u8>, usize) {
    match response {
        Response::Numbers(numbers) => groups::of_numbers(numbers),
        Response::Categories { codes, size } => {
            let mut counts = vec![0; size as usize];
            codes.iter().for_each(|code| counts[*code as usize] += 1);
            let groups = Groups::of_counts(&counts, 0, FEW);
            (codes.iter().map(|code| groups.of(*code)).collect(), groups.own())
        }
    }
}
