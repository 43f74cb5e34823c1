//! Long work, watched and cancelled from outside.
//!
//! A [`Watch`] is handed in where the work begins. The work reports [`Step`]s to it, and asks it between two parts whether to go on; work
//! that is cancelled ends with [`TableError::Cancelled`] and leaves nothing behind.
//!
//! ```
//! use table::watch::{Step, Watch};
//!
//! let watch = Watch::new(|step| if let Step::Fitting { variable, .. } = step { eprintln!("{variable}") });
//! assert!(watch.check().is_ok());
//! watch.cancel().now();
//! assert!(watch.check().is_err());
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::TableError;

/// What long work has come to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step<'a> {
    /// This many more bytes of a file were read.
    Reading {
        /// Bytes since the last step.
        bytes: u64,
        /// Bytes of the whole file, where they are known.
        of: Option<u64>,
    },
    /// A fit is about to begin, and will take about this much.
    Estimated {
        /// CPU seconds.
        seconds: f64,
        /// Bytes at the peak, the data included.
        bytes: u64,
    },
    /// A part of a model was fitted.
    Fitting {
        /// The variable that it is of.
        variable: &'a str,
        /// Parts fitted by now.
        done: usize,
        /// Parts in all.
        of: usize,
    },
    /// A data set was drawn and written.
    Drawing {
        /// Data sets by now.
        done: usize,
        /// Data sets in all.
        of: usize,
    },
    /// A family of measures was computed.
    Measuring {
        /// Its name.
        family: &'a str,
        /// Families by now.
        done: usize,
        /// Families in all.
        of: usize,
    },
    /// A question was answered from synthetic files.
    Answering {
        /// Questions by now.
        done: usize,
        /// Questions in all.
        of: usize,
    },
    /// One of many runs ended, as in a frontier or an audit.
    Running {
        /// Runs by now, those that were kept included.
        done: usize,
        /// Runs in all.
        of: usize,
        /// Runs that an interrupted computation had left.
        kept: usize,
    },
}

/// Called with every step.
type Progress = dyn Fn(Step<'_>) + Send + Sync;

/// Who watches, and whether the work is still wanted. The default watches nothing and never cancels.
#[derive(Clone, Default)]
pub struct Watch {
    progress: Option<Arc<Progress>>,
    cancel: Cancel,
}

/// Cancels work from another thread; clones cancel the same work.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Cancels the work, which ends before its next part.
    pub fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Watch {
    /// A watch that receives every step, on whichever thread it is made.
    pub fn new(progress: impl Fn(Step<'_>) + Send + Sync + 'static) -> Self {
        Self { progress: Some(Arc::new(progress)), cancel: Cancel::default() }
    }

    /// The same watch, cancelled by this handle.
    pub fn cancelled_by(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
    }

    /// A handle that cancels what is watched here.
    pub fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Reports a step.
    pub fn report(&self, step: Step<'_>) {
        if let Some(progress) = &self.progress {
            progress(step);
        }
    }

    /// Whether to go on: an error once the work is cancelled.
    pub fn check(&self) -> Result<(), TableError> {
        if self.cancel.is_cancelled() { Err(TableError::Cancelled) } else { Ok(()) }
    }

    /// The same for work behind `std::io`; [`TableError::io`] makes the error one of cancelled work again.
    pub(crate) fn check_io(&self) -> std::io::Result<()> {
        if self.cancel.is_cancelled() { Err(std::io::Error::other(Cancelled)) } else { Ok(()) }
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("cancelled", &self.cancel.is_cancelled()).finish_non_exhaustive()
    }
}

/// The mark that a read ended because the work was cancelled.
#[derive(Debug, thiserror::Error)]
#[error("cancelled")]
struct Cancelled;

/// Whether an error of `std::io` says that the work was cancelled.
pub(crate) fn is_cancelled(error: &std::io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Cancelled>())
}
