//! Writing system files: Unicode, bytecode, and zlib over it on request. One set of columns gives one file, whenever it is written.

use std::io::Write;

use super::formats::Format;
use super::{LOWEST, SEGMENT, SYSTEM_MISSING, segments};
use crate::calendar::Count;
use crate::{
    LabelledColumn, LabelledError, LabelledFile, LabelledValue, Meaning, Measure, MissingValues, Values,
    is_missing,
};

/// How the cases are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpssCompression {
    /// One byte for small whole numbers: `.sav`.
    Bytecode,
    /// The same under zlib: `.zsav`.
    Zlib,
}

/// The longest text of a variable, in bytes.
const LONGEST: usize = 32_767;
const BIAS: f64 = 100.0;
/// Bytes of a block before zlib.
const BLOCK: usize = 0x3f_f000;

/// Words that SPSS keeps for itself.
const RESERVED: &[&str] =
    &["ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"];

/// A column with what the file must know of it.
struct Planned<'a> {
    column: &'a LabelledColumn,
    short: String,
    /// Bytes of its text; 0 for a number.
    width: usize,
    format: Format,
    count: Count,
}

/// Writes a system file.
pub fn write_spss(
    file: &LabelledFile,
    compression: SpssCompression,
    sink: &mut dyn Write,
) -> Result<(), LabelledError> {
    let columns = plan(file)?;
    let mut out = header(file, &columns, compression);
    for planned in &columns {
        planned.write_record(&mut out)?;
    }
    value_labels(&columns, &mut out);
    extensions(file, &columns, &mut out);
    int(&mut out, 999);
    int(&mut out, 0);
    match compression {
        SpssCompression::Bytecode => {
            let mut coder = Coder::new(out);
            write_cases(file.rows, &columns, &mut coder);
            put(sink, &coder.finish())
        }
        SpssCompression::Zlib => {
            let mut coder = Coder::new(Vec::new());
            write_cases(file.rows, &columns, &mut coder);
            let packed = zlib(out.len() as u64, &coder.finish())?;
            put(sink, &out)?;
            put(sink, &packed)
        }
    }
}

fn put(sink: &mut dyn Write, bytes: &[u8]) -> Result<(), LabelledError> {
    sink.write_all(bytes).map_err(|error| LabelledError::Sink(error.to_string()))
}

fn plan(file: &LabelledFile) -> Result<Vec<Planned<'_>>, LabelledError> {
    let mut shorts: Vec<String> = Vec::new();
    let mut planned = Vec::with_capacity(file.columns.len());
    for (at, column) in file.columns.iter().enumerate() {
        let refuse = |message: String| Err(LabelledError::column(&column.name, message));
        if let Some(message) = not_a_name(&column.name) {
            return refuse(message);
        }
        let same = |other: &&LabelledColumn| other.name.to_lowercase() == column.name.to_lowercase();
        if let Some(other) = file.columns[..at].iter().find(same) {
            return refuse(format!("SPSS does not tell its name from `{}`; rename one of them", other.name));
        }
        let width = match &column.values {
            Values::Numbers(_) => 0,
            Values::Texts(texts) => texts.longest().max(1),
        };
        if width > LONGEST {
            return refuse(format!(
                "a text is longer than {LONGEST} bytes, which SPSS cannot hold; shorten it"
            ));
        }
        let own = column.name.to_ascii_uppercase();
        let is_short = own.len() <= 8 && own.is_ascii() && !shorts.contains(&own) && !own.starts_with("V_");
        let short = if is_short { own } else { format!("V_{:06}", (at + 1) % 1_000_000) };
        shorts.push(short.clone());
        let numbers = if let Values::Numbers(numbers) = &column.values { numbers.as_slice() } else { &[] };
        let format = format(column, numbers, width);
        planned.push(Planned { column, short, width, format, count: Count::spss(column.meaning) });
    }
    Ok(planned)
}

