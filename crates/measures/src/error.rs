//! What stands in the way of a measure, written for the person who asked for it.

/// One error for the whole crate. What a measure cannot say about two sound tables is a finding with a reason instead.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// A table, variable or count that cannot be had.
    #[error(transparent)]
    Table(#[from] table::TableError),
    /// A variable that the two tables do not share in a way that can be compared.
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
    /// No synthetic table.
    #[error("there is no synthetic table to measure; name at least one")]
    NoSynthetic,
    /// An option that makes no sense.
    #[error("{option} {message}")]
    Option {
        /// The option.
        option: &'static str,
        /// What it must be.
        message: String,
    },
    /// A model that cannot be fitted to the original.
    #[error(transparent)]
    Model(#[from] models::ModelError),
    /// A tree that cannot be grown.
    #[error(transparent)]
    Tree(#[from] statistics::trees::TreeError),
    /// More records than can be told apart by 32-bit numbers.
    #[error(
        "the tables hold {records} records together, above the limit of 4294967295; measure a part of them"
    )]
    TooManyRecords {
        /// Records in all tables.
        records: u64,
    },
    /// A file of acceptable regions that cannot be read.
    #[error("the regions of acceptable risk, line {line}: {message}")]
    Regions {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// A family that looks at single records, where only counts are known.
    #[error("`{family}` needs the records themselves, and here are only their counts; leave it out")]
    NeedsRecords {
        /// The family.
        family: &'static str,
    },
    /// Counts of two sources that do not have the same classes.
    #[error("the two sources do not have the same variables and classes; classify both on one domain first")]
    DifferentDomains,
}

impl MeasureError {
    pub(crate) fn variable(name: &str, message: impl Into<String>) -> Self {
        Self::Variable { name: name.to_owned(), message: message.into() }
    }
}
