//! The fitted model and its file.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use table::{Attributes, Domain};

use super::grouping::Grouping;
use super::known::constraints;
use super::places::place;
use super::rows::{Constraints, Goals, Table, draw};
use crate::methods::stored_cells;
use crate::randomness::{BLOCK, CHUNK, Seed};
use crate::stored::{StateContext, StateReader, StateWriter, ensure};
use crate::{Cells, Model, StructuralZeros, SynthesisError};

/// Estimated or exact tables from which rows are made.
pub(super) struct PairwiseModel {
    pub(super) domain: Domain,
    pub(super) zeros: StructuralZeros,
    pub(super) goals: Goals,
    pub(super) constraints: Constraints,
    pub(super) settle: bool,
    pub(super) remarks: Vec<String>,
    pub(super) private: bool,
}

/// What a model file holds beside arrays.
#[derive(Serialize, Deserialize)]
struct Settings {
    records: f64,
    settle: bool,
    remarks: Vec<String>,
    /// The variables of each table, its numbers of groups, and how much it matters.
    tables: Vec<([usize; 2], [usize; 2], f32)>,
}

/// The name under which it holds them.
const SETTINGS: &str = "tables of pairs";

/// Up to so many records are settled together.
const MOST_TOGETHER: usize = 4 * CHUNK;

impl PairwiseModel {
    /// Records that settle towards tables of pairs that another model of a private run holds, level by level: all counts are of so many records.
    pub(super) fn of_tables(
        domain: &Domain,
        zeros: &StructuralZeros,
        (records, one_ways): (f64, Vec<Vec<f64>>),
        pairs: Vec<([usize; 2], Vec<f64>)>,
        remarks: Vec<String>,
    ) -> Result<Self, SynthesisError> {
        let constraints = constraints(domain, zeros)?;
        let singly = |variable: usize| {
            let size = domain.variables()[variable].size();
            Grouping { of_level: (0..size as u32).collect(), groups: size }
        };
        let narrow = |counts: Vec<f64>| counts.into_iter().map(|count| count as f32).collect::<Vec<f32>>();
        let least = 1e-9 * records;
        let table = |(variables, counts): ([usize; 2], Vec<f64>)| Table {
            variables,
            groupings: variables.map(singly),
            counts: narrow(counts),
            weight: 1.0,
        };
        let goals = Goals {
            records,
            weights: vec![1.0; one_ways.len()],
            one_ways: one_ways
                .into_iter()
                .map(|counts| narrow(counts.into_iter().map(|count| count.max(least)).collect()))
                .collect(),
            tables: pairs.into_iter().map(table).collect(),
        };
        let goals = goals.without_impossible(&constraints);
        let (domain, zeros) = (domain.clone(), zeros.clone());
        Ok(Self { domain, zeros, goals, constraints, settle: true, remarks, private: true })
    }

    fn chunk(&self, rows: usize, start: usize, seed: Seed) -> Cells {
        self.drawn(CHUNK.min(rows - start), seed.child((start / CHUNK) as u64))
    }

    fn drawn(&self, rows: usize, seed: Seed) -> Cells {
        let variables = self.domain.variables().len();
        let mut drawn = draw(&self.goals, &self.constraints, rows, self.settle, seed);
        place(&mut drawn, &self.goals, &self.constraints, &self.domain, seed.child(0));
        let mut cells = Cells::with_capacity(&self.domain, rows);
        for block in drawn.chunks(BLOCK * variables) {
            let column = |variable: usize| {
                block.iter().skip(variable).step_by(variables).map(|level| u32::from(*level))
            };
            cells.append(&(0..variables).map(|variable| column(variable).collect()).collect());
        }
        cells
    }
}

impl Model<Cells> for PairwiseModel {
    fn has_parts(&self, rows: usize) -> bool {
        rows > MOST_TOGETHER
    }

