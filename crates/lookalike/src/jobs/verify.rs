//! Whether a release is what its manifest says.

use std::path::PathBuf;

use release::{Expected, TrustedKey, Verification, verify};
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
    /// The public key of its owner: a file, or the key itself.
    pub signer: Option<String>,
    /// SHA-256 of its manifest, as the recipient was given it.
    pub sha256: Option<String>,
}

impl VerifyRequest {
    /// Asks this of a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), signer: None, sha256: None }
    }

    /// Checks the folder. A release that does not pass is an outcome, a folder that is not there an error.
    pub fn run(&self) -> Result<Verification, Error> {
        if !self.folder.is_dir() {
            return Err(Error::Usage(format!("{}: no such folder", self.folder.display())));
        }
        let wrong_hash = |hash: &&String| {
            hash.trim().len() != 64 || !hash.trim().chars().all(|digit| digit.is_ascii_hexdigit())
        };
        if self.sha256.as_ref().filter(wrong_hash).is_some() {
            return Err(Error::option("sha256", "a SHA-256 has 64 hexadecimal digits"));
        }
        let signer = self.signer.as_deref().map(TrustedKey::read).transpose()?;
        Ok(verify(&self.folder, &Expected { signer, sha256: self.sha256.clone() }))
    }
}

impl Request for VerifyRequest {
    type Outcome = Verification;

    fn inputs(&self) -> Vec<PathBuf> {
        self.signer.iter().map(PathBuf::from).filter(|path| path.exists()).collect()
    }

    fn reads(&self) -> Vec<PathBuf> {
        self.inputs().into_iter().chain([self.folder.clone()]).collect()
    }

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
