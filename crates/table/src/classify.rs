//! The class of every record of a column, found in one pass on all cores.

use std::sync::Arc;

use rayon::prelude::*;

use crate::column::{Column, Entry, Number, Numbers};
use crate::domain::Partition;
use crate::value_counts::indexed_span;
use crate::{Classes, Codes, TableError};

/// Records whose classes are found at a time.
const PART: usize = 1 << 16;

/// The class of a value that lies in none.
const OUTSIDE: u32 = u32::MAX;

/// Limits that are all compared with a number, since a branch on each comparison of a search is a coin toss.
const FEW_LIMITS: usize = 32;

/// The class of every record of a column.
pub(crate) fn classify(classes: &Classes, column: &Column) -> Result<Arc<Codes>, TableError> {
    let codes = match column {
        Column::Categorical(codes) => return Ok(Arc::clone(codes)),
        Column::Text(text) => return Ok(Arc::new(text.codes.clone())),
        Column::Integer(numbers) | Column::Datetime(numbers) => of_whole(classes, numbers),
        Column::Date(days) => of_whole(classes, days),
        Column::Real(numbers) => {
            let finder = Finder::new(classes.partition());
            of_numbers(classes, numbers, |value| finder.class_of(value))
        }
    };
    codes.map(Arc::new).ok_or_else(|| {
        let message = "some values lie outside its cuts; let the first and last cut enclose its range";
        TableError::variable(classes.name(), message)
    })
}

/// Classes of whole numbers: looked up where the numbers lie close together.
fn of_whole<T: Number + PartialOrd + Into<i64>>(classes: &Classes, numbers: &Numbers<T>) -> Option<Codes> {
    let finder = Finder::new(classes.partition());
    let Some((low, high)) = numbers.extremes() else { return of_numbers(classes, numbers, |_| None) };
    let (low, high): (i64, i64) = (low.into(), high.into());
    match indexed_span(high.abs_diff(low), numbers.len()) {
        Some(span) => {
            let class = |place: usize| finder.class_of((low + place as i64) as f64).unwrap_or(OUTSIDE);
            let class_at: Vec<u32> = (0..span).into_par_iter().with_min_len(1 << 12).map(class).collect();
            of_numbers(classes, numbers, |value| {
                let place = value.into().wrapping_sub(low) as usize;
                Some(class_at[place]).filter(|class| *class != OUTSIDE)
            })
        }
        None => of_numbers(classes, numbers, |value| finder.class_of(value.into() as f64)),
    }
}

/// Classes of all entries; `None` if one lies in none.
fn of_numbers<T: Number>(
    classes: &Classes,
    numbers: &Numbers<T>,
    class_of: impl Fn(T) -> Option<u32> + Sync,
) -> Option<Codes> {
    fn filled<T: Number, C: Copy + Default + Send>(
        classes: &Classes,
        numbers: &Numbers<T>,
        class_of: impl Fn(T) -> Option<u32> + Sync,
        narrow: impl Fn(u32) -> C + Sync,
    ) -> Option<Vec<C>> {
        let values = classes.partition().len() as u32;
        let missing = classes.missing_class();
        let mut all = vec![C::default(); numbers.len()];
        let parts = all.par_chunks_mut(PART).enumerate().map(|(part, codes)| {
            let (mut is_outside, mut codes) = (false, codes.iter_mut());
            let rows = part * PART..part * PART + codes.len();
            numbers.for_each(rows, |entry| {
                let class = match entry {
                    Entry::Value(value) => class_of(value),
                    Entry::Code(position) => Some(values + position as u32),
                    Entry::Missing => missing,
                };
                is_outside |= class.is_none();
                if let Some(code) = codes.next() {
                    *code = narrow(class.unwrap_or(0));
                }
            });
            is_outside
        });
        let is_outside = parts.reduce(|| false, |left, right| left || right);
        (!is_outside).then_some(all)
    }
    Some(match Codes::with_capacity(classes.size(), 0) {
        Codes::U8(_) => Codes::U8(filled(classes, numbers, class_of, |class| class as u8)?),
        Codes::U16(_) => Codes::U16(filled(classes, numbers, class_of, |class| class as u16)?),
        Codes::U32(_) => Codes::U32(filled(classes, numbers, class_of, |class| class)?),
    })
}

