//! CSV: the same separators, quotes and words for the same table, always.
//!
//! Some records at a time become lines on all cores. Most fields are one of a few texts, each of which is kept with what stands behind it in a field of
//! one size, so that copying it asks for no length.

use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;

use rayon::prelude::*;

use crate::column::{Column, Entry, Numbers};
use crate::schema::{DecimalMark, Kind, Schema, Variable};
use crate::spreadsheet::guarded;
use crate::{Codes, Table, with_codes};

/// Records that one thread turns into lines.
const PART: usize = 1 << 10;

/// Parts that are in memory at a time, for each thread.
const PARTS: usize = 16;

/// Bytes that are copied for a short text, whatever its length.
const SHORT: usize = 16;

/// Whole numbers below this one are written out beforehand.
const SMALL: usize = 1000;

/// Writes CSV.
pub(super) struct CsvWriter<W> {
    sink: W,
    keep_formulas: bool,
    decimal: DecimalMark,
    /// What every table of the schema has in common; made when the first one comes.
    prepared: Option<Prepared>,
}

/// Texts of all categories, and small numbers before a separator and at the end of a line.
struct Prepared {
    levels: Vec<Option<Texts>>,
    small: [Texts; 2],
}

impl<W: Write> CsvWriter<W> {
    pub(super) fn new(mut sink: W, schema: &Schema) -> std::io::Result<Self> {
        let decimal = schema.decimal();
        let names: Vec<String> =
            schema.variables().iter().map(|variable| field(&variable.name, decimal, true)).collect();
        writeln!(sink, "{}", names.join(separator(decimal)))?;
        Ok(Self { sink, keep_formulas: false, decimal, prepared: None })
    }

    pub(super) fn keep_formulas(mut self, keep: bool) -> Self {
        self.keep_formulas = keep;
        self
    }

