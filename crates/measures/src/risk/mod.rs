//! What a synthetic table discloses.

pub mod attribute;
pub mod disclosure_options;
pub mod identity;
pub mod key_classes;
mod matching;
pub mod uniques;

pub use disclosure_options::{DisclosureOptions, FlagThreshold};
