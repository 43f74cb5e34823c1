//! Reading Stata's files.

use hashbrown::HashMap;

use super::{
    DOUBLE_STEP, FLOAT_STEP, MISSING_BYTE, MISSING_DOUBLE, MISSING_FLOAT, MISSING_INT, MISSING_LONG, Widths,
    meaning, missing_at,
};
use crate::bytes::Bytes;
use crate::calendar::Count;
use crate::text::{Charset, TextsBuilder};
use crate::{LabelledColumn, LabelledError, LabelledFile, LabelledValue, Meaning, Program, Values};

/// How a value is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    Text(usize),
    /// A text that lies elsewhere, by its two numbers.
    LongText,
    Byte,
    Int,
    Long,
    Float,
    Double,
}

impl Storage {
    fn of(code: u16, release: u16) -> Option<Self> {
        Some(match (code, release) {
            (251, ..=115) => Self::Byte,
            (252, ..=115) => Self::Int,
            (253, ..=115) => Self::Long,
            (254, ..=115) => Self::Float,
            (255, ..=115) => Self::Double,
            (1..=244, ..=115) => Self::Text(usize::from(code)),
            (1..=2045, 117..) => Self::Text(usize::from(code)),
            (32768, 117..) => Self::LongText,
            (65526, 117..) => Self::Double,
            (65527, 117..) => Self::Float,
            (65528, 117..) => Self::Long,
            (65529, 117..) => Self::Int,
            (65530, 117..) => Self::Byte,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::Text(width) => width,
            Self::Byte => 1,
            Self::Int => 2,
            Self::Long | Self::Float => 4,
            Self::Double | Self::LongText => 8,
        }
    }
}

/// What stands before the data.
#[derive(Debug, Default)]
struct Head {
    release: u16,
    rows: u64,
    label: String,
    names: Vec<String>,
    storage: Vec<u16>,
    formats: Vec<String>,
    sets: Vec<String>,
    labels: Vec<String>,
}

type Labels = Vec<(LabelledValue, String)>;

pub(crate) fn read(file: &[u8]) -> Result<LabelledFile, LabelledError> {
    if file.starts_with(b"<stata_dta>") { read_framed(file) } else { read_plain(file) }
}

fn charset(release: u16) -> Charset {
    if release >= 118 { Charset::UTF8 } else { Charset::WESTERN }
}

/// Releases 113 to 115.
fn read_plain(file: &[u8]) -> Result<LabelledFile, LabelledError> {
    let release = u16::from(*file.first().ok_or(LabelledError::Truncated("its header"))?);
    if !(113..=115).contains(&release) {
        return Err(unknown_release(release));
    }
    let big_endian = file.get(1) == Some(&1);
    let mut file = Bytes::new(file, big_endian, "its header");
    file.skip(4)?;
    let count = usize::from(file.u16()?);
    let rows = u64::from(file.u32()?);
    let charset = charset(release);
    let label = charset.until_zero(file.take(81)?).into_owned();
    file.skip(18)?;
    let widths = Widths::of(release);
    file.part("the list of its variables");
    let codes = file.take(count)?.iter().map(|code| u16::from(*code)).collect::<Vec<_>>();
    let mut head = Head { release, rows, label, ..Head::default() };
    head.names = fields(&mut file, count, widths.name, charset)?;
    file.items(count + 1, 2)?;
    head.formats = fields(&mut file, count, widths.format, charset)?;
    head.sets = fields(&mut file, count, widths.name, charset)?;
    head.labels = fields(&mut file, count, widths.label, charset)?;
    head.storage = codes;
    file.part("its characteristics");
    loop {
        let (kind, length) = (file.u8()?, file.length()?);
        if kind == 0 && length == 0 {
            break;
        }
        file.skip(length)?;
    }
    let columns = data(&mut file, &head, &HashMap::new())?;
    file.part("its value labels");
    let mut sets = HashMap::new();
    while file.left() > 4 {
        let length = file.length()?;
        let name = charset.until_zero(file.take(widths.name)?).into_owned();
        file.skip(3)?;
        let table = file.take(length)?;
        sets.insert(name, label_table(table, big_endian, charset)?);
    }
    Ok(finish(head, columns, &sets))
}

/// Releases 117 to 119, whose parts stand between tags.
fn read_framed(all: &[u8]) -> Result<LabelledFile, LabelledError> {
    let mut file = Bytes::new(all, false, "its header");
    file.expect(b"<stata_dta><header><release>")?;
    let release: u16 = std::str::from_utf8(file.take(3)?)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| LabelledError::damaged("its release is no number"))?;
    if !(117..=119).contains(&release) {
        return Err(unknown_release(release));
    }
    file.expect(b"</release><byteorder>")?;
    let big_endian = file_order(file.take(3)?)?;
    file.set_big_endian(big_endian);
    file.expect(b"</byteorder><K>")?;
    let count = if release == 119 { file.u32()? as usize } else { usize::from(file.u16()?) };
    file.expect(b"</K><N>")?;
    let rows = if release == 117 { u64::from(file.u32()?) } else { file.u64()? };
    file.expect(b"</N><label>")?;
    let length = if release == 117 { usize::from(file.u8()?) } else { usize::from(file.u16()?) };
    let charset = charset(release);
    let label = charset.until_zero(file.take(length)?).into_owned();
    file.expect(b"</label><timestamp>")?;
    let length = usize::from(file.u8()?);
    file.skip(length)?;
    file.expect(b"</timestamp></header><map>")?;
    let map = (0..14).map(|_| file.u64()).collect::<Result<Vec<_>, _>>()?;
    file.expect(b"</map>")?;
    let widths = Widths::of(release);
    let mut head = Head { release, rows, label, ..Head::default() };
    file.part("the list of its variables").expect(b"<variable_types>")?;
    let mut types = Bytes::new(file.items(count, 2)?, file.is_big_endian(), "the list of its variables");
    head.storage = (0..count).map(|_| types.u16()).collect::<Result<_, LabelledError>>()?;
    file.expect(b"</variable_types><varnames>")?;
    head.names = fields(&mut file, count, widths.name, charset)?;
    file.expect(b"</varnames><sortlist>")?;
    let sorted = count.checked_add(1).ok_or(LabelledError::Truncated("the list of its variables"))?;
    file.items(sorted, if release == 119 { 4 } else { 2 })?;
    file.expect(b"</sortlist><formats>")?;
    head.formats = fields(&mut file, count, widths.format, charset)?;
    file.expect(b"</formats><value_label_names>")?;
    head.sets = fields(&mut file, count, widths.name, charset)?;
    file.expect(b"</value_label_names><variable_labels>")?;
    head.labels = fields(&mut file, count, widths.label, charset)?;
    file.expect(b"</variable_labels>")?;
    file.part("its long texts").seek(map[10])?;
    let long = long_texts(&mut file, release)?;
    file.part("its value labels").seek(map[11])?;
    let sets = label_sets(&mut file, widths, charset)?;
    file.part("its data").seek(map[9])?;
    file.expect(b"<data>")?;
    let columns = data(&mut file, &head, &long)?;
    file.expect(b"</data>")?;
    Ok(finish(head, columns, &sets))
}

