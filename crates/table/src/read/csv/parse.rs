//! A block of records into typed pieces of columns.

use std::borrow::Cow;

use super::blocks::Block;
use super::fields::{Field, FieldError, Fields};
use super::header::Header;
use super::plain::Plain;
use crate::FileProblem;
use crate::column::{EXACT, Entry, Numbers};
use crate::date::DateFormat;
use crate::read::Expectation;
use crate::read::dictionary::{TextBuilder, eight_bytes};
use crate::read::pieces::{Piece, integers_as_text};
use crate::schema::{DecimalMark, exact_number, is_long_number};

/// What is known before the first record.
pub(in crate::read) struct Plan {
    pub(in crate::read) header: Header,
    pub(in crate::read) expected: Vec<Expectation>,
    tokens: Vec<Tokens>,
}

/// Texts that mean missing, and the numbers among them.
struct Tokens {
    texts: Vec<String>,
    numbers: Vec<f64>,
    decimal: DecimalMark,
}

/// A parsed block.
pub(in crate::read) struct Parsed {
    pub(in crate::read) pieces: Vec<Piece>,
    /// The line of the first record, if there is one.
    pub(in crate::read) first_line: Option<u64>,
    /// A blank line after which no record came.
    pub(in crate::read) blank: Option<u64>,
}

impl Plan {
    pub(in crate::read) fn new(
        header: Header,
        expected: Vec<Expectation>,
        tokens: Vec<Vec<String>>,
        decimal: DecimalMark,
    ) -> Self {
        let tokens = tokens.into_iter().map(|texts| {
            let number = |text: &String| match decimal {
                DecimalMark::Point => text.parse().ok(),
                DecimalMark::Comma => text.replacen(',', ".", 1).parse().ok(),
            };
            let numbers = texts.iter().filter_map(number).collect();
            Tokens { texts, numbers, decimal }
        });
        Self { header, expected, tokens: tokens.collect() }
    }

    pub(in crate::read) fn ragged(&self, line: u64, found: usize) -> FileProblem {
        let near = match self.header.names.get(found) {
            Some(name) => format!(" (nothing for `{name}`)"),
            None => String::new(),
        };
        FileProblem::RaggedRow { line, found, expected: self.header.names.len(), near }
    }
}

/// A column of the block under construction.
enum Builder<'a> {
    Integer(Numbers<i64>),
    Real(Numbers<f64>),
    /// Dates written 2011-03-27, the one form that needs no look at the others of the column.
    Date(Numbers<i32>),
    Text(TextBuilder<'a>),
}

/// Why a block must be parsed again.
enum Again {
    /// This column must be text although it began as real numbers or dates.
    AsText(usize),
    /// Some field is not what it must be; which one is the first is told by a walk from field to field.
    Walking,
}

/// Records that are walked through field by field where one is not plain, before plain ones are looked for again.
const WALKED: usize = 32;

/// Parses a block. `hints` says which columns have shown to be text already.
pub(in crate::read) fn parse(
    block: &Block,
    plan: &Plan,
    hints: &[Expectation],
) -> Result<Parsed, FileProblem> {
    let mut expected = hints.to_vec();
    let mut walking = false;
    loop {
        match parse_as(block, plan, &expected, walking)? {
            Ok(parsed) => return Ok(parsed),
            Err(Again::AsText(column)) => expected[column] = Expectation::Text,
            Err(Again::Walking) => walking = true,
        }
    }
}

