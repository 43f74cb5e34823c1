//! Whether a release is what its manifest says.

use std::path::PathBuf;

use release::{Verification, verify};
use table::watch::Watch;

use crate::{Error, Request};

/// Asks whether the files of a release are those that its manifest lists, and whether its parts agree.
///
/// ```
/// use lookalike::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// assert!(!VerifyRequest::new(folder.path()).run()?.passed, "an empty folder is no release");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct VerifyRequest {
    /// The folder of the release.
    pub folder: PathBuf,
}

impl VerifyRequest {
    /// Asks this of a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Checks the folder. A release that does not pass is an outcome, a folder that is not there an error.
    pub fn run(&self) -> Result<Verification, Error> {
        if !self.folder.is_dir() {
            return Err(Error::Usage(format!("{}: no such folder", self.folder.display())));
        }
        Ok(verify(&self.folder))
    }
}

impl Request for VerifyRequest {
    type Outcome = Verification;

    fn perform(&self, _: &Watch) -> Result<Verification, Error> {
        self.run()
    }

    fn text(&self, found: &Verification) -> String {
        report::verification_text(&self.folder.display().to_string(), found)
    }

    fn json(&self, found: &Verification) -> serde_json::Value {
        serde_json::json!(found)
    }

    fn passed(&self, found: &Verification) -> bool {
        found.passed
    }
}
