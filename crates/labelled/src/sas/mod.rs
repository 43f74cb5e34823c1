//! SAS data sets (.sas7bdat): pages of subheaders and records.
//!
//! SAS does not publish the format; this follows M. Shotwell's description of it ("SAS7BDAT Database Binary Format", 2013) and what ReadStat and pandas have found out since.
//! A page holds pointers to subheaders (row size, columns, names, formats and labels) and, where records are packed, to records; other records follow them.

mod compression;
mod formats;
mod page;
pub(crate) mod transport;

use compression::Compression;
use page::{Pages, Subheader};

use crate::bytes::Bytes;
use crate::calendar::Count;
use crate::text::{Charset, TextsBuilder, without_blanks};
use crate::{LabelledColumn, LabelledError, LabelledFile, Meaning, Program, Values, missing};

/// The first 32 bytes of every file.
pub(crate) const MAGIC: [u8; 32] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc2, 0xea, 0x81, 0x60, 0xb3, 0x14, 0x11, 0xcf, 0xbd, 0x92, 0x08,
    0x00, 0x09, 0xc7, 0x31, 0x8c, 0x18, 0x1f, 0x10, 0x11,
];

/// Where a text lies: in which of the blocks of text, from where, and how long.
#[derive(Clone, Copy, Debug, Default)]
struct TextAt {
    block: usize,
    from: usize,
    length: usize,
}

/// A column of a record.
#[derive(Clone, Copy, Debug)]
struct Field {
    from: usize,
    length: usize,
    is_number: bool,
}

/// What the subheaders say.
#[derive(Debug, Default)]
struct Subheaders<'a> {
    row_length: usize,
    rows: usize,
    rows_of_mixed_page: usize,
    columns: usize,
    texts: Vec<&'a [u8]>,
    names: Vec<TextAt>,
    fields: Vec<Field>,
    formats: Vec<(TextAt, TextAt)>,
    compression: Compression,
}

pub(crate) fn read(file: &[u8]) -> Result<LabelledFile, LabelledError> {
    let pages = Pages::open(file)?;
    let charset = pages.charset;
    let mut said = Subheaders::default();
    // Records are read when everything is known of them; where each lies is noted first.
    let mut records: Vec<(&[u8], bool)> = Vec::new();
    let mut unpacked: Vec<(&[u8], usize)> = Vec::new();
    for page in pages.iter() {
        let page = page?;
        for pointed in page.subheaders()? {
            if pointed.is_record {
                records.push((pointed.bytes, pointed.packed));
            } else {
                said.read(Subheader {
                    bytes: pointed.bytes,
                    wide: pages.wide,
                    big_endian: pages.big_endian,
                })?;
            }
        }
        if let Some((start, count)) = page.records(said.rows_of_mixed_page) {
            unpacked.push((start, count));
        }
    }
    if said.fields.is_empty() || said.row_length == 0 {
        return Err(LabelledError::damaged("it does not say how its records are laid out"));
    }
    if said.fields.len() < said.columns || said.names.len() < said.columns {
        return Err(LabelledError::damaged("it describes fewer columns than it says it has"));
    }
    if let Some(field) = said.fields.iter().find(|field| field.from + field.length > said.row_length) {
        return Err(LabelledError::damaged(format!(
            "a column lies at byte {} of a record, beyond its end",
            field.from
        )));
    }
    let columns = said.fields.len().min(said.columns.max(1)).min(said.names.len());
    let mut growing: Vec<Growing> = said.fields[..columns].iter().map(|field| Growing::of(*field)).collect();
    let mut found = 0;
    let mut buffer = Vec::new();
    for (start, count) in unpacked {
        for record in start.chunks_exact(said.row_length).take(count) {
            if found == said.rows {
                break;
            }
            push(record, &said.fields, &mut growing, pages.big_endian);
            found += 1;
        }
    }
    for (bytes, packed) in records {
        if found == said.rows {
            break;
        }
        let record = if packed {
            said.compression.unpack(bytes, said.row_length, &mut buffer)?;
            buffer.as_slice()
        } else {
            bytes.get(..said.row_length).ok_or(LabelledError::Truncated("a record"))?
        };
        push(record, &said.fields, &mut growing, pages.big_endian);
        found += 1;
    }
    if found < said.rows {
        return Err(LabelledError::Truncated("its records"));
    }
    let mut columns = Vec::with_capacity(growing.len());
    for (at, values) in growing.into_iter().enumerate() {
        let (format, label) = said.formats.get(at).copied().unwrap_or_default();
        let text = |place: TextAt| -> Result<String, LabelledError> {
            if place.length == 0 {
                return Ok(String::new());
            }
            let block = said.texts.get(place.block);
            let bytes = block.and_then(|block| block.get(place.from..place.from.checked_add(place.length)?));
            let bytes = bytes
                .ok_or_else(|| LabelledError::damaged("the name of a column is not where it should be"))?;
            Ok(charset.field(bytes).into_owned())
        };
        let format = text(format)?;
        let (meaning, values) = values.finish(&format, charset);
        let column = LabelledColumn {
            label: text(label)?,
            format,
            meaning,
            ..LabelledColumn::new(text(said.names[at])?, values)
        };
        columns.push(column);
    }
    Ok(LabelledFile { program: Program::Sas, label: String::new(), rows: found, columns, weight: None })
}

