//! CSV: the same separators, quotes and words for the same table, always.

use std::io::Write;

use crate::column::{Column, Entry, Numbers};
use crate::schema::{Kind, Schema, Variable};
use crate::{Codes, Table};

/// A column that can write any of its records.
enum Written<'a> {
    /// A text for every code, ready to be written.
    Texts {
        codes: &'a Codes,
        texts: Vec<String>,
    },
    Integers(&'a Numbers<i64>, Vec<String>),
    Reals(&'a Numbers<f64>, Vec<String>),
    Days(&'a Numbers<i32>, crate::date::DateFormat),
}

/// Writes CSV.
pub(super) struct CsvWriter<W>(W);

impl<W: Write> CsvWriter<W> {
    pub(super) fn new(mut sink: W, schema: &Schema) -> std::io::Result<Self> {
        let names: Vec<String> = schema.variables().iter().map(|variable| field(&variable.name)).collect();
        writeln!(sink, "{}", names.join(","))?;
        Ok(Self(sink))
    }

    pub(super) fn write(&mut self, table: &Table) -> std::io::Result<()> {
        let variables = table.schema().variables().iter().zip(table.columns());
        let columns: Vec<Written<'_>> =
            variables.map(|(variable, column)| Written::new(variable, column)).collect();
        let mut text = String::new();
        for row in 0..table.rows() {
            for (position, column) in columns.iter().enumerate() {
                if position > 0 {
                    text.push(',');
                }
                column.write(row, &mut text);
            }
            text.push('\n');
        }
        self.0.write_all(text.as_bytes())
    }

    pub(super) fn finish(mut self) -> std::io::Result<W> {
        self.0.flush()?;
        Ok(self.0)
    }
}

impl<'a> Written<'a> {
    fn new(variable: &'a Variable, column: &'a Column) -> Self {
        let codes = || variable.codes.iter().map(|code| code.value.to_string()).collect();
        match column {
            Column::Categorical(column) => {
                let mut texts: Vec<String> =
                    variable.kind.levels().into_iter().flat_map(|levels| levels.iter()).map(field).collect();
                texts.push(String::new());
                Self::Texts { codes: column, texts }
            }
            Column::Text(text) => {
                let mut texts: Vec<String> = text.dictionary.iter().map(|text| field(text)).collect();
                texts.push(String::new());
                Self::Texts { codes: &text.codes, texts }
            }
            Column::Integer(numbers) => Self::Integers(numbers, codes()),
            Column::Real(numbers) => Self::Reals(numbers, codes()),
            Column::Date(days) => {
                let format =
                    if let Kind::Date { format, .. } = variable.kind { format } else { Default::default() };
                Self::Days(days, format)
            }
        }
    }

    fn write(&self, row: usize, line: &mut String) {
        use std::fmt::Write;
        match self {
            Self::Texts { codes, texts } => line.push_str(&texts[codes.get(row) as usize]),
            Self::Integers(numbers, codes) => match numbers.get(row) {
                Entry::Value(value) => line.push_str(itoa::Buffer::new().format(value)),
                Entry::Code(position) => line.push_str(&codes[position]),
                Entry::Missing => {}
            },
            Self::Reals(numbers, codes) => match numbers.get(row) {
                Entry::Value(value) => {
                    let written = write!(line, "{value}");
                    debug_assert!(written.is_ok(), "writing to a string cannot fail");
                }
                Entry::Code(position) => line.push_str(&codes[position]),
                Entry::Missing => {}
            },
            Self::Days(days, format) => {
                if let Entry::Value(day) = days.get(row) {
                    line.push_str(&format.format(day));
                }
            }
        }
    }
}

/// A field, in quotes where it holds a separator, a quote or a line end.
fn field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
