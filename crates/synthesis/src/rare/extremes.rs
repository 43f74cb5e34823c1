//! The largest and smallest numbers, which name who has them.

use table::Units;
use table::column::{Entry, Number, Numbers};

use super::FEWEST;

/// A column, its smallest and largest number, and the records that were changed.
type Limited<T> = (Numbers<T>, (T, T), Vec<u32>);

/// The numbers within what `FEWEST` units reach at either end, `middle` of two of them where one unit alone reaches it; `None` if they all are.
pub(super) fn without_extremes<T: Number + PartialOrd>(
    numbers: &Numbers<T>,
    units: &Units<'_>,
    order: impl Fn(&T, &T) -> std::cmp::Ordering,
    middle: impl Fn(T, T) -> T,
) -> Option<Limited<T>> {
    let mut sorted: Vec<(T, u32)> = numbers
        .iter()
        .enumerate()
        .filter_map(|(row, entry)| match entry {
            Entry::Value(value) => Some((value, row as u32)),
            _ => None,
        })
        .collect();
    sorted.sort_unstable_by(|one, other| order(&one.0, &other.0).then(one.1.cmp(&other.1)));
    if sorted.is_empty() {
        return None;
    }
    let last = sorted.len() - 1;
    // Where enough units are passed, from below and from above; of fewer numbers than both ends take, the middle one is left.
    let at = units
        .place_reaching(sorted.iter().map(|(_, row)| *row), FEWEST)
        .unwrap_or(last)
        .min(sorted.len() / 2);
    let from_above = units.place_reaching(sorted.iter().rev().map(|(_, row)| *row), FEWEST).unwrap_or(last);
    let end = last.saturating_sub(from_above).max(at);
    // A limit that one unit alone has would name it.
    let shared = |place: usize, is_low: bool| {
        let value = sorted[place].0;
        let from = sorted.partition_point(|(other, _)| *other < value);
        let to = sorted.partition_point(|(other, _)| *other <= value);
        let inwards = if is_low { sorted.get(to) } else { from.checked_sub(1).map(|place| &sorted[place]) };
        match inwards {
            Some((next, _)) if units.of_records(sorted[from..to].iter().map(|(_, row)| *row), 2) == 1 => {
                middle(value, *next)
            }
            _ => value,
        }
    };
    let (low, high) =
        if at < end { (shared(at, true), shared(end, false)) } else { (sorted[at].0, sorted[end].0) };
    let mut limited = Numbers::with_capacity(numbers.len());
    let mut rows = Vec::new();
    for (row, entry) in numbers.iter().enumerate() {
        limited.push(match entry {
            Entry::Value(value) if value < low || value > high => {
                rows.push(row as u32);
                Entry::Value(if value < low { low } else { high })
            }
            other => other,
        });
    }
    (!rows.is_empty()).then_some((limited, (low, high), rows))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_limit_that_one_record_alone_has_is_not_drawn() {
        let numbers = Numbers::complete((0..100).map(|place| f64::from(place) + 0.25).collect());
        let (limited, limits, rows) =
            without_extremes(&numbers, &Units::default(), f64::total_cmp, f64::midpoint).unwrap();
        assert_eq!((limits, rows.len()), ((2.75, 96.75), 6));
        assert_eq!(limited.values().filter(|number| *number == 96.75).count(), 3);
        // Shared ends are kept as they are.
        let ages = Numbers::complete((0..120).map(|place| i64::from(place / 4)).collect());
        assert!(
            without_extremes(&ages, &Units::default(), i64::cmp, |one, other| one.midpoint(other)).is_none()
        );
    }

    #[test]
    fn a_few_numbers_become_their_middle() {
        for values in [vec![5.0], vec![1.0, 9.0], vec![1.0, 2.0, 9.0], vec![1.0, 2.0, 3.0, 9.0]] {
            let found = without_extremes(
                &Numbers::complete(values.clone()),
                &Units::default(),
                f64::total_cmp,
                f64::midpoint,
            );
            let distinct: HashSet<u64> = match found {
                Some((numbers, _, _)) => numbers.values().map(f64::to_bits).collect(),
                None => values.iter().map(|value| value.to_bits()).collect(),
            };
            assert_eq!(distinct.len(), 1, "{values:?}");
        }
    }
}
