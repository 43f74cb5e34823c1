//! What a synthetic table is worth and what it discloses, measured against its original.
//!
//! A [`Comparison`] goes in, a flat list of [`Finding`]s comes out, each explained by a [`MeasureCard`]. Measures do not know
//! how the synthetic table was made: one of another tool is measured the same way. What cannot be computed is a finding
//! with a reason, never a zero.

pub mod card;
pub mod comparison;
mod error;
pub mod finding;
pub mod shared_tables;

pub use card::{MeasureCard, Null, Range};
pub use comparison::Comparison;
pub use error::MeasureError;
pub use finding::{Better, Finding};
pub use shared_tables::SharedTables;
