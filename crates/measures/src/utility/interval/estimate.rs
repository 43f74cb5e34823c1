//! An estimate with its confidence interval.

use table::grouping::quantile;

use super::{Interval, Z95};

/// What a file says of a quantity, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error; for a quantile, what a normal interval of the same width would have.
    pub standard_error: f64,
    /// The nominal 95 % interval.
    pub interval: Interval,
}

impl Estimate {
    /// An estimate with a normal interval.
    pub fn normal(value: f64, standard_error: f64) -> Self {
        Self { value, standard_error, interval: Interval::around(value, standard_error) }
    }

    /// The share of `count` records among `records`, with standard error √(p (1 − p)/N); `None` without records.
    pub fn proportion(count: u64, records: u64) -> Option<Self> {
        let (records, share) = (records as f64, count as f64 / records as f64);
        (records > 0.0).then(|| Self::normal(share, (share * (1.0 - share) / records).sqrt()))
    }

    /// The mean of a sorted sample, with standard error s/√n; `None` for fewer than two numbers.
    pub fn mean(sorted: &[f64]) -> Option<Self> {
        let n = sorted.len() as f64;
        let mean = sorted.iter().sum::<f64>() / n;
        let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
        (n >= 2.0).then(|| Self::normal(mean, (squares / (n - 1.0) / n).sqrt()))
    }

    /// The quantile k/parts of a sorted sample (R's type 7), with the interval between the order statistics ⌊n q − z √(n q (1 − q))⌋
    /// and ⌈n q + z √(n q (1 − q))⌉ + 1, kept within the sample (Conover 1999, section 3.2); `None` without numbers.
    pub fn quantile(sorted: &[f64], k: usize, parts: usize) -> Option<Self> {
        if sorted.is_empty() {
            return None;
        }
        let (n, q) = (sorted.len() as f64, k as f64 / parts as f64);
        let (middle, spread) = (n * q, Z95 * (n * q * (1.0 - q)).sqrt());
        let order_statistic = |rank: f64| sorted[rank.clamp(1.0, n) as usize - 1];
        let low = order_statistic((middle - spread).floor());
        let high = order_statistic((middle + spread).ceil() + 1.0);
        let interval = Interval { low, high };
        let standard_error = interval.width() / (2.0 * Z95);
        Some(Self { value: quantile(sorted, k, parts), standard_error, interval })
    }

    /// (synthetic − this) in standard errors of this one; `None` if they differ and the standard error is zero.
    pub(crate) fn standardised_difference(&self, synthetic: &Self) -> Option<f64> {
        let difference = synthetic.value - self.value;
        if difference == 0.0 {
            return Some(0.0);
        }
        (self.standard_error > 0.0).then(|| difference / self.standard_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_by_hand() {
        let share = Estimate::proportion(20, 100).unwrap();
        assert!((share.value - 0.2).abs() < 1e-15 && (share.standard_error - 0.04).abs() < 1e-15);
        let mean = Estimate::mean(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert!(
            (mean.value - 2.5).abs() < 1e-15 && (mean.standard_error - (5.0 / 12.0_f64).sqrt()).abs() < 1e-15
        );
        assert_eq!((Estimate::proportion(0, 0), Estimate::mean(&[1.0])), (None, None));
        // n = 100, q = ½: 50 ± 9.8, so the 40th and the 61st.
        let sample: Vec<f64> = (1..=100).map(f64::from).collect();
        let median = Estimate::quantile(&sample, 1, 2).unwrap();
        assert_eq!((median.value, median.interval), (50.5, Interval { low: 40.0, high: 61.0 }));
        let lonely = Estimate::quantile(&[7.0], 1, 4).unwrap();
        assert_eq!((lonely.value, lonely.interval), (7.0, Interval { low: 7.0, high: 7.0 }));
    }

    /// With n = 200 uniform numbers, the interval of the first quartile covers the truth in 95 % of samples or a little more. 4,000
    /// samples give a standard error of 0.0034; 0.94 to 0.98 is allowed, which a right interval misses in less than 1 of 100.
    #[test]
    fn the_interval_of_a_quartile_covers_it() {
        let mut state = 7_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut covered = 0;
        for _ in 0..4000 {
            let mut sample: Vec<f64> = (0..200).map(|_| uniform()).collect();
            sample.sort_unstable_by(f64::total_cmp);
            let Interval { low, high } = Estimate::quantile(&sample, 1, 4).unwrap().interval;
            covered += u32::from(low <= 0.25 && 0.25 <= high);
        }
        let share = f64::from(covered) / 4000.0;
        assert!((0.94..=0.98).contains(&share), "{share}");
    }
}
