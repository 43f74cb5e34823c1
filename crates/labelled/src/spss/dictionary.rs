//! The dictionary of a system file: header, variables, value labels and the extension records behind them.

use super::formats::Format;
use super::{LOWEST, SEGMENT, SYSTEM_MISSING, segments};
use crate::bytes::Bytes;
use crate::text::{Charset, without_blanks};
use crate::{LabelledError, LabelledValue, Measure, MissingValues};

/// How the cases are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Bytecode,
    Zlib,
}

/// A variable as the user knows it.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) format: Format,
    pub(super) measure: Option<Measure>,
    pub(super) labels: Vec<(LabelledValue, String)>,
    pub(super) missing: Vec<MissingValues>,
    /// Bytes of a text; 0 for a number.
    pub(super) width: usize,
    /// Units that each of its parts takes in a case.
    pub(super) parts: Vec<usize>,
}

/// What stands before the cases.
#[derive(Debug)]
pub(super) struct Dictionary {
    pub(super) label: String,
    pub(super) packing: Packing,
    pub(super) bias: f64,
    pub(super) cases: Option<u64>,
    pub(super) weight: Option<String>,
    pub(super) variables: Vec<Variable>,
    pub(super) charset: Charset,
    pub(super) system_missing: f64,
}

/// A variable record, bytes still.
struct Raw<'a> {
    /// The unit at which it starts, from 0.
    unit: usize,
    short: &'a [u8],
    width: usize,
    label: &'a [u8],
    format: Format,
    missing: Vec<[u8; 8]>,
    missing_is_range: bool,
    labels: Vec<([u8; 8], &'a [u8])>,
}

/// What extension records say.
#[derive(Default)]
struct Extensions<'a> {
    page: Option<i32>,
    floats: Option<[f64; 3]>,
    display: Vec<i32>,
    long_names: &'a [u8],
    very_long: &'a [u8],
    cases: Option<i64>,
    encoding: Option<&'a [u8]>,
    long_labels: &'a [u8],
    long_missing: &'a [u8],
}

impl Dictionary {
    pub(super) fn read(file: &mut Bytes<'_>) -> Result<Self, LabelledError> {
        file.part("its header");
        let magic = file.take(4)?;
        file.skip(60)?;
        let layout = file.i32()?;
        if !matches!(layout, 2 | 3) {
            file.set_big_endian(true);
            if !matches!(layout.swap_bytes(), 2 | 3) {
                return Err(LabelledError::damaged("the header does not say in which order its bytes stand"));
            }
        }
        file.skip(4)?;
        let packing = match (file.i32()?, magic) {
            (0, _) => Packing::Plain,
            (2, _) | (_, b"$FL3") => Packing::Zlib,
            (1, _) => Packing::Bytecode,
            (other, _) => return Err(LabelledError::damaged(format!("compression {other} is not known"))),
        };
        let weight = file.i32()?;
        let cases = file.i32()?;
        let bias = file.f64()?;
        file.skip(17)?;
        let title = file.take(64)?;
        file.skip(3)?;
        let mut raws: Vec<Raw<'_>> = Vec::new();
        let mut extensions = Extensions::default();
        let mut unit = 0;
        file.part("its dictionary");
        loop {
            match file.i32()? {
                2 => {
                    raws.extend(variable(file, unit)?);
                    unit += 1;
                }
                3 => value_labels(file, &mut raws)?,
                6 => {
                    let lines = file.length()?;
                    file.items(lines, 80)?;
                }
                7 => extensions.read(file)?,
                999 => {
                    file.skip(4)?;
                    break;
                }
                other => {
                    return Err(LabelledError::damaged(format!(
                        "a record of type {other} stands in the dictionary"
                    )));
                }
            }
        }
        let charset = match (extensions.encoding, extensions.page) {
            (Some(name), _) => Charset::named(name).ok_or_else(|| {
                let name = String::from_utf8_lossy(name).into_owned();
                LabelledError::NotRead(format!(
                    "its text is written in `{name}`, which is not known; save it as Unicode (UTF-8)"
                ))
            })?,
            (None, Some(page)) => Charset::code_page(page).unwrap_or(Charset::WESTERN),
            (None, None) => Charset::WESTERN,
        };
        let [system_missing, _, lowest] = extensions.floats.unwrap_or([SYSTEM_MISSING, f64::MAX, LOWEST]);
        let mut dictionary = Self {
            label: charset.field(title).into_owned(),
            packing,
            bias,
            cases: u64::try_from(cases).ok(),
            weight: None,
            variables: Vec::new(),
            charset,
            system_missing,
        };
        if let (None, Some(cases)) = (dictionary.cases, extensions.cases) {
            dictionary.cases = u64::try_from(cases).ok();
        }
        let weighted_by = usize::try_from(weight).ok().and_then(|unit| unit.checked_sub(1));
        dictionary.variables(&raws, &extensions, lowest, weighted_by, file.is_big_endian())?;
        Ok(dictionary)
    }

