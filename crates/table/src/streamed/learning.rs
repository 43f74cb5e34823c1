//! The schema that records show, from one pass over their files: kinds, levels and ranges as [`learn`](crate::read::learn) finds them in a table in memory.
//!
//! Of every column the different values are kept with their frequencies, up to a limit above which a text is taken for an identifier and a number for a measurement with
//! a range. Whether a column names units is judged by all values, or above the limit by the records that had shown as many.

use rustc_hash::FxHashMap;

use crate::column::{EXACT, Entry, Number, Numbers, TextColumn};
use crate::datetime::DAY;
use crate::identifiers::{self, Evidence, Tally};
use crate::read::in_blocks::{Block, Place, TableFiles, as_text};
use crate::read::learn;
use crate::read::pieces::Piece;
use crate::schema::{Kind, KindName, Levels, Origin, Schema, SchemaFile, Stored, Variable};
use crate::{Codes, FileProblem, TableError};

/// More different texts are no levels.
pub(crate) const MOST_LEVELS: usize = 1 << 16;

/// More different numbers are not told apart.
const MOST_NUMBERS: usize = 1 << 20;

/// What one pass shows.
pub(crate) struct Learned {
    pub(crate) schema: Schema,
    pub(crate) records: u64,
}

/// The schema that all records show. `file` says of which kind columns are, where a person has said it.
pub(crate) fn learn(files: &mut TableFiles, file: Option<&SchemaFile>) -> Result<Learned, TableError> {
    let all: Vec<usize> = (0..files.names.len()).collect();
    loop {
        let mut seen: Vec<Seen> = files.names.iter().map(|_| Seen::default()).collect();
        let records = {
            let files: &TableFiles = files;
            let work = |place: &Place, block: Block| {
                let columns = block.columns.into_iter().enumerate();
                let seen = columns.map(|(at, column)| Ok(Seen::of(files.piece(place, at, column)?)));
                seen.collect::<Result<Vec<Seen>, TableError>>()
            };
            files.pass(&all, false, &work, &mut |_, more| {
                seen.iter_mut().zip(more).for_each(|(seen, more)| seen.merge(more));
                Ok(())
            })?
        };
        let again: Vec<usize> =
            (0..seen.len()).filter(|at| matches!(seen[*at], Seen::ReadAgainAsText)).collect();
        if again.is_empty() {
            if records == 0 {
                return Err(TableError::file(files.files.place(), FileProblem::NoRows));
            }
            return Ok(Learned { schema: schema(&files.names, files.held(), seen, file)?, records });
        }
        files.read_again_as_text(&again)?;
    }
}

/// The schema that these values of each column show. `held` are the types that a typed file or a database gives them.
pub(crate) fn schema(
    names: &[String],
    held: &[arrow_schema::DataType],
    seen: Vec<Seen>,
    file: Option<&SchemaFile>,
) -> Result<Schema, TableError> {
    let mut variables = Vec::with_capacity(seen.len());
    let mut tallies = Vec::with_capacity(seen.len());
    for (at, seen) in seen.into_iter().enumerate() {
        let name = &names[at];
        let wanted = file.and_then(|file| file.variables.get(name)).map(|section| section.kind);
        let missing = seen.missing() > 0;
        let is_full = seen.is_full();
        tallies.push(if file.is_none() { seen.tally() } else { None });
        let is_category = matches!(wanted, Some(KindName::Categorical | KindName::Ordinal));
        if let (true, true, Seen::Text(_)) = (is_category, is_full, &seen) {
            let message = format!(
                "it has more than {MOST_LEVELS} different values; make its kind `text-id`, or list its levels"
            );
            return Err(TableError::variable(name, message));
        }
        let levels = if is_category { seen.levels() } else { None };
        let (mut kind, stored) = seen.kind(held.get(at));
        if let (Kind::TextId, Some(levels)) = (&kind, levels) {
            kind = Kind::Categorical { levels };
        }
        variables.push(Variable { missing, origin: Origin::Learned, stored, ..Variable::new(name, kind) });
    }
    if file.is_none() {
        let found = identifiers::judged(&variables, &tallies);
        for (variable, evidence) in variables.iter_mut().zip(found) {
            let Some(evidence) = evidence else { continue };
            variable.stored = variable.stored.filter(|stored| *stored == Stored::Integer);
            variable.identifier.whole =
                matches!(variable.kind, Kind::Integer { .. }) || variable.stored.is_some();
            variable.stored = variable.identifier.whole.then_some(Stored::Integer);
            variable.kind = Kind::TextId;
            if let Evidence::PointsTo(target) = evidence {
                variable.identifier.refers_to = Some(target);
            }
        }
    }
    Schema::new(variables, Vec::new(), Vec::new())
}

