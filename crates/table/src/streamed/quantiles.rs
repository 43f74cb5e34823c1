//! Classes of numbers from files: the same limits, to the last bit, as [`Grouping`] finds in a table in memory.
//!
//! One pass counts the different values of each number, up to a limit. Of a number with more of them, order statistics are found digit by digit: a pass counts the
//! records by the leading 16 bits of the number, further passes by the next 16 bits among those that share the bits of an order statistic that is wanted. So all are exact in
//! four passes and a few megabytes, however many records there are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::learning::{number, ordered};
use super::{StreamedTable, coding};
use crate::column::Entry;
use crate::domain::{ClassRule, Partition};
use crate::grouping::{Ranked, within_kind};
use crate::read::in_blocks::{Block, Place};
use crate::{Classes, Column, Domain, Grouping, TableError, Variable};

/// Different values that are counted one by one.
const MOST_VALUES: usize = 1 << 20;

impl StreamedTable {
    /// The classes of the modelled variables: levels, declared cuts, else quantiles of the records.
    pub fn domain(&self, groups: usize) -> Result<Domain, TableError> {
        let modelled: Vec<&Variable> =
            self.schema.variables().iter().filter(|variable| variable.is_modelled()).collect();
        let needs = |variable: &&&Variable| variable.kind.levels().is_none() && variable.cuts.is_none();
        let open: Vec<&Variable> = modelled.iter().filter(needs).copied().collect();
        let mut found: BTreeMap<String, Partition> = BTreeMap::new();
        if !open.is_empty() {
            let grouping = Grouping::quantiles(groups);
            for (variable, values) in open.iter().zip(self.values_of(&open)?) {
                let partition = match values {
                    Some(counts) => grouping.partition_of(&Counted::new(counts))?,
                    None => grouping.partition_of(&Digits::new(self, variable)?)?,
                };
                found.insert(variable.name.clone(), partition);
            }
        }
        let classes = modelled.into_iter().map(|variable| {
            let partition = match (variable.kind.levels(), &variable.cuts, found.remove(&variable.name)) {
                (Some(levels), ..) => Partition::Levels(levels.clone()),
                (None, Some(cuts), _) => {
                    Partition::Intervals { limits: cuts.clone(), chosen_by: ClassRule::DeclaredCuts }
                }
                (None, None, partition) => partition.unwrap_or_else(|| Partition::Values(Vec::new())),
            };
            Classes::new(variable, within_kind(partition, &variable.kind))
        });
        Domain::new(classes.collect())
    }

    /// The variables of these names with every different value as a class of its own.
    pub fn exact_domain(&self, names: &[String]) -> Result<Domain, TableError> {
        let variables = names.iter().map(|name| self.schema.variable(name)).collect::<Result<Vec<_>, _>>()?;
        let is_number = |variable: &&&Variable| variable.kind.is_numeric();
        let numbers: Vec<&Variable> = variables.iter().filter(is_number).copied().collect();
        let values = if numbers.is_empty() { Vec::new() } else { self.values_of(&numbers)? };
        let mut values = values.into_iter();
        let classes = variables.into_iter().map(|variable| {
            let partition = match variable.kind.levels() {
                Some(levels) => Partition::Levels(levels.clone()),
                None if variable.kind.is_numeric() => match values.next().flatten() {
                    Some(counts) => Partition::Values(counts.into_keys().map(number).collect()),
                    None => {
                        let message = format!("it has more than {MOST_VALUES} different values, too many for a key; leave it out");
                        return Err(TableError::variable(&variable.name, message));
                    }
                },
                None => {
                    let message = "an identifier tells all records apart by itself; leave it out of the keys";
                    return Err(TableError::variable(&variable.name, message));
                }
            };
            Ok(Classes::new(variable, partition))
        });
        Domain::new(classes.collect::<Result<_, _>>()?)
    }

