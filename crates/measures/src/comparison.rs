//! The tables that are compared.

use table::Table;

/// The tables a measure compares; named fields, so that none can take another's place.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The confidential table.
    pub original: &'a Table,
    /// The table that might be released in its place.
    pub synthetic: &'a Table,
    /// Records of the same population that the synthesizer never saw.
    pub holdout: Option<&'a Table>,
}