fn unknown_release(release: u16) -> LabelledError {
    LabelledError::NotRead(format!(
        "it is of release {release}; releases 113 to 115 and 117 to 119 (Stata 8 and later) are read: save it again with a newer Stata"
    ))
}

fn file_order(word: &[u8]) -> Result<bool, LabelledError> {
    match word {
        b"LSF" => Ok(false),
        b"MSF" => Ok(true),
        _ => Err(LabelledError::damaged("the header does not say in which order its bytes stand")),
    }
}

/// As many fixed fields of text.
fn fields(
    file: &mut Bytes<'_>,
    count: usize,
    width: usize,
    charset: Charset,
) -> Result<Vec<String>, LabelledError> {
    let all = file.items(count, width)?;
    Ok(all.chunks_exact(width).map(|field| charset.until_zero(field).into_owned()).collect())
}

/// The texts that lie outside the records, by their two numbers.
fn long_texts<'a>(
    file: &mut Bytes<'a>,
    release: u16,
) -> Result<HashMap<(u64, u64), &'a [u8]>, LabelledError> {
    let mut texts = HashMap::new();
    file.expect(b"<strls>")?;
    while file.left() >= 3 {
        match file.take(3)? {
            b"GSO" => {}
            b"</s" => break,
            _ => return Err(LabelledError::damaged("a long text does not begin where it should")),
        }
        let variable = u64::from(file.u32()?);
        let record = if release == 117 { u64::from(file.u32()?) } else { file.u64()? };
        let kind = file.u8()?;
        let length = file.u32()? as usize;
        let text = file.take(length)?;
        texts.insert(
            (variable, record),
            if kind == 130 { text.strip_suffix(&[0]).unwrap_or(text) } else { text },
        );
    }
    Ok(texts)
}

