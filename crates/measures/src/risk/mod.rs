//! What a synthetic table discloses.

pub mod attribute;
pub mod disclosure_options;
pub mod identity;
pub mod intruder;
pub mod key_classes;
mod matching;
pub mod release_cells;
pub mod risk_utility;
pub mod tau;
pub mod uniques;

pub use disclosure_options::{DisclosureOptions, FlagThreshold};
