//! The shape of a variable in a few numbers, for a line of text or a small picture.

use crate::value_counts::ValueCounts;

/// Bars of a shape, at most.
const MOST_BARS: usize = 12;

/// Of so large a share of the numbers at either end it is not told where they lie: a single large income would make all others one bar.
const CUT: f64 = 0.01;

fn shares(counts: &[u64]) -> Vec<f64> {
    let all: u64 = counts.iter().sum();
    if all == 0 { Vec::new() } else { counts.iter().map(|count| *count as f64 / all as f64).collect() }
}

/// Shares of levels in their order; neighbours together, so that there are no more than so many.
pub(crate) fn together(counts: &[u64]) -> Vec<f64> {
    let of_each = counts.len().div_ceil(MOST_BARS).max(1);
    shares(&counts.chunks(of_each).map(|some| some.iter().sum()).collect::<Vec<u64>>())
}

/// Shares of numbers in intervals of equal width; the lowest and the highest interval hold all that lies beyond.
pub(super) fn of_numbers(numbers: &ValueCounts) -> Vec<f64> {
    let records = numbers.records();
    if records == 0 {
        return Vec::new();
    }
    let bars = MOST_BARS.min(numbers.distinct());
    let at = |share: f64| numbers.ranked(((records - 1) as f64 * share).round() as u64);
    let (low, high) = match (at(CUT), at(1.0 - CUT)) {
        (low, high) if low < high => (low, high),
        _ => (at(0.0), at(1.0)),
    };
    let mut counts = vec![0_u64; bars];
    for (value, count) in numbers.iter() {
        let place = if high > low { (value - low) / (high - low) * bars as f64 } else { 0.0 };
        counts[(place.max(0.0) as usize).min(bars - 1)] += count;
    }
    shares(&counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Numbers};

    fn shape_of(values: Vec<f64>) -> Vec<f64> {
        of_numbers(&ValueCounts::of(&Column::Real(Numbers::complete(values))))
    }

    #[test]
    fn numbers_stand_in_intervals_of_equal_width_and_extremes_at_the_ends() {
        assert_eq!(shape_of(vec![]), Vec::<f64>::new());
        assert_eq!(shape_of(vec![3.0; 5]), [1.0]);
        assert_eq!(shape_of(vec![0.0, 0.0, 1.0, 1.0]), [0.5, 0.5]);
        let mut values: Vec<f64> = (0..1200).map(f64::from).collect();
        values.push(1e9);
        let shape = shape_of(values);
        assert_eq!(shape.len(), MOST_BARS);
        assert!(shape.iter().all(|share| (0.05..0.12).contains(share)), "{shape:?}");
        assert!((shape.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn many_levels_stand_together_in_their_order() {
        assert_eq!(together(&[1, 3]), [0.25, 0.75]);
        assert_eq!(together(&[1; 24]), vec![1.0 / 12.0; 12]);
        assert_eq!(together(&[0, 0]), Vec::<f64>::new());
    }
}
