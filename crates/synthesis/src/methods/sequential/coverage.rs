//! How often intervals of regression coefficients cover after sequential synthesis by trees, measured by `lookalike coverage` with weak effects (version 0.1.0, November 2026).

use crate::records_card::MeasuredCoverage;

const fn measured(
    columns: u32,
    records: u64,
    m: u32,
    mean: f64,
    worst: f64,
    replications: u32,
) -> MeasuredCoverage {
    MeasuredCoverage { columns, records, m, mean, worst, replications }
}

/// With `tilt = false` and leaves of 5.
pub(super) const PLAIN: &[MeasuredCoverage] =
    &[measured(16, 2_000, 5, 92.3, 84.0, 100), measured(16, 8_000, 5, 88.5, 68.3, 60)];

/// Tilted, with leaves chosen for each variable.
pub(super) const TILTED: &[MeasuredCoverage] =
    &[measured(16, 2_000, 5, 95.4, 92.0, 100), measured(16, 8_000, 5, 95.4, 88.3, 60)];
