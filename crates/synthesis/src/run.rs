//! What is around a fit: who watches it, what it may take, where its parts are kept, and where chance comes from.

use std::path::PathBuf;

use privacy::ledger::shared::Booking;
use table::watch::{Step, Watch};

use crate::SynthesisError;

/// How a fit is watched, kept and limited. What a method does not honour is refused by name.
///
/// ```
/// use synthesis::Run;
///
/// let run = Run { memory: Some(2 << 30), ..Run::default() };
/// assert!(run.insecure_test_seed.is_none());
/// ```
#[derive(Clone, Default)]
pub struct Run {
    /// Receives what the fit will take and what has been fitted, and is asked whether to go on.
    pub watch: Watch,
    /// A folder in which fitted parts are kept, and from which those of an interrupted run are taken.
    pub checkpoint: Option<PathBuf>,
    /// Refuse to begin if more bytes than this would be needed.
    pub memory: Option<u64>,
    /// Draw everything that chance decides, the noise of a private run included, from this number: for tests, and to measure what a method
    /// would do. **It voids every guarantee**, and the ledger says so. Without it noise comes from the operating system. In a run that is not private
    /// it takes the place of the recipe's seed.
    pub insecure_test_seed: Option<u64>,
    /// A file in which a private run says what it is about to spend before its first look. Whoever asked for it removes it when the ledger itself is written; if it is
    /// still there, the run did not end, and what it names must be taken for spent.
    pub begun: Option<PathBuf>,
    /// The ledger over all runs on the data, from which a private run takes its whole budget before its first look.
    pub booking: Option<Booking>,
}

impl Run {
    /// A run that can be repeated, noise included.
    pub fn replayed(insecure_test_seed: u64) -> Self {
        Self { insecure_test_seed: Some(insecure_test_seed), ..Self::default() }
    }

    /// Refuses what stands in the way of a fit that takes this much, and reports it.
    pub(crate) fn begin(&self, estimate: Estimate) -> Result<(), SynthesisError> {
        self.check_room(estimate.bytes)?;
        self.watch.report(Step::Estimated { seconds: estimate.seconds, bytes: estimate.bytes });
        Ok(())
    }

    /// Refuses work that would take about this many bytes: more than the run may, or more than the machine has.
    pub(crate) fn check_room(&self, bytes: u64) -> Result<(), SynthesisError> {
        if let Some(limit) = self.memory.filter(|limit| bytes > *limit) {
            let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
            return Err(SynthesisError::option(
                "memory",
                format!(
                    "about {:.2} GiB would be needed and {:.2} GiB are allowed; allow more, fit to a sample with --fit-rows, name fewer predictors, or fit in strata",
                    gib(bytes),
                    gib(limit)
                ),
            ));
        }
        Ok(table::memory::require(bytes, "the fit")?)
    }

    /// Refuses a folder for fitted parts, which this run does not honour.
    pub(crate) fn refuse_checkpoint(&self, because: &str) -> Result<(), SynthesisError> {
        match self.checkpoint {
            Some(_) => Err(SynthesisError::option("resume", because)),
            None => Ok(()),
        }
    }
}

/// One fit to records within a run: to all of them, or to those of a stratum.
#[derive(Clone)]
pub struct Part {
    /// Receives what has been fitted, and is asked whether to go on.
    pub watch: Watch,
    /// The folder of its fitted parts.
    pub checkpoint: Option<PathBuf>,
    /// Whether the records are those of one stratum, so that what is said of all records is said elsewhere.
    pub is_stratum: bool,
}

impl Part {
    /// The fit to all records.
    pub(crate) fn whole(run: &Run) -> Self {
        Self { watch: run.watch.clone(), checkpoint: run.checkpoint.clone(), is_stratum: false }
    }

    /// The fit to the stratum of this number.
    pub(crate) fn stratum(run: &Run, number: usize) -> Self {
        let checkpoint = run.checkpoint.as_ref().map(|folder| folder.join(format!("stratum-{}", number + 1)));
        Self { watch: run.watch.clone(), checkpoint, is_stratum: true }
    }
}

/// What a fit will take, roughly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// CPU seconds.
    pub seconds: f64,
    /// Bytes at the peak, the data included.
    pub bytes: u64,
}
