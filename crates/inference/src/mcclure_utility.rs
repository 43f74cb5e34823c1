//! McClure & Reiter's (2012) utility of a private release, equation (4).

use crate::dirichlet_posterior::Moments;

/// U(D, D*) = log₁₀ ( E((p₀ − p)² | D*) / E((p₀ − p)² | D) ): by how many powers of ten the expected squared error about the true share p₀ grows when the
/// release D* is analysed instead of the data D. 0 is no loss.
///
/// The numerator comes from the posterior given the release, which knows the mechanism; the denominator from Beta(1 + x, 1 + n − x), the posterior given
/// x of n original records under a flat prior (equation 12).
///
/// ```
/// use inference::{Moments, mcclure_utility};
/// // One record that has the property: Beta(2, 1) has mean 2/3 and variance 1/18, so that E((1/2 − p)² | D) = 1/18 + 1/36.
/// let same = mcclure_utility(Moments { mean: 2.0 / 3.0, variance: 1.0 / 18.0 }, 0.5, 1, 1);
/// assert!(same.abs() < 1e-12);
/// ```
pub fn mcclure_utility(given_release: Moments, p0: f64, count: u64, rows: u64) -> f64 {
    let (a, b) = (count as f64 + 1.0, (rows - count) as f64 + 1.0);
    let sum = a + b;
    let given_data = Moments { mean: a / sum, variance: a * b / (sum * sum * (sum + 1.0)) };
    let loss = |moments: Moments| moments.variance + (moments.mean - p0).powi(2);
    (loss(given_release) / loss(given_data)).log10()
}
