//! How many records a synthetic data set will hold.

use serde::{Deserialize, Serialize};

use super::{CellSizes, SaturatedMechanism};

/// The number of records n_syn of one synthetic data set, which is random because the counts are drawn independently.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyntheticRecords {
    /// E n_syn = scale · (n + αK₀).
    pub mean: f64,
    /// Var n_syn = Σ (μ + σμ²) over the cells, μ the mean of a cell. The mean of m data sets has this over m.
    pub variance: f64,
}

impl SyntheticRecords {
    /// The expected number of records and its variance.
    pub fn expected(sizes: &CellSizes, mechanism: &SaturatedMechanism) -> Self {
        let (scale, alpha) = (mechanism.scale(), mechanism.alpha());
        let zeros = sizes.random_zeros() as f64;
        let mean = scale * (sizes.records() as f64 + alpha * zeros);
        let squares = scale * scale * (sizes.sum_of_squares() + alpha * alpha * zeros);
        Self { mean, variance: mean + mechanism.family().sigma().value() * squares }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statistics::counts::CountFamily;

    #[test]
    fn totals_are_sums_over_the_cells() {
        let sizes = CellSizes::new([(0, 100), (1, 20), (6, 5)].into()).unwrap();
        let mechanism = SaturatedMechanism::new(CountFamily::pig(0.7).unwrap())
            .with_alpha(0.02)
            .and_then(|m| m.with_scale(0.5))
            .unwrap();
        let (mut mean, mut variance) = (0.0, 0.0);
        for (size, cells) in [(0, 100.0), (1, 20.0), (6, 5.0)] {
            let count = mechanism.count_of(size).unwrap();
            mean += cells * count.mean();
            variance += cells * count.variance();
        }
        let records = SyntheticRecords::expected(&sizes, &mechanism);
        assert!((records.mean - mean).abs() < 1e-12 && (records.variance - variance).abs() < 1e-12);
        // At alpha 0 and scale 1 the expected number is the original one (section 3.1.1 of the paper).
        assert_eq!(
            SyntheticRecords::expected(&sizes, &SaturatedMechanism::new(CountFamily::Poisson)).mean,
            50.0
        );
    }
}
