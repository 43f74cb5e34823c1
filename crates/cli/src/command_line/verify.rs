//! `lookalike verify`: whether a release is what its manifest says.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::VerifyRequest;

use super::{Everywhere, Failure, Run};

/// Check a release: hashes, schema, ledger, label.
#[derive(Debug, Args)]
pub(super) struct Verify {
    /// The folder of the release
    release: PathBuf,
}

impl Run for Verify {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let verification = VerifyRequest::new(&self.release).run()?;
        let text = report::verification_text(&self.release.display().to_string(), &verification);
        everywhere.deliver(&text, || serde_json::json!(verification))?;
        Ok(if verification.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
