//! New identifiers: of the same type and look as the original ones, as often missing, repeated and linked, and otherwise saying nothing.
//!
//! Of a column that names units, a fit keeps how many values name one, two, three … records, the share of missing values, the look of
//! the texts, and which other identifier it is tied to. A data set draws from these alone: records are put into groups at random, with
//! sizes drawn from the distribution of sizes, and each group gets a new value. Three ties are kept:
//!
//! - a pointer (`refers_to`) takes the new values of the identifier that it refers to, each as often as drawn from how often one is
//!   pointed to, with the original's share of records that point to themselves;
//! - an identifier that is the same within all records of a finer one that repeats, such as the household of a person seen in several years,
//!   groups the values of the finer one instead of records;
//! - whatever else ties identifiers to other variables (that records of one case are alike) is not kept: records are drawn one by one.
//!
//! New values differ from the original ones: texts and long numbers by a sieve of the latter; running numbers below a million
//! coincide as numbers, and are therefore given out in random order, so that a number says nothing of the record that bears it.
//! A private run looks at no identifier and knows what is declared: the pattern, the records a value, else one value a record.

mod sieve;
mod values;

use std::collections::BTreeMap;

use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use table::schema::{Kind, Schema};
use table::{Codes, Column, Table, TextColumn};

use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, ensure};
use values::NewValues;

/// What a fit keeps of the identifiers of a table, in the order in which they are drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Identifiers(Vec<NewIdentifier>);

/// The name under which a model file holds it.
const IDENTIFIERS: &str = "identifiers";

/// What it keeps of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct NewIdentifier {
    variable: String,
    /// The share of units without a value.
    missing: f64,
    /// How many values have so many units.
    sizes: BTreeMap<u32, f64>,
    /// The identifier whose values are its units; records are, where there is none.
    within: Option<String>,
    source: Source,
}

/// Where its values come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Source {
    /// They are made.
    New(NewValues),
    /// They are those of another identifier; this share of the records that have both points to itself.
    Of { identifier: String, itself: f64 },
}

/// A new column: a value for each record, `None` where it is missing.
struct Drawn {
    value_of: Vec<Option<u32>>,
    values: Vec<String>,
}

impl Identifiers {
    /// What records show of their identifiers.
    pub fn learn(records: &Table) -> Self {
        let schema = records.schema();
        let columns = text_columns(records);
        let made = without_pointers(schema, &columns);
        let mut learned: Vec<NewIdentifier> = Vec::new();
        for name in in_order(schema, Some(records)) {
            let Some((_, text)) = columns.iter().find(|(known, _)| *known == name) else { continue };
            let Ok(variable) = schema.variable(name) else { continue };
            let target = variable.identifier.refers_to.as_deref();
            let target = target.and_then(|target| columns.iter().find(|(known, _)| *known == target));
            let within = finer(name, text, &made).filter(|_| target.is_none());
            let (source, sizes, missing) = match target {
                Some((target, of_target)) => {
                    let itself = points_to_itself(text, of_target);
                    let sizes = sizes(text, |row| !is_itself(text, of_target, row));
                    let source = Source::Of { identifier: (*target).to_owned(), itself };
                    (source, sizes, share_missing(text))
                }
                None => {
                    let values = NewValues::learn(&variable.identifier, &text.dictionary);
                    let units = match within {
                        Some(finer) => of_units(
                            text,
                            columns.iter().find(|(known, _)| *known == finer).map(|(_, text)| *text),
                        ),
                        None => TextColumn::clone(text),
                    };
                    (Source::New(values), sizes(&units, |_| true), share_missing(&units))
                }
            };
            let declared = &variable.identifier.records_per_value;
            let sizes = if declared.is_empty() { sizes } else { declared.clone() };
            learned.push(NewIdentifier {
                variable: name.to_owned(),
                missing,
                sizes,
                within: within.map(str::to_owned),
                source,
            });
        }
        Self(learned)
    }

    /// What a declared schema says of identifiers, without a look at the records: none is missing.
    pub fn declared(schema: &Schema) -> Self {
        let new = |name: &str| {
            let variable = schema.variable(name).ok()?;
            let declared = &variable.identifier;
            let source = match &declared.refers_to {
                Some(target) => Source::Of { identifier: target.clone(), itself: 0.0 },
                None => Source::New(NewValues::declared(declared)),
            };
            let sizes = if declared.records_per_value.is_empty() {
                BTreeMap::from([(1, 1.0)])
            } else {
                declared.records_per_value.clone()
            };
            Some(NewIdentifier { variable: name.to_owned(), missing: 0.0, sizes, within: None, source })
        };
        Self(in_order(schema, None).into_iter().filter_map(new).collect())
    }

