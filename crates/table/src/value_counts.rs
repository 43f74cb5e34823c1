//! The different numbers of a column with how many records have each: everything that sorting the column would tell.
//!
//! Whole numbers, days and decimals that lie close together are counted by index, in one pass without a comparison; others are sorted.

use rayon::prelude::*;

use crate::TableError;
use crate::column::{Column, Number, Numbers};
use crate::grouping::Ranked;

/// Numbers are counted by index if they span at most this many, or as many as there are records.
const SPAN: usize = 1 << 16;

/// The widest span that is counted by index: 64 MiB of counts.
const WIDEST: usize = 1 << 24;

/// Records of one part of a parallel count.
const PART: usize = 1 << 20;

/// Spans below which neighbouring records are counted in several copies: an increment that waits for the one before is slow.
const COPIED: usize = 1 << 12;
const COPIES: usize = 4;

/// Different numbers in ascending order, each with how many records have it or a smaller one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ValueCounts(Vec<(f64, u64)>);

impl ValueCounts {
    /// Those of a column; none of categories and texts.
    pub(crate) fn of(column: &Column) -> Self {
        match column {
            Column::Integer(numbers) | Column::Datetime(numbers) => Self::of_whole(whole_numbers(numbers)),
            Column::Date(days) => Self::of_whole(whole_numbers(days)),
            Column::Real(numbers) => Self::totals(real_numbers(numbers)),
            Column::Categorical(_) | Column::Text(_) => Self::default(),
        }
    }

    fn of_whole(counted: Vec<(i64, u64)>) -> Self {
        Self::totals(counted.into_iter().map(|(value, count)| (value as f64, count)).collect())
    }

    fn totals(mut counted: Vec<(f64, u64)>) -> Self {
        let mut total = 0;
        for (_, count) in &mut counted {
            total += *count;
            *count = total;
        }
        Self(counted)
    }

    /// How many different numbers there are.
    pub(crate) fn distinct(&self) -> usize {
        self.0.len()
    }

    /// The different numbers.
    pub(crate) fn values(&self) -> impl DoubleEndedIterator<Item = f64> + '_ {
        self.0.iter().map(|(value, _)| *value)
    }

    /// The different numbers with how many records have each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let before = std::iter::once(0).chain(self.0.iter().map(|(_, total)| *total));
        self.0.iter().zip(before).map(|((value, total), before)| (*value, total - before))
    }

    /// How many records have a number.
    pub(crate) fn records(&self) -> u64 {
        self.0.last().map_or(0, |(_, total)| *total)
    }

    /// How many records have a number below this one, and how many one that is not above it.
    pub(crate) fn around(&self, value: f64) -> (u64, u64) {
        let total = |places: usize| places.checked_sub(1).map_or(0, |last| self.0[last].1);
        let below = self.0.partition_point(|(known, _)| *known < value);
        let with = below + usize::from(self.0.get(below).is_some_and(|(known, _)| *known == value));
        (total(below), total(with))
    }

    /// The number at this place of all in ascending order, from 0.
    pub(crate) fn ranked(&self, rank: u64) -> f64 {
        self.0[self.0.partition_point(|(_, total)| *total <= rank)].0
    }
}

impl Ranked for ValueCounts {
    fn len(&self) -> u64 {
        self.records()
    }

    fn are_many(&self) -> bool {
        // Few ones are seen by `distinct` before.
        true
    }

    fn at(&self, ranks: &[u64]) -> Result<Vec<f64>, TableError> {
        Ok(ranks.iter().map(|rank| self.ranked(*rank)).collect())
    }

    fn up_to(&self, values: &[f64]) -> Result<Vec<(u64, u64)>, TableError> {
        Ok(values.iter().map(|value| self.around(*value)).collect())
    }
}

