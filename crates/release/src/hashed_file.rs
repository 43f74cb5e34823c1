//! Files that know their hash while they are written.

use std::io::{BufWriter, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use table::TableError;
use table::read::{STANDARD_INPUT, standard_input};
use table::watch::Watch;

use super::FileEntry;

/// SHA-256 of a file, as hexadecimal digits; `-` is the table that came on standard input.
pub fn sha256_of_file(path: &Path) -> Result<String, TableError> {
    let failed = |source| TableError::io(path, source);
    if path == Path::new(STANDARD_INPUT) {
        return Ok(sha256_of(standard_input(&Watch::default()).map_err(failed)?));
    }
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let mut hash = Sha256::new();
    std::io::copy(&mut file, &mut hash).map_err(failed)?;
    Ok(hexadecimal(hash))
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file that knows its hash.
pub(super) struct Hashed {
    file: BufWriter<std::fs::File>,
    hash: Sha256,
    bytes: u64,
}

impl Hashed {
    pub(super) fn create(path: &Path) -> std::io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 20, std::fs::File::create_new(path)?);
        Ok(Self { file, hash: Sha256::new(), bytes: 0 })
    }

    pub(super) fn finish(mut self, name: &str, rows: Option<u64>) -> std::io::Result<FileEntry> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        Ok(FileEntry { name: name.into(), bytes: self.bytes, sha256: hexadecimal(self.hash), rows })
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// SHA-256 of a text, as hexadecimal digits.
pub fn sha256_of_text(text: &str) -> String {
    sha256_of(text.as_bytes())
}

/// SHA-256 of these bytes, as hexadecimal digits.
pub(super) fn sha256_of(bytes: &[u8]) -> String {
    hexadecimal(Sha256::new_with_prefix(bytes))
}
