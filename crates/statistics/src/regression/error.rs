//! What stands in the way of a regression, written for the person who asked for it.

/// One error for all regressions. A model that can be fitted but not trusted is a fit with a
/// [`Convergence`](super::Convergence) that says so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RegressionError {
    /// No records, or none with a weight.
    #[error("there are no records to fit a model to; give at least one record with a weight above 0")]
    Empty,
    /// Arrays of different lengths.
    #[error("{what} has {found} entries where the design has {expected} rows; give one for each row")]
    Length {
        /// The array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The number of rows.
        expected: usize,
    },
    /// A response that the family does not have.
    #[error("the response must be {wanted}; recode it or choose another family")]
    Response {
        /// What the family can take.
        wanted: &'static str,
    },
    /// A weight that is no count.
    #[error("weights must be finite and not negative")]
    Weight,
    /// A design that does not fit together.
    #[error("the design is not sound: {0}")]
    Design(String),
    /// More columns than can be held.
    #[error(
        "the design has {columns} columns, above the limit of {limit}; leave out interactions or join levels"
    )]
    TooManyColumns {
        /// The number of columns.
        columns: usize,
        /// The limit.
        limit: usize,
    },
    /// The first step of the iterations already overflows.
    #[error("the fitted means overflow at the first step; rescale the numeric columns or the response")]
    Overflow,
    /// A probability that is none.
    #[error("tau must lie between 0 and 1, and is {0}")]
    Tau(f64),
}
