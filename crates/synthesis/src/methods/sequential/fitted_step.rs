//! One fitted step of the sequence.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::column::Entry;
use table::{Kind, Table, TableError, Variable};

use super::apart;
use super::conditional::Given;
use super::constraints::{Guard, Nesting, Rules, Spare, in_domain};
use super::donor_pool::DonorPool;
use super::feature::Feature;
use super::fitted_variable::{FittedVariable, Mark, VariableTask};
use super::frame::Frame;
use super::model::{SequentialModel, Stored, guards};
use super::plan::{Plan, Step, StepWay};
use super::smoothing::{Smoothing, SmoothingKind};
use super::surroundings::Surroundings;
use super::variable_methods::{VariableMethod, Way};
use crate::key::Key;
use crate::randomness::Seed;
use crate::run::Part;
use crate::stored::{StateReader, StateWriter, StoredColumn, damaged, ensure};
use crate::{SynthesisError, checkpoint, near};

/// From this share of draws on that leave the range it is reported.
const REPORTED: f64 = 0.01;

/// Numbers are drawn for at most this many records to find that share.
const TRIED: usize = 2_000;

/// A step that can draw its targets.
#[derive(Debug)]
pub(super) struct FittedStep {
    pub targets: Vec<usize>,
    pub draws: StepDraws,
    /// Variables that are there, with whose levels those of the target must occur.
    pub nestings: Vec<Nesting>,
    /// Entries of the data that are tried where draws break a rule.
    pub spare: Spare,
    /// The share of numbers, drawn for original records, that leave the range of the target.
    pub out_of_range: f64,
}

/// What a step draws from.
#[derive(Debug)]
pub(super) enum StepDraws {
    Keep(Vec<StoredColumn>),
    Constant(Mark),
    Computed(String),
    Auxiliary(usize),
    Sample { within: Vec<String>, pool: DonorPool, columns: Vec<StoredColumn>, smoothing: Vec<Smoothing> },
    Model { predictors: Vec<usize>, variable: FittedVariable },
}

/// What is stored of a step beside what it draws from.
#[derive(Serialize, Deserialize)]
struct StoredStep {
    targets: Vec<usize>,
    draws: StoredDraws,
    nestings: usize,
    spare: Spare,
    out_of_range: f64,
}

/// How a stored step draws.
#[derive(Serialize, Deserialize)]
enum StoredDraws {
    Keep,
    Constant(Mark),
    Computed(String),
    Auxiliary(usize),
    Sample(Vec<String>),
    Model(Vec<usize>),
}

/// The name under which they are stored.
const STEP: &str = "step";

