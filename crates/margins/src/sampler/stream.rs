//! Streams: independent random numbers for each block of work, so that threads cannot change a draw.

use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;

/// The random numbers of one block of work: the same for the same seed and number, whoever does the work.
pub(crate) fn stream(seed: [u8; 32], number: u64) -> ChaCha12Rng {
    let mut rng = ChaCha12Rng::from_seed(seed);
    rng.set_stream(number);
    rng
}
