//! Totals that somebody else has published, as targets.

use std::path::Path;

use margins::TargetMargin;
use table::column::Entry;
use table::read::{ReadOptions, read_table};
use table::{Attributes, Column, Domain, Table, TableError};

use crate::SynthesisError;

/// Reads a CSV file with one column for each variable of the margin (levels or class labels as Lookalike writes them) and a
/// column `count`. Cells that are not listed count nobody.
pub(super) fn read(path: &Path, domain: &Domain) -> Result<TargetMargin, SynthesisError> {
    let refuse = |message: String| SynthesisError::option("totals", format!("{}: {message}", path.display()));
    let file = read_table(path, &ReadOptions::default())?;
    let names: Vec<&str> = file.schema().variables().iter().map(|variable| variable.name.as_str()).collect();
    let counts = file.column("count").map_err(|_| refuse("it needs a column `count`".into()))?;
    let variables: Vec<&str> = names.iter().copied().filter(|name| *name != "count").collect();
    if variables.is_empty() {
        return Err(refuse("it names no variable beside `count`".into()));
    }
    let attributes =
        Attributes::named(domain, variables.iter().copied()).map_err(|error| refuse(error.to_string()))?;
    let sizes = domain.sizes(&attributes);
    let mut target = vec![0.0; sizes.iter().product()];
    for row in 0..file.rows() {
        let mut index = 0;
        for (position, size) in attributes.positions().iter().zip(&sizes) {
            let classes = &domain.variables()[*position];
            let label = text(&file, classes.name(), row)?;
            let class = (0..*size as u32).find(|class| classes.label(*class) == label);
            let class = class.ok_or_else(|| {
                refuse(format!("row {}: `{}` has no class of that name", row + 1, classes.name()))
            })?;
            index = index * size + class as usize;
        }
        match counts.number(row) {
            Some(Entry::Value(count)) if count >= 0.0 => target[index] += count,
            _ => return Err(refuse(format!("row {}: the count is not a number from 0 up", row + 1))),
        }
    }
    Ok(TargetMargin::new(attributes.positions().to_vec(), target))
}

/// A field as text; an empty one is the class `missing`.
fn text(file: &Table, name: &str, row: usize) -> Result<String, TableError> {
    let position = file.schema().position_of(name)?;
    Ok(match (&file.columns()[position], file.schema().variables()[position].kind.levels()) {
        (Column::Categorical(codes), Some(levels)) => {
            levels.get(codes.get(row)).unwrap_or("missing").to_owned()
        }
        (Column::Text(text), _) => text.get(row).unwrap_or("missing").to_owned(),
        (numeric, _) => match numeric.number(row) {
            Some(Entry::Value(value)) => value.to_string(),
            _ => "missing".to_owned(),
        },
    })
}
