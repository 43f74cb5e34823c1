//! The distribution of one variable: shares of levels, or of intervals of its numbers, of special codes and of missing values.

use std::collections::BTreeMap;

use measures::SyntheticSets;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::column::{Column, Entry};
use table::date::DateFormat;
use table::{Kind, Table, Variable};

/// The shares of one variable's classes in one file, or on average over several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// The variable.
    pub variable: String,
    /// What it is, in the words of the file or the schema; empty if nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Its kind, in the word of the schema.
    pub kind: String,
    /// Its classes, in order; all of them occur.
    pub classes: Vec<Class>,
    /// The share of records in each class.
    pub shares: Vec<f64>,
    /// Whether its intervals grow by a factor, because the numbers are skewed.
    #[serde(default)]
    pub is_log: bool,
    /// Mean and median of its numbers; none of levels and dates.
    #[serde(default)]
    pub numbers: Option<NumberSummary>,
}

/// Mean and median of the numbers of one variable, without missing values and special codes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NumberSummary {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
}

/// Mean and median in both files; those of several synthetic files are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedNumbers {
    /// In the original.
    pub original: NumberSummary,
    /// In the synthetic files.
    pub synthetic: NumberSummary,
}

/// The same variable in the original and in the synthetic files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedDistribution {
    /// The variable.
    pub variable: String,
    /// What it is, in the words of the file or the schema; empty if nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Its kind, in the word of the schema.
    pub kind: String,
    /// Its classes, in order; each occurs in one of the files.
    pub classes: Vec<Class>,
    /// The share of the original's records in each class.
    pub original: Vec<f64>,
    /// The share of synthetic records in each class.
    pub synthetic: Vec<f64>,
    /// Whether its intervals grow by a factor, because the numbers are skewed.
    #[serde(default)]
    pub is_log: bool,
    /// Mean and median of its numbers; none of levels and dates, and where a file has no number.
    #[serde(default)]
    pub numbers: Option<ComparedNumbers>,
}

/// One class of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Class {
    /// For people.
    pub label: String,
    /// What it is.
    pub is: ClassKind,
}

/// What a class is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClassKind {
    /// A level.
    Level,
    /// One number.
    Value,
    /// Numbers from the first to below the second.
    Interval(f64, f64),
    /// All numbers below the intervals or above them.
    Tail,
    /// Several levels with few records.
    Others,
    /// A special code.
    Code,
    /// Missing.
    Missing,
}

/// Levels beyond this many are shown together.
const MOST_LEVELS: usize = 15;
/// Numbers with at most this many different values are shown one by one.
const MOST_VALUES: usize = 15;
/// About how many intervals a number is cut into.
const INTERVALS: f64 = 20.0;
/// What lies outside these quantiles may be cut off into a tail.
const TAIL: f64 = 0.005;

/// Every variable of the synthetic files but identifiers, from these files alone.
pub(super) fn released(synthetic: &[&Table]) -> Vec<Distribution> {
    let Some(first) = synthetic.first() else { return Vec::new() };
    let distribution = |variable: &Variable| {
        let classified = Classified::new(&variable.name, synthetic)?;
        let shares = classified.mean_shares(0..synthetic.len());
        let kind = variable.kind.name().to_owned();
        let numbers = classified.mean_summary(0..synthetic.len());
        let (name, label, is_log) =
            (variable.name.clone(), variable.labelling.label.clone(), classified.is_log);
        let classes = classified.classes;
        Some(Distribution { variable: name, label, kind, classes, shares, is_log, numbers })
    };
    first.schema().variables().iter().filter_map(distribution).collect()
}

/// Every variable that all files have, but identifiers, over classes that all files share.
pub(super) fn compared(sets: &SyntheticSets<'_>) -> Vec<ComparedDistribution> {
    let tables: Vec<&Table> = std::iter::once(sets.original).chain(sets.synthetic.iter().copied()).collect();
    let distribution = |variable: &Variable| {
        let classified = Classified::new(&variable.name, &tables)?;
        let (original, synthetic) = (classified.mean_shares(0..1), classified.mean_shares(1..tables.len()));
        let numbers = classified
            .mean_summary(0..1)
            .zip(classified.mean_summary(1..tables.len()))
            .map(|(original, synthetic)| ComparedNumbers { original, synthetic });
        Some(ComparedDistribution {
            variable: variable.name.clone(),
            label: variable.labelling.label.clone(),
            kind: variable.kind.name().to_owned(),
            is_log: classified.is_log,
            classes: classified.classes,
            original,
            synthetic,
            numbers,
        })
    };
    sets.original.schema().variables().iter().filter_map(distribution).collect()
}

