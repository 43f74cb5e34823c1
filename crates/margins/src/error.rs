//! Errors, written for the reader. They name variables by number, so that a caller can put names in their
//! place, and never quote a count.

use crate::ipf::refusal::Refusal;

/// Why measurements could not be planned, or a model could not be fitted or asked.
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
    /// Attributes that are not ascending or not in range.
    #[error("the variables {attributes:?} of {what} must be ascending numbers below {count}")]
    Attributes {
        /// Of what.
        what: &'static str,
        /// The list.
        attributes: Vec<usize>,
        /// How many variables there are.
        count: usize,
    },
    /// A table with the wrong number of cells.
    #[error("{what} over variables {attributes:?} needs {expected} cells, but has {found}")]
    Shape {
        /// Of what.
        what: &'static str,
        /// Its attributes.
        attributes: Vec<usize>,
        /// The cells that these variables span.
        expected: u128,
        /// The cells that were given.
        found: usize,
    },
    /// A target with a negative or non-finite count.
    #[error("the target over variables {attributes:?} holds a count that is negative or not finite")]
    Count {
        /// Its attributes.
        attributes: Vec<usize>,
    },
    /// A target without a positive total.
    #[error("the target over variables {attributes:?} counts nobody")]
    EmptyTarget {
        /// Its attributes.
        attributes: Vec<usize>,
    },
    /// Two targets that cannot both hold.
    #[error(
        "the targets over variables {first:?} and {second:?} {}; count both from the same records, \
         or allow rescaling",
        disagreement(.shared)
    )]
    Disagreement {
        /// The attributes of one target.
        first: Vec<usize>,
        /// The attributes of the other.
        second: Vec<usize>,
        /// The variables on whose margin they differ; none if their totals do.
        shared: Vec<usize>,
    },
    /// The impossible cells are all cells.
    #[error("the impossible cells leave no possible cell at all")]
    NothingPossible,
    /// A target wants records where there can be none.
    #[error(
        "the target over variables {attributes:?} has records in a class where every cell is declared \
         impossible; correct the rule or the counts"
    )]
    Unreachable {
        /// The attributes of the target.
        attributes: Vec<usize>,
    },
    /// The zeros of several targets leave no cell for a record that another wants.
    #[error(
        "the target over variables {attributes:?} has records in a class that the zeros of other targets or \
         impossible cells leave empty; put a small positive count in place of exact zeros, or drop a margin"
    )]
    ConflictingZeros {
        /// The attributes of the target.
        attributes: Vec<usize>,
    },
    /// A published total is positive where the model that is raked to it has no records.
    #[error(
        "the target over variables {attributes:?} has records in a class that the model leaves empty, and \
         raking cannot fill it; fit the model with a small positive count there, or correct the target"
    )]
    EmptyInModel {
        /// The attributes of the target.
        attributes: Vec<usize>,
    },
    /// Targets to rake a model to that none of its cliques holds, and that no tree within the limit holds.
    #[error(
        "no clique of the model holds all variables of the target over {}, and a tree that does has {cells} \
         cells, above the limit of {limit}; include that margin when the model is fitted, and fewer others, \
         or merge classes",
        listed(.targets)
    )]
    TargetAcrossCliques {
        /// The attributes of each such target.
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
    #[error("the term over variables {attributes:?} needs finite targets and starts, and penalties above 0")]
    Term {
        /// Its attributes.
        attributes: Vec<usize>,
    },
    /// Raking in the given order was asked for where only a junction tree fits.
    #[error("raking in the given order needs the full table; use the free order with a junction tree")]
    OrderNeedsDense,
    /// A margin of the fitted model that is too large to hold.
    #[error(
        "the margin over variables {attributes:?} needs a table of {cells} cells, and the limit is {limit}"
    )]
    MarginTooLarge {
        /// Its attributes.
        attributes: Vec<usize>,
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
    /// A budget so small that some of the margins that share it would get nothing.
    #[error(
        "the budget is too small to be shared among {margins} margins; raise it, or measure fewer margins"
    )]
    BudgetTooSmall {
        /// How many margins.
        margins: usize,
    },
    /// A margin that cannot be measured.
    #[error(
        "the margin over variables {attributes:?} must name ascending numbers below {count}, each margin once"
    )]
    Measurement {
        /// Its attributes.
        attributes: Vec<usize>,
        /// How many variables there are.
        count: usize,
    },
    /// A margin with more cells than are worth noise.
    #[error(
        "the margin over variables {attributes:?} has more than {limit} cells; merge classes, or leave it out"
    )]
    MeasurementTooLarge {
        /// Its attributes.
        attributes: Vec<usize>,
        /// The limit.
        limit: usize,
    },
    /// Weights that do not fit the margins.
    #[error("weights must be {margins} finite numbers above 0, one for each margin")]
    Weights {
        /// How many margins.
        margins: usize,
    },
    /// A measurement that does not have the shape asked for.
    #[error("the answer for the margin over variables {attributes:?} does not have the cells asked for")]
    Answer {
        /// The attributes asked for.
        attributes: Vec<usize>,
    },
}

fn disagreement(shared: &[usize]) -> String {
    if shared.is_empty() {
        "have different totals".into()
    } else {
        format!("disagree on their common margin over variables {shared:?}")
    }
}

fn listed(targets: &[Vec<usize>]) -> String {
    let targets: Vec<String> = targets.iter().map(|attributes| format!("{attributes:?}")).collect();
    targets.join(" or ")
}
