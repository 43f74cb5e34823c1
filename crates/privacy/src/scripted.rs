//! A generator that says what a test wants to hear.

use std::convert::Infallible;

use rand::{TryCryptoRng, TryRng};

/// The given words in turn.
pub(crate) struct Scripted(std::vec::IntoIter<u64>);

impl Scripted {
    pub fn new(words: impl IntoIterator<Item = u64>) -> Self {
        Self(words.into_iter().collect::<Vec<_>>().into_iter())
    }
}

impl TryRng for Scripted {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|word| word as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next().expect("the script is long enough"))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.try_next_u64()?.to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for Scripted {}
