//! A column of records as a model file holds it.

use std::sync::Arc;

use table::column::{Entry, Numbers};
use table::expression::Value;
use table::{Codes, Column, Variable};

use super::frame::numbers_and_marks;
use crate::SynthesisError;
use crate::stored::{StateReader, StateWriter, ensure};

/// Codes of levels, or numbers with marks for what is not a number.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StoredColumn {
    Levels(Vec<u32>),
    Numbers { values: Vec<f64>, marks: Option<Vec<u8>> },
}

impl StoredColumn {
    /// What is stored of a column that is modelled.
    pub(super) fn of(column: &Column) -> Self {
        match column {
            Column::Categorical(codes) => Self::Levels(codes.iter().collect()),
            numeric => {
                let (values, marks) = numbers_and_marks(numeric);
                Self::Numbers { values, marks }
            }
        }
    }

    /// Writes the column.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        match self {
            Self::Levels(codes) => into.array("levels", codes),
            Self::Numbers { values, marks } => {
                into.array("numbers", values)?;
                into.array("marks", marks.as_deref().unwrap_or_default())
            }
        }
    }

    /// A column of this variable, with one entry for each of this many records.
    pub(super) fn load(
        from: &mut StateReader<'_>,
        variable: &Variable,
        records: usize,
    ) -> Result<Self, SynthesisError> {
        let other = "a column of the data is not of its variable";
        if let Some(levels) = variable.kind.levels() {
            let codes: Vec<u32> = from.array("levels")?;
            let end = levels.len() + usize::from(variable.missing);
            ensure(codes.len() == records && codes.iter().all(|code| (*code as usize) < end), other)?;
            return Ok(Self::Levels(codes));
        }
        let (values, marks): (Vec<f64>, Vec<u8>) = (from.array("numbers")?, from.array("marks")?);
        let end = 2 + variable.codes.len();
        let are_fine = values.len() == records
            && values.iter().all(|value| value.is_finite())
            && [0, records].contains(&marks.len())
            && marks.iter().all(|mark| usize::from(*mark) < end);
        ensure(are_fine, other)?;
        Ok(Self::Numbers { values, marks: (!marks.is_empty()).then_some(marks) })
    }

    /// What stands at a row of this variable's column.
    pub(super) fn value(&self, variable: &Variable, row: usize) -> Value {
        match self {
            Self::Levels(codes) => {
                let levels = variable.kind.levels().map_or(0, |levels| levels.len());
                if (codes[row] as usize) < levels { Value::Level(codes[row]) } else { Value::Missing }
            }
            Self::Numbers { values, marks } => match marks.as_ref().map_or(0, |marks| marks[row]) {
                0 => Value::Number(values[row]),
                1 => Value::Missing,
                code => Value::Code(variable.codes[usize::from(code) - 2].value),
            },
        }
    }

    /// The column of this variable.
    pub(super) fn column(&self, variable: &Variable) -> Column {
        match self {
            Self::Levels(codes) => {
                let levels = variable.kind.levels().map_or(0, |levels| levels.len());
                let cardinality = (levels + usize::from(variable.missing)).max(1);
                Column::Categorical(Arc::new(Codes::collect(cardinality, codes.iter().copied())))
            }
            Self::Numbers { values, marks } => {
                let mut numbers = Numbers::with_capacity(values.len());
                for (row, value) in values.iter().enumerate() {
                    numbers.push(match marks.as_ref().map_or(0, |marks| marks[row]) {
                        0 => Entry::Value(*value),
                        1 => Entry::Missing,
                        code => Entry::Code(usize::from(code) - 2),
                    });
                }
                Column::of_numbers(&variable.kind, numbers)
            }
        }
    }
}