impl FittedStep {
    /// Writes the step.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        let draws = match &self.draws {
            StepDraws::Keep(_) => StoredDraws::Keep,
            StepDraws::Constant(mark) => StoredDraws::Constant(*mark),
            StepDraws::Computed(text) => StoredDraws::Computed(text.clone()),
            StepDraws::Auxiliary(at) => StoredDraws::Auxiliary(*at),
            StepDraws::Sample { within, .. } => StoredDraws::Sample(within.clone()),
            StepDraws::Model { predictors, .. } => StoredDraws::Model(predictors.clone()),
        };
        let step = StoredStep {
            targets: self.targets.clone(),
            draws,
            nestings: self.nestings.len(),
            spare: self.spare.clone(),
            out_of_range: self.out_of_range,
        };
        into.settings(STEP, &step)?;
        self.nestings.iter().try_for_each(|nesting| nesting.store(into))?;
        match &self.draws {
            StepDraws::Keep(columns) => columns.iter().try_for_each(|column| column.store(into)),
            StepDraws::Sample { pool, columns, smoothing, .. } => {
                pool.store(into)?;
                columns.iter().try_for_each(|column| column.store(into))?;
                smoothing.iter().try_for_each(|smoothing| smoothing.store(into))
            }
            StepDraws::Model { variable, .. } => variable.store(into),
            StepDraws::Constant(_) | StepDraws::Computed(_) | StepDraws::Auxiliary(_) => Ok(()),
        }
    }

    /// A step of these surroundings, whose targets are not known before.
    pub(super) fn load(from: &mut StateReader<'_>, around: Surroundings<'_>) -> Result<Self, SynthesisError> {
        let StoredStep { targets, draws, nestings, spare, out_of_range } = from.settings(STEP)?;
        let is_new =
            |at: &usize| around.known.get(*at) == Some(&false) && around.variables[*at].kind != Kind::TextId;
        let are_different = (1..targets.len()).all(|place| !targets[..place].contains(&targets[place]));
        let Some(first) = targets.first().copied().filter(|_| targets.iter().all(is_new) && are_different)
        else {
            return Err(damaged("a step draws variables that are there already, or that there are not"));
        };
        let is_alone = targets.len() == 1;
        let can_spare = spare.entries().iter().all(|mark| around.can_hold(first, *mark));
        ensure(
            can_spare && (is_alone || spare.entries().is_empty()),
            "entries of the data are of another variable",
        )?;
        let mut nested = Vec::new();
        for _ in 0..nestings {
            nested.push(Nesting::load(from, around, &targets)?);
        }
        let columns = |from: &mut StateReader<'_>| {
            let column = |at: &usize| StoredColumn::load(from, &around.variables[*at], around.records);
            targets.iter().map(column).collect::<Result<Vec<_>, _>>()
        };
        let draws = match draws {
            StoredDraws::Keep => StepDraws::Keep(columns(from)?),
            StoredDraws::Sample(within) => {
                for key in &within {
                    Key::parse(key, around.variables)?;
                }
                let pool = DonorPool::load(from, within.len(), around.records)?;
                let columns = columns(from)?;
                let smoothing = targets.iter().map(|_| Smoothing::load(from)).collect::<Result<_, _>>()?;
                StepDraws::Sample { within, pool, columns, smoothing }
            }
            StoredDraws::Constant(mark) if is_alone && around.can_hold(first, mark) => {
                StepDraws::Constant(mark)
            }
            StoredDraws::Computed(text) if is_alone && around.levels(first).is_none() => {
                StepDraws::Computed(text)
            }
            StoredDraws::Auxiliary(at) if is_alone && around.is_auxiliary(first, at) => {
                StepDraws::Auxiliary(at)
            }
            StoredDraws::Model(predictors) if is_alone => {
                let variable = FittedVariable::load(from, around, first, &predictors)?;
                StepDraws::Model { predictors, variable }
            }
            _ => return Err(damaged("a step draws what its variable cannot hold")),
        };
        Ok(Self { targets, draws, nestings: nested, spare, out_of_range })
    }

    /// The same step with parameters drawn from their posterior.
    pub(super) fn with_drawn_parameters(&self, seed: Seed) -> Self {
        let draws = match &self.draws {
            StepDraws::Sample { within, pool, columns, smoothing } => StepDraws::Sample {
                within: within.clone(),
                pool: pool.with_drawn_weights(seed),
                columns: columns.clone(),
                smoothing: smoothing.clone(),
            },
            StepDraws::Model { predictors, variable } => StepDraws::Model {
                predictors: predictors.clone(),
                variable: variable.with_drawn_parameters(seed),
            },
            StepDraws::Keep(columns) => StepDraws::Keep(columns.clone()),
            StepDraws::Constant(mark) => StepDraws::Constant(*mark),
            StepDraws::Computed(formula) => StepDraws::Computed(formula.clone()),
            StepDraws::Auxiliary(at) => StepDraws::Auxiliary(*at),
        };
        Self {
            targets: self.targets.clone(),
            draws,
            nestings: self.nestings.clone(),
            spare: self.spare.clone(),
            out_of_range: self.out_of_range,
        }
    }

    /// The targets whose numbers of single records give way to others near them.
    fn drawn_near(&self) -> Vec<usize> {
        match &self.draws {
            StepDraws::Model { variable, .. } if variable.is_drawn_near() => self.targets.clone(),
            StepDraws::Sample { smoothing, .. } => {
                let is_near = |smoothing: &Smoothing| matches!(smoothing, Smoothing::Near { .. });
                let targets = self.targets.iter().zip(smoothing);
                targets.filter(|(_, smoothing)| is_near(smoothing)).map(|(at, _)| *at).collect()
            }
            _ => Vec::new(),
        }
    }

    fn remarks(&self, plan: &Plan) -> Vec<String> {
        let StepDraws::Model { variable, .. } = &self.draws else { return Vec::new() };
        let name = &plan.variables[self.targets[0]].name;
        let redrawn = (self.out_of_range > REPORTED).then(|| {
            let percent = 100.0 * self.out_of_range;
            format!(
                "about {percent:.0} % of draws leave the range and are drawn again, which changes the distribution; a method of donors, \
                 pmm or normrank keep it"
            )
        });
        let remarks = variable.remarks().into_iter().chain(redrawn);
        remarks.map(|remark| format!("`{name}`: {remark}")).collect()
    }
}

