//! Disclosure control after synthesis, for every method: top and bottom coding, replicated uniques removed, a label.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::column::{Entry, Number, Numbers};
use table::schema::{Kind, Levels, Schema};
use table::{Codes, Column, Source, Table, Variable};

use crate::SynthesisError;
use crate::calibration;
use crate::completion::Completion;
use crate::copies::{Print, compared, prints, unique_of};

/// The column that a label makes.
const LABEL_COLUMN: &str = "flag";

/// The `[after]` section of a recipe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct After {
    /// Numbers above these are set to them, by variable.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub top: BTreeMap<String, f64>,
    /// Numbers below these are set to them, by variable.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bottom: BTreeMap<String, f64>,
    /// Take out synthetic records that equal an original record which is unique on all variables; synthpop leaves them in where several synthetic
    /// records equal the same one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub remove_replicated_uniques: bool,
    /// A text such as "FAKE" that a column `flag` holds in every record, so that nobody takes them for real.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Totals of the population to which the weights of the records are raked, by variable and level: `sex = { F = 4200000, M = 4100000 }`. Needs a variable with
    /// `role = "weight"`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calibrate: BTreeMap<String, BTreeMap<String, f64>>,
}

impl After {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What is done to a data set before it is released.
#[derive(Clone, Debug)]
pub(crate) struct Finish {
    after: After,
    schema: Arc<Schema>,
    /// Of the original records that are unique, what tells them apart; ascending.
    uniques: Vec<Print>,
}

impl Finish {
    /// The finish of data sets of this schema, with what tells the original's unique records apart.
    pub(crate) fn new(after: &After, schema: &Schema, uniques: Vec<Print>) -> Result<Self, SynthesisError> {
        for (key, limits) in [("top", &after.top), ("bottom", &after.bottom)] {
            for name in limits.keys() {
                let place = format!("after.{key}.{name}");
                let variable = schema
                    .variable(name)
                    .map_err(|error| SynthesisError::option(&place, error.to_string()))?;
                if !matches!(variable.kind, Kind::Integer { .. } | Kind::Real { .. }) {
                    return Err(SynthesisError::option(place, "only numbers have a top and a bottom"));
                }
                if variable.formula.is_some() {
                    return Err(SynthesisError::option(
                        place,
                        "it is computed; code the variables of its formula",
                    ));
                }
            }
        }
        for (name, bottom) in &after.bottom {
            if after.top.get(name).is_some_and(|top| top < bottom) {
                let place = format!("after.bottom.{name}");
                return Err(SynthesisError::option(place, "it is above `after.top` of the same variable"));
            }
        }
        calibration::check(&after.calibrate, schema)?;
        let schema = &calibration::schema(schema, &after.calibrate)?;
        let schema = match &after.label {
            None => schema.clone(),
            Some(label) => {
                let levels = Levels::new([label.clone()])
                    .map_err(|message| SynthesisError::option("after.label", message))?;
                let mut variables = vec![Variable::new(LABEL_COLUMN, Kind::Categorical { levels })];
                if schema.position_of(LABEL_COLUMN).is_ok() {
                    let message = format!("the data have a column `{LABEL_COLUMN}` already");
                    return Err(SynthesisError::option("after.label", message));
                }
                variables.extend(schema.variables().iter().cloned());
                Schema::new(variables, schema.rules().to_vec(), schema.impossible().to_vec())?
                    .with_unit(schema.unit())
                    .with_missing_tokens(schema.missing_tokens().to_vec())
            }
        };
        Ok(Self { after: after.clone(), schema: Arc::new(schema), uniques })
    }

    /// The schema of what is released.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What tells the original's unique records apart.
    pub(crate) fn uniques(&self) -> &[Print] {
        &self.uniques
    }

    /// The data set as it is released.
    pub(crate) fn apply(&self, table: Table, completion: &Completion) -> Result<Table, SynthesisError> {
        let table = self.without_replicated_uniques(self.coded(table, completion)?)?;
        let table = calibration::calibrated(table, &self.after.calibrate)?;
        if self.after.label.is_none() && self.after.calibrate.is_empty() {
            return Ok(table);
        }
        if self.after.label.is_none() {
            return Ok(Table::new(Arc::clone(&self.schema), table.into_parts().1)?);
        }
        let rows = table.rows();
        let mut columns =
            vec![Column::Categorical(Arc::new(Codes::collect(1, std::iter::repeat_n(0, rows))))];
        columns.extend(table.into_parts().1);
        Ok(Table::new(Arc::clone(&self.schema), columns)?)
    }

    fn coded(&self, table: Table, completion: &Completion) -> Result<Table, SynthesisError> {
        if self.after.top.is_empty() && self.after.bottom.is_empty() {
            return Ok(table);
        }
        let (schema, mut columns) = table.into_parts();
        for (variable, column) in schema.variables().iter().zip(&mut columns) {
            let top = self.after.top.get(&variable.name).copied().unwrap_or(f64::INFINITY);
            let bottom = self.after.bottom.get(&variable.name).copied().unwrap_or(f64::NEG_INFINITY);
            if top == f64::INFINITY && bottom == f64::NEG_INFINITY {
                continue;
            }
            let within = |value: f64| value.min(top).max(bottom);
            match column {
                Column::Integer(numbers) => {
                    *numbers = limited(numbers, |value| within(value as f64).round() as i64)
                }
                Column::Real(numbers) => *numbers = limited(numbers, within),
                _ => {}
            }
        }
        // What is computed from coded numbers is computed again, and every rule is checked again.
        let modelled: Vec<&str> =
            schema.variables().iter().filter(|v| v.formula.is_none()).map(|v| v.name.as_str()).collect();
        completion.recompute(Table::new(Arc::clone(&schema), columns)?.select(&modelled)?)
    }

    fn without_replicated_uniques(&self, table: Table) -> Result<Table, SynthesisError> {
        if !self.after.remove_replicated_uniques {
            return Ok(table);
        }
        let prints = prints(&table, &compared(table.schema()))?;
        let is_kept = |row: &u32| self.uniques.binary_search(&prints[*row as usize]).is_err();
        let kept: Vec<u32> = (0..table.rows() as u32).filter(is_kept).collect();
        if kept.is_empty() {
            let message = "every record repeats a unique original one; nothing would be left";
            return Err(SynthesisError::option("after.remove_replicated_uniques", message));
        }
        Ok(table.take(&kept)?)
    }
}

fn limited<T: Number>(numbers: &Numbers<T>, limit: impl Fn(T) -> T) -> Numbers<T> {
    let mut coded = Numbers::with_capacity(numbers.len());
    for entry in numbers.iter() {
        coded.push(match entry {
            Entry::Value(value) => Entry::Value(limit(value)),
            other => other,
        });
    }
    coded
}

/// Refuses what needs the original records where only their counts are known.
pub(crate) fn refuse_without_records(after: &After, source: Source<'_>) -> Result<(), SynthesisError> {
    if after.remove_replicated_uniques && source.table().is_none() {
        let message = "it compares with the original records, and here are only their counts; leave it out";
        return Err(SynthesisError::option("after.remove_replicated_uniques", message));
    }
    Ok(())
}

/// What identifies the unique records of the data, if that is needed.
pub(crate) fn original_uniques(after: &After, source: Source<'_>) -> Result<Vec<Print>, SynthesisError> {
    match source.table().filter(|_| after.remove_replicated_uniques) {
        Some(table) => unique_of(table, table.schema()),
        None => Ok(Vec::new()),
    }
}
