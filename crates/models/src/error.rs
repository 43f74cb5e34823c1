//! What stands in the way of a model, written for the person who asked for it.

use statistics::regression::RegressionError;

/// One error for the whole crate.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A table or variable that cannot be had.
    #[error(transparent)]
    Table(#[from] table::TableError),
    /// A formula that cannot be parsed or does not fit the variables.
    #[error("in `{formula}` at character {position}: {message}")]
    Formula {
        /// The formula as the user wrote it.
        formula: String,
        /// Where, counted in characters from 1.
        position: usize,
        /// What is wrong, and the way out.
        message: String,
    },
    /// A response that the family does not have.
    #[error("the response `{name}`: {message}")]
    Response {
        /// The response as the formula writes it.
        name: String,
        /// What stands in the way, and the way out.
        message: String,
    },
    /// Nothing is left to fit.
    #[error(
        "every record has a missing value or a special code in a variable of `{formula}`; leave out the variable that is \
         mostly missing"
    )]
    NoCompleteRecord {
        /// The formula.
        formula: String,
    },
    /// A variable that two tables do not share in a way that can be compared.
    #[error("variable `{name}`: {message}")]
    Variable {
        /// The variable.
        name: String,
        /// What stands in the way, and the way out.
        message: String,
    },
    /// Tables without a variable in common.
    #[error(
        "the original and the synthetic table have no variable in common; give both files the same column names"
    )]
    NothingInCommon,
    /// A regression that cannot be fitted.
    #[error(transparent)]
    Regression(#[from] RegressionError),
    /// A family that does not exist.
    #[error("there is no family `{name}`{hint}; the families are {known}")]
    Family {
        /// The name as the user wrote it.
        name: String,
        /// "; did you mean …?" or empty.
        hint: String,
        /// All of them.
        known: String,
    },
}

impl ModelError {
    pub(crate) fn response(name: &str, message: impl Into<String>) -> Self {
        Self::Response { name: name.to_owned(), message: message.into() }
    }

    pub(crate) fn variable(name: &str, message: impl Into<String>) -> Self {
        Self::Variable { name: name.to_owned(), message: message.into() }
    }
}