/// One variable's classes and their counts in each table. A class that none of the tables has does not appear, whatever their
/// schemas say.
struct Classified {
    classes: Vec<Class>,
    counts: Vec<Vec<u64>>,
    records: Vec<u64>,
    is_log: bool,
    summaries: Vec<Option<NumberSummary>>,
}

impl Classified {
    fn new(name: &str, tables: &[&Table]) -> Option<Self> {
        let sides: Vec<(&Variable, &Column)> = tables
            .iter()
            .map(|table| Some((table.schema().variable(name).ok()?, table.column(name).ok()?)))
            .collect::<Option<_>>()?;
        let records = sides.iter().map(|(_, column)| column.len() as u64).collect();
        let is = |wanted: fn(&Kind) -> bool| sides.iter().all(|(variable, _)| wanted(&variable.kind));
        if is(|kind| kind.levels().is_some()) {
            let (classes, counts) = levels(&sides);
            let summaries = vec![None; sides.len()];
            return Some(Self { classes, counts, records, is_log: false, summaries });
        }
        if !is(Kind::is_numeric) {
            return None;
        }
        let is_date = |kind: &Kind| matches!(kind, Kind::Date { .. } | Kind::Datetime { .. });
        let is_date = sides.iter().any(|(variable, _)| is_date(&variable.kind));
        let (is_log, (classes, counts)) = numbers(&sides, !is_date);
        let summaries = sides.iter().map(|(_, column)| summary(column).filter(|_| !is_date)).collect();
        Some(Self { classes, counts, records, is_log, summaries })
    }

    /// Mean and median, averaged over some of the tables; none where one of them has no number.
    fn mean_summary(&self, tables: std::ops::Range<usize>) -> Option<NumberSummary> {
        let number = tables.len() as f64;
        let each: Option<Vec<NumberSummary>> = self.summaries[tables].iter().copied().collect();
        let each = each.filter(|each| !each.is_empty())?;
        Some(NumberSummary {
            mean: each.iter().map(|one| one.mean).sum::<f64>() / number,
            median: each.iter().map(|one| one.median).sum::<f64>() / number,
        })
    }

    /// The mean over some of the tables of the share in each class.
    fn mean_shares(&self, tables: std::ops::Range<usize>) -> Vec<f64> {
        let share = |class: usize, table: usize| {
            self.counts[table][class] as f64 / (self.records[table].max(1)) as f64
        };
        let number = tables.len().max(1) as f64;
        let mean = |class: usize| tables.clone().map(|table| share(class, table)).sum::<f64>() / number;
        (0..self.classes.len()).map(mean).collect()
    }
}

/// A value with what it means, where a schema says so.
fn labelled(sides: &[(&Variable, &Column)], value: &str) -> String {
    let label = sides.iter().find_map(|(variable, _)| variable.labelling.of(value));
    label.map_or_else(|| value.to_owned(), |label| format!("{value} ({label})"))
}

type Counted = (Vec<Class>, Vec<Vec<u64>>);

fn levels(sides: &[(&Variable, &Column)]) -> Counted {
    let mut labels: Vec<&str> = Vec::new();
    let mut position: BTreeMap<&str, usize> = BTreeMap::new();
    for level in sides.iter().filter_map(|(variable, _)| variable.kind.levels()).flat_map(|all| all.iter()) {
        position.entry(level).or_insert_with(|| {
            labels.push(level);
            labels.len() - 1
        });
    }
    let missing = labels.len();
    let mut counts = vec![vec![0_u64; missing + 1]; sides.len()];
    for ((variable, column), counts) in sides.iter().zip(&mut counts) {
        let (Some(levels), Column::Categorical(codes)) = (variable.kind.levels(), column) else { continue };
        let places: Vec<usize> = levels.iter().map(|level| position[level]).chain([missing]).collect();
        codes.iter().for_each(|code| counts[places[code as usize]] += 1);
    }
    let total = |class: &usize| counts.iter().map(|counts| counts[*class]).sum::<u64>();
    let mut shown: Vec<usize> = (0..missing).filter(|class| total(class) > 0).collect();
    let mut others = Vec::new();
    if shown.len() > MOST_LEVELS {
        shown.sort_by_key(|class| (std::cmp::Reverse(total(class)), *class));
        others = shown.split_off(MOST_LEVELS - 1);
        shown.sort_unstable();
    }
    let mut classes: Vec<Class> =
        shown.iter().map(|class| Class::new(labelled(sides, labels[*class]), ClassKind::Level)).collect();
    let mut groups: Vec<Vec<usize>> = shown.into_iter().map(|class| vec![class]).collect();
    if !others.is_empty() {
        classes.push(Class::new(format!("{} other levels", others.len()), ClassKind::Others));
        groups.push(others);
    }
    if total(&missing) > 0 {
        classes.push(Class::new("missing", ClassKind::Missing));
        groups.push(vec![missing]);
    }
    let grouped = |counts: &Vec<u64>| {
        groups.iter().map(|group| group.iter().map(|class| counts[*class]).sum()).collect()
    };
    let counts = counts.iter().map(grouped).collect();
    (classes, counts)
}

