//! The arithmetic of Taub & Elliot's score.

/// The parts of the overall utility score, each in [0, 1]; `None` for a part that a file does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TaubScore {
    /// Mean over frequency tables of (ROC + CIO)/2.
    pub frequency_tables: Option<f64>,
    /// The same over cross-tabulations.
    pub cross_tabs: Option<f64>,
    /// Mean overlap of the intervals of means.
    pub means: Option<f64>,
    /// Mean overlap of the intervals of regression coefficients.
    pub regressions: Option<f64>,
    /// 1 − 4 pMSE of a logistic regression with main effects.
    pub propensity: Option<f64>,
    /// 1 − d/2 with d the mean distance on the map of multiple correspondence analysis.
    pub mca: Option<f64>,
}

impl TaubScore {
    /// The names of the parts, in their order.
    pub const PARTS: [&'static str; 6] =
        ["frequency_tables", "cross_tabs", "means", "regressions", "propensity", "mca"];

    /// The parts, in their order.
    pub fn parts(&self) -> [Option<f64>; 6] {
        [self.frequency_tables, self.cross_tabs, self.means, self.regressions, self.propensity, self.mca]
    }

    /// The mean of the parts that there are; `None` if there are none.
    pub fn overall(&self) -> Option<f64> {
        let parts: Vec<f64> = self.parts().into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.iter().sum::<f64>() / parts.len() as f64)
    }

    /// A file's score where the propensity mean squared error is c (1 − c) at most: 1 − 4 pMSE.
    pub fn of_pmse(pmse: f64) -> f64 {
        1.0 - 4.0 * pmse
    }

    /// Half ratio of counts, half interval overlap.
    pub fn of_tables(ratio_of_counts: f64, overlap: f64) -> f64 {
        (ratio_of_counts + overlap) / 2.0
    }
}

#[cfg(test)]
mod tests {
    //! Table 1 of the paper, recomputed from the tables of its appendix E; for Tables 2 and 3 see `risk::risk_utility`.
    //!
    //! Columns: Raab, Snoke, Pistner, Charest, Chen 1 to 4.

    use super::*;

    type Row = [f64; 8];

    /// Table 4: ratio of counts, then interval overlap.
    const TABLE_4: [(Row, Row); 8] = [
        (
            [0.985, 0.959, 0.967, 0.995, 0.987, 0.982, 0.986, 0.992],
            [0.877, 0.497, 0.569, 0.939, 0.759, 0.786, 0.799, 0.87],
        ),
        (
            [0.997, 0.996, 0.996, 0.999, 0.999, 0.997, 0.998, 0.998],
            [0.786, 0.757, 0.73, 0.94, 0.913, 0.825, 0.854, 0.885],
        ),
        (
            [0.993, 0.992, 1.0, 0.996, 0.996, 0.999, 0.996, 0.999],
            [0.804, 0.786, 1.0, 0.893, 0.843, 0.97, 0.844, 0.641],
        ),
        (
            [0.989, 0.999, 0.936, 0.999, 0.997, 0.998, 0.999, 0.998],
            [0.382, 0.964, 0.0, 0.937, 0.814, 0.872, 0.966, 0.876],
        ),
        (
            [0.953, 0.985, 0.725, 0.982, 0.994, 0.979, 0.993, 0.987],
            [0.598, 0.875, 0.0, 0.845, 0.953, 0.826, 0.937, 0.889],
        ),
        (
            [1.0, 0.999, 0.936, 0.999, 0.997, 0.998, 0.999, 0.998],
            [1.0, 0.892, 0.973, 0.812, 0.954, 0.767, 0.803, 0.965],
        ),
        (
            [0.962, 0.978, 0.772, 0.976, 0.984, 0.979, 0.977, 1.0],
            [0.669, 0.734, 0.418, 0.755, 0.81, 0.762, 0.744, 1.0],
        ),
        (
            [0.98, 0.976, 0.58, 0.985, 0.79, 0.978, 0.984, 0.98],
            [0.854, 0.648, 0.0, 0.832, 0.834, 0.862, 0.874, 0.847],
        ),
    ];
    const AVERAGE_4: Row = [0.864, 0.8775, 0.6625, 0.93, 0.914, 0.9115, 0.922, 0.9325];