fn label_sets(
    file: &mut Bytes<'_>,
    widths: Widths,
    charset: Charset,
) -> Result<HashMap<String, Labels>, LabelledError> {
    let mut sets = HashMap::new();
    file.expect(b"<value_labels>")?;
    loop {
        match file.take(5)? {
            b"<lbl>" => {}
            b"</val" => break,
            _ => return Err(LabelledError::damaged("a set of value labels does not begin where it should")),
        }
        let length = file.length()?;
        let name = charset.until_zero(file.take(widths.name)?).into_owned();
        file.skip(3)?;
        sets.insert(name, label_table(file.take(length)?, file.is_big_endian(), charset)?);
        file.expect(b"</lbl>")?;
    }
    Ok(sets)
}

fn label_table(table: &[u8], big_endian: bool, charset: Charset) -> Result<Labels, LabelledError> {
    let mut table = Bytes::new(table, big_endian, "a set of value labels");
    let (count, length) = (table.length()?, table.length()?);
    let mut offsets = Bytes::new(table.items(count, 4)?, big_endian, "a set of value labels");
    let mut values = Bytes::new(table.items(count, 4)?, big_endian, "a set of value labels");
    let texts = table.take(length)?;
    let label = |_| {
        let (offset, value) = (offsets.length()?, values.i32()?);
        let text = texts.get(offset..).ok_or(LabelledError::Truncated("a set of value labels"))?;
        let value = match i64::from(value) - i64::from(MISSING_LONG) {
            distance @ 0.. => missing_at(distance),
            _ => f64::from(value),
        };
        Ok((LabelledValue::Number(value), charset.until_zero(text).into_owned()))
    };
    (0..count).map(label).collect()
}

/// A column under construction.
enum Growing {
    Numbers(Vec<f64>),
    Texts(TextsBuilder),
}

fn data(
    file: &mut Bytes<'_>,
    head: &Head,
    long: &HashMap<(u64, u64), &[u8]>,
) -> Result<Vec<Values>, LabelledError> {
    file.part("its data");
    let storage = head.storage.iter().zip(&head.names).map(|(code, name)| {
        Storage::of(*code, head.release)
            .ok_or_else(|| LabelledError::damaged(format!("the type of `{name}` is not known")))
    });
    let storage = storage.collect::<Result<Vec<_>, _>>()?;
    if storage.is_empty() {
        return Err(LabelledError::damaged("it has no variables"));
    }
    let width: usize = storage.iter().map(|storage| storage.bytes()).sum();
    let rows = usize::try_from(head.rows).map_err(|_| LabelledError::Truncated("its data"))?;
    let all = file.items(rows, width)?;
    let big_endian = file.is_big_endian();
    let growing = |storage: &Storage| match storage {
        Storage::Text(_) | Storage::LongText => Growing::Texts(TextsBuilder::default()),
        _ => Growing::Numbers(Vec::with_capacity(rows)),
    };
    let mut columns: Vec<Growing> = storage.iter().map(growing).collect();
    for record in all.chunks_exact(width.max(1)) {
        let mut record = Bytes::new(record, big_endian, "a record");
        for (storage, column) in storage.iter().zip(&mut columns) {
            match column {
                Growing::Numbers(numbers) => numbers.push(number(*storage, &mut record)?),
                Growing::Texts(texts) => match storage {
                    Storage::Text(width) => {
                        let field = record.take(*width)?;
                        let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
                        texts.push(&field[..end]);
                    }
                    _ => {
                        let place = long_place(record.array()?, head.release, big_endian);
                        match long.get(&place) {
                            Some(text) => texts.push(text),
                            None if place == (0, 0) => texts.push(b""),
                            None => {
                                return Err(LabelledError::damaged("a long text is not where a record says"));
                            }
                        }
                    }
                },
            }
        }
    }
    let charset = charset(head.release);
    let values = |column: Growing| match column {
        Growing::Numbers(numbers) => Values::Numbers(numbers),
        Growing::Texts(texts) => Values::Texts(texts.finish(charset)),
    };
    Ok(columns.into_iter().map(values).collect())
}

