//! Numbers into classes, for methods and measures that need a table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TableError;
use crate::column::{Column, Entry};
use crate::domain::{ClassRule, Classes, Partition};
use crate::schema::{Kind, Levels, Variable};

/// How numeric variables are cut when the schema declares no cuts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Grouping {
    /// How many groups to aim at.
    pub groups: usize,
    /// How the limits are found.
    pub style: GroupingStyle,
}

/// How limits are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GroupingStyle {
    /// At quantiles, so that groups are about equally large; equal widths where quantiles fall together.
    Quantiles,
    /// At quantiles even where they fall together and leave a single group.
    QuantilesOnly,
    /// At equal distances.
    EqualWidth,
    /// Every distinct value is a class, whatever the schema declares; identifiers too.
    Exact,
}

impl Default for Grouping {
    fn default() -> Self {
        Self { groups: 5, style: GroupingStyle::Quantiles }
    }
}

impl Grouping {
    /// Every distinct value a class of its own: for matching records exactly.
    pub fn exact() -> Self {
        Self { groups: usize::MAX - 1, style: GroupingStyle::Exact }
    }

    /// The classes of a variable: its levels; its declared cuts; one class a number if there are no more numbers than groups;
    /// else groups of the values in `column`.
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
        if let (Some(cuts), true) = (&variable.cuts, self.style != GroupingStyle::Exact) {
            let partition = Partition::Intervals { limits: cuts.clone(), chosen_by: ClassRule::DeclaredCuts };
            return Ok(Classes::new(variable, within_kind(partition, &variable.kind)));
        }
        let values = (0..column.len()).filter_map(|row| match column.number(row) {
            Some(Entry::Value(value)) => Some(value),
            _ => None,
        });
        Ok(Classes::new(variable, within_kind(self.partition(values.collect()), &variable.kind)))
    }

    /// The partition of these values, which need not be sorted.
    pub fn partition(&self, mut values: Vec<f64>) -> Partition {
        values.sort_unstable_by(f64::total_cmp);
        let distinct = first_distinct(&values, self.groups + 1);
        if distinct.len() <= self.groups {
            return Partition::Values(distinct);
        }
        let (low, high) = (values[0], values[values.len() - 1]);
        let by_quantiles = || {
            let mut limits: Vec<f64> = (0..=self.groups).map(|k| quantile(&values, k, self.groups)).collect();
            limits.dedup();
            Partition::Intervals { limits, chosen_by: ClassRule::Quantiles }
        };
        let by_width = || {
            let step = (high - low) / self.groups as f64;
            let mut limits: Vec<f64> = (0..self.groups).map(|k| low + step * k as f64).collect();
            limits.push(high);
            limits.dedup();
            Partition::Intervals { limits, chosen_by: ClassRule::EqualWidth }
        };
        match self.style {
            GroupingStyle::EqualWidth | GroupingStyle::Exact => by_width(),
            GroupingStyle::QuantilesOnly => by_quantiles(),
            GroupingStyle::Quantiles => {
                Some(by_quantiles()).filter(|groups| groups.len() > 1).unwrap_or_else(by_width)
            }
        }
    }
}

/// The same classes without the values that the kind does not have: nothing outside the range, and for whole numbers no
/// interval between two of them. Every value of the kind stays in its class.
pub(crate) fn within_kind(partition: Partition, kind: &Kind) -> Partition {
    let Partition::Intervals { mut limits, chosen_by } = partition else { return partition };
    if let Some((low, high)) = kind.declared_range() {
        limits.iter_mut().for_each(|limit| *limit = limit.clamp(low, high));
    }
    if let Some(step) = kind.step() {
        let last = limits.len() - 1;
        limits[..last].iter_mut().for_each(|limit| *limit = (*limit / step).ceil() * step);
        limits[last] = (limits[last] / step).floor() * step;
    }
    limits.dedup();
    if limits.len() == 1 { Partition::Values(limits) } else { Partition::Intervals { limits, chosen_by } }
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
    fn repeated_quantiles_are_dropped_and_a_collapse_falls_back_to_equal_width() {
        let mut values: Vec<f64> = vec![0.0; 70];
        values.extend((1..=30).map(f64::from));
        let five = Grouping::default().partition(values.clone());
        let Partition::Intervals { limits, chosen_by } = five else { panic!("intervals") };
        assert_eq!(chosen_by, ClassRule::Quantiles);
        assert_eq!((limits[0], limits.len()), (0.0, 3));
        let mut nearly_constant = vec![0.0; 994];
        nearly_constant.extend((1..=6).map(f64::from));
        let fallback = Grouping::default().partition(nearly_constant.clone());
        let limits = vec![0.0, 1.2, 2.4, 6.0 / 5.0 * 3.0, 4.8, 6.0];
        assert_eq!(fallback, Partition::Intervals { limits, chosen_by: ClassRule::EqualWidth });
        let strict = Grouping { style: GroupingStyle::QuantilesOnly, ..Grouping::default() };
        assert_eq!(strict.partition(nearly_constant).len(), 1);
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
    }

    #[test]
    fn every_value_has_a_class() {
        let values: Vec<f64> = (0..997).map(|i| f64::from(i * i % 613) / 7.0).collect();
        for style in [GroupingStyle::Quantiles, GroupingStyle::EqualWidth, GroupingStyle::QuantilesOnly] {
            let partition = Grouping { groups: 10, style }.partition(values.clone());
            assert!(values.iter().all(|value| partition.class_of(*value).is_some()));
        }
    }
}
