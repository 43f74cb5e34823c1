//! Cuts a stream of bytes into blocks that end where a record ends.

use std::io::Read;

use memchr::{memchr_iter, memrchr};

use crate::read::read_fully;

/// Bytes read at a time; large enough to keep a core busy, small enough to stay out of the way.
pub(in crate::read) const BLOCK_BYTES: usize = 1 << 20;

/// Whole records of the file.
pub(in crate::read) struct Block {
    pub(in crate::read) bytes: Vec<u8>,
    /// The line on which the first record starts, from 1.
    pub(in crate::read) line: u64,
}

pub(in crate::read) struct Blocks {
    source: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    at_end: bool,
    line: u64,
    separator: u8,
}

impl Blocks {
    pub(in crate::read) fn new(source: Box<dyn Read + Send>) -> Self {
        Self { source, buffer: Vec::new(), at_end: false, line: 1, separator: b',' }
    }

    /// The start of the file, long enough for any header.
    pub(in crate::read) fn peek_start(&mut self) -> std::io::Result<&[u8]> {
        self.fill(BLOCK_BYTES)?;
        Ok(&self.buffer)
    }

    /// Skips the header.
    pub(in crate::read) fn start_after(&mut self, bytes: usize, lines: u64, separator: u8) {
        self.line += lines;
        self.separator = separator;
        if self.buffer.len() < bytes {
            // Opened again: the header has not been peeked at. A header is never longer than one block.
            let _ = self.fill(BLOCK_BYTES);
        }
        self.buffer.drain(..bytes.min(self.buffer.len()));
    }

    /// The next whole records, or `None` at the end of the file.
    pub(in crate::read) fn next_block(&mut self) -> std::io::Result<Option<Block>> {
        let mut wanted = BLOCK_BYTES;
        loop {
            self.fill(wanted)?;
            if self.buffer.is_empty() {
                return Ok(None);
            }
            let end = if self.at_end {
                Some(self.buffer.len())
            } else {
                last_record_end(&self.buffer, self.separator)
            };
            if let Some(end) = end {
                let rest = self.buffer.split_off(end);
                let bytes = std::mem::replace(&mut self.buffer, rest);
                let line = self.line;
                self.line += memchr_iter(b'\n', &bytes).count() as u64;
                return Ok(Some(Block { bytes, line }));
            }
            wanted *= 2;
        }
    }

    fn fill(&mut self, wanted: usize) -> std::io::Result<()> {
        let filled = self.buffer.len();
        if self.at_end || filled >= wanted {
            return Ok(());
        }
        self.buffer.resize(wanted, 0);
        let more = read_fully(&mut self.source, &mut self.buffer[filled..])?;
        self.at_end = filled + more < wanted;
        self.buffer.truncate(filled + more);
        Ok(())
    }
}

/// The position just after the last newline that is not inside quotes. `bytes` starts at a record.
fn last_record_end(bytes: &[u8], separator: u8) -> Option<usize> {
    let mut end = None;
    let mut outside_from = 0;
    let mut inside = false;
    let mut skip = usize::MAX;
    for quote in memchr_iter(b'"', bytes) {
        if quote == skip {
            continue;
        }
        if inside {
            if bytes.get(quote + 1) == Some(&b'"') {
                skip = quote + 1;
            } else {
                inside = false;
                outside_from = quote + 1;
            }
        } else if quote == 0 || matches!(bytes[quote - 1], b'\n' | b'\r') || bytes[quote - 1] == separator {
            end = memrchr(b'\n', &bytes[outside_from..quote]).map(|at| outside_from + at + 1).or(end);
            inside = true;
        }
    }
    if inside { end } else { memrchr(b'\n', &bytes[outside_from..]).map(|at| outside_from + at + 1).or(end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newlines_inside_quotes_do_not_end_a_record() {
        assert_eq!(last_record_end(b"a,b\nc,\"d\ne", b','), Some(4));
        assert_eq!(last_record_end(b"a,b\nc,\"d\ne\"\nf", b','), Some(12));
        assert_eq!(last_record_end(b"\"a\"\"\n\",b", b','), None);
        assert_eq!(last_record_end(b"5\" disk,b\nc", b','), Some(10));
    }
}
