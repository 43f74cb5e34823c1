//! Columns of the variables known so far: those of the data in a fit, those drawn so far in a draw.

use std::borrow::Cow;
use std::sync::Arc;

use table::column::{Entry, Numbers};
use table::expression::{Record, Value};
use table::{Codes, Column, Variable};

/// Records of variables of which some are known.
pub(super) struct Frame<'a> {
    variables: &'a [Variable],
    columns: Vec<Option<Cow<'a, Column>>>,
    rows: usize,
}

impl<'a> Frame<'a> {
    /// No variable known yet.
    pub(super) fn new(variables: &'a [Variable], rows: usize) -> Self {
        Self { variables, columns: vec![None; variables.len()], rows }
    }

    /// The number of records.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// All variables, known or not.
    pub(super) fn variables(&self) -> &'a [Variable] {
        self.variables
    }

    /// Makes a variable known.
    pub(super) fn insert(&mut self, variable: usize, column: Cow<'a, Column>) {
        debug_assert_eq!(column.len(), self.rows, "one entry a record");
        self.columns[variable] = Some(column);
    }

    /// The column of a variable that is known.
    pub(super) fn column(&self, variable: usize) -> &Column {
        self.columns[variable].as_deref().expect("predictors are visited before the variables that use them")
    }

    /// Takes the column of a variable out.
    pub(super) fn remove(&mut self, variable: usize) -> Option<Column> {
        self.columns[variable].take().map(Cow::into_owned)
    }

    /// The value of a known variable.
    pub(super) fn value(&self, variable: usize, row: usize) -> Value {
        value_of(&self.variables[variable], self.column(variable), row)
    }

    /// One record, for conditions and formulas; variables that are not known are missing.
    pub(super) fn record(&self, row: usize) -> FrameRecord<'_> {
        FrameRecord { frame: self, row, tried: &[] }
    }

    /// One record with values that are being tried.
    pub(super) fn record_with<'b>(&'b self, row: usize, tried: &'b [(usize, Value)]) -> FrameRecord<'b> {
        FrameRecord { frame: self, row, tried }
    }
}

/// One record of a frame.
pub(super) struct FrameRecord<'a> {
    frame: &'a Frame<'a>,
    row: usize,
    tried: &'a [(usize, Value)],
}

impl Record for FrameRecord<'_> {
    fn value(&self, variable: usize) -> Value {
        if let Some((_, value)) = self.tried.iter().find(|(tried, _)| *tried == variable) {
            return *value;
        }
        match &self.frame.columns[variable] {
            Some(column) => value_of(&self.frame.variables[variable], column, self.row),
            None => Value::Missing,
        }
    }
}

/// What a column holds at a row.
pub(super) fn value_of(variable: &Variable, column: &Column, row: usize) -> Value {
    match column {
        Column::Categorical(codes) => {
            let code = codes.get(row);
            let levels = variable.kind.levels().map_or(0, |levels| levels.len());
            if (code as usize) < levels { Value::Level(code) } else { Value::Missing }
        }
        Column::Text(text) => text.get(row).map_or(Value::Missing, |_| Value::Text),
        numeric => match numeric.number(row) {
            Some(Entry::Value(value)) => Value::Number(value),
            Some(Entry::Code(position)) => Value::Code(variable.codes[position].value),
            Some(Entry::Missing) | None => Value::Missing,
        },
    }
}

/// A column under construction.
pub(in crate::methods) enum ColumnBuilder<'a> {
    Levels { levels: u32, codes: Codes },
    Numbers { variable: &'a Variable, numbers: Numbers<f64> },
}

impl<'a> ColumnBuilder<'a> {
    /// An empty column of this variable with room for `rows`.
    pub(in crate::methods) fn new(variable: &'a Variable, rows: usize) -> Self {
        match variable.kind.levels() {
            Some(levels) => {
                let cardinality = (levels.len() + usize::from(variable.missing)).max(1);
                Self::Levels { levels: levels.len() as u32, codes: Codes::with_capacity(cardinality, rows) }
            }
            None => Self::Numbers { variable, numbers: Numbers::with_capacity(rows) },
        }
    }

    /// Appends values.
    pub(in crate::methods) fn extend(&mut self, values: &[Value]) {
        match self {
            Self::Levels { levels, codes } => codes.extend(values.iter().map(|value| match value {
                Value::Level(level) => *level,
                _ => *levels,
            })),
            Self::Numbers { variable, numbers } => values.iter().for_each(|value| {
                numbers.push(match value {
                    Value::Number(number) => Entry::Value(*number),
                    Value::Code(code) => variable.code_position(*code).map_or(Entry::Missing, Entry::Code),
                    _ => Entry::Missing,
                });
            }),
        }
    }

    /// The column.
    pub(in crate::methods) fn finish(self) -> Column {
        match self {
            Self::Levels { codes, .. } => Column::Categorical(Arc::new(codes)),
            Self::Numbers { variable, numbers } => Column::of_numbers(&variable.kind, numbers),
        }
    }
}