/// The different whole numbers of a column in ascending order, with how many records have each.
pub(crate) fn whole_numbers<T: Number + Ord + Into<i64>>(numbers: &Numbers<T>) -> Vec<(i64, u64)> {
    let Some((low, high)) = numbers.extremes() else { return Vec::new() };
    let (low, high): (i64, i64) = (low.into(), high.into());
    if let Some(span) = indexed_span(high.abs_diff(low), numbers.len()) {
        let counts = counted_by_index(numbers, span, |value| Some(value.into().wrapping_sub(low) as usize));
        let counts = counts.unwrap_or_default().into_iter().enumerate();
        return counts
            .filter(|(_, count)| *count > 0)
            .map(|(place, count)| (low + place as i64, count))
            .collect();
    }
    let mut values: Vec<T> = Vec::with_capacity(numbers.len());
    numbers.for_each_value(0..numbers.len(), |value| values.push(value));
    values.sort_unstable();
    equal_ones(&values).map(|(value, count)| (value.into(), count)).collect()
}

/// The same of real numbers.
fn real_numbers(numbers: &Numbers<f64>) -> Vec<(f64, u64)> {
    if let Some(counted) = (0..=4).find_map(|digits| decimals(numbers, 10_f64.powi(digits))) {
        return counted;
    }
    let mut values: Vec<f64> = Vec::with_capacity(numbers.len());
    numbers.for_each_value(0..numbers.len(), |value| values.push(value));
    values.sort_unstable_by(f64::total_cmp);
    equal_ones(&values).collect()
}

/// Numbers that are all the nearest double to a multiple of 1/`scale`, counted by index; `None` of others, and of those too far apart.
fn decimals(numbers: &Numbers<f64>, scale: f64) -> Option<Vec<(f64, u64)>> {
    const GLANCE: usize = 256;
    // Below 2^53 every multiple is a whole number that a double holds.
    const EXACT: f64 = 9e15;
    let multiple = |value: f64| {
        let multiple = (value * scale).round();
        (multiple.abs() < EXACT && (multiple / scale).to_bits() == value.to_bits()).then_some(multiple as i64)
    };
    numbers.values().take(GLANCE).all(|value| multiple(value).is_some()).then_some(())?;
    let (low, high) = numbers.extremes()?;
    let (low, high) = (multiple(low)?, multiple(high)?);
    let span = indexed_span(high.abs_diff(low), numbers.len())?;
    let first = low as f64;
    // Like `multiple`, without a call to round: the distance to the smallest one is no less than zero.
    let place = |value: f64| {
        let place = (value * scale - first + 0.5) as usize;
        let is_multiple = ((low + place as i64) as f64 / scale).to_bits() == value.to_bits();
        (is_multiple && place < span).then_some(place)
    };
    let counts = counted_by_index(numbers, span, place)?.into_iter().enumerate();
    Some(
        counts
            .filter(|(_, count)| *count > 0)
            .map(|(place, count)| ((low + place as i64) as f64 / scale, count))
            .collect(),
    )
}

/// How many places a count by index needs for numbers this far apart, if it pays.
pub(crate) fn indexed_span(distance: u64, records: usize) -> Option<usize> {
    let most = SPAN.max(records.min(WIDEST)) as u64;
    (distance < most && records < u32::MAX as usize).then(|| distance as usize + 1)
}

/// How many records have each place below `span`; `None` if one has none.
fn counted_by_index<T: Number>(
    numbers: &Numbers<T>,
    span: usize,
    place: impl Fn(T) -> Option<usize> + Sync,
) -> Option<Vec<u64>> {
    let copies = if span <= COPIED { COPIES } else { 1 };
    let counted = |rows: std::ops::Range<usize>| {
        let mut counts = vec![0_u32; span * copies];
        let (mut copy, mut outside) = (0, false);
        numbers.for_each_value(rows, |value| match place(value) {
            Some(place) => {
                counts[place * copies + copy] += 1;
                copy = if copies == 1 { 0 } else { (copy + 1) % COPIES };
            }
            None => outside = true,
        });
        let sum = |copies: &[u32]| copies.iter().map(|count| u64::from(*count)).sum();
        (!outside).then(|| counts.chunks_exact(copies).map(sum).collect::<Vec<u64>>())
    };
    // Sums of whole numbers do not depend on who adds them.
    let part = if span <= SPAN { PART } else { numbers.len().max(1) };
    let parts = (0..numbers.len().div_ceil(part))
        .into_par_iter()
        .map(|at| counted(at * part..numbers.len().min((at + 1) * part)));
    parts.try_reduce_with(|mut left, right| {
        left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
        Some(left)
    })?
}

