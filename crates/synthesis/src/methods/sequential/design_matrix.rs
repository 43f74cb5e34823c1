//! Predictors as the columns of a regression: dummies of levels, standardised numbers, dummies of what is not a number.

use serde::{Deserialize, Serialize};
use statistics::regression::{Design, Factor, RegressionError, Term};
use table::Column;
use table::column::Entry;

use super::conditional::{Given, Task};
use super::surroundings::Conditioning;
use crate::SynthesisError;
use crate::stored::{StateReader, StateWriter, ensure};

/// How predictors become columns, learned from the records of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct DesignPlan(Vec<Columns>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Columns {
    /// Treatment contrasts; for each code its position among those that occurred, 0 for one that did not.
    Levels { variable: usize, position: Vec<u32>, levels: u32 },
    /// (x − mean) / deviation, and 0 where there is no number.
    Number { variable: usize, mean: f64, deviation: f64 },
    /// Contrasts of number, missing and special codes.
    Marks { variable: usize, position: Vec<u32>, levels: u32 },
}

/// A number, missing, and the special codes.
const MOST_MARKS: usize = 2 + table::column::MOST_SPECIAL_CODES;

/// The name under which a plan and the remark of its fit are stored.
const PLAN: &str = "design";

impl DesignPlan {
    /// Writes the plan, and what the fit has to say of itself.
    pub(super) fn store(&self, remark: Option<&str>, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(PLAN, &(self, remark))
    }

    /// A plan of the predictors of a conditional, and the remark of its fit.
    pub(super) fn load(
        from: &mut StateReader<'_>,
        of: Conditioning<'_>,
    ) -> Result<(Self, Option<String>), SynthesisError> {
        let (plan, remark): (Self, Option<String>) = from.settings(PLAN)?;
        let of_predictor = |columns: &Columns| {
            let (variable, _) = columns.width();
            of.predictors.contains(&variable) && columns.are_of(of.around.levels(variable))
        };
        ensure(
            plan.0.iter().all(of_predictor),
            "the columns of a regression are not those of its predictors",
        )?;
        Ok((plan, remark))
    }

    /// How many columns the design has.
    pub(super) fn columns(&self) -> usize {
        1 + self.0.iter().map(|columns| columns.width().1).sum::<usize>()
    }

    /// The plan for the predictors of a task.
    pub(super) fn learn(task: &Task<'_>) -> Self {
        let mut columns = Vec::new();
        let frame = task.given.frame;
        for variable in task.predictors.iter().copied() {
            match frame.column(variable) {
                Column::Categorical(codes) => {
                    let size = frame.variables()[variable].kind.levels().map_or(0, |levels| levels.len()) + 1;
                    let (position, levels) =
                        positions(task.rows.iter().map(|row| codes.get(*row as usize)), size);
                    if levels > 1 {
                        columns.push(Columns::Levels { variable, position, levels });
                    }
                }
                numeric => {
                    let numbers = || task.rows.iter().filter_map(|row| number(numeric, *row));
                    let count = numbers().count() as f64;
                    let mean = numbers().sum::<f64>() / count.max(1.0);
                    let deviation =
                        (numbers().map(|value| (value - mean).powi(2)).sum::<f64>() / count.max(1.0)).sqrt();
                    if deviation > 0.0 && deviation.is_finite() {
                        columns.push(Columns::Number { variable, mean, deviation });
                    }
                    let (position, levels) =
                        positions(task.rows.iter().map(|row| mark(numeric, *row)), MOST_MARKS);
                    if levels > 1 {
                        columns.push(Columns::Marks { variable, position, levels });
                    }
                }
            }
        }
        Self(columns)
    }

