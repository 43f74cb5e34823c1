//! Who sealed a release: Ed25519 signatures in the format of minisign, so that `minisign -V` and every tool that reads its format can check them.
//!
//! What is signed is `manifest.json`, which has the hash of every public file. A signature says that the holder of a key sealed these bytes; whose key it
//! is, the recipient knows from elsewhere, never from the release itself.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use minisign::{KeyPair, PublicKey, PublicKeyBox, SecretKeyBox, SignatureBox};
use table::{TableError, atomic_file, output_file};

/// What a signature file is called: that of `manifest.json` is `manifest.json.minisig`.
pub const SIGNATURE_EXTENSION: &str = "minisig";

/// Why something could not be signed, or a key not be used.
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] TableError),
    /// A file that holds no key.
    #[error("{place} holds no {what} key of minisign; `lookalike key new NAME` makes a pair")]
    NoKey {
        /// The file, or the text.
        place: String,
        /// Secret or public.
        what: &'static str,
    },
    /// A key under a password.
    #[error(
        "{place} is protected by a password, and none, or another one, was given; put it into a file and name that with the option `key-password`"
    )]
    Password {
        /// The file.
        place: String,
    },
    /// Nothing could be signed.
    #[error("nothing was signed: {0}")]
    Sign(String),
}

/// A secret key that signs releases.
pub struct Signer {
    secret: minisign::SecretKey,
    public: PublicKey,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Signer").field("key", &key_id(&self.public)).finish_non_exhaustive()
    }
}

impl Signer {
    /// The key of this file, opened with the password where it has one.
    pub fn read(path: &Path, password: Option<&str>) -> Result<Self, SignatureError> {
        let text = std::fs::read_to_string(path).map_err(|source| TableError::io(path, source))?;
        let place = path.display().to_string();
        let as_box = || SecretKeyBox::from_string(&text);
        let no_key = |place: String| SignatureError::NoKey { place, what: "secret" };
        let secret = match password {
            None => as_box().and_then(SecretKeyBox::into_unencrypted_secret_key),
            Some(password) => as_box()
                .and_then(|key| key.into_secret_key(Some(password.to_owned())))
                .or_else(|_| as_box().and_then(SecretKeyBox::into_unencrypted_secret_key)),
        };
        let secret = secret.map_err(|_| {
            // What has the length of a key and is none of ours is under a password.
            let second = text.lines().nth(1).unwrap_or_default().trim();
            if second.len() == ENCODED_SECRET {
                SignatureError::Password { place: place.clone() }
            } else {
                no_key(place.clone())
            }
        })?;
        let public = PublicKey::from_secret_key(&secret).map_err(|_| no_key(place))?;
        Ok(Self { secret, public })
    }

    /// Sixteen hexadecimal digits by which the key is known.
    pub fn key_id(&self) -> String {
        key_id(&self.public)
    }

    /// The signature of a file with these bytes, as the text of its `.minisig`.
    pub fn sign(&self, name: &str, bytes: &[u8]) -> Result<String, SignatureError> {
        let comment = format!("timestamp:{}\tfile:{name}\thashed", crate::now());
        let untrusted = format!("signature by lookalike, key {}", self.key_id());
        minisign::sign(Some(&self.public), &self.secret, Cursor::new(bytes), Some(&comment), Some(&untrusted))
            .map(|signature| signature.into_string())
            .map_err(|error| SignatureError::Sign(error.to_string()))
    }

    /// Writes the signature of a file beside it.
    pub fn sign_file(&self, path: &Path) -> Result<PathBuf, SignatureError> {
        let bytes = std::fs::read(path).map_err(|source| TableError::io(path, source))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let signature = signature_path(path);
        atomic_file::write(&signature, self.sign(&name, &bytes)?.as_bytes())?;
        Ok(signature)
    }
}

/// Characters of a secret key in a file.
const ENCODED_SECRET: usize = 212;

/// A public key that the recipient trusts.
#[derive(Clone, Debug)]
pub struct TrustedKey(PublicKey);

impl TrustedKey {
    /// The key of this file, or written as it is: the line that begins with `RW`.
    pub fn read(file_or_key: &str) -> Result<Self, SignatureError> {
        if let Ok(key) = PublicKey::from_base64(file_or_key.trim()) {
            return Ok(Self(key));
        }
        let path = Path::new(file_or_key);
        let text = std::fs::read_to_string(path).map_err(|source| TableError::io(path, source))?;
        PublicKeyBox::from_string(&text)
            .and_then(PublicKeyBox::into_public_key)
            .or_else(|_| PublicKey::from_base64(text.trim()))
            .map(Self)
            .map_err(|_| SignatureError::NoKey { place: file_or_key.to_owned(), what: "public" })
    }

    /// Sixteen hexadecimal digits by which the key is known.
    pub fn key_id(&self) -> String {
        key_id(&self.0)
    }

    /// Whether this is the key's signature of these bytes; what is wrong if it is not.
    pub fn check(&self, signature: &str, bytes: &[u8]) -> Result<(), String> {
        let signature =
            SignatureBox::from_string(signature).map_err(|_| "it is no signature of minisign".to_owned())?;
        if signature.keynum() != self.0.keynum() {
            return Err(format!("it is by another key, {}", id(signature.keynum())));
        }
        minisign::verify(&self.0, &signature, Cursor::new(bytes), true, false, false)
            .map_err(|_| "it is not the signature of these bytes by that key".to_owned())
    }

