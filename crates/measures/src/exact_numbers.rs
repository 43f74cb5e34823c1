//! Numbers matched by value: one class a number.
//!
//! Two numbers are the same when they agree to 15 significant digits. A double carries two digits more, but those are where one
//! program's weight / height² differs from another's, and where a file written with 15 digits differs from its source; to an
//! intruder they are the same number. R tells numbers apart in the same way when it makes factors of them.

use rustc_hash::FxHashMap;
use table::column::Entry;
use table::domain::Partition;

/// Numbers in classes, ascending; then come as many special codes as there are, then missing.
pub(crate) struct ExactNumbers {
    /// One class a number.
    pub(crate) partition: Partition,
    /// Whether an entry is missing.
    pub(crate) missing: bool,
    /// The class of each entry in each side.
    pub(crate) classes: Vec<Vec<u32>>,
}

/// Ordinals from here downwards stand for missing and for special codes.
const MISSING: u32 = u32::MAX;

/// Sorts the numbers of all sides into classes. Codes are numbered below `codes`.
pub(crate) fn exact_numbers<S: Iterator<Item = Entry<f64>>>(
    sides: impl Iterator<Item = S>,
    codes: usize,
) -> ExactNumbers {
    let mut distinct: Vec<f64> = Vec::new();
    let mut ordinal_of: FxHashMap<u64, u32> = FxHashMap::default();
    let mut missing = false;
    let mut ordinal = |entry: Entry<f64>| match entry {
        Entry::Value(value) => *ordinal_of.entry(value.to_bits()).or_insert_with(|| {
            distinct.push(value);
            distinct.len() as u32 - 1
        }),
        Entry::Code(code) => MISSING - 1 - code as u32,
        Entry::Missing => {
            missing = true;
            MISSING
        }
    };
    let mut classes: Vec<Vec<u32>> = sides.map(|side| side.map(&mut ordinal).collect()).collect();
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
    for class in classes.iter_mut().flatten() {
        *class = match class_of.get(*class as usize) {
            Some(class) => *class,
            None if *class == MISSING => (values.len() + codes) as u32,
            None => values.len() as u32 + (MISSING - 1 - *class),
        };
    }
    ExactNumbers { partition: Partition::Values(values), missing, classes }
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
        let found = exact_numbers([original, synthetic].into_iter(), 0);
        let Partition::Values(values) = found.partition else { panic!("one class a number") };
        assert_eq!(values, [-1.0, 2.0, 2.00000000000001, 30.4687499999999, 30.468749999999993, 1e300]);
        assert_eq!(found.classes, [[4, 1, 0, 4], [3, 1, 5, 2]]);
        assert!(!found.missing);
    }

    #[test]
    fn codes_and_missing_come_after_the_numbers() {
        let side = [Entry::Missing, Entry::Value(7.0), Entry::Code(1), Entry::Code(0)].into_iter();
        let found = exact_numbers([side].into_iter(), 2);
        assert_eq!((found.classes, found.missing), (vec![vec![3, 0, 2, 1]], true));
    }
}