/// Mean and median of the numbers of a column.
fn summary(column: &Column) -> Option<NumberSummary> {
    let entries = (0..column.len()).filter_map(|row| column.number(row));
    let mut values: Vec<f64> = entries
        .filter_map(|entry| if let Entry::Value(value) = entry { Some(value) } else { None })
        .collect();
    values.sort_by(f64::total_cmp);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (!values.is_empty()).then(|| NumberSummary { mean, median: table::grouping::quantile_at(&values, 0.5) })
}

fn numbers(sides: &[(&Variable, &Column)], may_be_log: bool) -> (bool, Counted) {
    let entries =
        |column: &Column| (0..column.len()).filter_map(|row| column.number(row)).collect::<Vec<_>>();
    let entries: Vec<Vec<Entry<f64>>> = sides.iter().map(|(_, column)| entries(column)).collect();
    let value = |entry: &Entry<f64>| if let Entry::Value(value) = entry { Some(*value) } else { None };
    let mut values: Vec<f64> = entries.iter().flatten().filter_map(value).collect();
    values.sort_by(f64::total_cmp);
    let cuts = Cuts::of(&values, may_be_log);
    let is_log = matches!(cuts, Cuts::Growing { .. });
    let mut classes = cuts.classes(&sides[0].0.kind);
    for class in classes.iter_mut().filter(|class| class.is == ClassKind::Value) {
        class.label = labelled(sides, &class.label);
    }
    let of_values = classes.len();
    let mut codes: Vec<(f64, &str)> = Vec::new();
    for code in sides.iter().flat_map(|(variable, _)| &variable.codes) {
        if !codes.iter().any(|(value, _)| *value == code.value) {
            codes.push((code.value, &code.meaning));
        }
    }
    let missing = of_values + codes.len();
    let mut counts = vec![vec![0_u64; missing + 1]; sides.len()];
    for (((variable, _), entries), counts) in sides.iter().zip(&entries).zip(&mut counts) {
        for entry in entries {
            let class = match entry {
                Entry::Value(value) => cuts.class_of(*value),
                Entry::Missing => missing,
                Entry::Code(at) => {
                    let code = variable.codes[*at].value;
                    of_values + codes.iter().position(|(value, _)| *value == code).unwrap_or(codes.len())
                }
            };
            counts[class] += 1;
        }
    }
    classes.extend(codes.iter().map(|(value, meaning)| {
        let label = if meaning.is_empty() { value.to_string() } else { format!("{value} ({meaning})") };
        Class::new(label, ClassKind::Code)
    }));
    classes.push(Class::new("missing", ClassKind::Missing));
    // An empty interval between others is part of the picture; an empty code or tail is not.
    let kept: Vec<usize> = (0..classes.len())
        .filter(|class| {
            matches!(classes[*class].is, ClassKind::Interval(..))
                || counts.iter().any(|counts| counts[*class] > 0)
        })
        .collect();
    let counts = counts.iter().map(|counts| kept.iter().map(|class| counts[*class]).collect()).collect();
    (is_log, (kept.into_iter().map(|class| classes[class].clone()).collect(), counts))
}

/// How numbers are cut: one class a value where there are few; else intervals of equal, round width with long tails cut off; of skewed
/// numbers that are not negative, intervals that grow by a factor, with zero by itself.
enum Cuts {
    Values(Vec<f64>),
    Intervals { limits: Vec<f64>, whole: bool },
    Growing { limits: Vec<f64> },
}

/// Numbers are skewed where their quantile at 99.5 % is so many times their median, or that at 99.9 % `FAR` times. Fewer that lie far out are a tail.
const SKEWED: f64 = 15.0;
const FAR: f64 = 100.0;
const FEW: f64 = 0.001;
/// What is smaller than the median by this factor is one class.
const SMALLEST: f64 = 1e-4;

