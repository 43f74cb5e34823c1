//! The fitted model: one step after the other is drawn for all records, each given what is there.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rand::RngExt;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use statistics::trees::{Coding, Predictor};
use table::expression::{Expression, Value};
use table::schema::{Schema, SchemaFile};
use table::{Column, Kind, Table, Variable};

use super::auxiliary::Auxiliary;
use super::conditional::Given;
use super::constraints::{Guard, Nesting, Rules};
use super::fitted_step::{FittedStep, StepDraws};
use super::frame::{ColumnBuilder, Frame, predictor_as};
use crate::key::Key;
use crate::randomness::{BLOCK, Rng, Seed};
use crate::synthesizer::Drawn;
use crate::{Model, SynthesisError};

/// How often a model draws a value again before entries of the data are tried.
const DRAWS: usize = 20;

/// How many entries of the data are tried before the record is given up.
const SPARES: usize = 100;

/// How often records that were given up are drawn again from the start.
const ROUNDS: u64 = 50;

/// How many blocks are drawn at once before they are stored in columns.
const AT_ONCE: usize = 32;

/// What a model file holds.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Stored {
    /// The schema that the records keep, as TOML.
    pub schema: String,
    pub auxiliary: Vec<Auxiliary>,
    /// How many records the data had.
    pub records: usize,
    pub proper: bool,
    /// For each variable that trees split by, how its values become codes.
    pub codings: Vec<Option<Arc<Coding>>>,
    pub steps: Vec<FittedStep>,
    pub remarks: Vec<String>,
}

/// A fitted sequence of conditionals.
pub(super) struct SequentialModel {
    stored: Stored,
    /// The variables of the schema, then the auxiliary ones.
    variables: Vec<Variable>,
    guards: Vec<Guard>,
    /// The variables that are drawn and released, as positions and as a schema.
    released: Vec<usize>,
    released_schema: Arc<Schema>,
}

/// A model from its stored state.
pub fn load(state: serde_json::Value) -> Result<Box<dyn Model>, SynthesisError> {
    let stored: Stored =
        serde_json::from_value(state).map_err(|error| SynthesisError::ModelFile(error.to_string()))?;
    Ok(Box::new(SequentialModel::new(stored)?))
}

impl SequentialModel {
    /// A model that can draw, from what was fitted.
    pub(super) fn new(stored: Stored) -> Result<Self, SynthesisError> {
        let schema = SchemaFile::parse(&stored.schema)?.finish()?;
        let mut variables = schema.variables().to_vec();
        variables.extend(stored.auxiliary.iter().map(Auxiliary::variable));
        let rules = Rules::of(&schema, &variables)?;
        let targets: Vec<&[usize]> = stored.steps.iter().map(|step| &step.targets[..]).collect();
        let guards = guards(&rules, &targets, variables.len());
        let is_released =
            |at: &usize| variables[*at].kind != Kind::TextId && variables[*at].formula.is_none();
        let released: Vec<usize> = (0..schema.variables().len()).filter(is_released).collect();
        let names: Vec<&str> = released.iter().map(|at| variables[*at].name.as_str()).collect();
        let empty = schema.variables().iter().map(empty_column).collect();
        let released_schema = Table::new(Arc::new(schema), empty)?.select(&names)?.shared_schema();
        Ok(Self { stored, guards, released, released_schema, variables })
    }

