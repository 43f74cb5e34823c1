//! Models of a protected table from margins counted under noise.
//!
//! A method here decides which margins to pay for, asks for them through [`Questions`], and makes a
//! [`loglinear::FittedModel`] of the answers. It sees the table in no other way; what it plans with are public
//! constants (the numbers of classes, the number of records to release, the budget), and what it does with the
//! answers is post-processing. So the privacy of a run is that of the answers, composed.
//!
//! - [`planned`]: measures what the budget can afford and shrinks what is noise; the default.
//! - [`least_squares`]: all margins asked for, fitted in squared error.
//! - [`paper`]: Raab (2022), negatives to nearly zero, rescaled, iterative proportional fitting.

mod error;
pub mod least_squares;
mod margins;
pub mod paper;
pub mod plan;
pub mod planned;
mod posterior;
mod questions;
mod shares;
#[cfg(test)]
mod simulated;

pub use error::Error;
pub use margins::{MarginBudget, Weights, all_pairs};
pub use questions::{Candidate, Noise, NoisyMargin, Notion, Price, Questions};
