//! Pearson's chi-square test, for the tests of everything that draws.

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Asserts that `counts` may have been drawn with probabilities proportional to `weights`. A right sampler
/// fails with probability 1e-6; seeds are fixed, so it fails always or never.
pub fn assert_fits(counts: &[f64], weights: &[f64]) {
    let records: f64 = counts.iter().sum();
    let total: f64 = weights.iter().sum();
    let mut statistic = 0.0;
    let mut cells = 0_u32;
    for (count, weight) in counts.iter().zip(weights) {
        let expected = weight / total * records;
        if *weight == 0.0 {
            assert_eq!(*count, 0.0, "a record in an impossible cell");
        } else {
            assert!(expected >= 5.0, "too few records for a chi-square test: {expected} expected in a cell");
            statistic += (count - expected).powi(2) / expected;
            cells += 1;
        }
    }
    let p_value = ChiSquared::new(f64::from(cells - 1)).expect("two cells at least").sf(statistic);
    assert!(p_value > 1e-6, "chi-square {statistic} on {} degrees of freedom, p = {p_value}", cells - 1);
}
