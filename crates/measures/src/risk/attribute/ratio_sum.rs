//! A sum of fractions that does not depend on the order in which they come.

use rustc_hash::FxHashMap;

/// Σ numerator/denominator over whole numbers. Numerators are added up exactly for each denominator, and divided at the end.
#[derive(Clone, Debug, Default)]
pub(super) struct RatioSum {
    small: Vec<u128>,
    large: FxHashMap<u64, u128>,
}

/// Denominators below this are kept in a vector.
const SMALL: u64 = 1 << 12;

impl RatioSum {
    /// Adds a fraction; nothing if the denominator is zero, where there is nothing to divide.
    pub(super) fn add(&mut self, numerator: u128, denominator: u64) {
        if denominator == 0 {
            return;
        }
        if denominator >= SMALL {
            *self.large.entry(denominator).or_insert(0) += numerator;
            return;
        }
        let place = denominator as usize;
        if self.small.len() <= place {
            self.small.resize(place + 1, 0);
        }
        self.small[place] += numerator;
    }

    /// The sum.
    pub(super) fn value(&self) -> f64 {
        let ratio = |(denominator, numerator): (u64, u128)| numerator as f64 / denominator as f64;
        let small: f64 = (0..).zip(self.small.iter().copied()).skip(1).map(ratio).sum();
        let mut large: Vec<(u64, u128)> = self.large.iter().map(|(key, value)| (*key, *value)).collect();
        large.sort_unstable();
        small + large.into_iter().map(ratio).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_fractions_does_not_show() {
        let fractions = [(1, 3), (5, 7), (2, 3), (9, 70_000), (0, 11), (4, 0), (3, 7), (1, 4095), (1, 4096)];
        let (mut forward, mut backward) = (RatioSum::default(), RatioSum::default());
        fractions.iter().for_each(|(n, d)| forward.add(*n, *d));
        fractions.iter().rev().for_each(|(n, d)| backward.add(*n, *d));
        assert_eq!(forward.value().to_bits(), backward.value().to_bits());
        let expected = 1.0 + 8.0 / 7.0 + 9.0 / 70_000.0 + 1.0 / 4095.0 + 1.0 / 4096.0;
        assert!((forward.value() - expected).abs() < 1e-15);
    }
}
