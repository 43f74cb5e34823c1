//! The shape of a variable in a few numbers, for a line of text or a small picture.

use crate::column::Column;
use crate::{CodedTable, CountSource, Table};

/// Bars of a shape, at most.
const MOST_BARS: usize = 12;

/// Of so large a share of the numbers at either end it is not told where they lie: a single large income would make all others one bar.
const CUT: f64 = 0.01;

/// Shares of records with each level, in their order, or with numbers in intervals of equal width. The lowest and the highest interval hold all
/// that lies beyond, and with more levels than bars neighbours stand together. Of identifiers there is none.
pub(super) fn shape(table: &Table, exact: &CodedTable, position: usize, distinct: u64) -> Vec<f64> {
    match &table.columns()[position] {
        Column::Categorical(codes) => {
            let classes = &exact.domain().variables()[position];
            together(&codes.frequencies(classes.size())[..classes.partition().len()])
        }
        Column::Integer(numbers) => {
            of_numbers(numbers.values().map(|value| value as f64).collect(), distinct)
        }
        Column::Real(numbers) => of_numbers(numbers.values().collect(), distinct),
        Column::Date(days) => of_numbers(days.values().map(f64::from).collect(), distinct),
        Column::Datetime(times) => of_numbers(times.values().map(|time| time as f64).collect(), distinct),
        Column::Text(_) => Vec::new(),
    }
}

fn shares(counts: &[u64]) -> Vec<f64> {
    let all: u64 = counts.iter().sum();
    if all == 0 { Vec::new() } else { counts.iter().map(|count| *count as f64 / all as f64).collect() }
}

/// Shares of levels in their order; neighbours together, so that there are no more than so many.
pub(crate) fn together(counts: &[u64]) -> Vec<f64> {
    let of_each = counts.len().div_ceil(MOST_BARS).max(1);
    shares(&counts.chunks(of_each).map(|some| some.iter().sum()).collect::<Vec<u64>>())
}

fn of_numbers(mut values: Vec<f64>, distinct: u64) -> Vec<f64> {
    if values.is_empty() {
        return Vec::new();
    }
    let bars = MOST_BARS.min(distinct.max(1) as usize);
    let mut at = |share: f64| {
        let place = ((values.len() - 1) as f64 * share).round() as usize;
        *values.select_nth_unstable_by(place, f64::total_cmp).1
    };
    let (low, high) = match (at(CUT), at(1.0 - CUT)) {
        (low, high) if low < high => (low, high),
        _ => (at(0.0), at(1.0)),
    };
    let mut counts = vec![0_u64; bars];
    for value in &values {
        let place = if high > low { (value - low) / (high - low) * bars as f64 } else { 0.0 };
        counts[(place.max(0.0) as usize).min(bars - 1)] += 1;
    }
    shares(&counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_in_intervals_of_equal_width_and_extremes_at_the_ends() {
        assert_eq!(of_numbers(vec![], 0), Vec::<f64>::new());
        assert_eq!(of_numbers(vec![3.0; 5], 1), [1.0]);
        assert_eq!(of_numbers(vec![0.0, 0.0, 1.0, 1.0], 2), [0.5, 0.5]);
        let mut values: Vec<f64> = (0..1200).map(f64::from).collect();
        values.push(1e9);
        let shape = of_numbers(values, 1201);
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
