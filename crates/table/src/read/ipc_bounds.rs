//! What an Arrow IPC file says of its own lengths, checked before its reader believes it: the reader makes room for whatever is said, and a program that is refused memory ends
//! at once.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use arrow_ipc::{MessageHeader, RecordBatch, root_as_footer, root_as_message};

use crate::{FileProblem, TableError, memory};

/// How a file, and nothing else, begins and ends.
const MAGIC: &[u8] = b"ARROW1";

/// What stands before the length of a message since version 0.15 of the format.
const CONTINUES: u32 = u32::MAX;

/// Refuses a file whose lengths lead out of it, or whose records would not fit when they are unpacked.
pub(super) fn check(path: &Path) -> Result<(), TableError> {
    let failed = |source| TableError::io(path, source);
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let mut lengths = Lengths { file, length, unpacked: 0 };
    let checked = lengths.check().map_err(failed)?;
    checked.map_err(|place| {
        let message = format!("not a readable Arrow IPC file: the file is damaged at {place}");
        TableError::file(path, FileProblem::Format(message))
    })?;
    memory::require(lengths.unpacked, &format!("reading {}", path.display()))
}

struct Lengths {
    file: File,
    length: u64,
    /// Bytes of all packed buffers when they are unpacked.
    unpacked: u64,
}

/// Fine, or the place where it is not; an error of the system is neither.
type Checked<T> = std::io::Result<Result<T, String>>;

impl Lengths {
    fn check(&mut self) -> Checked<()> {
        let mut start = [0; 8];
        let read = self.at(0, &mut start)?;
        if read && start.starts_with(MAGIC) { self.footer() } else { self.stream(0) }
    }

    /// Bytes from this place; false where the file ends before.
    fn at(&mut self, place: u64, bytes: &mut [u8]) -> std::io::Result<bool> {
        if place.checked_add(bytes.len() as u64).is_none_or(|end| end > self.length) {
            return Ok(false);
        }
        self.file.seek(SeekFrom::Start(place))?;
        self.file.read_exact(bytes)?;
        Ok(true)
    }

    fn footer(&mut self) -> Checked<()> {
        let damaged = || Ok(Err("its footer".to_owned()));
        let Some(end) = self.length.checked_sub(10) else { return damaged() };
        let mut last = [0; 10];
        if !self.at(end, &mut last)? || &last[4..] != MAGIC {
            return damaged();
        }
        let size = u32::from_le_bytes([last[0], last[1], last[2], last[3]]);
        let Some(from) = end.checked_sub(u64::from(size)) else { return damaged() };
        let mut bytes = vec![0; size as usize];
        if !self.at(from, &mut bytes)? {
            return damaged();
        }
        let Ok(footer) = root_as_footer(&bytes) else { return damaged() };
        let blocks =
            footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten());
        for (number, block) in blocks.enumerate() {
            let place = format!("block {}", number + 1);
            let (Ok(offset), Ok(head), Ok(body)) = (
                u64::try_from(block.offset()),
                u64::try_from(block.metaDataLength()),
                u64::try_from(block.bodyLength()),
            ) else {
                return Ok(Err(place));
            };
            let within = offset
                .checked_add(head)
                .and_then(|end| end.checked_add(body))
                .is_some_and(|end| end <= self.length);
            if !within {
                return Ok(Err(place));
            }
            match self.message(offset)? {
                // The reader takes the body from where the footer says that the head ends.
                Some((start, said)) if said <= body && start == offset + head => {}
                _ => return Ok(Err(place)),
            }
        }
        Ok(Ok(()))
    }

    fn stream(&mut self, mut place: u64) -> Checked<()> {
        for number in 1.. {
            let mut word = [0; 4];
            // A stream may end without saying so.
            if place == self.length || !self.at(place, &mut word)? || u32::from_le_bytes(word) == 0 {
                return Ok(Ok(()));
            }
            let mut eight = [0; 8];
            if u32::from_le_bytes(word) == CONTINUES && self.at(place, &mut eight)? && eight[4..] == [0; 4] {
                return Ok(Ok(()));
            }
            match self.message(place)? {
                Some((head, body)) if head.checked_add(body).is_some_and(|end| end <= self.length) => {
                    place = head + body;
                }
                _ => return Ok(Err(format!("message {number}"))),
            }
        }
        Ok(Ok(()))
    }

    /// Where the body of the message at this place begins, and how long it says to be; nothing where it does not hold together.
    fn message(&mut self, place: u64) -> std::io::Result<Option<(u64, u64)>> {
        let mut word = [0; 4];
        if !self.at(place, &mut word)? {
            return Ok(None);
        }
        let mut from = place + 4;
        if u32::from_le_bytes(word) == CONTINUES {
            if !self.at(from, &mut word)? {
                return Ok(None);
            }
            from += 4;
        }
        let size = u64::from(u32::from_le_bytes(word));
        if size > self.length {
            return Ok(None);
        }
        let mut head = vec![0; size as usize];
        if !self.at(from, &mut head)? {
            return Ok(None);
        }
        let Ok(message) = root_as_message(&head) else { return Ok(None) };
        let Ok(body) = u64::try_from(message.bodyLength()) else { return Ok(None) };
        let start = from + size;
        let batch = match message.header_type() {
            MessageHeader::RecordBatch => message.header_as_record_batch(),
            MessageHeader::DictionaryBatch => {
                message.header_as_dictionary_batch().and_then(|batch| batch.data())
            }
            _ => None,
        };
        match batch {
            Some(batch) if !self.buffers(&batch, start, body)? => Ok(None),
            _ => Ok(Some((start, body))),
        }
    }

    /// Whether the buffers of a batch lie in its body, its lengths are possible, and what is packed in them says so.
    fn buffers(&mut self, batch: &RecordBatch<'_>, start: u64, body: u64) -> std::io::Result<bool> {
        // A record takes a bit at least in some buffer, or a batch of nulls alone would have any number of them.
        let is_possible = |length: i64| u64::try_from(length).is_ok_and(|length| length <= MOST_RECORDS);
        if !is_possible(batch.length())
            || batch
                .nodes()
                .into_iter()
                .flatten()
                .any(|node| !is_possible(node.length()) || !is_possible(node.null_count()))
        {
            return Ok(false);
        }
        for buffer in batch.buffers().into_iter().flatten() {
            let (Ok(offset), Ok(length)) = (u64::try_from(buffer.offset()), u64::try_from(buffer.length()))
            else {
                return Ok(false);
            };
            if offset.checked_add(length).is_none_or(|end| end > body) {
                return Ok(false);
            }
            let mut said = [0; 8];
            if batch.compression().is_some() && length >= 8 && self.at(start + offset, &mut said)? {
                match i64::from_le_bytes(said) {
                    -1 => {}
                    said @ 0.. if said as u64 / MOST_GROWTH <= length => {
                        self.unpacked = self.unpacked.saturating_add(said as u64);
                    }
                    _ => return Ok(false),
                }
            }
        }
        Ok(true)
    }
}

/// The most records of one batch.
const MOST_RECORDS: u64 = 1 << 32;

/// By how much the best compression of the format can grow: zstd reaches tens of thousands on constant bytes.
const MOST_GROWTH: u64 = 100_000;