impl Cuts {
    fn of(sorted: &[f64], may_be_log: bool) -> Self {
        let mut different = sorted.to_vec();
        different.dedup();
        if different.len() <= MOST_VALUES {
            return Self::Values(different);
        }
        let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
        let quantile = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        let (low, high) = (quantile(TAIL), quantile(1.0 - TAIL));
        if may_be_log && first >= 0.0 {
            let positive = &sorted[sorted.partition_point(|value| *value <= 0.0)..];
            let median = positive[positive.len() / 2];
            if high > SKEWED * median || quantile(1.0 - FEW) > FAR * median {
                return Self::growing(positive[0].max(SMALLEST * median), last);
            }
        }
        let is_long = |tail: f64| tail > (high - low) / 4.0;
        let from = if high > low && is_long(low - first) { low } else { first };
        let to = if high > low && is_long(last - high) { high } else { last };
        let whole = sorted.iter().all(|value| value.fract() == 0.0);
        let mut width = round_width((to - from) / INTERVALS);
        if whole {
            width = width.max(1.0).round();
        }
        let (start, end) = ((from / width).floor(), (to / width).floor() + 1.0);
        let limits = (0..=(end - start) as usize).map(|step| (start + step as f64) * width).collect();
        Self::Intervals { limits, whole }
    }

    /// Round limits from below `low` to above `high`.
    fn growing(low: f64, high: f64) -> Self {
        let (first, last) = (low.log10().floor() as i32, high.log10().floor() as i32 + 1);
        let factors: &[f64] = match last - first {
            ..=4 => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
            5..=8 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let all =
            (first..=last).flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
        let all: Vec<f64> = all.collect();
        let from = all.partition_point(|limit| *limit <= low).saturating_sub(1);
        let to = all.partition_point(|limit| *limit <= high).min(all.len() - 1);
        Self::Growing { limits: all[from..=to].to_vec() }
    }

    /// The classes, with a tail below and above that may stay empty.
    fn classes(&self, kind: &Kind) -> Vec<Class> {
        let number = |value: f64| match kind {
            Kind::Date { .. } => DateFormat::Iso.format(value as i32),
            Kind::Datetime { format, .. } => format.iso(value as i64),
            _ => short(value),
        };
        match self {
            Self::Values(values) => {
                values.iter().map(|value| Class::new(number(*value), ClassKind::Value)).collect()
            }
            Self::Intervals { limits, whole } => {
                let (first, last) = (limits[0], limits[limits.len() - 1]);
                let mut classes = vec![Class::new(format!("below {}", number(first)), ClassKind::Tail)];
                classes.extend(limits.windows(2).map(|limit| {
                    let label = match whole {
                        true if limit[1] - limit[0] == 1.0 => number(limit[0]),
                        true => format!("{} to {}", number(limit[0]), number(limit[1] - 1.0)),
                        false => format!("{} to under {}", number(limit[0]), number(limit[1])),
                    };
                    Class::new(label, ClassKind::Interval(limit[0], limit[1]))
                }));
                classes.push(Class::new(format!("{} and more", number(last)), ClassKind::Tail));
                classes
            }
            Self::Growing { limits } => {
                let (first, last) = (limits[0], limits[limits.len() - 1]);
                let zero = Class::new("0", ClassKind::Value);
                let below = Class::new(format!("above 0, below {}", number(first)), ClassKind::Tail);
                let mut classes = vec![zero, below];
                classes.extend(limits.windows(2).map(|limit| {
                    let label = format!("{} to under {}", number(limit[0]), number(limit[1]));
                    Class::new(label, ClassKind::Interval(limit[0], limit[1]))
                }));
                classes.push(Class::new(format!("{} and more", number(last)), ClassKind::Tail));
                classes
            }
        }
    }

    fn class_of(&self, value: f64) -> usize {
        match self {
            Self::Values(values) => values.partition_point(|known| *known < value),
            Self::Intervals { limits, .. } => limits.partition_point(|limit| *limit <= value),
            Self::Growing { .. } if value <= 0.0 => 0,
            Self::Growing { limits } => 1 + limits.partition_point(|limit| *limit <= value),
        }
    }
}

impl Class {
    fn new(label: impl Into<String>, is: ClassKind) -> Self {
        Self { label: label.into(), is }
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `width`.
fn round_width(width: f64) -> f64 {
    let power = 10_f64.powf(width.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= width * (1.0 - 1e-9)).unwrap_or(width)
}

/// A limit without the dust of its computation.
fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
