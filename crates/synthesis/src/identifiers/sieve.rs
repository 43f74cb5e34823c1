//! Which values are taken: a bit for each of sixteen times as many places as there are values (Bloom 1970, with one hash).
//!
//! A value that is taken always falls through; one that is not does so with probability 1/16 at most, and is then simply not used. So a model
//! file that holds a sieve holds no identifier.

use serde::{Deserialize, Serialize};

/// A set of texts that never says of one of them that it is free.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sieve {
    /// Hexadecimal digits, four places each; empty where nothing is taken.
    places: String,
}

const PLACES_A_VALUE: usize = 16;

impl Sieve {
    /// The sieve through which these texts fall.
    pub(super) fn of(texts: &[String]) -> Self {
        if texts.is_empty() {
            return Self::default();
        }
        let digits = (texts.len() * PLACES_A_VALUE).next_power_of_two() / 4;
        let mut taken = vec![0_u8; digits];
        for text in texts {
            let place = hash(text) as usize % (4 * digits);
            taken[place / 4] |= 1 << (place % 4);
        }
        let digit = |four: u8| char::from_digit(u32::from(four), 16).unwrap_or('f');
        Self { places: taken.into_iter().map(digit).collect() }
    }

    /// Whether a text is surely not one of them.
    pub(super) fn is_free(&self, text: &str) -> bool {
        if self.places.is_empty() {
            return true;
        }
        let place = hash(text) as usize % (4 * self.places.len());
        let digit = char::from(self.places.as_bytes()[place / 4]).to_digit(16).unwrap_or(0);
        digit >> (place % 4) & 1 == 0
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
