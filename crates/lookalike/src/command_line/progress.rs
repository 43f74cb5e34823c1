//! Progress on standard error, for work that takes longer than a second.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use table::read::Progress;

use super::Everywhere;

/// Work shorter than this shows no progress.
const QUIET_SECONDS: f32 = 1.0;

impl Everywhere {
    /// A progress of reading `path`, with an estimate of the time left; nothing when quiet or not on a terminal.
    pub(super) fn reading(&self, path: &Path) -> Option<Progress> {
        let length = std::fs::metadata(path).ok()?.len();
        if self.quiet {
            return None;
        }
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
        let style =
            ProgressStyle::with_template("reading {bar:30} {bytes} of {total_bytes}, {eta} left").ok()?;
        bar.set_style(style);
        let (start, done) = (Instant::now(), AtomicU64::new(0));
        Some(Progress(Arc::new(move |bytes| {
            let position = done.fetch_add(bytes, Ordering::Relaxed) + bytes;
            if bar.is_hidden() && start.elapsed().as_secs_f32() > QUIET_SECONDS {
                bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
            }
            bar.set_position(position.min(length));
            if position >= length {
                bar.finish_and_clear();
            }
        })))
    }
}
