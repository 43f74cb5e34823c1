//! Methods that need the records themselves, and what a long fit of theirs may be told.

use std::path::PathBuf;

use table::Table;
use table::watch::{Step, Watch};

use crate::randomness::Seed;
use crate::{Model, SynthesisError};

/// A method that works on records, not on counts.
pub trait OnRecords: Send + Sync {
    /// Fits the method's model to records that keep their schema.
    fn fit(&self, records: &Table, run: &Run, seed: Seed) -> Result<Box<dyn Model>, SynthesisError>;

    /// Whether fitting to these records takes chance, so that fits with different seeds are different models.
    fn fit_is_random(&self, records: &Table) -> bool;

    /// What there is to tell of a fit to all of these records, in strata or not.
    fn remarks(&self, _records: &Table) -> Vec<String> {
        Vec::new()
    }

    /// What a fit to all of these records would take. Refuses data that the method must not be fitted to.
    fn estimate(&self, records: &Table) -> Result<Estimate, SynthesisError>;
}

/// How a fit is watched, kept and limited.
#[derive(Clone, Default)]
pub struct Run {
    /// Told what the fit will take and what has been fitted, and asked whether to go on.
    pub watch: Watch,
    /// A folder in which fitted parts are kept, and from which those of an interrupted run are taken.
    pub checkpoint: Option<PathBuf>,
    /// Refuse to begin if more bytes than this would be needed.
    pub memory: Option<u64>,
    /// Whether the records are those of one stratum.
    pub of_stratum: bool,
}

impl Run {
    /// Refuses what stands in the way of a fit that takes this much, and tells of it.
    pub fn begin(&self, estimate: Estimate) -> Result<(), SynthesisError> {
        if let Some(limit) = self.memory.filter(|limit| estimate.bytes > *limit) {
            let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
            return Err(SynthesisError::option(
                "memory",
                format!(
                    "about {:.2} GiB would be needed and {:.2} GiB are allowed; allow more, name fewer predictors, or fit in strata",
                    gib(estimate.bytes),
                    gib(limit)
                ),
            ));
        }
        if !self.of_stratum {
            self.watch.report(Step::Estimated { seconds: estimate.seconds, bytes: estimate.bytes });
        }
        Ok(())
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
