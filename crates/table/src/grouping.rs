//! Numbers into classes, for methods and measures that need a table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TableError;
use crate::column::Column;
use crate::domain::{ClassRule, Classes, Partition};
use crate::schema::{Kind, Levels, Variable};
use crate::value_counts::ValueCounts;

/// How numeric variables are cut when the schema declares no cuts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Grouping {
    /// How many groups to aim at.
    pub groups: usize,
    /// Numbers with at most this many different values, or as few as groups, are not cut: each value is a class.
    #[serde(default)]
    pub values: usize,
    /// How the limits are found.
    pub style: GroupingStyle,
}

/// How limits are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GroupingStyle {
    /// A value that more than one group's share of the records has, such as zero, is a class of its own; the others are cut at their quantiles.
    Quantiles,
    /// At quantiles, even where they fall together and leave a single group; as synthpop does.
    QuantilesOnly,
    /// At equal distances.
    EqualWidth,
    /// Every distinct value is a class, whatever the schema declares; identifiers too.
    Exact,
}

impl Default for Grouping {
    fn default() -> Self {
        Self::quantiles(5)
    }
}

impl Grouping {
    /// This many groups at quantiles, frequent values apart.
    pub fn quantiles(groups: usize) -> Self {
        Self { groups, values: 0, style: GroupingStyle::Quantiles }
    }

    /// As synthpop cuts numbers.
    pub fn synthpop(groups: usize) -> Self {
        Self { groups, values: 0, style: GroupingStyle::QuantilesOnly }
    }

    /// Every distinct value a class of its own: for matching records exactly.
    pub fn exact() -> Self {
        Self { groups: usize::MAX - 1, values: 0, style: GroupingStyle::Exact }
    }

    /// How many different values of a number are a class each, at most.
    pub fn most_values(&self) -> usize {
        self.groups.max(self.values)
    }

    /// The classes of a variable: its levels; its declared cuts; one class a number if there are few; else groups of the values in `column`.
    pub fn classes(&self, variable: &Variable, column: &Column) -> Result<Classes, TableError> {
        if let Some(levels) = variable.kind.levels() {
            return Ok(Classes::new(variable, Partition::Levels(levels.clone())));
        }
        if let Column::Text(text) = column {
            if self.style == GroupingStyle::Exact {
                let levels = Levels::new(text.dictionary.iter().cloned()).unwrap_or_default();
                return Ok(Classes::new(variable, Partition::Levels(levels)));
            }
            return Err(TableError::variable(
                &variable.name,
                "an identifier has no classes; leave it out of the table",
            ));
        }
        if variable.cuts.is_some() && self.style != GroupingStyle::Exact {
            return self.classes_counted(variable, &ValueCounts::default());
        }
        self.classes_counted(variable, &ValueCounts::of(column))
    }

    /// The classes of a variable whose numbers these are: its declared cuts; one class a number if there are few; else groups of them.
    pub(crate) fn classes_counted(
        &self,
        variable: &Variable,
        numbers: &ValueCounts,
    ) -> Result<Classes, TableError> {
        let partition = match &variable.cuts {
            Some(cuts) if self.style != GroupingStyle::Exact => {
                Partition::Intervals { limits: cuts.clone(), chosen_by: ClassRule::DeclaredCuts }
            }
            _ => self.partition_counted(numbers)?,
        };
        Ok(Classes::new(variable, within_kind(partition, &variable.kind)))
    }

    /// The partition of counted numbers: that of [`partition`](Self::partition).
    pub(crate) fn partition_counted(&self, numbers: &ValueCounts) -> Result<Partition, TableError> {
        if numbers.distinct() <= self.most_values() {
            return Ok(Partition::Values(numbers.values().collect()));
        }
        match self.style {
            GroupingStyle::Quantiles => self.partition_of(numbers),
            GroupingStyle::QuantilesOnly => {
                let mut limits =
                    quantiles(numbers, numbers.records(), 0..=self.groups, self.groups, |rank| rank)?;
                limits.dedup();
                Ok(Partition::Intervals { limits, chosen_by: ClassRule::Quantiles })
            }
            GroupingStyle::EqualWidth | GroupingStyle::Exact => {
                Ok(self.of_equal_width(numbers.ranked(0), numbers.ranked(numbers.records() - 1)))
            }
        }
    }

    fn of_equal_width(&self, low: f64, high: f64) -> Partition {
        let step = (high - low) / self.groups as f64;
        let mut limits: Vec<f64> = (0..self.groups).map(|k| low + step * k as f64).collect();
        limits.push(high);
        limits.dedup();
        Partition::Intervals { limits, chosen_by: ClassRule::EqualWidth }
    }