    /// Table 5; the ratios of the rows Visitors and Unknown relationship repeat, as printed.
    const TABLE_5: [(Row, Row); 7] = [
        (
            [0.986, 0.998, 0.864, 0.99, 0.99, 0.989, 0.994, 0.993],
            [0.653, 0.943, 0.0, 0.747, 0.736, 0.71, 0.846, 0.815],
        ),
        (
            [0.994, 0.988, 0.919, 0.991, 0.992, 0.992, 0.997, 0.997],
            [0.815, 0.603, 0.0, 0.705, 0.744, 0.736, 0.901, 0.925],
        ),
        (
            [0.993, 0.995, 0.966, 0.992, 0.992, 0.995, 0.996, 0.99],
            [0.756, 0.819, 0.0, 0.742, 0.728, 0.832, 0.875, 0.672],
        ),
        (
            [0.978, 0.984, 0.498, 0.964, 0.991, 0.951, 0.997, 0.96],
            [0.8, 0.713, 0.0, 0.909, 0.819, 0.845, 0.787, 0.845],
        ),
        (
            [0.978, 0.984, 0.498, 0.964, 0.991, 0.951, 0.997, 0.96],
            [0.806, 0.863, 0.0, 0.674, 0.925, 0.567, 0.97, 0.646],
        ),
        (
            [0.794, 0.917, 0.5, 1.0, 0.885, 0.833, 0.955, 0.812],
            [0.519, 0.848, 0.0, 1.0, 0.777, 0.644, 0.922, 0.58],
        ),
        (
            [1.0, 0.998, 0.981, 0.998, 0.997, 0.998, 0.999, 0.995],
            [0.979, 0.822, 0.0, 0.831, 0.791, 0.84, 0.93, 0.651],
        ),
    ];
    const AVERAGE_5: Row = [0.8605, 0.8915, 0.445, 0.8945, 0.883, 0.8485, 0.9405, 0.8455];

    const TABLE_6: [(Row, Row); 4] = [
        (
            [0.967, 0.953, 0.744, 0.987, 0.95, 0.968, 0.969, 0.97],
            [0.762, 0.602, 0.21, 0.858, 0.715, 0.786, 0.805, 0.774],
        ),
        (
            [0.949, 0.887, 0.642, 0.98, 0.995, 0.939, 0.978, 0.973],
            [0.707, 0.274, 0.161, 0.847, 0.901, 0.436, 0.57, 0.64],
        ),
        (
            [0.882, 0.953, 0.13, 0.859, 0.679, 0.85, 0.933, 0.802],
            [0.628, 0.341, 0.114, 0.644, 0.342, 0.625, 0.804, 0.404],
        ),
        (
            [0.861, 0.794, 0.61, 0.716, 0.974, 0.749, 0.791, 0.912],
            [0.483, 0.16, 0.157, 0.167, 0.834, 0.0487, 0.133, 0.362],
        ),
    ];

    const TABLE_7: [Row; 6] = [
        [0.964, 0.850, 0.0, 0.885, 0.845, 0.725, 0.891, 0.911],
        [0.747, 0.223, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.934, 0.202, 0.0, 0.975, 0.867, 0.498, 0.866, 0.525],
        [0.689, 0.953, 0.652, 0.687, 0.214, 0.982, 0.909, 0.958],
        [0.949, 0.321, 0.0, 0.819, 0.927, 0.461, 0.709, 0.765],
        [0.999, 0.486, 0.0714, 0.689, 0.939, 0.785, 0.891, 0.566],
    ];