/// The values of a column that have been seen.
pub(crate) enum Seen {
    Integer(Values),
    Real(Values),
    Date(Values),
    Datetime(Values),
    Text(Texts),
    ReadAgainAsText,
}

impl Default for Seen {
    fn default() -> Self {
        Self::Integer(Values::default())
    }
}

/// Different numbers with their frequencies; a real number is its bits in the order of numbers.
#[derive(Default)]
pub(crate) struct Values {
    counts: FxHashMap<i64, u64>,
    is_full: bool,
    present: u64,
    missing: u64,
    extremes: Option<(i64, i64)>,
    /// Examples of what decides the kind: a number with decimals, a time within the day, the minute, the second, the thousandth.
    examples: [Option<i64>; 5],
    has_large: bool,
}

/// Different texts with their frequencies.
#[derive(Default)]
pub(crate) struct Texts {
    counts: FxHashMap<String, u64>,
    is_full: bool,
    missing: u64,
}

/// A real number as a whole one, in the same order.
pub(crate) fn ordered(number: f64) -> i64 {
    let bits = (number + 0.0).to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// The real number of an ordered one.
pub(crate) fn number(ordered: i64) -> f64 {
    f64::from_bits((ordered ^ (((ordered >> 63) as u64) >> 1) as i64) as u64)
}

const TICKS: [i64; 4] = [DAY, 60_000_000, 1_000_000, 1_000];

/// The place among examples of a time that is not on the day, the minute, the second, the thousandth.
fn finest(time: i64) -> Option<usize> {
    TICKS.iter().rposition(|tick| time % tick != 0).map(|place| place + 1)
}

impl Values {
    fn of<T: Number>(
        numbers: &Numbers<T>,
        key: impl Fn(T) -> i64,
        example: impl Fn(i64) -> Option<usize>,
        is_large: impl Fn(i64) -> bool,
    ) -> Self {
        let mut values = Self::default();
        for entry in numbers.iter() {
            let Entry::Value(value) = entry else {
                values.missing += 1;
                continue;
            };
            let value = key(value);
            values.present += 1;
            values.extremes =
                Some(values.extremes.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
            if let Some(place) = example(value) {
                values.examples[place] = Some(value);
            }
            values.has_large |= is_large(value);
            *values.counts.entry(value).or_default() += 1;
        }
        values
    }

    fn merge(&mut self, more: Self) {
        self.missing += more.missing;
        self.present += more.present;
        self.has_large |= more.has_large;
        self.extremes = match (self.extremes, more.extremes) {
            (Some((low, high)), Some((other, another))) => Some((low.min(other), high.max(another))),
            (one, other) => one.or(other),
        };
        for (own, other) in self.examples.iter_mut().zip(more.examples) {
            *own = own.or(other);
        }
        if self.is_full {
            return;
        }
        // The block that goes over the limit still counts, so that what is judged are whole blocks.
        more.counts.into_iter().for_each(|(value, count)| *self.counts.entry(value).or_default() += count);
        self.is_full = more.is_full || self.counts.len() > MOST_NUMBERS;
    }

    fn map(self, convert: impl Fn(i64) -> i64) -> Self {
        Self {
            counts: self.counts.into_iter().map(|(value, count)| (convert(value), count)).collect(),
            extremes: self.extremes.map(|(low, high)| (convert(low), convert(high))),
            examples: [None; 5],
            ..self
        }
    }

    /// The values that decide the kind and the range: all of them, or above the limit the extremes and examples.
    fn telling(&self) -> Vec<i64> {
        let mut values: Vec<i64> = match self.is_full {
            true => self
                .extremes
                .iter()
                .flat_map(|(low, high)| [*low, *high])
                .chain(self.examples.into_iter().flatten())
                .collect(),
            false => self.counts.keys().copied().collect(),
        };
        values.sort_unstable();
        values
    }
}

impl Texts {
    fn of(text: TextColumn) -> Self {
        let frequencies = text.codes.frequencies(text.dictionary.len() + 1);
        let missing = frequencies[text.dictionary.len()];
        let counts = text.dictionary.into_iter().zip(frequencies).filter(|(_, count)| *count > 0);
        Self { counts: counts.collect(), is_full: false, missing }
    }

    fn of_whole(values: Values) -> Self {
        let counts = values.counts.into_iter().map(|(value, count)| (value.to_string(), count));
        Self { counts: counts.collect(), is_full: values.is_full, missing: values.missing }
    }

    fn merge(&mut self, more: Self) {
        self.missing += more.missing;
        if self.is_full {
            return;
        }
        more.counts.into_iter().for_each(|(text, count)| *self.counts.entry(text).or_default() += count);
        self.is_full = more.is_full || self.counts.len() > MOST_LEVELS;
    }
}

/// What numbers that were counted elsewhere are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    Whole,
    Real,
    Day,
    Time,
}

impl Seen {
    /// Texts that were counted elsewhere. `is_full`: these are not all.
    pub(crate) fn counted_texts(counts: FxHashMap<String, u64>, is_full: bool, missing: u64) -> Self {
        Self::Text(Texts { counts, is_full, missing })
    }

    /// Numbers that were counted elsewhere: whole numbers, days, microseconds, or [ordered] real numbers. `is_full`: these are not all.
    pub(crate) fn counted_numbers(
        what: Counted,
        counts: FxHashMap<i64, u64>,
        is_full: bool,
        (present, missing): (u64, u64),
        extremes: Option<(i64, i64)>,
    ) -> Self {
        let mut values = Values { is_full, present, missing, extremes, ..Values::default() };
        for value in counts.keys().copied() {
            let (example, is_large) = match what {
                Counted::Whole => (None, value.unsigned_abs() > EXACT),
                Counted::Real => {
                    let real = number(value);
                    ((real.fract() != 0.0).then_some(0), real.abs() > EXACT as f64)
                }
                Counted::Day => (None, false),
                Counted::Time => (finest(value), false),
            };
            if let Some(place) = example {
                values.examples[place] = Some(value);
            }
            values.has_large |= is_large;
        }
        values.counts = counts;
        match what {
            Counted::Whole => Self::Integer(values),
            Counted::Real => Self::Real(values),
            Counted::Day => Self::Date(values),
            Counted::Time => Self::Datetime(values),
        }
    }

    fn of(piece: Piece) -> Self {
        let none = |_: i64| None;
        match piece {
            Piece::Integer(numbers) => {
                Self::Integer(Values::of(&numbers, |value| value, none, |value| value.unsigned_abs() > EXACT))
            }
            Piece::Real(numbers) => {
                let fraction = |value: i64| (number(value).fract() != 0.0).then_some(0);
                Self::Real(Values::of(&numbers, ordered, fraction, |value| {
                    number(value).abs() > EXACT as f64
                }))
            }
            Piece::Date(days) => Self::Date(Values::of(&days, i64::from, none, |_| false)),
            Piece::Datetime(times) => Self::Datetime(Values::of(&times, |time| time, finest, |_| false)),
            Piece::Text(text) => Self::Text(Texts::of(text)),
        }
    }

    fn merge(&mut self, more: Self) {
        let so_far = std::mem::replace(self, Self::ReadAgainAsText);
        *self = match (so_far, more) {
            (Self::Integer(mut all), Self::Integer(more)) => {
                all.merge(more);
                Self::Integer(all)
            }
            (Self::Integer(all), Self::Real(more)) if !all.has_large => {
                let mut all = all.map(|value| ordered(value as f64));
                all.merge(more);
                Self::Real(all)
            }
            (Self::Real(mut all), Self::Integer(more)) if !more.has_large => {
                all.merge(more.map(|value| ordered(value as f64)));
                Self::Real(all)
            }
            (Self::Real(mut all), Self::Real(more)) => {
                all.merge(more);
                Self::Real(all)
            }
            (Self::Integer(all), Self::Date(mut more)) if all.present == 0 => {
                more.merge(all);
                Self::Date(more)
            }
            (Self::Date(mut all), Self::Integer(more)) if more.present == 0 => {
                all.merge(more);
                Self::Date(all)
            }
            (Self::Date(mut all), Self::Date(more)) => {
                all.merge(more);
                Self::Date(all)
            }
            (Self::Integer(all), Self::Datetime(mut more)) if all.present == 0 => {
                more.merge(all);
                Self::Datetime(more)
            }
            (Self::Datetime(mut all), Self::Integer(more)) if more.present == 0 => {
                all.merge(more);
                Self::Datetime(all)
            }
            (Self::Datetime(mut all), Self::Datetime(more)) => {
                all.merge(more);
                Self::Datetime(all)
            }
            (Self::Integer(all), Self::Text(more)) => {
                let mut all = Texts::of_whole(all);
                all.merge(more);
                Self::Text(all)
            }
            (Self::Text(mut all), Self::Integer(more)) => {
                all.merge(Texts::of_whole(more));
                Self::Text(all)
            }
            (Self::Text(mut all), Self::Text(more)) => {
                all.merge(more);
                Self::Text(all)
            }
            _ => Self::ReadAgainAsText,
        };
    }

    fn missing(&self) -> u64 {
        match self {
            Self::Integer(of) | Self::Real(of) | Self::Date(of) | Self::Datetime(of) => of.missing,
            Self::Text(of) => of.missing,
            Self::ReadAgainAsText => 0,
        }
    }

    fn is_full(&self) -> bool {
        match self {
            Self::Integer(of) | Self::Real(of) | Self::Date(of) | Self::Datetime(of) => of.is_full,
            Self::Text(of) => of.is_full,
            Self::ReadAgainAsText => false,
        }
    }

    /// The texts as levels.
    fn levels(&self) -> Option<Levels> {
        let Self::Text(of) = self else { return None };
        let mut texts: Vec<&String> = of.counts.keys().collect();
        texts.sort_unstable();
        Levels::new(texts.into_iter().cloned()).ok()
    }

    /// What shows whether the column names units.
    fn tally(&self) -> Option<Tally> {
        match self {
            Self::Integer(of) => {
                let mut values: Vec<(i64, u64)> =
                    of.counts.iter().map(|(value, count)| (*value, *count)).collect();
                values.sort_unstable();
                Tally::of_whole_numbers(values, of.is_full)
            }
            Self::Text(of) => {
                let values = of.counts.iter().map(|(text, count)| (text.clone(), *count)).collect();
                Tally::of_counted_texts(values, of.is_full)
            }
            Self::Real(of) if of.examples[0].is_none() && !of.has_large => {
                let values = of.counts.iter().map(|(value, count)| (number(*value) as i64, *count));
                let mut values: Vec<(i64, u64)> = values.collect();
                values.sort_unstable();
                Tally::of_whole_numbers(values, of.is_full)
            }
            _ => None,
        }
    }

    /// The kind, by the rules of a table in memory.
    fn kind(self, held: Option<&arrow_schema::DataType>) -> (Kind, Option<Stored>) {
        let piece = match self {
            Self::Integer(of) if of.is_full && of.has_large => return (Kind::TextId, Some(Stored::Integer)),
            Self::Text(of) if of.is_full => return (Kind::TextId, None),
            Self::Integer(of) => Piece::Integer(Numbers::complete(of.telling())),
            Self::Real(of) => Piece::Real(Numbers::complete(of.telling().into_iter().map(number).collect())),
            Self::Date(of) => {
                Piece::Date(Numbers::complete(of.telling().into_iter().map(|day| day as i32).collect()))
            }
            Self::Datetime(of) => Piece::Datetime(Numbers::complete(of.telling())),
            Self::Text(of) => {
                let mut counts: Vec<(String, u64)> = of.counts.into_iter().collect();
                counts.sort_unstable();
                // A text that several records have comes twice, for a text of one record each names records.
                let codes = counts.iter().enumerate();
                let codes = codes.flat_map(|(code, (_, count))| {
                    std::iter::repeat_n(code as u32, (*count).min(2) as usize)
                });
                let codes = Codes::collect(counts.len() + 1, codes);
                Piece::Text(TextColumn {
                    codes,
                    dictionary: counts.into_iter().map(|(text, _)| text).collect(),
                })
            }
            Self::ReadAgainAsText => Piece::Text(as_text(&Numbers::with_capacity(0))),
        };
        learn::kind(piece, held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_numbers_keep_their_order_as_whole_ones() {
        let numbers = [f64::MIN, -2.5, -1.0, -1e-300, 0.0, 1e-300, 0.1, 1.0, 2.5, f64::MAX];
        assert!(numbers.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        assert!(numbers.iter().all(|value| number(ordered(*value)) == *value));
        assert_eq!(ordered(-0.0), ordered(0.0));
    }
}
