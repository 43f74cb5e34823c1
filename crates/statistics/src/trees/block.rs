//! Growing the subtree of a few thousand records: sorted once by every predictor, the orders then split along with the nodes.
//!
//! A node costs one walk over its records for each predictor that still varies, however many codes or classes there are, and everything lies in
//! the cache.

use std::cell::RefCell;
use std::ops::Range;

use super::best::Best;
use super::codes::with_codes;
use super::grow::{Grown, GrownNode, Place, Problem};
use super::search_classes::{ClassRun, ClassRuns, Item, Sides};
use super::search_scores::{self, Piece, Run};
use super::summary::Local;
use super::weakest_link::Outcome;

/// The most records that a block can have; a position within it takes 16 bits.
pub(super) const LARGEST_BLOCK: usize = 1 << 14;

/// A subtree being grown.
pub(super) struct Block<'a> {
    problem: &'a Problem<'a>,
    space: &'a mut Space,
    size: usize,
    offset: u32,
    grown: Grown,
}

/// Memory of one thread that is used again.
#[derive(Default)]
struct Space {
    /// The predictor of each column.
    predictors: Vec<u32>,
    /// For each column its records, as rank << 16 | record, ascending within the block and then within each node. Ranks number the codes
    /// that occur in the block.
    entries: Vec<u32>,
    /// The code of each rank, column after column.
    codes: Vec<u32>,
    /// Where a column's ranks begin in `codes`, and how many of its ranks are ordered.
    ranks: Vec<(usize, u32)>,
    response: Option<Local>,
    weights: Vec<u32>,
    /// The records, those of a node side by side.
    order: Vec<u16>,
    goes_left: Vec<bool>,
    rank_left: Vec<bool>,
    spare: Vec<u32>,
    spare_order: Vec<u16>,
    /// A stack of lists of columns that may vary.
    active: Vec<u32>,
    chosen: Vec<u32>,
    best: Option<Best>,
    runs: Vec<Run>,
    pieces: Vec<Piece>,
    class_runs: ClassRuns,
    sides: Sides,
    class_counts: Vec<u32>,
    code_counts: Vec<u32>,
    keys: Vec<u64>,
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
            let mut block = Block { problem, space, size: rows.len(), offset, grown: Grown::default() };
            let outcome = block.node(0..rows.len(), place, columns);
            let grown = block.grown;
            space.spare.clear();
            space.spare.extend(space.order.iter().map(|record| rows[usize::from(*record)]));
            rows.copy_from_slice(&space.spare);
            (grown, outcome)
        })
    }

    fn node(&mut self, within: Range<usize>, place: Place, active: Range<usize>) -> Outcome {
        let problem = self.problem;
        let position = self.grown.nodes.len();
        let records = self.offset + within.start as u32..self.offset + within.end as u32;
        self.grown.nodes.push(GrownNode { records, split: None });
        let risk = problem.risk(&place.summary);
        let leaf = Outcome::leaf(risk, problem.alpha);
        if problem.is_final(&place) {
            return leaf;
        }
        let varying = self.search(within.clone(), &place, active);
        let mut best = self.space.best.take().expect("the search leaves its best");
        let Some(column) = best.predictor else {
            self.space.best = Some(best);
            self.space.active.truncate(varying.start);
            return leaf;
        };
        let middle = self.space.divide(self.size, column, within.clone(), &best);
        let left = self.space.summary(within.start..middle);
        let right = self.space.summary(middle..within.end);
        self.space.name(column, &mut best);
        let gain = problem.gain(&best, &place.summary);
        self.grown.split(position, problem, &best, gain, left.weight >= right.weight);
        self.space.best = Some(best);

        let left = place.child(problem, left, false);
        let right = place.child(problem, right, true);
        if !(problem.is_final(&left) && problem.is_final(&right)) {
            self.space.divide_columns(self.size, varying.clone(), within.clone());
        }
        let left = self.node(within.start..middle, left, varying.clone());
        self.grown.begin_right(position);
        let right = self.node(middle..within.end, right, varying.clone());
        self.space.active.truncate(varying.start);
        Outcome::split(risk, left, right, problem.alpha).unwrap_or_else(|| {
            self.grown.cut_off(position);
            leaf
        })
    }

    /// Looks for the best split; the columns that vary are put on the stack.
    fn search(&mut self, within: Range<usize>, place: &Place, active: Range<usize>) -> Range<usize> {
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
            let start = column as usize * self.size;
            let entries = &space.entries[start + within.start..start + within.end];
            if entries[0] >> 16 == entries[entries.len() - 1] >> 16 {
                continue;
            }
            space.active.push(column);
            let ordered = space.ranks[column as usize].1;
            match &space.response {
                Some(Local::Scores(scores)) => {
                    let runs = &mut space.runs;
                    let found = match space.weights.is_empty() {
                        true => cumulate::<false>(entries, scores, &[], runs),
                        false => cumulate::<true>(entries, scores, &space.weights, runs),
                    };
                    search_scores::search(
                        column as usize,
                        &runs[..found],
                        ordered,
                        &place.summary,
                        min_bucket,
                        &mut best,
                        &mut space.pieces,
                    );
                }
                Some(Local::Classes(classes)) => {
                    list(entries, classes, &space.weights, &mut space.class_runs);
                    space.sides.search(column as usize, &space.class_runs, ordered, &mut best);
                }
                None => {}
            }
        }
        (space.chosen, space.best) = (chosen, Some(best));
        varying..space.active.len()
    }
}

