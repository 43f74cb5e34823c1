//! The numbers that the paper prints for S3, S5 and S7, in this order, and Table 2 for the survey's sets; nothing where it prints nothing.

/// One number a set.
pub type PrintedRow = [Option<f64>; 3];

/// The levels of ε of Table 3.
pub const EPSILONS: [f64; 6] = [0.01, 0.1, 0.5, 1.0, 2.0, 10.0];

/// Table 1: N, k, p0, p1 of each set. The 6.23 is a misprint of 68.23.
pub const TABLE_1: [[f64; 4]; 3] =
    [[5000.0, 60.0, 0.0, 0.0], [5000.0, 2160.0, 6.23, 6.74], [5000.0, 77760.0, 98.20, 35.84]];

/// Table 2: for catall and ipf, the rows ru %, ru as % of p1, and mean two-way, mean three-way and worst three-way utility.
pub(crate) const TABLE_2: [[PrintedRow; 5]; 2] = [
    [
        [None, Some(2.44), Some(13.16)],
        [None, Some(36.0), Some(37.0)],
        [Some(0.97), Some(1.02), Some(1.00)],
        [Some(0.92), Some(1.03), Some(0.99)],
        [None, None, None],
    ],
    [
        [None, Some(1.67), Some(6.41)],
        [None, Some(30.0), Some(13.0)],
        [Some(0.97), Some(0.96), Some(1.04)],
        [Some(1.48), Some(1.76), Some(1.77)],
        [Some(1.48), Some(1.92), Some(2.37)],
    ],
];

/// Table 2 for P3, P5, P7, P7x, Ps3, Ps5 and Ps7: the same rows for catall and ipf. The mean two-way utility of ipf is left out, since that row is
/// garbled in the text at hand.
pub(crate) const TABLE_2_SURVEY: [[[Option<f64>; 7]; 5]; 2] = [
    [
        [None, Some(0.01), Some(0.04), Some(1.66), Some(0.01), Some(0.34), Some(0.95)],
        [None, Some(37.0), Some(36.0), Some(37.0), Some(28.0), Some(36.0), Some(36.0)],
        [Some(0.93), Some(1.01), Some(0.92), Some(0.99), Some(1.10), Some(1.02), Some(0.99)],
        [Some(0.96), Some(0.98), Some(0.97), Some(1.02), Some(1.05), Some(1.01), Some(1.00)],
        [None; 7],
    ],
    [
        [None, Some(0.0), Some(0.03), Some(1.0), Some(0.0), Some(0.28), Some(0.63)],
        [None, Some(25.0), Some(17.0), Some(22.0), Some(15.0), Some(22.0), Some(24.0)],
        [None; 7],
        [Some(4.41), Some(20.58), Some(10.34), Some(10.26), Some(1.54), Some(2.14), Some(1.67)],
        [Some(4.41), Some(81.74), Some(81.40), Some(82.14), Some(1.54), Some(5.52), Some(1.20)],
    ],
];

/// Table 3: for each ε the same five rows.
pub(crate) const TABLE_3: [[PrintedRow; 5]; 6] = [
    [
        [Some(0.0), Some(0.01), Some(0.0)],
        [None, Some(0.18), Some(0.01)],
        [Some(245.71), Some(325.45), Some(365.47)],
        [Some(139.81), Some(135.90), Some(133.32)],
        [Some(139.81), Some(221.15), Some(159.31)],
    ],
    [
        [Some(0.0), Some(0.04), Some(0.02)],
        [None, Some(0.56), Some(0.05)],
        [Some(12.63), Some(99.01), Some(172.29)],
        [Some(10.27), Some(56.77), Some(79.06)],
        [Some(10.27), Some(75.29), Some(94.35)],
    ],
    [
        [Some(0.0), Some(0.99), Some(0.68)],
        [None, Some(14.69), Some(1.90)],
        [Some(1.69), Some(14.59), Some(31.67)],
        [None, Some(8.91), Some(20.85)],
        [Some(1.90), Some(9.70), Some(24.30)],
    ],
    [
        [Some(0.0), Some(1.29), Some(3.46)],
        [None, Some(19.20), Some(9.66)],
        [Some(1.15), Some(5.48), Some(15.21)],
        [None, Some(4.21), Some(9.51)],
        [Some(1.40), Some(4.89), Some(11.82)],
    ],
    [
        [Some(0.0), Some(1.55), Some(5.55)],
        [None, Some(23.03), Some(15.49)],
        [Some(1.08), Some(2.84), Some(5.86)],
        [None, Some(2.65), Some(4.37)],
        [Some(1.31), Some(3.16), Some(5.57)],
    ],
    [
        [Some(0.0), Some(1.63), Some(6.68)],
        [None, Some(24.15), Some(18.64)],
        [Some(1.15), Some(1.15), Some(1.64)],
        [None, Some(1.82), Some(2.05)],
        [Some(1.40), Some(2.14), Some(2.53)],
    ],
];

/// The largest mean two-way utility that the planned margins may have: about a tenth above what their prototype reached.
pub fn planned_limit(set: &str, epsilon: f64) -> Option<f64> {
    let limits = match set {
        "S5" => [27.0, 5.2, 2.7, 1.9, 1.2],
        "S7" => [37.0, 12.5, 5.8, 3.1, 1.6],
        _ => return None,
    };
    EPSILONS[1..].iter().position(|level| *level == epsilon).map(|at| limits[at])
}
