//! Valid inference from released synthetic data.

mod combining;
pub mod dirichlet_posterior;
mod error;
mod estimand;
mod estimates;
mod interval;
mod mcclure_utility;
mod shares;

pub use combining::{
    Combined, FileEstimate, RULES, Rule, RuleCard, Target, Weights, between_variance, combine, mean_estimate,
    within_variance,
};
pub use dirichlet_posterior::Moments;
pub use error::InferenceError;
pub use estimand::Estimand;
pub use estimates::{Estimate, Measured, estimates, share};
pub use interval::{Interval, Level, Reference};
pub use mcclure_utility::mcclure_utility;
pub use shares::{ShareLayout, ShareOf, Shares};