/// Finds the class of a number as [`Partition::class_of`] does, faster for many numbers.
enum Finder<'a> {
    /// Few intervals.
    Limits { limits: &'a [f64], partition: &'a Partition },
    /// Many values: those whose image under an increasing function is the same lie next to each other.
    Values { values: &'a [f64], low: f64, scale: f64, starts: Vec<u32> },
    /// Anything else.
    Any(&'a Partition),
}

impl<'a> Finder<'a> {
    fn new(partition: &'a Partition) -> Self {
        match partition {
            Partition::Intervals { limits, .. } if limits.len() <= FEW_LIMITS => {
                Self::Limits { limits, partition }
            }
            Partition::Values(values) if values.len() > FEW_LIMITS && values.len() < 1 << 31 => {
                let (low, high) = (values[0], values[values.len() - 1]);
                let buckets = values.len().next_power_of_two();
                let scale = buckets as f64 / (high - low);
                if !scale.is_finite() || scale == 0.0 {
                    return Self::Any(partition);
                }
                let mut starts = Vec::with_capacity(buckets + 2);
                for (place, value) in values.iter().enumerate() {
                    let bucket = bucket(*value, low, scale, buckets);
                    while starts.len() <= bucket {
                        starts.push(place as u32);
                    }
                }
                starts.resize(buckets + 2, values.len() as u32);
                Self::Values { values, low, scale, starts }
            }
            partition => Self::Any(partition),
        }
    }

    #[inline]
    fn class_of(&self, value: f64) -> Option<u32> {
        match self {
            Self::Limits { limits, partition } => {
                let below = limits.iter().map(|limit| usize::from(*limit <= value)).sum::<usize>();
                // Inside an interval, and at none of the limits that are special.
                if below > 0 && below < limits.len() && (below == 1 || limits[below - 2] != value) {
                    return Some(below as u32 - 1);
                }
                partition.class_of(value)
            }
            Self::Values { values, low, scale, starts } => {
                let bucket = bucket(value, *low, *scale, starts.len() - 2);
                let (from, to) = (starts[bucket] as usize, starts[bucket + 1] as usize);
                let place = from + values[from..to].partition_point(|known| *known < value);
                values[..to].get(place).filter(|known| **known == value).map(|_| place as u32)
            }
            Self::Any(partition) => partition.class_of(value),
        }
    }
}

/// The bucket of a value, the same for equal ones and no smaller for larger ones.
#[inline]
fn bucket(value: f64, low: f64, scale: f64, buckets: usize) -> usize {
    (((value - low) * scale) as usize).min(buckets)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Grouping, Kind, Variable, grouping::GroupingStyle};

    proptest! {
        #[test]
        fn classes_are_those_of_one_number_after_the_other(
            entries in prop::collection::vec(prop_oneof![
                1 => Just(Entry::Missing),
                1 => Just(Entry::Value(-0.0)),
                5 => (-400..400_i32).prop_map(|value| Entry::Value(f64::from(value) / 8.0)),
                5 => (-9..9_i32).prop_map(|value| Entry::Value(f64::from(value))),
                1 => Just(Entry::Value(1e17)),
            ], 1..300),
            groups in 2_usize..50,
            style in prop::sample::select(vec![GroupingStyle::Quantiles, GroupingStyle::QuantilesOnly, GroupingStyle::EqualWidth, GroupingStyle::Exact]),
            whole: bool,
        ) {
            let grouping = if style == GroupingStyle::Exact { Grouping::exact() } else { Grouping { groups, values: 0, style } };
            let kind = if whole { Kind::Integer { range: None } } else { Kind::Real { range: None } };
            let mut numbers = Numbers::with_capacity(entries.len());
            entries.iter().for_each(|entry| numbers.push(*entry));
            let column = if whole { Column::Integer(numbers.map(|value| value as i64).narrowed()) } else { Column::Real(numbers) };
            let variable = Variable { missing: true, ..Variable::new("x", kind) };
            let classes = grouping.classes(&variable, &column).unwrap();
            let expected: Vec<Option<u32>> =
                (0..column.len()).map(|row| column.number(row).and_then(|entry| classes.class_of(entry))).collect();
            match classify(&classes, &column) {
                Ok(codes) => prop_assert_eq!(codes.iter().map(Some).collect::<Vec<_>>(), expected),
                Err(_) => prop_assert!(expected.contains(&None)),
            }
        }
    }

    #[test]
    fn what_lies_outside_the_cuts_is_refused() {
        let variable = Variable::new("x", Kind::Integer { range: None });
        let classes = Grouping::default()
            .classes(&variable, &Column::Integer(Numbers::complete((0..40).collect())))
            .unwrap();
        for beyond in [-1, 40, 1 << 40] {
            let column = Column::Integer(Numbers::complete(vec![3, beyond]));
            let error = classify(&classes, &column).unwrap_err().to_string();
            assert!(error.contains("outside its cuts"), "{error}");
        }
    }
}
