//! Which values are taken: a bit for each of sixteen times as many places as there are values (Bloom 1970, with one hash).
//!
//! A value that is taken always falls through; one that is not does so with probability 1/16 at most, and is then simply not used. So a model
//! file that holds a sieve holds no identifier.

use serde::{Deserialize, Serialize};

use crate::SynthesisError;
use crate::stored::{StateReader, StateWriter, ensure};

/// A set of texts that never says of one of them that it is free.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sieve {
    /// How many places there are; none where nothing is taken.
    places: usize,
    /// A bit for each; a model file holds them apart.
    #[serde(skip)]
    taken: Vec<u64>,
}

const PLACES_A_VALUE: usize = 16;

/// The name under which a model file holds the places.
const TAKEN: &str = "taken identifiers";

impl Sieve {
    /// The sieve through which these texts fall.
    pub(super) fn of(texts: &[String]) -> Self {
        if texts.is_empty() {
            return Self::default();
        }
        let places = (texts.len() * PLACES_A_VALUE).next_power_of_two();
        let mut taken = vec![0; places.div_ceil(64)];
        for text in texts {
            let place = hash(text) as usize % places;
            taken[place / 64] |= 1 << (place % 64);
        }
        Self { places, taken }
    }

    /// Whether a text is surely not one of them.
    pub(super) fn is_free(&self, text: &str) -> bool {
        if self.places == 0 {
            return true;
        }
        let place = hash(text) as usize % self.places;
        self.taken[place / 64] >> (place % 64) & 1 == 0
    }

    /// Writes which places are taken.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.array(TAKEN, &self.taken)
    }

    /// The same sieve with the places that were stored; enough must be free for new texts to be found.
    pub(super) fn load(self, from: &mut StateReader<'_>) -> Result<Self, SynthesisError> {
        let taken: Vec<u64> = from.array(TAKEN)?;
        let count = taken.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let is_fine = taken.len() == self.places.div_ceil(64) && count <= self.places / PLACES_A_VALUE;
        ensure(is_fine, "the identifiers that are taken are not as many as there are")?;
        Ok(Self { taken, ..self })
    }
}

/// FNV-1a, finished by SplitMix64's mixer: the same on every machine.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_always_falls_through_and_most_else_stays() {
        let taken: Vec<String> = (0..1000).map(|number| format!("{}:{number}", number % 7)).collect();
        let sieve = Sieve::of(&taken);
        assert!(taken.iter().all(|text| !sieve.is_free(text)));
        let free = (0..10_000).filter(|number| sieve.is_free(&format!("8:{number}"))).count();
        // Expected 10,000 × (1 − 1000/16384) = 9,390 with a standard deviation of 24.
        assert!((9200..9600).contains(&free), "{free}");
        assert!(Sieve::default().is_free("anything"));
    }
}
