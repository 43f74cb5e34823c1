//! Why there is no frontier, written for the person who asked for it.

use measures::MeasureError;
use synthesis::SynthesisError;
use table::TableError;

use crate::plan::PlanError;

/// One error for the whole frontier. A contestant that cannot be run is no error, but a contestant that failed.
#[derive(Debug, thiserror::Error)]
pub enum FrontierError {
    /// Something about the data or a file.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A recipe or a method.
    #[error(transparent)]
    Synthesis(#[from] SynthesisError),
    /// A question that the measures cannot answer.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A plan that cannot be made.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An option that means nothing.
    #[error("{option}: {message}")]
    Option {
        /// The option as the user writes it.
        option: String,
        /// What is wrong, and the way out.
        message: String,
    },
    /// A grid file that cannot be used.
    #[error("grid, line {line}: {message}")]
    Grid {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// A contestant's file that has other columns.
    #[error(
        "contestant `{name}`: its columns are not those of the data ({difference}); give it the same columns, or leave it out"
    )]
    OtherColumns {
        /// The contestant.
        name: String,
        /// Which columns are missing and which are too many.
        difference: String,
    },
    /// A folder that holds something else.
    #[error("{folder} is not empty and holds no frontier; choose another folder for --out")]
    NotAFrontier {
        /// The folder.
        folder: String,
    },
}

impl FrontierError {
    /// A problem with one option.
    pub fn option(option: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Option { option: option.into(), message: message.into() }
    }
}
