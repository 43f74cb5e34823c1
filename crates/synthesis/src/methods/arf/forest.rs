//! Forests grown one against the other, and what is kept of the last: which records lie in which leaf.

use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use statistics::trees::{Forest, ForestOptions, Predictor, TreeOptions};
use table::Table;
use table::watch::Step;

use crate::SynthesisError;
use crate::methods::sequential::Feature;
use crate::randomness::{Rng, Seed};
use crate::run::Part;
use crate::stored::{StateReader, StateWriter, cuts_into_parts, ensure};

/// How forests are grown.
pub(super) struct Growth {
    pub trees: usize,
    pub min_bucket: u32,
    pub rounds: usize,
}

/// The records of every leaf, tree by tree: each tree has each record once.
pub(super) struct Partition {
    /// Where the donors of each leaf begin, and where the last end.
    offsets: Vec<u32>,
    donors: Vec<u32>,
}

impl Partition {
    /// A leaf, by a tree drawn evenly and its share of the records.
    pub(super) fn leaf(&self, rng: &mut Rng) -> &[u32] {
        let place = rng.random_range(0..self.donors.len()) as u32;
        let leaf = self.offsets.partition_point(|start| *start <= place) - 1;
        &self.donors[self.offsets[leaf] as usize..self.offsets[leaf + 1] as usize]
    }

    /// How many leaves there are in all trees.
    pub(super) fn leaves(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Writes it.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.array("offsets of leaves", &self.offsets)?;
        into.array("donors", &self.donors)
    }

    /// A stored one of this many records.
    pub(super) fn load(from: &mut StateReader<'_>, records: usize) -> Result<Self, SynthesisError> {
        let (offsets, donors): (Vec<u32>, Vec<u32>) =
            (from.array("offsets of leaves")?, from.array("donors")?);
        let is_fine =
            cuts_into_parts(&offsets, donors.len()) && donors.iter().all(|donor| (*donor as usize) < records);
        ensure(is_fine, "its leaves hold records that there are not")?;
        Ok(Self { offsets, donors })
    }

    /// Donors of this many synthetic records, a list for each block of variables.
    fn draw(&self, rows: usize, blocks: usize, mut rng: Rng) -> Vec<Vec<u32>> {
        let mut drawn = vec![Vec::with_capacity(rows); blocks];
        for _ in 0..rows {
            let leaf = self.leaf(&mut rng);
            drawn.iter_mut().for_each(|block| block.push(leaf[rng.random_range(0..leaf.len())]));
        }
        drawn
    }

    /// The leaves of a forest, of which the first `records` records are those of the data.
    fn of(forest: &Forest, records: usize, least: u32) -> Self {
        let of_tree = |tree: &statistics::trees::Tree| {
            let leaves = tree.leaves() as u32;
            let real = |leaf: u32| tree.donors(leaf).iter().copied().filter(|row| (*row as usize) < records);
            let counts: Vec<u32> = (0..leaves).map(|leaf| real(leaf).count() as u32).collect();
            let groups = tree.merged_leaves(&counts, least);
            let mut parts: Vec<Vec<u32>> =
                vec![Vec::new(); groups.last().map_or(0, |last| *last as usize + 1)];
            (0..leaves).for_each(|leaf| parts[groups[leaf as usize] as usize].extend(real(leaf)));
            parts.retain(|part| !part.is_empty());
            parts
        };
        let parts: Vec<Vec<Vec<u32>>> = forest.trees().par_iter().map(of_tree).collect();
        let (mut offsets, mut donors) = (vec![0], Vec::with_capacity(records * parts.len()));
        for part in parts.into_iter().flatten() {
            donors.extend(part);
            offsets.push(donors.len() as u32);
        }
        Self { offsets, donors }
    }
}

/// The columns as trees split by them.
pub(super) fn predictors(records: &Table, places: &[usize]) -> Result<Vec<Predictor>, SynthesisError> {
    let feature = |place: &usize| {
        Feature::learn(&records.schema().variables()[*place], &records.columns()[*place])
            .map(|feature| feature.predictor)
    };
    places.par_iter().map(feature).collect()
}

/// Records by which it is found which variables follow from others.
const LOOKED_AT: usize = 20_000;

/// A variable follows from another where knowing it removes this share of the errors of guessing (λ of Goodman & Kruskal 1954).
const FOLLOWS: f64 = 0.98;

