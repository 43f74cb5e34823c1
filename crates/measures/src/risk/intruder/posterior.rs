//! The posterior of a record's true cell, for an intruder who knows all other records.
//!
//! Let y′ be the counts without the record. The posterior of cell c is proportional to prior(c) · L(c) with
//! L(c) = P(s | y′ + one record in c)/P(s | y′). For the mechanisms here the probability of a release is a product over
//! cells, up to a factor that depends on the number of records alone, so L(c) needs the counts of cell c and no others. It is
//! the same for all cells with the same counts: cells are grouped by (y, s), and the records of a group share one risk.
//!
//! Everything is kept in logarithms. The sum over all cells but one is put together from sums before and after its group, never
//! by subtraction, so that one cell may outweigh all others by any factor.

use rayon::prelude::*;

use super::mechanism::ReleaseMechanism;
use super::prior::{Belief, Prior};
use crate::risk::release_cells::{ReleaseCells, ln};

/// The risk of a record under one prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Risk {
    /// R: the posterior probability of the truth.
    pub r: f64,
    /// RR: R divided by the prior probability of the truth.
    pub rr: f64,
    /// The prior probability of the truth.
    pub prior: f64,
}

/// All cells of a release, grouped by their counts.
pub(super) struct Groups {
    /// The group of each listed cell.
    pub(super) of_cell: Vec<u32>,
    pub(super) groups: Vec<Group>,
    ln_cells: f64,
    cells: Option<u64>,
    records: u64,
}

/// Cells with the same counts.
pub(super) struct Group {
    /// Original records of each cell.
    pub(super) y: u64,
    /// The number of cells.
    pub(super) cells: u64,
    /// ln L of a cell that would get one record more.
    ln_gain: f64,
    /// ln L of a cell for one of the records that it has.
    ln_own: f64,
    /// ln Σ L over all other cells than one of this group, and the same with cells weighed by their records.
    ln_others: f64,
    ln_others_by_records: f64,
}

