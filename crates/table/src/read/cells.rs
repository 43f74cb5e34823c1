//! Columns of cells that each say their own type: sheets of Excel and JSON lines.

use std::borrow::Cow;
use std::path::Path;

use arrow_schema::{DataType, TimeUnit};

use super::dictionary::TextBuilder;
use super::pieces::Piece;
use super::{Expectation, ReadOptions, learn};
use crate::column::{EXACT, Entry, Number, Numbers};
use crate::date::DateFormat;
use crate::datetime::{DAY, DatetimeFormat, Precision};
use crate::{FileProblem, Table, TableError};

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Whole(i64),
    Real(f64),
    Truth(bool),
    Text(String),
    /// Microseconds since 1970.
    Time(i64),
    /// Microseconds since midnight.
    TimeOfDay(i64),
}

/// The cells of a column that are not empty, by row.
#[derive(Debug, Default)]
pub(super) struct Sparse(Vec<(u32, Cell)>);

impl Sparse {
    pub(super) fn push(&mut self, row: u32, cell: Cell) {
        self.0.push((row, cell));
    }

    /// The row of the last cell.
    pub(super) fn last(&self) -> Option<u32> {
        self.0.last().map(|(row, _)| *row)
    }
}

/// More cells than this are believed only where some of them are filled.
const MANY: u64 = 50_000_000;

/// The table of these columns, each with so many rows.
pub(super) fn table(
    path: &Path,
    names: Vec<String>,
    columns: Vec<Sparse>,
    rows: u32,
    options: &ReadOptions,
) -> Result<Table, TableError> {
    super::check_names(path, &names)?;
    if rows == 0 {
        return Err(TableError::file(path, FileProblem::NoRows));
    }
    refuse_emptiness(path, &columns, rows)?;
    let expected = options.expectations(path, &names)?;
    let (mut pieces, mut held) = (Vec::new(), Vec::new());
    for (column, (expectation, tokens)) in columns.into_iter().zip(expected) {
        options.watch.check()?;
        let (piece, of) = piece(column, rows, expectation, &tokens);
        pieces.push(piece);
        held.push(of);
    }
    learn::table(names, pieces, &held)
}

/// A few cells far apart would make a table that no memory holds.
pub(super) fn refuse_emptiness(path: &Path, columns: &[Sparse], rows: u32) -> Result<(), TableError> {
    let all = u64::from(rows) * columns.len() as u64;
    let filled: u64 = columns.iter().map(|column| column.0.len() as u64).sum();
    if all > MANY && filled < all / 200 {
        let message =
            "almost all of its cells are empty; leave out the columns and rows that hold nothing".to_owned();
        return Err(TableError::file(path, FileProblem::Format(message)));
    }
    Ok(())
}

fn piece(column: Sparse, rows: u32, expectation: Expectation, tokens: &[String]) -> (Piece, DataType) {
    let cells: Vec<(u32, Cell)> =
        column.0.into_iter().filter(|(_, cell)| !is_missing(cell, tokens)).collect();
    let all = |is: fn(&Cell) -> bool| cells.iter().all(|(_, cell)| is(cell));
    let wants_text = expectation == Expectation::Text;
    if !cells.is_empty() && all(|cell| matches!(cell, Cell::Time(_))) {
        let times = filled(&cells, rows, |cell| if let Cell::Time(time) = cell { *time } else { 0 });
        return (Piece::Datetime(times), DataType::Timestamp(TimeUnit::Microsecond, None));
    }
    if !cells.is_empty() && all(|cell| matches!(cell, Cell::TimeOfDay(_))) {
        let times = filled(&cells, rows, |cell| if let Cell::TimeOfDay(time) = cell { *time } else { 0 });
        return (Piece::Datetime(times), DataType::Time64(TimeUnit::Microsecond));
    }
    let is_whole = |cell: &Cell| match cell {
        Cell::Whole(_) => true,
        Cell::Real(value) => value.fract() == 0.0 && value.abs() <= EXACT as f64,
        _ => false,
    };
    if !wants_text && cells.iter().all(|(_, cell)| is_whole(cell)) {
        let whole = |cell: &Cell| match cell {
            Cell::Whole(value) => *value,
            Cell::Real(value) => *value as i64,
            _ => 0,
        };
        return (Piece::Integer(filled(&cells, rows, whole)), DataType::Int64);
    }
    let is_number = |cell: &Cell| match cell {
        Cell::Whole(value) => value.unsigned_abs() <= EXACT,
        Cell::Real(_) => true,
        _ => false,
    };
    if !wants_text && cells.iter().all(|(_, cell)| is_number(cell)) {
        let real = |cell: &Cell| match cell {
            Cell::Whole(value) => *value as f64,
            Cell::Real(value) => *value,
            _ => 0.0,
        };
        return (Piece::Real(filled(&cells, rows, real)), DataType::Float64);
    }
    let is_truth = !cells.is_empty() && all(|cell| matches!(cell, Cell::Truth(_)));
    let mut builder = TextBuilder::with_capacity(rows as usize);
    let mut next = 0;
    for (row, cell) in cells {
        (next..row).for_each(|_| builder.push_missing());
        builder.push(Cow::Owned(text(cell)));
        next = row + 1;
    }
    (next..rows).for_each(|_| builder.push_missing());
    (Piece::Text(builder.finish()), if is_truth { DataType::Boolean } else { DataType::Utf8 })
}

fn is_missing(cell: &Cell, tokens: &[String]) -> bool {
    match cell {
        Cell::Text(text) => text.is_empty() || tokens.contains(text),
        Cell::Whole(value) => tokens.iter().any(|token| token.parse() == Ok(*value)),
        Cell::Real(value) => tokens.iter().any(|token| token.parse() == Ok(*value)),
        Cell::Truth(_) | Cell::Time(_) | Cell::TimeOfDay(_) => false,
    }
}

fn filled<T: Number>(cells: &[(u32, Cell)], rows: u32, value: impl Fn(&Cell) -> T) -> Numbers<T> {
    let mut numbers = Numbers::with_capacity(rows as usize);
    let mut next = 0;
    for (row, cell) in cells {
        (next..*row).for_each(|_| numbers.push(Entry::Missing));
        numbers.push(Entry::Value(value(cell)));
        next = row + 1;
    }
    (next..rows).for_each(|_| numbers.push(Entry::Missing));
    numbers
}

/// A cell as it would stand in a text file.
fn text(cell: Cell) -> String {
    match cell {
        Cell::Whole(value) => value.to_string(),
        Cell::Real(value) => value.to_string(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Text(text) => text,
        Cell::Time(time) if time.rem_euclid(DAY) == 0 => DateFormat::Iso.format(time.div_euclid(DAY) as i32),
        Cell::Time(time) => {
            let format = DatetimeFormat {
                precision: Precision::of_all(std::iter::once(time)),
                ..DatetimeFormat::default()
            };
            format.format(time)
        }
        Cell::TimeOfDay(time) => {
            DatetimeFormat::time_of_day(Precision::of_all(std::iter::once(time))).format(time)
        }
    }
}