    /// Draws all steps for `rows` records; kept variables are those of the original records `sources`. Tells which records were given up.
    fn draw(
        &self,
        rows: usize,
        sources: &[u32],
        seed: Seed,
    ) -> Result<(Frame<'_>, Vec<u32>), SynthesisError> {
        let mut frame = Frame::new(&self.variables, rows);
        let mut features: Vec<Option<Predictor>> = vec![None; self.variables.len()];
        let mut given_up = vec![false; rows];
        for (number, (step, guard)) in self.stored.steps.iter().zip(&self.guards).enumerate() {
            let seed = seed.child(number as u64);
            let columns = match &step.draws {
                StepDraws::Keep(columns) => {
                    let kept = step.targets.iter().zip(columns);
                    kept.map(|(at, column)| column.column(&self.variables[*at]).take(sources)).collect()
                }
                StepDraws::Auxiliary(auxiliary) => {
                    let auxiliary = &self.stored.auxiliary[*auxiliary];
                    let of = self.variables.iter().position(|variable| variable.name == auxiliary.of);
                    vec![auxiliary.column(frame.column(of.unwrap_or(0)))]
                }
                _ => {
                    let redrawn = self.stored.proper.then(|| step.with_drawn_parameters(seed.child(0)));
                    let step = redrawn.as_ref().unwrap_or(step);
                    let given = Given { frame: &frame, features: &features };
                    let drawing = StepDrawing::new(step, guard, given)?;
                    let (columns, failed) = drawing.draw(rows, seed.child(1))?;
                    failed.into_iter().for_each(|row| given_up[row as usize] = true);
                    columns
                }
            };
            for (at, column) in step.targets.iter().zip(columns) {
                if let Some(coding) = &self.stored.codings[*at] {
                    features[*at] = Some(predictor_as(coding, &self.variables[*at], &column)?);
                }
                frame.insert(*at, Cow::Owned(column));
            }
        }
        let given_up = (0..rows as u32).filter(|row| given_up[*row as usize]).collect();
        Ok((frame, given_up))
    }

    /// The released columns of a frame.
    fn released(&self, mut frame: Frame<'_>) -> Result<Table, SynthesisError> {
        let column = |at: &usize| frame.remove(*at).expect("every released variable has its step");
        let columns = self.released.iter().map(column).collect();
        Ok(Table::new(Arc::clone(&self.released_schema), columns)?)
    }

    fn keeps_records(&self) -> bool {
        self.stored.steps.iter().any(|step| matches!(step.draws, StepDraws::Keep(_)))
    }
}

impl Model for SequentialModel {
    fn sample(&self, rows: usize, seed: Seed) -> Result<Drawn, SynthesisError> {
        let originals = self.stored.records;
        let mut sources: Vec<u32> = if !self.keeps_records() {
            Vec::new()
        } else if rows == originals {
            (0..rows as u32).collect()
        } else {
            let mut rng = seed.child(u64::from(u32::MAX)).stream(0);
            (0..rows).map(|_| rng.random_range(0..originals as u32)).collect()
        };
        let (frame, mut open) = self.draw(rows, &sources, seed)?;
        let mut all = self.released(frame)?;
        for round in 0..ROUNDS {
            if open.is_empty() {
                return Ok(Drawn::Records(all));
            }
            // Records that no value would let keep the schema are drawn anew as a whole.
            let of_open: Vec<u32> = if sources.is_empty() {
                Vec::new()
            } else {
                open.iter().map(|row| sources[*row as usize]).collect()
            };
            let (frame, again) =
                self.draw(open.len(), &of_open, seed.child(u64::from(u32::MAX) + 1 + round))?;
            let anew = self.released(frame)?;
            let mut order: Vec<u32> = (0..rows as u32).collect();
            open.iter().zip(rows as u32..).for_each(|(row, place)| order[*row as usize] = place);
            all = Table::concatenate(Arc::clone(&self.released_schema), vec![all, anew])?.take(&order)?;
            open = again.into_iter().map(|place| open[place as usize]).collect();
        }
        sources.clear();
        let rules: Vec<String> =
            self.guards.iter().map(Guard::rules_text).filter(|text| !text.is_empty()).collect();
        Err(SynthesisError::Rules(if rules.is_empty() {
            "computed variables leave their range in some records however often these are drawn; widen the range in the schema".into()
        } else {
            format!("some records cannot keep `{}` however often they are drawn", rules.join("; "))
        }))
    }

    fn remarks(&self) -> Vec<String> {
        self.stored.remarks.clone()
    }

    fn state(&self) -> serde_json::Value {
        serde_json::json!(self.stored)
    }

    fn confidential(&self) -> Option<&'static str> {
        Some("values of the original records: the donors from which synthetic values are drawn")
    }
}

/// What is asked of each step, given the targets of those before it.
pub(super) fn guards(rules: &Rules, targets: &[&[usize]], variables: usize) -> Vec<Guard> {
    let mut known = vec![false; variables];
    let mut guards = Vec::with_capacity(targets.len());
    for of_step in targets {
        guards.push(rules.guard(of_step, &known));
        of_step.iter().for_each(|at| known[*at] = true);
    }
    guards
}