fn parse_as(
    block: &Block,
    plan: &Plan,
    expected: &[Expectation],
    walking: bool,
) -> Result<Result<Parsed, Again>, FileProblem> {
    let names = &plan.header.names;
    let text = match std::str::from_utf8(&block.bytes) {
        Ok(text) => text,
        Err(error) => return Err(not_utf8(block, plan, error.valid_up_to())),
    };
    let roughly_rows = block.bytes.len() / (4 * names.len()).max(8);
    let builder = |expectation: &Expectation| match expectation {
        Expectation::Infer | Expectation::Integer => Builder::Integer(Numbers::with_capacity(roughly_rows)),
        Expectation::Real => Builder::Real(Numbers::with_capacity(roughly_rows)),
        Expectation::Text => Builder::Text(TextBuilder::with_capacity(roughly_rows)),
    };
    let mut builders: Vec<Builder<'_>> = expected.iter().map(builder).collect();
    let mut fields = Fields::new(text.as_bytes(), plan.header.separator);
    let mut first_line = None;
    let mut blank = None;
    let line_of =
        |position: usize| block.line + memchr::memchr_iter(b'\n', &block.bytes[..position]).count() as u64;
    let mut plain = Plain::default();
    let mut to_walk = 0;
    while !fields.at_end() {
        let record_start = fields.position();
        if to_walk == 0 && blank.is_none() && !walking {
            plain.find(text.as_bytes(), record_start, plan.header.separator, names.len());
            if let Err(again) = push_columns(&mut builders, text, &plain, expected, &plan.tokens) {
                return Ok(Err(again));
            }
            if plain.rows() > 0 {
                first_line.get_or_insert(block.line);
                fields.go_to(plain.end());
                continue;
            }
            to_walk = WALKED;
        }
        to_walk = to_walk.saturating_sub(1);
        if names.len() > 1 && fields.skip_blank_line() {
            blank = blank.or(Some(record_start));
            continue;
        }
        if let Some(position) = blank {
            return Err(plan.ragged(line_of(position), 0));
        }
        first_line.get_or_insert(block.line);
        for column in 0..names.len() {
            let field = fields.next_field().map_err(|error| {
                let (line, column) = (line_of(record_start), names[column].clone());
                match error {
                    FieldError::TextAfterQuote => FileProblem::TextAfterQuote { line, column },
                    FieldError::UnclosedQuote => FileProblem::UnclosedQuote { line, column },
                }
            })?;
            match push(&mut builders[column], text, &field, expected[column], &plan.tokens[column]) {
                Pushed::Done => {}
                Pushed::MustBeText => return Ok(Err(Again::AsText(column))),
                Pushed::NotANumber(wanted) => {
                    let (line, column) = (line_of(record_start), names[column].clone());
                    return Err(FileProblem::NotANumber { line, column, wanted });
                }
            }
            if field.ends_record != (column + 1 == names.len()) {
                let found = count_fields(&block.bytes[record_start..], plan.header.separator);
                return Err(plan.ragged(line_of(record_start), found));
            }
        }
    }
    let piece = |builder: Builder<'_>| match builder {
        Builder::Integer(numbers) => Piece::Integer(numbers.narrowed()),
        Builder::Real(numbers) => Piece::Real(numbers),
        Builder::Date(days) => Piece::Date(days),
        Builder::Text(text) => Piece::Text(text.finish()),
    };
    let blank = blank.map(line_of);
    Ok(Ok(Parsed { pieces: builders.into_iter().map(piece).collect(), first_line, blank }))
}

/// Pushes the fields of plain records, a column after the other.
fn push_columns<'a>(
    builders: &mut [Builder<'a>],
    text: &'a str,
    plain: &Plain,
    expected: &[Expectation],
    tokens: &[Tokens],
) -> Result<(), Again> {
    let last = builders.len() - 1;
    for (column, builder) in builders.iter_mut().enumerate() {
        let (expected, tokens, ends_record) = (expected[column], &tokens[column], column == last);
        for (start, end) in plain.fields(column) {
            let mut bytes = &text.as_bytes()[start..end];
            if ends_record && let [rest @ .., b'\r'] = bytes {
                bytes = rest;
            }
            let field = Field { bytes, start, escaped: false, ends_record };
            match push(builder, text, &field, expected, tokens) {
                Pushed::Done => {}
                Pushed::MustBeText => return Err(Again::AsText(column)),
                Pushed::NotANumber(_) => return Err(Again::Walking),
            }
        }
    }
    Ok(())
}

fn count_fields(record: &[u8], separator: u8) -> usize {
    let mut fields = Fields::new(record, separator);
    let mut found = 0;
    while let Ok(field) = fields.next_field() {
        found += 1;
        if field.ends_record {
            break;
        }
    }
    found
}

/// Finds the record and the column of the first byte that is not UTF-8.
fn not_utf8(block: &Block, plan: &Plan, position: usize) -> FileProblem {
    let mut fields = Fields::new(&block.bytes, plan.header.separator);
    let (mut column, mut record_start) = (0, 0);
    while fields.position() <= position {
        match fields.next_field() {
            Ok(_) if fields.position() > position => break,
            Ok(field) if field.ends_record => (column, record_start) = (0, fields.position()),
            Ok(_) => column += 1,
            Err(_) => break,
        }
    }
    let line = block.line + memchr::memchr_iter(b'\n', &block.bytes[..record_start]).count() as u64;
    let names = &plan.header.names;
    FileProblem::NotUtf8 { line, column: names.get(column).unwrap_or(&names[names.len() - 1]).clone() }
}

