//! One piece of work, those who do the same, and what was promised.

use serde::{Deserialize, Serialize};

use crate::{BenchError, Places};

/// A piece of work that is measured.
pub struct Case {
    /// Its name, for `--only`.
    pub name: &'static str,
    /// What is done to what.
    pub what: &'static str,
    /// Sizes at which it is done; several give a scaling exponent. Of one size the number may mean nothing.
    pub sizes: &'static [u64],
    /// What the size counts: `N`, `p`, `K`, [`THREADS`], or nothing.
    pub of: &'static str,
    /// Does it once, or often enough, and measures.
    pub work: fn(&Places, u64) -> Result<Measured, BenchError>,
    /// Those who do the same.
    pub peers: &'static [Peer],
    /// What was promised.
    pub promises: &'static [Promise],
}

/// What the size counts of work that is done on so many threads; more than there are processors are left out.
pub const THREADS: &str = "threads";

/// Someone who does the same.
pub enum Peer {
    /// A script in R.
    R {
        /// Its name for people.
        name: &'static str,
        /// The script; it calls `emit(cpu(function() …))`.
        script: &'static str,
    },
    /// A script in Python that imports these packages.
    Python {
        /// Its name for people.
        name: &'static str,
        /// The packages.
        packages: &'static [&'static str],
        /// The script; it calls `emit(work)`.
        script: &'static str,
    },
    /// A generator behind `../shared/peers/run_peer.py`.
    Runner {
        /// Its name there, which is also its package.
        name: &'static str,
        /// The data file, from `../shared`.
        data: &'static str,
    },
    /// One that cannot be installed here, measured earlier on this kind of machine.
    Figure {
        /// Its name for people.
        name: &'static str,
        /// CPU seconds.
        cpu_s: f64,
    },
}

impl Peer {
    /// Its name for people.
    pub fn name(&self) -> &'static str {
        match self {
            Self::R { name, .. }
            | Self::Python { name, .. }
            | Self::Runner { name, .. }
            | Self::Figure { name, .. } => name,
        }
    }
}

/// What was promised of a case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// At least this many times less CPU time than the peer of this place in the list.
    TimesLess(usize, f64),
    /// The same for the first of these two peers that was measured in this run; a figure comes second.
    TimesLessOrFigure(usize, usize, f64),
    /// At most this many CPU seconds, at the largest size.
    CpuSeconds(f64),
    /// At most this many millions of bytes.
    Megabytes(f64),
    /// At most this many times the memory that the result itself takes.
    TimesResult(f64),
    /// At most this many CPU seconds and this many millions of bytes at the first size.
    AtFirst(f64, f64),
    /// Cost grows at most as this power of the size.
    Exponent(f64),
    /// On this many threads, by the clock on the wall, at least this many times as fast as on one.
    Speedup(u64, f64),
}

/// What one process needed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// CPU seconds a run, of all threads, user and system.
    pub cpu_s: f64,
    /// Seconds by the clock on the wall.
    #[serde(default)]
    pub wall_s: f64,
    /// The most memory resident at once, in millions of bytes.
    #[serde(default)]
    pub peak_mb: f64,
    /// What ours and the peer's must agree in, where the work has such a number.
    #[serde(default)]
    pub check: Option<f64>,
    /// The memory that the result itself takes, in millions of bytes, where that is known.
    #[serde(default)]
    pub result_mb: Option<f64>,
    /// The size at which it was measured.
    #[serde(default)]
    pub size: u64,
}
