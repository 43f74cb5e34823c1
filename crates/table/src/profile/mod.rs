//! What a table is and what is risky about it: the content of `lookalike describe`.

mod dependency;
mod formula;
mod keys;
mod notes;
mod shape;
mod streamed;
mod told;

use indexmap::IndexMap;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use self::shape::together as shape_of_levels;
pub use keys::{GroupsOfSize, KeyProfile};
#[cfg(test)]
pub(crate) use streamed::profile_with_sample;
pub use streamed::{SAMPLED, profile_of_files};
use told::Told;

use crate::column::Column;
use crate::date::DateFormat;
use crate::domain::{ClassRule, Partition};
use crate::{CodedTable, Domain, Grouping, Kind, Table, TableError};

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
    let schema = table.schema();
    let told: Vec<Result<Told, TableError>> = (0..table.columns().len())
        .into_par_iter()
        .map(|position| told::of(table, position, grouping))
        .collect();
    let mut told = told.into_iter().collect::<Result<Vec<Told>, TableError>>()?;
    let domain = Domain::new(told.iter().filter_map(|told| told.classes.clone()).collect())?;
    // The codes are large, and given up as soon as they are counted.
    let (domain, cross) = CodedTable::in_domain(table, &domain)?.into_cross_table()?;
    let distinct: Vec<u64> = told.iter().map(|told| told.distinct).collect();
    let mut notes = notes::of_each_variable(table, &mut told);
    for (position, note) in
        dependency::notes(table, &distinct)?.into_iter().chain(formula::notes(table, &distinct))
    {
        notes[position].push(note);
    }
    let variables = schema.variables().iter().zip(told).zip(notes).enumerate();
    let variables = variables.map(|(position, ((variable, told), notes))| {
        let classes = domain.variables().iter().find(|classes| classes.name() == variable.name);
        let (min, max) = told.extremes.map_or((None, None), |(min, max)| (Some(min), Some(max)));
        VariableProfile {
            name: variable.name.clone(),
            label: Some(variable.labelling.label.clone()).filter(|label| !label.is_empty()),
            kind: variable.kind.name(),
            levels: told.distinct,
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
            shape: told.shape,
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
        keys: if keys.is_empty() { None } else { Some(exact_keys(table, keys)?) },
        violations: Vec::new(),
    })
}

/// The risk on these keys, every value a class of its own.
fn exact_keys(table: &Table, keys: &[String]) -> Result<KeyProfile, TableError> {
    keys.iter().try_for_each(|key| table.schema().position_of(key).map(|_| ()))?;
    let is_key = |variable: &crate::Variable| keys.contains(&variable.name);
    keys::profile(&CodedTable::over(table, &Grouping::exact(), is_key)?, keys)
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