enum Pushed {
    Done,
    MustBeText,
    NotANumber(&'static str),
}

#[inline]
fn push<'a>(
    builder: &mut Builder<'a>,
    text: &'a str,
    field: &Field<'a>,
    expected: Expectation,
    tokens: &Tokens,
) -> Pushed {
    match builder {
        Builder::Integer(numbers) => {
            if field.bytes.is_empty() {
                numbers.push(Entry::Missing);
                return Pushed::Done;
            }
            if let Some(value) = plain_integer(text.as_bytes(), field) {
                let is_token = !tokens.numbers.is_empty() && tokens.has_integer(value);
                numbers.push(if is_token { Entry::Missing } else { Entry::Value(value) });
                return Pushed::Done;
            }
            not_plain_integer(builder, text, field, expected, tokens)
        }
        Builder::Real(numbers) => {
            if field.bytes.is_empty() {
                numbers.push(Entry::Missing);
                return Pushed::Done;
            }
            let value = match tokens.decimal {
                DecimalMark::Point => {
                    plain_decimal(text.as_bytes(), field).or_else(|| real(field.bytes, expected))
                }
                DecimalMark::Comma => real_with_comma(field.bytes, expected),
            };
            match value {
                Some(value) if tokens.numbers.contains(&value) => numbers.push(Entry::Missing),
                Some(value) => numbers.push(Entry::Value(value)),
                None if tokens.has(field) => numbers.push(Entry::Missing),
                None if expected == Expectation::Real
                    && is_long_number(&String::from_utf8_lossy(field.bytes)) =>
                {
                    return Pushed::NotANumber("a number that can be computed with exactly, up to 2^53");
                }
                None if expected == Expectation::Real => return Pushed::NotANumber("a number"),
                None => return Pushed::MustBeText,
            }
            Pushed::Done
        }
        Builder::Date(days) => {
            if field.bytes.is_empty() || tokens.has(field) {
                days.push(Entry::Missing);
                return Pushed::Done;
            }
            match iso_date(field) {
                Some(day) => days.push(Entry::Value(day)),
                None => return Pushed::MustBeText,
            }
            Pushed::Done
        }
        Builder::Text(column) => {
            if field.bytes.is_empty() || tokens.has(field) {
                column.push_missing();
            } else if field.escaped {
                column.push(Cow::Owned(String::from_utf8_lossy(&field.unescaped()).into_owned()));
            } else {
                // The block is valid UTF-8 and separators are ASCII, so a field is a slice of it.
                column.push_slice(text, field.start, field.bytes.len());
            }
            Pushed::Done
        }
    }
}

/// A field that is not a plain whole number, in a column of whole numbers so far.
#[cold]
fn not_plain_integer<'a>(
    builder: &mut Builder<'a>,
    text: &'a str,
    field: &Field<'a>,
    expected: Expectation,
    tokens: &Tokens,
) -> Pushed {
    let Builder::Integer(numbers) = builder else { return Pushed::Done };
    if tokens.has(field) {
        numbers.push(Entry::Missing);
        return Pushed::Done;
    }
    let value = match tokens.decimal {
        DecimalMark::Point => real(field.bytes, expected),
        DecimalMark::Comma => real_with_comma(field.bytes, expected),
    };
    if expected == Expectation::Integer {
        return match value {
            Some(value) if value.fract() == 0.0 && value.abs() <= EXACT as f64 => {
                let is_token = tokens.numbers.contains(&value);
                numbers.push(if is_token { Entry::Missing } else { Entry::Value(value as i64) });
                Pushed::Done
            }
            Some(value) if value.fract() == 0.0 => Pushed::NotANumber("a whole number up to 2^53"),
            _ => Pushed::NotANumber("a whole number"),
        };
    }
    let so_far = std::mem::replace(numbers, Numbers::with_capacity(0));
    let all_exact = so_far.values().all(|value| value.unsigned_abs() <= EXACT);
    if value.is_some() && all_exact {
        let capacity = so_far.len() * 2;
        let mut reals = Numbers::with_capacity(capacity);
        reals.append(so_far.map(|value| value as f64));
        *builder = Builder::Real(reals);
        return push(builder, text, field, expected, tokens);
    }
    if value.is_some() {
        return Pushed::MustBeText;
    }
    if iso_date(field).is_some() && so_far.values().next().is_none() {
        let mut days = Numbers::with_capacity(so_far.len() * 2);
        days.append(so_far.map(|_| 0));
        *builder = Builder::Date(days);
        return push(builder, text, field, expected, tokens);
    }
    let written = integers_as_text(&so_far);
    let mut column = TextBuilder::with_capacity(so_far.len() * 2);
    for row in 0..so_far.len() {
        match written.get(row) {
            Some(text) => column.push(Cow::Owned(text.to_owned())),
            None => column.push_missing(),
        }
    }
    *builder = Builder::Text(column);
    push(builder, text, field, expected, tokens)
}

