//! Pearson's chi-square test of draws against their probabilities, for the tests.

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The p-value of counts under given shares; cells that expect fewer than ten are pooled with their neighbours.
///
/// # Panics
/// If a cell that cannot occur did.
pub(crate) fn chi_square_p_value(counts: &[u64], shares: &[f64]) -> f64 {
    assert_eq!(counts.len(), shares.len(), "every count has its share");
    let draws = counts.iter().sum::<u64>() as f64;
    let mut pools: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for (&count, &share) in counts.iter().zip(shares) {
        assert!(share > 0.0 || count == 0, "a cell that cannot occur did");
        open = (open.0 + count as f64, open.1 + share * draws);
        if open.1 >= 10.0 {
            pools.push(open);
            open = (0.0, 0.0);
        }
    }
    match pools.last_mut() {
        Some(last) => *last = (last.0 + open.0, last.1 + open.1),
        None => pools.push(open),
    }
    if pools.len() < 2 {
        return 1.0;
    }
    let statistic: f64 = pools.iter().map(|(seen, wanted)| (seen - wanted).powi(2) / wanted).sum();
    let law = ChiSquared::new((pools.len() - 1) as f64).expect("at least one degree of freedom");
    1.0 - law.cdf(statistic)
}