    pub(super) fn write(&mut self, table: &Table) -> std::io::Result<()> {
        let (decimal, keep) = (self.decimal, self.keep_formulas);
        let prepared = self.prepared.get_or_insert_with(|| Prepared::new(table.schema(), decimal, keep));
        let last = table.columns().len() - 1;
        let variables = table.schema().variables().iter().zip(table.columns()).enumerate();
        let columns: Vec<Field<'_>> = variables
            .map(|(at, (variable, column))| {
                let levels = prepared.levels[at].as_ref();
                Field::new(variable, column, levels, end(decimal, at == last), decimal, keep)
            })
            .collect();
        let lines = |rows: Range<usize>| {
            let mut lines = Lines::default();
            for row in rows {
                lines.begin(SHORT * columns.len());
                for (at, column) in columns.iter().enumerate() {
                    column.write(row, &prepared.small[usize::from(at == last)], &mut lines);
                }
            }
            lines.finish()
        };
        let at_once = PART * PARTS * rayon::current_num_threads();
        for start in (0..table.rows()).step_by(at_once) {
            let all = table.rows().min(start + at_once);
            let parts =
                (start..all).into_par_iter().step_by(PART).map(|from| lines(from..all.min(from + PART)));
            for part in parts.collect::<Vec<Vec<u8>>>() {
                self.sink.write_all(&part)?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> std::io::Result<W> {
        self.sink.flush()?;
        Ok(self.sink)
    }
}

impl Prepared {
    fn new(schema: &Schema, decimal: DecimalMark, keep: bool) -> Self {
        let variables = schema.variables();
        let levels = variables.iter().enumerate().map(|(at, variable)| {
            let end = end(decimal, at + 1 == variables.len());
            let levels = variable.kind.levels()?;
            Some(Texts::new(
                levels.iter().map(|level| field(level, decimal, keep)).chain([String::new()]),
                end,
            ))
        });
        let small = [false, true]
            .map(|is_last| Texts::new((0..SMALL).map(|number| number.to_string()), end(decimal, is_last)));
        Self { levels: levels.collect(), small }
    }
}

/// Texts by number, each with what stands behind it.
#[derive(Default)]
struct Texts {
    short: Vec<[u8; SHORT]>,
    /// Where each ends in `all`.
    ends: Vec<u32>,
    all: Vec<u8>,
}

impl Texts {
    fn new(texts: impl Iterator<Item = String>, end: u8) -> Self {
        let mut all = Self::default();
        for text in texts {
            let start = all.all.len();
            all.all.extend_from_slice(text.as_bytes());
            all.all.push(end);
            let text = &all.all[start..];
            let mut short = [0; SHORT];
            let length = text.len().min(SHORT);
            short[..length].copy_from_slice(&text[..length]);
            all.short.push(short);
            all.ends.push(all.all.len() as u32);
        }
        all
    }

    #[inline]
    fn write(&self, number: usize, lines: &mut Lines) {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        let end = self.ends[number] as usize;
        if end - start <= SHORT {
            lines.push_short(&self.short[number], end - start);
        } else {
            lines.push(&self.all[start..end]);
        }
    }
}

/// Lines under construction, with room for a short text behind what is written.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    written: usize,
    /// Bytes of short texts that a line may hold.
    short: usize,
}

impl Lines {
    /// Makes room for a line with so many bytes of short texts.
    #[inline]
    fn begin(&mut self, short: usize) {
        self.short = short;
        self.make_room(short);
    }

    #[inline]
    fn make_room(&mut self, bytes: usize) {
        let needed = self.written + bytes;
        if needed > self.bytes.len() {
            self.bytes.resize((2 * needed).max(1 << 16), 0);
        }
    }

    /// A text that fits a field of one size, for which there is room.
    #[inline]
    fn push_short(&mut self, text: &[u8; SHORT], length: usize) {
        self.bytes[self.written..self.written + SHORT].copy_from_slice(text);
        self.written += length;
    }

    /// Any text. The room that was made for short ones stays.
    fn push(&mut self, text: &[u8]) {
        self.make_room(text.len() + self.short);
        self.bytes[self.written..self.written + text.len()].copy_from_slice(text);
        self.written += text.len();
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.written);
        self.bytes
    }
}

/// A column that can write any of its records, with what stands behind it.
struct Field<'a> {
    of: Values<'a>,
    /// Texts of special codes.
    codes: Vec<Vec<u8>>,
    end: u8,
    decimal: DecimalMark,
}