impl Groups {
    /// Groups the cells; an error is the reason why the mechanism cannot have made the release.
    pub(super) fn new(cells: &ReleaseCells, mechanism: ReleaseMechanism) -> Result<Self, &'static str> {
        let ln_cells = ln(cells.cells());
        let likelihood = mechanism.likelihood(cells.sets(), ln_cells);
        let statistics = Statistics::new(cells, mechanism.sum_is_sufficient());
        let mut order: Vec<u32> = (0..cells.original().len() as u32).collect();
        let y = cells.original();
        let counts = |cell: u32| (y[cell as usize], statistics.of(cell));
        order.par_sort_unstable_by(|one, other| counts(*one).cmp(&counts(*other)));
        let mut of_cell = vec![0; order.len()];
        let mut groups: Vec<Group> = Vec::new();
        for members in order.chunk_by(|one, other| counts(*one) == counts(*other)) {
            let (y, s) = counts(members[0]);
            let y = u64::from(y);
            members.iter().for_each(|cell| of_cell[*cell as usize] = groups.len() as u32);
            groups.push(Group {
                y,
                cells: members.len() as u64,
                ln_gain: likelihood.ln_ratio(y, s),
                ln_own: if y > 0 { likelihood.ln_ratio(y - 1, s) } else { f64::NEG_INFINITY },
                ln_others: f64::NEG_INFINITY,
                ln_others_by_records: f64::NEG_INFINITY,
            });
        }
        if groups.iter().any(|group| group.ln_gain == f64::INFINITY) {
            return Err(
                "a synthetic record lies in a cell where this mechanism cannot put one; check the mechanism, \
                        its options, and that both tables have the generator's classes",
            );
        }
        if groups.iter().any(|group| group.ln_gain.is_nan() || group.ln_own.is_nan()) {
            return Err("the counts are too large for the probabilities of this mechanism");
        }
        // Cells that are empty everywhere gain by one record as any cell with these counts does.
        let nothing = vec![0; statistics.width];
        let ln_empty = ln(&cells.empty_cells()) + likelihood.ln_ratio(0, &nothing);
        let mut all = Self {
            of_cell,
            groups,
            ln_cells,
            cells: u64::try_from(cells.cells()).ok(),
            records: cells.records() as u64,
        };
        let even = all.sums_of_others(|_| 0.0, ln_empty);
        let by_records = all.sums_of_others(|group| (group.y as f64).ln(), f64::NEG_INFINITY);
        for ((group, even), by_records) in all.groups.iter_mut().zip(even).zip(by_records) {
            (group.ln_others, group.ln_others_by_records) = (even, by_records);
        }
        Ok(all)
    }

    /// For each group ln Σ w L over all cells but one of the group, `elsewhere` included.
    fn sums_of_others(&self, ln_weight: impl Fn(&Group) -> f64, elsewhere: f64) -> Vec<f64> {
        let of_cells = |group: &Group, cells: u64| (cells as f64).ln() + ln_weight(group) + group.ln_gain;
        let mut after = vec![f64::NEG_INFINITY; self.groups.len() + 1];
        for (place, group) in self.groups.iter().enumerate().rev() {
            after[place] = ln_add(after[place + 1], of_cells(group, group.cells));
        }
        let mut before = elsewhere;
        let others = |(place, group): (usize, &Group)| {
            let others = ln_add(ln_add(before, after[place + 1]), of_cells(group, group.cells - 1));
            before = ln_add(before, of_cells(group, group.cells));
            others
        };
        self.groups.iter().enumerate().map(others).collect()
    }

    /// The risk of a record of a group; `None` for a group without records.
    pub(super) fn risk(&self, group: &Group, prior: Prior) -> Option<Risk> {
        if group.y == 0 {
            return None;
        }
        if self.cells == Some(1) {
            return Some(Risk { r: 1.0, rr: 1.0, prior: 1.0 });
        }
        // ln of the prior weight of the truth times L, of the sum of the same over the other cells, and of the prior itself.
        let (ln_own, ln_others, ln_prior) = match prior.0 {
            Belief::Uniform => (group.ln_own, group.ln_others, -self.ln_cells),
            Belief::Empirical { spread } => {
                let ln_spread = spread.ln() - self.ln_cells;
                let ln_weight = ln_add((group.y as f64 - 1.0).ln(), ln_spread);
                let others = ln_add(group.ln_others_by_records, ln_spread + group.ln_others);
                (ln_weight + group.ln_own, others, ln_weight - (self.records as f64 - 1.0 + spread).ln())
            }
            Belief::Truth { weight } => {
                let ln_others = (-weight).ln_1p() + group.ln_others - self.ln_other_cells();
                (weight.ln() + group.ln_own, ln_others, weight.ln())
            }
            Belief::TruthAmongRecords { weight } => {
                let other_records = self.records - group.y;
                if other_records == 0 {
                    return Some(Risk { r: 1.0, rr: 1.0, prior: 1.0 });
                }
                let ln_others = (-weight).ln_1p() + group.ln_others_by_records - (other_records as f64).ln();
                (weight.ln() + group.ln_own, ln_others, weight.ln())
            }
        };
        // ln R = −ln(1 + others/own).
        let ln_r = -ln_1p_exp(ln_others - ln_own);
        Some(Risk { r: ln_r.exp(), rr: (ln_r - ln_prior).exp(), prior: ln_prior.exp() })
    }

    /// ln(K − 1).
    fn ln_other_cells(&self) -> f64 {
        self.cells.map_or(self.ln_cells, |cells| (cells as f64 - 1.0).ln())
    }
}

/// What the likelihood needs to know of each cell's synthetic counts.
struct Statistics {
    width: usize,
    of_cells: Vec<u64>,
}

impl Statistics {
    fn new(cells: &ReleaseCells, sum_is_sufficient: bool) -> Self {
        if sum_is_sufficient {
            return Self { width: 1, of_cells: cells.synthetic_sums() };
        }
        // The data sets are exchangeable: cells whose counts differ in order alone belong together.
        let width = cells.sets();
        let mut of_cells = Vec::with_capacity(width * cells.original().len());
        for cell in 0..cells.original().len() {
            let start = of_cells.len();
            of_cells.extend(cells.synthetic().iter().map(|set| u64::from(set[cell])));
            of_cells[start..].sort_unstable();
        }
        Self { width, of_cells }
    }

    fn of(&self, cell: u32) -> &[u64] {
        &self.of_cells[cell as usize * self.width..][..self.width]
    }
}

/// ln(eᵃ + eᵇ).
fn ln_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

/// ln(1 + eˣ).
fn ln_1p_exp(x: f64) -> f64 {
    if x > 0.0 { x + (-x).exp().ln_1p() } else { x.exp().ln_1p() }
}
