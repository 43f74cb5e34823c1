//! One variable's fitted distribution: whether it has a value at all, and then which.

use serde::{Deserialize, Serialize};
use table::column::Entry;
use table::expression::Value;
use table::{Column, Kind, Variable};

use super::apart::{self, are_codes};
use super::conditional::{self, Conditional, Given, Response, Task};
use super::options::Settings;
use super::smoothing::Smoothing;
use super::surroundings::{Drawing, Surroundings};
use super::two_stage;
use super::variable_methods::VariableMethod;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, damaged, ensure};

/// A variable that can be drawn given earlier ones.
#[derive(Debug)]
pub(super) enum FittedVariable {
    /// Every record has the same.
    Constant(Mark),
    /// A level, or missing, which is a level like others.
    Levels {
        /// The levels that occur; one past the last level is missing.
        levels: Vec<u32>,
        /// How many levels the variable has.
        of: u32,
        model: Box<dyn Conditional>,
    },
    /// A number, or missing, or a special code.
    Numbers {
        /// What an entry can be.
        marks: Vec<Mark>,
        /// Which of these it is, if there is more than one.
        mark: Option<Box<dyn Conditional>>,
        /// The number, if it is one.
        number: Option<FittedNumber>,
        /// Whether numbers are whole.
        whole: bool,
        /// Numbers are multiples of this: the precision with which times are written.
        step: Option<f64>,
    },
}

/// The distribution of the numbers of a variable.
#[derive(Debug)]
pub(super) enum FittedNumber {
    Constant(f64),
    Model { model: Box<dyn Conditional>, smoothing: Smoothing },
}

/// What stands in a record.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Mark {
    Number,
    Missing,
    Code(f64),
    Level(u32),
    /// This number.
    Value(f64),
}

impl Mark {
    /// What a record holds.
    pub(super) fn of(value: Value) -> Self {
        match value {
            Value::Missing | Value::Text => Self::Missing,
            Value::Number(number) => Self::Value(number),
            Value::Code(code) => Self::Code(code),
            Value::Level(level) => Self::Level(level),
        }
    }

    /// The value, if the mark says which.
    pub(super) fn value(self) -> Value {
        match self {
            Self::Missing | Self::Number => Value::Missing,
            Self::Value(number) => Value::Number(number),
            Self::Code(code) => Value::Code(code),
            Self::Level(level) => Value::Level(level),
        }
    }
}

/// What is to be fitted of a variable.
pub(super) struct VariableTask<'a> {
    pub given: Given<'a>,
    pub variable: usize,
    pub predictors: &'a [usize],
    /// Cells within which it is fitted apart: for each record of the data its cell.
    pub within: Option<&'a apart::Cells>,
    pub rows: &'a [u32],
    pub method: &'static VariableMethod,
    pub settings: &'a Settings,
    pub seed: Seed,
}

/// What is stored of a variable beside its models.
#[derive(Serialize, Deserialize)]
enum StoredVariable {
    Constant(Mark),
    Levels(Vec<u32>),
    Numbers { marks: Vec<Mark>, number: StoredNumber },
}

/// What is stored of its numbers.
#[derive(Serialize, Deserialize)]
enum StoredNumber {
    None,
    Constant(f64),
    Model,
}

/// The name under which they are stored.
const VARIABLE: &str = "variable";

