//! What a file may ask for: bounds that are checked before the work that they bound.

use std::io::{Read, Seek, SeekFrom};
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
    // Packed text is about ten times as long where it does not say how long; what is longer is seen while it is read.
    let bytes = match packed {
        false => found.len(),
        true => found.len().saturating_mul(10).max(stated_size(path).unwrap_or(0)),
    };
    let lines = start.iter().filter(|byte| **byte == b'\n').count().max(1) as u64;
    let records = bytes.saturating_mul(lines) / (start.len().max(1) as u64);
    memory::require(table_bytes(records, columns), &format!("reading {}", path.display()))
}

/// Bytes of a table that is read: eight a number, fewer a code, and half as much again while columns grow.
pub(super) fn table_bytes(records: u64, columns: usize) -> u64 {
    records.saturating_mul(columns as u64).saturating_mul(8).saturating_mul(3) / 2
}

/// What a packed file says of its unpacked size: gzip in its last four bytes, modulo 2^32, zstd in its header. It may be wrong, and is only used to refuse early.
fn stated_size(path: &Path) -> Option<u64> {
    let mut file = std::fs::File::open(path).ok()?;
    let mut start = [0; 18];
    let length = file.read(&mut start).ok()?;
    if start.starts_with(&[0x1f, 0x8b]) {
        let mut last = [0; 4];
        file.seek(SeekFrom::End(-4)).ok()?;
        file.read_exact(&mut last).ok()?;
        return Some(u64::from(u32::from_le_bytes(last)));
    }
    zstd::zstd_safe::get_frame_content_size(&start[..length]).ok().flatten()
}

/// Refuses a packed file that says itself that it grows beyond reason, before any of it is unpacked.
pub(super) fn check_packed(path: &Path) -> Result<(), TableError> {
    let packed = std::fs::metadata(path).map_or(0, |found| found.len());
    match stated_size(path) {
        Some(size) if size > most_unpacked(packed) => {
            Err(TableError::file(path, FileProblem::Format(grows_too_much())))
        }
        _ => Ok(()),
    }
}

/// The most that a file of so many bytes may unpack to.
fn most_unpacked(packed: u64) -> u64 {
    packed.saturating_mul(MOST_GROWTH).max(SMALL)
}

fn grows_too_much() -> String {
    format!(
        "it unpacks to more than {MOST_GROWTH} times its size, as no table does; unpack it yourself if you trust it, and name that file"
    )
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
        Self { inner, left: most_unpacked(packed) }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        match self.left.checked_sub(bytes as u64) {
            Some(left) => self.left = left,
            None => {
                return Err(std::io::Error::other(grows_too_much()));
            }
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_packed_file_that_says_that_it_grows_beyond_reason_is_refused_before_it_is_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.csv.gz");
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"a,b\n1,2\n").unwrap();
        let mut bytes = packed.finish().unwrap();
        std::fs::write(&path, &bytes).unwrap();
        assert!(check_packed(&path).is_ok());
        assert_eq!(stated_size(&path), Some(8));
        let last = bytes.len() - 4;
        bytes[last..].copy_from_slice(&3_000_000_000_u32.to_le_bytes());
        std::fs::write(&path, &bytes).unwrap();
        let refused = check_packed(&path).unwrap_err().to_string();
        assert!(refused.contains("400 times its size"), "{refused}");

        let path = folder.path().join("table.csv.zst");
        std::fs::write(&path, zstd::bulk::compress(&vec![b'1'; 1 << 27], 1).unwrap()).unwrap();
        assert_eq!(stated_size(&path), Some(1 << 27));
        assert!(check_packed(&path).is_err());
    }
}