enum Values<'a> {
    Levels { codes: &'a Codes, texts: &'a Texts },
    Texts { codes: &'a Codes, texts: Texts },
    Integers(&'a Numbers<i64>),
    Reals(&'a Numbers<f64>),
    Days(&'a Numbers<i32>, crate::date::DateFormat),
    Times(&'a Numbers<i64>, crate::datetime::DatetimeFormat),
}

impl<'a> Field<'a> {
    fn new(
        variable: &'a Variable,
        column: &'a Column,
        levels: Option<&'a Texts>,
        end: u8,
        decimal: DecimalMark,
        keep: bool,
    ) -> Self {
        let of = match (column, levels) {
            (Column::Categorical(codes), Some(texts)) => Values::Levels { codes, texts },
            (Column::Categorical(codes), None) => {
                Values::Texts { codes, texts: Texts::new([String::new()].into_iter(), end) }
            }
            (Column::Text(text), _) => {
                let texts =
                    text.dictionary.iter().map(|text| field(text, decimal, keep)).chain([String::new()]);
                Values::Texts { codes: &text.codes, texts: Texts::new(texts, end) }
            }
            (Column::Integer(numbers), _) => Values::Integers(numbers),
            (Column::Real(numbers), _) => Values::Reals(numbers),
            (Column::Date(days), _) => {
                let format =
                    if let Kind::Date { format, .. } = variable.kind { format } else { Default::default() };
                Values::Days(days, format)
            }
            (Column::Datetime(times), _) => Values::Times(times, variable.kind.datetime_format()),
        };
        let code = |code: &crate::schema::SpecialCode| {
            let mut text = with_mark(code.value.to_string(), decimal).into_bytes();
            text.push(end);
            text
        };
        Self { of, codes: variable.codes.iter().map(code).collect(), end, decimal }
    }

    /// Appends the field of a record; `small` are numbers with what stands behind this column.
    #[inline]
    fn write(&self, row: usize, small: &Texts, lines: &mut Lines) {
        match &self.of {
            Values::Levels { codes, texts } => {
                texts.write(with_codes!(codes, codes => codes[row] as usize), lines);
            }
            Values::Texts { codes, texts } => {
                texts.write(with_codes!(codes, codes => codes[row] as usize), lines);
            }
            Values::Integers(numbers) => match numbers.get(row) {
                Entry::Value(value) if (0..SMALL as i64).contains(&value) => {
                    small.write(value as usize, lines)
                }
                Entry::Value(value) => self.push(itoa::Buffer::new().format(value).as_bytes(), lines),
                other => self.write_mark(other, lines),
            },
            Values::Reals(numbers) => match numbers.get(row) {
                Entry::Value(value) => self.push_real(value, lines),
                other => self.write_mark(other, lines),
            },
            Values::Days(days, format) => match days.get(row) {
                Entry::Value(day) => self.push(format.format(day).as_bytes(), lines),
                other => self.write_mark(other, lines),
            },
            Values::Times(times, format) => match times.get(row) {
                Entry::Value(time) => self.push(format.format(time).as_bytes(), lines),
                other => self.write_mark(other, lines),
            },
        }
    }

    fn push(&self, text: &[u8], lines: &mut Lines) {
        lines.push(text);
        lines.push(&[self.end]);
    }

    /// A special code, or the empty field.
    fn write_mark<T>(&self, entry: Entry<T>, lines: &mut Lines) {
        match entry {
            Entry::Code(position) => lines.push(&self.codes[position]),
            Entry::Value(_) | Entry::Missing => lines.push(&[self.end]),
        }
    }

    /// The shortest text that is read back as this number.
    fn push_real(&self, value: f64, lines: &mut Lines) {
        if let Some((multiple, digits)) = decimals(value.abs()) {
            if value.is_sign_negative() {
                lines.push(b"-");
            }
            let scale = 10_u64.pow(digits);
            lines.push(itoa::Buffer::new().format(multiple / scale).as_bytes());
            if digits > 0 {
                let mut rest = multiple % scale;
                let mut text = [b'0'; 1 + MOST_DECIMALS as usize];
                for place in (1..=digits as usize).rev() {
                    text[place] = b'0' + (rest % 10) as u8;
                    rest /= 10;
                }
                text[0] = if self.decimal == DecimalMark::Comma { b',' } else { b'.' };
                lines.push(&text[..1 + digits as usize]);
            }
            lines.push(&[self.end]);
        } else {
            self.push(with_mark(value.to_string(), self.decimal).as_bytes(), lines);
        }
    }
}

/// Decimals that are written without a search for the shortest text.
const MOST_DECIMALS: u32 = 4;

/// The whole number and the fewest decimals of which a number is the nearest double. With at most fifteen digits in all there is no other text as short that is
/// read as this number.
fn decimals(value: f64) -> Option<(u64, u32)> {
    const FIFTEEN_DIGITS: f64 = 1e15;
    (0..=MOST_DECIMALS).zip([1.0, 1e1, 1e2, 1e3, 1e4]).find_map(|(digits, scale)| {
        let multiple = value * scale + 0.5;
        let whole = multiple as u64;
        (multiple < FIFTEEN_DIGITS && whole as f64 / scale == value).then_some((whole, digits))
    })
}

/// What stands behind a field.
fn end(decimal: DecimalMark, is_last: bool) -> u8 {
    if is_last { b'\n' } else { separator(decimal).as_bytes()[0] }
}

/// What stands between fields.
fn separator(decimal: DecimalMark) -> &'static str {
    match decimal {
        DecimalMark::Point => ",",
        DecimalMark::Comma => ";",
    }
}

/// A number with the mark before its decimals.
fn with_mark(number: String, decimal: DecimalMark) -> String {
    if decimal == DecimalMark::Comma { number.replacen('.', ",", 1) } else { number }
}

/// A field, in quotes where it holds a separator, a quote or a line end, and guarded where a spreadsheet would run it, unless it is kept.
fn field(text: &str, decimal: DecimalMark, keep: bool) -> String {
    let text = if keep { Cow::Borrowed(text) } else { guarded(text) };
    if text.contains(['"', '\n', '\r']) || text.contains(separator(decimal)) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read::{ReadOptions, read_csv_text};
    use crate::write::{Format, TableWriter, csv_text};

    fn written(value: f64, decimal: DecimalMark) -> String {
        let variable = Variable::new("x", Kind::Real { range: None });
        let column = Column::Real(Numbers::complete(vec![value]));
        let small = Texts::default();
        let mut lines = Lines::default();
        lines.begin(0);
        Field::new(&variable, &column, None, b'\n', decimal, false).write(0, &small, &mut lines);
        String::from_utf8(lines.finish()).unwrap()
    }

    proptest! {
        #[test]
        fn numbers_are_written_as_rust_writes_them(
            value in prop_oneof![
                any::<f64>().prop_filter("finite", |value| value.is_finite()),
                (any::<i32>(), 0..6_i32).prop_map(|(whole, digits)| f64::from(whole) / 10_f64.powi(digits)),
                (any::<i64>(), 0..6_i32).prop_map(|(whole, digits)| whole as f64 / 10_f64.powi(digits)),
                Just(-0.0),
                Just(0.1 + 0.2),
                Just(1e15),
                Just(999_999_999_999_999.0),
            ]
        ) {
            prop_assert_eq!(written(value, DecimalMark::Point), format!("{value}\n"));
            prop_assert_eq!(written(value, DecimalMark::Comma), format!("{}\n", value.to_string().replace('.', ",")));
        }

        /// Long and short texts, small and large numbers, what is missing, in any number of parts.
        #[test]
        fn what_is_written_is_what_was_read(
            rows in prop::collection::vec((prop::option::of("[a-c]{1,3}|[a-z]{14,18}|[a-z]{40}"), prop::option::of(prop_oneof![0..2_000_i64, Just(i64::MIN + 1), -9..0_i64])), 1..60),
            times in 1_usize..200,
        ) {
            let mut text = String::from("a,b,c\n");
            for (level, number) in rows.iter().cycle().take(rows.len() * times) {
                let level = level.as_deref().unwrap_or_default();
                let number = number.map(|number| (number % 100_000).to_string()).unwrap_or_default();
                text += &format!("{level},{number},{level}\n");
            }
            // Two columns show what kinds they are.
            text += "x,1,y\n";
            let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
            prop_assert_eq!(csv_text(&table), text);
        }
    }

    #[test]
    fn any_number_of_threads_writes_the_same_bytes() {
        let rows: Vec<String> =
            (0..40_000).map(|row| format!("l{},{},{}.5", row % 70, row % 3_000, row % 11)).collect();
        let text = format!("a,b,c\n{}\n", rows.join("\n"));
        let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
        let write = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                Format::ALL
                    .into_iter()
                    .filter(|format| *format != Format::Xlsx)
                    .map(|format| {
                        let mut writer = TableWriter::new(Vec::new(), table.schema(), format).unwrap();
                        writer.write(&table).unwrap();
                        writer.write(&table).unwrap();
                        writer.finish().unwrap()
                    })
                    .collect::<Vec<_>>()
            })
        };
        let one = write(1);
        assert_eq!(one[0][..text.len()], *text.as_bytes());
        assert!(write(2) == one && write(5) == one);
    }
}
