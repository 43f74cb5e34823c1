//! The records of a block, sorted by every predictor.

use std::ops::Range;

use super::best::Best;
use super::codes::with_codes;
use super::grow::Problem;
use super::response::Values;
use super::search_classes::{ClassRuns, Sides};
use super::search_scores::{Piece, Run};
use super::summary::{Local, Summary};
use super::tallied::{MOST_CODES, Tallies};

/// The bits of an entry that are the record, below [`super::block::LARGEST_BLOCK`].
pub(super) const RECORD: u32 = 0x3fff;

/// The bit of an entry that says that its record is of the second of two classes.
pub(super) const SECOND_CLASS: u32 = 1 << 15;

/// How the records of a column are kept.
#[derive(Clone, Copy)]
pub(super) enum Kept {
    /// Sorted; the entries begin here.
    Sorted(usize),
    /// Added up, as this column of the tallies.
    Tallied(usize),
}

/// The records of a block, and memory that is used again for the next one.
#[derive(Default)]
pub(super) struct Space {
    /// The predictor of each column.
    pub predictors: Vec<u32>,
    /// How each column is kept.
    pub kept: Vec<Kept>,
    /// For each sorted column its records, as rank << 16 | class << 15 | record, by rank within the block and then within each node. Ranks
    /// number the codes that occur in the block; the class is that of two, where no record has a weight.
    pub entries: Vec<u32>,
    /// The columns that are added up, of which only one has any.
    pub two_classes: Tallies<u64>,
    pub numbers: Tallies<(u32, i64)>,
    /// The code of each rank, column after column.
    pub codes: Vec<u32>,
    /// Where a column's ranks begin in `codes`, and how many of its ranks are ordered.
    pub ranks: Vec<(usize, u32)>,
    pub response: Option<Local>,
    pub weights: Vec<u32>,
    /// The records, those of a node side by side.
    pub order: Vec<u16>,
    pub goes_left: Vec<bool>,
    pub rank_left: Vec<bool>,
    pub spare: Vec<u32>,
    pub spare_order: Vec<u16>,
    /// A stack of lists of columns that may vary.
    pub active: Vec<u32>,
    pub chosen: Vec<u32>,
    pub best: Option<Best>,
    pub runs: Vec<Run>,
    pub pieces: Vec<Piece>,
    pub class_runs: ClassRuns,
    pub sides: Sides,
    pub class_counts: Vec<u32>,
    pub code_counts: Vec<u32>,
    pub keys: Vec<u64>,
}

/// The codes of some rows, whatever their width.
fn codes_at<C: Copy + Into<u32>>(codes: &[C], rows: &[u32]) -> impl Iterator<Item = u32> {
    rows.iter().map(|row| codes[*row as usize].into())
}

impl Space {
    /// Takes in the records of a block and sorts them by every predictor that varies.
    pub fn enter(&mut self, problem: &Problem<'_>, rows: &[u32], active: &[u32]) {
        let size = rows.len();
        let response = self.response.get_or_insert(Local::Classes(Vec::new()));
        response.gather(&problem.target.values, problem.weights, rows);
        self.weights.clear();
        if let Some(weights) = problem.weights {
            self.weights.extend(rows.iter().map(|&row| weights[row as usize]));
        }
        self.order.clear();
        self.order.extend((0..size).map(|record| record as u16));
        self.goes_left.resize(self.goes_left.len().max(size), false);
        self.spare.resize(self.spare.len().max(size), 0);
        self.runs.resize(self.runs.len().max(size).max(MOST_CODES + 1), Run::default());
        self.class_counts.resize(self.class_counts.len().max(problem.classes()), 0);
        self.entries.clear();
        self.codes.clear();
        self.ranks.clear();
        self.predictors.clear();
        self.kept.clear();
        let tallied = self.tally(problem, active);
        for (&predictor, tallied) in active.iter().zip(tallied) {
            let predictor_codes = problem.predictors[predictor as usize];
            let start = self.codes.len();
            let ordered = predictor_codes.coding().ordered_codes();
            let kept = match tallied {
                Some(column) => {
                    with_codes!(predictor_codes.codes(), codes => {
                        let codes = codes_at(codes, rows);
                        match self.two_classes.columns() {
                            0 => self.numbers.fill(column, codes),
                            _ => self.two_classes.fill(column, codes),
                        }
                    });
                    self.codes.extend(0..predictor_codes.coding().codes() as u32);
                    Kept::Tallied(column)
                }
                None => {
                    let first = self.entries.len();
                    with_codes!(predictor_codes.codes(), codes => {
                        self.sort(predictor_codes.coding().codes(), rows, codes);
                    });
                    if self.codes.len() == start + 1 {
                        self.codes.truncate(start);
                        self.entries.truncate(first);
                        continue;
                    }
                    Kept::Sorted(first)
                }
            };
            let ordered = self.codes[start..].partition_point(|code| *code < ordered);
            self.ranks.push((start, ordered as u32));
            self.predictors.push(predictor);
            self.kept.push(kept);
        }
        if let (Values::TwoClasses(_), Some(Local::Scores(scores)), true) =
            (&problem.target.values, &self.response, self.weights.is_empty())
        {
            let classes = |entry: &mut u32| {
                *entry |= SECOND_CLASS * (scores[(*entry & RECORD) as usize] as u32);
            };
            self.entries.iter_mut().for_each(classes);
        }
        self.two_classes.count(0, &self.order);
        self.numbers.count(0, &self.order);
        self.active.clear();
        self.active.extend(0..self.predictors.len() as u32);
    }