    /// Writes what is kept of them.
    pub(crate) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(IDENTIFIERS, self)?;
        self.0.iter().try_for_each(|identifier| match &identifier.source {
            Source::New(values) => values.store(into),
            Source::Of { .. } => Ok(()),
        })
    }

    /// What is kept of the identifiers of this schema.
    pub(crate) fn load(from: &mut StateReader<'_>, schema: &Schema) -> Result<Self, SynthesisError> {
        let Self(mut identifiers) = from.settings(IDENTIFIERS)?;
        for identifier in &mut identifiers {
            let is_share = |share: &f64| share.is_finite() && *share >= 0.0;
            let variable = schema.variable(&identifier.variable)?;
            let is_fine = variable.kind == Kind::TextId
                && is_share(&identifier.missing)
                && identifier.sizes.values().all(is_share);
            ensure(is_fine, "what is kept of an identifier is not of the schema's identifiers")?;
            if let Source::New(values) = &mut identifier.source {
                *values = std::mem::replace(values, NewValues::Label).load(from)?;
            }
        }
        Ok(Self(identifiers))
    }

    /// The same with an identifier that is never missing: a rule speaks of it.
    pub(crate) fn never_missing(&mut self, name: &str) {
        self.0.iter_mut().filter(|own| own.variable == name).for_each(|own| own.missing = 0.0);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of the identifiers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|identifier| identifier.variable.as_str())
    }

    /// New identifiers for so many records, with the names of their variables.
    pub fn draw(&self, rows: usize, seed: Seed) -> Vec<(&str, Column)> {
        let mut drawn: Vec<(&str, Drawn)> = Vec::with_capacity(self.0.len());
        for (number, identifier) in self.0.iter().enumerate() {
            let mut rng = seed.child(number as u64).stream(0);
            let known = |name: &String| drawn.iter().find(|(known, _)| known == name).map(|(_, of)| of);
            let new = match &identifier.source {
                Source::New(values) => {
                    let finer = identifier.within.as_ref().and_then(known);
                    identifier.new_values(values, rows, finer, &mut rng)
                }
                Source::Of { identifier: target, itself } => match known(target) {
                    Some(target) => identifier.pointers(target, *itself, &mut rng),
                    None => Drawn { value_of: vec![None; rows], values: Vec::new() },
                },
            };
            drawn.push((&identifier.variable, new));
        }
        drawn.into_iter().map(|(name, drawn)| (name, drawn.into_column())).collect()
    }
}

impl NewIdentifier {
    fn new_values(&self, values: &NewValues, rows: usize, finer: Option<&Drawn>, rng: &mut Rng) -> Drawn {
        let (unit_of, units) = match finer {
            None => ((0..rows as u32).collect(), rows),
            Some(finer) => {
                let mut units = finer.values.len() as u32;
                let mut unit = |value: &Option<u32>| {
                    value.unwrap_or_else(|| {
                        units += 1;
                        units - 1
                    })
                };
                let unit_of: Vec<u32> = finer.value_of.iter().map(&mut unit).collect();
                (unit_of, units as usize)
            }
        };
        let mut present = present_units((0..units as u32).collect(), self.missing, rng);
        let mut group_of: Vec<Option<u32>> = vec![None; units];
        // In order of first appearance where each unit has a value of its own: nothing is to be shuffled then.
        let sizes = Sizes::new(&self.sizes);
        if sizes.are_all_one() {
            present.sort_unstable();
        }
        let groups = into_groups(&present, &sizes, rng);
        for (group, members) in groups.iter().enumerate() {
            members.iter().for_each(|unit| group_of[*unit as usize] = Some(group as u32));
        }
        let value_of = unit_of.iter().map(|unit| group_of[*unit as usize]).collect();
        Drawn { value_of, values: values.draw(groups.len(), rng) }
    }