/// Why a name is none for SPSS, and the way out.
fn not_a_name(name: &str) -> Option<String> {
    let begins = name.chars().next().is_some_and(|first| first.is_alphabetic() || first == '@');
    let is_part =
        |character: char| character.is_alphanumeric() || matches!(character, '.' | '_' | '$' | '#' | '@');
    let is_reserved = RESERVED.iter().any(|word| word.eq_ignore_ascii_case(name));
    let is_name =
        begins && name.chars().all(is_part) && name.len() <= 64 && !name.ends_with('.') && !is_reserved;
    (!is_name).then(|| {
        "SPSS has no such name: it begins with a letter, has letters, digits, points and underscores, and up to 64 bytes; rename the column, \
         or write another format"
            .to_owned()
    })
}

/// The format that the column came with, where it suits its values; else the usual one.
fn format(column: &LabelledColumn, numbers: &[f64], width: usize) -> Format {
    let given = Format::parse(&column.format);
    if width > 0 {
        return Format::new("A", width, 0);
    }
    let suits = |format: &Format| !format.is_text() && format.meaning() == column.meaning;
    if let Some(format) = given.filter(suits) {
        return format;
    }
    match column.meaning {
        Meaning::Date => Format::new("DATE", 11, 0),
        Meaning::Datetime => Format::new("DATETIME", 20, 0),
        Meaning::TimeOfDay => Format::new("TIME", 8, 0),
        Meaning::Number => {
            let is_whole = |value: &f64| is_missing(*value) || value.fract() == 0.0;
            if !numbers.iter().all(is_whole) {
                return Format::new("F", 12, 4);
            }
            let digits =
                numbers.iter().filter(|value| !is_missing(**value)).map(|value| format!("{value:.0}").len());
            Format::new("F", digits.max().unwrap_or(8).clamp(8, 40), 0)
        }
    }
}

