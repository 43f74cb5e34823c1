//! The columns of a table in memory.

use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::value_counts::ValueCounts;
pub use crate::whole::{Number, Store, Whole};
use crate::{Codes, Kind};

/// One variable's values, one a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Codes into the variable's levels; the code just above the last level is missing.
    Categorical(Arc<Codes>),
    /// Whole numbers.
    Integer(Numbers<i64>),
    /// Real numbers; never infinite, never NaN.
    Real(Numbers<f64>),
    /// Days since 1970-01-01.
    Date(Numbers<i32>),
    /// Microseconds since 1970-01-01T00:00:00, or since midnight.
    Datetime(Numbers<i64>),
    /// Text that names a record and is never modelled.
    Text(TextColumn),
}

/// Numbers with what is not a number kept apart: a missing value or a special code is a mark, never a magic value.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers<T: Number> {
    values: T::Store,
    marks: Option<Vec<u8>>,
}

/// What stands in a numeric column at one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<T> {
    /// A number.
    Value(T),
    /// Missing.
    Missing,
    /// The special code of this position in the variable's list of codes.
    Code(usize),
}

const IS_VALUE: u8 = 0;
const IS_MISSING: u8 = 1;
const FIRST_CODE: u8 = 2;

/// Every whole number up to this one, 2^53, is a double; numbers above it are kept as text, for arithmetic would round them.
pub(crate) const EXACT: u64 = 1 << 53;

/// How many special codes one variable can have.
pub const MOST_SPECIAL_CODES: usize = (u8::MAX - FIRST_CODE) as usize + 1;

impl<T: Number> Numbers<T> {
    /// An empty column with room for `rows`.
    pub fn with_capacity(rows: usize) -> Self {
        Self { values: T::Store::with_capacity(rows), marks: None }
    }

    /// A column without missing values or codes.
    pub fn complete(values: Vec<T>) -> Self {
        Self { values: T::Store::of(values), marks: None }
    }

    /// Appends one entry.
    #[inline]
    pub fn push(&mut self, entry: Entry<T>) {
        let (value, mark) = match entry {
            Entry::Value(value) => (value, IS_VALUE),
            Entry::Missing => (T::default(), IS_MISSING),
            Entry::Code(position) => (T::default(), FIRST_CODE + position as u8),
        };
        if mark != IS_VALUE && self.marks.is_none() {
            let mut marks = Vec::with_capacity(self.values.capacity());
            marks.resize(self.values.len(), IS_VALUE);
            self.marks = Some(marks);
        }
        self.values.push(value);
        if let Some(marks) = &mut self.marks {
            marks.push(mark);
        }
    }

    /// Appends all of `other`, which is emptied.
    pub fn append(&mut self, mut other: Self) {
        match (&mut self.marks, &mut other.marks) {
            (Some(marks), Some(more)) => marks.append(more),
            (Some(marks), None) => marks.resize(marks.len() + other.values.len(), IS_VALUE),
            (None, Some(more)) => {
                let mut marks = Vec::with_capacity(self.values.capacity());
                marks.resize(self.values.len(), IS_VALUE);
                marks.append(more);
                self.marks = Some(marks);
            }
            (None, None) => {}
        }
        self.values.append(other.values);
    }

