//! Excel (.xlsx): one sheet with the names in the first row. Text is never a formula, whatever it begins with.

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};

use super::written::Written;
use crate::Table;
use crate::column::{Column, Entry};
use crate::datetime::DAY;
use crate::schema::{Kind, Schema, Stored, Variable};

/// The most rows and columns of a sheet.
const ROWS: usize = 1_048_576;
const COLUMNS: usize = 16_384;
/// 1900-03-01 in days since 1970: what lies before is another day in some versions of Excel, and earlier years are none in any.
const FIRST_DAY: i64 = -25_508;
/// Days from Excel's day zero to 1970-01-01.
const OFFSET: f64 = 25_569.0;

fn refused(error: impl std::fmt::Display) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string())
}

/// The file.
pub(super) fn bytes(schema: &Schema, parts: &[Table]) -> std::io::Result<Vec<u8>> {
    let rows: usize = parts.iter().map(Table::rows).sum();
    if rows + 1 > ROWS || schema.variables().len() > COLUMNS {
        return Err(refused(format!(
            "a sheet of Excel has {ROWS} rows and {COLUMNS} columns, and this table has {rows} records; write csv or parquet"
        )));
    }
    let mut book = Workbook::new();
    // The day on which a file is written says nothing of its records, and would make each writing another file.
    let created = ExcelDateTime::from_ymd(2000, 1, 1).map_err(refused)?;
    book.set_properties(&DocProperties::new().set_creation_datetime(&created));
    let sheet = book.add_worksheet();
    for (at, variable) in schema.variables().iter().enumerate() {
        sheet.write_string(0, at as u16, &variable.name).map_err(refused)?;
    }
    sheet.set_freeze_panes(1, 0).map_err(refused)?;
    for (at, variable) in schema.variables().iter().enumerate() {
        let columns: Vec<&Column> = parts.iter().map(|part| &part.columns()[at]).collect();
        column(sheet, at as u16, variable, &columns).map_err(refused)?;
    }
    book.save_to_buffer().map_err(refused)
}

fn column(sheet: &mut Worksheet, at: u16, variable: &Variable, parts: &[&Column]) -> Result<(), XlsxError> {
    let format = match &variable.kind {
        Kind::Date { .. } => Format::new().set_num_format("yyyy-mm-dd"),
        Kind::Datetime { format, .. } if format.date.is_none() => {
            Format::new().set_num_format("hh:mm:ss.000")
        }
        Kind::Datetime { .. } => Format::new().set_num_format("yyyy-mm-dd hh:mm:ss.000"),
        _ => Format::new(),
    };
    let as_times = can_be_times(variable, parts);
    let whole_levels = variable.kind.levels().is_some() && variable.stored == Some(Stored::Integer);
    let truths = variable.kind.levels().is_some() && variable.stored == Some(Stored::Boolean);
    let whole_identifier = variable.kind == Kind::TextId && variable.identifier.whole;
    let mut row = 0;
    let mut text = String::new();
    for part in parts {
        let written = Written::plain(variable, part);
        for record in 0..part.len() {
            row += 1;
            match part.number(record) {
                Some(Entry::Missing) => continue,
                Some(Entry::Value(value)) if as_times => {
                    let days = match variable.kind {
                        Kind::Date { .. } => value + OFFSET,
                        Kind::Datetime { format, .. } if format.date.is_none() => value / DAY as f64,
                        _ => value / DAY as f64 + OFFSET,
                    };
                    sheet.write_number_with_format(row, at, days, &format)?;
                    continue;
                }
                Some(Entry::Value(value)) if matches!(part, Column::Integer(_) | Column::Real(_)) => {
                    sheet.write_number(row, at, value)?;
                    continue;
                }
                Some(Entry::Code(position)) => {
                    sheet.write_number(row, at, variable.codes[position].value)?;
                    continue;
                }
                _ => {}
            }
            text.clear();
            written.write(record, &mut text);
            let number =
                text.parse::<i64>().ok().filter(|number| number.unsigned_abs() < 1_000_000_000_000_000);
            match number.filter(|_| whole_levels || whole_identifier) {
                _ if text.is_empty() => {}
                Some(number) => {
                    sheet.write_number(row, at, number as f64)?;
                }
                None if truths => {
                    sheet.write_boolean(row, at, text == "true")?;
                }
                None => {
                    sheet.write_string(row, at, &text)?;
                }
            }
        }
    }
    Ok(())
}

/// Whether Excel can hold all these days and times: from March 1900 on, to the millisecond.
fn can_be_times(variable: &Variable, parts: &[&Column]) -> bool {
    let is_fine = |time: i64| time % 1_000 == 0;
    parts.iter().all(|part| match part {
        Column::Date(days) => days.values().all(|day| i64::from(day) >= FIRST_DAY),
        Column::Datetime(times) if variable.kind.datetime_format().date.is_none() => {
            times.values().all(is_fine)
        }
        Column::Datetime(times) => times.values().all(|time| is_fine(time) && time >= FIRST_DAY * DAY),
        _ => false,
    })
}
