//! Numbers that hardly another unit has, in each of a unit's records.
//!
//! [`NearNumbers`] takes a number that many records have for a value of its own, such as zero. A date of birth stands in each of a patient's forty visits and is
//! theirs all the same. So it is learned here from the numbers of units, each number once for every unit that has it, and its records are
//! changed before a method sees them.

use table::Units;
use table::column::{Column, Entry, Number, Numbers};

use crate::near::NearNumbers;
use crate::randomness::Rng;

/// The column with numbers near those that few units have, where most numbers of units are such; `None` where they are not.
pub(super) fn drawn_near(column: &Column, units: &Units<'_>, rng: &mut Rng) -> Option<Column> {
    match column {
        Column::Integer(numbers) => {
            near(numbers, |value| value as f64, |value| value.round() as i64, units, rng).map(Column::Integer)
        }
        Column::Real(numbers) => near(numbers, |value| value, |value| value, units, rng).map(Column::Real),
        Column::Date(days) => {
            near(days, f64::from, |value| value.round() as i32, units, rng).map(Column::Date)
        }
        Column::Datetime(times) => {
            near(times, |value| value as f64, |value| value.round() as i64, units, rng).map(Column::Datetime)
        }
        Column::Categorical(_) | Column::Text(_) => None,
    }
}

fn near<T: Number>(
    numbers: &Numbers<T>,
    number: impl Fn(T) -> f64,
    back: impl Fn(f64) -> T,
    units: &Units<'_>,
    rng: &mut Rng,
) -> Option<Numbers<T>> {
    let rows = numbers.iter().enumerate().filter_map(|(row, entry)| match entry {
        Entry::Value(value) => Some((number(value), row as u32)),
        _ => None,
    });
    let near = NearNumbers::learn(units.once_each(rows.collect()))?;
    let mut drawn = Numbers::with_capacity(numbers.len());
    for entry in numbers.iter() {
        drawn.push(match entry {
            Entry::Value(value) => Entry::Value(back(near.near(number(value), rng))),
            other => other,
        });
    }
    Some(drawn)
}

/// The largest step of which all these whole numbers are multiples; 1 if they are zero.
pub(super) fn common_step(numbers: impl Iterator<Item = i64>) -> i64 {
    fn divisor(left: u64, right: u64) -> u64 {
        if right == 0 { left } else { divisor(right, left % right) }
    }
    let step = numbers.fold(0, |step, number| divisor(step, number.unsigned_abs()));
    i64::try_from(step).unwrap_or(1).max(1)
}
