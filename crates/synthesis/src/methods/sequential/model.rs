//! The fitted model: one step after the other is drawn for all records, each given what is there.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rand::RngExt;
use serde::{Deserialize, Serialize};
use table::{Column, Kind, Schema, Table, Variable};

use super::auxiliary::Auxiliary;
use super::conditional::Given;
use super::constraints::{Guard, Rules};
use super::feature::{Feature, FeatureCoding};
use super::fitted_step::{FittedStep, StepDraws};
use super::frame::{ColumnBuilder, Frame};
use super::step_drawing::StepDrawing;
use super::surroundings::Surroundings;
use crate::randomness::{CHUNK, Seed};
use crate::stored::{StateContext, StateReader, StateWriter, damaged, ensure};
use crate::{Model, SynthesisError};

/// How often records that were given up are drawn again from the start.
const ROUNDS: u64 = 50;

/// What was fitted.
#[derive(Debug)]
pub(super) struct Stored {
    pub auxiliary: Vec<Auxiliary>,
    /// How many records the data had.
    pub records: usize,
    pub proper: bool,
    /// For each variable that trees split by, how its values become codes.
    pub codings: Vec<Option<FeatureCoding>>,
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
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Table>>, SynthesisError> {
    let Settings { auxiliary, proper, coded, steps: count, remarks } = from.settings(SETTINGS)?;
    let Some(records) = context.records.filter(|records| (1..=u64::from(u32::MAX)).contains(records)) else {
        return Err(damaged("it is not private, and its recipe is"));
    };
    let schema = context.schema;
    let mut variables = schema.variables().to_vec();
    for made in &auxiliary {
        let is_fine = made.is_of(schema.variable(&made.of).ok());
        let is_new = variables.iter().all(|variable| variable.name != made.name);
        ensure(is_fine && is_new, "an auxiliary variable is not of the schema's variables")?;
        variables.push(made.variable());
    }
    ensure(coded.len() == variables.len(), "the codes of some variables are missing")?;
    let coding = |(variable, is_coded): (&Variable, bool)| {
        if is_coded { FeatureCoding::load(from, variable).map(Some) } else { Ok(None) }
    };
    let codings = variables.iter().zip(coded).map(coding).collect::<Result<Vec<_>, _>>()?;
    let mut known = vec![false; variables.len()];
    let mut steps = Vec::new();
    for _ in 0..count {
        let around = Surroundings {
            variables: &variables,
            auxiliary: &auxiliary,
            codings: &codings,
            known: &known,
            records: records as usize,
        };
        let step = FittedStep::load(from, around)?;
        step.targets.iter().for_each(|at| known[*at] = true);
        steps.push(step);
    }
    let stored = Stored { auxiliary, records: records as usize, proper, codings, steps, remarks };
    let model = SequentialModel::new(schema, stored)?;
    ensure(model.released.iter().all(|at| known[*at]), "some variables are not drawn")?;
    Ok(Box::new(model))
}

/// What a model file holds beside codings and steps.
#[derive(Serialize, Deserialize)]
struct Settings {
    auxiliary: Vec<Auxiliary>,
    proper: bool,
    /// Which variables trees split by.
    coded: Vec<bool>,
    steps: usize,
    remarks: Vec<String>,
}

/// The name under which it holds them.
const SETTINGS: &str = "sequence";

impl SequentialModel {
    /// A model that can draw, from what was fitted.
    pub(super) fn new(schema: &Arc<Schema>, stored: Stored) -> Result<Self, SynthesisError> {
        let mut variables = schema.variables().to_vec();
        variables.extend(stored.auxiliary.iter().map(Auxiliary::variable));
        let rules = Rules::of(schema, &variables)?;
        let targets: Vec<&[usize]> = stored.steps.iter().map(|step| &step.targets[..]).collect();
        let guards = guards(&rules, &targets, variables.len());
        let is_released =
            |at: &usize| variables[*at].kind != Kind::TextId && variables[*at].formula.is_none();
        let released: Vec<usize> = (0..schema.variables().len()).filter(is_released).collect();
        let names: Vec<&str> = released.iter().map(|at| variables[*at].name.as_str()).collect();
        let empty = schema.variables().iter().map(empty_column).collect();
        let released_schema = Table::new(Arc::clone(schema), empty)?.select(&names)?.shared_schema();
        Ok(Self { stored, guards, released, released_schema, variables })
    }