    /// The partition of these values, which need not be sorted.
    pub fn partition(&self, mut values: Vec<f64>) -> Partition {
        values.sort_unstable_by(f64::total_cmp);
        let distinct = first_distinct(&values, self.most_values() + 1);
        if distinct.len() <= self.most_values() {
            return Partition::Values(distinct);
        }
        let (low, high) = (values[0], values[values.len() - 1]);
        let by_quantiles = || {
            let mut limits: Vec<f64> = (0..=self.groups).map(|k| quantile(&values, k, self.groups)).collect();
            limits.dedup();
            Partition::Intervals { limits, chosen_by: ClassRule::Quantiles }
        };
        match self.style {
            GroupingStyle::EqualWidth | GroupingStyle::Exact => self.of_equal_width(low, high),
            GroupingStyle::QuantilesOnly => by_quantiles(),
            GroupingStyle::Quantiles => Partition::Intervals {
                limits: limits_with_frequent_values(&values, self.groups),
                chosen_by: ClassRule::Quantiles,
            },
        }
    }
}

/// Numbers in ascending order that need not be in memory. Every call may take passes over them, so that all ranks are asked for at once.
pub(crate) trait Ranked {
    /// How many there are.
    fn len(&self) -> u64;

    /// Whether there are certainly more different ones than any number of groups.
    fn are_many(&self) -> bool {
        false
    }

    /// The numbers at these ranks, from 0.
    fn at(&self, ranks: &[u64]) -> Result<Vec<f64>, TableError>;

    /// How many are below each of these numbers, and how many are not above it.
    fn up_to(&self, values: &[f64]) -> Result<Vec<(u64, u64)>, TableError>;
}

impl Grouping {
    /// The partition of these numbers by quantiles, frequent values apart: that of [`partition`](Self::partition) for the style `Quantiles`.
    pub(crate) fn partition_of(&self, numbers: &dyn Ranked) -> Result<Partition, TableError> {
        debug_assert_eq!(self.style, GroupingStyle::Quantiles);
        let (n, groups) = (numbers.len(), self.groups as u64);
        let mut distinct: Vec<f64> = Vec::new();
        let mut next = 0;
        while !numbers.are_many() && next < n && distinct.len() <= self.most_values() {
            let value = numbers.at(&[next])?[0];
            next = numbers.up_to(&[value])?[0].1;
            distinct.push(value);
        }
        if n == 0 || (!numbers.are_many() && distinct.len() <= self.most_values()) {
            return Ok(Partition::Values(distinct));
        }
        // A value of more than one group's share of the records is found at one of these ranks.
        let ranks: Vec<u64> = (0..groups)
            .map(|k| (u128::from(k) * u128::from(n) / u128::from(groups)) as u64)
            .chain([n - 1])
            .collect();
        let found = numbers.at(&ranks)?;
        let (first, last) = (found[0], found[found.len() - 1]);
        let mut candidates = found;
        candidates.dedup();
        let around = numbers.up_to(&candidates)?;
        let is_frequent = |(_, (below, with)): &(&f64, &(u64, u64))| (with - below) * groups > n;
        let frequent: Vec<(f64, u64, u64)> = candidates
            .iter()
            .zip(&around)
            .filter(is_frequent)
            .map(|(value, (below, with))| (*value, *below, with - below))
            .collect();
        let limits = if frequent.is_empty() {
            let mut limits = quantiles(numbers, n, 0..=self.groups, self.groups, |rank| rank)?;
            limits.dedup();
            limits
        } else {
            limits_among_frequent(numbers, &frequent, (first, last), self.groups)?
        };
        Ok(Partition::Intervals { limits, chosen_by: ClassRule::Quantiles })
    }
}

/// Quantiles k/parts of `count` numbers, whose ranks among all are given by `rank_of`; in the operations of [`quantile`].
fn quantiles(
    numbers: &dyn Ranked,
    count: u64,
    ks: impl Iterator<Item = usize>,
    parts: usize,
    rank_of: impl Fn(u64) -> u64,
) -> Result<Vec<f64>, TableError> {
    let (mut ranks, mut fractions) = (Vec::new(), Vec::new());
    for k in ks {
        let share = if k == parts { 1.0 } else { (1.0 / parts as f64) * k as f64 };
        let index = 1.0 + (count - 1) as f64 * share;
        let below = index.floor();
        ranks.extend([rank_of(below as u64 - 1), rank_of((index.ceil() as u64).min(count) - 1)]);
        fractions.push(index - below);
    }
    let found = numbers.at(&ranks)?;
    let between = |(ends, fraction): (&[f64], f64)| match ends {
        [low, high] if fraction > 0.0 && high != low => (1.0 - fraction) * low + fraction * high,
        ends => ends[0],
    };
    Ok(found.chunks(2).zip(fractions).map(between).collect())
}

