//! A pair of keys for signing releases.

use std::path::PathBuf;

use release::signature::{NewKey, new_key};
use table::watch::Watch;

use crate::signing::password;
use crate::{Error, Request};

/// Asks for a new pair of keys: the secret one in `NAME.key`, the public one in `NAME.pub`, both as minisign reads them.
///
/// ```
/// use lookalike::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// let made = KeyRequest::new(folder.path().join("board")).run()?;
/// assert!(made.public.ends_with("board.pub") && made.public_key.starts_with("RW"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct KeyRequest {
    /// The path of both files, without their endings.
    pub name: PathBuf,
    /// A file with the password under which the secret key is kept; without one whoever can read the file can sign.
    pub password: Option<PathBuf>,
    /// Whether keys of this name may be replaced.
    pub replace: bool,
}

impl KeyRequest {
    /// Asks for keys of this name, without a password.
    pub fn new(name: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), password: None, replace: false }
    }

    /// Makes the keys.
    pub fn run(&self) -> Result<NewKey, Error> {
        let password = password(self.password.as_deref())?;
        Ok(new_key(&self.name, password.as_deref(), self.replace)?)
    }
}

impl Request for KeyRequest {
    type Outcome = NewKey;

    fn inputs(&self) -> Vec<PathBuf> {
        self.password.clone().into_iter().collect()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        vec![self.name.clone()]
    }

    fn perform(&self, _: &Watch) -> Result<NewKey, Error> {
        self.run()
    }

    fn text(&self, made: &NewKey) -> String {
        let guarded = if made.has_password {
            "under its password"
        } else {
            "without a password: whoever can read the file can sign"
        };
        format!(
            "key {}\n  secret  {}, {guarded}\n  public  {}\n  {}\nHand the public key over by another way than the releases. Sign with release --sign {}; \
             recipients check with verify --signer {}\n",
            made.key_id,
            made.secret.display(),
            made.public.display(),
            made.public_key,
            made.secret.display(),
            made.public.display()
        )
    }

    fn json(&self, made: &NewKey) -> serde_json::Value {
        serde_json::json!(made)
    }
}