    /// Draws all steps for `rows` records; kept variables are those of the original records `sources`. Returns which records were given up.
    fn draw(
        &self,
        rows: usize,
        sources: &[u32],
        seed: Seed,
    ) -> Result<(Frame<'_>, Vec<u32>), SynthesisError> {
        let mut frame = Frame::new(&self.variables, rows);
        let mut features: Vec<Option<Feature>> = self.variables.iter().map(|_| None).collect();
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
                    features[*at] = Some(Feature::encode(coding, &self.variables[*at], &column)?);
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

/// Up to so many records are drawn together.
const MOST_TOGETHER: usize = 64 * CHUNK;

impl Model<Table> for SequentialModel {
    fn has_parts(&self, rows: usize) -> bool {
        rows > MOST_TOGETHER && !self.keeps_records()
    }

    fn sample(&self, rows: usize, seed: Seed) -> Result<Table, SynthesisError> {
        if !self.has_parts(rows) {
            return self.candidates(rows, 1, seed);
        }
        let parts = (0..rows).step_by(CHUNK).map(|start| start..rows.min(start + CHUNK));
        let parts = parts.filter_map(|part| self.sample_part(rows, part, seed));
        let parts = parts.collect::<Result<Vec<Table>, _>>()?;
        Ok(Table::concatenate(Arc::clone(&self.released_schema), parts)?)
    }

    /// A large data set that keeps no values of original records is put together from chunks.
    fn sample_part(
        &self,
        rows: usize,
        part: Range<usize>,
        seed: Seed,
    ) -> Option<Result<Table, SynthesisError>> {
        self.has_parts(rows).then(|| self.candidates(part.len(), 1, seed.child((part.start / CHUNK) as u64)))
    }

    fn keeps_values(&self) -> bool {
        self.keeps_records()
    }

    fn candidates(&self, rows: usize, each: usize, seed: Seed) -> Result<Table, SynthesisError> {
        let originals = self.stored.records;
        let of_records: Vec<u32> = if !self.keeps_records() {
            Vec::new()
        } else if rows == originals {
            (0..rows as u32).collect()
        } else {
            let mut rng = seed.child(u64::from(u32::MAX)).stream(0);
            (0..rows).map(|_| rng.random_range(0..originals as u32)).collect()
        };
        let mut sources = of_records.repeat(each);
        let rows = rows * each;
        let (frame, mut open) = self.draw(rows, &sources, seed)?;
        let mut all = self.released(frame)?;
        for round in 0..ROUNDS {
            if open.is_empty() {
                return Ok(all);
            }
            // Records that no value would let keep the schema are drawn again as a whole.
            let of_open: Vec<u32> = if sources.is_empty() {
                Vec::new()
            } else {
                open.iter().map(|row| sources[*row as usize]).collect()
            };
            let (frame, again) =
                self.draw(open.len(), &of_open, seed.child(u64::from(u32::MAX) + 1 + round))?;
            let redrawn = self.released(frame)?;
            let mut order: Vec<u32> = (0..rows as u32).collect();
            open.iter().zip(rows as u32..).for_each(|(row, place)| order[*row as usize] = place);
            all = Table::concatenate(Arc::clone(&self.released_schema), vec![all, redrawn])?.take(&order)?;
            open = again.into_iter().map(|place| open[place as usize]).collect();
        }
        sources.clear();
        let name = |step: &FittedStep| match &step.draws {
            StepDraws::Computed(_) => Some(&self.variables[step.targets[0]].name),
            _ => None,
        };
        let ranges = self.stored.steps.iter().filter_map(name);
        let rules = self.guards.iter().map(Guard::rules_text).filter(|text| !text.is_empty());
        let asked: Vec<String> = ranges
            .map(|name| format!("the range of `{name}`, which is computed"))
            .chain(rules.map(|text| format!("`{text}`")))
            .collect();
        Err(SynthesisError::Rules(format!(
            "some records cannot keep {} however often they are drawn; widen the range or take the rule out of the schema",
            asked.join(", or ")
        )))
    }

    fn remarks(&self) -> Vec<String> {
        self.stored.remarks.clone()
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        let Stored { auxiliary, proper, codings, steps, remarks, .. } = &self.stored;
        let settings = Settings {
            auxiliary: auxiliary.clone(),
            proper: *proper,
            coded: codings.iter().map(Option::is_some).collect(),
            steps: steps.len(),
            remarks: remarks.clone(),
        };
        into.settings(SETTINGS, &settings)?;
        codings.iter().flatten().try_for_each(|coding| coding.store(into))?;
        steps.iter().try_for_each(|step| step.store(into))
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
