//! How well a synthetic table serves in place of the original.

pub mod amounts;
pub mod conformance;
pub mod distance;
pub mod interval;
pub mod mca;
pub mod model;
mod numbers;
pub mod prediction;
pub mod propensity;
pub mod ratio_of_counts;
pub mod sdmetrics;
pub mod tables;
pub mod taub;
mod weighted;