    /// A large data set is put together from chunks, each of which is settled by itself: its memory does not grow, and chunks are drawn on all cores.
    fn sample(&self, rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        if rows <= MOST_TOGETHER {
            return Ok(self.drawn(rows, seed));
        }
        let chunks: Vec<usize> = (0..rows).step_by(CHUNK).collect();
        let drawn: Vec<Cells> = chunks.par_iter().map(|start| self.chunk(rows, *start, seed)).collect();
        let mut all = Cells::with_capacity(&self.domain, rows);
        drawn.iter().for_each(|chunk| all.append_cells(chunk));
        Ok(all)
    }

    fn sample_part(
        &self,
        rows: usize,
        part: Range<usize>,
        seed: Seed,
    ) -> Option<Result<Cells, SynthesisError>> {
        self.has_parts(rows).then(|| Ok(self.chunk(rows, part.start, seed)))
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        let goals = &self.goals;
        let table = |table: &Table| {
            (table.variables, [table.groupings[0].groups, table.groupings[1].groups], table.weight)
        };
        let settings = Settings {
            records: goals.records,
            settle: self.settle,
            remarks: self.remarks.clone(),
            tables: goals.tables.iter().map(table).collect(),
        };
        into.settings(SETTINGS, &settings)?;
        into.array("weights", &goals.weights)?;
        goals.one_ways.iter().try_for_each(|counts| into.array("counts", counts))?;
        for table in &goals.tables {
            table.groupings.iter().try_for_each(|grouping| into.array("groups", &grouping.of_level))?;
            into.array("counts", &table.counts)?;
        }
        self.zeros.store(into)
    }

    fn confidential(&self) -> Option<&'static str> {
        (!self.private).then_some("the exact counts of all pairs of variables")
    }
}

/// A model from its stored state.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    let domain = stored_cells::domain(context)?;
    let sizes = domain.sizes(&Attributes::all(&domain));
    let Settings { records, settle, remarks, tables } = from.settings(SETTINGS)?;
    ensure(records.is_finite() && records > 0.0, "its number of records is none")?;
    let are_counts = |counts: &[f32]| counts.iter().all(|count| count.is_finite() && *count >= 0.0);
    let weights: Vec<f32> = from.array("weights")?;
    ensure(weights.len() == sizes.len() && are_counts(&weights), "weights are not those of its variables")?;
    let one_way = |size: &usize| {
        let counts: Vec<f32> = from.array("counts")?;
        ensure(counts.len() == *size && are_counts(&counts), "counts are not those of a variable")?;
        Ok(counts)
    };
    let one_ways = sizes.iter().map(one_way).collect::<Result<Vec<_>, SynthesisError>>()?;
    let table = |(variables, groups, weight): ([usize; 2], [usize; 2], f32)| {
        let are_two = variables[0] < variables[1] && variables[1] < sizes.len();
        ensure(are_two && weight.is_finite() && weight >= 0.0, "a table is of variables that are not there")?;
        let mut grouping = |side: usize| {
            let of_level: Vec<u32> = from.array("groups")?;
            let is_of_variable = of_level.len() == sizes[variables[side]]
                && (0..groups[side]).all(|group| of_level.contains(&(group as u32)))
                && of_level.iter().all(|group| (*group as usize) < groups[side]);
            ensure(is_of_variable && groups[side] <= of_level.len(), "groups are not those of a variable")?;
            Ok::<_, SynthesisError>(Grouping { of_level, groups: groups[side] })
        };
        let groupings = [grouping(0)?, grouping(1)?];
        let counts: Vec<f32> = from.array("counts")?;
        ensure(
            counts.len() == groups[0] * groups[1] && are_counts(&counts),
            "counts are not those of a table",
        )?;
        Ok(Table { variables, groupings, counts, weight })
    };
    let tables = tables.into_iter().map(table).collect::<Result<Vec<_>, SynthesisError>>()?;
    let zeros = StructuralZeros::load(from, &domain)?;
    let constraints = constraints(&domain, &zeros)?;
    let goals = Goals { records, one_ways, weights, tables };
    let private = context.records.is_none();
    Ok(Box::new(PairwiseModel { domain, zeros, goals, constraints, settle, remarks, private }))
}
