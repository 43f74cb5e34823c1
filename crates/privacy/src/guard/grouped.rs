//! Margins over groups of levels under noise, and choices among many of them.
//!
//! **Sensitivity.** Groups partition the levels, so that the cells of groups partition the records: one record more or less changes one cell by one, a replaced one two cells, a unit of k
//! records k times as much, as in any histogram. A candidate's score is w Σ max(0, |y − e| − t) over its cells. Each term is 1-Lipschitz in y, so that a unit changes the score by at most
//! w times the sum of absolute changes of the cells. Groups, e, t, w and which candidates are open are fixed before a call, from earlier answers and public facts; they
//! are arguments, and the guard gives nothing back by which they could be made from a count that was not paid for.

use table::{Attributes, Margin};

use super::{GuardedTable, NoisyCounts};
use crate::ledger::{Charge, Event, Notion};
use crate::noise::{exponential_mechanism, permute_and_flip};
use crate::{PrivacyError, conversion};

/// Margins of more cells are counted sparsely.
const DENSE_CELLS: usize = 1 << 21;
/// Cells of margins that are held at a time.
const CELLS_AT_A_TIME: usize = 1 << 23;

/// A margin over groups of levels.
#[derive(Clone, Copy, Debug)]
pub struct GroupedMargin<'a> {
    /// Its variables.
    pub of: &'a Attributes,
    /// For each variable the group of each level; groups are numbered from 0.
    pub groups: &'a [&'a [u32]],
}

/// A margin over groups that may be measured next, and what is expected of it without looking: independence of its variables.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedGroups<'a> {
    /// The margin.
    pub margin: GroupedMargin<'a>,
    /// For each variable the expected count of each group.
    pub sums: &'a [&'a [f64]],
    /// The expected number of records.
    pub records: f64,
    /// t: what a difference must exceed to count.
    pub threshold: u64,
    /// w: how much the candidate matters.
    pub weight: u32,
}

impl GroupedMargin<'_> {
    /// The number of groups of each variable.
    fn sizes(&self) -> Vec<usize> {
        let most = |groups: &&[u32]| groups.iter().max().map_or(0, |group| *group as usize + 1);
        self.groups.iter().map(most).collect()
    }

    fn check(&self, sizes: &[usize]) -> Result<usize, PrivacyError> {
        let is_of_levels = self.groups.len() == sizes.len()
            && self.groups.iter().zip(sizes).all(|(groups, size)| groups.len() == *size);
        if !is_of_levels {
            return Err(PrivacyError::Table("a group is needed for every level of every variable".into()));
        }
        let cells = self.sizes().iter().try_fold(1_usize, |cells, size| cells.checked_mul(*size));
        cells
            .filter(|cells| *cells <= table::margin::DENSE_LIMIT)
            .ok_or_else(|| PrivacyError::Table("a table of groups has too many cells; use fewer groups".into()))
    }
}

/// Exact counts of one margin, however many cells it has.
enum Counted {
    Dense(Margin),
    Sparse(table::ContingencyTable),
}

impl Counted {
    fn in_groups(&self, margin: &GroupedMargin<'_>) -> Vec<u64> {
        let sizes = margin.sizes();
        let mut counts = vec![0; sizes.iter().product()];
        match self {
            Self::Dense(dense) => {
                let levels = dense.sizes();
                if let ([one, other], [_, columns]) = (margin.groups, levels) {
                    for (row, group) in dense.counts().chunks(*columns).zip(*one) {
                        let begin = *group as usize * sizes[1];
                        row.iter().zip(*other).for_each(|(count, group)| counts[begin + *group as usize] += count);
                    }
                    return counts;
                }
                for (place, count) in dense.counts().iter().enumerate().filter(|(_, count)| **count > 0) {
                    let (mut rest, mut stride, mut cell) = (place, 1, 0);
                    for ((groups, size), levels) in margin.groups.iter().zip(&sizes).zip(levels).rev() {
                        cell += groups[rest % levels] as usize * stride;
                        stride *= size;
                        rest /= levels;
                    }
                    counts[cell] += count;
                }
            }
            Self::Sparse(sparse) => {
                for (levels, count) in sparse.iter() {
                    let places = margin.groups.iter().zip(&sizes).zip(&levels);
                    let cell = places
                        .fold(0, |cell, ((groups, size), level)| cell * size + groups[*level as usize] as usize);
                    counts[cell] += count;
                }
            }
        }
        counts
    }
}