/// The two numbers of a long text: 4 + 4 bytes in release 117, 2 + 6 in 118, 3 + 5 in 119.
fn long_place(bytes: [u8; 8], release: u16, big_endian: bool) -> (u64, u64) {
    let first = match release {
        117 => 4,
        118 => 2,
        _ => 3,
    };
    let join = |part: &[u8]| {
        let fold = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        if big_endian { part.iter().fold(0, fold) } else { part.iter().rev().fold(0, fold) }
    };
    (join(&bytes[..first]), join(&bytes[first..]))
}

fn number(storage: Storage, record: &mut Bytes<'_>) -> Result<f64, LabelledError> {
    let whole = |value: i32, first: i32| match i64::from(value) - i64::from(first) {
        distance @ 0.. => missing_at(distance),
        _ => f64::from(value),
    };
    Ok(match storage {
        Storage::Byte => whole(i32::from(record.u8()? as i8), MISSING_BYTE),
        Storage::Int => whole(i32::from(record.i16()?), MISSING_INT),
        Storage::Long => whole(record.i32()?, MISSING_LONG),
        Storage::Float => {
            let bits = record.u32()?;
            let value = f32::from_bits(bits);
            if value.is_finite() && value < f32::from_bits(MISSING_FLOAT) {
                // Through its own shortest text, so that 0.1 stays 0.1.
                value.to_string().parse().unwrap_or(f64::from(value))
            } else {
                missing_at(i64::from(bits.wrapping_sub(MISSING_FLOAT) / FLOAT_STEP))
            }
        }
        Storage::Double => {
            let bits = record.u64()?;
            let value = f64::from_bits(bits);
            if value.is_finite() && value < f64::from_bits(MISSING_DOUBLE) {
                value
            } else {
                missing_at((bits.wrapping_sub(MISSING_DOUBLE) / DOUBLE_STEP) as i64)
            }
        }
        Storage::Text(_) | Storage::LongText => crate::missing(None),
    })
}

fn finish(head: Head, columns: Vec<Values>, sets: &HashMap<String, Labels>) -> LabelledFile {
    let mut finished = Vec::with_capacity(columns.len());
    for (at, values) in columns.into_iter().enumerate() {
        let text = |texts: &[String]| texts.get(at).cloned().unwrap_or_default();
        let (name, format, label) = (text(&head.names), text(&head.formats), text(&head.labels));
        let (meaning, values) = match (values, meaning(&format)) {
            (
                Values::Numbers(numbers),
                meaning @ (Meaning::Date | Meaning::Datetime | Meaning::TimeOfDay),
            ) => {
                let (meaning, numbers) = Count::stata(meaning).convert(numbers);
                (meaning, Values::Numbers(numbers))
            }
            (values, _) => (Meaning::Number, values),
        };
        let labels = sets.get(&text(&head.sets)).cloned().unwrap_or_default();
        finished.push(LabelledColumn { label, format, meaning, labels, ..LabelledColumn::new(name, values) });
    }
    LabelledFile {
        program: Program::Stata,
        label: head.label,
        rows: head.rows as usize,
        columns: finished,
        weight: None,
    }
}
