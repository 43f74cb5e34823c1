//! What can stand in the way of a private release.

use crate::Cost;

/// Why a private step is refused. Texts name parameters and purposes, never a value or a count of the table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PrivacyError {
    /// An ε that is not finite and above zero.
    #[error(
        "epsilon must be a finite number above 0, but is {value}; for a run without privacy, leave epsilon out"
    )]
    Epsilon {
        /// The number given.
        value: f64,
    },
    /// A δ outside (0, 1).
    #[error(
        "delta must lie between 0 and 1, but is {value}; choose it well below one over the number of records"
    )]
    Delta {
        /// The number given.
        value: f64,
    },
    /// A ρ that is not finite and above zero.
    #[error("rho must be a finite number above 0, but is {value}")]
    Rho {
        /// The number given.
        value: f64,
    },
    /// A sampled Gaussian that is none.
    #[error(
        "a sampled Gaussian needs a probability above 0 and up to 1, a sigma above 0, and at least one step"
    )]
    SampledGaussian,
    /// A cost below zero or above the largest.
    #[error("a privacy cost of {value:?} is outside 0 to 16777216 (2^24), which the books can hold")]
    CostOutOfRange {
        /// The number given.
        value: f64,
    },
    /// The sum of costs is above the largest.
    #[error("the costs add up to more than 16777216 (2^24), which the books can hold")]
    SumOutOfRange,
    /// A budget that rounds down to nothing.
    #[error("a privacy budget of {value:?} is below the smallest unit of account; raise it")]
    BudgetTooSmall {
        /// The number given.
        value: f64,
    },
    /// Weights that split nothing.
    #[error("a budget is split by weights that are finite and at least 0, one of them above 0")]
    Weights,
    /// A share of a split that rounds down to nothing.
    #[error(
        "a budget of {budget} is too small to be split into {shares} shares; raise the budget or measure fewer margins"
    )]
    ShareVanishes {
        /// What was to be split.
        budget: Cost,
        /// Into how many shares.
        shares: usize,
    },
    /// A scale of zero or infinity.
    #[error(
        "the scale of noise is a ratio of two numbers above 0, and small enough for a threshold to be held"
    )]
    Scale,
    /// A measurement that pays nothing.
    #[error("a measurement that costs nothing would need infinite noise; give it a share of the budget")]
    FreeLook,
    /// A sensitivity of zero.
    #[error("a sensitivity is above 0; what no record can change needs no noise and no payment")]
    Sensitivity,
    /// A choice among no candidates.
    #[error("there is no candidate to choose from")]
    NoCandidates,
    /// The operating system gave no random numbers.
    #[error(
        "the operating system gave no random numbers for the noise ({error}); a private run cannot go on without them"
    )]
    OperatingSystem {
        /// What it said.
        error: String,
    },
    /// An event that the budget cannot pay.
    #[error("{purpose} would cost {cost}, and {left} is left; raise the budget or measure fewer margins")]
    BudgetExhausted {
        /// What the event is for.
        purpose: String,
        /// What it would cost.
        cost: String,
        /// What is left.
        left: String,
    },
    /// An event whose notion of privacy cannot be added to the budget's.
    #[error("{purpose} costs {cost}, which cannot be stated in the budget's notion ({notion}); {way_out}")]
    CannotBeAdded {
        /// What the event is for.
        purpose: String,
        /// What it would cost.
        cost: String,
        /// The notion of the budget.
        notion: String,
        /// What to do.
        way_out: String,
    },
    /// Parallel composition under replace-one neighbours.
    #[error(
        "{group} cannot be composed in parallel under replace-one neighbours: a replaced record may leave one part and enter another; use add-remove neighbours"
    )]
    ParallelReplaceOne {
        /// The name of the group.
        group: String,
    },
    /// A group of another ledger, or a part within a part.
    #[error(
        "{group} is not open here: a part is entered from outside all parts, in a group of the same ledger"
    )]
    Parts {
        /// The name of the group, or its number.
        group: String,
    },
    /// A record of a ledger that does not add up.
    #[error("the ledger does not add up: {what}")]
    DoesNotAddUp {
        /// What is wrong.
        what: String,
    },
    /// A ledger over runs that has no account for what is to be spent.
    #[error(
        "the ledger has no account for {account}: {others}; its owner sets what may be spent with `lookalike ledger limit`"
    )]
    NoAccount {
        /// The account.
        account: String,
        /// What there is.
        others: String,
    },
    /// A run that would spend more than the owner of the data allows in all.
    #[error(
        "the ledger over all runs refuses: {account}: this run takes {cost} of a limit of {limit}, and {left} is left; nothing was looked at"
    )]
    LedgerExhausted {
        /// The account.
        account: String,
        /// What the run takes.
        cost: String,
        /// The limit.
        limit: String,
        /// What is left.
        left: String,
    },
    /// A ledger over runs that cannot be trusted, or is not there.
    #[error("{path}: {what}")]
    Ledger {
        /// The file.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// A ledger over runs that cannot be read or written.
    #[error("{path}: {error}; nothing was looked at")]
    LedgerFile {
        /// The file.
        path: String,
        /// What the system said.
        error: String,
    },
    /// An audit without what it needs.
    #[error("{what}")]
    Audit {
        /// What is missing.
        what: String,
    },
    /// A method whose argument needs a fixed number of records.
    #[error(
        "{what} is private under replace-one neighbours only, where the number of records is public, and where one record is one unit; say neighbours = \"replace-one\""
    )]
    NeedsReplaceOne {
        /// What was asked for.
        what: String,
    },
    /// A method whose argument needs one record more or less.
    #[error(
        "{what}: the argument is for tables with or without one record, where one record is one unit; say neighbours = \"add-remove\", and declare no unit of several records"
    )]
    NeedsAddRemove {
        /// What was asked for.
        what: String,
    },
    /// Noise that no ε pays for alone.
    #[error(
        "noise on sampled records is paid by an epsilon with a delta; state both, the delta well below one over the number of records"
    )]
    NeedsDelta,
    /// Something about the table or its schema.
    #[error("{0}")]
    Table(String),
}

impl From<table::TableError> for PrivacyError {
    fn from(error: table::TableError) -> Self {
        Self::Table(error.to_string())
    }
}