    /// The smallest and largest value of each of these numbers.
    pub(crate) fn extremes(&self, names: &[&str]) -> Result<Vec<Option<(f64, f64)>>, TableError> {
        let variables = names.iter().map(|name| self.schema.variable(name)).collect::<Result<Vec<_>, _>>()?;
        let found: Vec<Mutex<Option<(f64, f64)>>> = variables.iter().map(|_| Mutex::default()).collect();
        if !variables.is_empty() {
            self.numbers_pass(&variables, &|position, column| {
                let mut of_block: Option<(f64, f64)> = None;
                let widen = |extremes: &mut Option<(f64, f64)>, low: f64, high: f64| {
                    *extremes = Some(
                        extremes
                            .map_or((low, high), |(lowest, highest)| (lowest.min(low), highest.max(high))),
                    );
                };
                for_each_number(column, |value| widen(&mut of_block, value, value));
                if let Some((low, high)) = of_block {
                    widen(&mut found[position].lock().unwrap_or_else(PoisonError::into_inner), low, high);
                }
                Ok(())
            })?;
        }
        Ok(found
            .into_iter()
            .map(|extremes| extremes.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect())
    }

    /// The different values of these numbers with their frequencies; `None` where there are too many.
    fn values_of(&self, variables: &[&Variable]) -> Result<Vec<Option<BTreeMap<i64, u64>>>, TableError> {
        let counted: Vec<Mutex<Option<FxHashMap<i64, u64>>>> =
            variables.iter().map(|_| Mutex::new(Some(FxHashMap::default()))).collect();
        self.numbers_pass(variables, &|position, column| {
            let lock = || counted[position].lock().unwrap_or_else(PoisonError::into_inner);
            if lock().is_none() {
                return Ok(());
            }
            let mut of_block: FxHashMap<i64, u64> = FxHashMap::default();
            for_each_number(column, |value| *of_block.entry(ordered(value)).or_default() += 1);
            let mut all = lock();
            if let Some(counts) = all.as_mut() {
                of_block.into_iter().for_each(|(value, count)| *counts.entry(value).or_default() += count);
                if counts.len() > MOST_VALUES {
                    *all = None;
                }
            }
            Ok(())
        })?;
        let counted =
            counted.into_iter().map(|counts| counts.into_inner().unwrap_or_else(PoisonError::into_inner));
        Ok(counted.map(|counts| counts.map(|counts| counts.into_iter().collect())).collect())
    }

    /// Passes over the numbers of these variables.
    fn numbers_pass(
        &self,
        variables: &[&Variable],
        each: &(dyn Fn(usize, &Column) -> Result<(), TableError> + Sync),
    ) -> Result<(), TableError> {
        let names = variables.iter().map(|variable| variable.name.as_str());
        self.checked_pass(names, false, &|place: &Place, block: Block, wanted: &[usize], whole: bool| {
            if whole {
                let (table, violations) = coding::conformed(&self.files, &self.schema, place, block, wanted)?;
                for (position, variable) in variables.iter().enumerate() {
                    each(position, table.column(&variable.name)?)?;
                }
                return Ok(violations);
            }
            let mut violations = crate::schema::Violations::default();
            for (at, column) in wanted.iter().zip(block.columns) {
                let variable = self.schema.variable(&self.files.names[*at])?;
                let position = variables.iter().position(|other| other.name == variable.name);
                let (column, broken) = coding::conformed_column(&self.files, variable, place, *at, column)?;
                violations.merge(broken, 0);
                if let Some(position) = position {
                    each(position, &column)?;
                }
            }
            Ok(violations)
        })
    }
}

fn for_each_number(column: &Column, mut take: impl FnMut(f64)) {
    for row in 0..column.len() {
        if let Some(Entry::Value(value)) = column.number(row) {
            take(value);
        }
    }
}

/// Sorted values, each with the number of records up to it.
pub(crate) struct Counted {
    values: Vec<f64>,
    up_to: Vec<u64>,
}

impl Counted {
    fn new(counts: BTreeMap<i64, u64>) -> Self {
        let mut total = 0;
        let (values, up_to) = counts
            .into_iter()
            .map(|(value, count)| {
                total += count;
                (number(value), total)
            })
            .unzip();
        Self { values, up_to }
    }
}

impl Ranked for Counted {
    fn len(&self) -> u64 {
        self.up_to.last().copied().unwrap_or(0)
    }

    fn at(&self, ranks: &[u64]) -> Result<Vec<f64>, TableError> {
        Ok(ranks.iter().map(|rank| self.values[self.up_to.partition_point(|up_to| up_to <= rank)]).collect())
    }

    fn up_to(&self, values: &[f64]) -> Result<Vec<(u64, u64)>, TableError> {
        let before = |at: usize| at.checked_sub(1).map_or(0, |last| self.up_to[last]);
        let around = |value: &f64| {
            let (below, with) = (
                self.values.partition_point(|known| known < value),
                self.values.partition_point(|known| known <= value),
            );
            (before(below), before(with))
        };
        Ok(values.iter().map(around).collect())
    }
}

/// The numbers of a variable in their files, told apart digit by digit.
struct Digits<'a> {
    table: &'a StreamedTable,
    variable: &'a Variable,
    numbers: u64,
}