/// [`limits_with_frequent_values`] for numbers that are not in memory; `frequent` are values with how many numbers are below and how many are equal.
fn limits_among_frequent(
    numbers: &dyn Ranked,
    frequent: &[(f64, u64, u64)],
    (first, last): (f64, f64),
    groups: usize,
) -> Result<Vec<f64>, TableError> {
    let n = numbers.len();
    let others = n - frequent.iter().map(|(_, _, equal)| equal).sum::<u64>();
    let share = others as f64 / n as f64;
    let parts = ((groups as f64 * share).round() as usize).clamp(2, groups.max(2));
    let rank_of = |rank: u64| {
        frequent.iter().fold(rank, |rank, (_, below, equal)| if rank >= *below { rank + equal } else { rank })
    };
    let mut limits = quantiles(numbers, others, 1..parts, parts, rank_of)?;
    let is_frequent = |value: f64| frequent.iter().any(|(known, ..)| *known == value);
    limits.push(first);
    limits.extend(frequent.iter().map(|(value, ..)| *value));
    limits.sort_unstable_by(f64::total_cmp);
    limits.dedup();
    let around = numbers.up_to(&limits)?;
    let mut kept: Vec<(f64, u64)> = Vec::with_capacity(limits.len() + frequent.len());
    for (limit, (below, with)) in limits.into_iter().zip(around) {
        if is_frequent(limit) {
            kept.extend([(limit, with); 2]);
        } else if kept.last().is_none_or(|(_, before)| below > *before) {
            kept.push((limit, below));
        }
    }
    let mut kept: Vec<f64> = kept.into_iter().map(|(limit, _)| limit).collect();
    if kept.last() != Some(&last) {
        kept.push(last);
    }
    Ok(kept)
}

/// Limits of the classes of sorted values: each value that more than 1/groups of them are is a class by itself, and the others are cut at quantiles
/// into about as many groups as their share deserves, at least two.
fn limits_with_frequent_values(sorted: &[f64], groups: usize) -> Vec<f64> {
    let is_frequent = |equal: &&[f64]| equal.len() * groups > sorted.len();
    let runs = || sorted.chunk_by(|left, right| left == right);
    let frequent: Vec<f64> = runs().filter(is_frequent).map(|equal| equal[0]).collect();
    if frequent.is_empty() {
        let mut limits: Vec<f64> = (0..=groups).map(|k| quantile(sorted, k, groups)).collect();
        limits.dedup();
        return limits;
    }
    let others: Vec<f64> = runs().filter(|equal| !is_frequent(equal)).flatten().copied().collect();
    let share = others.len() as f64 / sorted.len() as f64;
    let parts = ((groups as f64 * share).round() as usize).clamp(2, groups.max(2));
    let mut limits: Vec<f64> = (1..parts).map(|k| quantile(&others, k, parts)).collect();
    limits.push(sorted[0]);
    limits.extend(&frequent);
    limits.sort_unstable_by(f64::total_cmp);
    limits.dedup();
    let mut kept: Vec<f64> = Vec::with_capacity(limits.len() + frequent.len());
    for limit in limits {
        if frequent.contains(&limit) {
            kept.extend([limit; 2]);
            continue;
        }
        let holds_a_value = kept.last().is_none_or(|from| {
            let is_below = |value: &f64| if frequent.contains(from) { value <= from } else { value < from };
            sorted.get(sorted.partition_point(is_below)).is_some_and(|value| *value < limit)
        });
        if holds_a_value {
            kept.push(limit);
        }
    }
    let last = sorted[sorted.len() - 1];
    if kept.last() != Some(&last) {
        kept.push(last);
    }
    kept
}

/// The same classes without the values that the kind does not have: nothing outside the range, and for whole numbers no
/// interval between two of them. Every value of the kind stays in its class.
pub(crate) fn within_kind(partition: Partition, kind: &Kind) -> Partition {
    let Partition::Intervals { mut limits, chosen_by } = partition else { return partition };
    let alone: Vec<f64> = limits.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    if let Some((low, high)) = kind.declared_range() {
        limits.iter_mut().for_each(|limit| *limit = limit.clamp(low, high));
    }
    if let Some(step) = kind.step() {
        let last = limits.len() - 1;
        limits[..last].iter_mut().for_each(|limit| *limit = (*limit / step).ceil() * step);
        limits[last] = (limits[last] / step).floor() * step;
    }
    limits.dedup();
    let limits = with_classes_of_their_own(limits, &alone, kind.step());
    if limits.len() == 1 { Partition::Values(limits) } else { Partition::Intervals { limits, chosen_by } }
}

