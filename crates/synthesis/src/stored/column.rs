//! A column of records as a model file holds it.

use std::sync::Arc;

use table::column::{Entry, Numbers};
use table::expression::Value;
use table::{Codes, Column, Variable};

use super::{StateReader, StateWriter, ensure};
use crate::SynthesisError;

/// Codes of levels, or numbers with marks for what is not a number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StoredColumn {
    Levels(Vec<u32>),
    Numbers { values: Vec<f64>, marks: Option<Vec<u8>> },
}

impl StoredColumn {
    /// What is stored of a column that is modelled.
    pub(crate) fn of(column: &Column) -> Self {
        match column {
            Column::Categorical(codes) => Self::Levels(codes.iter().collect()),
            numeric => {
                let (values, marks) = numbers_and_marks(numeric);
                Self::Numbers { values, marks }
            }
        }
    }

    /// Writes the column.
    pub(crate) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        match self {
            Self::Levels(codes) => into.array("levels", codes),
            Self::Numbers { values, marks } => {
                into.array("numbers", values)?;
                into.array("marks", marks.as_deref().unwrap_or_default())
            }
        }
    }

    /// A column of this variable, with one entry for each of this many records.
    pub(crate) fn load(
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

    /// The number of records.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Levels(codes) => codes.len(),
            Self::Numbers { values, .. } => values.len(),
        }
    }

    /// What stands at a row, such that equal entries of the column have equal keys; of a level its code.
    pub(crate) fn key(&self, row: usize) -> u64 {
        match self {
            Self::Levels(codes) => u64::from(codes[row]),
            Self::Numbers { values, marks } => match marks.as_ref().map_or(0, |marks| marks[row]) {
                0 => (values[row] + 0.0).to_bits(),
                // No finite number has these bits.
                mark => u64::MAX - u64::from(mark),
            },
        }
    }

    /// The number at a row, if one stands there.
    pub(crate) fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Numbers { values, marks } if marks.as_ref().is_none_or(|marks| marks[row] == 0) => {
                Some(values[row])
            }
            _ => None,
        }
    }

    /// Puts another number where one stands.
    pub(crate) fn set_number(&mut self, row: usize, number: f64) {
        if let Self::Numbers { values, .. } = self {
            values[row] = number;
        }
    }

    /// Makes the entry of a row missing, in the column of this variable.
    pub(crate) fn set_missing(&mut self, row: usize, variable: &Variable) {
        match self {
            Self::Levels(codes) => {
                codes[row] = variable.kind.levels().map_or(0, |levels| levels.len()) as u32;
            }
            Self::Numbers { values, marks } => {
                marks.get_or_insert_with(|| vec![0; values.len()])[row] = 1;
                values[row] = 0.0;
            }
        }
    }

    /// Exchanges the entries of two rows.
    pub(crate) fn exchange(&mut self, row: usize, other: usize) {
        match self {
            Self::Levels(codes) => codes.swap(row, other),
            Self::Numbers { values, marks } => {
                values.swap(row, other);
                marks.iter_mut().for_each(|marks| marks.swap(row, other));
            }
        }
    }

    /// The entry of a row as it is at a row of another column of the same variable.
    pub(crate) fn set(&mut self, row: usize, from: &Self, at: usize) {
        match (self, from) {
            (Self::Levels(codes), Self::Levels(others)) => codes[row] = others[at],
            (Self::Numbers { values, marks }, Self::Numbers { values: others, marks: their_marks }) => {
                values[row] = others[at];
                let mark = their_marks.as_ref().map_or(0, |marks| marks[at]);
                if mark > 0 || marks.is_some() {
                    marks.get_or_insert_with(|| vec![0; values.len()])[row] = mark;
                }
            }
            _ => {}
        }
    }

    /// What stands at a row of this variable's column.
    pub(crate) fn value(&self, variable: &Variable, row: usize) -> Value {
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
    pub(crate) fn column(&self, variable: &Variable) -> Column {
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

/// Numbers, and for each what it is: 0 a number, 1 missing, 2 and above special codes; no marks where all are numbers.
pub(crate) fn numbers_and_marks(column: &Column) -> (Vec<f64>, Option<Vec<u8>>) {
    let mut values = Vec::with_capacity(column.len());
    let mut marks = Vec::with_capacity(column.len());
    for row in 0..column.len() {
        let (value, mark) = match column.number(row) {
            Some(Entry::Value(value)) => (value, 0),
            Some(Entry::Missing) | None => (0.0, 1),
            Some(Entry::Code(position)) => (0.0, 2 + position as u8),
        };
        values.push(value);
        marks.push(mark);
    }
    let marks = marks.iter().any(|mark| *mark > 0).then_some(marks);
    (values, marks)
}
