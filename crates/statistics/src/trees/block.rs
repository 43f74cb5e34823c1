//! Growing the subtree of a few thousand records: sorted once by every predictor, the orders then split along with the nodes; predictors of few
//! codes are [added up](super::tallied) instead.
//!
//! A node costs at most one walk over its records for each predictor that still varies, however many codes or classes there are, and everything
//! lies in the cache.

use std::cell::RefCell;
use std::ops::Range;

use super::best::Best;
use super::grow::{Grown, GrownNode, Place, Problem};
use super::presorted::{Kept, RECORD, SECOND_CLASS, Space};
use super::response::Values;
use super::search_classes::{ClassRun, ClassRuns, Item};
use super::search_scores::{self, Run};
use super::summary::Local;
use super::weakest_link::Outcome;

/// The most records that a block can have; a position within it takes 14 bits.
pub(super) const LARGEST_BLOCK: usize = 1 << 14;

/// A subtree being grown.
pub(super) struct Block<'a> {
    problem: &'a Problem<'a>,
    space: &'a mut Space,
    offset: u32,
    grown: Grown,
}

thread_local! {
    static SPACE: RefCell<Space> = RefCell::default();
}

impl Block<'_> {
    /// Grows the subtree of `rows`; see [`super::grow::grow`].
    pub fn grow(
        problem: &Problem<'_>,
        rows: &mut [u32],
        offset: u32,
        place: Place,
        active: &[u32],
    ) -> (Grown, Outcome) {
        if problem.is_final(&place) {
            let records = offset..offset + rows.len() as u32;
            let grown = Grown { nodes: vec![GrownNode { records, split: None }], listed: Vec::new() };
            return (grown, Outcome::leaf(problem.risk(&place.summary), problem.alpha));
        }
        SPACE.with_borrow_mut(|space| {
            space.enter(problem, rows, active);
            let columns = 0..space.active.len();
            let mut block = Block { problem, space, offset, grown: Grown::default() };
            let outcome = block.node(0..rows.len(), place, columns, 0);
            let grown = block.grown;
            space.spare.clear();
            space.spare.extend(space.order.iter().map(|record| rows[usize::from(*record)]));
            rows.copy_from_slice(&space.spare);
            (grown, outcome)
        })
    }

    /// Grows the node whose added-up columns are at `slot`.
    fn node(&mut self, within: Range<usize>, place: Place, active: Range<usize>, slot: usize) -> Outcome {
        let problem = self.problem;
        let position = self.grown.nodes.len();
        let records = self.offset + within.start as u32..self.offset + within.end as u32;
        self.grown.nodes.push(GrownNode { records, split: None });
        let risk = problem.risk(&place.summary);
        let leaf = Outcome::leaf(risk, problem.alpha);
        if problem.is_final(&place) {
            return leaf;
        }
        let varying = self.search(within.clone(), &place, active, slot);
        let mut best = self.space.best.take().expect("the search leaves its best");
        let Some(column) = best.predictor else {
            self.space.best = Some(best);
            self.space.active.truncate(varying.start);
            return leaf;
        };
        let middle = self.space.divide(column, within.clone(), &best);
        let left = self.space.summary(within.start..middle);
        let right = self.space.summary(middle..within.end);
        self.space.name(column, &mut best);
        let gain = problem.gain(&best, &place.summary);
        self.grown.split(position, problem, &best, gain, left.weight >= right.weight);
        self.space.best = Some(best);

        let left = place.child(problem, left, false);
        let right = place.child(problem, right, true);
        if !(problem.is_final(&left) && problem.is_final(&right)) {
            self.space.divide_columns(varying.clone(), within.clone(), middle, slot);
        }
        let left = self.node(within.start..middle, left, varying.clone(), slot + 1);
        self.grown.begin_right(position);
        let right = self.node(middle..within.end, right, varying.clone(), slot);
        self.space.active.truncate(varying.start);
        Outcome::split(risk, left, right, problem.alpha).unwrap_or_else(|| {
            self.grown.cut_off(position);
            leaf
        })
    }

    /// Looks for the best split; the columns that vary are put on the stack.
    fn search(
        &mut self,
        within: Range<usize>,
        place: &Place,
        active: Range<usize>,
        slot: usize,
    ) -> Range<usize> {
        let (problem, space) = (self.problem, &mut *self.space);
        let (numerator, denominator) = problem.baseline(&place.summary);
        let mut best = space.best.take().unwrap_or_else(|| Best::above(numerator, denominator));
        best.restart(numerator, denominator);
        let mut chosen = std::mem::take(&mut space.chosen);
        problem.sampled(&space.active[active.clone()], place.key, &mut chosen);
        let varying = space.active.len();
        let min_bucket = problem.options.min_bucket;
        if let Some(Local::Classes(classes)) = &space.response {
            let weights = &space.weights;
            let items = space.order[within.clone()].iter().map(|record| item(*record, classes, weights));
            space.sides.enter(problem.classes(), items, &place.summary, min_bucket);
        }
        let mut next = chosen.iter().peekable();
        for at in active {
            let column = space.active[at];
            if next.next_if_eq(&&column).is_none() {
                space.active.push(column);
                continue;
            }
            let ordered = space.ranks[column as usize].1;
            let found = match (space.kept[column as usize], &space.response) {
                (Kept::Tallied(at), _) => match space.two_classes.columns() {
                    0 => space.numbers.runs(slot, at, &mut space.runs),
                    _ => space.two_classes.runs(slot, at, &mut space.runs),
                },
                (Kept::Sorted(start), response) => {
                    let entries = &space.entries[start + within.start..start + within.end];
                    if entries[0] >> 16 == entries[entries.len() - 1] >> 16 {
                        continue;
                    }
                    match response {
                        Some(Local::Scores(scores)) => {
                            let runs = &mut space.runs;
                            match (&problem.target.values, space.weights.is_empty()) {
                                (Values::TwoClasses(_), true) => count(entries, runs),
                                (_, true) => cumulate::<false>(entries, scores, &[], runs),
                                (_, false) => cumulate::<true>(entries, scores, &space.weights, runs),
                            }
                        }
                        Some(Local::Classes(classes)) => {
                            space.active.push(column);
                            list(entries, classes, &space.weights, &mut space.class_runs);
                            space.sides.search(column as usize, &space.class_runs, ordered, &mut best);
                            continue;
                        }
                        None => continue,
                    }
                }
            };
            if found < 2 {
                continue;
            }
            space.active.push(column);
            search_scores::search(
                column as usize,
                &space.runs[..found],
                ordered,
                &place.summary,
                min_bucket,
                &mut best,
                &mut space.pieces,
            );
        }
        (space.chosen, space.best) = (chosen, Some(best));
        varying..space.active.len()
    }
}