fn int(out: &mut Vec<u8>, value: i32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn padded(out: &mut Vec<u8>, text: &[u8], width: usize) {
    let kept = &text[..text.len().min(width)];
    out.extend_from_slice(kept);
    out.resize(out.len() + width - kept.len(), b' ');
}

/// A text cut to so many bytes, between two characters.
fn cut(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The unit at which each column starts, from 1, and how many there are.
fn units(columns: &[Planned<'_>]) -> (Vec<i32>, i32) {
    let mut next = 1;
    let starts = columns.iter().map(|planned| {
        let start = next;
        let taken: usize = segments(planned.width).iter().map(|width| width.div_ceil(8).max(1)).sum();
        next += taken as i32;
        start
    });
    (starts.collect(), next - 1)
}

fn header(file: &LabelledFile, columns: &[Planned<'_>], compression: SpssCompression) -> Vec<u8> {
    let (starts, units) = units(columns);
    let weight = columns
        .iter()
        .position(|planned| Some(&planned.column.name) == file.weight.as_ref() && planned.width == 0);
    let mut out = Vec::new();
    let (magic, packing) = match compression {
        SpssCompression::Bytecode => (b"$FL2", 1),
        SpssCompression::Zlib => (b"$FL3", 2),
    };
    out.extend_from_slice(magic);
    padded(&mut out, b"@(#) SPSS DATA FILE lookalike", 60);
    int(&mut out, 2);
    int(&mut out, units);
    int(&mut out, packing);
    int(&mut out, weight.map_or(0, |at| starts[at]));
    int(&mut out, i32::try_from(file.rows).unwrap_or(-1));
    out.extend_from_slice(&BIAS.to_le_bytes());
    // The day on which a file is written says nothing of its records, and would make each writing another file.
    padded(&mut out, b"01 Jan 70", 9);
    padded(&mut out, b"00:00:00", 8);
    padded(&mut out, cut(&file.label, 64).as_bytes(), 64);
    out.extend_from_slice(&[0; 3]);
    out
}

impl Planned<'_> {
    fn write_record(&self, out: &mut Vec<u8>) -> Result<(), LabelledError> {
        for (part, width) in segments(self.width).into_iter().enumerate() {
            let missing = if part == 0 { self.missing()? } else { (0, Vec::new()) };
            let label = cut(&self.column.label, 255);
            let has_label = part == 0 && !label.is_empty();
            let format = if self.width == 0 { self.format } else { Format::new("A", width, 0) };
            let name = if part == 0 { self.short.clone() } else { self.part_name(part) };
            int(out, 2);
            int(out, width as i32);
            int(out, i32::from(has_label));
            int(out, missing.0);
            int(out, format.code());
            int(out, format.code());
            padded(out, name.as_bytes(), 8);
            if has_label {
                int(out, label.len() as i32);
                out.extend_from_slice(label.as_bytes());
                out.resize(out.len() + label.len().next_multiple_of(4) - label.len(), 0);
            }
            missing.1.iter().for_each(|value| out.extend_from_slice(value));
            for _ in 1..width.div_ceil(8).max(1) {
                int(out, 2);
                int(out, -1);
                (0..4).for_each(|_| int(out, 0));
                padded(out, b"", 8);
            }
        }
        Ok(())
    }

    /// The name of a further part of a long text.
    fn part_name(&self, part: usize) -> String {
        let digits = format!("{part:X}");
        let kept = cut(&self.short, 8_usize.saturating_sub(digits.len()).min(5));
        format!("{kept}{digits}")
    }

    /// The missing values of a number or a short text, as the record has them.
    fn missing(&self) -> Result<(i32, Vec<[u8; 8]>), LabelledError> {
        let missing = &self.column.missing;
        let too_many = || {
            let message = "SPSS knows up to three missing values, or a range and one more; join some of them";
            LabelledError::column(&self.column.name, message)
        };
        if self.width > 8 || missing.is_empty() {
            return Ok((0, Vec::new()));
        }
        let value = |missing: &MissingValues| match missing {
            MissingValues::Number(value) => value.to_le_bytes(),
            MissingValues::Range(low, _) => low.to_le_bytes(),
            MissingValues::Text(text) => short_text(text),
        };
        let ranges: Vec<_> =
            missing.iter().filter(|missing| matches!(missing, MissingValues::Range(..))).collect();
        match (ranges.as_slice(), missing.len()) {
            ([], 1..=3) => Ok((missing.len() as i32, missing.iter().map(value).collect())),
            ([MissingValues::Range(low, high)], 1 | 2) => {
                let bounds = [low.max(LOWEST), high.min(f64::MAX)];
                let mut values: Vec<[u8; 8]> = bounds.iter().map(|bound| bound.to_le_bytes()).collect();
                let others = missing.iter().filter(|missing| !matches!(missing, MissingValues::Range(..)));
                values.extend(others.map(value));
                Ok((-(values.len() as i32), values))
            }
            _ => Err(too_many()),
        }
    }

    fn unit_of(&self, value: f64) -> f64 {
        match self.column.meaning {
            _ if is_missing(value) => SYSTEM_MISSING,
            Meaning::Number => value,
            _ => self.count.of_unix(value),
        }
    }
}

fn short_text(text: &str) -> [u8; 8] {
    let mut bytes = [b' '; 8];
    let cut = cut(text, 8).as_bytes();
    bytes[..cut.len()].copy_from_slice(cut);
    bytes
}

fn value_labels(columns: &[Planned<'_>], out: &mut Vec<u8>) {
    let (starts, _) = units(columns);
    for (planned, start) in columns.iter().zip(starts) {
        let value = |value: &LabelledValue| match value {
            LabelledValue::Number(number) if planned.width == 0 && !is_missing(*number) => {
                Some(number.to_le_bytes())
            }
            LabelledValue::Text(text) if (1..=8).contains(&planned.width) => Some(short_text(text)),
            _ => None,
        };
        let labels: Vec<([u8; 8], &str)> = planned
            .column
            .labels
            .iter()
            .filter_map(|(of, label)| Some((value(of)?, cut(label, 255))))
            .collect();
        if labels.is_empty() {
            continue;
        }
        int(out, 3);
        int(out, labels.len() as i32);
        for (value, label) in labels {
            out.extend_from_slice(&value);
            out.push(label.len() as u8);
            padded(out, label.as_bytes(), (label.len() + 1).next_multiple_of(8) - 1);
        }
        int(out, 4);
        int(out, 1);
        int(out, start);
    }
}

fn extension(out: &mut Vec<u8>, subtype: i32, size: usize, data: &[u8]) {
    int(out, 7);
    int(out, subtype);
    int(out, size as i32);
    int(out, (data.len() / size) as i32);
    out.extend_from_slice(data);
}

fn extensions(file: &LabelledFile, columns: &[Planned<'_>], out: &mut Vec<u8>) {
    let mut integers = Vec::new();
    // Version 22.0.0, an unknown machine, IEEE floating point, one compression, little endian, Unicode.
    [22, 0, 0, -1, 1, 1, 2, 65001].into_iter().for_each(|value| int(&mut integers, value));
    extension(out, 3, 4, &integers);
    let floats: Vec<u8> =
        [SYSTEM_MISSING, f64::MAX, LOWEST].iter().flat_map(|value| value.to_le_bytes()).collect();
    extension(out, 4, 8, &floats);
    let mut display = Vec::new();
    for planned in columns {
        let measure = match planned.column.measure {
            Some(Measure::Nominal) => 1,
            Some(Measure::Ordinal) => 2,
            Some(Measure::Scale) => 3,
            None => 0,
        };
        let (shown, alignment) =
            if planned.width > 0 { (planned.width.clamp(1, 32) as i32, 0) } else { (8, 1) };
        for _ in segments(planned.width) {
            [measure, shown, alignment].into_iter().for_each(|value| int(&mut display, value));
        }
    }
    extension(out, 11, 4, &display);
    let names: Vec<String> =
        columns.iter().map(|planned| format!("{}={}", planned.short, planned.column.name)).collect();
    extension(out, 13, 1, names.join("\t").as_bytes());
    let long = columns.iter().filter(|planned| planned.width > SEGMENT);
    let widths: String = long.map(|planned| format!("{}={:05}\0\t", planned.short, planned.width)).collect();
    if !widths.is_empty() {
        extension(out, 14, 1, widths.as_bytes());
    }
    let cases: Vec<u8> = [1, file.rows as i64].iter().flat_map(|value| value.to_le_bytes()).collect();
    extension(out, 16, 8, &cases);
    extension(out, 20, 1, b"UTF-8");
    let (mut labels, mut missing) = (Vec::new(), Vec::new());
    for planned in columns.iter().filter(|planned| planned.width > 8) {
        long_labels(planned, &mut labels);
        long_missing(planned, &mut missing);
    }
    if !labels.is_empty() {
        extension(out, 21, 1, &labels);
    }
    if !missing.is_empty() {
        extension(out, 22, 1, &missing);
    }
}

fn prefixed(out: &mut Vec<u8>, text: &[u8]) {
    int(out, text.len() as i32);
    out.extend_from_slice(text);
}

fn long_labels(planned: &Planned<'_>, out: &mut Vec<u8>) {
    let texts = planned.column.labels.iter().filter_map(|(value, label)| match value {
        LabelledValue::Text(text) => Some((cut(text, planned.width), cut(label, 255))),
        LabelledValue::Number(_) => None,
    });
    let texts: Vec<_> = texts.collect();
    if texts.is_empty() {
        return;
    }
    prefixed(out, planned.column.name.as_bytes());
    int(out, planned.width as i32);
    int(out, texts.len() as i32);
    for (text, label) in texts {
        let mut value = Vec::new();
        padded(&mut value, text.as_bytes(), planned.width);
        prefixed(out, &value);
        prefixed(out, label.as_bytes());
    }
}

fn long_missing(planned: &Planned<'_>, out: &mut Vec<u8>) {
    let texts = planned.column.missing.iter().filter_map(|missing| match missing {
        MissingValues::Text(text) => Some(short_text(text)),
        _ => None,
    });
    let texts: Vec<_> = texts.take(3).collect();
    if texts.is_empty() {
        return;
    }
    prefixed(out, planned.column.name.as_bytes());
    out.push(texts.len() as u8);
    int(out, 8);
    texts.iter().for_each(|text| out.extend_from_slice(text));
}

fn write_cases(rows: usize, columns: &[Planned<'_>], coder: &mut Coder) {
    for row in 0..rows {
        for planned in columns {
            match &planned.column.values {
                Values::Numbers(numbers) => {
                    coder.number(planned.unit_of(numbers.get(row).copied().unwrap_or(f64::NAN)));
                }
                Values::Texts(texts) => {
                    let mut left = texts.get(row).as_bytes();
                    let widths = segments(planned.width);
                    for (part, width) in widths.iter().enumerate() {
                        let held = if part + 1 < widths.len() { SEGMENT } else { *width };
                        let (own, rest) = left.split_at(left.len().min(held));
                        left = rest;
                        let mut bytes = own.to_vec();
                        bytes.resize(width.div_ceil(8) * 8, b' ');
                        bytes.chunks_exact(8).for_each(|unit| coder.text(unit));
                    }
                }
            }
        }
    }
}

/// Units into bytecode: eight codes, then the units that a code does not say by itself.
struct Coder {
    out: Vec<u8>,
    codes: Vec<u8>,
    raw: Vec<u8>,
}

impl Coder {
    fn new(out: Vec<u8>) -> Self {
        Self { out, codes: Vec::with_capacity(8), raw: Vec::with_capacity(64) }
    }

    fn number(&mut self, value: f64) {
        let code = value + BIAS;
        if value == SYSTEM_MISSING {
            self.code(255, &[]);
        } else if code.fract() == 0.0
            && (1.0..=251.0).contains(&code)
            && !(value == 0.0 && value.is_sign_negative())
        {
            self.code(code as u8, &[]);
        } else {
            self.code(253, &value.to_le_bytes());
        }
    }

    fn text(&mut self, unit: &[u8]) {
        if unit == [b' '; 8] { self.code(254, &[]) } else { self.code(253, unit) }
    }

    fn code(&mut self, code: u8, raw: &[u8]) {
        self.codes.push(code);
        self.raw.extend_from_slice(raw);
        if self.codes.len() == 8 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.out.append(&mut self.codes);
        self.out.append(&mut self.raw);
    }

    fn finish(mut self) -> Vec<u8> {
        if !self.codes.is_empty() {
            self.codes.resize(8, 0);
            self.flush();
        }
        self.out
    }
}

/// The cases in blocks under zlib, with the table of the blocks behind them.
fn zlib(header_at: u64, cases: &[u8]) -> Result<Vec<u8>, LabelledError> {
    let mut packed = Vec::new();
    let mut table = Vec::new();
    let (mut plain_at, mut packed_at) = (header_at, header_at + 24);
    for block in cases.chunks(BLOCK) {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        let written = encoder.write_all(block).and_then(|()| encoder.finish());
        let own = written.map_err(|error| LabelledError::Sink(error.to_string()))?;
        [plain_at, packed_at].iter().for_each(|at| table.extend_from_slice(&at.to_le_bytes()));
        [block.len() as u32, own.len() as u32]
            .iter()
            .for_each(|size| table.extend_from_slice(&size.to_le_bytes()));
        plain_at += block.len() as u64;
        packed_at += own.len() as u64;
        packed.extend_from_slice(&own);
    }
    let blocks = (table.len() / 24) as u32;
    let mut out = Vec::with_capacity(packed.len() + table.len() + 48);
    [header_at, packed_at, 24 + table.len() as u64]
        .iter()
        .for_each(|at| out.extend_from_slice(&at.to_le_bytes()));
    out.append(&mut packed);
    [-(BIAS as i64), 0].iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
    [BLOCK as u32, blocks].iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
    out.append(&mut table);
    Ok(out)
}
