//! Matching records by their values: both tables with every distinct value a class.
//!
//! Numbers match by their value to 15 significant digits, special codes and missing as values of their own, texts by their letters. Where groups are asked
//! for, numbers match when they fall into the same group of the pooled values.

use table::{Attributes, Grouping, Kind, Schema, Table, Variable};

use super::key_classes::KeyClasses;
use crate::{Comparison, MeasureError, SharedTables};

/// How numbers match: by value, or by group.
pub(super) fn grouping(groups: Option<usize>) -> Grouping {
    groups.map_or_else(Grouping::exact, Grouping::synthpop)
}

/// The variables that stand for keys or targets when none are named: all that both tables have, but identifiers.
pub(super) fn shared_variables(comparison: &Comparison<'_>) -> Vec<String> {
    let in_both = |name: &str| comparison.synthetic.schema().variable(name).is_ok();
    let variables = comparison.original.schema().variables().iter();
    let variables = variables.filter(|variable| variable.kind != Kind::TextId && in_both(&variable.name));
    variables.map(|variable| variable.name.clone()).collect()
}

/// These variables of a schema, and with `all` every one beside identifiers too.
pub(super) fn named_or_all<'a>(
    schema: &Schema,
    named: impl Iterator<Item = &'a String> + Clone,
    all: bool,
) -> Vec<String> {
    let is_meant = |variable: &&Variable| {
        (all && variable.kind != Kind::TextId) || named.clone().any(|name| *name == variable.name)
    };
    schema.variables().iter().filter(is_meant).map(|variable| variable.name.clone()).collect()
}

/// The tables of a comparison over these variables alone.
pub(super) fn matched(
    comparison: &Comparison<'_>,
    names: &[impl AsRef<str>],
    groups: Option<usize>,
) -> Result<SharedTables, MeasureError> {
    let (original, synthetic) = (comparison.original, comparison.synthetic);
    check_names(original, &[synthetic], names)?;
    for name in names.iter().map(AsRef::as_ref) {
        if groups.is_some() && original.schema().variable(name)?.kind == Kind::TextId {
            let message = "an identifier cannot be grouped; leave it out, or ask for no groups";
            return Err(MeasureError::variable(name, message));
        }
    }
    let keep = |name: &str| names.iter().any(|named| named.as_ref() == name);
    SharedTables::over(original, &[synthetic], &grouping(groups), keep)
}

/// Refuses a variable that one of the tables does not have.
pub(super) fn check_names(
    original: &Table,
    synthetic: &[&Table],
    names: &[impl AsRef<str>],
) -> Result<(), MeasureError> {
    for name in names.iter().map(AsRef::as_ref) {
        original.schema().variable(name)?;
        if synthetic.iter().any(|table| table.schema().variable(name).is_err()) {
            let message = "the synthetic table does not have it; name variables that both tables have";
            return Err(MeasureError::variable(name, message));
        }
    }
    Ok(())
}

/// The classes of several sets of keys; an empty set stands for all variables but identifiers, and so does no set.
pub(super) fn key_sets(
    comparison: &Comparison<'_>,
    sets: &[Vec<String>],
    groups: Option<usize>,
) -> Result<(SharedTables, Vec<KeyClasses>), MeasureError> {
    let named = |set: &Vec<String>| if set.is_empty() { shared_variables(comparison) } else { set.clone() };
    let sets: Vec<Vec<String>> =
        if sets.is_empty() { vec![named(&Vec::new())] } else { sets.iter().map(named).collect() };
    let mut names: Vec<&String> = sets.iter().flatten().collect();
    names.sort_unstable();
    names.dedup();
    let tables = matched(comparison, &names, groups)?;
    let classes = sets.iter().map(|set| KeyClasses::new(&tables, &tables.attributes(set)?));
    let classes = classes.collect::<Result<Vec<_>, MeasureError>>()?;
    Ok((tables, classes))
}

/// The names of these variables.
pub(super) fn names_of(tables: &SharedTables, of: &Attributes) -> Vec<String> {
    let variables = tables.domain().variables();
    of.positions().iter().map(|position| variables[*position].name().to_owned()).collect()
}

/// A part of the records in per cent; `None` without records.
pub(super) fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use table::read::{ReadOptions, read_csv_text};
    use table::{Codes, Column, Table};

    /// A table from CSV text, for the tests of all measures.
    pub(crate) fn read(text: &str) -> Table {
        read_csv_text(text, &ReadOptions::default()).unwrap()
    }

    /// A table of categorical variables with its schema and no records.
    pub(crate) fn without_records(table: &Table) -> Table {
        let columns = table.columns().iter().map(|_| Column::Categorical(Arc::new(Codes::collect(1, []))));
        Table::new(Arc::new(table.schema().clone()), columns.collect()).unwrap()
    }
}