impl FittedVariable {
    /// Writes the variable.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        match self {
            Self::Constant(mark) => into.settings(VARIABLE, &StoredVariable::Constant(*mark)),
            Self::Levels { levels, model, .. } => {
                into.settings(VARIABLE, &StoredVariable::Levels(levels.clone()))?;
                conditional::store(model.as_ref(), into)
            }
            Self::Numbers { marks, mark, number, .. } => {
                let stored = match number {
                    None => StoredNumber::None,
                    Some(FittedNumber::Constant(number)) => StoredNumber::Constant(*number),
                    Some(FittedNumber::Model { .. }) => StoredNumber::Model,
                };
                into.settings(VARIABLE, &StoredVariable::Numbers { marks: marks.clone(), number: stored })?;
                if let Some(mark) = mark {
                    conditional::store(mark.as_ref(), into)?;
                }
                if let Some(FittedNumber::Model { model, smoothing }) = number {
                    smoothing.store(into)?;
                    conditional::store(model.as_ref(), into)?;
                }
                Ok(())
            }
        }
    }

    /// A variable of the surroundings, given predictors that are known.
    pub(super) fn load(
        from: &mut StateReader<'_>,
        around: Surroundings<'_>,
        variable: usize,
        predictors: &[usize],
    ) -> Result<Self, SynthesisError> {
        ensure(predictors.iter().all(|at| around.is_known(*at)), "a predictor comes after what it predicts")?;
        let other = || damaged("what is drawn of a variable is not what it can hold");
        let draws = |drawing: Drawing| around.conditioning(predictors, drawing);
        match (from.settings(VARIABLE)?, around.levels(variable)) {
            (StoredVariable::Constant(mark), _) if around.can_hold(variable, mark) => {
                Ok(Self::Constant(mark))
            }
            (StoredVariable::Levels(levels), Some(of)) if are_codes(&levels, of as u32 + 1) => {
                let model = conditional::load(from, draws(Drawing::Categories(levels.len() as u32)))?;
                Ok(Self::Levels { levels, of: of as u32, model })
            }
            (StoredVariable::Numbers { marks, number }, None) => {
                let is_mark =
                    |mark: &Mark| !matches!(mark, Mark::Value(_)) && around.can_hold(variable, *mark);
                if marks.is_empty() || !marks.iter().all(is_mark) {
                    return Err(other());
                }
                let mark = match marks.len() as u32 {
                    1 => None,
                    count => Some(conditional::load(from, draws(Drawing::Categories(count)))?),
                };
                let number = match number {
                    StoredNumber::None => None,
                    StoredNumber::Constant(number) if number.is_finite() => {
                        Some(FittedNumber::Constant(number))
                    }
                    StoredNumber::Constant(_) => return Err(other()),
                    StoredNumber::Model => {
                        let smoothing = Smoothing::load(from)?;
                        let model = conditional::load(from, draws(Drawing::Numbers))?;
                        Some(FittedNumber::Model { model, smoothing })
                    }
                };
                let kind = &around.variables[variable].kind;
                let whole = !matches!(kind, Kind::Real { .. });
                let step = kind.step().filter(|step| *step > 1.0);
                Ok(Self::Numbers { marks, mark, number, whole, step })
            }
            _ => Err(other()),
        }
    }

    /// Fits a variable to records, of which there is at least one.
    pub(super) fn fit(task: &VariableTask<'_>) -> Result<Self, SynthesisError> {
        let frame = task.given.frame;
        let variable = &frame.variables()[task.variable];
        match frame.column(task.variable) {
            Column::Categorical(codes) => {
                let of = variable.kind.levels().map_or(0, |levels| levels.len()) as u32;
                let codes: Vec<u32> = task.rows.iter().map(|row| codes.get(*row as usize)).collect();
                let (levels, dense) = dense_codes(&codes, of as usize + 1);
                if let [only] = levels[..] {
                    return Ok(Self::Constant(if only < of { Mark::Level(only) } else { Mark::Missing }));
                }
                let size = levels.len() as u32;
                let response = Response::Categories { codes: &dense, size };
                // What is missing has no place in an order: first whether, then which.
                let model = if levels.last() == Some(&of) && task.method.is_ordered() {
                    let method = task.method;
                    task.fit_within(task.rows, response, 0, |task| two_stage::missing_apart(task, method))?
                } else {
                    task.fit_method(task.rows, response, task.method, 0)?
                };
                Ok(Self::Levels { levels, of, model })
            }
            column => Self::fit_numbers(task, variable, column),
        }
    }

    fn fit_numbers(
        task: &VariableTask<'_>,
        variable: &Variable,
        column: &Column,
    ) -> Result<Self, SynthesisError> {
        let (mut rows, mut numbers) =
            (Vec::with_capacity(task.rows.len()), Vec::with_capacity(task.rows.len()));
        let mut states = Vec::with_capacity(task.rows.len());
        for row in task.rows {
            states.push(match column.number(*row as usize) {
                Some(Entry::Value(number)) => {
                    rows.push(*row);
                    numbers.push(number);
                    0
                }
                Some(Entry::Missing) | None => 1,
                Some(Entry::Code(position)) => 2 + position as u32,
            });
        }
        let (present, dense) = dense_codes(&states, 2 + variable.codes.len());
        let mark_of = |state: &u32| match state {
            0 => Mark::Number,
            1 => Mark::Missing,
            code => Mark::Code(variable.codes[*code as usize - 2].value),
        };
        let marks: Vec<Mark> = present.iter().map(mark_of).collect();
        let mark = if marks.len() > 1 {
            let method = task.settings.missing_method.unwrap_or(task.method.for_marks(marks.len()));
            let response = Response::Categories { codes: &dense, size: marks.len() as u32 };
            Some(task.fit_method(task.rows, response, method, 1)?)
        } else {
            None
        };
        let whole = !matches!(variable.kind, Kind::Real { .. });
        let step = variable.kind.step().filter(|step| *step > 1.0);
        let number = match numbers.first() {
            None => None,
            Some(first) if numbers.iter().all(|number| number == first) => {
                Some(FittedNumber::Constant(*first))
            }
            Some(_) => {
                let smoothing =
                    Smoothing::learn(task.settings.smoothing, task.settings.smooth_above, &numbers);
                let model = task.fit_method(&rows, Response::Numbers(&numbers), task.method, 2)?;
                Some(FittedNumber::Model { model, smoothing })
            }
        };
        if let (None, None, [only]) = (&mark, &number, &marks[..]) {
            return Ok(Self::Constant(*only));
        }
        Ok(Self::Numbers { marks, mark, number, whole, step })
    }

    /// A value for each of these records.
    pub(super) fn draw(
        &self,
        given: &Given<'_>,
        predictors: &[usize],
        rows: &[u32],
        rng: &mut Rng,
    ) -> Result<Vec<Value>, SynthesisError> {
        match self {
            Self::Constant(mark) => Ok(vec![mark.value(); rows.len()]),
            Self::Levels { levels, of, model } => {
                let codes = model.draw(given, predictors, rows, rng)?.codes();
                let value = |code: u32| match levels[code as usize] {
                    level if level < *of => Value::Level(level),
                    _ => Value::Missing,
                };
                Ok(codes.into_iter().map(value).collect())
            }
            Self::Numbers { marks, mark, number, whole, step } => {
                let states = match mark {
                    Some(model) => model.draw(given, predictors, rows, rng)?.codes(),
                    None => vec![0; rows.len()],
                };
                let mut values: Vec<Value> =
                    states.iter().map(|state| marks[*state as usize].value()).collect();
                let is_number = |place: &usize| marks[states[*place] as usize] == Mark::Number;
                let places: Vec<usize> = (0..rows.len()).filter(is_number).collect();
                match number {
                    None => {}
                    Some(FittedNumber::Constant(number)) => {
                        places.iter().for_each(|place| values[*place] = Value::Number(*number));
                    }
                    Some(FittedNumber::Model { model, smoothing }) => {
                        let of: Vec<u32> = places.iter().map(|place| rows[*place]).collect();
                        let numbers = model.draw(given, predictors, &of, rng)?.numbers();
                        for (place, number) in places.into_iter().zip(numbers) {
                            let number = smoothing.apply(number, rng);
                            values[place] = Value::Number(match step {
                                Some(step) => (number / step).round() * step,
                                None if *whole => number.round(),
                                None => number,
                            });
                        }
                    }
                }
                Ok(values)
            }
        }
    }

    /// The same with parameters drawn from their posterior.
    pub(super) fn with_drawn_parameters(&self, seed: Seed) -> Self {
        match self {
            Self::Constant(mark) => Self::Constant(*mark),
            Self::Levels { levels, of, model } => Self::Levels {
                levels: levels.clone(),
                of: *of,
                model: model.with_drawn_parameters(seed.child(0)),
            },
            Self::Numbers { marks, mark, number, whole, step } => Self::Numbers {
                marks: marks.clone(),
                mark: mark.as_ref().map(|model| model.with_drawn_parameters(seed.child(1))),
                number: number.as_ref().map(|number| match number {
                    FittedNumber::Constant(number) => FittedNumber::Constant(*number),
                    FittedNumber::Model { model, smoothing } => FittedNumber::Model {
                        model: model.with_drawn_parameters(seed.child(2)),
                        smoothing: smoothing.clone(),
                    },
                }),
                whole: *whole,
                step: *step,
            },
        }
    }

    /// Whether numbers of single records give way to others near them.
    pub(super) fn is_drawn_near(&self) -> bool {
        matches!(
            self,
            Self::Numbers { number: Some(FittedNumber::Model { smoothing: Smoothing::Near { .. }, .. }), .. }
        )
    }

    /// What the fits have to say of themselves.
    pub(super) fn remarks(&self) -> Vec<String> {
        match self {
            Self::Constant(_) => Vec::new(),
            Self::Levels { model, .. } => model.remark().into_iter().collect(),
            Self::Numbers { mark, number, .. } => {
                let number = match number {
                    Some(FittedNumber::Model { model, .. }) => model.remark(),
                    _ => None,
                };
                mark.as_ref().and_then(|model| model.remark()).into_iter().chain(number).collect()
            }
        }
    }
}