fn empty_column(variable: &Variable) -> Column {
    match &variable.kind {
        Kind::TextId => Column::Text(table::TextColumn {
            codes: table::Codes::with_capacity(1, 0),
            dictionary: Vec::new(),
        }),
        _ => ColumnBuilder::new(variable, 0).finish(),
    }
}

/// One step, ready to draw block by block.
struct StepDrawing<'a> {
    step: &'a FittedStep,
    guard: &'a Guard,
    given: Given<'a>,
    keys: Vec<Key>,
    formula: Option<table::expression::Formula>,
}

/// Values of one block, a list for each target, and the records that were given up.
type Block = (Vec<Vec<Value>>, Vec<u32>);

impl<'a> StepDrawing<'a> {
    fn new(step: &'a FittedStep, guard: &'a Guard, given: Given<'a>) -> Result<Self, SynthesisError> {
        let variables = given.frame.variables();
        let (keys, formula) = match &step.draws {
            StepDraws::Sample { within, .. } => {
                let keys = within.iter().map(|text| Key::parse(text, variables)).collect::<Result<_, _>>()?;
                (keys, None)
            }
            StepDraws::Computed(text) => (Vec::new(), Some(Expression::parse(text)?.formula(variables)?)),
            _ => (Vec::new(), None),
        };
        Ok(Self { step, guard, given, keys, formula })
    }

    fn draw(&self, rows: usize, seed: Seed) -> Result<(Vec<Column>, Vec<u32>), SynthesisError> {
        let variables = self.given.frame.variables();
        let mut columns: Vec<ColumnBuilder<'_>> =
            self.step.targets.iter().map(|at| ColumnBuilder::new(&variables[*at], rows)).collect();
        let mut given_up = Vec::new();
        let blocks: Vec<usize> = (0..rows.div_ceil(BLOCK)).collect();
        for some in blocks.chunks(AT_ONCE) {
            let drawn = some.par_iter().map(|block| {
                let range = block * BLOCK..rows.min((block + 1) * BLOCK);
                self.block(range, seed.stream(*block as u64))
            });
            for (values, failed) in drawn.collect::<Result<Vec<Block>, _>>()? {
                columns.iter_mut().zip(&values).for_each(|(column, values)| column.extend(values));
                given_up.extend(failed);
            }
        }
        Ok((columns.into_iter().map(ColumnBuilder::finish).collect(), given_up))
    }

    fn block(&self, rows: Range<usize>, mut rng: Rng) -> Result<Block, SynthesisError> {
        match &self.step.draws {
            StepDraws::Model { predictors, variable } => {
                self.model_block(rows, &mut rng, |of, rng| variable.draw(&self.given, predictors, of, rng))
            }
            StepDraws::Constant(mark) => {
                self.model_block(rows, &mut rng, |of, _| Ok(vec![mark.value(); of.len()]))
            }
            StepDraws::Computed(_) => Ok(self.computed_block(rows)),
            StepDraws::Sample { pool, columns, .. } => {
                Ok(self.sample_block(rows, &mut rng, |record, rng| {
                    let keys: Vec<u64> = self.keys.iter().map(|key| key.of(record)).collect();
                    let donor = pool.draw(&keys, rng) as usize;
                    let entry = |(at, column): (&usize, &super::stored_column::StoredColumn)| {
                        (*at, column.value(&self.given.frame.variables()[*at], donor))
                    };
                    self.step.targets.iter().zip(columns).map(entry).collect()
                }))
            }
            StepDraws::Keep(_) | StepDraws::Auxiliary(_) => Ok((Vec::new(), Vec::new())),
        }
    }

