//! All cases, one after the other, each with its peers in the same go.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::case::THREADS;
use crate::{BenchError, CASES, Case, Measured, Places, Promise, peers};

/// Everything that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// Processors.
    pub processors: usize,
    /// What the processor calls itself.
    pub machine: String,
    /// The software.
    pub software: String,
    /// Each case.
    pub cases: Vec<Outcome>,
}

/// What became of one case.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Its name.
    pub name: &'static str,
    /// What was done to what.
    pub what: &'static str,
    /// What its size counts.
    pub of: &'static str,
    /// What we needed, at each size.
    pub ours: Vec<Measured>,
    /// Why it was not measured.
    pub because: Option<String>,
    /// The power of the size with which CPU time grows, by least squares on logarithms.
    pub exponent: Option<f64>,
    /// Those who do the same.
    pub peers: Vec<PeerOutcome>,
    /// What was promised, and whether it is kept; none where it could not be measured.
    pub promises: Vec<(String, Option<bool>)>,
}

/// What became of a peer.
#[derive(Clone, Debug, Serialize)]
pub struct PeerOutcome {
    /// Its name.
    pub name: &'static str,
    /// What it needed.
    pub measured: Option<Measured>,
    /// Whether that is a figure from an earlier measurement.
    pub is_figure: bool,
    /// Why there is nothing.
    pub because: Option<String>,
    /// How many times our CPU time it took.
    pub times_ours: Option<f64>,
    /// How many times our memory it held.
    pub times_our_memory: Option<f64>,
}

/// Measures these cases. `worker` starts a process that does one piece of work: program and leading arguments; `report` receives what
/// is at hand.
pub fn run<E>(
    names: &[String],
    places: &Places,
    worker: &(std::path::PathBuf, Vec<String>),
    mut report: impl FnMut(&Outcome) -> Result<(), E>,
) -> Result<Results, E> {
    let wanted = |case: &&Case| names.is_empty() || names.iter().any(|name| name == case.name);
    let mut cases = Vec::new();
    for case in CASES.iter().filter(wanted) {
        let outcome = outcome(case, places, worker);
        report(&outcome)?;
        cases.push(outcome);
    }
    Ok(Results {
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        machine: machine(),
        software: format!("lookalike {}", env!("CARGO_PKG_VERSION")),
        cases,
    })
}

/// Does one piece of work in this process: what a worker is for.
pub fn work(name: &str, size: u64, places: &Places) -> Result<Measured, BenchError> {
    let case = CASES.iter().find(|case| case.name == name);
    let case = case.ok_or_else(|| BenchError::Failed(format!("there is no case `{name}`")))?;
    Ok(Measured { size, ..(case.work)(places, size)? })
}

fn outcome(case: &Case, places: &Places, worker: &(std::path::PathBuf, Vec<String>)) -> Outcome {
    let mut found = Outcome {
        name: case.name,
        what: case.what,
        of: case.of,
        ours: Vec::new(),
        because: None,
        exponent: None,
        peers: Vec::new(),
        promises: Vec::new(),
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let is_affordable = |size: &&u64| case.of != THREADS || **size <= processors;
    for size in case.sizes.iter().filter(is_affordable) {
        match in_worker(&worker.0, &worker.1, case.name, *size) {
            Ok(measured) => found.ours.push(measured),
            Err(because) => {
                found.because = Some(because.to_string());
                break;
            }
        }
    }
    found.exponent = exponent(&found.ours).filter(|_| case.of != THREADS);
    if let (None, Some(ours)) = (&found.because, found.ours.last().copied()) {
        found.peers = case.peers.iter().map(|peer| peer_outcome(peer, places, ours)).collect();
    }
    found.promises = case.promises.iter().map(|promise| judged(*promise, &found)).collect();
    found
}

fn peer_outcome(peer: &crate::Peer, places: &Places, ours: Measured) -> PeerOutcome {
    let measured = peers::measure(peer, places).and_then(|measured| match (measured.check, ours.check) {
        (Some(theirs), Some(own)) if (theirs - own).abs() > 1e-9 * own.abs() => {
            Err(BenchError::Failed(format!("{} found another result than we", peer.name())))
        }
        _ => Ok(measured),
    });
    let ratio = |theirs: f64, own: f64| (own > 0.0 && theirs > 0.0).then(|| theirs / own);
    PeerOutcome {
        name: peer.name(),
        is_figure: matches!(peer, crate::Peer::Figure { .. }),
        times_ours: measured.as_ref().ok().and_then(|theirs| ratio(theirs.cpu_s, ours.cpu_s)),
        times_our_memory: measured.as_ref().ok().and_then(|theirs| ratio(theirs.peak_mb, ours.peak_mb)),
        because: measured.as_ref().err().map(ToString::to_string),
        measured: measured.ok(),
    }
}

fn in_worker(program: &Path, leading: &[String], name: &str, size: u64) -> Result<Measured, BenchError> {
    let output = Command::new(program)
        .args(leading)
        .args(["--worker", name, "--size", &size.to_string()])
        .stderr(Stdio::piped())
        .output()
        .map_err(BenchError::failed)?;
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap_or_default()).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        BenchError::Failed(
            said.lines().last().unwrap_or("it said nothing").trim_start_matches("error: ").to_owned(),
        )
    })
}

/// The slope of log CPU time on log size, by least squares; needs three sizes.
fn exponent(ours: &[Measured]) -> Option<f64> {
    if ours.len() < 3 {
        return None;
    }
    let points: Vec<(f64, f64)> =
        ours.iter().map(|measured| ((measured.size as f64).ln(), measured.cpu_s.max(1e-6).ln())).collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
    let (x, y) = (x / count, y / count);
    let covariance: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let variance: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    (variance > 0.0).then(|| covariance / variance)
}

