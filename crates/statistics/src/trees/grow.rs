//! Growing a tree from the root: large nodes by histograms of codes, small ones as presorted blocks.

use std::ops::Range;

use rayon::prelude::*;

use super::best::Best;
use super::block::Block;
use super::histogram::Histogram;
use super::large_node::{LargeNode, Looked};
use super::response::{Target, Values};
use super::summary::Summary;
use super::weakest_link::Outcome;
use super::{Predictor, TreeOptions};

/// From this many records on, predictors are searched in parallel.
const PARALLEL: usize = 1 << 15;

/// What is to be fitted.
pub(super) struct Problem<'a> {
    pub predictors: &'a [&'a Predictor],
    pub target: Target<'a>,
    pub weights: Option<&'a [u32]>,
    pub options: TreeOptions,
    /// The least fall of risk for a split.
    pub alpha: f64,
    pub sampling: Option<Sampling>,
    /// Nodes of more records are searched by histograms.
    pub largest_block: usize,
}

/// Every node looks at this many predictors only, drawn at random.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampling {
    pub predictors: usize,
    pub seed: u64,
}

/// A node to be grown.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub summary: Summary,
    pub depth: u32,
    /// What the complexity of the node cannot exceed.
    pub bound: f64,
    /// Says which node this is, for the draw of its predictors.
    pub key: u64,
}

/// A subtree in preorder.
#[derive(Debug, Default)]
pub(super) struct Grown {
    pub nodes: Vec<GrownNode>,
    /// The codes that the splits list.
    pub listed: Vec<u32>,
}

/// A node of a subtree; its left child is the next node.
#[derive(Debug)]
pub(super) struct GrownNode {
    /// Its records, as positions in the permuted list of all.
    pub records: Range<u32>,
    pub split: Option<GrownSplit>,
}

#[derive(Debug)]
pub(super) struct GrownSplit {
    pub predictor: u32,
    /// Ordered codes below this go left.
    pub below: u32,
    /// The unordered codes of the smaller child; all others go with the larger.
    pub listed: Range<u32>,
    pub listed_left: bool,
    /// How many nodes further on the right child is.
    pub right: u32,
    pub gain: f64,
}

impl Problem<'_> {
    pub fn classes(&self) -> usize {
        match self.target.values {
            Values::Classes { levels, .. } => levels,
            Values::TwoClasses(_) | Values::Numbers(_) => 0,
        }
    }

    pub fn risk(&self, summary: &Summary) -> f64 {
        summary.risk(&self.target.values, self.options.risk)
    }

    /// Whether a node stays a leaf without a search.
    pub(crate) fn is_final(&self, place: &Place) -> bool {
        place.summary.weight < i64::from(self.options.min_split)
            || self.risk(&place.summary).min(place.bound) <= self.alpha
            || place.depth >= self.options.max_depth
    }

    /// The score that a split must exceed.
    pub fn baseline(&self, summary: &Summary) -> (f64, f64) {
        match self.target.values {
            Values::Classes { .. } => (summary.class_squares as f64, summary.weight as f64),
            Values::TwoClasses(_) | Values::Numbers(_) => (0.0, 1.0),
        }
    }

    /// By how much the best split lowers Gini's index (times the weight) or the sum of squares.
    pub fn gain(&self, best: &Best, summary: &Summary) -> f64 {
        match self.target.values {
            Values::Classes { .. } => best.score() - summary.class_squares as f64 / summary.weight as f64,
            Values::TwoClasses(_) | Values::Numbers(_) => {
                best.score() / summary.weight as f64 * self.target.unit
            }
        }
    }

    /// The predictors that a node looks at, out of those that still vary.
    pub fn sampled(&self, active: &[u32], key: u64, chosen: &mut Vec<u32>) {
        chosen.clear();
        chosen.extend(active);
        if let Some(sampling) = self.sampling
            && sampling.predictors < chosen.len()
        {
            let mut state = mixed(sampling.seed ^ key);
            for position in 0..sampling.predictors {
                state = mixed(state);
                let left = (chosen.len() - position) as u64;
                chosen.swap(position, position + ((u128::from(state) * u128::from(left)) >> 64) as usize);
            }
            chosen.truncate(sampling.predictors);
            chosen.sort_unstable();
        }
    }
}

