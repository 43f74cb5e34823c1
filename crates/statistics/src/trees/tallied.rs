//! Columns of few codes within a block: the response of a node added up by code, instead of its records sorted.
//!
//! One walk over the records of the smaller child adds up all such columns; those of the larger child are what the node had more. Codes lie record
//! by record, so that the additions of one record do not wait for each other.

use super::search_scores::Run;

/// Columns of at most this many codes are added up.
pub(super) const MOST_CODES: usize = 128;

/// A column is added up where the block has this many records for each of its codes.
const FOR_EACH_CODE: usize = 16;

/// All columns together have at most this many codes: a place takes 16 bits.
const MOST_CELLS: usize = 1 << 16;

/// Weight and sum of the response over some records.
pub(super) trait Cell: Copy + Default {
    fn of(weight: u32, score: i64) -> Self;
    fn add(&mut self, other: Self);
    fn take_away(&mut self, other: Self);
    fn weight(self) -> u32;
    fn sum(self) -> i64;
}

/// Two classes: the weight in the upper half, that of the second class in the lower. A tree has less weight than 2³¹, so that neither overflows.
impl Cell for u64 {
    fn of(weight: u32, score: i64) -> Self {
        Self::from(weight) << 32 | score as Self
    }

    fn add(&mut self, other: Self) {
        *self += other;
    }

    fn take_away(&mut self, other: Self) {
        *self -= other;
    }

    fn weight(self) -> u32 {
        (self >> 32) as u32
    }

    fn sum(self) -> i64 {
        (self & 0xffff_ffff) as i64
    }
}

impl Cell for (u32, i64) {
    fn of(weight: u32, score: i64) -> Self {
        (weight, score)
    }

    fn add(&mut self, other: Self) {
        self.0 += other.0;
        self.1 += other.1;
    }

    fn take_away(&mut self, other: Self) {
        self.0 -= other.0;
        self.1 -= other.1;
    }

    fn weight(self) -> u32 {
        self.0
    }

    fn sum(self) -> i64 {
        self.1
    }
}

/// The columns of a block that are added up, and the cells of the nodes on the way to the present one.
#[derive(Default)]
pub(super) struct Tallies<C> {
    /// Where the cells of each column begin, and of one more.
    starts: Vec<usize>,
    /// For each record, one after the other, the cell of each column.
    places: Vec<u16>,
    /// What each record adds.
    records: Vec<C>,
    /// The cells of the node at each slot.
    cells: Vec<C>,
}

impl<C: Cell> Tallies<C> {
    /// Forgets the last block.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.places.clear();
        self.records.clear();
        self.cells.clear();
    }

    /// Begins a block of columns of so many codes and records of such weight and response times weight; the number of each column that is added
    /// up.
    pub fn start(
        &mut self,
        codes: impl Iterator<Item = usize>,
        records: impl ExactSizeIterator<Item = (u32, i64)>,
    ) -> Vec<Option<usize>> {
        let most = MOST_CODES.min(records.len() / FOR_EACH_CODE);
        self.starts.push(0);
        let mut end = 0;
        let numbers = codes.map(|codes| {
            (codes <= most && end + codes <= MOST_CELLS).then(|| {
                end += codes;
                self.starts.push(end);
                self.starts.len() - 2
            })
        });
        let numbers = numbers.collect();
        self.records.extend(records.map(|(weight, score)| C::of(weight, score)));
        self.places.resize(self.records.len() * self.columns(), 0);
        numbers
    }

    /// Takes in the codes of a column.
    pub fn fill(&mut self, column: usize, codes: impl Iterator<Item = u32>) {
        let (start, columns) = (self.starts[column], self.columns());
        let places = self.places.iter_mut().skip(column).step_by(columns);
        places.zip(codes).for_each(|(place, code)| *place = (start + code as usize) as u16);
    }

    /// How many columns are added up.
    pub fn columns(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The code of a record.
    pub fn code(&self, column: usize, record: u16) -> usize {
        usize::from(self.places[usize::from(record) * self.columns() + column]) - self.starts[column]
    }

    /// Adds up the records of a node into a slot.
    pub fn count(&mut self, slot: usize, records: &[u16]) {
        let (width, columns) = (self.width(), self.columns());
        if columns == 0 {
            return;
        }
        let (from, to) = (slot * width, (slot + 1) * width);
        self.cells.resize(self.cells.len().max(to), C::default());
        let cells = &mut self.cells[from..to];
        cells.fill(C::default());
        for record in records.iter().map(|record| usize::from(*record)) {
            let own = self.records[record];
            for place in &self.places[record * columns..(record + 1) * columns] {
                cells[usize::from(*place)].add(own);
            }
        }
    }

    /// From the cells of a node at `slot` to those of its children: the left one's at the next slot, the right one's at this.
    pub fn descend(&mut self, slot: usize, left: &[u16], right: &[u16]) {
        let left_is_smaller = left.len() <= right.len();
        self.count(slot + 1, if left_is_smaller { left } else { right });
        let width = self.width();
        if width == 0 {
            return;
        }
        let (node, child) = self.cells[slot * width..(slot + 2) * width].split_at_mut(width);
        node.iter_mut().zip(&*child).for_each(|(node, child)| node.take_away(*child));
        if !left_is_smaller {
            node.swap_with_slice(child);
        }
    }

    /// The runs of the codes of a column that occur in the node at `slot`; how many there are.
    pub fn runs(&self, slot: usize, column: usize, runs: &mut [Run]) -> usize {
        let at = slot * self.width();
        let cells = &self.cells[at + self.starts[column]..at + self.starts[column + 1]];
        let (mut weight, mut sum, mut found) = (0, 0, 0);
        for (label, cell) in (0..).zip(cells) {
            weight += cell.weight();
            sum += cell.sum();
            runs[found] = Run { label, weight, sum };
            found += usize::from(cell.weight() > 0);
        }
        found
    }

    fn width(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }
}
