//! One ledger over all runs on a data set: what the owner allows in all, and what every run has taken of it.
//!
//! A [`LedgerRecord`](super::LedgerRecord) is about one release; guarantees of several releases of the same records add up. A [`SharedLedger`] is a file of the data
//! owner that adds them up and refuses the run that would exceed the limit.
//!
//! - **Accounts.** A data set is known by the name that its owner gives it, never by a hash of its records, which would confirm guesses at them. What is
//!   protected is a unit under a relation of neighbours: each has limits of its own ([`Account`]).
//! - **Debits come before looks.** A run takes its whole budget before it looks at the records; if it then fails or is killed, the debit stands.
//! - **Composition.** A limit is in one notion, and the debits against it add up in that notion: the ε of pure ones, the ρ of zero-concentrated ones with pure
//!   ones as ε²/2, the ε and δ of approximate ones. Since each debit is fixed before its look and the sum never passes a limit fixed before it, a limit is a privacy
//!   filter (Rogers, Roth, Ullman & Vadhan 2016; Feldman & Zrnic 2021), whatever a run was chosen by. An account may have one limit of each notion side
//!   by side; what it promises in all is their composition.
//! - **Looks without a guarantee** (a frontier, measures for an acceptance, a release that is not private, noise that can be replayed) have no price that could be
//!   added; they are entered by name, so that whoever reads the ledger sees them.
//! - **The file** is lines of JSON, only ever appended to, under a lock, each line with the SHA-256 of the one before. Whoever can write the file can rewrite
//!   it from any line on; that it was not, says the hash of its last line, kept elsewhere ([`Books::contains`]).

mod books;
mod entry;
mod file;

pub use books::{AccountState, Books, LimitState};
pub use entry::{Account, Entry, Line};
pub use file::SharedLedger;

use super::charge::Budget;
use crate::{Neighbours, PrivacyError};

/// What a run needs in order to enter itself: the ledger, the name of the data set, and what the run is called.
#[derive(Clone, Debug)]
pub struct Booking {
    /// The ledger.
    pub ledger: SharedLedger,
    /// The name that the owner gives to the data.
    pub data_set: String,
    /// What the run is: `synth by ipf`.
    pub purpose: String,
}

impl Booking {
    /// Takes a whole budget from the account of this unit, or refuses; to be called before the first look.
    pub fn debit(&self, budget: &Budget, neighbours: Neighbours, unit: &str) -> Result<(), PrivacyError> {
        let account = Account { data_set: self.data_set.clone(), unit: unit.to_owned(), neighbours };
        self.ledger.debit(&account, budget, &self.purpose)
    }

    /// Enters a look that no guarantee covers; to be called before it.
    pub fn look(&self, what: &str) -> Result<(), PrivacyError> {
        self.ledger.look(&self.data_set, &format!("{}: {what}", self.purpose))
    }
}

#[cfg(test)]
mod tests;
