//! Errors, written for the reader. They name variables by number, so that a caller can put names in their
//! place, and never quote a count.

use crate::refusal::Refusal;

/// Why a model could not be fitted or asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option has a value that means nothing.
    #[error("{name} must {must}")]
    Option {
        /// The option.
        name: &'static str,
        /// What it must be.
        must: &'static str,
    },
    /// A variable without classes.
    #[error("variable {variable} has no classes; every variable needs at least one")]
    NoClasses {
        /// The variable.
        variable: usize,
    },
    /// Nothing to fit.
    #[error("no margin was given; name at least one")]
    NoTargets,
    /// A list of variables that is not ascending or not in range.
    #[error("the variables {variables:?} of {what} must be ascending numbers below {count}")]
    Variables {
        /// Of what.
        what: &'static str,
        /// The list.
        variables: Vec<usize>,
        /// How many variables there are.
        count: usize,
    },
    /// A table with the wrong number of cells.
    #[error("{what} over variables {variables:?} needs {expected} cells, but has {found}")]
    Shape {
        /// Of what.
        what: &'static str,
        /// Its variables.
        variables: Vec<usize>,
        /// The cells that these variables span.
        expected: u128,
        /// The cells that were given.
        found: usize,
    },
    /// A target with a negative or non-finite count.
    #[error("the target over variables {variables:?} holds a count that is negative or not finite")]
    Count {
        /// Its variables.
        variables: Vec<usize>,
    },
    /// A target without a positive total.
    #[error("the target over variables {variables:?} counts nobody")]
    EmptyTarget {
        /// Its variables.
        variables: Vec<usize>,
    },
    /// Two targets that cannot both hold.
    #[error(
        "the targets over variables {first:?} and {second:?} {}; count both from the same records, \
         or allow rescaling",
        disagreement(.shared)
    )]
    Disagreement {
        /// Variables of one target.
        first: Vec<usize>,
        /// Variables of the other.
        second: Vec<usize>,
        /// The variables on whose margin they differ; none if their totals do.
        shared: Vec<usize>,
    },
    /// The impossible cells are all cells.
    #[error("the impossible cells leave no possible cell at all")]
    NothingPossible,
    /// A target wants records where there can be none.
    #[error(
        "the target over variables {variables:?} has records in a class where every cell is declared \
         impossible; correct the rule or the counts"
    )]
    Unreachable {
        /// Variables of the target.
        variables: Vec<usize>,
    },
    /// The zeros of several targets leave no cell for a record that another wants.
    #[error(
        "the target over variables {variables:?} has records in a class that the zeros of other targets or \
         impossible cells leave empty; put a small positive count in place of exact zeros, or drop a margin"
    )]
    ConflictingZeros {
        /// Variables of the target.
        variables: Vec<usize>,
    },
    /// A published total is positive where the model that is raked to it has no records.
    #[error(
        "the target over variables {variables:?} has records in a class that the model leaves empty, and \
         raking cannot fill it; fit the model with a small positive count there, or correct the target"
    )]
    EmptyInModel {
        /// Variables of the target.
        variables: Vec<usize>,
    },
    /// Targets to rake a model to that none of its cliques holds, and that no tree within the limit holds.
    #[error(
        "no clique of the model holds all variables of the target over {}, and a tree that does has {cells} \
         cells, above the limit of {limit}; include that margin when the model is fitted, and fewer others, \
         or merge classes",
        listed(.targets)
    )]
    TargetAcrossCliques {
        /// The variables of each such target.
        targets: Vec<Vec<usize>>,
        /// The cells of the tree; `u128::MAX` where there are more.
        cells: u128,
        /// The limit.
        limit: usize,
    },
    /// The full table was asked for and is too large.
    #[error(
        "the full table has {cells} cells, and the limit is {limit}; allow a junction tree, or merge classes"
    )]
    DenseTooLarge {
        /// Its cells, exactly, in decimal.
        cells: String,
        /// The limit.
        limit: usize,
    },
    /// Neither the full table nor the junction tree fits.
    #[error(transparent)]
    TooLarge(Box<Refusal>),
    /// Neither the full table of a penalised fit nor its junction tree fits.
    #[error(
        "the junction tree of the terms has {cells} cells, and the limit is {limit}; take fewer terms, or merge \
         classes"
    )]
    TreeTooLarge {
        /// Its cells; `u128::MAX` where there are more.
        cells: u128,
        /// The limit.
        limit: usize,
    },
    /// A term of a penalised fit with numbers that mean nothing.
    #[error("the term over variables {variables:?} needs finite targets and starts, and penalties above 0")]
    Term {
        /// Its variables.
        variables: Vec<usize>,
    },
    /// Raking in the given order was asked for where only a junction tree fits.
    #[error("raking in the given order needs the full table; use the free order with a junction tree")]
    OrderNeedsDense,
    /// A margin of the fitted model that is too large to hold.
    #[error(
        "the margin over variables {variables:?} needs a table of {cells} cells, and the limit is {limit}"
    )]
    MarginTooLarge {
        /// Its variables.
        variables: Vec<usize>,
        /// The cells of the largest table on the way, exactly, in decimal.
        cells: String,
        /// The limit.
        limit: usize,
    },
    /// A cell that the table does not have.
    #[error(
        "a cell is one class for each of the {count} variables, each below its variable's number of classes"
    )]
    Cell {
        /// How many variables there are.
        count: usize,
    },
    /// A stored model that does not hold together.
    #[error("the stored model is not {what} of non-negative counts that fits its dimensions")]
    Stored {
        /// What it should be.
        what: &'static str,
    },
    /// The caller's watch said stop.
    #[error("the fit was interrupted")]
    Interrupted,
}

fn disagreement(shared: &[usize]) -> String {
    if shared.is_empty() {
        "have different totals".into()
    } else {
        format!("disagree on their common margin over variables {shared:?}")
    }
}

fn listed(targets: &[Vec<usize>]) -> String {
    let targets: Vec<String> = targets.iter().map(|variables| format!("{variables:?}")).collect();
    targets.join(" or ")
}