impl Tokens {
    fn has(&self, field: &Field<'_>) -> bool {
        !self.texts.is_empty() && {
            let bytes = field.unescaped();
            self.texts.iter().any(|token| token.as_bytes() == bytes.as_ref())
        }
    }

    /// Whether a whole number is one of the tokens. Where doubles are coarser than whole numbers, its digits decide.
    fn has_integer(&self, value: i64) -> bool {
        self.numbers.contains(&(value as f64))
            && (value.unsigned_abs() <= EXACT || self.texts.contains(&value.to_string()))
    }
}

/// A whole number written as Rust writes it: no sign but a minus, no leading zero, at most 18 digits. Anything else that looks
/// like a number (`007`, `+5`) may be a code in which every character counts, and stays text.
#[inline]
fn plain_integer(block: &[u8], field: &Field<'_>) -> Option<i64> {
    let negative = field.bytes.first() == Some(&b'-');
    let digits = &field.bytes[usize::from(negative)..];
    match digits {
        [b'0'] => return (!negative).then_some(0),
        [b'1'..=b'9', ..] if digits.len() <= 18 => {}
        _ => return None,
    }
    let value = if digits.len() <= 8 {
        eight_digits(eight_bytes(block, field.start + usize::from(negative)) ^ ZEROS, digits.len())?
    } else {
        digits.iter().try_fold(0, |value, digit| {
            let digit = digit.wrapping_sub(b'0');
            (digit <= 9).then(|| 10 * value + u64::from(digit))
        })?
    };
    Some(if negative { -(value as i64) } else { value as i64 })
}

