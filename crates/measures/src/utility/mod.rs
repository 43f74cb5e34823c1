//! How well a synthetic table serves in place of the original.

pub mod tables;
