//! Classical protection of microdata and tables (Hundepool, Domingo-Ferrer, Franconi, Giessing, Schulte Nordholt, Spicer & de Wolf 2012,
//! Statistical Disclosure Control): the records of the data with some values changed, or their cells with some counts changed.
//!
//! They are no synthetic data. They are here so that a frontier can show what a release by them would have kept and given away; it never
//! recommends one.

pub mod cellkey;
pub mod microaggregation;
mod perturbed_cells;
pub mod pram;
mod records;
pub mod rounding;
pub mod suppression;
pub mod swapping;
pub mod topcoding;
