//! `lookalike key`: keys that sign releases.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use lookalike::{Error, KeyRequest};

use super::{Everywhere, Run};

/// Make keys that sign releases, in the format of minisign.
#[derive(Debug, Args)]
pub(super) struct Key {
    #[command(subcommand)]
    action: KeyAction,
}

#[derive(Debug, Subcommand)]
enum KeyAction {
    /// Make a pair of keys: NAME.key signs and stays secret, NAME.pub is handed to recipients
    New {
        /// The path of both files, without their endings
        name: PathBuf,
        /// A file whose first line is the password for the secret key [default: no password]
        #[arg(long, value_name = "FILE")]
        key_password: Option<PathBuf>,
    },
}

impl Run for Key {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let KeyAction::New { name, key_password } = &self.action;
        everywhere.carry_out(&KeyRequest {
            password: key_password.clone(),
            replace: everywhere.force,
            ..KeyRequest::new(name)
        })
    }
}
