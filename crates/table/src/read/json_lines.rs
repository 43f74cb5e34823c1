//! JSON lines: one object a line, its keys the columns.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use indexmap::IndexMap;
use serde_json::Value;

use super::ReadOptions;
use super::cells::{self, Cell, Sparse};
use crate::column::EXACT;
use crate::{FileProblem, Table, TableError};

/// The longest line that is read, in bytes.
const LONGEST: u64 = 1 << 26;

/// Whether a file that begins with these bytes may hold JSON lines: an object at the very start.
pub(super) fn begins(start: &[u8]) -> bool {
    let text = start.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(start).trim_ascii_start();
    text.strip_prefix(b"{").is_some_and(|rest| matches!(rest.trim_ascii_start(), [b'"' | b'}', ..]))
}

/// Reads a file of JSON lines.
pub(super) fn read(
    path: &Path,
    source: Box<dyn Read + Send>,
    options: &ReadOptions,
) -> Result<Table, TableError> {
    let wrong = |line: u64, message: &str| {
        TableError::file(
            path,
            FileProblem::Format(format!("line {line} is not read as JSON lines: {message}")),
        )
    };
    let mut source = BufReader::with_capacity(1 << 16, source);
    let mut columns: IndexMap<String, Sparse> = IndexMap::new();
    let (mut line, mut rows) = (0_u64, 0_u32);
    let mut text = Vec::new();
    loop {
        text.clear();
        let read = (&mut source).take(LONGEST).read_until(b'\n', &mut text);
        if read.map_err(|source| TableError::io(path, source))? == 0 {
            break;
        }
        line += 1;
        if text.len() as u64 == LONGEST {
            return Err(wrong(line, "it is longer than 64 MB"));
        }
        let start = if line == 1 { text.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(&text) } else { &text };
        if start.trim_ascii().is_empty() {
            continue;
        }
        let record: IndexMap<String, Value> = serde_json::from_slice(start).map_err(|error| match error.is_eof() {
            true => wrong(line, "the object does not end on its line; write one object a line, for example with `jq -c .`"),
            false => wrong(line, "it is no JSON object; write one object a line, for example with `jq -c .`"),
        })?;
        for (name, value) in record {
            let cell = cell(value).map_err(|message| {
                let message = format!("line {line}: {message}");
                TableError::file(path, FileProblem::Column { column: name.clone(), message })
            })?;
            let column = columns.entry(name).or_default();
            if let Some(cell) = cell {
                column.push(rows, cell);
            }
        }
        rows = rows.checked_add(1).ok_or_else(|| wrong(line, "a table holds up to 4294967295 records"))?;
        if rows % 65_536 == 0 {
            let (names, all): (Vec<String>, Vec<Sparse>) = columns.into_iter().unzip();
            cells::refuse_emptiness(path, &all, rows)?;
            columns = names.into_iter().zip(all).collect();
        }
    }
    if columns.is_empty() {
        return Err(TableError::file(path, FileProblem::Empty));
    }
    let (names, columns) = columns.into_iter().unzip();
    cells::table(path, names, columns, rows, options)
}

/// A value as a cell; `None` for null.
fn cell(value: Value) -> Result<Option<Cell>, &'static str> {
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::Bool(truth) => Cell::Truth(truth),
        Value::String(text) => Cell::Text(text),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(whole), ..) => Cell::Whole(whole),
            (None, Some(whole), _) => Cell::Text(whole.to_string()),
            (None, None, Some(real))
                if real.fract() == 0.0
                    && real.abs() > EXACT as f64
                    && !number.to_string().contains(['.', 'e', 'E']) =>
            {
                return Err("a whole number has more digits than can be kept; write it in quotes");
            }
            (None, None, Some(real)) if real.is_finite() => Cell::Real(real),
            _ => return Err("a number is larger than a table can hold"),
        },
        Value::Array(_) | Value::Object(_) => {
            return Err("it holds a list or an object; write each of its parts as a column of its own");
        }
    }))
}