impl Space {
    fn enter(&mut self, problem: &Problem<'_>, rows: &[u32], active: &[u32]) {
        let size = rows.len();
        let response = self.response.get_or_insert(Local::Classes(Vec::new()));
        response.gather(&problem.target.values, rows);
        self.weights.clear();
        if let Some(weights) = problem.weights {
            self.weights.extend(rows.iter().map(|&row| weights[row as usize]));
        }
        self.order.clear();
        self.order.extend((0..size).map(|record| record as u16));
        self.goes_left.resize(self.goes_left.len().max(size), false);
        self.spare.resize(self.spare.len().max(size), 0);
        self.runs.resize(self.runs.len().max(size), Run::default());
        self.class_counts.resize(self.class_counts.len().max(problem.classes()), 0);
        self.entries.clear();
        self.codes.clear();
        self.ranks.clear();
        self.predictors.clear();
        for &predictor in active {
            let predictor_codes = problem.predictors[predictor as usize];
            let start = self.codes.len();
            with_codes!(predictor_codes.codes(), codes => {
                self.sort(predictor_codes.coding().codes(), rows, codes);
            });
            if self.codes.len() == start + 1 {
                self.codes.truncate(start);
                self.entries.truncate(self.predictors.len() * size);
                continue;
            }
            let ordered = predictor_codes.coding().ordered_codes();
            let ordered = self.codes[start..].partition_point(|code| *code < ordered);
            self.ranks.push((start, ordered as u32));
            self.predictors.push(predictor);
        }
        self.active.clear();
        self.active.extend(0..self.predictors.len() as u32);
    }

    /// Appends the entries of one predictor and the codes of its ranks.
    fn sort<C: Copy + Into<u32>>(&mut self, codes_in_all: usize, rows: &[u32], codes: &[C]) {
        let size = rows.len();
        let start = self.entries.len();
        self.entries.resize(start + size, 0);
        let entries = &mut self.entries[start..];
        let code_of = |row: &u32| -> u32 { codes[*row as usize].into() };
        if codes_in_all <= 4 * size {
            let counts = &mut self.code_counts;
            counts.clear();
            counts.resize(codes_in_all, 0);
            rows.iter().for_each(|row| counts[code_of(row) as usize] += 1);
            // The rank above, the next free place below; a place may be one past the last.
            let (mut rank, mut place) = (0, 0);
            for (code, count) in (0..).zip(counts.iter_mut()) {
                if *count > 0 {
                    let next = place + *count;
                    *count = rank << 16 | place;
                    (rank, place) = (rank + 1, next);
                    self.codes.push(code);
                }
            }
            for (record, row) in (0..).zip(rows) {
                let next = &mut counts[code_of(row) as usize];
                entries[(*next & 0xffff) as usize] = *next & 0xffff_0000 | record;
                *next += 1;
            }
        } else {
            self.keys.clear();
            self.keys.extend((0u64..).zip(rows).map(|(record, row)| u64::from(code_of(row)) << 16 | record));
            self.keys.sort_unstable();
            let first = self.codes.len();
            for (key, entry) in self.keys.iter().zip(entries) {
                let code = (key >> 16) as u32;
                if self.codes.len() == first || self.codes[self.codes.len() - 1] != code {
                    self.codes.push(code);
                }
                *entry = ((self.codes.len() - first - 1) as u32) << 16 | (key & 0xffff) as u32;
            }
        }
    }

