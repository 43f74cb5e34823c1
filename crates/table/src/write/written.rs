//! Columns whose records can each be written as text, for formats that have no quotes of their own.

use crate::Codes;
use crate::column::{Column, Entry, Numbers};
use crate::schema::{Kind, Variable};

/// A column that can write any of its records.
pub(super) enum Written<'a> {
    /// A text for every code.
    Texts { codes: &'a Codes, texts: Vec<&'a str> },
    /// Whole numbers, and the texts of special codes.
    Integers(&'a Numbers<i64>, Vec<String>),
    /// The same of real ones.
    Reals(&'a Numbers<f64>, Vec<String>),
    /// Days.
    Days(&'a Numbers<i32>, crate::date::DateFormat),
    /// Points in time.
    Times(&'a Numbers<i64>, crate::datetime::DatetimeFormat),
}

impl<'a> Written<'a> {
    /// The texts of a column as they are.
    pub(super) fn plain(variable: &'a Variable, column: &'a Column) -> Self {
        let codes = || variable.codes.iter().map(|code| code.value.to_string()).collect();
        match column {
            Column::Categorical(column) => {
                let levels = variable.kind.levels().into_iter().flat_map(|levels| levels.iter());
                Self::Texts { codes: column, texts: levels.chain([""]).collect() }
            }
            Column::Text(text) => {
                let texts = text.dictionary.iter().map(String::as_str).chain([""]).collect();
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

    /// Appends the text of a record; nothing where it is missing.
    pub(super) fn write(&self, row: usize, line: &mut String) {
        use std::fmt::Write;
        match self {
            Self::Texts { codes, texts } => line.push_str(texts[codes.get(row) as usize]),
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
            Self::Times(times, format) => {
                if let Entry::Value(time) = times.get(row) {
                    line.push_str(&format.format(time));
                }
            }
        }
    }
}