impl VariableTask<'_> {
    /// Fits a method, in two stages where that is asked for and the levels are skewed.
    fn fit_method(
        &self,
        rows: &[u32],
        response: Response<'_>,
        method: &'static VariableMethod,
        part: u64,
    ) -> Result<Box<dyn Conditional>, SynthesisError> {
        self.fit_within(rows, response, part, |task| two_stage::fit(task, method))
    }

    /// Fits within cells, where there are such.
    fn fit_within(
        &self,
        rows: &[u32],
        response: Response<'_>,
        part: u64,
        fit: impl Fn(&Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError>,
    ) -> Result<Box<dyn Conditional>, SynthesisError> {
        let task = Task {
            given: self.given,
            predictors: self.predictors,
            rows,
            response,
            settings: self.settings,
            seed: self.seed.child(part),
        };
        match self.within {
            Some(cells) => apart::fit(&task, cells, fit),
            None => fit(&task),
        }
    }
}

/// The codes that occur, ascending, and each code's position among them.
pub(super) fn dense_codes(codes: &[u32], size: usize) -> (Vec<u32>, Vec<u32>) {
    let mut occurs = vec![false; size];
    codes.iter().for_each(|code| occurs[*code as usize] = true);
    let present: Vec<u32> = (0..size as u32).filter(|code| occurs[*code as usize]).collect();
    let mut position = vec![0; size];
    present.iter().zip(0..).for_each(|(code, place)| position[*code as usize] = place);
    (present, codes.iter().map(|code| position[*code as usize]).collect())
}
