//! SAS transport files (.xpt), versions 5 and 8: records of 80 bytes, numbers in the floating point of IBM's mainframes.
//!
//! The format is published: SAS technical support, TS-140, "The Record Layout of a SAS Transport Data Set".

use super::Growing;
use crate::bytes::Bytes;
use crate::text::{Charset, without_blanks};
use crate::{LabelledColumn, LabelledError, LabelledFile, Program, missing};

const RECORD: usize = 80;

/// A variable as its description says.
struct Variable {
    name: String,
    label: String,
    format: String,
    is_number: bool,
    length: usize,
    from: usize,
}

pub(crate) fn read(file: &[u8]) -> Result<LabelledFile, LabelledError> {
    let mut bytes = Bytes::new(file, true, "its header");
    // The library header and two records of facts about the session.
    bytes.skip(3 * RECORD)?;
    let member = bytes.take(RECORD)?;
    if !member.starts_with(b"HEADER RECORD*******MEM") {
        return Err(LabelledError::damaged("the header of its data set does not stand where it should"));
    }
    let size = digits(member, 74..78).filter(|size| matches!(size, 136 | 140));
    let size =
        size.ok_or_else(|| LabelledError::damaged("it does not say how its variables are described"))?;
    bytes.skip(RECORD)?;
    bytes.skip(RECORD)?;
    let facts = bytes.take(RECORD)?;
    let label = Charset::WESTERN.field(&facts[32..72]).into_owned();
    let names = bytes.take(RECORD)?;
    if !names.starts_with(b"HEADER RECORD*******NAM") {
        return Err(LabelledError::damaged("the list of its variables does not stand where it should"));
    }
    let long = names.starts_with(b"HEADER RECORD*******NAMSTV8");
    let count = digits(names, 54..58);
    let count =
        count.filter(|count| *count > 0).ok_or_else(|| LabelledError::damaged("it has no variables"))?;
    bytes.part("the list of its variables");
    let described = bytes.items(count, size)?;
    let mut variables =
        described.chunks_exact(size).map(|one| variable(one, long)).collect::<Result<Vec<_>, _>>()?;
    align(&mut bytes)?;
    bytes.part("the header of its records");
    let rows = loop {
        let header = bytes.take(RECORD)?;
        if header.starts_with(b"HEADER RECORD*******OBS") {
            break digits(header, 48..63).filter(|rows| long && *rows > 0);
        }
        if !header.starts_with(b"HEADER RECORD*******LABELV") {
            return Err(LabelledError::damaged("its records do not begin where they should"));
        }
        let each_has_formats = header.starts_with(b"HEADER RECORD*******LABELV9");
        let count = digits(header, 48..53).unwrap_or(0);
        long_labels(&mut bytes, count, each_has_formats, &mut variables)?;
        align(&mut bytes)?;
    };
    let length: usize = variables.iter().map(|variable| variable.length).sum();
    if variables.iter().any(|variable| variable.from + variable.length > length) || length == 0 {
        return Err(LabelledError::damaged("a variable lies beyond the end of a record"));
    }
    let data = bytes.take(bytes.left())?;
    if data.chunks(RECORD).skip(1).any(|record| record.starts_with(b"HEADER RECORD*******MEM")) {
        return Err(LabelledError::NotRead(
            "it holds more than one data set; write each to a file of its own".into(),
        ));
    }
    let records = match rows {
        Some(rows) => rows,
        None => records(data, length),
    };
    let mut columns: Vec<Growing> = variables.iter().map(Variable::growing).collect();
    let mut found = 0;
    for record in data.chunks_exact(length).take(records) {
        for (variable, column) in variables.iter().zip(&mut columns) {
            let field = &record[variable.from..variable.from + variable.length];
            match column {
                Growing::Numbers(numbers) => numbers.push(number(field)),
                Growing::Texts(texts) => texts.push(without_blanks(field)),
            }
        }
        found += 1;
    }
    if found < records {
        return Err(LabelledError::Truncated("its records"));
    }
    let column = |(variable, values): (Variable, Growing)| {
        let (meaning, values) = values.finish(&variable.format, Charset::WESTERN);
        LabelledColumn {
            label: variable.label,
            format: variable.format,
            meaning,
            ..LabelledColumn::new(variable.name, values)
        }
    };
    let columns = variables.into_iter().zip(columns).map(column).collect();
    Ok(LabelledFile { program: Program::SasTransport, label, rows: found, columns, weight: None })
}

/// How many records there are before the blanks that fill the last 80 bytes.
fn records(data: &[u8], length: usize) -> usize {
    let mut records = data.len() / length;
    let floor = data.len().saturating_sub(RECORD - 1);
    while records > 0
        && (records - 1) * length >= floor
        && data[(records - 1) * length..records * length].iter().all(|byte| *byte == b' ')
    {
        records -= 1;
    }
    records
}

