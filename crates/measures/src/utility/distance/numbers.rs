//! Distances between the distributions of a number in two files.

/// Kolmogorov–Smirnov distance of two sorted samples: sup |F(x) − G(x)|.
///
/// ```
/// use measures::utility::distance::kolmogorov_smirnov;
/// assert_eq!(kolmogorov_smirnov(&[1.0, 2.0, 3.0, 4.0], &[3.0, 4.0, 5.0, 6.0]), 0.5);
/// ```
pub fn kolmogorov_smirnov(one: &[f64], other: &[f64]) -> f64 {
    let mut largest: f64 = 0.0;
    steps(one, other, |_, _, f, g| largest = largest.max((f - g).abs()));
    largest
}

/// Wasserstein-1 distance of two sorted samples, ∫ |F(x) − G(x)| dx: how far a number must be moved on average.
///
/// ```
/// use measures::utility::distance::wasserstein;
/// assert_eq!(wasserstein(&[0.0, 1.0], &[2.0, 2.0, 3.0, 3.0]), 2.0);
/// ```
pub fn wasserstein(one: &[f64], other: &[f64]) -> f64 {
    let mut sum = 0.0;
    steps(one, other, |from, to, f, g| sum += (to - from) * (f - g).abs());
    sum
}

/// Calls `step` with the ends of each interval on which both distribution functions are constant, and their values there.
fn steps(one: &[f64], other: &[f64], mut step: impl FnMut(f64, f64, f64, f64)) {
    let (mut below_one, mut below_other) = (0, 0);
    let next = |one: Option<&f64>, other: Option<&f64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.min(*other)),
        (one, other) => one.or(other).copied(),
    };
    while let Some(from) = next(one.get(below_one), other.get(below_other)) {
        while one.get(below_one).is_some_and(|value| *value <= from) {
            below_one += 1;
        }
        while other.get(below_other).is_some_and(|value| *value <= from) {
            below_other += 1;
        }
        let Some(to) = next(one.get(below_one), other.get(below_other)) else { break };
        step(from, to, below_one as f64 / one.len() as f64, below_other as f64 / other.len() as f64);
    }
}

/// The standard deviation with divisor n − 1; zero for fewer than two numbers.
pub(super) fn standard_deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if n < 2.0 { 0.0 } else { (squares / (n - 1.0)).sqrt() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(mut values: Vec<f64>) -> Vec<f64> {
        values.sort_unstable_by(f64::total_cmp);
        values
    }

    #[test]
    fn what_r_says() {
        // x <- c(1.5, 2, 2, 3.5, 7, 9); y <- c(0.5, 2, 4, 4, 8); ks.test(x, y)$statistic
        // e <- sort(c(x, y)); sum(diff(e) * abs(ecdf(x)(e) - ecdf(y)(e))[-11])
        let (x, y) = ([1.5, 2.0, 2.0, 3.5, 7.0, 9.0], [0.5, 2.0, 4.0, 4.0, 8.0]);
        assert!((kolmogorov_smirnov(&x, &y) - 4.0 / 15.0).abs() < 1e-15);
        assert!((wasserstein(&x, &y) - 1.1).abs() < 1e-14);
    }

    #[test]
    fn one_number_against_another() {
        assert_eq!((kolmogorov_smirnov(&[1.0], &[4.0]), wasserstein(&[1.0], &[4.0])), (1.0, 3.0));
        assert_eq!((kolmogorov_smirnov(&[1.0], &[1.0]), wasserstein(&[1.0], &[1.0])), (0.0, 0.0));
    }

    proptest! {
        /// For samples of one size, W₁ is the mean distance of the order statistics.
        #[test]
        fn equal_sizes_compare_order_statistics(pairs in prop::collection::vec((-50_i32..50, -50_i32..50), 1..40)) {
            let one = sorted(pairs.iter().map(|pair| f64::from(pair.0)).collect());
            let other = sorted(pairs.iter().map(|pair| f64::from(pair.1)).collect());
            let mean = one.iter().zip(&other).map(|(x, y)| (x - y).abs()).sum::<f64>() / one.len() as f64;
            prop_assert!((wasserstein(&one, &other) - mean).abs() < 1e-10);
            prop_assert!((wasserstein(&other, &one) - mean).abs() < 1e-10);
            let brute = one.iter().chain(&other).map(|at| {
                let below = |values: &[f64]| values.iter().filter(|value| *value <= at).count() as f64 / one.len() as f64;
                (below(&one) - below(&other)).abs()
            }).fold(0.0, f64::max);
            prop_assert!((kolmogorov_smirnov(&one, &other) - brute).abs() < 1e-12);
        }
    }
}
