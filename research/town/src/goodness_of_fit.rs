//! Pearson's test of goodness of fit, for the tests that hold the town against its truth.

/// The normal deviate that a true hypothesis exceeds once in 10,000 tests.
pub(crate) const REJECT: f64 = 3.719;

/// Σ (n − N p)² / (N p) over the cells that can occur, as a normal deviate:
/// ((χ²/k)^⅓ − (1 − 2/(9k))) / √(2/(9k)) with k degrees of freedom (Wilson & Hilferty 1931).
///
/// Cells with less than 5 people expected are pooled, if need be with the smallest other cell, so that the
/// approximation holds (Cochran 1954).
/// Infinite when a cell of probability 0 is not empty; −∞ when there is nothing to test.
pub(crate) fn surprise(counts: &[usize], shares: &[f64]) -> f64 {
    assert_eq!(counts.len(), shares.len(), "a share for every cell");
    let total = counts.iter().sum::<usize>() as f64;
    let cells = || counts.iter().zip(shares).map(|(n, p)| (*n as f64, total * p));
    if cells().any(|(n, expected)| expected == 0.0 && n > 0.0) {
        return f64::INFINITY;
    }
    let (mut tested, rare): (Vec<_>, Vec<_>) =
        cells().filter(|(_, expected)| *expected > 0.0).partition(|(_, expected)| *expected >= 5.0);
    let pool = rare.iter().fold((0.0, 0.0), |pool, cell| (pool.0 + cell.0, pool.1 + cell.1));
    tested.sort_by(|a, b| b.1.total_cmp(&a.1));
    match tested.last_mut() {
        Some(least) if pool.1 < 5.0 => *least = (least.0 + pool.0, least.1 + pool.1),
        _ => tested.push(pool),
    }
    let chi_square: f64 = tested.iter().map(|(n, expected)| (n - expected).powi(2) / expected).sum();
    let k = tested.len() as f64 - 1.0;
    if k < 1.0 {
        return f64::NEG_INFINITY;
    }
    let spread = 2.0 / (9.0 * k);
    ((chi_square / k).cbrt() - (1.0 - spread)) / spread.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 95% point of χ² with 10 degrees of freedom is 18.307, so two cells at ±d of 100 that give it are at 1.645.
    #[test]
    fn a_tabled_quantile_is_met() {
        let d = (18.307_f64 / 2.0 * 1e6).sqrt().round() as usize;
        let mut counts = [1_000_000; 11];
        counts[0] += d;
        counts[1] -= d;
        assert!((surprise(&counts, &[1.0 / 11.0; 11]) - 1.645).abs() < 0.01);
    }

    /// Expected 90, 4, 4, 2: the last three make one cell of 10, and χ² = 1/90 + 1/10 with one degree of freedom.
    #[test]
    fn rare_cells_are_pooled() {
        let pooled = surprise(&[91, 9, 0, 0], &[0.9, 0.04, 0.04, 0.02]);
        assert!((pooled - surprise(&[91, 9], &[0.9, 0.1])).abs() < 1e-12);
    }

    /// Expected 50, 46, 3, 1: the last two make 4, too few, so the last three make one cell.
    #[test]
    fn a_pool_too_small_joins_the_smallest_cell() {
        let pooled = surprise(&[55, 40, 0, 5], &[0.5, 0.46, 0.03, 0.01]);
        assert!((pooled - surprise(&[55, 45], &[0.5, 0.5])).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_is_infinitely_surprising() {
        assert_eq!(surprise(&[9, 1], &[1.0, 0.0]), f64::INFINITY);
        assert_eq!(surprise(&[10, 0], &[1.0, 0.0]), f64::NEG_INFINITY);
    }
}
