//! How often intervals from synthetic files cover a truth that is known.
//!
//! A [`Design`] draws original tables from a population with known coefficients; a recipe makes m synthetic files of each; `fit` answers, by the rule that is valid for
//! them; and a [`Study`] counts. Its numbers are sums over replications, so that parts which were run apart add up.

mod design;
mod study;
mod text;

pub use design::{Classes, Design, Effects, Question};
pub use study::{Study, run};
pub use text::study_text;

/// Why a study could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CoverageError {
    /// A design that cannot be drawn.
    #[error("{0}")]
    Design(String),
    /// Parts of different studies.
    #[error("the parts are of different studies: {0}")]
    Parts(String),
    /// The synthesis failed.
    #[error(transparent)]
    Synthesis(#[from] synthesis::SynthesisError),
    /// The question failed.
    #[error(transparent)]
    Inference(#[from] inference::InferenceError),
    /// The table could not be made.
    #[error(transparent)]
    Table(#[from] table::TableError),
}
