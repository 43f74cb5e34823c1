//! What stands in the way of an inference, written for the person who asked for it.

/// One error for the whole crate. What cannot be said about one quantity is a result with a reason instead.
#[derive(Debug, thiserror::Error)]
pub enum InferenceError {
    /// A table or variable that cannot be had.
    #[error(transparent)]
    Table(#[from] table::TableError),
    /// A model that cannot be fitted.
    #[error(transparent)]
    Model(#[from] models::ModelError),
    /// A recipe that cannot be carried out again.
    #[error("the release could not be made again for the bootstrap: {0}")]
    Synthesis(#[from] synthesis::SynthesisError),
    /// Something that is asked for in a way that is not understood.
    #[error("in `{asked}`: {message}")]
    Estimand {
        /// What was asked for, as it was written.
        asked: String,
        /// What is wrong, and the way out.
        message: String,
    },
    /// A variable that cannot be used in this way.
    #[error("variable `{name}`: {message}")]
    Variable {
        /// The variable.
        name: String,
        /// What stands in the way, and the way out.
        message: String,
    },
    /// A rule that cannot be computed from what there is.
    #[error("the rule `{rule}` {message}")]
    Rule {
        /// The rule.
        rule: &'static str,
        /// What it lacks, and the way out.
        message: String,
    },
    /// An option that makes no sense.
    #[error("{option} {message}")]
    Option {
        /// The option.
        option: &'static str,
        /// What it must be.
        message: String,
    },
}

impl InferenceError {
    pub(crate) fn estimand(asked: &str, message: impl Into<String>) -> Self {
        Self::Estimand { asked: asked.to_owned(), message: message.into() }
    }

    pub(crate) fn variable(name: &str, message: impl Into<String>) -> Self {
        Self::Variable { name: name.to_owned(), message: message.into() }
    }

    pub(crate) fn rule(rule: &'static str, message: impl Into<String>) -> Self {
        Self::Rule { rule, message: message.into() }
    }
}
