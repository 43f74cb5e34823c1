//! Running those who do the same, where they are installed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{BenchError, Measured, Peer, Places};

/// What every script in R begins with: the clock, by the rule of ours.
const R_PRELUDE: &str = include_str!("../peers/prelude.R");
/// The same in Python.
const PYTHON_PRELUDE: &str = include_str!("../peers/prelude.py");

/// Measures a peer on the same data; the script gets the folder of made data and the shared folder.
pub(crate) fn measure(peer: &Peer, places: &Places) -> Result<Measured, BenchError> {
    match peer {
        Peer::Figure { cpu_s, .. } => {
            Ok(Measured { cpu_s: *cpu_s, wall_s: 0.0, peak_mb: 0.0, check: None, result_mb: None, size: 0 })
        }
        Peer::R { name, script } => {
            let mut command = Command::new("Rscript");
            command.arg("-");
            of_script(name, command, &format!("{R_PRELUDE}\n{script}"), places)
        }
        Peer::Python { name, packages, script } => {
            let python = python(places, "venv");
            let imports = format!("import {}", packages.join(", "));
            let there = Command::new(&python).args(["-c", &imports]).stderr(Stdio::null()).status();
            if !there.is_ok_and(|status| status.success()) {
                return Err(not_installed(name, &format!("pip install {}", packages.join(" "))));
            }
            let mut command = Command::new(python);
            command.arg("-").env("POLARS_MAX_THREADS", rayon::current_num_threads().to_string());
            of_script(name, command, &format!("{PYTHON_PRELUDE}\n{script}"), places)
        }
        Peer::Runner { name, data } => {
            let runner = places.shared("peers/run_peer.py")?;
            let venv = places.cache.join(name);
            if !venv.exists() {
                return Err(not_installed(name, "benches/install_peers.sh"));
            }
            let mut command = Command::new("python3");
            command.arg(runner).arg("--venv").arg(venv).arg(name);
            command.arg("--csv").arg(places.shared(data)?);
            command.arg("--out").arg(places.cache.join("peer.csv"));
            command.arg("--log").arg(places.cache.join("peer.log"));
            command.stderr(Stdio::null());
            parsed(name, command.output().map_err(BenchError::failed)?.stdout)
        }
    }
}

fn python(places: &Places, venv: &str) -> PathBuf {
    let own = places.cache.join(venv).join("bin/python");
    if own.exists() { own } else { PathBuf::from("python3") }
}

fn not_installed(name: &str, way: &str) -> BenchError {
    BenchError::Skipped(format!("{name} is not installed ({way})"))
}

/// Runs a script that is handed in by standard input and prints one line of JSON last.
fn of_script(
    name: &str,
    mut command: Command,
    script: &str,
    places: &Places,
) -> Result<Measured, BenchError> {
    command.arg(&places.cache).arg(places.shared.as_deref().unwrap_or(Path::new("")));
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(BenchError::Skipped(format!("{name} is not installed")));
        }
        other => other.map_err(BenchError::failed)?,
    };
    if let Some(mut input) = child.stdin.take() {
        input.write_all(script.as_bytes()).map_err(BenchError::failed)?;
    }
    let output = child.wait_with_output().map_err(BenchError::failed)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = said.lines().last().unwrap_or("it said nothing");
        return Err(BenchError::Failed(format!("{name}: {last}")));
    }
    parsed(name, output.stdout)
}

/// The line of JSON that a peer prints last; the runner's has other names for memory.
fn parsed(name: &str, output: Vec<u8>) -> Result<Measured, BenchError> {
    let text = String::from_utf8_lossy(&output);
    let line = text.lines().last().unwrap_or_default();
    let value: serde_json::Value = serde_json::from_str(line)
        .map_err(|_| BenchError::Failed(format!("{name}: it did not print what it measured")))?;
    let number = |key: &str| value[key].as_f64();
    let cpu_s = number("cpu_s").ok_or_else(|| {
        let error = value["error"].as_str().unwrap_or("it did not say how long it took");
        BenchError::Failed(format!("{name}: {error}"))
    })?;
    Ok(Measured {
        cpu_s,
        wall_s: number("wall_s").unwrap_or(0.0),
        peak_mb: number("peak_mb").or_else(|| number("peak_rss_mb")).unwrap_or(0.0),
        check: number("check"),
        result_mb: None,
        size: 0,
    })
}
