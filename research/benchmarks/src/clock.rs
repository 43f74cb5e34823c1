//! CPU seconds and peak memory of this process.

use std::time::Instant;

use crate::{BenchError, Measured};

/// At least this many runs of a short piece of work, and this many seconds of them; peers are measured by the same rule.
pub const RUNS: u32 = 3;
/// See [`RUNS`].
pub(crate) const SECONDS: f64 = 1.0;

/// The mean of several runs. Only one result lives at a time.
pub(crate) fn repeatedly<T>(mut work: impl FnMut() -> Result<T, BenchError>) -> Result<Measured, BenchError> {
    let (start, before) = (Instant::now(), cpu_seconds()?);
    let mut runs = 0;
    while runs < RUNS || start.elapsed().as_secs_f64() < SECONDS {
        drop(std::hint::black_box(work()?));
        runs += 1;
    }
    let runs = f64::from(runs);
    measured((cpu_seconds()? - before) / runs, start.elapsed().as_secs_f64() / runs)
}

/// One run of a long piece of work.
pub fn once<T>(work: impl FnOnce() -> Result<T, BenchError>) -> Result<Measured, BenchError> {
    let (start, before) = (Instant::now(), cpu_seconds()?);
    drop(std::hint::black_box(work()?));
    measured(cpu_seconds()? - before, start.elapsed().as_secs_f64())
}

fn measured(cpu_s: f64, wall_s: f64) -> Result<Measured, BenchError> {
    Ok(Measured { cpu_s, wall_s, peak_mb: peak_mb()?, check: None, result_mb: None, size: 0 })
}

/// User and system seconds of this process so far, in hundredths as Linux counts them.
fn cpu_seconds() -> Result<f64, BenchError> {
    let stat = std::fs::read_to_string("/proc/self/stat").map_err(no_proc)?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>().map_err(BenchError::failed)? / 100.0)
}

/// The most memory that was resident at once, in millions of bytes.
fn peak_mb() -> Result<f64, BenchError> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(no_proc)?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().map_err(BenchError::failed)?;
    Ok(kib * 1024.0 / 1e6)
}

fn no_proc(error: std::io::Error) -> BenchError {
    BenchError::Skipped(format!("CPU seconds are read from /proc, which this system does not have: {error}"))
}
