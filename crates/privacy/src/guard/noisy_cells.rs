//! Every cell of the full cross-table under noise, also where there are far too many cells to hold.
//!
//! The mechanism adds independent discrete Laplace noise to *all* K cells, empty ones included, and takes negative results as zero;
//! records are then drawn in proportion to the noisy counts. Up to [`DENSE_CELLS`] cells the noisy counts are held. Beyond, the very same
//! distribution is drawn lazily: occupied cells get their noise at once, and an empty cell only when a draw touches it, from a
//! secret function of its index, so that it has one noisy count however often it is met.
//!
//! **The lazy draw is exact.** Let A be the sum of the noisy counts of occupied cells and suppose that no empty cell has more than
//! J. A proposal is one of A + J·K units, uniformly: one of A leads to an occupied cell; any other is an empty cell c and a level
//! j ≤ J, and is taken if c's noisy count is at least j. So every unit of every noisy count is equally likely, as it
//! should be. J is chosen so that an empty cell exceeds it with a probability below 2⁻³⁰; whether one does is itself
//! drawn exactly, from bounds on that probability, and the cells that do are then drawn and kept in a list.
//! (Raab 2022, 2.2 has the mechanism; drawing the number and the total of positive empty cells, as one might, would need exact binomial and negative
//! binomial draws of sizes like 10¹⁵.)

use num_bigint::BigUint;
use rand::CryptoRng;
use table::ContingencyTable;

use crate::noise::{
    DiscreteLaplace, Enclosure, any_exceeds, bernoulli_by_enclosure, uniform_below, uniform_below_u64,
    uniform_below_u128,
};
use crate::{KeyedNoise, NoiseStream};

/// Up to so many cells the noisy counts are held.
pub const DENSE_CELLS: usize = 1 << 22;

/// Noisy counts of all cells, from which cells are drawn in proportion.
pub enum NoisyCells {
    /// One noisy count a cell, negative ones as zero, the last variable fastest.
    Dense {
        /// The number of classes of each variable.
        sizes: Vec<usize>,
        /// The counts.
        counts: Vec<u64>,
    },
    /// Noise of empty cells on demand.
    Lazy(Box<LazyCells>),
}

/// Noisy counts of a table whose cells cannot all be held.
pub struct LazyCells {
    table: ContingencyTable,
    /// Running totals of the occupied cells' noisy counts.
    totals: Vec<u64>,
    /// Empty cells above the level, with their noisy counts.
    exceeding: Vec<(Vec<u32>, u64)>,
    exceeding_total: u64,
    level: u64,
    law: DiscreteLaplace,
    keyed: KeyedNoise,
    /// Occupied and exceeding units, and level × K.
    envelope: Envelope,
}

/// The number of units that proposals are drawn from.
enum Envelope {
    Narrow { known: u64, all: u128 },
    Wide { known: BigUint, all: BigUint },
}

impl LazyCells {
    /// Noise for all cells of the table: that of occupied cells is drawn here, that of empty ones hangs on the key.
    pub(super) fn new(
        table: ContingencyTable,
        law: DiscreteLaplace,
        keyed: KeyedNoise,
        rng: &mut NoiseStream,
    ) -> Self {
        let level = level_above(&table.cells(), &law);
        Self::with_level(table, law, keyed, level, rng)
    }

    /// The same with another level above which empty cells are listed; the distribution does not depend on it.
    fn with_level(
        table: ContingencyTable,
        law: DiscreteLaplace,
        keyed: KeyedNoise,
        level: u64,
        rng: &mut NoiseStream,
    ) -> Self {
        let cells = table.cells();
        let mut total = 0_u64;
        let noisy = table.counts().iter().map(|count| {
            total += law.add_to(*count as i64, rng).max(0) as u64;
            total
        });
        let totals: Vec<u64> = noisy.collect();
        let exceeding = draw_exceeding(&table, &law, level, rng);
        let exceeding_total = exceeding.iter().map(|(_, count)| count).sum();
        let known = total + exceeding_total;
        let all = &cells * BigUint::from(level) + BigUint::from(known);
        let envelope = match u128::try_from(&all) {
            Ok(all) => Envelope::Narrow { known, all },
            Err(_) => Envelope::Wide { known: known.into(), all },
        };
        Self { table, totals, exceeding, exceeding_total, level, law, keyed, envelope }
    }

