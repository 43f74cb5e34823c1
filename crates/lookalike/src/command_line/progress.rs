//! Progress on standard error, for work that takes longer than a second.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use synthesis::Run;
use synthesis::on_records::{Estimate, FitProgress, Foretold, Part};
use table::read::Progress;

use super::Everywhere;

/// Work shorter than this shows no progress.
const QUIET_SECONDS: f32 = 1.0;

/// Work that is thought to take longer than this is announced.
const LONG_SECONDS: f64 = 10.0;

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

    /// Tells on standard error what is being done; nothing when quiet.
    pub(super) fn doing(&self, what: &str) {
        if !self.quiet {
            eprintln!("{what}");
        }
    }

    /// A run that tells what it will take, if that is long, and which variables have been fitted; nothing when quiet.
    pub(super) fn fitting(&self) -> Run {
        if self.quiet {
            return Run::default();
        }
        let foretold = Foretold(Arc::new(|estimate: Estimate| {
            if estimate.seconds > LONG_SECONDS {
                let gib = estimate.bytes as f64 / f64::from(1 << 30);
                eprintln!(
                    "this will take about {:.0} s of CPU time and {gib:.1} GiB of memory",
                    estimate.seconds
                );
            }
        }));
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("fitting {bar:30} {pos} of {len}: {msg}, {eta} left")
        {
            bar.set_style(style);
        }
        let start = Instant::now();
        let progress = FitProgress(Arc::new(move |part: Part<'_>| {
            bar.set_length(part.of as u64);
            if bar.is_hidden() && start.elapsed().as_secs_f32() > QUIET_SECONDS {
                bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
            }
            bar.set_message(part.variable.to_owned());
            bar.set_position(part.done as u64);
            if part.done == part.of {
                bar.finish_and_clear();
            }
        }));
        Run { foretold: Some(foretold), progress: Some(progress), ..Run::default() }
    }
}
