//! Options of a fit, each with one meaning.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::model::Form;

/// How to fit. `Options::default()` is meant for margins counted from one table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Converged means: at the final table, no cell of any target margin is further than `tolerance` × N from
    /// its target, where N is the total count.
    pub tolerance: f64,
    /// Give up, unconverged, once no cell of any margin, each looked at just before it is raked, has moved by
    /// more than `settled` × N since the sweep before. Margins that contradict each other never meet their
    /// targets, yet settle into a cycle; this ends it. (What the R package mipfp calls convergence is about
    /// `settled: 1e-10`.)
    pub settled: f64,
    /// Give up, unconverged, after this many sweeps.
    pub max_sweeps: usize,
    /// What to do with targets that contradict each other.
    pub disagreement: Disagreement,
    /// The order in which a sweep rakes the margins.
    pub order: Order,
    /// Whether to hold the full table or a junction tree.
    pub form: Form,
    /// The full table is never built above this many cells (8 bytes each; up to twice that at the end of a
    /// fit).
    pub dense_limit: usize,
    /// A junction tree is never built whose cliques have more cells than this together.
    pub tree_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            settled: 1e-14,
            max_sweeps: 5_000,
            disagreement: Disagreement::Refuse,
            order: Order::Free,
            form: Form::Automatic,
            dense_limit: 1 << 27,
            tree_limit: 1 << 26,
        }
    }
}

impl Options {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let sensible = |value: f64| value.is_finite() && value >= 0.0;
        if !(sensible(self.tolerance) && self.tolerance > 0.0) {
            return Err(Error::Option { name: "tolerance", must: "be a finite number above 0" });
        }
        if !sensible(self.settled) {
            return Err(Error::Option { name: "settled", must: "be a finite number, 0 or above" });
        }
        if self.max_sweeps == 0 {
            return Err(Error::Option { name: "max_sweeps", must: "be at least 1" });
        }
        if let Disagreement::Rescale { total } = self.disagreement
            && !(total.is_finite() && total > 0.0)
        {
            return Err(Error::Option { name: "total", must: "be a finite number above 0" });
        }
        Ok(())
    }
}

/// What to do with targets that contradict each other on variables that they share, or in their totals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disagreement {
    /// Refuse to fit, and name the two margins. Differences below 1e-10 × N count as rounding.
    Refuse,
    /// Rescale every target to `total` and fit what contradictions remain as well as raking can. For noisy
    /// margins.
    Rescale {
        /// The N of the fitted table.
        total: f64,
    },
}

/// The order in which a sweep rakes the margins. Where the targets agree, every order ends at the same fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Whatever order costs the fewest cell updates.
    Free,
    /// The order of the targets, every margin once a sweep: the textbook cycle, whose end point is defined
    /// even where the targets contradict each other. Needs the full table.
    AsGiven,
}