/// The limits with these values as classes of their own, as far as they are among them: a limit that comes twice, or for whole numbers
/// the next number as a limit.
fn with_classes_of_their_own(limits: Vec<f64>, alone: &[f64], step: Option<f64>) -> Vec<f64> {
    let last = limits.len() - 1;
    let mut all = Vec::with_capacity(limits.len() + alone.len());
    for (position, limit) in limits.iter().enumerate() {
        all.push(*limit);
        if alone.contains(limit) && last > 0 {
            let next = limits.get(position + 1).copied().unwrap_or(*limit);
            all.push(step.filter(|_| position < last).map_or(*limit, |step| (limit + step).min(next)));
        }
    }
    match step {
        // Only the last limit may come twice: between two equal ones inside there is no whole number.
        Some(_) => {
            let end = all.len() >= 2 && all[all.len() - 1] == all[all.len() - 2];
            all.dedup();
            if end {
                all.extend(limits.last());
            }
            all
        }
        None => all,
    }
}

/// The first `most` distinct values of a sorted list.
fn first_distinct(sorted: &[f64], most: usize) -> Vec<f64> {
    let mut distinct: Vec<f64> = Vec::new();
    let mut rest = sorted;
    while let (Some(next), true) = (rest.first(), distinct.len() < most) {
        distinct.push(*next);
        rest = &rest[rest.partition_point(|value| value <= next)..];
    }
    distinct
}

/// The quantile k/parts of sorted values. The operations are in R's order, so that limits agree to the last bit.
pub fn quantile(sorted: &[f64], k: usize, parts: usize) -> f64 {
    quantile_at(sorted, if k == parts { 1.0 } else { (1.0 / parts as f64) * k as f64 })
}

/// The quantile of sorted values at a share p, by R's type 7: with h = (n − 1) p, (1 − f) x₍⌊h⌋₎ + f x₍⌈h⌉₎ for f = h − ⌊h⌋
/// (Hyndman & Fan 1996).
pub fn quantile_at(sorted: &[f64], share: f64) -> f64 {
    let index = 1.0 + (sorted.len() - 1) as f64 * share;
    let below = index.floor();
    let (low, high) = (sorted[below as usize - 1], sorted[(index.ceil() as usize).min(sorted.len()) - 1]);
    let fraction = index - below;
    if fraction > 0.0 && high != low { (1.0 - fraction) * low + fraction * high } else { low }
}

#[cfg(test)]
mod tests {
    use proptest::strategy::Strategy;

    use super::*;

