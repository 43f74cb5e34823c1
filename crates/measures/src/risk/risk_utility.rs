//! Risk held against utility, both in [0, 1], in the four ways of Taub & Elliot (2019, section 4.3).

/// A synthetic table's place on the risk-utility map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RiskUtility {
    /// An overall utility score, 1 at best.
    pub utility: f64,
    /// A risk score such as a mean TCAP, 0 at best.
    pub risk: f64,
}

impl RiskUtility {
    /// Utility − risk: positive when there is more utility than risk.
    pub fn difference(&self) -> f64 {
        self.utility - self.risk
    }

    /// The smaller of utility and safety, where safety is 1 − risk.
    pub fn minimum(&self) -> f64 {
        self.utility.min(self.safety())
    }

    /// Utility · safety.
    pub fn product(&self) -> f64 {
        self.utility * self.safety()
    }

    /// √(utility · safety).
    pub fn geometric_mean(&self) -> f64 {
        self.product().sqrt()
    }

    fn safety(&self) -> f64 {
        1.0 - self.risk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 2 of the paper: the mean TCAP of each entry (Raab, Snoke, Pistner, Charest, Chen 1-4) for employment, occupation and
    /// household size with keys of 6, 5, 4 and 3 variables.
    const TCAP: [[f64; 8]; 12] = [
        [0.734, 0.747, 0.667, 0.673, 0.727, 0.701, 0.745, 0.738],
        [0.728, 0.750, 0.674, 0.668, 0.717, 0.701, 0.709, 0.704],
        [0.731, 0.724, 0.648, 0.635, 0.734, 0.727, 0.681, 0.729],
        [0.782, 0.775, 0.554, 0.597, 0.550, 0.847, 0.667, 0.791],
        [0.196, 0.246, 0.121, 0.127, 0.214, 0.233, 0.260, 0.276],
        [0.207, 0.256, 0.154, 0.117, 0.174, 0.254, 0.269, 0.265],
        [0.196, 0.266, 0.153, 0.088, 0.195, 0.277, 0.284, 0.238],
        [0.038, 0.400, 0.074, 0.179, 0.250, 0.519, 0.321, 0.372],
        [0.284, 0.257, 0.173, 0.214, 0.233, 0.247, 0.256, 0.228],
        [0.278, 0.276, 0.143, 0.251, 0.218, 0.226, 0.273, 0.251],
        [0.272, 0.231, 0.073, 0.161, 0.176, 0.168, 0.219, 0.188],
        [0.3, 0.186, 0.0, 0.091, 0.200, 0.077, 0.234, 0.175],
    ];

    /// Table 1's last row.
    const UTILITY: [f64; 8] = [0.803, 0.621, 0.404, 0.591, 0.664, 0.617, 0.654, 0.705];

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn taub_tables_2_and_3() {
        let average = |entry: usize| mean(&TCAP.map(|row| row[entry]));
        let printed = [0.396, 0.426, 0.286, 0.317, 0.366, 0.415, 0.410, 0.413];
        let entries: Vec<RiskUtility> = (0..8)
            .map(|entry| {
                assert!((average(entry) - printed[entry]).abs() <= 0.00051, "{entry}: {}", average(entry));
                RiskUtility { utility: UTILITY[entry], risk: printed[entry] }
            })
            .collect();
        // Table 3, with the averages of its last column.
        type Score = fn(&RiskUtility) -> f64;
        let rows: [(Score, [f64; 8], f64); 4] = [
            (RiskUtility::difference, [0.407, 0.195, 0.118, 0.274, 0.298, 0.202, 0.244, 0.292], 0.254),
            (RiskUtility::minimum, [0.604, 0.574, 0.404, 0.591, 0.634, 0.585, 0.59, 0.587], 0.571),
            // The paper prints 0.441, which is not the mean of its row.
            (RiskUtility::product, [0.485, 0.356, 0.288, 0.403, 0.421, 0.361, 0.386, 0.414], 0.389),
            (RiskUtility::geometric_mean, [0.696, 0.597, 0.537, 0.634, 0.649, 0.601, 0.621, 0.643], 0.622),
        ];
        for (score, printed, average) in rows {
            let found: Vec<f64> = entries.iter().map(score).collect();
            for (found, printed) in found.iter().zip(printed) {
                // The paper starts from scores with more digits than it prints, and cuts off rather than rounds.
                assert!((found - printed).abs() <= 0.0015, "{found}, printed {printed}");
            }
            assert!((mean(&found) - average).abs() <= 0.00051, "{}, printed {average}", mean(&found));
        }
    }
}