    const TABLE_8: [Row; 2] = [
        [0.366, 0.365, 0.0504, 0.0, 0.0888, 0.115, 0.247, 0.294],
        [0.593, 0.493, 0.0101, 0.0, 0.272, 0.327, 0.246, 0.216],
    ];

    const PMSE: Row = [0.000211, 0.0303, 0.0422, 0.000211, 0.0342, 0.0305, 0.0303, 0.0302];
    const STANDARDISED: Row = [9.269, 2478.909, 3464.961, 9.269, 2807.305, 2497.305, 2485.409, 2471.225];
    const RATIO: Row = [2.150, 308.471, 430.776, 2.150, 349.203, 310.753, 309.277, 307.518];

    /// Table 10: distances on the map.
    const TABLE_10: [Row; 16] = [
        [0.0118, 0.00768, 0.0124, 0.0235, 0.0264, 0.0136, 0.0228, 0.00694],
        [0.176, 2.829, 0.149, 2.746, 0.569, 2.764, 3.192, 0.0599],
        [2.142, 2.305, 5.621, 3.249, 4.281, 0.199, 2.000, 2.791],
        [0.184, 2.383, 1.025, 1.850, 0.126, 2.100, 2.476, 0.255],
        [0.0176, 0.239, 0.477, 0.0550, 0.0195, 0.176, 0.174, 0.0572],
        [0.0229, 0.0694, 0.0509, 0.0215, 0.0336, 0.0261, 0.0294, 0.00588],
        [0.00726, 0.0220, 0.0177, 0.00779, 0.0108, 0.00754, 0.00926, 0.00123],
        [0.152, 4.033, 0.620, 3.146, 0.818, 2.403, 3.974, 0.224],
        [0.0114, 0.135, 0.0906, 0.117, 0.0431, 2.828, 0.160, 0.0230],
        [0.0143, 0.360, 0.111, 0.270, 0.109, 0.367, 0.333, 0.0182],
        [0.125, 0.860, 0.663, 0.562, 0.367, 0.796, 0.783, 0.0544],
        [0.202, 1.385, 1.066, 0.901, 0.590, 1.275, 1.254, 0.0881],
        [0.00653, 0.00631, 0.00655, 0.0330, 0.0167, 0.00434, 0.00524, 0.00289],
        [2.409, 1.959, 1.817, 9.849, 5.257, 1.483, 1.632, 0.881],
        [0.0603, 0.378, 0.438, 0.456, 0.0263, 0.409, 0.423, 0.0239],
        [0.340, 2.000, 2.473, 2.410, 0.146, 2.159, 2.236, 0.121],
    ];

    /// Table 1, parts and mean.
    const TABLE_1: [Row; 6] = [
        [0.863, 0.884, 0.528, 0.913, 0.899, 0.882, 0.931, 0.892],
        [0.78, 0.621, 0.347, 0.758, 0.799, 0.676, 0.748, 0.73],
        [0.88, 0.505, 0.145, 0.676, 0.632, 0.575, 0.706, 0.62],
        [0.480, 0.429, 0.0303, 0.0, 0.180, 0.221, 0.2467, 0.255],
        [0.999, 0.879, 0.831, 0.999, 0.863, 0.878, 0.879, 0.879],
        [0.816, 0.407, 0.5425, 0.197, 0.611, 0.4685, 0.4155, 0.856],
    ];
    const OVERALL: Row = [0.803, 0.621, 0.404, 0.591, 0.664, 0.617, 0.654, 0.705];

    const PISTNER: usize = 2;
    const CHEN_3: usize = 6;

    fn mean(rows: &[Row], entry: usize) -> f64 {
        rows.iter().map(|row| row[entry]).sum::<f64>() / rows.len() as f64
    }

    fn of_tables(rows: &[(Row, Row)], entry: usize) -> f64 {
        let ratios: Vec<Row> = rows.iter().map(|row| row.0).collect();
        let overlaps: Vec<Row> = rows.iter().map(|row| row.1).collect();
        TaubScore::of_tables(mean(&ratios, entry), mean(&overlaps, entry))
    }