    /// The design of these records: an intercept, then the columns.
    pub(super) fn design(&self, given: &Given<'_>, rows: &[u32]) -> Result<Design, SynthesisError> {
        let (mut factors, mut numbers, mut terms) = (Vec::new(), Vec::new(), vec![Term::intercept()]);
        for columns in &self.0 {
            match columns {
                Columns::Levels { variable, position, levels } => {
                    let Column::Categorical(codes) = given.frame.column(*variable) else { continue };
                    let code = |row: &u32| position[codes.get(*row as usize) as usize];
                    terms.push(Term::factor(factors.len()));
                    factors.push(Factor { codes: rows.iter().map(code).collect(), levels: *levels });
                }
                Columns::Marks { variable, position, levels } => {
                    let column = given.frame.column(*variable);
                    let code = |row: &u32| position[mark(column, *row) as usize];
                    terms.push(Term::factor(factors.len()));
                    factors.push(Factor { codes: rows.iter().map(code).collect(), levels: *levels });
                }
                Columns::Number { variable, mean, deviation } => {
                    let column = given.frame.column(*variable);
                    let standardised =
                        |row: &u32| number(column, *row).map_or(0.0, |value| (value - mean) / deviation);
                    terms.push(Term::number(numbers.len()));
                    numbers.push(rows.iter().map(standardised).collect());
                }
            }
        }
        Design::new(rows.len(), factors, numbers, terms).map_err(|error| failed(&error))
    }

    /// What to report of a fit with these coefficients, one a column: its warning, and which predictors have columns that earlier ones explain
    /// and that therefore have none.
    pub(super) fn remark(
        &self,
        task: &Task<'_>,
        coefficients: &[Option<f64>],
        warning: Option<&str>,
    ) -> Option<String> {
        let mut first = 1;
        let mut left_out: Vec<String> = Vec::new();
        for (variable, width) in self.0.iter().map(Columns::width) {
            let is_complete = coefficients[first..first + width].iter().all(Option::is_some);
            first += width;
            let name = format!("`{}`", task.given.frame.variables()[variable].name);
            if !is_complete && !left_out.contains(&name) {
                left_out.push(name);
            }
        }
        let names = left_out.join(", ");
        let aliased = format!("columns of {names} are sums of multiples of earlier ones and were left out");
        match (warning, left_out.is_empty()) {
            (warning, true) => warning.map(str::to_owned),
            (None, false) => Some(aliased),
            (Some(warning), false) => Some(format!("{warning}; {aliased}")),
        }
    }
}

impl Columns {
    /// Whether these can be of a variable of this many levels, or of a number.
    fn are_of(&self, levels_of_variable: Option<usize>) -> bool {
        let are_positions = |position: &[u32], levels: u32, size: usize| {
            levels > 1
                && position.len() == size
                && levels as usize <= size
                && position.iter().all(|position| *position < levels)
        };
        match (self, levels_of_variable) {
            (Self::Levels { position, levels, .. }, Some(size)) => are_positions(position, *levels, size + 1),
            (Self::Marks { position, levels, .. }, None) => are_positions(position, *levels, MOST_MARKS),
            (Self::Number { mean, deviation, .. }, None) => {
                mean.is_finite() && deviation.is_finite() && *deviation > 0.0
            }
            _ => false,
        }
    }

    /// The variable, and how many columns of the design it has here.
    fn width(&self) -> (usize, usize) {
        match self {
            Self::Levels { variable, levels, .. } | Self::Marks { variable, levels, .. } => {
                (*variable, (*levels as usize).saturating_sub(1))
            }
            Self::Number { variable, .. } => (*variable, 1),
        }
    }
}

/// A regression that cannot be fitted.
pub(super) fn failed(error: &RegressionError) -> SynthesisError {
    SynthesisError::Fit {
        method: "sequential",
        message: format!("{error}; name fewer `predictors`, or take cart"),
    }
}

fn number(column: &Column, row: u32) -> Option<f64> {
    match column.number(row as usize) {
        Some(Entry::Value(value)) => Some(value),
        _ => None,
    }
}

fn mark(column: &Column, row: u32) -> u32 {
    match column.number(row as usize) {
        Some(Entry::Value(_)) => 0,
        Some(Entry::Missing) | None => 1,
        Some(Entry::Code(position)) => 2 + position as u32,
    }
}

/// For each code its position among those that occur, and how many do.
fn positions(codes: impl Iterator<Item = u32>, size: usize) -> (Vec<u32>, u32) {
    let mut occurs = vec![false; size];
    codes.for_each(|code| occurs[code as usize] = true);
    let mut position = vec![0; size];
    let mut next = 0;
    for (code, _) in occurs.iter().enumerate().filter(|(_, occurs)| **occurs) {
        position[code] = next;
        next += 1;
    }
    (position, next)
}
