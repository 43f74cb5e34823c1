//! From questions to goals: single variables, choices, tables of pairs, all behind noise.
//!
//! Pairs are chosen by how far their counts lie from what is known, each at two resolutions, so that a strong association of many levels and a weak one of few both have their chance. The first are held
//! against independence; as long as there are variables that no table joins, only pairs that join two parts can be chosen (Kruskal's rule). The others are held against records that were made of the first
//! answers, so that what these already tell is not paid for again. A candidate's score is Σ max(0, y − e − t) + Σ max(0, e − y − t), e whole records that are expected and t the standard deviation of the
//! noise that a measurement will have, rounded: what noise would hide does not count. The second sum is over the cells of the coarse table also for the fine one, many of whose cells are expected to hold less than t.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::associations::{self, Side};
use super::grouping::{Grouping, Levels, Merges, within};
use super::one_ways;
use super::plan::{NoiseOf, Plan};
use super::posterior::Noise;
use super::rows::{Constraints, Goals, Table, draw};
use crate::randomness::Seed;

/// A level of a fine table holds at least this many standard deviations of noise.
const DEVIATIONS_A_LEVEL: f64 = 4.0;

/// How much more the score of a fine table counts than that of a coarse one. Where one variable nearly tells the other, both lie as far from independence, and
/// the coarse table leaves open within its groups what the fine one tells.
const FINE: f64 = 1.1;

/// The table of a pair that may be chosen.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The variables, ascending.
    pub(super) variables: [usize; 2],
    /// Their groups.
    pub(super) groupings: [Arc<Grouping>; 2],
    /// The expected counts of the groups.
    pub(super) sums: [Arc<Vec<f64>>; 2],
    /// The groups of the coarse table of the pair, over which what is missing is counted, and their expected counts.
    pub(super) coarse: [GroupsAndSums; 2],
    /// What a difference must exceed to count.
    pub(super) threshold: u64,
    /// How much its score counts, in thousandths.
    pub(super) weight: u32,
    /// How much the pair matters, at most 1.
    pub(super) matters: f32,
}

/// What candidates are held against: records of this number, independent, or made of earlier answers, the levels of all variables record by record.
pub(super) enum From<'a> {
    /// Variables that have nothing to do with each other.
    Independence(f64),
    /// Records that agree with what was measured.
    Made(f64, &'a [u16]),
}

/// What is behind noise, and what is asked of it. Prices are whole units.
pub(super) trait Answers {
    /// Why a question was refused.
    type Error;

    /// The counts of a variable under noise.
    fn one_way(&mut self, variable: usize, units: u64) -> Result<(Vec<f64>, Noise), Self::Error>;

    /// `count` choices, one after the other, at this price each, by how far candidates lie from independence or from made records. `next` says which
    /// may be chosen after those that were.
    fn choose(
        &mut self,
        candidates: &[Candidate],
        from: &From<'_>,
        batch: usize,
        count: usize,
        units: u64,
        next: &mut dyn FnMut(&[usize]) -> Vec<usize>,
    ) -> Result<Vec<usize>, Self::Error>;

    /// The counts of a pair's groups under noise, the second variable fastest.
    fn pair(&mut self, of: &Candidate, units: u64) -> Result<(Vec<f64>, Noise), Self::Error>;
}

/// What is known before anything is asked.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// The levels of each variable.
    pub(super) levels: Vec<Levels>,
    /// The pairs that may be chosen, ascending.
    pub(super) pairs: Vec<[usize; 2]>,
    /// How much each of them matters, at most 1.
    pub(super) weights: Vec<f64>,
    /// How much each variable matters, at most 1.
    pub(super) variable_weights: Vec<f64>,
    /// The number of records that is planned for.
    pub(super) records: u64,
    /// The number of records where it is public.
    pub(super) exact_records: Option<u64>,
    /// The noise that an amount buys.
    pub(super) noise: NoiseOf,
    /// Units of an amount of 1.
    pub(super) one: u64,
}

/// Asks what the plan says, and makes goals of the answers.
pub(super) fn goals<A: Answers>(
    known: &Known,
    plan: &Plan,
    constraints: &Constraints,
    answers: &mut A,
) -> Result<Goals, A::Error> {
    let mut seen: BTreeMap<usize, (Vec<f64>, Noise)> = BTreeMap::new();
    for (variable, units) in &plan.one_ways {
        seen.insert(*variable, answers.one_way(*variable, *units)?);
    }
    let sums: Vec<(f64, f64)> = seen
        .values()
        .map(|(counts, noise)| (counts.iter().sum(), counts.len() as f64 * noise.sd().powi(2)))
        .collect();
    let records = known
        .exact_records
        .map_or_else(|| one_ways::records(&sums, known.records), |records| records.max(1) as f64);
    let counts: Vec<Vec<f64>> = known
        .levels
        .iter()
        .enumerate()
        .map(|(variable, levels)| match seen.get(&variable) {
            Some((counts, noise)) => one_ways::estimated(levels, counts, noise, records),
            None => vec![records; levels.size],
        })
        .collect();
    let weights = known.variable_weights.iter().map(|weight| *weight as f32).collect();
    let one_ways = counts.iter().map(|counts| counts.iter().map(|count| *count as f32).collect()).collect();
    let mut goals = Goals { records, one_ways, weights, tables: Vec::new() };
    let candidates = if plan.pairs() > 0 { candidates(known, plan, &counts) } else { Vec::new() };
    let mut chosen: Vec<usize> = Vec::new();
    let batches = if candidates.is_empty() { &[][..] } else { &plan.batches };
    for (batch, count) in batches.iter().enumerate() {
        let before = chosen.clone();
        let mut next = |now: &[usize]| open_candidates(known, &candidates, &[&before, now].concat());
        let made;
        let from = if batch == 0 {
            From::Independence(records)
        } else {
            made = between_looks(&goals, constraints, known.records);
            From::Made(records, &made)
        };
        // Where every pair is measured at its one resolution, there are as many candidates as pairs.
        let now = match plan.choice {
            0 => (0..candidates.len()).collect(),
            price => answers.choose(&candidates, &from, batch, *count, price, &mut next)?,
        };
        let mut measured = Vec::with_capacity(now.len());
        for (at, units) in now.iter().zip(&plan.tables[before.len()..]) {
            let (noisy, noise) = answers.pair(&candidates[*at], *units)?;
            measured.push((&candidates[*at], noisy, noise));
        }
        goals.tables.extend(estimated_tables(known, &counts, records, measured));
        chosen.extend(now);
    }
    Ok(goals)
}

