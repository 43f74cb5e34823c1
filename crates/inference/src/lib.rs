//! Valid inference from released synthetic data.
//!
//! The analyst has m synthetic files, perhaps one, knows how many original records there were and how the files were made, and wants an estimate with an
//! interval that covers. [`estimates()`] gives an estimate and a variance in each file, [`combine`] one answer by a [`Rule`], [`valid_rule`] the rule that
//! is valid for the making of a release, and [`answer`] all of it together.
//!
//! ```
//! use inference::{Estimand, Manner, Released, Rule, answer};
//! use table::read::{ReadOptions, read_csv_text};
//!
//! let file = read_csv_text("smoke\nno\nyes\nno\nno\n", &ReadOptions::default())?;
//! let released = Released { files: &[file], original_rows: Some(8), provenance: None };
//! let found = answer(&released, &Estimand::parse("share(smoke = yes)")?, &Manner::default())?;
//! // One file: T_s = v (n_syn/N + 1/m) with v = 0.25 · 0.75/4.
//! assert_eq!(found.rule.rule, Rule::Ts);
//! let error = found.quantities[0].standard_error.unwrap();
//! assert!((error * error - 0.25 * 0.75 / 4.0 * (4.0 / 8.0 + 1.0)).abs() < 1e-12);
//! # Ok::<(), inference::InferenceError>(())
//! ```

mod answer;
mod cautions;
mod combining;
mod common_levels;
pub mod dirichlet_posterior;
pub mod dispersion;
mod error;
mod estimand;
mod estimates;
mod interval;
mod mcclure_utility;
mod noise_on_cells;
mod private_shares;
mod provenance;
pub mod release_bootstrap;
mod results;
mod shares;
mod survey_estimates;

pub use answer::{Manner, Released, answer, answers};
pub use combining::{
    Combined, FileEstimate, RULES, Rule, RuleCard, Target, Weights, between_variance, combine,
    within_variance,
};
pub use common_levels::with_common_levels;
pub use dirichlet_posterior::Moments;
pub use error::InferenceError;
pub use estimand::Estimand;
pub use estimates::{Estimate, Measured, estimates, share};
pub use interval::{Interval, Level, Reference};
pub use mcclure_utility::mcclure_utility;
pub use provenance::{Choice, Provenance, valid_rule};
pub use release_bootstrap::Resampling;
pub use results::{Answer, ChosenBy, FileFacts, Findings, Quantity, RuleUsed, SurveyFacts};
pub use shares::{ShareOf, Shares};
pub use survey_estimates::survey_estimates;
pub use synthesis::Making;
