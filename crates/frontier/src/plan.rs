//! Planning the saturated (σ, α) mechanism: risk and utility before a single count is drawn.
//!
//! In a saturated model the fitted count of a cell is its original count, so the distribution of every synthetic count is
//! known in advance, and with it every expected measure that is a sum over cells (Jackson, Mitra, Francis & Dove 2022, *On
//! integrating the number of synthetic data sets m into the a priori synthesis approach*, section 2). A plan needs nothing but the [`CellSizes`] of the original table, how many cells have each size, and the
//! settings of the [`SaturatedMechanism`]:
//!
//! ```
//! use frontier::plan::{Bound, CellSizes, Free, SaturatedMechanism, Tau, solve};
//! use statistics::counts::CountFamily;
//!
//! // 900 empty cells, 60 uniques, 30 pairs, 10 cells of five.
//! let sizes = CellSizes::new([(0, 900), (1, 60), (2, 30), (5, 10)].into())?;
//! let mechanism = SaturatedMechanism::new(CountFamily::nbi(0.5)?).with_m(10)?;
//!
//! // How often is a mean synthetic count near 1 really a unique?
//! let risk = Tau::exact(&sizes, &mechanism, 1, 0.5)?;
//! assert!(risk.tau4.unwrap() > 0.8);
//!
//! // The dispersion that brings it down to 70 % and no further.
//! let bound: Bound = "tau4(1, 0.5) <= 0.7".parse()?;
//! let solution = solve(&sizes, &mechanism, &bound, Free::sigma())?;
//! assert!(solution.reached <= 0.7 && solution.sigma > 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Close to the original. With `scale` other than 1 the synthetic counts estimate scale · original. All of a plan compares
//! the mean synthetic count *divided by scale* with the original count. At scale 1 and m = 1 this is the count itself.

mod bound;
mod cell_sizes;
mod expected_distance;
mod grid;
mod mechanism;
mod replicated_uniques;
mod solve;
mod synthetic_records;
mod tau;

pub use bound::{Bound, Comparison, Metric};
pub use cell_sizes::CellSizes;
pub use expected_distance::{ExpectedDistance, SizeRule};
pub use grid::{Grid, Plan, PlanPoint};
pub use mechanism::SaturatedMechanism;
pub use replicated_uniques::{Catall, ReplicatedUniques};
pub use solve::{Free, Solution, solve};
pub use synthetic_records::SyntheticRecords;
pub use tau::{MeanCount, Tau};

use statistics::counts::CountError;

/// Why a plan could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// The family, its options or a mean.
    #[error(transparent)]
    Count(#[from] CountError),
    /// No cell at all.
    #[error(
        "a table without cells cannot be planned for; give the number of cells of each size, empty ones included"
    )]
    NoCells,
    /// More cells or records than can be counted.
    #[error("the table has too many cells or records to count them in 64 bits; plan for a part of it")]
    TooLarge,
    /// α is out of range.
    #[error("alpha must be a number from 0 to 1000000, but is {value:?}; 0 keeps empty cells empty")]
    Alpha {
        /// What was given.
        value: f64,
    },
    /// The scale is out of range.
    #[error(
        "scale must be a number above 0 and up to 1000, but is {value}; 1 keeps the expected number of records"
    )]
    Scale {
        /// What was given.
        value: f64,
    },
    /// No data set.
    #[error("m must be a whole number from 1 to 1000000, but is {value}; 1 is a single synthetic data set")]
    M {
        /// What was given.
        value: u64,
    },
    /// The distance of a τ metric is out of range.
    #[error("the distance d of a tau metric must be a finite number of 0 or more, but is {value}")]
    Distance {
        /// What was given.
        value: f64,
    },
    /// A bound that cannot be read.
    #[error("cannot read the bound `{text}`: {because}; write it like `tau4(1, 0.5) <= 0.1`")]
    BoundSyntax {
        /// What was given.
        text: String,
        /// What is wrong with it.
        because: &'static str,
    },
    /// A bound on something that no setting changes.
    #[error("tau2 describes the original table, so no sigma or m can change it; bound tau1, tau3 or tau4")]
    NothingToSolve,
    /// The free parameter has no range.
    #[error("the range for {free} is empty or not finite; give an upper end like {example}")]
    EmptyRange {
        /// `sigma` or `m`.
        free: &'static str,
        /// An upper end that works.
        example: &'static str,
    },
    /// No value of the free parameter meets the bound.
    #[error("no {free} up to {up_to} reaches {bound}; {way_out}")]
    NoSolution {
        /// `sigma` or `m`.
        free: &'static str,
        /// The upper end of what was tried.
        up_to: f64,
        /// The bound as it was read.
        bound: Bound,
        /// What to change.
        way_out: &'static str,
    },
    /// The metric has no value anywhere in the range, because no mean synthetic count can lie in its interval.
    #[error(
        "{metric} is undefined here: at this m and scale no mean synthetic count lies within d of k; give a larger d"
    )]
    Undefined {
        /// The metric as it was read.
        metric: String,
    },
    /// The prior of `catall` is out of range.
    #[error("nprior must be a finite number of 0 or more, but is {value}")]
    Prior {
        /// What was given.
        value: f64,
    },
}