    /// Makes room for more records.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.values.reserve(rows);
        self.marks.iter_mut().for_each(|marks| marks.reserve(rows));
    }

    /// The column without room to grow.
    pub(crate) fn shrunk(mut self) -> Self {
        self.values.shrink();
        self.marks.iter_mut().for_each(Vec::shrink_to_fit);
        self
    }

    /// The column in the narrowest width that holds its numbers.
    pub fn narrowed(self) -> Self {
        Self { values: self.values.narrowed(), marks: self.marks }
    }

    /// The entries at these rows, in this order.
    pub fn take(&self, rows: &[u32]) -> Self {
        let marks = self.marks.as_ref().map(|marks| rows.iter().map(|row| marks[*row as usize]).collect());
        Self { values: self.values.take(rows), marks }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry of record `row`.
    pub fn get(&self, row: usize) -> Entry<T> {
        match self.marks.as_ref().map_or(IS_VALUE, |marks| marks[row]) {
            IS_VALUE => Entry::Value(self.values.at(row)),
            IS_MISSING => Entry::Missing,
            code => Entry::Code(usize::from(code - FIRST_CODE)),
        }
    }

    /// Hands over the entries of some records in row order, faster than one after the other: what the column is held in is asked once.
    #[inline]
    pub fn for_each(&self, rows: Range<usize>, mut each: impl FnMut(Entry<T>)) {
        match &self.marks {
            None => self.values.for_each(rows, |_, value| each(Entry::Value(value))),
            Some(marks) => self.values.for_each(rows, |row, value| {
                each(match marks[row] {
                    IS_VALUE => Entry::Value(value),
                    IS_MISSING => Entry::Missing,
                    code => Entry::Code(usize::from(code - FIRST_CODE)),
                });
            }),
        }
    }

    /// Hands over the numbers of some records, without missing values and codes.
    #[inline]
    pub fn for_each_value(&self, rows: Range<usize>, mut each: impl FnMut(T)) {
        match &self.marks {
            None => self.values.for_each(rows, |_, value| each(value)),
            Some(marks) => self.values.for_each(rows, |row, value| {
                if marks[row] == IS_VALUE {
                    each(value);
                }
            }),
        }
    }

    /// The smallest and the largest number; `None` if there is none.
    pub fn extremes(&self) -> Option<(T, T)>
    where
        T: PartialOrd,
    {
        let first = self.values().next()?;
        let (mut low, mut high) = (first, first);
        self.for_each_value(0..self.len(), |value| {
            low = if value < low { value } else { low };
            high = if value > high { value } else { high };
        });
        Some((low, high))
    }

    /// All entries in row order.
    pub fn iter(&self) -> impl Iterator<Item = Entry<T>> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }

    /// The numbers alone, without missing values and codes.
    pub fn values(&self) -> impl Iterator<Item = T> + '_ {
        self.iter().filter_map(|entry| match entry {
            Entry::Value(value) => Some(value),
            Entry::Missing | Entry::Code(_) => None,
        })
    }

    /// How many entries are missing.
    pub fn missing(&self) -> u64 {
        self.marks.as_ref().map_or(0, |marks| marks.iter().filter(|mark| **mark == IS_MISSING).count() as u64)
    }

    /// How often each of the first `codes` special codes occurs.
    pub fn code_frequencies(&self, codes: usize) -> Vec<u64> {
        let mut count = vec![0; codes];
        for mark in self.marks.iter().flatten().filter(|mark| **mark >= FIRST_CODE) {
            count[usize::from(mark - FIRST_CODE)] += 1;
        }
        count
    }

    /// The column with every number passed through `convert`; missing values and codes stay.
    pub fn map<U: Number>(self, convert: impl Fn(T) -> U) -> Numbers<U> {
        let values = self.values.into_vec().into_iter().map(convert).collect();
        Numbers { values: U::Store::of(values), marks: self.marks }
    }

    /// Turns numbers that `position` knows into special codes.
    pub fn set_codes_apart(self, position: impl Fn(T) -> Option<usize>) -> Self {
        let mut kept = Self::with_capacity(self.len());
        for entry in self.iter() {
            kept.push(match entry {
                Entry::Value(value) => position(value).map_or(entry, Entry::Code),
                other => other,
            });
        }
        kept
    }

    /// Size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.values.bytes() + self.marks.as_ref().map_or(0, Vec::len)
    }
}

/// Text as codes into a dictionary in order of first appearance; `dictionary.len()` is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextColumn {
    /// One code a record.
    pub codes: Codes,
    /// The distinct texts.
    pub dictionary: Vec<String>,
}

