//! Why a table could not be made, written for the person who asked for it.

use table::TableError;

/// One error for the whole crate.
#[derive(Debug, thiserror::Error)]
pub enum SynthesisError {
    /// Something about the data or the schema.
    #[error(transparent)]
    Table(#[from] TableError),
    /// An option with a value that means nothing, or that the method does not have.
    #[error("option `{name}`: {message}")]
    Option {
        /// The option as the user writes it.
        name: String,
        /// What is wrong, and the way out.
        message: String,
    },
    /// A recipe that cannot be read.
    #[error("recipe, {place}: {message}")]
    Recipe {
        /// Line or key.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// The model cannot be fitted.
    #[error("{method}: {message}")]
    Fit {
        /// The method.
        method: &'static str,
        /// What stands in the way, and the way out.
        message: String,
    },
    /// Records that keep the schema could not be drawn.
    #[error("the schema leaves too little room: {0}")]
    Rules(String),
    /// A model file that cannot be used.
    #[error("model file: {0}")]
    ModelFile(String),
}

impl SynthesisError {
    /// A problem with one option.
    pub fn option(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Option { name: name.into(), message: message.into() }
    }
}
