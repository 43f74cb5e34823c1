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
    /// The public key of its owner, a file or the key itself, as you have it from elsewhere: the release must be signed by it
    #[arg(long, value_name = "PUBKEY")]
    signer: Option<String>,
    /// SHA-256 of its manifest, as you were given it by another way than the release
    #[arg(long, value_name = "HASH")]
    sha256: Option<String>,
}

impl Run for Verify {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        everywhere.carry_out(&VerifyRequest {
            signer: self.signer.clone(),
            sha256: self.sha256.clone(),
            ..VerifyRequest::new(&self.release)
        })
    }
}
