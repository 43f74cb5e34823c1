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
    /// A refusal for the sake of privacy: the domain was read off the records.
    #[error(
        "a private run needs a declared schema, and nobody has declared public what may be in: {}; draft one with \
         `lookalike describe DATA --write-schema NEW.schema.toml`, review it, set `declared = true` with a reason, and run again \
         with `--schema NEW.schema.toml`",
        .variables.join(", ")
    )]
    LearnedSchema {
        /// The variables whose domain is not declared.
        variables: Vec<String>,
    },
    /// A refusal for the sake of privacy: what very few records have would be released.
    #[error(
        "files that do not fit into memory need a declared schema: nobody has declared public what may be in them, and what very few of their records have is \
         kept out only of tables in memory; draft a schema with `lookalike describe DATA --write-schema NEW.schema.toml`, review it, set `declared = true` with a \
         reason, and run again with `--schema NEW.schema.toml`; or fit to a random sample with `--fit-rows 1000000`"
    )]
    LearnedFromFiles,
    /// A refusal for the sake of privacy: noise that can be replayed protects nothing.
    #[error(
        "a private run takes no seed: whoever knows it can take the noise off again; leave it out (for tests there is \
         --insecure-test-seed, which voids the guarantee)"
    )]
    SeedInPrivateRun,
    /// A question that the guard refused.
    #[error(transparent)]
    Privacy(#[from] privacy::PrivacyError),
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
