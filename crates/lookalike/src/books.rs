//! The ledger over all runs on a data set, into which a run enters itself.

use std::path::PathBuf;

use privacy::PrivacyError;
use privacy::ledger::shared::{Booking, SharedLedger};

use crate::Error;

/// Which ledger, and what its owner calls the data.
///
/// ```
/// use lookalike::Books;
///
/// let books = Books { ledger: "ledger.jsonl".into(), data_set: Some("census 2026".into()) };
/// assert_eq!(books.data_set.as_deref(), Some("census 2026"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Books {
    /// The file of the ledger.
    pub ledger: PathBuf,
    /// The name of the data set; without one that of the environment, `LOOKALIKE_DATA_SET`.
    pub data_set: Option<String>,
}

/// Where the environment names the ledger, and the data set.
pub const LEDGER_VARIABLE: &str = "LOOKALIKE_LEDGER";
/// Where the environment names the data set.
pub const DATA_SET_VARIABLE: &str = "LOOKALIKE_DATA_SET";

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Books {
    /// The ledger that was named, else that of the environment: a ledger of the house holds for every front door.
    pub fn named_or_usual(named: Option<&Self>) -> Option<Self> {
        named.cloned().or_else(|| {
            variable(LEDGER_VARIABLE).map(|ledger| Self { ledger: ledger.into(), data_set: None })
        })
    }

    /// What a run of this purpose enters itself with; nothing where there is no ledger.
    pub(crate) fn booking(
        named: Option<&Self>,
        purpose: impl Into<String>,
    ) -> Result<Option<Booking>, Error> {
        let Some(books) = Self::named_or_usual(named) else { return Ok(None) };
        let Some(data_set) = books.data_set.or_else(|| variable(DATA_SET_VARIABLE)) else {
            let message = format!(
                "a ledger is named, and it has to know which data these are: name them as their owner does, or set {DATA_SET_VARIABLE}"
            );
            return Err(Error::option("data-set", message));
        };
        let ledger = SharedLedger::at(books.ledger);
        Ok(Some(Booking { ledger, data_set, purpose: purpose.into() }))
    }

    /// Enters a look that no guarantee covers, before it; nothing where there is no ledger.
    pub(crate) fn look(named: Option<&Self>, purpose: &str, what: &str) -> Result<(), Error> {
        match Self::booking(named, purpose)? {
            Some(booking) => Ok(booking.look(what)?),
            None => Ok(()),
        }
    }

    /// The file that no result may replace.
    pub(crate) fn inputs(named: Option<&Self>) -> Option<PathBuf> {
        Self::named_or_usual(named).map(|books| books.ledger)
    }
}

impl From<PrivacyError> for Error {
    fn from(error: PrivacyError) -> Self {
        Self::Synthesis(error.into())
    }
}
