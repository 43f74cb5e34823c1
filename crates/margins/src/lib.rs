//! Log-linear models of a contingency table from its margins.
//!
//! # The words
//!
//! - The *domain* of a table is given by its `sizes`: the number of classes of each variable, in order. A cell of
//!   the table is one class for each variable; there are K = Π sizes of them.
//! - *Attributes* are a set of variables, as an ascending list of their numbers.
//! - A *margin* over some attributes has the table's counts summed onto them, row-major: the last attribute runs
//!   fastest.
//! - A *log-linear model* has one term for each of some margins and nothing beyond: what the margins do not say
//!   about how variables go together, the model leaves out.
//! - A *clique* is a maximal set of variables in the model's junction tree. The expected counts of the cliques give
//!   those of every cell, however many cells there are.
//! - A *measurement* is a margin counted under noise and paid for from a privacy budget.
//!
//! # From exact margins
//!
//! [`fit`] finds the model whose margins are the [`TargetMargin`]s, by iterative proportional fitting.
//! The [`FittedModel`] gives expected counts, other margins and random records; [`FittedModel::rake`] brings a model
//! of a survey to the totals of a census.
//!
//! ```
//! use margins::{Impossible, Options, TargetMargin, fit};
//!
//! // The domain: sex (2 classes), age (3) and marital status (2). Two of the three pairs are known for 100
//! // people, and the youngest cannot be married.
//! let sizes = [2, 3, 2];
//! let sex_by_age = TargetMargin::new([0, 1], [10.0, 20.0, 30.0, 15.0, 15.0, 10.0]);
//! let age_by_married = TargetMargin::new([1, 2], [25.0, 0.0, 20.0, 15.0, 10.0, 30.0]);
//! let children_are_single = Impossible::new([1, 2], 6, [1]);
//! let model = fit(&sizes, &[sex_by_age, age_by_married], &[children_are_single], &Options::default())?;
//!
//! let sex_by_married = model.margin(&[0, 2])?;
//! assert!((sex_by_married.iter().sum::<f64>() - 100.0).abs() < 1e-9);
//! let records = model.sample(1_000, [7; 32]);
//! assert!(records[1].iter().zip(&records[2]).all(|(&age, &married)| (age, married) != (0, 1)));
//! # Ok::<(), margins::Error>(())
//! ```
//!
//! # From margins measured under noise
//!
//! Measurements contradict each other and may be negative, so they are not met exactly; see [`noisy`]. For the same
//! domain, a budget of ε = 1 and 100,000 people, the plan is to measure every pair:
//!
//! ```
//! use margins::noisy::Price;
//! use margins::noisy::plan::{MeasurementPlan, MeasurementStep};
//!
//! let plan = MeasurementPlan::new(&[2, 3, 2], 100_000, Price::Epsilon(1.0))?;
//! let measured: Vec<Vec<usize>> = plan
//!     .steps()
//!     .into_iter()
//!     .filter_map(|step| match step {
//!         MeasurementStep::Measure { attributes, .. } => Some(attributes),
//!         MeasurementStep::Round { .. } => None,
//!     })
//!     .collect();
//! assert_eq!(measured, [[0, 1], [0, 2], [1, 2]]);
//! # Ok::<(), margins::Error>(())
//! ```
//!
//! # Where to find what
//!
//! | module | one idea |
//! |---|---|
//! | `ipf` | exact target margins: iterative proportional fitting, raking to published totals, refusals |
//! | `penalised` | margins that are known with error: the penalised likelihood and its minimum |
//! | `noisy` | what a privacy budget can measure, and the estimators `planned`, `least_squares` and `paper` |
//! | `model` | the fitted model: the full table, or the cliques of a junction tree |
//! | `sampler` | records drawn from a model |
//! | `attributes`, `junction_tree`, `schedule`, `traversal` | sets of variables, cliques, the order of sums, and walks over tables |
//!
//! # How it is computed
//!
//! The full table of K cells exists only up to [`Options::dense_limit`]. There a margin update is one fused
//! walk that scales for one margin and sums for the next, and most updates never touch the full table:
//! margins that lie within few variables are raked on the table of those variables, with the very same
//! result. All two-way margins of any number of variables take three walks a sweep.
//!
//! Beyond the limit, or where it is much smaller, a junction tree holds the model: its cliques are raked in turn
//! and pass their sums to their neighbours, so that K itself has no limit. If the tree is too large as well, the
//! [`Refusal`] says why and which margins to drop.
//!
//! Memory: 8 bytes a cell of the full table (16 for a moment at the end of the fit), or of all cliques; a
//! traversal by several threads adds at most a quarter of that, and targets and sub-tables what they take.
//! Fits and samples are the same bit for bit on any number of threads.

mod attributes;
mod error;
mod ipf;
mod junction_tree;
mod model;
pub mod noisy;
mod penalised;
mod sampler;
mod schedule;
mod traversal;

pub use error::Error;
pub use ipf::options::{Disagreement, Options, Order};
pub use ipf::refusal::Refusal;
pub use ipf::target::{Impossible, TargetMargin};
pub use ipf::{Progress, fit, fit_watched};
pub use model::convergence::{Convergence, Stopped};
pub use model::dense::DenseModel;
pub use model::tree::{Clique, TreeModel};
pub use model::{FittedModel, Form};
pub use sampler::Sampler;