    /// Entries of a row that do not follow from the others by more than rounding to three digits lets them.
    fn misprinted(found: impl Fn(usize) -> f64, printed: &Row, rounding: f64) -> Vec<usize> {
        (0..8).filter(|entry| (found(*entry) - printed[*entry]).abs() > rounding).collect()
    }

    #[test]
    fn tables_4_to_6_follow_from_their_rows() {
        assert_eq!(misprinted(|entry| of_tables(&TABLE_4, entry), &AVERAGE_4, 0.0005), [0_usize; 0]);
        // Pistner's overlaps are all zero, but their mean is printed as 0.143.
        assert_eq!(misprinted(|entry| of_tables(&TABLE_5, entry), &AVERAGE_5, 0.0012), [PISTNER]);
        assert_eq!(misprinted(|entry| of_tables(&TABLE_6, entry), &TABLE_1[1], 0.0011), [0_usize; 0]);
    }

    #[test]
    fn the_parts_of_table_1_follow_from_the_appendix() {
        // The mean over all fifteen tables, and not that of the averages of Tables 4 and 5; Pistner's 0.528 is met too.
        let all: Vec<(Row, Row)> = TABLE_4.iter().chain(&TABLE_5).copied().collect();
        assert_eq!(misprinted(|entry| of_tables(&all, entry), &TABLE_1[0], 0.0011), [0_usize; 0]);
        let of_averages = |entry: usize| (AVERAGE_4[entry] + AVERAGE_5[entry]) / 2.0;
        assert_eq!(misprinted(of_averages, &TABLE_1[0], 0.01), [PISTNER]);
        // Pistner's means give 0.1206, printed 0.120 in Table 7 and 0.145 in Table 1; Chen 3's give 0.711, printed 0.706 in both.
        assert_eq!(misprinted(|entry| mean(&TABLE_7, entry), &TABLE_1[2], 0.001), [PISTNER, CHEN_3]);
        assert_eq!(misprinted(|entry| mean(&TABLE_8, entry), &TABLE_1[3], 0.001), [0_usize; 0]);
        assert_eq!(misprinted(|entry| TaubScore::of_pmse(PMSE[entry]), &TABLE_1[4], 0.001), [0_usize; 0]);
        let mca = |entry| 1.0 - mean(&TABLE_10, entry) / 2.0;
        assert_eq!(misprinted(mca, &TABLE_1[5], 0.001), [0_usize; 0]);
    }

    #[test]
    fn the_overall_score_is_the_mean_of_its_parts() {
        let overall = |entry: usize| {
            let [frequency_tables, cross_tabs, means, regressions, propensity, mca] =
                [0, 1, 2, 3, 4, 5].map(|part: usize| Some(TABLE_1[part][entry]));
            let score = TaubScore { frequency_tables, cross_tabs, means, regressions, propensity, mca };
            score.overall().unwrap()
        };
        assert_eq!(misprinted(overall, &OVERALL, 0.0006), [0_usize; 0]);
        let partial = TaubScore { means: Some(0.5), mca: Some(1.0), ..TaubScore::default() };
        assert_eq!((partial.overall(), TaubScore::default().overall()), (Some(0.75), None));
    }

    #[test]
    fn table_9_follows_from_131_parameters() {
        // N = 165,702 records in both files, c = ½, k = 131: null mean 130 · ⅛ / N. The paper rounds pMSE to three digits.
        let unit = 0.125 / 165_702.0;
        for entry in 0..8 {
            let ratio = PMSE[entry] / (130.0 * unit);
            assert!((ratio / RATIO[entry] - 1.0).abs() < 0.004, "{ratio} {}", RATIO[entry]);
            let z = (RATIO[entry] - 1.0) * 130.0 / 260_f64.sqrt();
            assert!((z / STANDARDISED[entry] - 1.0).abs() < 0.003, "{z} {}", STANDARDISED[entry]);
        }
    }
}