    #[test]
    fn quantiles_are_type_seven() {
        let values = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile(&values, 1, 2), 3.0);
        assert_eq!(quantile(&values, 1, 4), 1.75);
        assert_eq!((quantile(&values, 0, 5), quantile(&values, 5, 5)), (1.0, 8.0));
    }

    #[test]
    fn few_distinct_numbers_are_classes_of_their_own() {
        let partition = Grouping::default().partition(vec![1.0, 0.0, 1.0, 0.0]);
        assert_eq!(partition, Partition::Values(vec![0.0, 1.0]));
    }

    #[test]
    fn frequent_values_are_classes_and_the_others_are_cut() {
        let limits = |values: Vec<f64>, groups: usize| {
            let Partition::Intervals { limits, .. } = Grouping::quantiles(groups).partition(values) else {
                panic!("intervals")
            };
            limits
        };
        let mut zeros: Vec<f64> = vec![0.0; 70];
        zeros.extend((1..=30).map(f64::from));
        assert_eq!(limits(zeros.clone(), 5), [0.0, 0.0, 15.5, 30.0]);
        let partition = Grouping::default().partition(zeros.clone());
        let classes = [0.0, 0.5, 15.0, 15.5, 30.0].map(|value| partition.class_of(value));
        assert_eq!(classes, [Some(0), Some(1), Some(1), Some(2), Some(2)]);
        assert_eq!(Grouping::synthpop(5).partition(zeros).len(), 2);
        // The largest value is frequent: its class is a point.
        let mut capped: Vec<f64> = (1..=50).map(f64::from).collect();
        capped.extend([99.0; 50]);
        assert_eq!(limits(capped.clone(), 4), [1.0, 25.5, 99.0, 99.0]);
        let partition = Grouping::quantiles(4).partition(capped);
        assert_eq!([25.0, 50.0, 99.0].map(|value| partition.class_of(value)), [Some(0), Some(1), Some(2)]);
        // Two frequent values with others before, between and after them.
        let mut spread: Vec<f64> = [[2.0; 40], [5.0; 40]].concat();
        spread.extend([1.0, 3.0, 4.0, 7.0, 8.0, 9.0]);
        assert_eq!(limits(spread, 3), [1.0, 2.0, 2.0, 5.0, 5.0, 9.0]);
        let mut nearly_constant = vec![0.0; 994];
        nearly_constant.extend((1..=6).map(f64::from));
        assert_eq!(Grouping::synthpop(5).partition(nearly_constant.clone()).len(), 1);
        assert_eq!(limits(nearly_constant, 5), [0.0, 0.0, 3.5, 6.0]);
    }

    #[test]
    fn few_values_are_levels_where_that_is_asked_for() {
        let ages: Vec<f64> = (0..90).map(|row| f64::from(row % 15)).collect();
        let measured = Grouping { values: 20, ..Grouping::default() };
        assert_eq!(measured.partition(ages.clone()).len(), 15);
        assert_eq!(Grouping::default().partition(ages).len(), 5);
    }

    #[test]
    fn classes_of_whole_numbers_hold_whole_numbers_of_the_range() {
        let whole = Kind::Integer { range: Some((1, 7)) };
        let limits = |limits: &[f64]| Partition::Intervals {
            limits: limits.to_vec(),
            chosen_by: ClassRule::Quantiles,
        };
        assert_eq!(
            within_kind(limits(&[1.0, 2.4, 3.0, 4.2, 5.6, 7.0]), &whole),
            limits(&[1.0, 3.0, 5.0, 6.0, 7.0])
        );
        assert_eq!(within_kind(limits(&[0.0, 5.0, 120.0]), &whole), limits(&[1.0, 5.0, 7.0]));
        assert_eq!(
            within_kind(limits(&[0.0, 50.0, 100.0]), &Kind::Real { range: Some((0.5, 40.0)) }),
            limits(&[0.5, 40.0])
        );
        assert_eq!(
            within_kind(limits(&[0.0, 9.0]), &Kind::Integer { range: Some((3, 3)) }),
            Partition::Values(vec![3.0])
        );
        let point = limits(&[0.0, 0.0, 3.0, 7.0, 7.0]);
        assert_eq!(within_kind(point, &Kind::Integer { range: None }), limits(&[0.0, 1.0, 3.0, 7.0, 7.0]));
    }

    /// Sorted numbers in memory as others see them.
    struct Sorted(Vec<f64>);

    impl Ranked for Sorted {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }

        fn at(&self, ranks: &[u64]) -> Result<Vec<f64>, TableError> {
            Ok(ranks.iter().map(|rank| self.0[*rank as usize]).collect())
        }

        fn up_to(&self, values: &[f64]) -> Result<Vec<(u64, u64)>, TableError> {
            let before = |is_before: &dyn Fn(&f64) -> bool| self.0.partition_point(is_before) as u64;
            Ok(values.iter().map(|value| (before(&|x| x < value), before(&|x| x <= value))).collect())
        }
    }

    proptest::proptest! {
        #[test]
        fn numbers_elsewhere_have_the_same_classes(
            mut values in proptest::collection::vec(
                proptest::prop_oneof![proptest::strategy::Just(0.0), proptest::strategy::Just(7.5), -9.0..9.0_f64, (-3..3_i32).prop_map(f64::from)], 1..120),
            groups in 2_usize..9,
        ) {
            let grouping = Grouping::quantiles(groups);
            let partition = grouping.partition(values.clone());
            values.sort_unstable_by(f64::total_cmp);
            proptest::prop_assert_eq!(grouping.partition_of(&Sorted(values)).unwrap(), partition);
        }
    }

    #[test]
    fn every_value_has_a_class() {
        let values: Vec<f64> = (0..997).map(|i| f64::from(i * i % 613) / 7.0).collect();
        for style in [GroupingStyle::Quantiles, GroupingStyle::EqualWidth, GroupingStyle::QuantilesOnly] {
            let partition = Grouping { groups: 10, values: 0, style }.partition(values.clone());
            assert!(values.iter().all(|value| partition.class_of(*value).is_some()));
        }
    }
}
