//! Models of a protected table from margins measured under noise.
//!
//! A method here decides which margins to pay for, measures them on a [`ProtectedTable`], and makes a
//! [`FittedModel`](crate::FittedModel) of the measurements. It sees the table in no other way; what it plans with are
//! public constants (the sizes of the domain, the number of records to release, the budget), and what it does with
//! the measurements is post-processing. So the privacy of a run is that of the measurements and choices, composed.
//!
//! - [`planned`]: measures what the budget can afford and shrinks what is noise; the default.
//! - [`least_squares`]: all margins asked for, fitted in squared error.
//! - [`GrowingFit`]: the same, one measurement after the other.
//! - [`paper`]: Raab (2022), negatives to nearly zero, rescaled, iterative proportional fitting.

mod growing;
pub mod least_squares;
mod margin_budget;
mod measurement;
pub mod paper;
pub mod plan;
pub mod planned;
mod posterior;
mod shares;
#[cfg(test)]
mod simulated;

pub use growing::GrowingFit;
pub use margin_budget::{BudgetSharing, MarginBudget, all_pairs};
pub use measurement::{CandidatePair, Measurement, MeasurementError, Noise, Price, ProtectedTable};