/// Records between two looks, at most.
const MOST_BETWEEN: u64 = 100_000;

/// Records that agree with the goals so far. What is made of answers needs no secret randomness.
fn between_looks(goals: &Goals, constraints: &Constraints, records: u64) -> Vec<u16> {
    draw(goals, constraints, records.clamp(1, MOST_BETWEEN) as usize, true, Seed::new(0))
}

type Measured<'a> = (&'a Candidate, Vec<f64>, Noise);

fn estimated_tables(
    known: &Known,
    counts: &[Vec<f64>],
    records: f64,
    measured: Vec<Measured<'_>>,
) -> Vec<Table> {
    use rayon::prelude::*;
    let table = |(candidate, noisy, noise): Measured<'_>| {
        let side = |at: usize| Side {
            levels: &known.levels[candidate.variables[at]],
            counts: &counts[candidate.variables[at]],
            grouping: &candidate.groupings[at],
        };
        let estimates = associations::estimated([side(0), side(1)], &noisy, &noise, records);
        Table {
            variables: candidate.variables,
            groupings: [0, 1].map(|at| candidate.groupings[at].as_ref().clone()),
            counts: estimates.into_iter().map(|count| count as f32).collect(),
            weight: candidate.matters,
        }
    };
    measured.into_par_iter().map(table).collect()
}

/// The groups of a variable and what they are expected to hold.
pub(super) type GroupsAndSums = (Arc<Grouping>, Arc<Vec<f64>>);

/// Both resolutions of every pair.
fn candidates(known: &Known, plan: &Plan, counts: &[Vec<f64>]) -> Vec<Candidate> {
    let sd = known.noise.sd(plan.tables[0] as f64 / known.one as f64);
    let merges: Vec<Merges> =
        known.levels.iter().zip(counts).map(|(levels, counts)| Merges::new(levels, counts)).collect();
    let fine: Vec<usize> = merges
        .iter()
        .map(|merges| merges.until(DEVIATIONS_A_LEVEL * sd).max(merges.fewest().max(2)))
        .collect();
    let mut made: BTreeMap<(usize, usize), GroupsAndSums> = BTreeMap::new();
    let mut side = |variable: usize, groups: usize| {
        made.entry((variable, groups))
            .or_insert_with(|| {
                let grouping = merges[variable].grouping(groups);
                let sums = grouping.sums(&counts[variable]);
                (Arc::new(grouping), Arc::new(sums))
            })
            .clone()
    };
    let mut candidates = Vec::with_capacity(2 * known.pairs.len());
    for (pair, weight) in known.pairs.iter().zip(&known.weights) {
        let both = pair.map(|variable| &merges[variable]);
        let fine = within(both, pair.map(|variable| fine[variable]), plan.fine_cells);
        let coarse = within(both, fine, plan.coarse_cells);
        let resolutions = if fine == coarse { vec![fine] } else { vec![coarse, fine] };
        let both_coarse = [side(pair[0], coarse[0]), side(pair[1], coarse[1])];
        for groups in resolutions {
            let preference = if groups == coarse { 1.0 } else { FINE };
            let (one, other) = (side(pair[0], groups[0]), side(pair[1], groups[1]));
            candidates.push(Candidate {
                variables: *pair,
                groupings: [one.0, other.0],
                sums: [one.1, other.1],
                coarse: both_coarse.clone(),
                threshold: sd.round().max(1.0) as u64,
                weight: (weight * preference * 1000.0).round().max(1.0) as u32,
                matters: *weight as f32,
            });
        }
    }
    candidates
}

/// The candidates that may be chosen next: pairs that were not, and as long as there are any those that join two parts.
fn open_candidates(known: &Known, candidates: &[Candidate], chosen: &[usize]) -> Vec<usize> {
    let mut part: Vec<usize> = (0..known.levels.len()).collect();
    let mut taken = std::collections::BTreeSet::new();
    for at in chosen {
        let [one, other] = candidates[*at].variables;
        taken.insert([one, other]);
        let (kept, gone) = (part[one], part[other]);
        part.iter_mut().filter(|part| **part == gone).for_each(|part| *part = kept);
    }
    let rest = || (0..candidates.len()).filter(|at| !taken.contains(&candidates[*at].variables));
    let joining: Vec<usize> = rest()
        .filter(|at| {
            let [one, other] = candidates[*at].variables;
            part[one] != part[other]
        })
        .collect();
    if joining.is_empty() { rest().collect() } else { joining }
}