/// Carries out a plan: fits every step, all of them on the original records, so that no fit waits for another.
pub(super) fn fit(
    plan: &Plan,
    records: &Table,
    part: &Part,
    seed: Seed,
    mut remarks: Vec<String>,
) -> Result<SequentialModel, SynthesisError> {
    let frame = original_frame(plan, records)?;
    let is_split_by = splits(plan);
    let features = (0..plan.variables.len()).into_par_iter().map(|at| {
        let wanted = is_split_by[at].then(|| Feature::learn(&plan.variables[at], frame.column(at)));
        wanted.transpose()
    });
    let features = features.collect::<Result<Vec<_>, _>>()?;
    let codings: Vec<_> = features.iter().map(|feature| feature.as_ref().map(Feature::coding)).collect();
    let (targets, guards) = targets_and_guards(plan, records)?;
    let given = Given { frame: &frame, features: &features };
    let done = AtomicUsize::new(0);
    let fit_one = |number: usize| -> Result<FittedStep, SynthesisError> {
        part.watch.check()?;
        let step = &plan.steps[number];
        let known = &targets[..number];
        let stored = checkpoint::StoredPart { folder: part.checkpoint.as_deref(), number };
        let load = |from: &mut StateReader<'_>| {
            let mut is_known = vec![false; plan.variables.len()];
            known.iter().copied().flatten().for_each(|at| is_known[*at] = true);
            let around = Surroundings {
                variables: &plan.variables,
                auxiliary: &plan.auxiliary,
                codings: &codings,
                known: &is_known,
                records: records.rows(),
            };
            FittedStep::load(from, around)
        };
        let fitted = stored.kept(load, FittedStep::store, || {
            fit_step(plan, step, &guards[number], known, given, seed.child(number as u64))
        })?;
        let name = &plan.variables[step.targets[0]].name;
        let done = 1 + done.fetch_add(1, Ordering::Relaxed);
        part.watch.report(table::watch::Step::Fitting { variable: name, done, of: plan.steps.len() });
        Ok(fitted)
    };
    let steps = (0..plan.steps.len()).into_par_iter().map(fit_one).collect::<Result<Vec<_>, _>>()?;
    remarks.extend(steps.iter().flat_map(|step| step.remarks(plan)));
    let near: Vec<usize> = steps.iter().flat_map(FittedStep::drawn_near).collect();
    remarks.extend(near::remark(near.iter().map(|at| plan.variables[*at].name.as_str())));
    let stored = Stored {
        auxiliary: plan.auxiliary.clone(),
        records: records.rows(),
        proper: plan.proper,
        codings,
        steps,
        remarks,
    };
    SequentialModel::new(&records.shared_schema(), stored)
}

/// Refuses rules of the schema that leave nothing to learn of a variable.
pub(super) fn refuse_rules_that_fix_all(plan: &Plan, records: &Table) -> Result<(), SynthesisError> {
    if records.schema().rules().is_empty() {
        return Ok(());
    }
    let frame = original_frame(plan, records)?;
    let (_, guards) = targets_and_guards(plan, records)?;
    guards.iter().try_for_each(|guard| guard.refuse_if_all_are_fixed(&frame))
}

