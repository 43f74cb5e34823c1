//! Classes of a number that look behind its frequent values.
//!
//! Of a number that is nearly always zero, quantiles of all records leave one or two classes for the values that matter. Here frequent values are classes of their own, and
//! the others are cut at quantiles among themselves, into as many groups as were asked for where they have records enough.

use table::Grouping;
use table::domain::{ClassRule, Partition};

/// A group of the values that are not frequent has at least so many records.
const LEAST_RECORDS: usize = 25;

/// The classes of these values; `None` where no value is that of more than one group's share of them, or there are few values.
pub(crate) fn inner_classes(grouping: &Grouping, values: &[f64]) -> Option<Partition> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let is_frequent = |equal: &&[f64]| equal.len() * grouping.groups > sorted.len();
    let runs = || sorted.chunk_by(|left, right| left == right);
    let frequent: Vec<f64> = runs().filter(is_frequent).map(|equal| equal[0]).collect();
    let others: Vec<f64> = runs().filter(|equal| !is_frequent(equal)).flatten().copied().collect();
    let parts = (others.len() / LEAST_RECORDS).min(grouping.groups);
    if frequent.is_empty()
        || parts < 2
        || runs().take(grouping.most_values() + 1).count() <= grouping.most_values()
    {
        return None;
    }
    let (low, high) = (others[0], others[others.len() - 1]);
    let mut limits = match Grouping::quantiles(parts).partition(others) {
        Partition::Values(values) => values.iter().flat_map(|value| [*value; 2]).collect(),
        Partition::Intervals { limits, .. } => limits,
        Partition::Levels(_) => return None,
    };
    // No class lies between a frequent value and the next one that occurs.
    let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
    let is_inner = |limit: &f64| (*limit != low || low == first) && (*limit != high || high == last);
    let is_alone = |limit: &f64, limits: &[f64]| limits.iter().filter(|other| *other == limit).count() > 1;
    let all = limits.clone();
    limits.retain(|limit| is_inner(limit) || is_alone(limit, &all));
    limits.extend(frequent.iter().flat_map(|value| [*value; 2]));
    limits.sort_unstable_by(f64::total_cmp);
    // A value comes at most twice.
    let mut before = [f64::NAN; 2];
    limits.retain(|limit| {
        let is_third = before == [*limit; 2];
        before = [before[1], *limit];
        !is_third
    });
    Some(Partition::Intervals { limits, chosen_by: ClassRule::Quantiles })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_behind_a_frequent_one_have_classes_of_their_own() {
        let grouping = Grouping { values: 20, ..Grouping::quantiles(20) };
        let rare = (1..=1000).map(|amount| f64::from(amount) * 10.0);
        let values: Vec<f64> = std::iter::repeat_n(0.0, 19_000).chain(rare).collect();
        let Some(Partition::Intervals { limits, .. }) = inner_classes(&grouping, &values) else {
            panic!("zero is frequent")
        };
        assert_eq!(limits[..2], [0.0, 0.0]);
        // Twenty classes of the others, of which the first begins behind zero.
        assert_eq!((limits.len(), limits[limits.len() - 1]), (22, 10_000.0));
        assert!((limits[2] - 509.5).abs() < 1e-9);
        let partition = Partition::Intervals { limits, chosen_by: ClassRule::Quantiles };
        let classes: Vec<Option<u32>> =
            [0.0, 10.0, 500.0, 510.0, 10_000.0].map(|value| partition.class_of(value)).to_vec();
        assert_eq!(classes, [Some(0), Some(1), Some(1), Some(2), Some(20)]);
    }

    #[test]
    fn numbers_without_a_frequent_value_or_with_few_values_are_left_as_they_are() {
        let grouping = Grouping { values: 20, ..Grouping::quantiles(20) };
        let all_different: Vec<f64> = (0..5000).map(f64::from).collect();
        assert_eq!(inner_classes(&grouping, &all_different), None);
        let few: Vec<f64> = (0..5000).map(|row| f64::from(row % 7)).collect();
        assert_eq!(inner_classes(&grouping, &few), None);
    }
}
