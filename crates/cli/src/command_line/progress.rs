//! Progress on standard error, for work that takes longer than a second.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use table::watch::{Step, Watch};

use super::Everywhere;
use super::output::harmless;

/// Work shorter than this shows no progress.
const QUIET_SECONDS: f32 = 1.0;

/// Work that is thought to take longer than this is announced.
const LONG_SECONDS: f64 = 10.0;

impl Everywhere {
    /// Progress with an estimate of the time left; nothing when quiet, nor where standard error is no terminal.
    pub(super) fn watch(&self) -> Watch {
        if self.quiet {
            return Watch::default();
        }
        if self.progress == Form::Json {
            let start = Instant::now();
            return Watch::new(move |step| tell(step, start));
        }
        let shown: Mutex<Option<Shown>> = Mutex::new(None);
        Watch::new(move |step| show(&mut shown.lock().unwrap_or_else(PoisonError::into_inner), step))
    }
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Form {
    /// A bar, on a terminal.
    Bar,
    /// One line of JSON a step.
    Json,
}

/// One step as a line: what is done, how much of how much, and about how many seconds are left.
fn tell(step: Step<'_>, start: Instant) {
    let (part, done, of) = match step {
        Step::Reading { bytes, of: Some(of) } => ("reading", bytes, of),
        Step::Fitting { done, of, .. } => ("fitting", done as u64, of as u64),
        Step::Drawing { done, of } => ("drawing", done as u64, of as u64),
        Step::Measuring { done, of, .. } => ("measuring", done as u64, of as u64),
        Step::Answering { done, of } => ("answering", done as u64, of as u64),
        Step::Running { done, of, .. } => ("running", done as u64, of as u64),
        _ => return,
    };
    // What was read before is not counted: only a part of the file has been read, block by block.
    let left = (part == "running" && done > 0)
        .then(|| start.elapsed().as_secs_f64() / done as f64 * of.saturating_sub(done) as f64);
    let line = serde_json::json!({ "part": part, "done": done, "of": of, "eta_s": left.map(f64::round) });
    eprintln!("{line}");
}

/// The bar of what is being done now.
struct Shown {
    template: &'static str,
    bar: ProgressBar,
    start: Instant,
}

fn show(shown: &mut Option<Shown>, step: Step<'_>) {
    const READING: &str = "reading {bar:30} {bytes} of {total_bytes}, {eta} left";
    const FITTING: &str = "fitting {bar:30} {pos} of {len}: {msg}, {eta} left";
    const DRAWING: &str = "drawing {bar:30} {pos} of {len} data sets, {eta} left";
    const MEASURING: &str = "measuring {bar:30} {pos} of {len}: {msg}, {eta} left";
    const ANSWERING: &str = "answering {bar:30} {pos} of {len} questions, {eta} left";
    const RUNNING: &str = "running {bar:30} {pos} of {len} runs, {eta} left";
    match step {
        Step::Reading { bytes, of: Some(of) } => advance(shown, READING, (None, bytes, of), ""),
        Step::Estimated { seconds, bytes } if seconds > LONG_SECONDS => {
            let gib = bytes as f64 / f64::from(1 << 30);
            eprintln!("this will take about {seconds:.0} s of CPU time and {gib:.1} GiB of memory");
        }
        Step::Fitting { variable, done, of } => {
            advance(shown, FITTING, (Some(done as u64), 0, of as u64), variable)
        }
        Step::Drawing { done, of } => advance(shown, DRAWING, (Some(done as u64), 0, of as u64), ""),
        Step::Measuring { family, done, of } => {
            advance(shown, MEASURING, (Some(done as u64), 0, of as u64), family)
        }
        Step::Answering { done, of } => advance(shown, ANSWERING, (Some(done as u64), 0, of as u64), ""),
        Step::Running { done, of, kept } => {
            if done == kept && kept > 0 {
                eprintln!("{kept} of {of} runs are there already");
            }
            advance(shown, RUNNING, (Some(done as u64), 0, of as u64), "");
            // What was kept says nothing about the time of what is left.
            if let Some(shown) = shown.as_ref().filter(|_| done == kept) {
                shown.bar.reset_eta();
            }
        }
        _ => {}
    }
}

/// Moves the bar of this kind of work to a position, or by so much; a bar of other work gives way.
fn advance(
    shown: &mut Option<Shown>,
    template: &'static str,
    (position, by, of): (Option<u64>, u64, u64),
    message: &str,
) {
    if shown.as_ref().is_none_or(|shown| shown.template != template) {
        if let Some(other) = shown {
            other.bar.finish_and_clear();
        }
        let bar = ProgressBar::with_draw_target(Some(of), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        *shown = Some(Shown { template, bar, start: Instant::now() });
    }
    let Some(Shown { bar, start, .. }) = shown else { return };
    if bar.is_hidden() && start.elapsed().as_secs_f32() > QUIET_SECONDS {
        bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
    }
    bar.set_length(of);
    bar.set_message(harmless(message).into_owned());
    bar.set_position(position.unwrap_or(bar.position() + by).min(of));
    if bar.position() >= of {
        bar.finish_and_clear();
        *shown = None;
    }
}