    /// A cell in proportion to the noisy counts of the cells that `possible` allows. `None` if so many proposals failed that
    /// there may be none.
    pub fn draw<R: CryptoRng>(&self, rng: &mut R, possible: &impl Fn(&[u32]) -> bool) -> Option<Vec<u32>> {
        const TRIES: usize = 10_000_000;
        (0..TRIES).find_map(|_| self.propose(rng, possible))
    }

    fn propose<R: CryptoRng>(&self, rng: &mut R, possible: &impl Fn(&[u32]) -> bool) -> Option<Vec<u32>> {
        let unit = match &self.envelope {
            Envelope::Narrow { known, all } => {
                let unit = uniform_below_u128(rng, *all);
                (unit < u128::from(*known)).then_some(unit as u64)
            }
            Envelope::Wide { known, all } => {
                let unit = uniform_below(rng, all);
                (unit < *known).then(|| u64::try_from(&unit).unwrap_or_default())
            }
        };
        let cell = match unit {
            Some(unit) => self.known_cell(unit),
            None => {
                let size = |size: &usize| uniform_below_u64(rng, *size as u64) as u32;
                let cell: Vec<u32> = self.table.sizes().iter().map(size).collect();
                let level = 1 + uniform_below_u64(rng, self.level);
                let is_unknown =
                    self.table.count_of(&cell) == 0 && self.exceeding.iter().all(|(other, _)| *other != cell);
                (is_unknown && self.noise_of(&cell) >= level as i64).then_some(cell)?
            }
        };
        possible(&cell).then_some(cell)
    }

    fn known_cell(&self, unit: u64) -> Vec<u32> {
        match unit.checked_sub(self.totals.last().copied().unwrap_or(0)) {
            None => self.table.cell(self.totals.partition_point(|total| *total <= unit)),
            Some(mut beyond) => {
                let holder = self.exceeding.iter().find(|(_, count)| {
                    let inside = beyond < *count;
                    beyond = beyond.saturating_sub(*count);
                    inside
                });
                debug_assert!(holder.is_some(), "{} units exceed", self.exceeding_total);
                holder.map(|(cell, _)| cell.clone()).unwrap_or_default()
            }
        }
    }

    /// The noise of an empty cell that does not exceed the level: the first of its stream that does not.
    fn noise_of(&self, cell: &[u32]) -> i64 {
        let index = self.table.sizes().iter().zip(cell).try_fold(0_u128, |index, (size, class)| {
            index.checked_mul(*size as u128)?.checked_add(u128::from(*class))
        });
        let mut stream = match index {
            Some(index) => self.keyed.at(index),
            None => {
                let bytes: Vec<u8> = cell.iter().flat_map(|class| class.to_le_bytes()).collect();
                self.keyed.at_bytes(&bytes)
            }
        };
        loop {
            let noise = self.law.sample(&mut stream);
            if noise <= self.level as i64 {
                return noise;
            }
        }
    }
}

/// A level that one of so many draws exceeds with a probability below 2⁻³⁰: e^(−r(J+1))·K ≤ 2⁻³⁰.
fn level_above(cells: &BigUint, law: &DiscreteLaplace) -> u64 {
    let nats = (cells.bits() as f64 + 31.0) * std::f64::consts::LN_2;
    (nats * law.scale()).ceil() as u64
}

/// The empty cells whose noise exceeds the level, with their noisy counts; nearly always none.
///
/// Cells are thought of in a row. Whether any of them exceeds has a probability with known bounds. Given that one does, the first is
/// at place i with a probability proportional to (1 − p)^(i−1); what follows it is independent of it.
fn draw_exceeding(
    table: &ContingencyTable,
    law: &DiscreteLaplace,
    level: u64,
    rng: &mut NoiseStream,
) -> Vec<(Vec<u32>, u64)> {
    let (numerator, denominator) = law.rate();
    let (numerator, denominator) = (BigUint::from(numerator), BigUint::from(denominator));
    let any = |cells: &BigUint, bits: u32| any_exceeds(cells, &numerator, &denominator, level, bits);
    let all = table.cells();
    let mut passed = BigUint::ZERO;
    let mut found = Vec::new();
    while passed < all {
        let left = &all - &passed;
        if !bernoulli_by_enclosure(rng, |bits| any(&left, bits)) {
            break;
        }
        let before_first = loop {
            let before = uniform_below(rng, &left);
            let none_before = |bits: u32| -> Enclosure { any(&before, bits).complement() };
            if before == BigUint::ZERO || bernoulli_by_enclosure(rng, none_before) {
                break before;
            }
        };
        passed += before_first;
        let cell = cell_at(&passed, table.sizes());
        passed += 1_u32;
        // The tail of the law is geometric, like the law given that it is not negative.
        let beyond = loop {
            let draw = law.sample(rng);
            if draw >= 0 {
                break draw as u64;
            }
        };
        if table.count_of(&cell) == 0 {
            found.push((cell, level + 1 + beyond));
        }
    }
    found
}

