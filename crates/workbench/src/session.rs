//! Who may speak to the workbench: one browser, which came by a link that works once.

use std::sync::Mutex;

use rand::TryRng;
use rand::rngs::SysRng;

/// The token of the link, and what the browser that used it holds.
pub(crate) struct Session {
    /// None once it was used.
    entry: Mutex<Option<String>>,
    cookie: String,
    form: String,
}

/// The name of the cookie.
pub(crate) const COOKIE: &str = "lookalike";

impl Session {
    /// With fresh secrets of 128 bits each from the operating system.
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self { entry: Mutex::new(Some(secret()?)), cookie: secret()?, form: secret()? })
    }

    /// The token of the link, while it works.
    pub(crate) fn entry(&self) -> Option<String> {
        self.entry.lock().ok()?.clone()
    }

    /// The cookie for whoever has the token of the link; the link works once.
    pub(crate) fn enter(&self, token: &str) -> Option<&str> {
        let mut entry = self.entry.lock().ok()?;
        let is_right = entry.as_ref().is_some_and(|known| equal(known, token));
        if is_right {
            *entry = None;
        }
        is_right.then_some(self.cookie.as_str())
    }

    /// Whether a cookie is that of the session.
    pub(crate) fn knows(&self, cookie: Option<&str>) -> bool {
        cookie.is_some_and(|cookie| equal(&self.cookie, cookie))
    }

    /// What every form carries.
    pub(crate) fn form(&self) -> &str {
        &self.form
    }

    /// Whether a form is one of our own.
    pub(crate) fn is_own(&self, token: &str) -> bool {
        equal(&self.form, token)
    }
}

fn secret() -> std::io::Result<String> {
    let mut bytes = [0_u8; 16];
    SysRng.try_fill_bytes(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether two texts are equal, in a time that depends on their lengths alone.
fn equal(one: &str, other: &str) -> bool {
    let differs = one.bytes().zip(other.bytes()).fold(0, |differs, (one, other)| differs | (one ^ other));
    one.len() == other.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_works_once_and_only_with_its_token() {
        let session = Session::new().unwrap();
        let token = session.entry().unwrap();
        assert_eq!(token.len(), 32);
        assert!(session.enter("").is_none() && session.enter(&token[1..]).is_none());
        let cookie = session.enter(&token).unwrap().to_owned();
        assert!(session.enter(&token).is_none() && session.entry().is_none());
        assert!(session.knows(Some(&cookie)) && !session.knows(None) && !session.knows(Some(&token)));
        assert!(session.is_own(session.form()) && !session.is_own(&cookie));
    }
}