    /// The variables under their long names, with the parts of very long texts joined.
    fn variables(
        &mut self,
        raws: &[Raw<'_>],
        extensions: &Extensions<'_>,
        lowest: f64,
        weighted_by: Option<usize>,
        big_endian: bool,
    ) -> Result<(), LabelledError> {
        let charset = self.charset;
        let long_names = pairs(extensions.long_names);
        let very_long = pairs(extensions.very_long);
        let per_variable = match extensions.display.len().checked_div(raws.len()) {
            Some(each @ (2 | 3)) if each * raws.len() == extensions.display.len() => each,
            _ => 0,
        };
        let mut at = 0;
        while at < raws.len() {
            let raw = &raws[at];
            let named = |pairs: &[(&[u8], &'_ [u8])]| {
                pairs
                    .iter()
                    .find(|(short, _)| short.eq_ignore_ascii_case(raw.short))
                    .map(|(_, long)| long.to_vec())
            };
            let name =
                named(&long_names).filter(|name| !name.is_empty()).unwrap_or_else(|| raw.short.to_vec());
            let name = charset.decode(&name).into_owned();
            let width = match named(&very_long) {
                Some(text) => {
                    let text: Vec<u8> = text.into_iter().filter(u8::is_ascii_digit).collect();
                    let width = std::str::from_utf8(&text).ok().and_then(|text| text.parse::<usize>().ok());
                    width.filter(|width| (1..=32_767).contains(width)).ok_or_else(|| {
                        LabelledError::damaged(format!("the width of the long text `{name}` is no number"))
                    })?
                }
                None => raw.width,
            };
            let parts = if width > SEGMENT { segments(width).len() } else { 1 };
            let Some(own) = raws.get(at..at + parts) else {
                return Err(LabelledError::damaged(format!("the long text `{name}` lacks a part")));
            };
            if width > 0 && own.iter().any(|part| part.width == 0) {
                return Err(LabelledError::damaged(format!("a part of the long text `{name}` is a number")));
            }
            let number = |bytes: &[u8; 8]| {
                if big_endian { f64::from_be_bytes(*bytes) } else { f64::from_le_bytes(*bytes) }
            };
            let is_number = raw.width == 0;
            let value = |bytes: &[u8; 8]| match is_number {
                true => LabelledValue::Number(number(bytes)),
                false => LabelledValue::Text(charset.field(bytes).into_owned()),
            };
            let mut missing = Vec::new();
            let mut discrete = raw.missing.as_slice();
            if let (true, [low, high, rest @ ..]) = (raw.missing_is_range, discrete) {
                let bound = |value: f64| match value {
                    low if low <= lowest => f64::NEG_INFINITY,
                    high if high >= f64::MAX => f64::INFINITY,
                    other => other,
                };
                missing.push(MissingValues::Range(bound(number(low)), bound(number(high))));
                discrete = rest;
            }
            missing.extend(discrete.iter().map(|bytes| match value(bytes) {
                LabelledValue::Number(number) => MissingValues::Number(number),
                LabelledValue::Text(text) => MissingValues::Text(text),
            }));
            let measure = match extensions.display.get(at * per_variable).filter(|_| per_variable > 0) {
                Some(1) => Some(Measure::Nominal),
                Some(2) => Some(Measure::Ordinal),
                Some(3) => Some(Measure::Scale),
                _ => None,
            };
            if weighted_by == Some(raw.unit) && is_number {
                self.weight = Some(name.clone());
            }
            self.variables.push(Variable {
                name,
                label: charset.field(raw.label).into_owned(),
                format: raw.format,
                measure,
                labels: raw
                    .labels
                    .iter()
                    .map(|(bytes, label)| (value(bytes), charset.field(label).into_owned()))
                    .collect(),
                missing,
                width,
                parts: own.iter().map(|part| part.width.div_ceil(8).max(1)).collect(),
            });
            at += parts;
        }
        let order = big_endian;
        self.long_value_labels(Bytes::new(extensions.long_labels, order, "the labels of long texts"))?;
        self.long_missing(Bytes::new(extensions.long_missing, order, "the missing values of long texts"))
    }

    fn long_value_labels(&mut self, mut record: Bytes<'_>) -> Result<(), LabelledError> {
        while record.left() > 0 {
            let name = prefixed(&mut record)?;
            let name = self.charset.field(name).into_owned();
            record.skip(4)?;
            let count = record.length()?;
            let mut labels = Vec::new();
            for _ in 0..count {
                let value = prefixed(&mut record)?;
                let label = prefixed(&mut record)?;
                let value = LabelledValue::Text(self.charset.field(value).into_owned());
                labels.push((value, self.charset.field(label).into_owned()));
            }
            if let Some(variable) = self.named(&name) {
                variable.labels = labels;
            }
        }
        Ok(())
    }

    fn long_missing(&mut self, mut record: Bytes<'_>) -> Result<(), LabelledError> {
        while record.left() > 0 {
            let name = prefixed(&mut record)?;
            let name = self.charset.field(name).into_owned();
            let count = record.u8()?;
            let length = record.length()?;
            let mut missing = Vec::new();
            for _ in 0..count {
                missing.push(MissingValues::Text(self.charset.field(record.take(length)?).into_owned()));
            }
            if let Some(variable) = self.named(&name) {
                variable.missing = missing;
            }
        }
        Ok(())
    }

    fn named(&mut self, name: &str) -> Option<&mut Variable> {
        self.variables
            .iter_mut()
            .find(|variable| variable.width > 0 && variable.name.eq_ignore_ascii_case(name))
    }
}

/// Bytes after their length.
fn prefixed<'a>(record: &mut Bytes<'a>) -> Result<&'a [u8], LabelledError> {
    let length = record.length()?;
    record.take(length)
}