    /// Whether a file has this key's signature beside it; what is wrong if it does not.
    pub fn check_file(&self, path: &Path) -> Result<(), String> {
        let beside = signature_path(path);
        let signature =
            std::fs::read_to_string(&beside).map_err(|error| format!("{}: {error}", beside.display()))?;
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        self.check(&signature, &bytes)
    }
}

/// Whose signature this claims to be: the key's sixteen digits, which anyone can write.
pub fn claimed_key(signature: &str) -> Option<String> {
    SignatureBox::from_string(signature).ok().map(|signature| id(signature.keynum()))
}

/// Where the signature of a file lies.
pub fn signature_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(SIGNATURE_EXTENSION);
    PathBuf::from(name)
}

/// A new pair of keys that was written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct NewKey {
    /// The file of the secret key, for its owner alone.
    pub secret: PathBuf,
    /// The file of the public key.
    pub public: PathBuf,
    /// The public key as one line.
    pub public_key: String,
    /// Its sixteen digits.
    pub key_id: String,
    /// Whether the secret key is under a password.
    pub has_password: bool,
}

/// Makes a pair of keys: the secret one in `NAME.key`, readable by its owner alone, the public one in `NAME.pub`.
pub fn new_key(name: &Path, password: Option<&str>, replace: bool) -> Result<NewKey, SignatureError> {
    let with = |extension: &str| {
        let mut path = name.as_os_str().to_owned();
        path.push(extension);
        PathBuf::from(path)
    };
    let (secret, public) = (with(".key"), with(".pub"));
    for path in [&secret, &public] {
        output_file::check("NAME", path, &[], replace)?;
    }
    let failed = |error: minisign::PError| SignatureError::Sign(error.to_string());
    let pair = match password {
        None => KeyPair::generate_unencrypted_keypair(),
        Some(password) => KeyPair::generate_encrypted_keypair(Some(password.to_owned())),
    }
    .map_err(failed)?;
    let comment = format!("lookalike secret key {}", key_id(&pair.pk));
    let secret_text = pair.sk.to_box(Some(&comment)).map_err(failed)?.into_string();
    let public_text = pair.pk.to_box().map_err(failed)?.into_string();
    output_file::write_private(&secret, secret_text.as_bytes(), replace)?;
    atomic_file::write(&public, public_text.as_bytes())?;
    Ok(NewKey {
        secret,
        public,
        public_key: pair.pk.to_base64(),
        key_id: key_id(&pair.pk),
        has_password: password.is_some(),
    })
}

fn key_id(key: &PublicKey) -> String {
    id(key.keynum())
}

/// A key number as minisign writes it: little-endian, as sixteen digits.
fn id(number: &[u8]) -> String {
    number.iter().rev().map(|byte| format!("{byte:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_of_one_key_and_of_these_bytes() {
        let folder = tempfile::tempdir().unwrap();
        for password in [None, Some("correct horse")] {
            let pair = new_key(&folder.path().join(password.unwrap_or("plain")), password, false).unwrap();
            let other =
                new_key(&folder.path().join(format!("other-{}", password.is_some())), None, false).unwrap();
            assert_eq!(pair.has_password, password.is_some());
            let signer = Signer::read(&pair.secret, password).unwrap();
            let signature = signer.sign("manifest.json", b"some bytes").unwrap();
            for place in [pair.public.display().to_string(), pair.public_key.clone()] {
                let key = TrustedKey::read(&place).unwrap();
                assert_eq!((key.key_id(), signer.key_id()), (pair.key_id.clone(), pair.key_id.clone()));
                assert_eq!(key.check(&signature, b"some bytes"), Ok(()));
                assert!(key.check(&signature, b"some bytez").unwrap_err().contains("these bytes"));
                // The trusted comment is under the signature too.
                assert!(
                    key.check(&signature.replace("file:manifest", "file:manifesto"), b"some bytes").is_err()
                );
            }
            let stranger = TrustedKey::read(&other.public_key).unwrap();
            assert!(stranger.check(&signature, b"some bytes").unwrap_err().contains(&pair.key_id));
            assert_eq!(claimed_key(&signature), Some(pair.key_id));
            assert!(stranger.check("nonsense", b"").unwrap_err().contains("no signature"));
        }
    }

    #[test]
    fn keys_are_refused_by_what_is_wrong_with_them() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("board");
        let pair = new_key(&name, Some("secret"), false).unwrap();
        for password in [None, Some("another")] {
            let refused = Signer::read(&pair.secret, password).unwrap_err().to_string();
            assert!(refused.contains("password"), "{refused}");
        }
        assert!(Signer::read(&pair.public, None).unwrap_err().to_string().contains("no secret key"));
        assert!(
            TrustedKey::read(&pair.secret.display().to_string())
                .unwrap_err()
                .to_string()
                .contains("no public key")
        );
        assert!(new_key(&name, None, false).unwrap_err().to_string().contains("exists"));
        assert!(new_key(&name, None, true).is_ok());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&pair.secret).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