/// How many records have each value of the next 16 bits, among those that begin with certain bits.
type Histograms = BTreeMap<u64, Vec<u64>>;

impl<'a> Digits<'a> {
    fn new(table: &'a StreamedTable, variable: &'a Variable) -> Result<Self, TableError> {
        let first = Self { table, variable, numbers: 0 };
        let all = first.histograms(0, &BTreeSet::from([0]))?;
        let numbers = all.values().flatten().sum();
        Ok(Self { numbers, ..first })
    }

    /// The order-preserving bits of a number, without a sign.
    fn bits(value: f64) -> u64 {
        ordered(value) as u64 ^ (1 << 63)
    }

    /// The histograms of digit `level`, from 0, of the numbers that begin with one of these.
    fn histograms(&self, level: u32, beginnings: &BTreeSet<u64>) -> Result<Histograms, TableError> {
        let empty = || -> Histograms { beginnings.iter().map(|begin| (*begin, vec![0; 1 << 16])).collect() };
        let idle: Mutex<Vec<Histograms>> = Mutex::default();
        let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        self.table.numbers_pass(&[self.variable], &|_, column| {
            let taken = lock().pop();
            let mut histograms = taken.unwrap_or_else(empty);
            for_each_number(column, |value| {
                let bits = Self::bits(value);
                let begin = if level == 0 { 0 } else { bits >> (64 - 16 * level) };
                if let Some(histogram) = histograms.get_mut(&begin) {
                    histogram[(bits >> (48 - 16 * level) & 0xffff) as usize] += 1;
                }
            });
            lock().push(histograms);
            Ok(())
        })?;
        let counted = idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(counted.into_iter().fold(empty(), |mut sum, more| {
            for (begin, more) in more {
                let Some(all) = sum.get_mut(&begin) else { continue };
                all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
            }
            sum
        }))
    }
}

impl Ranked for Digits<'_> {
    fn len(&self) -> u64 {
        self.numbers
    }

    fn are_many(&self) -> bool {
        true
    }

    fn at(&self, ranks: &[u64]) -> Result<Vec<f64>, TableError> {
        // The bits that are known of each, and its rank among those with these bits.
        let mut known: Vec<(u64, u64)> = ranks.iter().map(|rank| (0, *rank)).collect();
        for level in 0..4 {
            let histograms = self.histograms(level, &known.iter().map(|(begin, _)| *begin).collect())?;
            for (begin, rank) in &mut known {
                let mut digit = 0;
                for (place, count) in histograms.get(begin).into_iter().flatten().enumerate() {
                    digit = place as u64;
                    if *rank < *count {
                        break;
                    }
                    *rank -= count;
                }
                *begin = *begin << 16 | digit;
            }
        }
        Ok(known.into_iter().map(|(bits, _)| number((bits ^ (1 << 63)) as i64)).collect())
    }

    fn up_to(&self, values: &[f64]) -> Result<Vec<(u64, u64)>, TableError> {
        let bits: Vec<u64> = values.iter().map(|value| Self::bits(*value)).collect();
        let mut around = vec![(0, 0); values.len()];
        for level in 0..4 {
            let begin = |bits: &u64| if level == 0 { 0 } else { bits >> (64 - 16 * level) };
            let histograms = self.histograms(level, &bits.iter().map(begin).collect())?;
            for (bits, (below, with)) in bits.iter().zip(&mut around) {
                let digit = (bits >> (48 - 16 * level) & 0xffff) as usize;
                let Some(histogram) = histograms.get(&begin(bits)) else { continue };
                *below += histogram[..digit].iter().sum::<u64>();
                if level == 3 {
                    *with = *below + histogram[digit];
                }
            }
        }
        Ok(around)
    }
}

/// The classes of a number by its digits alone.
#[cfg(test)]
pub(super) fn digits_partition(
    table: &StreamedTable,
    variable: &Variable,
    groups: usize,
) -> Result<Partition, TableError> {
    let partition = Grouping::quantiles(groups).partition_of(&Digits::new(table, variable)?)?;
    Ok(within_kind(partition, &variable.kind))
}