    /// One variable from a model: values that rules fix, then draws until the schema is kept, then entries of the data.
    fn model_block(
        &self,
        rows: Range<usize>,
        rng: &mut Rng,
        draw: impl Fn(&[u32], &mut Rng) -> Result<Vec<Value>, SynthesisError>,
    ) -> Result<Block, SynthesisError> {
        let target = self.step.targets[0];
        let frame = self.given.frame;
        let start = rows.start;
        let mut values: Vec<Value> = vec![Value::Missing; rows.len()];
        let mut open: Vec<u32> = Vec::with_capacity(rows.len());
        for row in rows {
            match self.guard.pinned(&frame.record(row)) {
                Some(value) => values[row - start] = value,
                None => open.push(row as u32),
            }
        }
        let fits = |row: u32, value: Value| self.fits(row as usize, &[(target, value)]);
        for _ in 0..DRAWS {
            if open.is_empty() {
                break;
            }
            let drawn = draw(&open, rng)?;
            let mut still_open = Vec::new();
            for (row, value) in open.iter().zip(drawn) {
                values[*row as usize - start] = value;
                if !fits(*row, value) {
                    still_open.push(*row);
                }
            }
            open = still_open;
        }
        let mut given_up = Vec::new();
        for row in open {
            match (0..SPARES).find_map(|_| self.spare(row as usize, rng).filter(|value| fits(row, *value))) {
                Some(value) => values[row as usize - start] = value,
                None => given_up.push(row),
            }
        }
        Ok((vec![values], given_up))
    }

    /// An entry of the data: one that lies in the record's parent, or any.
    fn spare(&self, row: usize, rng: &mut Rng) -> Option<Value> {
        let frame = self.given.frame;
        let levels = |at: usize| frame.variables()[at].kind.levels().map_or(0, |levels| levels.len()) as u32;
        match self.step.nestings.first().map(|nesting| (nesting, frame.column(nesting.given))) {
            Some((nesting, Column::Categorical(codes))) => {
                let code = nesting.draw(codes.get(row), rng)?;
                let is_level = code < levels(nesting.drawn);
                Some(if is_level { Value::Level(code) } else { Value::Missing })
            }
            _ => self.step.spare.pick(rng),
        }
    }

    /// Whether a record may have these values: they lie in their parents and keep the schema.
    fn fits(&self, row: usize, values: &[(usize, Value)]) -> bool {
        let frame = self.given.frame;
        let is_nested = |nesting: &Nesting| {
            let Column::Categorical(codes) = frame.column(nesting.given) else { return true };
            let missing =
                frame.variables()[nesting.drawn].kind.levels().map_or(0, |levels| levels.len()) as u32;
            let value = values.iter().find(|(variable, _)| *variable == nesting.drawn);
            let code = if let Some((_, Value::Level(level))) = value { *level } else { missing };
            nesting.allows(codes.get(row), code)
        };
        self.step.nestings.iter().all(is_nested) && self.guard.accepts(frame, row, values)
    }

    fn computed_block(&self, rows: Range<usize>) -> Block {
        let target = self.step.targets[0];
        let frame = self.given.frame;
        let mut given_up = Vec::new();
        let compute = |row: usize| {
            let number = self.formula.as_ref().and_then(|formula| formula.number(&frame.record(row)));
            let value = number.map_or(Value::Missing, Value::Number);
            if !self.guard.accepts(frame, row, &[(target, value)]) {
                given_up.push(row as u32);
            }
            value
        };
        (vec![rows.map(compute).collect()], given_up)
    }

    /// Entries of one donor for all targets, again until the schema is kept.
    fn sample_block(
        &self,
        rows: Range<usize>,
        rng: &mut Rng,
        draw: impl Fn(&super::frame::FrameRecord<'_>, &mut Rng) -> Vec<(usize, Value)>,
    ) -> Block {
        let frame = self.given.frame;
        let mut values: Vec<Vec<Value>> =
            self.step.targets.iter().map(|_| Vec::with_capacity(rows.len())).collect();
        let mut given_up = Vec::new();
        for row in rows {
            let record = frame.record(row);
            let mut drawn = draw(&record, rng);
            let mut tries = 0;
            while !self.fits(row, &drawn) {
                tries += 1;
                match &mut drawn[..] {
                    _ if tries == DRAWS + SPARES => {
                        given_up.push(row as u32);
                        break;
                    }
                    [(_, value)] if tries > DRAWS => *value = self.spare(row, rng).unwrap_or(*value),
                    _ => drawn = draw(&record, rng),
                }
            }
            values.iter_mut().zip(drawn).for_each(|(column, (_, value))| column.push(value));
        }
        (values, given_up)
    }
}
