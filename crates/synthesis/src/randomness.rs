//! One seed, one output, whatever the number of threads: work is cut into fixed blocks, and each has its own stream.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

/// Random numbers of one block of work.
pub type Rng = ChaCha12Rng;

/// Records drawn from one stream.
pub const BLOCK: usize = 1 << 14;

/// Records of a large data set that are drawn at a time where a model draws them together: a data set of more is put together from such ones, so that
/// its memory does not grow with the number of records.
pub const CHUNK: usize = 16 * BLOCK;

/// What all randomness of a run comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The seed that a user's number stands for.
    pub fn new(number: u64) -> Self {
        Self::draw(&mut ChaCha12Rng::seed_from_u64(number))
    }

    /// The seed of one part of the work, independent of every other part.
    pub fn child(self, part: u64) -> Self {
        // Streams from the top are for children, those from the bottom for blocks.
        Self::draw(&mut self.stream(u64::MAX - part))
    }

    /// The random numbers of a block.
    pub fn stream(self, block: u64) -> Rng {
        let mut rng = ChaCha12Rng::from_seed(self.0);
        rng.set_stream(block);
        rng
    }

    /// The bytes.
    pub fn bytes(self) -> [u8; 32] {
        self.0
    }

    fn draw(rng: &mut Rng) -> Self {
        Self(rng.random())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_blocks_do_not_share_numbers() {
        let seed = Seed::new(1);
        let mut seen = std::collections::HashSet::new();
        for part in 0..50 {
            assert!(seen.insert(seed.child(part).bytes()));
            assert!(seen.insert(seed.stream(part).random()));
        }
        assert_eq!(Seed::new(1), seed);
        assert_ne!(Seed::new(2), seed);
    }
}
