//! Where the noise comes from: the operating system, or a test seed that says that it is one.

use std::fmt;

use rand::rngs::SysRng;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use sha2::{Digest, Sha256};

use crate::PrivacyError;

/// A stream of random numbers of a [`NoiseSource`].
pub type NoiseStream = ChaCha20Rng;

/// The secret source of all noise of a release: ChaCha20 under a key from the operating system.
///
/// Noise that can be replayed protects nothing, so there is no default, no copy, and no way to name a seed other than
/// [`insecure_test_seed`](Self::insecure_test_seed), which marks the source, everything forked from it, and the ledger.
///
/// ```compile_fail,E0599
/// let source = privacy::NoiseSource::default();
/// ```
/// ```compile_fail,E0599
/// # let source = privacy::NoiseSource::from_operating_system().unwrap();
/// let replay = source.clone();
/// ```
pub struct NoiseSource {
    stream: NoiseStream,
    secure: bool,
}

impl NoiseSource {
    /// A source with a fresh key from the operating system.
    pub fn from_operating_system() -> Result<Self, PrivacyError> {
        let stream = NoiseStream::try_from_rng(&mut SysRng)
            .map_err(|error| PrivacyError::OperatingSystem { error: error.to_string() })?;
        Ok(Self { stream, secure: true })
    }

    /// A source that anyone who knows the number can replay: for tests. **It voids every guarantee**, and the ledger says so.
    pub fn insecure_test_seed(seed: u64) -> Self {
        Self { stream: NoiseStream::seed_from_u64(seed), secure: false }
    }

    /// Whether the key is secret.
    pub(crate) fn is_secure(&self) -> bool {
        self.secure
    }

    /// What the ledger says about the source.
    pub fn description(&self) -> &'static str {
        if self.secure {
            "ChaCha20, keyed by the operating system"
        } else {
            "ChaCha20, keyed by an insecure test seed"
        }
    }

    /// The main stream.
    pub fn rng(&mut self) -> &mut NoiseStream {
        &mut self.stream
    }

    /// An independent source, with a key drawn from this one.
    pub fn fork(&mut self) -> Self {
        Self { stream: NoiseStream::from_seed(self.key()), secure: self.secure }
    }

    /// Noise by index, under a fresh key: two calls never share noise, so no cell can be measured twice with the same.
    pub fn keyed(&mut self) -> KeyedNoise {
        KeyedNoise { key: self.key() }
    }

    fn key(&mut self) -> [u8; 32] {
        let mut key = [0; 32];
        self.stream.fill_bytes(&mut key);
        key
    }
}

/// A secret pseudo-random function: the noise of a cell is found again from its index, and is never stored.
///
/// The stream of an index below 2⁶⁴ is ChaCha20 under the secret key with the index as nonce; wider indices, and names, are first hashed
/// under the key (nested SHA-256, as in HMAC) into a key of their own. Streams of different indices are independent as far as anyone
/// without the key can tell. May be used on several threads at once.
pub struct KeyedNoise {
    key: [u8; 32],
}

impl KeyedNoise {
    /// The stream of an index; the same for the same index.
    pub fn at(&self, index: u128) -> NoiseStream {
        let (high, low) = ((index >> 64) as u64, index as u64);
        let mut stream = if high == 0 {
            NoiseStream::from_seed(self.key)
        } else {
            NoiseStream::from_seed(self.derived(b"high half of an index", &high.to_le_bytes()))
        };
        stream.set_stream(low);
        stream
    }

    /// The stream of a name of any length, such as the words of a wide cell key; different from that of every index.
    pub(crate) fn at_bytes(&self, name: &[u8]) -> NoiseStream {
        NoiseStream::from_seed(self.derived(b"name", name))
    }

    fn derived(&self, purpose: &[u8], message: &[u8]) -> [u8; 32] {
        let length = [purpose.len() as u8];
        let inner = Sha256::new()
            .chain_update(self.key)
            .chain_update(length)
            .chain_update(purpose)
            .chain_update(message);
        let outer = Sha256::new().chain_update(self.key).chain_update([0]).chain_update(inner.finalize());
        outer.finalize().into()
    }
}

/// Shows whether the source is secure, never its state.
impl fmt::Debug for NoiseSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("NoiseSource").field("secure", &self.secure).finish_non_exhaustive()
    }
}

/// Shows nothing of the key.
impl fmt::Debug for KeyedNoise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KeyedNoise").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::RngExt;

    use super::*;

    #[test]
    fn two_sources_of_the_operating_system_differ() {
        let [mut one, mut other] = [(); 2].map(|()| NoiseSource::from_operating_system().unwrap());
        assert!(one.is_secure() && other.is_secure());
        assert_ne!(one.rng().random::<u128>(), other.rng().random::<u128>());
    }

    #[test]
    fn a_test_seed_marks_itself_and_its_forks() {
        let mut source = NoiseSource::insecure_test_seed(1);
        assert!(!source.is_secure() && !source.fork().is_secure());
        assert!(source.description().contains("insecure"));
        assert_eq!(format!("{source:?}"), "NoiseSource { secure: false, .. }");
        assert_eq!(format!("{:?}", source.keyed()), "KeyedNoise { .. }");
    }

    #[test]
    fn streams_of_indices_names_and_forks_are_all_different() {
        let mut source = NoiseSource::insecure_test_seed(1);
        let (first, second) = (source.keyed(), source.keyed());
        let mut seen = HashSet::new();
        for index in [0, 1, u128::from(u64::MAX), 1 << 64, (1 << 64) + 1, 2 << 64, u128::MAX] {
            assert!(seen.insert(first.at(index).random::<u128>()));
            assert!(seen.insert(second.at(index).random::<u128>()));
            assert!(seen.insert(first.at_bytes(&index.to_le_bytes()).random()));
            assert_eq!(first.at(index).random::<u128>(), first.at(index).random());
        }
        assert!(seen.insert(first.at_bytes(b"").random()));
        for _ in 0..10 {
            assert!(seen.insert(source.fork().rng().random()));
            assert!(seen.insert(source.rng().random()));
        }
    }
}
