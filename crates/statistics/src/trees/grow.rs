//! Growing a tree from the root: large nodes by histograms of codes, small ones as presorted blocks.

use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;

use super::best::Best;
use super::block::Block;
use super::codes::with_codes;
use super::response::{Target, Values};
use super::search_classes::{ClassRun, ClassRuns, Item, Sides};
use super::search_scores::{self, Piece, Run};
use super::summary::{Local, Summary};
use super::weakest_link::Outcome;
use super::{Predictor, TreeOptions};

/// From so many records on, predictors are searched in parallel.
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

/// Every node looks at so many predictors only, drawn at random.
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
    pub fn is_final(&self, place: &Place) -> bool {
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
    pub fn begin_right(&mut self, position: usize) {
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

/// Grows the subtree of `rows`, which are permuted so that those of a leaf lie side by side; `offset` is where they begin among all
/// records, `active` the predictors that may vary.
pub(super) fn grow(
    problem: &Problem<'_>,
    rows: &mut [u32],
    offset: u32,
    place: Place,
    active: &[u32],
) -> (Grown, Outcome) {
    if rows.len() <= problem.largest_block {
        return Block::grow(problem, rows, offset, place, active);
    }
    let risk = problem.risk(&place.summary);
    let records = offset..offset + rows.len() as u32;
    let mut grown = Grown { nodes: vec![GrownNode { records, split: None }], listed: Vec::new() };
    let leaf = Outcome::leaf(risk, problem.alpha);
    if problem.is_final(&place) {
        return (grown, leaf);
    }
    let node = LargeNode::new(problem, rows, place.summary);
    let mut chosen = Vec::new();
    problem.sampled(active, place.key, &mut chosen);
    let looked: Vec<(Best, bool)> = match rows.len() >= PARALLEL {
        true => chosen.par_iter().map(|predictor| node.search(*predictor)).collect(),
        false => chosen.iter().map(|predictor| node.search(*predictor)).collect(),
    };
    let varies =
        |predictor: &&u32| chosen.binary_search(predictor).map_or(true, |position| looked[position].1);
    let active: Vec<u32> = active.iter().filter(varies).copied().collect();
    let (numerator, denominator) = problem.baseline(&place.summary);
    let best = looked.into_iter().map(|(best, _)| best);
    let best = best.fold(Best::above(numerator, denominator), Best::or_later);
    let Some(predictor) = best.predictor else { return (grown, leaf) };

    let goes_left = node.sides(predictor, &best);
    let mut counts = vec![0; problem.classes()];
    let mut side = |left: bool| {
        let records = (0..goes_left.len()).filter(|record| goes_left[*record] == left);
        node.response.summary(&node.weights, records, &mut counts)
    };
    let (left, right) = (side(true), side(false));
    grown.split(0, problem, &best, problem.gain(&best, &place.summary), left.weight >= right.weight);
    drop(node);
    let boundary = partition(rows, &goes_left);
    drop(goes_left);
    let (left_rows, right_rows) = rows.split_at_mut(boundary);
    let (left, right) = (place.child(problem, left, false), place.child(problem, right, true));
    let middle = offset + boundary as u32;
    let ((left_grown, left), (right_grown, right)) = rayon::join(
        || grow(problem, left_rows, offset, left, &active),
        || grow(problem, right_rows, middle, right, &active),
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

/// A node that is searched by histograms.
struct LargeNode<'a> {
    problem: &'a Problem<'a>,
    rows: &'a [u32],
    summary: Summary,
    response: Local,
    weights: Vec<u32>,
}

/// Memory of one thread that is used again. All counts are zero between uses.
#[derive(Default)]
struct Histograms {
    scores: Vec<(u32, i64)>,
    counts: Vec<u32>,
    runs: Vec<Run>,
    pieces: Vec<Piece>,
    class_runs: ClassRuns,
    sides: Sides,
}

thread_local! {
    static HISTOGRAMS: RefCell<Histograms> = RefCell::default();
}

impl<'a> LargeNode<'a> {
    fn new(problem: &'a Problem<'a>, rows: &'a [u32], summary: Summary) -> Self {
        let mut response = Local::Classes(Vec::new());
        response.gather(&problem.target.values, rows);
        let weights = match problem.weights {
            Some(weights) => rows.iter().map(|&row| weights[row as usize]).collect(),
            None => Vec::new(),
        };
        Self { problem, rows, summary, response, weights }
    }

    fn weight(&self, record: usize) -> u32 {
        if self.weights.is_empty() { 1 } else { self.weights[record] }
    }

    /// The best split by one predictor, and whether the predictor varies at all.
    fn search(&self, predictor: u32) -> (Best, bool) {
        let (numerator, denominator) = self.problem.baseline(&self.summary);
        let mut best = Best::above(numerator, denominator);
        let varies = HISTOGRAMS.with_borrow_mut(|space| match &self.response {
            Local::Scores(scores) => self.search_scores(predictor as usize, scores, space, &mut best),
            Local::Classes(classes) => self.search_classes(predictor as usize, classes, space, &mut best),
        });
        (best, varies)
    }

    fn search_scores(
        &self,
        predictor: usize,
        scores: &[i64],
        space: &mut Histograms,
        best: &mut Best,
    ) -> bool {
        let coding = self.problem.predictors[predictor].coding();
        let Histograms { scores: bins, runs, pieces, .. } = space;
        if bins.len() < coding.codes() {
            bins.resize(coding.codes(), (0, 0));
        }
        with_codes!(self.problem.predictors[predictor].codes(), codes => {
            if self.weights.is_empty() {
                for (row, score) in self.rows.iter().zip(scores) {
                    let bin = &mut bins[codes[*row as usize] as usize];
                    bin.0 += 1;
                    bin.1 += score;
                }
            } else {
                for ((row, score), weight) in self.rows.iter().zip(scores).zip(&self.weights) {
                    let bin = &mut bins[codes[*row as usize] as usize];
                    bin.0 += weight;
                    bin.1 += i64::from(*weight) * score;
                }
            }
        });
        runs.clear();
        let mut run = Run::default();
        for (label, bin) in (0..).zip(&mut bins[..coding.codes()]) {
            if bin.0 > 0 {
                run = Run { label, weight: run.weight + bin.0, sum: run.sum + bin.1 };
                runs.push(run);
                *bin = (0, 0);
            }
        }
        let min_bucket = self.problem.options.min_bucket;
        search_scores::search(
            predictor,
            runs,
            coding.ordered_codes(),
            &self.summary,
            min_bucket,
            best,
            pieces,
        );
        runs.len() > 1
    }

    fn search_classes(
        &self,
        predictor: usize,
        classes: &[u32],
        space: &mut Histograms,
        best: &mut Best,
    ) -> bool {
        let coding = self.problem.predictors[predictor].coding();
        let levels = self.problem.classes();
        let Histograms { counts, class_runs, sides, .. } = space;
        class_runs.clear();
        if coding.codes() * levels <= self.rows.len() {
            self.count_classes(predictor, classes, counts, class_runs);
        } else {
            self.sort_classes(predictor, classes, counts, class_runs);
        }
        let items = (0..).zip(classes).map(|(record, &class)| Item { class, weight: self.weight(record) });
        sides.enter(levels, items, &self.summary, self.problem.options.min_bucket);
        sides.search(predictor, class_runs, coding.ordered_codes(), best);
        class_runs.runs.len() > 1
    }

    /// The classes of each code, by a table of codes and classes.
    fn count_classes(&self, predictor: usize, classes: &[u32], counts: &mut Vec<u32>, runs: &mut ClassRuns) {
        let levels = self.problem.classes();
        let cells = self.problem.predictors[predictor].coding().codes() * levels;
        if counts.len() < cells {
            counts.resize(cells, 0);
        }
        with_codes!(self.problem.predictors[predictor].codes(), codes => {
            for (record, (row, class)) in self.rows.iter().zip(classes).enumerate() {
                counts[codes[*row as usize] as usize * levels + *class as usize] += self.weight(record);
            }
        });
        for (label, of_code) in (0..).zip(counts[..cells].chunks_exact_mut(levels)) {
            let mut weight = 0;
            for (class, count) in (0..).zip(of_code) {
                if *count > 0 {
                    weight += *count;
                    runs.items.push(Item { class, weight: std::mem::take(count) });
                }
            }
            if weight > 0 {
                runs.runs.push(ClassRun { label, weight, end: runs.items.len() as u32 });
            }
        }
    }

    /// The classes of each code, by sorting the records by their code.
    fn sort_classes(&self, predictor: usize, classes: &[u32], counts: &mut Vec<u32>, runs: &mut ClassRuns) {
        let codes_in_all = self.problem.predictors[predictor].coding().codes();
        if counts.len() < codes_in_all {
            counts.resize(codes_in_all, 0);
        }
        with_codes!(self.problem.predictors[predictor].codes(), codes => {
            self.rows.iter().for_each(|row| counts[codes[*row as usize] as usize] += 1);
            let mut end = 0;
            for (label, count) in (0..).zip(&mut counts[..codes_in_all]) {
                if *count > 0 {
                    let start = end;
                    end += std::mem::replace(count, start);
                    runs.runs.push(ClassRun { label, weight: 0, end });
                }
            }
            runs.items.resize(self.rows.len(), Item { class: 0, weight: 0 });
            for (record, (row, class)) in self.rows.iter().zip(classes).enumerate() {
                let next = &mut counts[codes[*row as usize] as usize];
                runs.items[*next as usize] = Item { class: *class, weight: self.weight(record) };
                *next += 1;
            }
        });
        let mut start = 0;
        for run in &mut runs.runs {
            counts[run.label as usize] = 0;
            run.weight = runs.items[start..run.end as usize].iter().map(|item| item.weight).sum();
            start = run.end as usize;
        }
    }

    /// Which records go left.
    fn sides(&self, predictor: usize, best: &Best) -> Vec<bool> {
        let predictor = self.problem.predictors[predictor];
        let mut left = vec![false; predictor.coding().codes()];
        if let Some((last, _)) = best.cut {
            left[..=last as usize].fill(true);
        }
        best.left.iter().for_each(|label| left[*label as usize] = true);
        with_codes!(predictor.codes(), codes => {
            self.rows.iter().map(|row| left[codes[*row as usize] as usize]).collect()
        })
    }
}
