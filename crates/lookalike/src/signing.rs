//! The key that signs what is written.

use std::path::{Path, PathBuf};

use release::Signer;
use table::TableError;

use crate::Error;

/// Which key signs, and the password that opens it.
///
/// ```
/// use lookalike::Signing;
///
/// let with_the_key_of_the_board = Signing::with("board.key");
/// assert!(with_the_key_of_the_board.password.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Signing {
    /// The file of the secret key.
    pub key: PathBuf,
    /// A file with its password, where it has one.
    pub password: Option<PathBuf>,
}

impl Signing {
    /// Signs with this key, which has no password.
    pub fn with(key: impl Into<PathBuf>) -> Self {
        Self { key: key.into(), password: None }
    }

    /// The key, opened; before long work, so that a wrong password is known at once.
    pub(crate) fn open(&self) -> Result<Signer, Error> {
        let password = password(self.password.as_deref())?;
        Ok(Signer::read(&self.key, password.as_deref())?)
    }

    /// The files that are read.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        std::iter::once(self.key.clone()).chain(self.password.clone()).collect()
    }
}

/// The first line of a file with a password.
pub(crate) fn password(path: Option<&Path>) -> Result<Option<String>, Error> {
    let Some(path) = path else { return Ok(None) };
    let text = std::fs::read_to_string(path).map_err(|source| TableError::io(path, source))?;
    match text.lines().next().filter(|line| !line.is_empty()) {
        Some(line) => Ok(Some(line.to_owned())),
        None => Err(Error::option("key-password", format!("{} has no first line", path.display()))),
    }
}
