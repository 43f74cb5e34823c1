//! What a synthetic table discloses.

pub mod uniques;
