//! `lookalike verify`: whether a release is what its manifest says.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::{Error, VerifyRequest};

use super::{Everywhere, Run};

/// Check a release: hashes, schema, ledger, label.
#[derive(Debug, Args)]
pub(super) struct Verify {
    /// The folder of the release
    release: PathBuf,
}

impl Run for Verify {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        everywhere.carry_out(&VerifyRequest::new(&self.release))
    }
}
