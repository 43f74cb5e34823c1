//! What a table is and what is risky about it: the content of `lookalike describe`.

mod dependency;
mod formula;
mod keys;
mod notes;
mod shape;
mod streamed;

use indexmap::IndexMap;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use self::shape::together as shape_of_levels;
pub use keys::{GroupsOfSize, KeyProfile};
#[cfg(test)]
pub(crate) use streamed::profile_with_sample;
pub use streamed::{SAMPLED, profile_of_files};

use crate::column::Column;
use crate::date::DateFormat;
use crate::domain::{ClassRule, Partition};
use crate::{Attributes, CodedTable, CountSource, Grouping, Kind, Table, TableError};

/// The profile of a table. It holds exact figures of the records: for the data owner, not for release.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Profile {
    /// Number of records.
    pub rows: u64,
    /// Number of columns.
    pub columns: usize,
    /// Number of cells of the cross-table of all variables but identifiers, numbers in classes; exact, as decimal digits.
    pub cells: String,
    /// Share of those cells that no record falls into.
    pub empty_cells_share: f64,
    /// Share of records that are alone in their cell.
    pub unique_share: f64,
    /// Of how many records, drawn at random, notes and the numbers of different values are, where the table is not in memory; those of all if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<u64>,
    /// The variables.
    pub variables: Vec<VariableProfile>,
    /// How records can be told apart on the keys that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<KeyProfile>,
    /// Where the table breaks the schema that was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<ViolationProfile>,
}

/// One variable.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VariableProfile {
    /// Its name.
    pub name: String,
    /// What it is, in the words of the file or the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// categorical, ordinal, integer, real, date, datetime or text-id.
    pub kind: &'static str,
    /// Number of distinct values, without missing and special codes.
    pub levels: u64,
    /// Whether these are the distinct values of the records drawn at random, so that there may be more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub levels_are_sampled: bool,
    /// Number of records in which it is missing.
    pub missing: u64,
    /// Number of records for each declared special code.
    pub codes: IndexMap<String, u64>,
    /// Smallest value of a number, date or time.
    pub min: Option<Extreme>,
    /// Largest value of a number, date or time.
    pub max: Option<Extreme>,
    /// Number of classes in the cross-table, missing and codes included; none for an identifier.
    pub classes: Option<usize>,
    /// How numbers were put into classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes_by: Option<&'static str>,
    /// Its shape: the share of records of each level in their order, or in twelve intervals of equal width; without missing and special codes. Empty for an identifier.
    pub shape: Vec<f64>,
    /// What a person should know of it.
    pub notes: Vec<String>,
}

/// The smallest or largest value of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Extreme {
    /// Of whole numbers.
    Integer(i64),
    /// Of real numbers.
    Real(f64),
    /// Of dates, as YYYY-MM-DD, and of times, as YYYY-MM-DDTHH:MM:SS or HH:MM:SS.
    Date(String),
}

/// One kind of violation of the schema.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ViolationProfile {
    /// What is violated.
    pub violation: String,
    /// By how many records.
    pub records: u64,
    /// The first few rows, from 1 without the header.
    pub rows: Vec<usize>,
}

impl From<&crate::schema::Located> for ViolationProfile {
    fn from(located: &crate::schema::Located) -> Self {
        Self {
            violation: located.violation.to_string(),
            records: located.records,
            rows: located.rows.clone(),
        }
    }
}

impl std::fmt::Display for Extreme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Real(value) => value.fmt(f),
            Self::Date(day) => day.fmt(f),
        }
    }
}

