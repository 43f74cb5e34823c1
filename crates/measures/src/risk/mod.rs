//! What a synthetic table discloses.

pub mod attacks;
pub mod attribute;
pub mod closest;
mod curve;
pub mod disclosure_options;
pub mod few_keys;
pub mod identity;
pub mod intruder;
#[cfg(test)]
pub(crate) mod invented;
pub mod key_classes;
mod matching;
pub mod membership;
pub mod release_cells;
pub mod risk_utility;
pub mod shadow;
pub mod tau;
pub mod uniques;

pub use disclosure_options::{DisclosureOptions, FlagThreshold};
