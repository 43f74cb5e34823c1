//! Why a tree cannot be fitted or used.

/// Why a tree cannot be fitted or used. Predictors are named by their position, from zero; no value of the data is shown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TreeError {
    /// No record is left to learn from.
    #[error(
        "a tree needs at least one record of weight above zero; check the weights or the selection of records"
    )]
    NoRecords,
    /// Too many records for the exact sums.
    #[error("a tree takes a total weight below 2^31; fit it to a sample of the records")]
    TooManyRecords,
    /// Two columns differ in length.
    #[error(
        "{what} has another number of records than the response; all columns must come from the same table"
    )]
    Length {
        /// Which column.
        what: String,
    },
    /// A code outside its declared range.
    #[error(
        "{what} has a code at or above its number of codes, {codes}; declare as many levels as there are codes"
    )]
    Code {
        /// Which column.
        what: String,
        /// The declared number of codes.
        codes: u64,
    },
    /// A number that is not finite.
    #[error(
        "{what} has a number that is not finite; give missing values a mark (predictor) or weight zero (response)"
    )]
    NotFinite {
        /// Which column.
        what: String,
    },
    /// More weight in a class than in the record.
    #[error("a record has more weight in its second class than in all; give the weight of both together")]
    ClassWeight,
    /// A response that a forest cannot draw from.
    #[error("a forest draws whole records; give each record one class")]
    Divided,
    /// A response without classes.
    #[error("the response has no classes; declare at least one level")]
    NoClasses,
    /// A predictor is coded otherwise than when the tree was fitted.
    #[error(
        "predictor {position} is coded otherwise than when the tree was fitted; code new records with the same coding"
    )]
    Coding {
        /// The predictor's position.
        position: usize,
    },
    /// Another number of predictors than the tree was fitted with.
    #[error(
        "the tree was fitted with {fitted} predictors and is given {given}; give the same ones in the same order"
    )]
    Predictors {
        /// How many the tree knows.
        fitted: usize,
        /// How many were given.
        given: usize,
    },
    /// Records outside the predictors' columns.
    #[error(
        "records up to {end} are asked for, and predictor {position} has fewer; ask for records that exist"
    )]
    Rows {
        /// The end of the range that was asked for.
        end: usize,
        /// The predictor's position.
        position: usize,
    },
    /// An option out of range.
    #[error("{option} must be {range}")]
    Option {
        /// The option's name.
        option: &'static str,
        /// What it can be.
        range: &'static str,
    },
    /// A stored model that contradicts itself.
    #[error("the stored tree is damaged: {what}; fit it again")]
    Stored {
        /// What is wrong with it.
        what: &'static str,
    },
}