/// The text `00000000`: what makes digits of their characters.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The number of the first 1 to 8 digits, one a byte and the first one lowest; `None` if one of them is not a digit.
///
/// All at once, since a loop over a few digits ends where the processor does not expect it: neighbours are put together to
/// pairs, pairs to fours, fours to eight.
#[inline]
fn eight_digits(digits: u64, length: usize) -> Option<u64> {
    let digits = digits << (64 - 8 * length);
    if (digits | digits.wrapping_add(0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    const EVERY_FOURTH: u64 = 0x0000_00ff_0000_00ff;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let odd = (pairs & EVERY_FOURTH).wrapping_mul(100 + (1_000_000 << 32));
    let even = ((pairs >> 16) & EVERY_FOURTH).wrapping_mul(1 + (10_000 << 32));
    Some(odd.wrapping_add(even) >> 32)
}

/// A date in the form that cannot be mistaken for another.
#[inline]
fn iso_date(field: &Field<'_>) -> Option<i32> {
    if field.bytes.get(4) != Some(&b'-') {
        return None;
    }
    std::str::from_utf8(field.bytes).ok().and_then(|text| DateFormat::Iso.parse(text))
}

/// A decimal in its ordinary form, such as `-12.50`: what [`real`] makes of it, without its several looks at the bytes.
///
/// Up to 15 digits are a whole number that a double holds, and so is the power of ten, so that one division rounds right
/// (Clinger 1990).
#[inline]
fn plain_decimal(block: &[u8], field: &Field<'_>) -> Option<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let negative = field.bytes.first() == Some(&b'-');
    let digits = &field.bytes[usize::from(negative)..];
    if digits.len() > 16 || !matches!(digits, [b'0', b'.', ..] | [b'1'..=b'9', ..]) {
        return None;
    }
    let (mantissa, decimals) = if digits.len() <= 8 {
        short_decimal(eight_bytes(block, field.start + usize::from(negative)), digits.len())?
    } else {
        long_decimal(digits)?
    };
    let value = mantissa as f64 / POWERS[decimals];
    Some(if negative { -value } else { value })
}

/// The digits of a decimal of up to 8 characters as a whole number, and how many of them stand after the point.
#[inline]
fn short_decimal(characters: u64, length: usize) -> Option<(u64, usize)> {
    let points = characters ^ (0x0101_0101_0101_0101 * u64::from(b'.'));
    let found = points.wrapping_sub(0x0101_0101_0101_0101) & !points & 0x8080_8080_8080_8080;
    let point = (found.trailing_zeros() / 8) as usize;
    if point >= length {
        return None;
    }
    let before = (1 << (8 * point)) - 1;
    let digits = characters ^ ZEROS;
    let without_point = (digits & before) | ((digits >> 8) & !before);
    Some((eight_digits(without_point, length - 1)?, length - 1 - point))
}

fn long_decimal(digits: &[u8]) -> Option<(u64, usize)> {
    let mut mantissa = 0_u64;
    let mut point = None;
    for (place, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            mantissa = 10 * mantissa + u64::from(digit);
        } else if *byte == b'.' && point.is_none() {
            point = Some(place);
        } else {
            return None;
        }
    }
    Some((mantissa, digits.len() - 1 - point?))
}

/// A finite real number with a comma before its decimals. A point makes it text: it may stand between thousands, and what is meant is not guessed at.
fn real_with_comma(bytes: &[u8], expected: Expectation) -> Option<f64> {
    if bytes.contains(&b'.') {
        return None;
    }
    let with_point: Vec<u8> = bytes.iter().map(|byte| if *byte == b',' { b'.' } else { *byte }).collect();
    real(&with_point, expected)
}

/// A number in its ordinary form, as a column of which no schema says that it holds numbers has it.
pub(in crate::read) fn ordinary_number(text: &str, decimal: DecimalMark) -> Option<f64> {
    match decimal {
        DecimalMark::Point => real(text.as_bytes(), Expectation::Infer),
        DecimalMark::Comma => real_with_comma(text.as_bytes(), Expectation::Infer),
    }
}

/// A finite real number. Unless the schema says that the column is numeric, leading zeros and plus signs make it text, and so
/// do whole numbers that a double cannot hold.
fn real(bytes: &[u8], expected: Expectation) -> Option<f64> {
    let looks_like_one =
        bytes.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
    if !looks_like_one {
        return None;
    }
    if expected == Expectation::Infer {
        let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
        match unsigned {
            [b'0', b'0'..=b'9', ..] | [b'+', ..] | [b'e' | b'E', ..] => return None,
            digits if digits.iter().all(u8::is_ascii_digit) && digits.len() > 15 => return None,
            _ => {}
        }
    }
    std::str::from_utf8(bytes).ok().and_then(exact_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `text` as a field with something after it, which must not matter, and as the last of its block.
    fn as_field<T: PartialEq + std::fmt::Debug>(
        text: &str,
        number: fn(&[u8], &Field<'_>) -> Option<T>,
    ) -> Option<T> {
        let read = |block: &str| {
            let bytes = &block.as_bytes()[3..3 + text.len()];
            number(block.as_bytes(), &Field { bytes, start: 3, escaped: false, ends_record: true })
        };
        let last = read(&format!("12,{text}"));
        assert_eq!(read(&format!("12,{text},4.56\n7,8")), last, "{text}");
        last
    }

    #[test]
    fn whole_numbers_only_in_their_ordinary_form() {
        for number in [-120, 7, 0, 10, 12_345_678, -87_654_321, 123_456_789, 999_999_999_999_999_999] {
            assert_eq!(as_field(&number.to_string(), plain_integer), Some(number));
        }
        for text in [
            "",
            "-",
            "007",
            "+5",
            "-0",
            "1 ",
            "12a",
            "1:",
            "1/2",
            "123456789a",
            "1000000000000000000",
            "2.0",
            "\u{661}",
        ] {
            assert_eq!(as_field(text, plain_integer), None, "{text}");
        }
    }

    #[test]
    fn plain_decimals_are_what_the_careful_way_makes_of_them() {
        for text in ["0.1", "-0.0", "2.50", "123456789.012345", "999999999999999.", "0.30000000000000", "5."]
        {
            let careful = real(text.as_bytes(), Expectation::Infer).unwrap();
            assert_eq!(as_field(text, plain_decimal).unwrap().to_bits(), careful.to_bits(), "{text}");
        }
        for text in ["", "-", ".", ".5", "007.5", "00.5", "12", "1.2.3", "1e3", "+1.0", "1234567890.1234567"]
        {
            assert_eq!(as_field(text, plain_decimal), None, "{text}");
        }
    }

    #[test]
    fn reals_are_finite_and_codes_stay_text() {
        assert_eq!(real(b"2.50", Expectation::Infer), Some(2.5));
        assert_eq!(real(b"1e3", Expectation::Infer), Some(1000.0));
        assert_eq!(real(b".5", Expectation::Infer), Some(0.5));
        for text in ["nan", "inf", "1e999", "007.5", "+5", "1234567890123456789", "-", "e5", "1-2"] {
            assert_eq!(real(text.as_bytes(), Expectation::Infer), None, "{text}");
        }
        assert_eq!(real(b"007", Expectation::Real), Some(7.0));
    }
}