    fn pointers(&self, target: &Drawn, itself: f64, rng: &mut Rng) -> Drawn {
        let rows = target.value_of.len();
        let present = present_units((0..rows as u32).collect(), self.missing, rng);
        let wanted = (itself * present.len() as f64).round() as usize;
        let mut value_of = vec![None; rows];
        let (mut to_itself, mut to_others) = (0, Vec::with_capacity(present.len()));
        for row in present {
            let own = target.value_of[row as usize];
            if to_itself < wanted && own.is_some() {
                value_of[row as usize] = own;
                to_itself += 1;
            } else {
                to_others.push(row);
            }
        }
        let mut order: Vec<u32> = (0..target.values.len() as u32).collect();
        order.shuffle(rng);
        if order.is_empty() {
            return Drawn { value_of, values: Vec::new() };
        }
        for (group, members) in into_groups(&to_others, &Sizes::new(&self.sizes), rng).iter().enumerate() {
            let value = order[group % order.len()];
            members.iter().for_each(|row| value_of[*row as usize] = Some(value));
        }
        // Where none points to itself in the original, two that came to do so by chance change places with others.
        if itself == 0.0 {
            for at in 0..to_others.len() {
                let row = to_others[at] as usize;
                let is_itself = |row: usize, value: Option<u32>| value == target.value_of[row];
                if !is_itself(row, value_of[row]) {
                    continue;
                }
                let other =
                    (0..to_others.len()).map(|step| to_others[(at + 1 + step) % to_others.len()] as usize);
                let other = other
                    .take(to_others.len().min(1000))
                    .find(|other| !is_itself(*other, value_of[row]) && !is_itself(row, value_of[*other]));
                if let Some(other) = other {
                    value_of.swap(row, other);
                }
            }
        }
        Drawn { value_of, values: target.values.clone() }
    }
}

impl Drawn {
    fn into_column(self) -> Column {
        let missing = self.values.len() as u32;
        let codes = self.value_of.iter().map(|value| value.unwrap_or(missing));
        let codes = Codes::collect(self.values.len() + 1, codes);
        Column::Text(TextColumn { codes, dictionary: self.values })
    }
}

/// The units that have a value: all but the share that is missing, in random order.
fn present_units(mut units: Vec<u32>, missing: f64, rng: &mut Rng) -> Vec<u32> {
    units.shuffle(rng);
    let present = units.len() - ((missing * units.len() as f64).round() as usize).min(units.len());
    units.truncate(present);
    units
}

/// A distribution of sizes to draw from.
struct Sizes {
    sizes: Vec<u32>,
    cumulative: Vec<f64>,
}

impl Sizes {
    fn new(shares: &BTreeMap<u32, f64>) -> Self {
        let mut total = 0.0;
        let cumulative = shares.values().map(|share| {
            total += share;
            total
        });
        Self { cumulative: cumulative.collect(), sizes: shares.keys().copied().collect() }
    }

    fn are_all_one(&self) -> bool {
        self.sizes == [1] || self.sizes.is_empty()
    }

    fn draw(&self, rng: &mut Rng) -> usize {
        let Some(total) = self.cumulative.last() else { return 1 };
        let drawn = rng.random::<f64>() * total;
        let at = self.cumulative.partition_point(|up_to| *up_to <= drawn).min(self.sizes.len() - 1);
        self.sizes[at].max(1) as usize
    }
}

/// The units in groups of drawn sizes; the last one takes what is left.
fn into_groups<'a>(units: &'a [u32], sizes: &Sizes, rng: &mut Rng) -> Vec<&'a [u32]> {
    let mut groups = Vec::new();
    let mut rest = units;
    while !rest.is_empty() {
        let size = if sizes.are_all_one() { 1 } else { sizes.draw(rng) };
        let (group, others) = rest.split_at(size.min(rest.len()));
        groups.push(group);
        rest = others;
    }
    groups
}

/// The identifiers of a schema, each after those that it needs: a pointer after its target, a coarser one after the finer.
fn in_order<'a>(schema: &'a Schema, records: Option<&Table>) -> Vec<&'a str> {
    let columns = records.map(text_columns).unwrap_or_default();
    let made = without_pointers(schema, &columns);
    let all = schema.variables().iter().filter(|variable| variable.kind == Kind::TextId);
    let mut open: Vec<(&str, Option<&str>)> = all
        .map(|variable| {
            let name = variable.name.as_str();
            let own = columns.iter().find(|(known, _)| *known == name);
            let finer = own.and_then(|(_, text)| finer(name, text, &made));
            (name, variable.identifier.refers_to.as_deref().or(finer))
        })
        .map(|(name, needs)| (name, needs.and_then(|needs| Some(schema.variable(needs).ok()?.name.as_str()))))
        .collect();
    let mut order = Vec::with_capacity(open.len());
    while !open.is_empty() {
        let free = |(_, needs): &(&str, Option<&str>)| {
            needs.is_none_or(|needs| open.iter().all(|(name, _)| *name != needs))
        };
        let next = open.iter().position(free).unwrap_or(0);
        order.push(open.remove(next).0);
    }
    order
}