/// A column under construction.
enum Growing {
    Numbers(Vec<f64>),
    Texts(TextsBuilder),
}

impl Growing {
    fn of(field: Field) -> Self {
        if field.is_number { Self::Numbers(Vec::new()) } else { Self::Texts(TextsBuilder::default()) }
    }

    fn finish(self, format: &str, charset: Charset) -> (Meaning, Values) {
        match self {
            Self::Texts(texts) => (Meaning::Number, Values::Texts(texts.finish(charset))),
            Self::Numbers(numbers) => match formats::meaning(format) {
                Meaning::Number => (Meaning::Number, Values::Numbers(numbers)),
                meaning => {
                    let (meaning, numbers) = Count::sas(meaning).convert(numbers);
                    (meaning, Values::Numbers(numbers))
                }
            },
        }
    }
}

fn push(record: &[u8], fields: &[Field], columns: &mut [Growing], big_endian: bool) {
    for (field, column) in fields.iter().zip(columns) {
        let bytes = record.get(field.from..field.from + field.length).unwrap_or_default();
        match column {
            Growing::Numbers(numbers) => numbers.push(number(bytes, big_endian)),
            Growing::Texts(texts) => texts.push(without_blanks(bytes)),
        }
    }
}

/// A double of which the last bytes may have been left out. The third byte of one that is no number says which missing value it is.
fn number(bytes: &[u8], big_endian: bool) -> f64 {
    let mut eight = [0; 8];
    let kept = bytes.len().min(8);
    if big_endian {
        eight[..kept].copy_from_slice(&bytes[..kept]);
    } else {
        eight[8 - kept..].copy_from_slice(&bytes[bytes.len() - kept..]);
        eight.reverse();
    }
    let value = f64::from_be_bytes(eight);
    match !eight[2] {
        _ if value.is_finite() => value,
        _ if !value.is_nan() => missing(None),
        0 => missing(Some(b'_')),
        letter @ 2..=27 => missing(Some(b'a' + letter - 2)),
        letter => missing(Some(letter)),
    }
}

impl<'a> Subheaders<'a> {
    fn read(&mut self, subheader: Subheader<'a>) -> Result<(), LabelledError> {
        let word = if subheader.wide { 8 } else { 4 };
        let end = subheader.bytes.len();
        match subheader.signature()? {
            0xf7f7_f7f7 => {
                self.row_length = subheader.word(5 * word)?;
                self.rows = subheader.word(6 * word)?;
                self.rows_of_mixed_page = subheader.word(15 * word)?;
                if self.row_length > 1 << 24 {
                    return Err(LabelledError::damaged("a record is longer than 16 million bytes"));
                }
            }
            0xf6f6_f6f6 => self.columns = subheader.word(word)?,
            0xffff_fffd => {
                let text = subheader.bytes.get(word..).unwrap_or_default();
                if self.texts.is_empty() {
                    self.compression = Compression::of(text);
                }
                self.texts.push(text);
            }
            0xffff_ffff => {
                for at in
                    (word + 8..end.saturating_sub(word + 12) + 8).step_by(8).take_while(|at| at + 8 <= end)
                {
                    self.names.push(subheader.text_at(at)?);
                }
            }
            0xffff_fffc => {
                let each = word + 8;
                let count = end.saturating_sub(2 * word + 12) / each;
                for at in 0..count {
                    let from = subheader.word(word + 8 + at * each)?;
                    let length = subheader.four(2 * word + 8 + at * each)?;
                    let kind = subheader.byte(2 * word + 14 + at * each)?;
                    self.fields.push(Field {
                        from: from.min(1 << 30),
                        length: length.min(1 << 30),
                        is_number: kind == 1,
                    });
                }
            }
            0xffff_fbfe => {
                let (format, label) = (subheader.text_at(3 * word + 22)?, subheader.text_at(3 * word + 28)?);
                self.formats.push((format, label));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The encoding that a byte of the header stands for.
fn charset(byte: u8) -> Charset {
    let name: &[u8] = match byte {
        20 => b"utf-8",
        30 => b"iso-8859-2",
        31 => b"iso-8859-3",
        32 => b"iso-8859-4",
        33 => b"iso-8859-5",
        34 => b"iso-8859-6",
        35 => b"iso-8859-7",
        36 => b"iso-8859-8",
        37 => b"windows-1254",
        40 => b"iso-8859-15",
        60 => b"windows-1250",
        61 => b"windows-1251",
        63 => b"windows-1253",
        64 => b"windows-1254",
        65 => b"windows-1255",
        66 => b"windows-1256",
        67 => b"windows-1257",
        118 | 123 => b"big5",
        125 => b"gbk",
        126 | 134 => b"euc-jp",
        138 => b"shift_jis",
        136 | 140 => b"euc-kr",
        205 => b"gb18030",
        62 => b"windows-1252",
        _ => return Charset::WESTERN,
    };
    Charset::named(name).unwrap_or(Charset::WESTERN)
}

impl Pages<'_> {
    fn is_magic(start: &[u8]) -> bool {
        start.get(12..32) == Some(&MAGIC[12..32])
    }
}

/// The byte order and position of a header field, for [`Pages::open`].
fn field(file: &[u8], at: usize, big_endian: bool) -> Result<u32, LabelledError> {
    let mut header = Bytes::new(file, big_endian, "its header");
    header.seek(at as u64)?;
    header.u32()
}