/// The original records, with the auxiliary variables.
fn original_frame<'a>(plan: &'a Plan, records: &'a Table) -> Result<Frame<'a>, SynthesisError> {
    let mut frame = Frame::new(&plan.variables, records.rows());
    for (at, column) in records.columns().iter().enumerate() {
        frame.insert(at, Cow::Borrowed(column));
    }
    for (number, auxiliary) in plan.auxiliary.iter().enumerate() {
        let column = auxiliary.column(records.column(&auxiliary.of)?);
        frame.insert(records.columns().len() + number, Cow::Owned(column));
    }
    Ok(frame)
}

/// The targets of each step, and what is asked of them.
fn targets_and_guards<'a>(
    plan: &'a Plan,
    records: &Table,
) -> Result<(Vec<&'a [usize]>, Vec<Guard>), SynthesisError> {
    let rules = Rules::of(records.schema(), &plan.variables)?;
    let targets: Vec<&[usize]> = plan.steps.iter().map(|step| &step.targets[..]).collect();
    let guards = guards(&rules, &targets, plan.variables.len());
    Ok((targets, guards))
}

/// Which variables a tree splits by.
fn splits(plan: &Plan) -> Vec<bool> {
    let mut is_split_by = vec![false; plan.variables.len()];
    for step in &plan.steps {
        if let StepWay::Model { method, predictors, settings, .. } = &step.way {
            let methods = [Some(*method), settings.first_stage, settings.missing_method];
            let by_trees = |way: Way| matches!(way, Way::Conditional { by_donors: true, .. });
            if methods.into_iter().flatten().any(|method| by_trees(method.way)) {
                predictors.iter().for_each(|at| is_split_by[*at] = true);
            }
        }
    }
    is_split_by
}

fn fit_step(
    plan: &Plan,
    step: &Step,
    guard: &Guard,
    known: &[&[usize]],
    given: Given<'_>,
    seed: Seed,
) -> Result<FittedStep, SynthesisError> {
    let frame = given.frame;
    let column = |at: &usize| StoredColumn::of(frame.column(*at));
    let keys = |within: &[String]| -> Result<Vec<Key>, SynthesisError> {
        Ok(within.iter().map(|text| Key::parse(text, frame.variables())).collect::<Result<_, _>>()?)
    };
    let draws = match &step.way {
        StepWay::Keep => StepDraws::Keep(step.targets.iter().map(column).collect()),
        StepWay::Constant(value) => StepDraws::Constant(Mark::of(*value)),
        StepWay::Computed(formula) => StepDraws::Computed(formula.clone()),
        StepWay::Auxiliary(at) => StepDraws::Auxiliary(*at),
        StepWay::Sample { within, smoothed } => {
            let keys = keys(within)?;
            let of_key = |key: &Key| (0..frame.rows()).map(|row| key.of(&frame.record(row))).collect();
            let of_keys: Vec<Vec<u64>> = keys.iter().map(of_key).collect();
            StepDraws::Sample {
                within: within.clone(),
                pool: DonorPool::new(&of_keys, frame.rows()),
                columns: step.targets.iter().map(column).collect(),
                smoothing: step
                    .targets
                    .iter()
                    .zip(smoothed)
                    .map(|(at, is)| sampled(frame, *at, *is))
                    .collect(),
            }
        }
        StepWay::Model { method, predictors, within, settings } => {
            let rows = guard.free_records(frame);
            let cells = if within.is_empty() {
                None
            } else {
                let keys = keys(within)?;
                let cell = |row: usize| {
                    let record = frame.record(row);
                    keys.iter().map(|key| key.of(&record)).collect()
                };
                let of_record = (0..frame.rows()).map(cell).collect();
                Some(apart::Cells { keys, of_record })
            };
            let variable = FittedVariable::fit(&VariableTask {
                given,
                variable: step.targets[0],
                predictors,
                within: cells.as_ref(),
                rows: &rows,
                method,
                settings,
                seed,
            })
            .map_err(|error| of_variable(&plan.variables[step.targets[0]], method, error))?;
            StepDraws::Model { predictors: predictors.clone(), variable }
        }
    };
    let is_drawn = matches!(step.way, StepWay::Model { .. } | StepWay::Constant(_) | StepWay::Sample { .. });
    let nestings = if is_drawn { nestings(plan, &step.targets, known, frame) } else { Vec::new() };
    let spare = if is_drawn && step.targets.len() == 1 && guard.has_rules() {
        let all: Vec<u32> = (0..frame.rows() as u32).collect();
        Spare::draw(frame, step.targets[0], &all, seed.child(9).stream(0))
    } else {
        Spare::default()
    };
    let out_of_range = out_of_range(plan, step, &draws, given, seed)?;
    Ok(FittedStep { targets: step.targets.clone(), draws, nestings, spare, out_of_range })
}