impl TextColumn {
    /// The text of record `row`, or `None` when missing.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.dictionary.get(self.codes.get(row) as usize).map(String::as_str)
    }

    /// The entries of some records, with a dictionary of what they hold.
    pub fn part(&self, rows: std::ops::Range<usize>) -> Self {
        let mut dictionary: IndexSet<&str, FxBuildHasher> = IndexSet::default();
        let codes: Vec<u32> = rows
            .map(|row| self.get(row).map_or(u32::MAX, |text| dictionary.insert_full(text).0 as u32))
            .collect();
        let missing = dictionary.len() as u32;
        let codes = Codes::collect(dictionary.len() + 1, codes.into_iter().map(|code| code.min(missing)));
        Self { codes, dictionary: dictionary.into_iter().map(str::to_owned).collect() }
    }

    /// Whole numbers as text.
    pub fn of_integers(numbers: &Numbers<i64>) -> Self {
        let mut dictionary: IndexSet<i64, FxBuildHasher> = IndexSet::default();
        let code = |entry: Entry<i64>| match entry {
            Entry::Value(value) => dictionary.insert_full(value).0 as u32,
            Entry::Missing | Entry::Code(_) => u32::MAX,
        };
        let codes: Vec<u32> = numbers.iter().map(code).collect();
        let missing = dictionary.len() as u32;
        let codes = Codes::collect(dictionary.len() + 1, codes.into_iter().map(|code| code.min(missing)));
        Self { codes, dictionary: dictionary.iter().map(i64::to_string).collect() }
    }

    /// The texts as whole numbers; `None` if one is no such number.
    pub fn to_integers(&self) -> Option<Numbers<i64>> {
        let values: Vec<i64> = self.dictionary.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?;
        let mut numbers = Numbers::with_capacity(self.codes.len());
        for code in self.codes.iter() {
            numbers.push(values.get(code as usize).copied().map_or(Entry::Missing, Entry::Value));
        }
        Some(numbers)
    }
}