/// Profiles a table, and its records' risk on `keys` if there are any.
pub fn profile(table: &Table, keys: &[String], grouping: &Grouping) -> Result<Profile, TableError> {
    let coded = CodedTable::new(table, grouping)?;
    let cross = coded.contingency_table(&Attributes::all(coded.domain()))?;
    let exact = CodedTable::new(table, &Grouping::exact())?;
    let distinct: Vec<u64> =
        (0..table.columns().len()).into_par_iter().map(|at| distinct_values(table, &exact, at)).collect();
    let mut notes = notes::of_each_variable(table, &exact, &distinct);
    for (position, note) in
        dependency::notes(table, &exact, &distinct).into_iter().chain(formula::notes(table, &distinct))
    {
        notes[position].push(note);
    }
    let variables = table.schema().variables().iter().zip(table.columns()).zip(notes).enumerate();
    let variables = variables.map(|(position, ((variable, column), notes))| {
        let classes = coded.domain().variables().iter().find(|classes| classes.name() == variable.name);
        let (min, max) =
            extremes(column, &variable.kind).map_or((None, None), |(min, max)| (Some(min), Some(max)));
        VariableProfile {
            name: variable.name.clone(),
            label: Some(variable.labelling.label.clone()).filter(|label| !label.is_empty()),
            kind: variable.kind.name(),
            levels: distinct[position],
            levels_are_sampled: false,
            missing: table.missing(position),
            codes: code_frequencies(table, position),
            min,
            max,
            classes: classes.map(crate::Classes::size),
            classes_by: classes.and_then(|classes| match classes.partition() {
                Partition::Levels(_) => None,
                Partition::Values(_) => Some("one class a value"),
                Partition::Intervals { chosen_by: ClassRule::DeclaredCuts, .. } => Some("declared cuts"),
                Partition::Intervals { chosen_by: ClassRule::Quantiles, .. } => Some("quantiles"),
                Partition::Intervals { chosen_by: ClassRule::EqualWidth, .. } => Some("equal width"),
            }),
            shape: shape::shape(table, &exact, position, distinct[position]),
            notes,
        }
    });
    Ok(Profile {
        rows: table.rows() as u64,
        columns: table.columns().len(),
        cells: cross.cells().to_string(),
        empty_cells_share: cross.empty_share(),
        unique_share: cross.unique_records() as f64 / table.rows() as f64,
        sampled: None,
        variables: variables.collect(),
        keys: if keys.is_empty() { None } else { Some(keys::profile(&exact, keys)?) },
        violations: Vec::new(),
    })
}

/// The number of distinct values of a variable that occur, without missing and special codes.
fn distinct_values(table: &Table, exact: &CodedTable, position: usize) -> u64 {
    let classes = &exact.domain().variables()[position];
    match &table.columns()[position] {
        Column::Categorical(codes) => codes.frequencies(classes.size())[..classes.partition().len()]
            .iter()
            .filter(|count| **count > 0)
            .count() as u64,
        _ => classes.partition().len() as u64,
    }
}

fn extremes(column: &Column, kind: &Kind) -> Option<(Extreme, Extreme)> {
    fn of<T: PartialOrd + Copy>(
        values: impl Iterator<Item = T>,
        wrap: impl Fn(T) -> Extreme,
    ) -> Option<(Extreme, Extreme)> {
        let bounds = values.fold(None, |bounds: Option<(T, T)>, value| match bounds {
            None => Some((value, value)),
            Some((low, high)) => {
                Some((if value < low { value } else { low }, if value > high { value } else { high }))
            }
        });
        bounds.map(|(low, high)| (wrap(low), wrap(high)))
    }
    match column {
        Column::Integer(numbers) => of(numbers.values(), Extreme::Integer),
        Column::Real(numbers) => of(numbers.values(), Extreme::Real),
        Column::Date(days) => of(days.values(), |day| Extreme::Date(DateFormat::Iso.format(day))),
        Column::Datetime(times) => {
            let format = kind.datetime_format();
            of(times.values(), |time| Extreme::Date(format.iso(time)))
        }
        Column::Categorical(_) | Column::Text(_) => None,
    }
}

/// A number of this kind as an extreme; `None` of what is no number.
pub(crate) fn extreme(kind: &Kind, value: f64) -> Option<Extreme> {
    match kind {
        Kind::Integer { .. } => Some(Extreme::Integer(value as i64)),
        Kind::Real { .. } => Some(Extreme::Real(value)),
        Kind::Date { .. } => Some(Extreme::Date(DateFormat::Iso.format(value as i32))),
        Kind::Datetime { format, .. } => Some(Extreme::Date(format.iso(value as i64))),
        Kind::Categorical { .. } | Kind::Ordinal { .. } | Kind::TextId => None,
    }
}

fn code_frequencies(table: &Table, position: usize) -> IndexMap<String, u64> {
    let codes = &table.schema().variables()[position].codes;
    let counts = match &table.columns()[position] {
        Column::Integer(numbers) => numbers.code_frequencies(codes.len()),
        Column::Real(numbers) => numbers.code_frequencies(codes.len()),
        _ => Vec::new(),
    };
    codes.iter().map(|code| code.value.to_string()).zip(counts).collect()
}

#[cfg(test)]
mod tests;