/// Runs of equal values with their lengths.
fn equal_ones<T: Copy + PartialEq>(sorted: &[T]) -> impl Iterator<Item = (T, u64)> + '_ {
    sorted.chunk_by(|left, right| left == right).map(|equal| (equal[0], equal.len() as u64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::column::Entry;
    use crate::{Grouping, grouping::GroupingStyle};

    fn column<T: Number>(values: &[Option<T>]) -> Numbers<T> {
        let mut numbers = Numbers::with_capacity(values.len());
        values.iter().for_each(|value| numbers.push(value.map_or(Entry::Missing, Entry::Value)));
        numbers
    }

    fn by_sorting(values: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut values: Vec<f64> = values.collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    }

    fn check(column: &Column, mut sorted: Vec<f64>) -> Result<(), TestCaseError> {
        let counts = ValueCounts::of(column);
        prop_assert_eq!(counts.records(), sorted.len() as u64);
        for (rank, value) in sorted.iter().enumerate() {
            prop_assert_eq!(counts.ranked(rank as u64), *value);
            let below = sorted.partition_point(|other| other < value) as u64;
            let with = sorted.partition_point(|other| other <= value) as u64;
            prop_assert_eq!(counts.around(*value), (below, with));
        }
        for style in [
            GroupingStyle::Quantiles,
            GroupingStyle::QuantilesOnly,
            GroupingStyle::EqualWidth,
            GroupingStyle::Exact,
        ] {
            for groups in [2, 5] {
                let grouping = Grouping { groups, values: 3, style };
                prop_assert_eq!(
                    grouping.partition_counted(&counts).unwrap(),
                    grouping.partition(sorted.clone())
                );
            }
        }
        sorted.dedup();
        prop_assert_eq!(counts.values().collect::<Vec<_>>(), sorted);
        prop_assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), counts.records());
        Ok(())
    }

    proptest! {
        #[test]
        fn whole_numbers_are_as_if_sorted(
            values in prop::collection::vec(prop::option::of(prop_oneof![4 => -3..9_i64, 1 => 0..100_000_i64, 1 => Just(1_i64 << 40)]), 1..80),
            narrow: bool,
        ) {
            let sorted = by_sorting(values.iter().flatten().map(|value| *value as f64));
            let numbers = column(&values);
            check(&Column::Integer(if narrow { numbers.narrowed() } else { numbers }), sorted)?;
        }

        #[test]
        fn decimals_are_as_if_sorted(
            values in prop::collection::vec(prop::option::of(prop_oneof![
                6 => (-30_000..30_000_i32).prop_map(|cents| f64::from(cents) / 100.0),
                1 => Just(0.0),
                1 => (-9..9_i32).prop_map(f64::from),
            ]), 1..80),
            spoilt in prop::option::weighted(0.3, prop_oneof![Just(-0.0), Just(0.1 + 0.2), Just(1e300), -9.0..9.0_f64]),
        ) {
            let values: Vec<Option<f64>> = values.into_iter().chain([spoilt]).collect();
            check(&Column::Real(column(&values)), by_sorting(values.iter().flatten().copied()))?;
        }
    }

    #[test]
    fn cents_are_counted_by_index_and_thirds_are_not() {
        let cents = Numbers::complete((0..3_000).map(|cents| f64::from(cents % 700) / 100.0).collect());
        assert_eq!(decimals(&cents, 100.0).map(|counted| counted.len()), Some(700));
        assert!(decimals(&cents, 10.0).is_none());
        let thirds = Numbers::complete((0..3_000).map(|third| f64::from(third) / 3.0).collect());
        assert!(decimals(&thirds, 10_000.0).is_none());
    }

    #[test]
    fn parts_of_many_records_are_added_up() {
        let numbers: Numbers<i64> =
            Numbers::complete((0..3 * PART as i64 / 2).map(|row| row % 301).collect()).narrowed();
        let counted = whole_numbers(&numbers);
        assert_eq!(counted.len(), 301);
        assert_eq!(counted.iter().map(|(_, count)| count).sum::<u64>(), numbers.len() as u64);
        assert!(
            counted
                .iter()
                .all(|(_, count)| (numbers.len() as u64 / 301..=numbers.len() as u64 / 301 + 1)
                    .contains(count))
        );
    }
}
