//! Numbers matched by value: one class a number.
//!
//! Two numbers are the same when they agree to 15 significant digits. A double carries two digits more, but those are where one
//! program's weight / height² differs from another's, and where a file written with 15 digits differs from its source; to an
//! intruder they are the same number. R tells numbers apart in the same way when it makes factors of them.

use rustc_hash::FxHashMap;
use table::column::Entry;
use table::domain::Partition;

/// The class of a number, or the entry itself where it is a code or missing.
pub(crate) type ClassOrEntry = Result<u32, Entry<f64>>;

/// The classes of these numbers, ascending, and the class of each entry in each side.
pub(crate) fn exact_numbers<S: Iterator<Item = Entry<f64>>>(
    sides: impl Iterator<Item = S>,
) -> (Partition, Vec<Vec<ClassOrEntry>>) {
    let mut distinct: Vec<f64> = Vec::new();
    let mut ordinal_of: FxHashMap<u64, u32> = FxHashMap::default();
    let mut ordinal = |entry: Entry<f64>| match entry {
        Entry::Value(value) => Ok(*ordinal_of.entry(value.to_bits()).or_insert_with(|| {
            distinct.push(value);
            distinct.len() as u32 - 1
        })),
        other => Err(other),
    };
    let mut sides: Vec<Vec<ClassOrEntry>> = sides.map(|side| side.map(&mut ordinal).collect()).collect();
    let mut ascending: Vec<u32> = (0..distinct.len() as u32).collect();
    ascending.sort_unstable_by(|one, other| distinct[*one as usize].total_cmp(&distinct[*other as usize]));
    let mut class_of = vec![0; distinct.len()];
    let mut values: Vec<f64> = Vec::with_capacity(distinct.len());
    for ordinal in ascending {
        let value = distinct[ordinal as usize];
        if !values.last().is_some_and(|last| agree_to_15_digits(*last, value)) {
            values.push(value);
        }
        class_of[ordinal as usize] = values.len() as u32 - 1;
    }
    sides.iter_mut().flatten().flatten().for_each(|class| *class = class_of[*class as usize]);
    (Partition::Values(values), sides)
}

/// Whether two numbers are written alike with 15 significant digits.
fn agree_to_15_digits(one: f64, other: f64) -> bool {
    // Numbers further apart than the last of 15 digits are never written alike; most pairs end here.
    (other - one).abs() <= 1e-14 * one.abs().max(other.abs())
        && format!("{one:.14e}") == format!("{other:.14e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_apart_by_15_digits() {
        let side =
            |values: &[f64]| values.iter().map(|value| Entry::Value(*value)).collect::<Vec<_>>().into_iter();
        let original = side(&[30.468749999999993, 2.0, -1.0, 30.46875]);
        let synthetic = side(&[30.4687499999999, 2.0, 1e300, 2.00000000000001]);
        let (partition, classes) = exact_numbers([original, synthetic].into_iter());
        let Partition::Values(values) = partition else { panic!("one class a number") };
        assert_eq!(values, [-1.0, 2.0, 2.00000000000001, 30.4687499999999, 30.468749999999993, 1e300]);
        let classes: Vec<Vec<u32>> =
            classes.into_iter().map(|side| side.into_iter().map(Result::unwrap).collect()).collect();
        assert_eq!(classes, [[4, 1, 0, 4], [3, 1, 5, 2]]);
    }

    #[test]
    fn what_is_no_number_is_handed_back() {
        let side = [Entry::Missing, Entry::Value(7.0), Entry::Code(2)].into_iter();
        let (_, classes) = exact_numbers([side].into_iter());
        assert_eq!(classes[0], [Err(Entry::Missing), Ok(0), Err(Entry::Code(2))]);
    }
}