impl Column {
    /// Columns of one kind, one after the other. Levels are the kind's own, so codes mean the same in each.
    pub(crate) fn concatenate(kind: &Kind, parts: Vec<Self>) -> Self {
        fn numbers<T: Number>(rows: usize, parts: impl Iterator<Item = Numbers<T>>) -> Numbers<T> {
            let mut all = Numbers::with_capacity(rows);
            parts.for_each(|part| all.append(part));
            all
        }
        let rows = parts.iter().map(Self::len).sum();
        let parts = parts.into_iter();
        match kind {
            Kind::Categorical { levels } | Kind::Ordinal { levels } => {
                let mut all = Codes::with_capacity(levels.len() + 1, rows);
                parts.for_each(|part| {
                    if let Self::Categorical(codes) = part {
                        all.extend(codes.iter());
                    }
                });
                Self::Categorical(Arc::new(all))
            }
            Kind::Integer { .. } => Self::Integer(numbers(
                rows,
                parts.filter_map(|part| if let Self::Integer(numbers) = part { Some(numbers) } else { None }),
            )),
            Kind::Real { .. } => Self::Real(numbers(
                rows,
                parts.filter_map(|part| if let Self::Real(numbers) = part { Some(numbers) } else { None }),
            )),
            Kind::Date { .. } => Self::Date(numbers(
                rows,
                parts.filter_map(|part| if let Self::Date(days) = part { Some(days) } else { None }),
            )),
            Kind::Datetime { .. } => Self::Datetime(numbers(
                rows,
                parts.filter_map(|part| if let Self::Datetime(times) = part { Some(times) } else { None }),
            )),
            Kind::TextId => {
                let mut dictionary: IndexSet<String, FxBuildHasher> = IndexSet::default();
                let mut codes = Vec::with_capacity(rows);
                for part in parts {
                    if let Self::Text(text) = part {
                        let code = |text: String| dictionary.insert_full(text).0 as u32;
                        let new_code: Vec<u32> = text.dictionary.into_iter().map(code).collect();
                        let known = |code: u32| new_code.get(code as usize).copied().unwrap_or(u32::MAX);
                        codes.extend(text.codes.iter().map(known));
                    }
                }
                let missing = dictionary.len() as u32;
                let codes =
                    Codes::collect(dictionary.len() + 1, codes.into_iter().map(|code| code.min(missing)));
                Self::Text(TextColumn { codes, dictionary: dictionary.into_iter().collect() })
            }
        }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        match self {
            Self::Categorical(codes) => codes.len(),
            Self::Integer(numbers) => numbers.len(),
            Self::Real(numbers) => numbers.len(),
            Self::Date(days) => days.len(),
            Self::Datetime(times) => times.len(),
            Self::Text(text) => text.codes.len(),
        }
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the column holds values of this kind.
    pub fn is_of(&self, kind: &Kind) -> bool {
        matches!(
            (self, kind),
            (Self::Categorical(_), Kind::Categorical { .. } | Kind::Ordinal { .. })
                | (Self::Integer(_), Kind::Integer { .. })
                | (Self::Real(_), Kind::Real { .. })
                | (Self::Date(_), Kind::Date { .. })
                | (Self::Datetime(_), Kind::Datetime { .. })
                | (Self::Text(_), Kind::TextId)
        )
    }

    /// A column of numbers, days or times of this kind: whole where the kind is, and to the precision in which times are written.
    pub fn of_numbers(kind: &Kind, numbers: Numbers<f64>) -> Self {
        match kind {
            Kind::Integer { .. } => Self::Integer(numbers.map(|number| number.round() as i64)),
            Kind::Date { .. } => Self::Date(numbers.map(|number| number.round() as i32)),
            Kind::Datetime { format, .. } => Self::Datetime(numbers.map(|number| format.nearest(number))),
            Kind::Real { .. } | Kind::Categorical { .. } | Kind::Ordinal { .. } | Kind::TextId => {
                Self::Real(numbers)
            }
        }
    }

    /// The entry of a column of numbers, days or times at `row` as a real number; `None` for categories and text.
    pub fn number(&self, row: usize) -> Option<Entry<f64>> {
        fn real<T>(entry: Entry<T>, convert: impl Fn(T) -> f64) -> Entry<f64> {
            match entry {
                Entry::Value(value) => Entry::Value(convert(value)),
                Entry::Missing => Entry::Missing,
                Entry::Code(position) => Entry::Code(position),
            }
        }
        match self {
            Self::Integer(numbers) => Some(real(numbers.get(row), |value| value as f64)),
            Self::Real(numbers) => Some(numbers.get(row)),
            Self::Date(days) => Some(real(days.get(row), f64::from)),
            Self::Datetime(times) => Some(real(times.get(row), |time| time as f64)),
            Self::Categorical(_) | Self::Text(_) => None,
        }
    }

    /// The different numbers in ascending order with how many records have each, without missing values and special codes; none of categories and text.
    pub fn counted(&self) -> Vec<(f64, u64)> {
        ValueCounts::of(self).iter().collect()
    }

    /// The column in the narrowest width that holds it.
    pub(crate) fn narrowed(self) -> Self {
        match self {
            Self::Integer(numbers) => Self::Integer(numbers.narrowed()),
            Self::Datetime(times) => Self::Datetime(times.narrowed()),
            other => other,
        }
    }

    /// Size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Categorical(codes) => codes.bytes(),
            Self::Integer(numbers) => numbers.bytes(),
            Self::Real(numbers) => numbers.bytes(),
            Self::Date(days) => days.bytes(),
            Self::Datetime(times) => times.bytes(),
            Self::Text(text) => text.codes.bytes() + text.dictionary.iter().map(String::len).sum::<usize>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_codes_are_marks_not_magic_values() {
        let mut income = Numbers::with_capacity(4);
        income.push(Entry::Value(0));
        income.push(Entry::Missing);
        income.push(Entry::Value(-8));
        let income = income.set_codes_apart(|value| (value == -8).then_some(0));
        assert_eq!(income.iter().collect::<Vec<_>>(), [Entry::Value(0), Entry::Missing, Entry::Code(0)]);
        assert_eq!((income.missing(), income.code_frequencies(1)), (1, vec![1]));
        assert_eq!(income.values().collect::<Vec<i64>>(), [0]);
    }

    #[test]
    fn appending_keeps_marks_in_place() {
        let mut numbers = Numbers::complete(vec![1.0, 2.0]);
        let mut more = Numbers::with_capacity(1);
        more.push(Entry::Missing);
        numbers.append(more);
        numbers.append(Numbers::complete(vec![3.0]));
        let all = [Entry::Value(1.0), Entry::Value(2.0), Entry::Missing, Entry::Value(3.0)];
        assert_eq!(numbers.iter().collect::<Vec<_>>(), all);
    }
}