/// How numbers of a variable that is drawn from records are smoothed.
fn sampled(frame: &Frame<'_>, at: usize, is_smoothed: bool) -> Smoothing {
    if !is_smoothed || frame.variables()[at].kind.levels().is_some() {
        return Smoothing::None;
    }
    let column = frame.column(at);
    let number = |row: usize| match column.number(row) {
        Some(Entry::Value(number)) => Some(number),
        _ => None,
    };
    let numbers: Vec<f64> = (0..frame.rows()).filter_map(number).collect();
    Smoothing::learn(SmoothingKind::Auto, None, &numbers)
}

/// The share of numbers, drawn for original records, that leave the range of the target.
fn out_of_range(
    plan: &Plan,
    step: &Step,
    draws: &StepDraws,
    given: Given<'_>,
    seed: Seed,
) -> Result<f64, SynthesisError> {
    let (StepDraws::Model { predictors, variable }, StepWay::Model { method, settings, .. }) =
        (draws, &step.way)
    else {
        return Ok(0.0);
    };
    let target = &plan.variables[step.targets[0]];
    let is_of_donors = matches!(method.way, Way::Conditional { by_donors: true, .. });
    if target.kind.levels().is_some()
        || (is_of_donors && matches!(settings.smoothing, SmoothingKind::None | SmoothingKind::Auto))
    {
        return Ok(0.0);
    }
    let all = given.frame.rows();
    let rows: Vec<u32> = (0..all as u32).step_by(all.div_ceil(TRIED).max(1)).collect();
    let values = variable.draw(&given, predictors, &rows, &mut seed.child(8).stream(0))?;
    let leaves = values.iter().filter(|value| !in_domain(target, **value)).count();
    Ok(leaves as f64 / rows.len().max(1) as f64)
}

/// A fit that failed, with the name of the variable.
fn of_variable(variable: &Variable, method: &VariableMethod, error: SynthesisError) -> SynthesisError {
    match error {
        SynthesisError::Fit { message, .. } => {
            let message = format!("it cannot be drawn by `{}`: {message}", method.name);
            TableError::variable(&variable.name, message).into()
        }
        other => other,
    }
}

/// Whether a fit of this plan takes chance: by a method of a variable, or by the spare entries that rules need.
pub(super) fn is_random(plan: &Plan, records: &Table) -> bool {
    let schema = records.schema();
    let has_rules = !schema.rules().is_empty() || !schema.impossible().is_empty();
    let by_method = |step: &Step| match &step.way {
        StepWay::Model { method, settings, .. } => {
            let others = [settings.first_stage, settings.missing_method];
            method.fit_is_random() || others.into_iter().flatten().any(VariableMethod::fit_is_random)
        }
        _ => false,
    };
    Spare::is_drawn(records.rows()) && has_rules || plan.steps.iter().any(by_method)
}

/// The parents and children of variables that are there before them.
fn nestings(plan: &Plan, targets: &[usize], known: &[&[usize]], frame: &Frame<'_>) -> Vec<Nesting> {
    let name = |at: usize| plan.variables[at].name.as_str();
    let is_parent = |child: usize, parent: usize| {
        let is_auxiliary = plan.auxiliary.iter().any(|auxiliary| {
            !auxiliary.is_computed() && auxiliary.of == name(child) && auxiliary.name == name(parent)
        });
        is_auxiliary || plan.variables[child].within.as_deref() == Some(name(parent))
    };
    let known = known.iter().flat_map(|targets| targets.iter().copied());
    let pairs = known.flat_map(|other| targets.iter().map(move |target| (other, *target)));
    pairs
        .filter(|(other, target)| is_parent(*target, *other) || is_parent(*other, *target))
        .filter_map(|(other, target)| Nesting::learn(frame, other, target))
        .collect()
}
