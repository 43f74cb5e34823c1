//! How often intervals of regression coefficients cover after sequential synthesis by trees, measured by `lookalike coverage` (version 0.1.0, November 2026).

use crate::records_card::{Effects, MeasuredCoverage};

const fn weak(
    columns: u32,
    records: u64,
    m: u32,
    [mean, worst]: [f64; 2],
    replications: u32,
) -> MeasuredCoverage {
    MeasuredCoverage { effects: Effects::Weak, columns, records, m, mean, worst, replications }
}

const fn strong(
    columns: u32,
    records: u64,
    m: u32,
    [mean, worst]: [f64; 2],
    replications: u32,
) -> MeasuredCoverage {
    MeasuredCoverage { effects: Effects::Strong, columns, records, m, mean, worst, replications }
}

/// With `tilt = false`, leaves of 5 and no scores.
pub(super) const PLAIN_WITHOUT_SCORES: &[MeasuredCoverage] = &[
    weak(16, 2_000, 5, [92.3, 84.0], 100),
    weak(16, 8_000, 5, [88.5, 68.3], 60),
    strong(16, 8_000, 5, [22.1, 0.0], 32),
];

/// Tilted, with leaves chosen for each variable, and no scores.
pub(super) const WITHOUT_SCORES: &[MeasuredCoverage] = &[
    weak(5, 500, 5, [95.7, 91.0], 100),
    weak(5, 2_000, 5, [94.0, 89.0], 100),
    weak(5, 8_000, 5, [94.2, 91.7], 60),
    weak(5, 20_000, 5, [96.5, 94.8], 96),
    weak(8, 500, 5, [94.9, 92.0], 100),
    weak(8, 2_000, 5, [95.2, 92.0], 100),
    weak(8, 8_000, 5, [94.6, 88.3], 60),
    weak(8, 20_000, 5, [95.8, 89.6], 48),
    weak(16, 500, 5, [95.7, 92.0], 100),
    weak(16, 2_000, 1, [96.4, 91.7], 96),
    weak(16, 2_000, 5, [95.4, 92.0], 100),
    weak(16, 2_000, 20, [95.3, 90.6], 96),
    weak(16, 8_000, 5, [95.4, 88.3], 60),
    weak(16, 20_000, 5, [95.1, 89.6], 48),
    weak(30, 500, 5, [96.7, 91.7], 96),
    weak(30, 2_000, 5, [95.9, 87.5], 96),
    weak(30, 8_000, 5, [93.7, 85.4], 48),
    strong(5, 2_000, 5, [94.6, 91.7], 96),
    strong(8, 2_000, 5, [93.8, 84.4], 96),
    strong(16, 2_000, 5, [83.6, 60.4], 96),
    strong(16, 8_000, 5, [63.6, 16.7], 48),
];

/// Tilted, with leaves and scores chosen for each variable: the usual settings.
pub(super) const TILTED: &[MeasuredCoverage] = &[
    weak(5, 500, 5, [95.1, 93.8], 96),
    weak(5, 2_000, 5, [93.6, 90.6], 96),
    weak(5, 8_000, 5, [95.8, 91.7], 48),
    weak(8, 500, 5, [94.4, 90.6], 96),
    weak(8, 2_000, 5, [94.6, 91.7], 96),
    weak(8, 8_000, 5, [94.1, 89.6], 48),
    weak(16, 500, 5, [95.3, 91.7], 96),
    weak(16, 2_000, 1, [97.0, 92.7], 96),
    weak(16, 2_000, 5, [96.0, 93.0], 100),
    weak(16, 2_000, 20, [95.7, 91.7], 48),
    weak(16, 8_000, 5, [95.9, 90.0], 60),
    weak(16, 20_000, 5, [96.0, 84.4], 32),
    weak(30, 500, 5, [96.3, 90.6], 96),
    weak(30, 2_000, 5, [95.5, 89.6], 96),
    strong(5, 2_000, 5, [94.8, 89.6], 96),
    strong(8, 2_000, 5, [94.7, 90.6], 96),
    strong(16, 500, 5, [95.3, 91.7], 96),
    strong(16, 2_000, 5, [94.4, 88.5], 96),
    strong(16, 8_000, 5, [94.2, 85.0], 60),
    strong(30, 2_000, 5, [87.5, 54.2], 48),
];

/// With `tilt = false`, leaves and scores chosen for each variable.
pub(super) const PLAIN: &[MeasuredCoverage] = &[
    weak(16, 2_000, 5, [93.4, 87.5], 96),
    weak(16, 8_000, 5, [91.8, 84.4], 32),
    strong(16, 2_000, 5, [84.5, 62.5], 96),
    strong(16, 8_000, 5, [91.7, 81.2], 32),
];
