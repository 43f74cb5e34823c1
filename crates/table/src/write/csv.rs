//! CSV: the same separators, quotes and words for the same table, always.

use std::borrow::Cow;
use std::io::Write;

use crate::column::{Column, Entry, Numbers};
use crate::schema::{DecimalMark, Kind, Schema, Variable};
use crate::spreadsheet::guarded;
use crate::{Codes, Table};

/// A column that can write any of its records.
pub(super) enum Written<'a> {
    /// A text for every code, ready to be written.
    Texts {
        codes: &'a Codes,
        texts: Vec<String>,
    },
    Integers(&'a Numbers<i64>, Vec<String>),
    Reals(&'a Numbers<f64>, Vec<String>),
    Days(&'a Numbers<i32>, crate::date::DateFormat),
    Times(&'a Numbers<i64>, crate::datetime::DatetimeFormat),
}

/// Writes CSV.
pub(super) struct CsvWriter<W> {
    sink: W,
    keep_formulas: bool,
    decimal: DecimalMark,
}

impl<W: Write> CsvWriter<W> {
    pub(super) fn new(mut sink: W, schema: &Schema) -> std::io::Result<Self> {
        let decimal = schema.decimal();
        let names: Vec<String> =
            schema.variables().iter().map(|variable| field(&variable.name, decimal, true)).collect();
        writeln!(sink, "{}", names.join(separator(decimal)))?;
        Ok(Self { sink, keep_formulas: false, decimal })
    }

    pub(super) fn keep_formulas(mut self, keep: bool) -> Self {
        self.keep_formulas = keep;
        self
    }

    pub(super) fn write(&mut self, table: &Table) -> std::io::Result<()> {
        let variables = table.schema().variables().iter().zip(table.columns());
        let columns: Vec<Written<'_>> =
            variables.map(|(variable, column)| Written::new(self, variable, column)).collect();
        let separator = separator(self.decimal);
        let mut text = String::new();
        for row in 0..table.rows() {
            for (position, column) in columns.iter().enumerate() {
                if position > 0 {
                    text.push_str(separator);
                }
                column.write(row, self.decimal, &mut text);
            }
            text.push('\n');
        }
        self.sink.write_all(text.as_bytes())
    }

    pub(super) fn finish(mut self) -> std::io::Result<W> {
        self.sink.flush()?;
        Ok(self.sink)
    }
}

impl<'a> Written<'a> {
    fn new<W>(writer: &CsvWriter<W>, variable: &'a Variable, column: &'a Column) -> Self {
        let (decimal, keep) = (writer.decimal, writer.keep_formulas);
        Self::with_fields(variable, column, decimal, |text: &str| field(text, decimal, keep))
    }

    /// Texts as they are, for formats that need no quotes.
    pub(super) fn plain(variable: &'a Variable, column: &'a Column) -> Self {
        Self::with_fields(variable, column, DecimalMark::Point, str::to_owned)
    }

    fn with_fields(
        variable: &'a Variable,
        column: &'a Column,
        decimal: DecimalMark,
        field: impl Fn(&str) -> String,
    ) -> Self {
        let codes = || variable.codes.iter().map(|code| with_mark(code.value.to_string(), decimal)).collect();
        match column {
            Column::Categorical(column) => {
                let mut texts: Vec<String> =
                    variable.kind.levels().into_iter().flat_map(|levels| levels.iter()).map(&field).collect();
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
            Column::Datetime(times) => Self::Times(times, variable.kind.datetime_format()),
        }
    }

    pub(super) fn write(&self, row: usize, decimal: DecimalMark, line: &mut String) {
        use std::fmt::Write;
        match self {
            Self::Texts { codes, texts } => line.push_str(&texts[codes.get(row) as usize]),
            Self::Integers(numbers, codes) => match numbers.get(row) {
                Entry::Value(value) => line.push_str(itoa::Buffer::new().format(value)),
                Entry::Code(position) => line.push_str(&codes[position]),
                Entry::Missing => {}
            },
            Self::Reals(numbers, codes) => match numbers.get(row) {
                Entry::Value(value) if decimal == DecimalMark::Comma => {
                    line.push_str(&with_mark(value.to_string(), decimal));
                }
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
            Self::Times(times, format) => {
                if let Entry::Value(time) = times.get(row) {
                    line.push_str(&format.format(time));
                }
            }
        }
    }
}

/// What stands between fields.
fn separator(decimal: DecimalMark) -> &'static str {
    match decimal {
        DecimalMark::Point => ",",
        DecimalMark::Comma => ";",
    }
}

/// A number with the mark before its decimals.
fn with_mark(number: String, decimal: DecimalMark) -> String {
    if decimal == DecimalMark::Comma { number.replacen('.', ",", 1) } else { number }
}

/// A field, in quotes where it holds a separator, a quote or a line end, and guarded where a spreadsheet would run it, unless it is kept.
fn field(text: &str, decimal: DecimalMark, keep: bool) -> String {
    let text = if keep { Cow::Borrowed(text) } else { guarded(text) };
    if text.contains(['"', '\n', '\r']) || text.contains(separator(decimal)) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}