/// Blocks of variables that come from one donor, put together where one follows from another, as the class of an age from the age: a leaf that holds two classes would
/// pair them with the wrong ages.
pub(super) fn blocks(own: &[Predictor], nested: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut block_of: Vec<usize> = vec![0; own.len()];
    for (number, block) in nested.iter().enumerate() {
        block.iter().for_each(|place| block_of[*place] = number);
    }
    let rows = own.first().map_or(0, Predictor::len);
    let rows: Vec<usize> = (0..rows).step_by(rows.div_ceil(LOOKED_AT).max(1)).collect();
    let pairs: Vec<(usize, usize)> = (0..own.len())
        .flat_map(|from| (0..own.len()).map(move |of| (from, of)))
        .filter(|(from, of)| from != of)
        .collect();
    let follow: Vec<(usize, usize)> =
        pairs.into_par_iter().filter(|(from, of)| follows(&own[*from], &own[*of], &rows)).collect();
    for (from, of) in follow {
        let (kept, gone) = (block_of[from].min(block_of[of]), block_of[from].max(block_of[of]));
        block_of.iter_mut().filter(|block| **block == gone).for_each(|block| *block = kept);
    }
    let mut blocks: Vec<Vec<usize>> = vec![Vec::new(); nested.len()];
    block_of.iter().enumerate().for_each(|(place, block)| blocks[*block].push(place));
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// Whether a variable follows from another that has few enough values for this to mean something.
fn follows(from: &Predictor, of: &Predictor, rows: &[usize]) -> bool {
    let values = from.coding().codes();
    if values * 20 > rows.len() {
        return false;
    }
    let mut counts: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut alone: FxHashMap<u32, u32> = FxHashMap::default();
    for row in rows {
        *counts.entry((from.code(*row), of.code(*row))).or_default() += 1;
        *alone.entry(of.code(*row)).or_default() += 1;
    }
    let mut most = vec![0_u32; values];
    counts.iter().for_each(|((code, _), count)| most[*code as usize] = most[*code as usize].max(*count));
    let right: u32 = most.iter().sum();
    let errors = rows.len() as f64 - f64::from(alone.values().copied().max().unwrap_or(0));
    let left = rows.len() as f64 - f64::from(right);
    errors >= 0.005 * rows.len() as f64 && left <= (1.0 - FOLLOWS) * errors
}

/// Grows forests until one cannot tell, or tells worse than the one before; the leaves of the one before, and the accuracy of each round.
pub(super) fn grow(
    own: &[Predictor],
    blocks: &[Vec<usize>],
    growth: &Growth,
    part: &Part,
    seed: Seed,
) -> Result<(Partition, Vec<f64>), SynthesisError> {
    let rows = own.first().map_or(0, Predictor::len);
    if rows as u64 * growth.trees as u64 > u64::from(u32::MAX) {
        let message =
            format!("{rows} records in {} trees are more than can be kept; grow fewer trees", growth.trees);
        return Err(SynthesisError::option("trees", message));
    }
    let block_of: Vec<usize> = (0..own.len())
        .map(|place| blocks.iter().position(|block| block.contains(&place)).unwrap_or(0))
        .collect();
    let codes: Vec<u32> = (0..2 * rows).map(|row| u32::from(row >= rows)).collect();
    let leaf = growth.min_bucket;
    let options = ForestOptions {
        trees: growth.trees,
        predictors_per_split: Some(own.len().isqrt().max(1)),
        tree: TreeOptions {
            min_bucket: leaf,
            min_split: leaf.saturating_mul(2),
            complexity: 0.0,
            ..TreeOptions::default()
        },
    };
    let mut synthetic: Vec<Vec<u32>> = (0..blocks.len())
        .map(|block| {
            let mut shuffled: Vec<u32> = (0..rows as u32).collect();
            shuffled.shuffle(&mut seed.child(0).stream(block as u64));
            shuffled
        })
        .collect();
    let mut kept: Option<Partition> = None;
    let mut accuracies: Vec<f64> = Vec::new();
    for round in 0..growth.rounds {
        part.watch.check()?;
        let both = |(own, block): (&Predictor, &usize)| {
            let codes = (0..rows).map(|row| own.code(row));
            let drawn = synthetic[*block].iter().map(|row| own.code(*row as usize));
            Predictor::coded(own.coding(), codes.chain(drawn))
        };
        let columns = own.par_iter().zip(&block_of).map(both).collect::<Result<Vec<Predictor>, _>>();
        let columns = columns.map_err(failed)?;
        let predictors: Vec<&Predictor> = columns.iter().collect();
        let mut rng = seed.child(1 + round as u64).stream(0);
        let (forest, accuracy) =
            Forest::fit_judged(&predictors, &codes, 2, &options, &mut rng).map_err(failed)?;
        let rises = accuracies.last().is_some_and(|before| accuracy >= *before);
        accuracies.push(accuracy);
        let label = format!("forest {}", round + 1);
        part.watch.report(Step::Fitting { variable: &label, done: round + 1, of: growth.rounds });
        if kept.is_some() && (rises || accuracy <= 0.5) {
            break;
        }
        let partition = Partition::of(&forest, rows, growth.min_bucket);
        synthetic = partition.draw(rows, blocks.len(), seed.child(1 + round as u64).stream(1));
        kept = Some(partition);
    }
    let kept = kept.ok_or_else(|| SynthesisError::option("rounds", "at least one forest is needed"))?;
    Ok((kept, accuracies))
}

fn failed(error: statistics::trees::TreeError) -> SynthesisError {
    SynthesisError::Fit { method: super::CARD.name, message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_from_another_shares_its_block_and_what_is_nearly_constant_does_not() {
        let column = |of: &dyn Fn(u32) -> u32, levels: u32| {
            let codes: Vec<u32> = (0..2_000).map(of).collect();
            Predictor::categorical(&codes, levels).unwrap()
        };
        let age = column(&|row| row * 7 % 80, 80);
        let class = column(&|row| row * 7 % 80 / 10, 8);
        let other = column(&|row| row * 13 % 7, 7);
        let constant = column(&|row| u32::from(row == 3), 2);
        let found = blocks(&[other, age, constant, class], (0..4).map(|place| vec![place]).collect());
        assert_eq!(found, [vec![0], vec![1, 3], vec![2]]);
    }
}
