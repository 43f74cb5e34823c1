//! Log-linear models fitted to margins.
//!
//! A log-linear model of a contingency table has one term for each of some margins and nothing beyond: what
//! the margins do not say about how variables go together, the model leaves out. Given the wanted margins as
//! [`Target`]s, [`fit`] finds the model by iterative proportional fitting, and the [`FittedModel`] gives
//! expected counts, other margins and random records.
//!
//! ```
//! use loglinear::{Impossible, Options, Target, fit};
//!
//! // Variables with 2, 3 and 2 classes; two of the three pairs are known, and one combination cannot occur.
//! let sex_by_age = Target::new([0, 1], [10.0, 20.0, 30.0, 15.0, 15.0, 10.0]);
//! let age_by_married = Target::new([1, 2], [25.0, 0.0, 20.0, 15.0, 10.0, 30.0]);
//! let children_are_single = Impossible::new([1, 2], 6, [1]);
//! let model = fit(&[2, 3, 2], &[sex_by_age, age_by_married], &[children_are_single], &Options::default())?;
//!
//! let married_by_sex = model.margin(&[0, 2])?;
//! assert!((married_by_sex.iter().sum::<f64>() - 100.0).abs() < 1e-9);
//! let records = model.sample(1_000, [7; 32]);
//! assert!(records[1].iter().zip(&records[2]).all(|(&age, &married)| (age, married) != (0, 1)));
//! # Ok::<(), loglinear::Error>(())
//! ```
//!
//! A model fitted to a survey is brought to a census's totals by [`FittedModel::rake`].
//!
//! # How it is computed
//!
//! The full table of K cells exists only up to [`Options::dense_limit`]. There a margin update is one fused
//! walk that scales for one margin and sums for the next, and most updates never touch the full table:
//! margins that lie within few variables are raked on the table of those variables, with the very same
//! result. All two-way margins of any number of variables take three walks a sweep.
//!
//! Beyond the limit, or where it is much smaller, a [`JunctionTree`] holds the model: its cliques are raked
//! in turn and tell their neighbours, so that K itself has no limit. If the tree is too large as well, the
//! [`Refusal`] says why and which margins to drop.
//!
//! Memory: 8 bytes a cell of the full table (16 for a moment at the end of the fit), or of all cliques; a
//! traversal by several threads adds at most a quarter of that, and targets and sub-tables what they take.
//! Fits and samples are the same bit for bit on any number of threads.

#[cfg(test)]
mod chi_square;
mod convergence;
mod dense;
mod error;
mod fit;
mod inversion;
mod junction_tree;
mod model;
mod multinomial;
mod options;
pub mod penalised;
mod published_totals;
mod raking;
mod refusal;
mod sampler;
mod schedule;
mod stream;
mod target;
mod traversal;
mod tree;
mod variables;

pub use convergence::{Convergence, Stopped};
pub use dense::DenseModel;
pub use error::Error;
pub use fit::{Progress, fit, fit_watched};
pub use junction_tree::JunctionTree;
pub use model::{FittedModel, MARGIN_LIMIT};
pub use options::{Disagreement, Form, Options, Order};
pub use refusal::Refusal;
pub use sampler::Sampler;
pub use target::{Impossible, Target};
pub use tree::{Clique, TreeModel};
