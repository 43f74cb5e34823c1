//! What several rooms of Lookalike need and no crate offers.
//!
//! - [`counts`]: the count families of the (σ, α) mechanism, with probabilities that hold from a mean of a millionth to
//!   a mean of a thousand million, exact draws, and the law of a sum of independent counts.
//! - [`regression`]: linear, logistic, Poisson, multinomial, proportional odds and quantile regression, with standard errors,
//!   fast on factors with many levels.
//! - [`sample_design`]: variances of weighted estimates under strata and clusters, by linearisation.
//! - [`trees`]: classification and regression trees over coded columns, with the donors of every leaf; bagging and forests.

pub mod counts;
pub mod regression;
pub mod sample_design;
pub mod trees;
