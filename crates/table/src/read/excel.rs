//! Sheets of Excel (.xlsx): the first row has the names, every other one is a record.
//!
//! Cells are taken one by one as the file has them, so that a sheet of two cells far apart takes no more room than these.

use std::io::Cursor;
use std::path::Path;

use calamine::{Data, DataRef, ExcelDateTime, Reader, Xlsx};
use chrono::NaiveDate;

use super::ReadOptions;
use super::cells::{self, Cell, Sparse};
use crate::datetime::DAY;
use crate::{FileProblem, Table, TableError};

/// Whether a ZIP archive that begins with these bytes is one of Excel's.
pub(super) fn begins(start: &[u8]) -> bool {
    let holds = |words: &[u8]| start.windows(words.len()).any(|window| window == words);
    start.starts_with(b"PK\x03\x04")
        && (holds(b"[Content_Types].xml") || holds(b"xl/") || holds(b"docProps/"))
}

/// The most bytes that the parts of a file may have when they are unpacked, and the most in proportion to the file.
const LARGEST: u64 = 4 << 30;
const UNPACKED: u64 = 256 << 20;
const TIMES: u64 = 200;

/// Reads a sheet: the one that is named, or the only one that holds something.
pub(super) fn read(path: &Path, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table, TableError> {
    let refuse = |message: String| TableError::file(path, FileProblem::Format(message));
    let broken =
        |error: &dyn std::fmt::Display| refuse(format!("not a readable Excel file (.xlsx): {error}"));
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes.as_slice())).map_err(|error| broken(&error))?;
    let mut unpacked = 0_u64;
    for at in 0..archive.len() {
        unpacked = unpacked.saturating_add(archive.by_index_raw(at).map_err(|error| broken(&error))?.size());
    }
    let limit = UNPACKED.max(TIMES.saturating_mul(bytes.len() as u64)).min(LARGEST);
    if unpacked > limit {
        return Err(refuse(
            "its parts would be far larger than the file when unpacked; save the sheet as CSV".into(),
        ));
    }
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    let sheets = book.sheet_names();
    let named =
        |sheets: &[String]| sheets.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let sheet = match &options.sheet {
        Some(name) => match sheets.iter().find(|sheet| *sheet == name) {
            Some(sheet) => sheet.clone(),
            None => {
                return Err(refuse(format!("there is no sheet `{name}`; its sheets are {}", named(&sheets))));
            }
        },
        None => {
            let mut filled = Vec::new();
            for sheet in &sheets {
                let mut cells = match book.worksheet_cells_reader(sheet) {
                    Ok(cells) => cells,
                    // A chart has no cells.
                    Err(_) => continue,
                };
                if let Ok(Some(_)) = cells.next_cell() {
                    filled.push(sheet.clone());
                }
            }
            match filled.as_slice() {
                [] => return Err(TableError::file(path, FileProblem::Empty)),
                [only] => only.clone(),
                several => {
                    return Err(refuse(format!(
                        "several of its sheets hold something: {}; say which one is the table with `--sheet NAME`",
                        named(several)
                    )));
                }
            }
        }
    };
    let mut reader = book.worksheet_cells_reader(&sheet).map_err(|error| broken(&error))?;
    let mut names: Vec<String> = Vec::new();
    let mut columns: Vec<Sparse> = Vec::new();
    let mut header: Option<u32> = None;
    let mut rows = 0;
    while let Some(cell) = reader.next_cell().map_err(|error| broken(&error))? {
        let (row, column) = cell.get_position();
        let place = || format!("{}{}", column_letters(column), row + 1);
        let value =
            value(cell.get_value()).map_err(|message| refuse(format!("cell {}: {message}", place())))?;
        let Some(value) = value else { continue };
        let column = column as usize;
        let first = *header.get_or_insert(row);
        if row == first {
            names.resize(names.len().max(column + 1), String::new());
            names[column] = name(value);
            continue;
        }
        if row < first || names.get(column).is_none() {
            return Err(refuse(format!(
                "cell {} stands beside the table: its column has no name in the first row",
                place()
            )));
        }
        columns.resize_with(names.len(), Sparse::default);
        let record = row - first - 1;
        if columns[column].last().is_some_and(|last| last >= record) {
            return Err(broken(&"its rows are not in order"));
        }
        columns[column].push(record, value);
        rows = rows.max(record + 1);
        if record.is_multiple_of(65_536) {
            options.watch.check()?;
        }
    }
    if names.is_empty() {
        return Err(TableError::file(path, FileProblem::Empty));
    }
    columns.resize_with(names.len(), Sparse::default);
    cells::table(path, names, columns, rows, options)
}

/// A name in the first row.
fn name(cell: Cell) -> String {
    match cell {
        Cell::Text(text) => text.trim().to_owned(),
        Cell::Whole(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Time(_) | Cell::TimeOfDay(_) => String::new(),
    }
}

fn column_letters(column: u32) -> String {
    let (mut letters, mut left) = (String::new(), column + 1);
    while left > 0 {
        letters.insert(0, char::from(b'A' + ((left - 1) % 26) as u8));
        left = (left - 1) / 26;
    }
    letters
}

fn value(value: &DataRef<'_>) -> Result<Option<Cell>, String> {
    Ok(Some(match value {
        DataRef::Empty => return Ok(None),
        DataRef::Int(whole) => Cell::Whole(*whole),
        DataRef::Float(real) if real.is_finite() => Cell::Real(*real),
        DataRef::Float(_) => return Err("it holds no finite number".into()),
        DataRef::String(text) if text.is_empty() => return Ok(None),
        DataRef::String(text) => Cell::Text(text.clone()),
        DataRef::SharedString("") => return Ok(None),
        DataRef::SharedString(text) => Cell::Text((*text).to_owned()),
        DataRef::Bool(truth) => Cell::Truth(*truth),
        DataRef::DateTime(time) => moment(time)?,
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => Cell::Text(text.clone()),
        DataRef::Error(error) => {
            return Err(format!("it holds the error {}; mend it, or empty it", Data::Error(error.clone())));
        }
    }))
}

/// A day or a time; durations stay numbers of days.
fn moment(time: &ExcelDateTime) -> Result<Cell, String> {
    let serial = time.as_f64();
    if time.is_duration() {
        return Ok(Cell::Real(serial));
    }
    if (0.0..1.0).contains(&serial) {
        return Ok(Cell::TimeOfDay(((serial * DAY as f64 / 1e3).round() * 1e3) as i64 % DAY));
    }
    let (year, month, day, hour, minute, second, milli) = time.to_ymd_hms_milli();
    let date = NaiveDate::from_ymd_opt(i32::from(year), u32::from(month), u32::from(day));
    let days = date.map(|date| date.signed_duration_since(NaiveDate::default()).num_days());
    let days = days.ok_or_else(|| "it holds a day that is in no calendar".to_owned())?;
    let seconds = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    Ok(Cell::Time(days * DAY + seconds * 1_000_000 + i64::from(milli) * 1_000))
}