impl Place {
    pub fn child(&self, problem: &Problem<'_>, summary: Summary, right: bool) -> Self {
        let bound = problem.risk(&self.summary).min(self.bound) - problem.alpha;
        Self { summary, depth: self.depth + 1, bound, key: mixed(self.key ^ (1 + u64::from(right))) }
    }
}

impl Grown {
    /// Makes the node at `position`, the last one so far, a split. The labels of `best` are codes.
    pub fn split(
        &mut self,
        position: usize,
        problem: &Problem<'_>,
        best: &Best,
        gain: f64,
        left_is_larger: bool,
    ) {
        let predictor = best.predictor.expect("only a split that was found is made");
        let coding = problem.predictors[predictor].coding();
        let below = match best.cut {
            Some((last, Some(next))) => coding.below_middle(last, next),
            Some((_, None)) => coding.ordered_codes(),
            None if left_is_larger => coding.ordered_codes(),
            None => 0,
        };
        let start = self.listed.len();
        self.listed.extend(if left_is_larger { &best.right } else { &best.left });
        self.listed[start..].sort_unstable();
        self.nodes[position].split = Some(GrownSplit {
            predictor: predictor as u32,
            below,
            listed: start as u32..self.listed.len() as u32,
            listed_left: !left_is_larger,
            right: 0,
            gain,
        });
    }

    /// Says where the right child of the node at `position` begins: behind all nodes so far.
    pub(crate) fn begin_right(&mut self, position: usize) {
        let right = (self.nodes.len() - position) as u32;
        if let Some(split) = &mut self.nodes[position].split {
            split.right = right;
        }
    }

    /// Cuts off everything below the node at `position`, which is the root of all nodes behind it.
    pub fn cut_off(&mut self, position: usize) {
        self.nodes.truncate(position + 1);
        if let Some(split) = self.nodes[position].split.take() {
            self.listed.truncate(split.listed.start as usize);
        }
    }

    fn append(&mut self, other: Self) {
        let shift = self.listed.len() as u32;
        self.listed.extend(other.listed);
        self.nodes.extend(other.nodes.into_iter().map(|mut node| {
            if let Some(split) = &mut node.split {
                split.listed = split.listed.start + shift..split.listed.end + shift;
            }
            node
        }));
    }
}

/// A predictor that may vary in a node, with its histogram there if it is known already.
#[derive(Debug)]
pub(super) struct Active {
    pub predictor: u32,
    pub histogram: Option<Histogram>,
}

/// Grows the subtree of `rows`, which are permuted so that those of a leaf lie side by side; `offset` is where they begin among all
/// records, `active` the predictors that may vary.
pub(super) fn grow(
    problem: &Problem<'_>,
    rows: &mut [u32],
    offset: u32,
    place: Place,
    mut active: Vec<Active>,
) -> (Grown, Outcome) {
    if rows.len() <= problem.largest_block {
        let active: Vec<u32> = active.iter().map(|active| active.predictor).collect();
        return Block::grow(problem, rows, offset, place, &active);
    }
    let risk = problem.risk(&place.summary);
    let records = offset..offset + rows.len() as u32;
    let mut grown = Grown { nodes: vec![GrownNode { records, split: None }], listed: Vec::new() };
    let leaf = Outcome::leaf(risk, problem.alpha);
    if problem.is_final(&place) {
        return (grown, leaf);
    }
    let node = LargeNode::new(problem, rows, place.summary);
    let Some(best) = look(&node, &mut active, place.key) else { return (grown, leaf) };
    let (goes_left, left, right) = node.divide(&best);
    grown.split(0, problem, &best, problem.gain(&best, &place.summary), left.weight >= right.weight);
    drop(node);
    let boundary = partition(rows, &goes_left);
    drop(goes_left);
    let (left_rows, right_rows) = rows.split_at_mut(boundary);
    let (left, right) = (place.child(problem, left, false), place.child(problem, right, true));
    let (left_active, right_active) = hand_down(problem, active, left_rows, right_rows);
    let middle = offset + boundary as u32;
    let ((left_grown, left), (right_grown, right)) = rayon::join(
        || grow(problem, left_rows, offset, left, left_active),
        || grow(problem, right_rows, middle, right, right_active),
    );
    grown.append(left_grown);
    grown.begin_right(0);
    grown.append(right_grown);
    match Outcome::split(risk, left, right, problem.alpha) {
        Some(outcome) => (grown, outcome),
        None => {
            grown.cut_off(0);
            (grown, leaf)
        }
    }
}

