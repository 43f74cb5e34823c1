//! What a file may ask for: bounds that are checked before the work that they bound.

use std::io::Read;
use std::path::Path;

use crate::{FileProblem, TableError, memory};

/// The most columns of a table.
pub(super) const MOST_COLUMNS: usize = 100_000;

/// A packed file that grows by more than this is no table: text packs to about a tenth, and the most that the format can do is a thousandth.
const MOST_GROWTH: u64 = 400;

/// What grows to less than this is never refused.
const SMALL: u64 = 64 << 20;

/// Refuses more columns than a table may have.
pub(super) fn check_columns(columns: usize) -> Result<(), FileProblem> {
    if columns <= MOST_COLUMNS {
        return Ok(());
    }
    Err(FileProblem::Format(format!(
        "it has more than {MOST_COLUMNS} columns; is the separator right? Else put what repeats into rows"
    )))
}

/// Refuses a CSV file whose records would not fit, from its size and its first bytes.
pub(super) fn check_csv(path: &Path, start: &[u8], columns: usize, packed: bool) -> Result<(), TableError> {
    let Ok(found) = std::fs::metadata(path) else { return Ok(()) };
    // Packed text is about ten times as long; what is longer is seen while it is read.
    let bytes = found.len().saturating_mul(if packed { 10 } else { 1 });
    let lines = start.iter().filter(|byte| **byte == b'\n').count().max(1) as u64;
    let records = bytes.saturating_mul(lines) / (start.len().max(1) as u64);
    memory::require(table_bytes(records, columns), &format!("reading {}", path.display()))
}

/// Bytes of a table that is read: eight a number, fewer a code, and half as much again while columns grow.
pub(super) fn table_bytes(records: u64, columns: usize) -> u64 {
    records.saturating_mul(columns as u64).saturating_mul(8).saturating_mul(3) / 2
}

/// What is unpacked from a file, as long as it does not grow beyond reason.
pub(super) struct Unpacked<R> {
    inner: R,
    /// Bytes that may still come.
    left: u64,
}

impl<R: Read> Unpacked<R> {
    /// What comes out of `inner`, which unpacks a file of this many bytes.
    pub(super) fn new(inner: R, packed: u64) -> Self {
        Self { inner, left: packed.saturating_mul(MOST_GROWTH).max(SMALL) }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        match self.left.checked_sub(bytes as u64) {
            Some(left) => self.left = left,
            None => {
                return Err(std::io::Error::other(format!(
                    "it unpacks to more than {MOST_GROWTH} times its size, as no table does; unpack it yourself if you trust it, and name that file"
                )));
            }
        }
        Ok(bytes)
    }
}
