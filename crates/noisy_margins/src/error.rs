//! Errors, written for the reader.

/// Why a plan or a model could not be made. `Q` is the error of the [`Questions`](crate::Questions).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<Q = std::convert::Infallible> {
    /// A budget that means nothing.
    #[error("the budget must be a finite number above 0 and at most {most}")]
    Budget {
        /// The largest budget that is counted exactly.
        most: u32,
    },
    /// No size.
    #[error(
        "the number of records to plan for must be between 1 and {most}; state it, or pay for a noisy count"
    )]
    Records {
        /// The largest number.
        most: u64,
    },
    /// Nothing to model.
    #[error("there is no variable; name at least one")]
    NoVariables,
    /// A variable without classes.
    #[error("variable {variable} has no classes; every variable needs at least one")]
    NoClasses {
        /// The variable.
        variable: usize,
    },
    /// So small a budget for so many margins that some would get nothing.
    #[error(
        "the budget is too small to be shared among {margins} margins; raise it, or measure fewer margins"
    )]
    BudgetTooSmall {
        /// How many margins.
        margins: usize,
    },
    /// A margin that cannot be asked for.
    #[error(
        "the margin over variables {variables:?} must name ascending numbers below {count}, each margin once"
    )]
    Margin {
        /// The variables.
        variables: Vec<usize>,
        /// How many variables there are.
        count: usize,
    },
    /// A margin with more cells than are worth noise.
    #[error(
        "the margin over variables {variables:?} has more than {limit} cells; merge classes, or leave it out"
    )]
    MarginTooLarge {
        /// The variables.
        variables: Vec<usize>,
        /// The limit.
        limit: usize,
    },
    /// Weights that do not fit the margins.
    #[error("weights must be {margins} finite numbers above 0, one for each margin")]
    Weights {
        /// How many margins.
        margins: usize,
    },
    /// An answer that does not fit its question.
    #[error("the answer for the margin over variables {variables:?} does not have the cells asked for")]
    Answer {
        /// The variables.
        variables: Vec<usize>,
    },
    /// The model could not be fitted.
    #[error(transparent)]
    Fit(#[from] loglinear::Error),
    /// A question was refused.
    #[error(transparent)]
    Refused(Q),
}

impl Error {
    /// The same error where questions may be refused too.
    pub fn widened<Q>(self) -> Error<Q> {
        match self {
            Self::Budget { most } => Error::Budget { most },
            Self::Records { most } => Error::Records { most },
            Self::NoVariables => Error::NoVariables,
            Self::NoClasses { variable } => Error::NoClasses { variable },
            Self::BudgetTooSmall { margins } => Error::BudgetTooSmall { margins },
            Self::Margin { variables, count } => Error::Margin { variables, count },
            Self::MarginTooLarge { variables, limit } => Error::MarginTooLarge { variables, limit },
            Self::Weights { margins } => Error::Weights { margins },
            Self::Answer { variables } => Error::Answer { variables },
            Self::Fit(error) => Error::Fit(error),
            Self::Refused(never) => match never {},
        }
    }
}
