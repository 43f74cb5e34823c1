//! One step drawn for all records, block by block: again where the schema is broken, from entries of the data where that does not help.

use std::ops::Range;

use rayon::prelude::*;
use table::Column;
use table::expression::{Expression, Formula, Value};

use super::conditional::Given;
use super::constraints::{Guard, Nesting};
use super::fitted_step::{FittedStep, StepDraws};
use super::frame::{ColumnBuilder, FrameRecord};
use super::smoothing::Smoothing;
use crate::SynthesisError;
use crate::key::Key;
use crate::randomness::{BLOCK, Rng, Seed};
use crate::stored::StoredColumn;

/// How often a model draws a value again before entries of the data are tried.
const DRAWS: usize = 20;

/// How many entries of the data are tried before the record is given up.
const SPARES: usize = 100;

/// How many blocks are drawn at once before they are stored in columns.
const AT_ONCE: usize = 32;

/// One step, ready to draw block by block.
pub(super) struct StepDrawing<'a> {
    step: &'a FittedStep,
    guard: &'a Guard,
    given: Given<'a>,
    keys: Vec<Key>,
    formula: Option<Formula>,
}

/// Values of one block, a list for each target, and the records that were given up.
type Block = (Vec<Vec<Value>>, Vec<u32>);

impl<'a> StepDrawing<'a> {
    /// The step, with what it draws given.
    pub(super) fn new(
        step: &'a FittedStep,
        guard: &'a Guard,
        given: Given<'a>,
    ) -> Result<Self, SynthesisError> {
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

    /// The columns of its targets, and the records that were given up.
    pub(super) fn draw(&self, rows: usize, seed: Seed) -> Result<(Vec<Column>, Vec<u32>), SynthesisError> {
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
            StepDraws::Constant(mark) => self.constant_block(rows, mark.value()),
            StepDraws::Computed(_) => Ok(self.computed_block(rows)),
            StepDraws::Sample { pool, columns, smoothing, .. } => {
                Ok(self.sample_block(rows, &mut rng, |record, rng| {
                    let keys: Vec<u64> = self.keys.iter().map(|key| key.of(record)).collect();
                    let donor = pool.draw(&keys, rng) as usize;
                    let variables = self.given.frame.variables();
                    let entry = |((at, column), smoothing): ((&usize, &StoredColumn), &Smoothing)| {
                        let value = match column.value(&variables[*at], donor) {
                            Value::Number(number) => Value::Number(smoothing.apply(number, rng)),
                            other => other,
                        };
                        (*at, value)
                    };
                    self.step.targets.iter().zip(columns).zip(smoothing).map(entry).collect()
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

    /// One value, but where a rule fixes another.
    fn constant_block(&self, rows: Range<usize>, value: Value) -> Result<Block, SynthesisError> {
        let target = self.step.targets[0];
        let frame = self.given.frame;
        let of_record = |row: usize| match self.guard.pinned(&frame.record(row)) {
            Some(fixed) => Ok(fixed),
            None if self.fits(row, &[(target, value)]) => Ok(value),
            None => {
                let name = &frame.variables()[target].name;
                let rules = self.guard.rules_text();
                let by = if rules.is_empty() { String::new() } else { format!(" (`{rules}`)") };
                let message = format!(
                    "the schema does not allow it in some records{by}; choose another value, or put `{name}` first in `order`"
                );
                Err(SynthesisError::option(format!("variables.{name}.value"), message))
            }
        };
        let values = rows.map(of_record).collect::<Result<Vec<Value>, _>>()?;
        Ok((vec![values], Vec::new()))
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
        draw: impl Fn(&FrameRecord<'_>, &mut Rng) -> Vec<(usize, Value)>,
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
