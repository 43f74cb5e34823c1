//! Where the noise of a private run comes from.

use synthesis::{Recipe, SynthesisError};

/// The source of noise.
///
/// ```
/// use lookalike::prelude::*;
///
/// // A test seed is for private runs alone.
/// let people = read_csv_text("sex\nF\nM\nF\n", &ReadOptions::default())?;
/// let request = SynthesiseRequest::new(Data::records("people", people), Recipe::new("catall"));
/// let request = SynthesiseRequest { noise: Noise::InsecureTestSeed(1), ..request };
/// assert_eq!(request.run(&Watch::default()).err().map(|error| error.kind()), Some(ErrorKind::Usage));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// The operating system: nobody can replay it.
    #[default]
    OperatingSystem,
    /// A seed, for tests. The guarantee is void, and everything written says so.
    InsecureTestSeed(u64),
}

impl Noise {
    /// Refuses a seed in a private run, and a test seed in one that is not.
    pub(crate) fn check(self, recipe: &Recipe) -> Result<(), SynthesisError> {
        match (recipe.privacy.is_some(), recipe.seed, self) {
            (true, Some(_), _) => Err(SynthesisError::SeedInPrivateRun),
            (false, _, Self::InsecureTestSeed(_)) => Err(SynthesisError::option(
                "insecure-test-seed",
                "the run is not private; use the option `seed`",
            )),
            _ => Ok(()),
        }
    }

    /// The test seed, if there is one.
    pub(crate) fn insecure_test_seed(self) -> Option<u64> {
        match self {
            Self::OperatingSystem => None,
            Self::InsecureTestSeed(seed) => Some(seed),
        }
    }
}