fn text_columns(records: &Table) -> Vec<(&str, &TextColumn)> {
    let variables = records.schema().variables().iter().zip(records.columns());
    let text = variables.filter_map(|(variable, column)| match column {
        Column::Text(text) => Some((variable.name.as_str(), text)),
        _ => None,
    });
    text.collect()
}

/// The identifiers whose values are their own.
fn without_pointers<'a>(
    schema: &Schema,
    columns: &[(&'a str, &'a TextColumn)],
) -> Vec<(&'a str, &'a TextColumn)> {
    let is_made = |name: &str| schema.variable(name).is_ok_and(|of| of.identifier.refers_to.is_none());
    columns.iter().copied().filter(|(name, _)| is_made(name)).collect()
}

/// The identifier that repeats, has more values than this one, and within whose records this one never changes; of several the one with the fewest values.
fn finer<'a>(name: &str, text: &TextColumn, columns: &[(&'a str, &'a TextColumn)]) -> Option<&'a str> {
    let candidates = columns.iter().filter(|(other, finer)| {
        *other != name
            && finer.dictionary.len() > text.dictionary.len()
            && repeats(finer)
            && determines(finer, text)
    });
    candidates.min_by_key(|(_, finer)| finer.dictionary.len()).map(|(other, _)| *other)
}

fn repeats(text: &TextColumn) -> bool {
    let present = text.codes.iter().filter(|code| (*code as usize) < text.dictionary.len()).count();
    present > text.dictionary.len()
}

/// Whether records with one value of the first have one value of the second.
fn determines(first: &TextColumn, second: &TextColumn) -> bool {
    let mut value: Vec<Option<u32>> = vec![None; first.dictionary.len()];
    first.codes.iter().zip(second.codes.iter()).all(|(one, other)| match value.get_mut(one as usize) {
        Some(known) => *known.get_or_insert(other) == other,
        None => true,
    })
}

/// The column with one entry for each value of a finer one, and for each record without such.
fn of_units(text: &TextColumn, finer: Option<&TextColumn>) -> TextColumn {
    let Some(finer) = finer else { return text.clone() };
    let mut seen = vec![false; finer.dictionary.len()];
    let is_first = |row: &usize| match seen.get_mut(finer.codes.get(*row) as usize) {
        Some(seen) => !std::mem::replace(seen, true),
        None => true,
    };
    let rows: Vec<u32> = (0..text.codes.len()).filter(is_first).map(|row| row as u32).collect();
    TextColumn { codes: text.codes.take(&rows), dictionary: text.dictionary.clone() }
}

fn share_missing(text: &TextColumn) -> f64 {
    let missing = text.codes.iter().filter(|code| *code as usize == text.dictionary.len()).count();
    missing as f64 / text.codes.len().max(1) as f64
}

/// How many values have so many of the entries that count.
fn sizes(text: &TextColumn, counts: impl Fn(usize) -> bool) -> BTreeMap<u32, f64> {
    let mut of_value = vec![0_u32; text.dictionary.len()];
    for (row, code) in text.codes.iter().enumerate() {
        if let (Some(size), true) = (of_value.get_mut(code as usize), counts(row)) {
            *size += 1;
        }
    }
    let mut sizes = BTreeMap::new();
    of_value.into_iter().filter(|size| *size > 0).for_each(|size| *sizes.entry(size).or_default() += 1.0);
    sizes
}

fn is_itself(text: &TextColumn, target: &TextColumn, row: usize) -> bool {
    text.get(row).is_some() && text.get(row) == target.get(row)
}

/// The share of the records that have a value whose value is their own.
fn points_to_itself(text: &TextColumn, target: &TextColumn) -> f64 {
    let present = (0..text.codes.len()).filter(|row| text.get(*row).is_some()).count();
    let itself = (0..text.codes.len()).filter(|row| is_itself(text, target, *row)).count();
    itself as f64 / present.max(1) as f64
}

#[cfg(test)]
mod tests;
