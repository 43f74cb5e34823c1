//! Fitted models as files: a header of JSON, then blocks of numbers, all bound by hashes.
//!
//! ```text
//! magic     8 bytes, 89 4C 4B 4D 4F 44 0D 0A
//! version   u32
//! header    u64 length, JSON text, SHA-256 of the text
//! block     u8 type, u8 length of the name, name, u64 count of items, items, SHA-256 of all of these     (any number of times)
//! end       u8 zero, u64 number of blocks, SHA-256 of magic, version, hash of the header, and of every block type, name, count and hash
//! ```
//!
//! Numbers are little-endian. Types are 1 for JSON text (items are bytes), 2 for `u8`, 3 for `u32`, 4 for `u64`, 5 for `f32` and 6 for `f64`.
//! A block says its own name and length, so that there is no directory to be known before the first byte is written: a model of any size goes
//! to its file array by array, and comes back array by array, without a copy of the whole in memory. A reader takes blocks in the order in which
//! they were written and never makes room for more than the file has left.
//!
//! A hash says whether a file was changed by accident, not whether its writer meant well: who can change a file can hash it again. So everything
//! that is read is checked against the schema and the domain before it is used, once, where it is loaded; nothing that is drawn later can
//! leave an array.

mod block;
mod column;
mod reader;
mod writer;

use std::sync::Arc;

use table::{Domain, Schema};

pub use self::block::Number;
pub(crate) use self::column::{StoredColumn, numbers_and_marks};
pub use self::reader::StateReader;
pub(crate) use self::reader::StoredFile;
pub use self::writer::StateWriter;
pub(crate) use self::writer::{hexadecimal, state_sha256, write};
use crate::SynthesisError;

/// The version of the format; a reader refuses what it does not know.
pub(crate) const VERSION: u32 = 6;

/// What a stored model has to agree with.
#[derive(Clone, Copy)]
pub struct StateContext<'a> {
    /// The schema that its records keep.
    pub schema: &'a Arc<Schema>,
    /// The classes that its cells are made of; none where a method draws records.
    pub domain: &'a Domain,
    /// How many records it was fitted to, where the file knows exactly.
    pub records: Option<u64>,
    /// The options of its method.
    pub options: &'a toml::Table,
}

/// A stored state that does not hold together, though its hashes are right.
pub(crate) fn damaged(what: impl std::fmt::Display) -> SynthesisError {
    SynthesisError::ModelFile(format!("{what}; fit the model again"))
}

/// Refuses a stored state unless this holds of it.
pub(crate) fn ensure(holds: bool, what: &str) -> Result<(), SynthesisError> {
    if holds { Ok(()) } else { Err(damaged(what)) }
}

/// Whether offsets cut `length` items into parts, one after the other, none of which is empty.
pub(crate) fn cuts_into_parts(offsets: &[u32], length: usize) -> bool {
    offsets.first() == Some(&0)
        && offsets.last().is_some_and(|end| *end as usize == length)
        && offsets.is_sorted_by(|left, right| left < right)
}
