//! The first line: encoding, separator, column names.

use super::fields::{FieldError, Fields};
use crate::FileProblem;
use crate::read::bounds;

/// What the header says.
#[derive(Debug)]
pub(in crate::read) struct Header {
    pub(in crate::read) names: Vec<String>,
    pub(in crate::read) separator: u8,
    /// Bytes up to the first record, a byte order mark included.
    pub(in crate::read) bytes: usize,
    /// Lines up to the first record.
    pub(in crate::read) lines: u64,
}

/// The name of a first column that has none.
const ROW: &str = "row";

const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// Parses the header at the start of a file.
pub(in crate::read) fn parse(start: &[u8], separator: Option<char>) -> Result<Header, FileProblem> {
    if matches!(start, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) || start.iter().take(64).any(|byte| *byte == 0) {
        return Err(FileProblem::NotUtf8File);
    }
    let mark = if start.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
    let text = &start[mark..];
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(FileProblem::Empty);
    }
    let has_rows_by = |end: u8| text.trim_ascii_end().contains(&end);
    if has_rows_by(b'\r') && !has_rows_by(b'\n') {
        return Err(FileProblem::CarriageReturns);
    }
    let separator = match separator {
        Some(separator) => u8::try_from(separator)
            .ok()
            .filter(|separator| separator.is_ascii() && !matches!(separator, b'"' | b'\n' | b'\r'))
            .ok_or_else(|| {
                FileProblem::Format(format!(
                    "`{separator}` cannot separate fields; use a comma, semicolon or tab"
                ))
            })?,
        None => likeliest_separator(text),
    };
    let mut fields = Fields::new(text, separator);
    let mut names: Vec<String> = Vec::new();
    let mut known = rustc_hash::FxHashMap::default();
    loop {
        let column = names.len() + 1;
        let field = fields.next_field().map_err(|error| match error {
            FieldError::TextAfterQuote => FileProblem::TextAfterQuote { line: 1, column: column.to_string() },
            FieldError::UnclosedQuote => FileProblem::UnclosedQuote { line: 1, column: column.to_string() },
        })?;
        let name = match std::str::from_utf8(&field.unescaped()) {
            Ok(name) => name.to_owned(),
            Err(_) => return Err(FileProblem::NotUtf8 { line: 1, column: column.to_string() }),
        };
        // R and pandas give the numbers of the rows no name.
        let are_row_numbers = column == 1 && name.trim().is_empty() && !field.ends_record;
        if name.trim().is_empty() && !are_row_numbers {
            return Err(FileProblem::EmptyName { column });
        }
        bounds::check_columns(column)?;
        if let Some(first) = known.insert(name.clone(), column) {
            return Err(FileProblem::DuplicateName { name, first, second: column });
        }
        names.push(name);
        if field.ends_record {
            break;
        }
    }
    if names[0].trim().is_empty() {
        let mut candidates = std::iter::once(ROW.to_owned()).chain((2..).map(|n| format!("{ROW}_{n}")));
        names[0] = candidates.find(|name| !known.contains_key(name)).unwrap_or_default();
    }
    let bytes = mark + fields.position();
    let lines = start[..bytes].iter().filter(|byte| **byte == b'\n').count() as u64;
    Ok(Header { names, separator, bytes, lines })
}

/// The separator that the first line holds most often outside quotes; a comma if it holds none.
fn likeliest_separator(text: &[u8]) -> u8 {
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut inside = false;
    for byte in text {
        match byte {
            b'"' => inside = !inside,
            b'\n' if !inside => break,
            byte if !inside => {
                if let Some(position) = SEPARATORS.iter().position(|separator| separator == byte) {
                    counts[position] += 1;
                }
            }
            _ => {}
        }
    }
    let best = (0..SEPARATORS.len()).rev().max_by_key(|position| counts[*position]).unwrap_or(0);
    SEPARATORS[best]
}