/// The best split of a node. Predictors that do not vary are dropped, histograms kept where they are worth it.
fn look(node: &LargeNode<'_>, active: &mut Vec<Active>, key: u64) -> Option<Best> {
    let mut chosen = Vec::new();
    let predictors: Vec<u32> = active.iter().map(|active| active.predictor).collect();
    node.problem.sampled(&predictors, key, &mut chosen);
    let search = |active: &mut Active| {
        let wanted = chosen.binary_search(&active.predictor).is_ok();
        wanted.then(|| node.search(active.predictor as usize, active.histogram.take()))
    };
    let looked: Vec<Option<Looked>> = match node.rows.len() >= PARALLEL {
        true => active.par_iter_mut().map(search).collect(),
        false => active.iter_mut().map(search).collect(),
    };
    let (numerator, denominator) = node.problem.baseline(&node.summary);
    let mut best = Best::above(numerator, denominator);
    let mut varying = Vec::with_capacity(active.len());
    for (mut active, looked) in active.drain(..).zip(looked) {
        let Some(looked) = looked else {
            varying.push(active);
            continue;
        };
        best = best.or_later(looked.best);
        if looked.varies {
            active.histogram = looked.histogram;
            varying.push(active);
        }
    }
    *active = varying;
    best.predictor.is_some().then_some(best)
}

/// The predictors of both children. Where the larger child will need histograms, only the smaller one's records are counted: the larger
/// one's are what the node had more.
fn hand_down(
    problem: &Problem<'_>,
    active: Vec<Active>,
    left_rows: &[u32],
    right_rows: &[u32],
) -> (Vec<Active>, Vec<Active>) {
    let left_is_larger = left_rows.len() >= right_rows.len();
    let (larger, smaller) = if left_is_larger { (left_rows, right_rows) } else { (right_rows, left_rows) };
    let needed = larger.len() > problem.largest_block;
    let counted = needed.then(|| LargeNode::new(problem, smaller, Summary::default()));
    let hand = |active: Active| {
        let Active { predictor, histogram } = active;
        let (mut of_larger, mut of_smaller) = (None, None);
        if let (Some(mut rest), Some(node)) = (histogram, &counted) {
            let own = node.count(predictor as usize);
            rest.subtract(&own);
            of_larger = Some(rest);
            of_smaller = (smaller.len() > problem.largest_block).then_some(own);
        }
        (Active { predictor, histogram: of_larger }, Active { predictor, histogram: of_smaller })
    };
    let (larger, smaller) = match smaller.len() >= PARALLEL {
        true => active.into_par_iter().map(hand).unzip(),
        false => active.into_iter().map(hand).unzip(),
    };
    if left_is_larger { (larger, smaller) } else { (smaller, larger) }
}

/// A bijection of 64 bits that leaves no pattern (SplitMix64's output function; Steele, Lea & Flood 2014).
fn mixed(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Moves the rows that go left to the front, keeping the order on both sides; how many they are.
fn partition(rows: &mut [u32], goes_left: &[bool]) -> usize {
    let mut right = Vec::with_capacity(rows.len());
    let mut left = 0;
    for position in 0..rows.len() {
        let row = rows[position];
        if goes_left[position] {
            rows[left] = row;
            left += 1;
        } else {
            right.push(row);
        }
    }
    rows[left..].copy_from_slice(&right);
    left
}
