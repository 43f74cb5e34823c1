//! The ledger over all runs, and the key that signs, on the command line.

use std::path::PathBuf;

use clap::Args;
use lookalike::{Books, Signing};

/// The ledger over all runs on a data set.
#[derive(Debug, Args)]
#[command(next_help_heading = "Privacy")]
pub(super) struct BooksOptions {
    /// The ledger over all runs on these data: a private run takes its budget from it before it looks, and is refused if that is more than is left; other looks are
    /// entered by name [default: that of LOOKALIKE_LEDGER, else none]
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// What the owner calls these data in the ledger [default: that of LOOKALIKE_DATA_SET]
    #[arg(long, value_name = "NAME")]
    data_set: Option<String>,
}

impl BooksOptions {
    /// What was named, the environment beside it.
    pub(super) fn books(&self) -> Option<Books> {
        let named = self.ledger.clone().map(|ledger| Books { ledger, data_set: None });
        let books = Books::named_or_usual(named.as_ref())?;
        Some(Books { data_set: self.data_set.clone(), ..books })
    }
}

/// The key that signs what is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct SignOptions {
    /// Sign the manifest with this secret key, as `lookalike key new` or minisign makes it; recipients check it with `verify --signer`
    #[arg(long, value_name = "KEYFILE")]
    sign: Option<PathBuf>,
    /// A file whose first line is the password of that key, where it has one
    #[arg(long, value_name = "FILE", requires = "sign")]
    key_password: Option<PathBuf>,
}

impl SignOptions {
    /// The key.
    pub(super) fn signing(&self) -> Option<Signing> {
        self.sign.clone().map(|key| Signing { key, password: self.key_password.clone() })
    }
}