/// The cell at a place of the row in which the last variable is fastest.
pub(super) fn cell_at(place: &BigUint, sizes: &[usize]) -> Vec<u32> {
    let mut rest = place.clone();
    let mut cell = vec![0; sizes.len()];
    for (class, size) in cell.iter_mut().zip(sizes).rev() {
        *class = u32::try_from(&rest % *size).unwrap_or_default();
        rest /= *size;
    }
    cell
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use table::Attributes;

    use super::*;
    use crate::{Cost, NoiseSource};

    /// Six cells of which two are occupied; one cannot occur.
    fn pairs_drawn(level: Option<u64>, rounds: u64) -> BTreeMap<(Vec<u32>, Vec<u32>), u64> {
        let law = DiscreteLaplace::for_cost(Cost::rounded_down(0.8).unwrap(), 1).unwrap();
        let occupied: [(&[u32], u64); 2] = [(&[0, 0], 9), (&[1, 2], 6)];
        let possible = |cell: &[u32]| cell != [0, 1];
        let mut drawn = BTreeMap::new();
        for round in 0..rounds {
            let table = ContingencyTable::from_cells(Attributes::new([0, 1]), &[2, 3], occupied);
            let mut noise =
                NoiseSource::insecure_test_seed(round + if level.is_some() { 1 << 40 } else { 0 });
            let keyed = noise.keyed();
            let pair = match level {
                Some(level) => {
                    let lazy = LazyCells::with_level(table, law, keyed, level, noise.rng());
                    let mut draw = || lazy.draw(noise.rng(), &possible);
                    draw().zip(draw())
                }
                None => {
                    let all = (0..6_usize).map(|index| cell_at(&BigUint::from(index), &[2, 3]));
                    let count =
                        |cell: &Vec<u32>| law.add_to(table.count_of(cell) as i64, noise.rng()).max(0) as u64;
                    let all: Vec<Vec<u32>> = all.collect();
                    let counts: Vec<u64> = all.iter().map(count).collect();
                    let counts: Vec<u64> = counts
                        .iter()
                        .zip(&all)
                        .map(|(count, cell)| if possible(cell) { *count } else { 0 })
                        .collect();
                    let total: u64 = counts.iter().sum();
                    let mut draw = || {
                        let mut unit = uniform_below_u64(noise.rng(), total);
                        let here = |count: &u64| {
                            let inside = unit < *count;
                            unit = unit.saturating_sub(*count);
                            inside
                        };
                        counts.iter().position(here).map(|at| all[at].clone())
                    };
                    (total > 0).then(|| draw().zip(draw())).flatten()
                }
            };
            if let Some(pair) = pair {
                *drawn.entry(pair).or_insert(0) += 1;
            }
        }
        drawn
    }

    /// Two draws from one noisy table, with empty cells above the level listed in nearly every round: the joint distribution is that
    /// of dense noise. The limit is the 1 − 10⁻⁶ quantile of chi-square on 24 degrees of freedom.
    #[test]
    fn listed_cells_forbidden_cells_and_repeated_draws_agree_with_dense_noise() {
        let (dense, lazy) = (pairs_drawn(None, 15_000), pairs_drawn(Some(1), 15_000));
        let keys: std::collections::BTreeSet<_> = dense.keys().chain(lazy.keys()).collect();
        assert_eq!(keys.len(), 25);
        let of = |counts: &BTreeMap<_, u64>, key: &_| counts.get(key).copied().unwrap_or(0) as f64;
        let totals = (dense.values().sum::<u64>() as f64, lazy.values().sum::<u64>() as f64);
        let chi_square: f64 = keys
            .into_iter()
            .map(|key| {
                let (one, other) = (of(&dense, key), of(&lazy, key));
                let share = (one + other) / (totals.0 + totals.1);
                (one - share * totals.0).powi(2) / (share * totals.0)
                    + (other - share * totals.1).powi(2) / (share * totals.1)
            })
            .sum();
        assert!(chi_square < 71.0, "{chi_square}");
    }
}