    /// Chooses the columns that are added up: those of few codes, where every node looks at all of them; their numbers.
    fn tally(&mut self, problem: &Problem<'_>, active: &[u32]) -> Vec<Option<usize>> {
        self.two_classes.clear();
        self.numbers.clear();
        let Some(Local::Scores(scores)) = &self.response else { return vec![None; active.len()] };
        if problem.sampling.is_some() {
            return vec![None; active.len()];
        }
        let weights = &self.weights;
        let weight = |record: usize| if weights.is_empty() { 1 } else { weights[record] };
        let records = scores.iter().enumerate().map(|(record, score)| (weight(record), *score));
        let codes = active.iter().map(|predictor| problem.predictors[*predictor as usize].coding().codes());
        match problem.target.values {
            Values::TwoClasses(_) => self.two_classes.start(codes, records),
            _ => self.numbers.start(codes, records),
        }
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
    pub fn divide(&mut self, column: usize, within: Range<usize>, best: &Best) -> usize {
        self.rank_left.clear();
        let next = self.ranks.get(column + 1).map_or(self.codes.len(), |next| next.0);
        self.rank_left.resize(next - self.ranks[column].0, false);
        if let Some((last, _)) = best.cut {
            self.rank_left[..=last as usize].fill(true);
        }
        best.left.iter().for_each(|rank| self.rank_left[*rank as usize] = true);
        match self.kept[column] {
            Kept::Sorted(start) => {
                for entry in &self.entries[start + within.start..start + within.end] {
                    self.goes_left[(entry & RECORD) as usize] = self.rank_left[(entry >> 16) as usize];
                }
            }
            Kept::Tallied(at) => {
                for record in &self.order[within.clone()] {
                    let code = match self.two_classes.columns() {
                        0 => self.numbers.code(at, *record),
                        _ => self.two_classes.code(at, *record),
                    };
                    self.goes_left[usize::from(*record)] = self.rank_left[code];
                }
            }
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

    /// Divides the entries of the columns on the stack, and the cells of those that are added up: the left child's go to the next slot.
    pub(crate) fn divide_columns(
        &mut self,
        columns: Range<usize>,
        within: Range<usize>,
        middle: usize,
        slot: usize,
    ) {
        let (left, right) = (&self.order[within.start..middle], &self.order[middle..within.end]);
        self.two_classes.descend(slot, left, right);
        self.numbers.descend(slot, left, right);
        for &column in &self.active[columns] {
            let Kept::Sorted(start) = self.kept[column as usize] else { continue };
            let entries = &mut self.entries[start + within.start..start + within.end];
            let (mut left, mut right) = (0, 0);
            for at in 0..entries.len() {
                let entry = entries[at];
                let goes_left = usize::from(self.goes_left[(entry & RECORD) as usize]);
                entries[left] = entry;
                self.spare[right] = entry;
                left += goes_left;
                right += 1 - goes_left;
            }
            entries[left..].copy_from_slice(&self.spare[..right]);
        }
    }

    /// The sums over the records of a node.
    pub fn summary(&mut self, within: Range<usize>) -> Summary {
        let records = self.order[within].iter().map(|record| usize::from(*record));
        let response = self.response.as_ref().expect("a block is entered before it grows");
        response.summary(&self.weights, records, &mut self.class_counts)
    }

    /// Turns column and ranks of a split into predictor and codes.
    pub fn name(&self, column: usize, best: &mut Best) {
        let codes = &self.codes[self.ranks[column].0..];
        let code = |rank: u32| codes[rank as usize];
        best.predictor = Some(self.predictors[column] as usize);
        best.cut = best.cut.map(|(last, next)| (code(last), next.map(code)));
        best.left.iter_mut().chain(&mut best.right).for_each(|label| *label = code(*label));
    }
}
