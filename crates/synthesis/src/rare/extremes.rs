//! The largest and smallest numbers, which name who has them.

use table::Units;
use table::column::{Entry, Number, Numbers};

use super::FEWEST;

/// A column, its smallest and largest number, and the records that were changed.
type Limited<T> = (Numbers<T>, (T, T), Vec<u32>);

/// The numbers within what `FEWEST` units reach at either end, `middle` of two of them where one unit alone reaches it; `None` if they all are, or fewer units than that have numbers.
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
    let rows_of = |places: std::ops::Range<usize>| sorted[places].iter().map(|(_, row)| *row);
    // Where enough units are passed, from below and from above.
    let at = units.place_reaching(rows_of(0..last + 1), FEWEST)?;
    let from_above = units.place_reaching(rows_of(0..last + 1).rev(), FEWEST)?;
    let end = last - from_above;
    // A limit that one unit alone has would name it: it gives way to the middle between it and the next one inwards of another unit.
    let shared = |place: usize, is_low: bool| {
        let value = sorted[place].0;
        let from = sorted.partition_point(|(other, _)| *other < value);
        let to = sorted.partition_point(|(other, _)| *other <= value);
        if units.of_records(rows_of(from..to), 2) > 1 {
            return value;
        }
        let is_another = |row: u32| units.of_records(rows_of(from..to).chain([row]), 2) > 1;
        let next = if is_low {
            sorted[to..].iter().find(|(_, row)| is_another(*row))
        } else {
            sorted[..from].iter().rev().find(|(_, row)| is_another(*row))
        };
        next.map_or(value, |(next, _)| middle(value, *next))
    };
    let (low, high) = if at < end {
        (shared(at, true), shared(end, false))
    } else if units.are_records() {
        // Fewer numbers than both ends take: the middle one is left.
        let middle = at.min(sorted.len() / 2);
        (sorted[middle].0, sorted[end.max(middle)].0)
    } else {
        // A unit in the middle has most of them.
        let between = middle(sorted[end].0, sorted[at].0);
        (between, between)
    };
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

/// The records that have a number, where fewer than `FEWEST` units have one.
pub(super) fn of_too_few<T: Number>(numbers: &Numbers<T>, units: &Units<'_>) -> Option<Vec<u32>> {
    let has_value = |(row, entry): (usize, Entry<T>)| matches!(entry, Entry::Value(_)).then_some(row as u32);
    let rows: Vec<u32> = numbers.iter().enumerate().filter_map(has_value).collect();
    let are_few = !rows.is_empty() && units.place_reaching(rows.iter().copied(), FEWEST).is_none();
    are_few.then_some(rows)
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
        for values in [vec![1.0, 2.0, 9.0], vec![1.0, 2.0, 3.0, 9.0]] {
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

    #[test]
    fn numbers_of_fewer_than_three_are_given_up() {
        let too_few = |values: Vec<f64>| of_too_few(&Numbers::complete(values), &Units::default()).is_some();
        assert_eq!(
            [vec![], vec![5.0], vec![1.0, 9.0], vec![1.0, 2.0, 9.0]].map(too_few),
            [false, true, true, false]
        );
    }

    /// The lowest 60 of 100 numbers are those of one patient; twenty others have two each.
    #[test]
    fn a_patient_with_most_numbers_names_no_limit() {
        let rows: Vec<String> = (0..100_u32)
            .map(|row| format!("P{:05}-3,{}", if row < 60 { 7 } else { 100 + row / 2 }, row / 2 + 1))
            .chain((0..400).map(|row| format!("P{:05}-3,", 500 + row)))
            .collect();
        let text = format!("patient,fee\n{}\n", rows.join("\n"));
        let table = table::read::read_csv_text(&text, &table::read::ReadOptions::default()).unwrap();
        let units = Units::of(&table);
        assert!(!units.are_records());
        let table::Column::Integer(fees) = &table.columns()[1] else { panic!("fees are whole numbers") };
        let (limited, (low, high), _) =
            without_extremes(fees, &units, i64::cmp, |one, other| one.midpoint(other)).unwrap();
        assert!(low > 30 && high < 50, "{low} {high}");
        assert!(limited.values().all(|fee| fee > 30));
    }
}