impl GuardedTable<'_> {
    /// The counts of a margin over groups of levels under noise.
    pub fn noisy_groups(
        &mut self,
        margin: &GroupedMargin<'_>,
        charge: Charge,
    ) -> Result<NoisyCounts, PrivacyError> {
        margin.check(&self.domain().sizes(margin.of))?;
        let groups: Vec<String> = margin.sizes().iter().map(usize::to_string).collect();
        let purpose = format!("counts of {} in {} groups", self.domain().describe(margin.of), groups.join(" × "));
        let (l1, l2_squared) = self.histogram_sensitivities();
        let law = self.pay(&purpose, charge, l1, l2_squared)?;
        let counted = self.counted(std::slice::from_ref(margin.of))?.remove(0).in_groups(margin);
        let rng = self.noise.rng();
        Ok(NoisyCounts { counts: counted.into_iter().map(|count| law.add_to(count as i64, rng)).collect(), law })
    }

    /// `count` of several margins, one after the other, each with a preference for a large score; every choice costs this charge and is a line
    /// of the ledger. `open` says which candidates can be chosen after those that were. Pure ε: permute-and-flip. ρ: the exponential mechanism.
    ///
    /// All choices are paid before anything is counted, and every candidate is counted once.
    pub fn choose_many(
        &mut self,
        purpose: &str,
        candidates: &[ExpectedGroups<'_>],
        count: usize,
        charge: Charge,
        open: &mut dyn FnMut(&[usize]) -> Vec<usize>,
    ) -> Result<Vec<usize>, PrivacyError> {
        for candidate in candidates {
            let cells = candidate.margin.check(&self.domain().sizes(candidate.margin.of))?;
            let expected: usize = candidate.sums.iter().map(|sums| sums.len()).product();
            if expected != cells || candidate.weight == 0 || candidate.records.is_nan() || candidate.records <= 0.0 {
                return Err(PrivacyError::Table("expected counts are not those of the groups".into()));
            }
        }
        let (l1, _) = self.histogram_sensitivities();
        let largest = candidates.iter().map(|candidate| candidate.weight).max().unwrap_or(1);
        let sensitivity = u128::from(l1) * u128::from(largest);
        let mut epsilon = None;
        for number in 1..=count {
            let purpose = format!("{purpose}, choice {number} of {count}");
            let event = match charge {
                Charge::Pure(cost) | Charge::Approximate(cost, _) => {
                    epsilon = Some(cost);
                    Event::permute_and_flip(&purpose, cost, sensitivity as f64)?
                }
                Charge::ZeroConcentrated(rho) => {
                    let cost = conversion::exponential_mechanism_epsilon(rho)?;
                    epsilon = Some(cost);
                    Event::exponential_mechanism_in_rho(&purpose, cost, sensitivity as f64)?
                }
            };
            self.ledger.spend(event)?;
        }
        let Some(epsilon) = epsilon else { return Ok(Vec::new()) };
        let scores = self.scores(candidates)?;
        let choose = match charge.notion() {
            Notion::ZeroConcentrated => exponential_mechanism,
            Notion::Pure | Notion::Approximate => permute_and_flip,
        };
        let mut chosen = Vec::with_capacity(count);
        for _ in 0..count {
            let open = open(&chosen);
            let of_open: Vec<i128> = open.iter().filter_map(|at| scores.get(*at).copied()).collect();
            let place = choose(self.noise.rng(), &of_open, sensitivity, epsilon)?;
            chosen.push(open[place]);
        }
        Ok(chosen)
    }

    /// The scores of all candidates, each distinct set of variables counted once.
    fn scores(&self, candidates: &[ExpectedGroups<'_>]) -> Result<Vec<i128>, PrivacyError> {
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|at| candidates[*at].margin.of);
        let same: Vec<&[usize]> =
            order.chunk_by(|one, other| candidates[*one].margin.of == candidates[*other].margin.of).collect();
        let mut scores = vec![0; candidates.len()];
        let cells = |at: usize| Margin::checked_cells(self.domain(), candidates[at].margin.of).unwrap_or(DENSE_CELLS);
        let mut begin = 0;
        while begin < same.len() {
            let (mut end, mut held) = (begin, 0);
            while end < same.len() && (end == begin || held + cells(same[end][0]) <= CELLS_AT_A_TIME) {
                held += cells(same[end][0]).min(DENSE_CELLS);
                end += 1;
            }
            let of: Vec<Attributes> = same[begin..end].iter().map(|of| candidates[of[0]].margin.of.clone()).collect();
            let counted = self.counted(&of)?;
            let found: Vec<Vec<i128>> = counted
                .iter()
                .zip(&same[begin..end])
                .map(|(counted, of)| of.iter().map(|at| score(counted, &candidates[*at])).collect())
                .collect();
            for (of, found) in same[begin..end].iter().zip(found) {
                of.iter().zip(found).for_each(|(at, score)| scores[*at] = score);
            }
            begin = end;
        }
        Ok(scores)
    }

    fn counted(&self, of: &[Attributes]) -> Result<Vec<Counted>, PrivacyError> {
        let is_dense = |of: &Attributes| {
            Margin::checked_cells(self.domain(), of).is_ok_and(|cells| cells <= DENSE_CELLS)
        };
        let (few, many): (Vec<usize>, Vec<usize>) = (0..of.len()).partition(|at| is_dense(&of[*at]));
        let wanted: Vec<Attributes> = few.iter().map(|at| of[*at].clone()).collect();
        let dense = self.held.counts().margins(&wanted)?.into_iter().map(Counted::Dense);
        let mut all: Vec<(usize, Counted)> = few.into_iter().zip(dense).collect();
        for at in many {
            all.push((at, Counted::Sparse(self.held.counts().contingency_table(&of[at])?)));
        }
        all.sort_by_key(|(at, _)| *at);
        Ok(all.into_iter().map(|(_, counted)| counted).collect())
    }
}

fn score(counted: &Counted, candidate: &ExpectedGroups<'_>) -> i128 {
    let counts = counted.in_groups(&candidate.margin);
    let sizes: Vec<usize> = candidate.sums.iter().map(|sums| sums.len()).collect();
    let ways = candidate.sums.len() as i32;
    let beyond = |(place, count): (usize, &u64)| {
        let (mut rest, mut expected) = (place, candidate.records.powi(1 - ways));
        for (sums, size) in candidate.sums.iter().zip(&sizes).rev() {
            expected *= sums[rest % size];
            rest /= size;
        }
        let difference = (i128::from(*count) - expected.round() as i128).abs();
        (difference - i128::from(candidate.threshold)).max(0)
    };
    counts.iter().enumerate().map(beyond).sum::<i128>() * i128::from(candidate.weight)
}