    /// Sends every record of a node to its side, and divides `order`; where the right child begins.
    fn divide(&mut self, size: usize, column: usize, within: Range<usize>, best: &Best) -> usize {
        let start = column * size;
        self.rank_left.clear();
        let next = self.ranks.get(column + 1).map_or(self.codes.len(), |next| next.0);
        self.rank_left.resize(next - self.ranks[column].0, false);
        if let Some((last, _)) = best.cut {
            self.rank_left[..=last as usize].fill(true);
        }
        best.left.iter().for_each(|rank| self.rank_left[*rank as usize] = true);
        for entry in &self.entries[start + within.start..start + within.end] {
            self.goes_left[(entry & 0xffff) as usize] = self.rank_left[(entry >> 16) as usize];
        }
        self.spare_order.clear();
        let mut left = within.start;
        for at in within.clone() {
            let record = self.order[at];
            if self.goes_left[usize::from(record)] {
                self.order[left] = record;
                left += 1;
            } else {
                self.spare_order.push(record);
            }
        }
        self.order[left..within.end].copy_from_slice(&self.spare_order);
        left
    }

    /// Divides the entries of the columns on the stack.
    fn divide_columns(&mut self, size: usize, columns: Range<usize>, within: Range<usize>) {
        for &column in &self.active[columns] {
            let start = column as usize * size;
            let entries = &mut self.entries[start + within.start..start + within.end];
            let (mut left, mut right) = (0, 0);
            for at in 0..entries.len() {
                let entry = entries[at];
                let goes_left = usize::from(self.goes_left[(entry & 0xffff) as usize]);
                entries[left] = entry;
                self.spare[right] = entry;
                left += goes_left;
                right += 1 - goes_left;
            }
            entries[left..].copy_from_slice(&self.spare[..right]);
        }
    }

    fn summary(&mut self, within: Range<usize>) -> super::summary::Summary {
        let records = self.order[within].iter().map(|record| usize::from(*record));
        let response = self.response.as_ref().expect("a block is entered before it grows");
        response.summary(&self.weights, records, &mut self.class_counts)
    }

    /// Turns column and ranks of a split into predictor and codes.
    fn name(&self, column: usize, best: &mut Best) {
        let codes = &self.codes[self.ranks[column].0..];
        let code = |rank: u32| codes[rank as usize];
        best.predictor = Some(self.predictors[column] as usize);
        best.cut = best.cut.map(|(last, next)| (code(last), next.map(code)));
        best.left.iter_mut().chain(&mut best.right).for_each(|label| *label = code(*label));
    }
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
        let record = (entry & 0xffff) as usize;
        let own = if WEIGHTED { weights[record] } else { 1 };
        weight += own;
        sum += if WEIGHTED { i64::from(own) * scores[record] } else { scores[record] };
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
        let item = item((entry & 0xffff) as u16, classes, weights);
        weight += item.weight;
        runs.items.push(item);
    }
    runs.runs.push(ClassRun { label, weight, end: runs.items.len() as u32 });
}

fn item(record: u16, classes: &[u32], weights: &[u32]) -> Item {
    let record = usize::from(record);
    Item { class: classes[record], weight: if weights.is_empty() { 1 } else { weights[record] } }
}