/// Counts records and those of the second class along the entries, one run a rank; how many runs there are.
#[inline]
fn count(entries: &[u32], runs: &mut [Run]) -> usize {
    let (mut sum, mut found) = (0, 0);
    let following = entries[1..].iter().chain(std::iter::once(&u32::MAX));
    for ((entry, following), weight) in entries.iter().zip(following).zip(1..) {
        sum += i64::from(entry & SECOND_CLASS != 0);
        runs[found] = Run { label: entry >> 16, weight, sum };
        found += usize::from(entry >> 16 != following >> 16);
    }
    found
}

/// Adds up weights and scores along the entries, one run a rank; how many runs there are.
#[inline]
fn cumulate<const WEIGHTED: bool>(
    entries: &[u32],
    scores: &[i64],
    weights: &[u32],
    runs: &mut [Run],
) -> usize {
    let (mut weight, mut sum, mut found) = (0, 0, 0);
    let following = entries[1..].iter().chain(std::iter::once(&u32::MAX));
    for (entry, following) in entries.iter().zip(following) {
        let record = (entry & RECORD) as usize;
        weight += if WEIGHTED { weights[record] } else { 1 };
        sum += scores[record];
        runs[found] = Run { label: entry >> 16, weight, sum };
        found += usize::from(entry >> 16 != following >> 16);
    }
    found
}

/// The classes of the records in the order of the entries.
fn list(entries: &[u32], classes: &[u32], weights: &[u32], runs: &mut ClassRuns) {
    runs.clear();
    let mut label = entries[0] >> 16;
    let mut weight = 0;
    for entry in entries {
        if entry >> 16 != label {
            runs.runs.push(ClassRun { label, weight, end: runs.items.len() as u32 });
            (label, weight) = (entry >> 16, 0);
        }
        let item = item((entry & RECORD) as u16, classes, weights);
        weight += item.weight;
        runs.items.push(item);
    }
    runs.runs.push(ClassRun { label, weight, end: runs.items.len() as u32 });
}

fn item(record: u16, classes: &[u32], weights: &[u32]) -> Item {
    let record = usize::from(record);
    Item { class: classes[record], weight: if weights.is_empty() { 1 } else { weights[record] } }
}