/// One variable record; none where it continues the text before it.
fn variable<'a>(file: &mut Bytes<'a>, unit: usize) -> Result<Option<Raw<'a>>, LabelledError> {
    let width = file.i32()?;
    let has_label = file.i32()?;
    let missing = file.i32()?;
    let format = Format::of_code(file.i32()?);
    file.skip(4)?;
    let short = without_blanks(file.take(8)?);
    let label = if has_label == 1 {
        let length = file.length()?;
        let label = file.take(length)?;
        file.skip(length.next_multiple_of(4) - length)?;
        label
    } else {
        &[]
    };
    if !(-3..=3).contains(&missing) || missing == -1 {
        return Err(LabelledError::damaged(format!("a variable has {missing} missing values")));
    }
    let missing_values =
        (0..missing.unsigned_abs()).map(|_| file.array()).collect::<Result<Vec<[u8; 8]>, _>>()?;
    if width == -1 {
        return Ok(None);
    }
    let width = usize::try_from(width).ok().filter(|width| *width <= SEGMENT);
    let width = width.ok_or_else(|| {
        LabelledError::damaged("a variable is neither a number nor a text of up to 255 bytes")
    })?;
    Ok(Some(Raw {
        unit,
        short,
        width,
        label,
        format,
        missing: missing_values,
        missing_is_range: missing < 0,
        labels: Vec::new(),
    }))
}

/// A record of labels, and the record of the variables that have them.
fn value_labels<'a>(file: &mut Bytes<'a>, raws: &mut [Raw<'a>]) -> Result<(), LabelledError> {
    let count = file.length()?;
    let mut labels = Vec::new();
    for _ in 0..count {
        let value = file.array()?;
        let length = usize::from(file.u8()?);
        let label = file.take(length)?;
        file.skip((length + 1).next_multiple_of(8) - length - 1)?;
        labels.push((value, label));
    }
    if file.i32()? != 4 {
        return Err(LabelledError::damaged("value labels are of no variable"));
    }
    let count = file.length()?;
    for _ in 0..count {
        let unit = usize::try_from(file.i32()?).ok().and_then(|unit| unit.checked_sub(1));
        if let Some(raw) = raws.iter_mut().find(|raw| Some(raw.unit) == unit) {
            raw.labels.extend_from_slice(&labels);
        }
    }
    Ok(())
}

impl<'a> Extensions<'a> {
    fn read(&mut self, file: &mut Bytes<'a>) -> Result<(), LabelledError> {
        let subtype = file.i32()?;
        let (size, count) = (file.length()?, file.length()?);
        let big_endian = file.is_big_endian();
        let data = file.items(count, size)?;
        let mut record = Bytes::new(data, big_endian, "an extension record");
        match subtype {
            3 if data.len() >= 32 => {
                record.skip(28)?;
                self.page = Some(record.i32()?);
            }
            4 if data.len() >= 24 => self.floats = Some([record.f64()?, record.f64()?, record.f64()?]),
            11 if size == 4 => {
                self.display = (0..count).map(|_| record.i32()).collect::<Result<_, _>>()?;
            }
            13 => self.long_names = data,
            14 => self.very_long = data,
            16 if data.len() >= 16 => {
                record.skip(8)?;
                self.cases = Some(record.i64()?);
            }
            20 => self.encoding = Some(without_blanks(data)),
            21 => self.long_labels = data,
            22 => self.long_missing = data,
            _ => {}
        }
        Ok(())
    }
}

/// `NAME=text` between tabs.
fn pairs(record: &[u8]) -> Vec<(&[u8], &[u8])> {
    let pair = |part: &'_ [u8]| -> Option<usize> { part.iter().position(|byte| *byte == b'=') };
    record
        .split(|byte| *byte == b'\t')
        .filter_map(|part| {
            pair(part).map(|at| (without_blanks(&part[..at]), without_blanks(&part[at + 1..])))
        })
        .collect()
}