fn judged(promise: Promise, found: &Outcome) -> (String, Option<bool>) {
    let ours = found.because.is_none().then(|| found.ours.last().copied()).flatten();
    match promise {
        Promise::TimesLess(place, times) => {
            let peer = found.peers.get(place);
            let name = peer.map_or("the peer", |peer| peer.name);
            let kept = peer.and_then(|peer| peer.times_ours).map(|ratio| ratio >= times);
            (format!("{name} takes at least {times} times our CPU time"), kept)
        }
        Promise::TimesLessOrFigure(peer, figure, times) => {
            let is_measured = found.peers.get(peer).is_some_and(|peer| peer.times_ours.is_some());
            judged(Promise::TimesLess(if is_measured { peer } else { figure }, times), found)
        }
        Promise::CpuSeconds(most) => (format!("at most {most} CPU s"), ours.map(|ours| ours.cpu_s <= most)),
        Promise::Megabytes(most) => (format!("at most {most} MB"), ours.map(|ours| ours.peak_mb <= most)),
        Promise::TimesResult(times) => {
            let kept = ours.and_then(|ours| ours.result_mb.map(|mb| ours.peak_mb <= times * mb));
            (format!("at most {times} times the memory of the result"), kept)
        }
        Promise::AtFirst(seconds, megabytes) => {
            let first = found.ours.first();
            let kept = first.map(|first| first.cpu_s <= seconds && first.peak_mb <= megabytes);
            let size = first.map_or(0, |first| first.size);
            (format!("at most {seconds} CPU s and {megabytes} MB at {} = {size}", found.of), kept)
        }
        Promise::Exponent(most) => {
            let what = format!("CPU time grows at most as {}^{most}", found.of);
            (what, found.exponent.map(|exponent| exponent <= most))
        }
        Promise::Speedup(threads, times) => {
            let wall = |size: u64| found.ours.iter().find(|ours| ours.size == size).map(|ours| ours.wall_s);
            let kept = wall(1).zip(wall(threads)).map(|(one, many)| one >= times * many);
            (format!("by the clock at least {times} times as fast on {threads} threads as on one"), kept)
        }
    }
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split_once(':')).map_or("unknown", |(_, name)| name.trim()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(size: u64, cpu_s: f64) -> Measured {
        Measured { cpu_s, wall_s: cpu_s, peak_mb: 100.0, check: None, result_mb: Some(80.0), size }
    }

    #[test]
    fn the_exponent_is_the_power_of_the_size() {
        let quadratic: Vec<Measured> =
            [10, 100, 1000].map(|size| measured(size, 1e-3 * (size * size) as f64)).to_vec();
        assert!((exponent(&quadratic).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(exponent(&quadratic[..2]), None);
    }

    #[test]
    fn promises_are_judged_by_what_was_measured() {
        let peer = |times_ours| PeerOutcome {
            name: "R",
            measured: None,
            is_figure: false,
            because: None,
            times_ours,
            times_our_memory: None,
        };
        let mut found = Outcome {
            name: "x",
            what: "x",
            of: "N",
            ours: vec![measured(1, 2.0)],
            because: None,
            exponent: Some(1.2),
            peers: vec![peer(Some(6.0)), peer(None)],
            promises: vec![],
        };
        let verdict = |promise, found: &Outcome| judged(promise, found).1;
        for (promise, kept) in [
            (Promise::TimesLess(0, 5.0), Some(true)),
            (Promise::TimesLess(0, 7.0), Some(false)),
            (Promise::TimesLess(1, 1.0), None),
            (Promise::TimesLessOrFigure(1, 0, 5.0), Some(true)),
            (Promise::TimesLessOrFigure(0, 1, 7.0), Some(false)),
            (Promise::TimesLess(2, 1.0), None),
            (Promise::CpuSeconds(2.0), Some(true)),
            (Promise::Megabytes(99.0), Some(false)),
            (Promise::TimesResult(1.3), Some(true)),
            (Promise::TimesResult(1.2), Some(false)),
            (Promise::AtFirst(2.0, 100.0), Some(true)),
            (Promise::AtFirst(2.0, 99.0), Some(false)),
            (Promise::Exponent(1.1), Some(false)),
        ] {
            assert_eq!(verdict(promise, &found), kept, "{promise:?}");
        }
        assert_eq!(verdict(Promise::Speedup(16, 2.0), &found), None, "not on so many threads");
        found.ours.push(measured(16, 0.9));
        assert_eq!(verdict(Promise::Speedup(16, 2.0), &found), Some(true));
        assert_eq!(verdict(Promise::Speedup(16, 2.5), &found), Some(false));
        found.because = Some("no data".into());
        assert_eq!(verdict(Promise::CpuSeconds(2.0), &found), None, "what was not measured keeps nothing");
    }

    #[test]
    fn cases_have_names_of_their_own_and_promises_that_name_their_peers() {
        let mut names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CASES.len());
        for case in CASES {
            assert!(!case.sizes.is_empty(), "{}", case.name);
            for promise in case.promises {
                match promise {
                    Promise::TimesLess(place, _) => assert!(*place < case.peers.len(), "{}", case.name),
                    Promise::TimesLessOrFigure(peer, figure, _) => {
                        assert!((*peer).max(*figure) < case.peers.len(), "{}", case.name);
                    }
                    Promise::Speedup(threads, _) => {
                        assert!(
                            case.of == THREADS && case.sizes.contains(&1) && case.sizes.contains(threads)
                        );
                    }
                    Promise::Exponent(_) => assert!(case.sizes.len() > 2, "{}", case.name),
                    _ => {}
                }
            }
        }
    }
}