/// Goes on to the next record of 80 bytes.
fn align(bytes: &mut Bytes<'_>) -> Result<(), LabelledError> {
    let at = bytes.at();
    bytes.skip(at.next_multiple_of(RECORD) - at)
}

fn digits(record: &[u8], at: std::ops::Range<usize>) -> Option<usize> {
    std::str::from_utf8(record.get(at)?).ok()?.trim().parse().ok()
}

fn variable(described: &[u8], long: bool) -> Result<Variable, LabelledError> {
    let mut bytes = Bytes::new(described, true, "the list of its variables");
    let kind = bytes.u16()?;
    bytes.skip(2)?;
    let length = usize::from(bytes.u16()?);
    bytes.skip(2)?;
    let mut name = bytes.take(8)?;
    let label = bytes.take(40)?;
    let format = bytes.take(8)?;
    let (width, decimals) = (bytes.u16()?, bytes.u16()?);
    bytes.skip(4 + 8 + 4)?;
    let from = bytes.u32()? as usize;
    if long {
        let full = bytes.take(32)?;
        name = if without_blanks(full).is_empty() { name } else { full };
    }
    if !matches!(kind, 1 | 2) || length == 0 || (kind == 1 && length > 8) {
        return Err(LabelledError::damaged("a variable is neither a number nor a text"));
    }
    let text = |bytes: &[u8]| Charset::WESTERN.field(bytes).into_owned();
    let mut shown = text(format);
    if width > 0 {
        shown.push_str(&width.to_string());
    }
    if !shown.is_empty() {
        shown.push('.');
    }
    if decimals > 0 && width > 0 {
        shown.push_str(&decimals.to_string());
    }
    Ok(Variable { name: text(name), label: text(label), format: shown, is_number: kind == 1, length, from })
}

impl Variable {
    fn growing(&self) -> Growing {
        if self.is_number { Growing::Numbers(Vec::new()) } else { Growing::Texts(Default::default()) }
    }
}

/// Labels above 40 bytes: the number of the variable, the lengths of name and label (and of formats in version 9), then the texts.
fn long_labels(
    bytes: &mut Bytes<'_>,
    count: usize,
    has_formats: bool,
    variables: &mut [Variable],
) -> Result<(), LabelledError> {
    for _ in 0..count {
        let at = usize::from(bytes.u16()?);
        let (name, label) = (usize::from(bytes.u16()?), usize::from(bytes.u16()?));
        let formats =
            if has_formats { [usize::from(bytes.u16()?), usize::from(bytes.u16()?)] } else { [0, 0] };
        bytes.skip(name)?;
        let text = without_blanks(bytes.take(label)?);
        bytes.skip(formats[0])?;
        bytes.skip(formats[1])?;
        if let Some(variable) = at.checked_sub(1).and_then(|at| variables.get_mut(at)) {
            variable.label = String::from_utf8_lossy(text).into_owned();
        }
    }
    Ok(())
}

/// IBM's floating point: a sign, an exponent of 16 in excess of 64, and a fraction of 56 bits. A missing number has its letter or point in
/// the first byte and nothing else.
fn number(field: &[u8]) -> f64 {
    let mut bytes = [0; 8];
    bytes[..field.len()].copy_from_slice(field);
    if bytes[1..].iter().all(|byte| *byte == 0) {
        match bytes[0] {
            0 => return 0.0,
            b'.' => return missing(None),
            b'_' | b'A'..=b'Z' => return missing(Some(bytes[0])),
            _ => {}
        }
    }
    let word = u64::from_be_bytes(bytes);
    let fraction = (word & 0x00ff_ffff_ffff_ffff) as f64;
    let exponent = i32::from(bytes[0] & 0x7f) - 64;
    let value = fraction * 2_f64.powi(4 * exponent - 56);
    if bytes[0] & 0x80 == 0 { value } else { -value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_mainframes() {
        assert_eq!(number(&[0x41, 0x10, 0, 0, 0, 0, 0, 0]), 1.0);
        assert_eq!(number(&[0xc2, 0x76, 0xa0]), -118.625);
        assert_eq!(number(&[0x40, 0x19, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a]), 0.1);
        assert!(number(&[b'.', 0, 0]).is_nan());
        assert_eq!(crate::tag_of(number(&[b'C', 0, 0, 0, 0, 0, 0, 0])), Some(b'c'));
        assert_eq!(number(&[0; 8]), 0.0);
    }

    #[test]
    fn blanks_at_the_end_are_no_records() {
        assert_eq!(records(&[b'a'; 80], 40), 2);
        let filled = [&[b'a'; 90][..], &[b' '; 70]].concat();
        assert_eq!(records(&filled, 30), 3);
    }
}
