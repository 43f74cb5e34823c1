//! Convergence: how far a fit came, and why it stopped.

use serde::{Deserialize, Serialize};

/// How far a fit came, and why it stopped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// Sweeps done; each rakes every margin at least once.
    pub sweeps: usize,
    /// The largest |fitted − target| over all cells of all target margins, in counts, measured on the final
    /// table.
    pub deviation: f64,
    /// The deviation that was asked for, in counts: tolerance × N.
    pub wanted: f64,
    /// Why it stopped.
    pub stopped: Stopped,
}

impl Convergence {
    /// Whether the final table meets every target as closely as was asked.
    pub fn converged(&self) -> bool {
        self.stopped == Stopped::Converged
    }
}

/// Why a fit stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// Every margin meets its target.
    Converged,
    /// The table no longer moves, though some margin misses its target: the targets contradict each other, or
    /// meet only in the limit.
    Settled,
    /// The limit on sweeps was reached.
    SweepLimit,
}
