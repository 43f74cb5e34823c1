//! Writing Stata's files, release 118 (Stata 14 and later): Unicode, numbers in the smallest type that holds the column.

use std::io::Write;

use super::{DOUBLE_STEP, MISSING_BYTE, MISSING_DOUBLE, MISSING_INT, MISSING_LONG, Widths, meaning};
use crate::calendar::Count;
use crate::{
    LabelledColumn, LabelledError, LabelledFile, LabelledValue, Meaning, Values, is_missing, tag_of,
};

/// The longest text that lies within a record.
const LONGEST: usize = 2045;
/// Most variables of a file of this release.
const MOST: usize = 32_767;

/// Words that Stata keeps for itself.
const RESERVED: &[&str] = &[
    "_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long", "_n", "_N", "_pi",
    "_pred", "_rc", "_se", "_skip", "str", "strL", "using", "with",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Storage {
    Text(usize),
    Byte,
    Int,
    Long,
    Double,
}

impl Storage {
    fn code(self) -> u16 {
        match self {
            Self::Text(width) => width as u16,
            Self::Double => 65526,
            Self::Long => 65528,
            Self::Int => 65529,
            Self::Byte => 65530,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::Text(width) => width,
            Self::Byte => 1,
            Self::Int => 2,
            Self::Long => 4,
            Self::Double => 8,
        }
    }
}

struct Planned<'a> {
    column: &'a LabelledColumn,
    storage: Storage,
    format: String,
    /// The labels that Stata can hold: of whole numbers and of missing ones with a letter.
    labels: Vec<(i32, &'a str)>,
}

/// Writes a file of release 118.
pub fn write_stata(file: &LabelledFile, sink: &mut dyn Write) -> Result<(), LabelledError> {
    let columns = plan(file)?;
    let widths = Widths::of(118);
    let mut out = Vec::new();
    let mut map = vec![0_u64];
    let tag = |out: &mut Vec<u8>, text: &str| out.extend_from_slice(text.as_bytes());
    tag(&mut out, "<stata_dta><header><release>118</release><byteorder>LSF</byteorder><K>");
    out.extend_from_slice(&(columns.len() as u16).to_le_bytes());
    tag(&mut out, "</K><N>");
    out.extend_from_slice(&(file.rows as u64).to_le_bytes());
    tag(&mut out, "</N><label>");
    let label = cut(&file.label, 320);
    out.extend_from_slice(&(label.len() as u16).to_le_bytes());
    tag(&mut out, label);
    // The day on which a file is written says nothing of its records, and would make each writing another file.
    tag(&mut out, "</label><timestamp>\0</timestamp></header>");
    map.push(out.len() as u64);
    tag(&mut out, "<map>");
    let map_at = out.len();
    out.resize(map_at + 14 * 8, 0);
    tag(&mut out, "</map>");
    map.push(out.len() as u64);
    tag(&mut out, "<variable_types>");
    columns.iter().for_each(|planned| out.extend_from_slice(&planned.storage.code().to_le_bytes()));
    tag(&mut out, "</variable_types>");
    map.push(out.len() as u64);
    fixed(&mut out, "varnames", widths.name, columns.iter().map(|planned| planned.column.name.as_str()));
    map.push(out.len() as u64);
    tag(&mut out, "<sortlist>");
    out.resize(out.len() + 2 * (columns.len() + 1), 0);
    tag(&mut out, "</sortlist>");
    map.push(out.len() as u64);
    fixed(&mut out, "formats", widths.format, columns.iter().map(|planned| planned.format.as_str()));
    map.push(out.len() as u64);
    let sets: Vec<String> = (0..columns.len()).map(|at| set_name(&columns, at)).collect();
    fixed(&mut out, "value_label_names", widths.name, sets.iter().map(String::as_str));
    map.push(out.len() as u64);
    fixed(
        &mut out,
        "variable_labels",
        widths.label,
        columns.iter().map(|planned| planned.column.label.as_str()),
    );
    map.push(out.len() as u64);
    tag(&mut out, "<characteristics></characteristics>");
    map.push(out.len() as u64);
    tag(&mut out, "<data>");
    data(file.rows, &columns, &mut out);
    tag(&mut out, "</data>");
    map.push(out.len() as u64);
    tag(&mut out, "<strls></strls>");
    map.push(out.len() as u64);
    tag(&mut out, "<value_labels>");
    for (planned, set) in columns.iter().zip(&sets).filter(|(planned, _)| !planned.labels.is_empty()) {
        label_set(&mut out, set, &planned.labels, widths.name);
    }
    tag(&mut out, "</value_labels>");
    map.push(out.len() as u64);
    tag(&mut out, "</stata_dta>");
    map.push(out.len() as u64);
    for (at, place) in map.iter().enumerate() {
        out[map_at + 8 * at..map_at + 8 * at + 8].copy_from_slice(&place.to_le_bytes());
    }
    sink.write_all(&out).map_err(|error| LabelledError::Sink(error.to_string()))
}

fn plan(file: &LabelledFile) -> Result<Vec<Planned<'_>>, LabelledError> {
    if file.columns.len() > MOST {
        return Err(LabelledError::NotRead(format!(
            "a Stata file holds up to {MOST} columns; write another format"
        )));
    }
    let plan = |column| plan_column(column);
    file.columns.iter().map(plan).collect()
}

fn plan_column(column: &LabelledColumn) -> Result<Planned<'_>, LabelledError> {
    let refuse = |message: String| Err(LabelledError::column(&column.name, message));
    let name = &column.name;
    let begins = name.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let is_width = name.strip_prefix("str").is_some_and(|rest| rest.parse::<u16>().is_ok());
    if !begins
        || !name.chars().all(is_part)
        || name.chars().count() > 32
        || RESERVED.contains(&name.as_str())
        || is_width
    {
        return refuse(
            "Stata has no such name: it begins with a letter or an underscore, has letters, digits and underscores, and up to 32 of them; \
             rename the column, or write another format"
                .into(),
        );
    }
    let storage = match &column.values {
        Values::Texts(texts) if texts.longest() > LONGEST => {
            return refuse(format!(
                "a text is longer than {LONGEST} bytes, which is not written to Stata files; shorten it"
            ));
        }
        Values::Texts(texts) => Storage::Text(texts.longest().max(1)),
        Values::Numbers(numbers) => {
            if numbers
                .iter()
                .any(|value| !is_missing(*value) && value.abs() >= f64::from_bits(MISSING_DOUBLE))
            {
                return refuse("a number is larger than Stata can hold".into());
            }
            storage(numbers, column.meaning)
        }
    };
    let given = Some(column.format.as_str()).filter(|format| format.starts_with('%') && format.len() < 57);
    let is_text = matches!(storage, Storage::Text(_));
    let suits =
        |format: &&str| format.ends_with('s') == is_text && (is_text || meaning(format) == column.meaning);
    let format = match (given.filter(suits), column.meaning, storage) {
        (Some(format), ..) => format.to_owned(),
        (None, _, Storage::Text(width)) => format!("%{}s", width.clamp(9, 244)),
        (None, Meaning::Date, _) => "%td".into(),
        (None, Meaning::Datetime, _) => "%tc".into(),
        (None, Meaning::TimeOfDay, _) => "%tcHH:MM:SS".into(),
        (None, Meaning::Number, Storage::Double) => "%10.0g".into(),
        (None, Meaning::Number, Storage::Long) => "%12.0g".into(),
        (None, Meaning::Number, _) => "%8.0g".into(),
    };
    let labels = column.labels.iter().filter_map(|(value, label)| match value {
        LabelledValue::Number(value) if is_missing(*value) => {
            let letter = tag_of(*value).filter(u8::is_ascii_lowercase)?;
            Some((MISSING_LONG + i32::from(letter - b'a') + 1, label.as_str()))
        }
        LabelledValue::Number(value) if value.fract() == 0.0 && value.abs() < f64::from(MISSING_LONG) => {
            Some((*value as i32, label.as_str()))
        }
        _ => None,
    });
    let mut labels: Vec<(i32, &str)> = if is_text { Vec::new() } else { labels.collect() };
    labels.sort_by_key(|(value, _)| *value);
    Ok(Planned { column, storage, format, labels })
}

/// The smallest type that holds all numbers of a column.
fn storage(numbers: &[f64], meaning: Meaning) -> Storage {
    if matches!(meaning, Meaning::Datetime | Meaning::TimeOfDay) {
        return Storage::Double;
    }
    let offset = if meaning == Meaning::Date { 3_653.0 } else { 0.0 };
    let values = || numbers.iter().filter(|value| !is_missing(**value)).map(|value| value + offset);
    if values().any(|value| value.fract() != 0.0 || (value == 0.0 && value.is_sign_negative())) {
        return Storage::Double;
    }
    let within = |low: i32, first_missing: i32| {
        values().all(|value| value >= f64::from(low) && value < f64::from(first_missing))
    };
    if within(-127, MISSING_BYTE) {
        Storage::Byte
    } else if within(-32_767, MISSING_INT) {
        Storage::Int
    } else if within(-2_147_483_647, MISSING_LONG) {
        Storage::Long
    } else {
        Storage::Double
    }
}

/// The name of the set of labels of a column: its own, which no other has.
fn set_name(columns: &[Planned<'_>], at: usize) -> String {
    let planned = &columns[at];
    if planned.labels.is_empty() { String::new() } else { planned.column.name.clone() }
}

/// A text cut to so many bytes, between two characters.
fn cut(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Texts of one width between tags, each ended by a zero.
fn fixed<'a>(out: &mut Vec<u8>, name: &str, width: usize, texts: impl Iterator<Item = &'a str>) {
    out.extend_from_slice(format!("<{name}>").as_bytes());
    for text in texts {
        let text = cut(text, width - 1);
        // A label has up to 80 characters.
        let text = if width == 321 {
            text.char_indices().nth(80).map_or(text, |(end, _)| &text[..end])
        } else {
            text
        };
        out.extend_from_slice(text.as_bytes());
        out.resize(out.len() + width - text.len(), 0);
    }
    out.extend_from_slice(format!("</{name}>").as_bytes());
}

fn label_set(out: &mut Vec<u8>, name: &str, labels: &[(i32, &str)], width: usize) {
    let mut texts = Vec::new();
    let mut offsets = Vec::new();
    for (_, label) in labels {
        offsets.push(texts.len() as i32);
        texts.extend_from_slice(cut(label, 32_000).as_bytes());
        texts.push(0);
    }
    let mut table = Vec::new();
    let whole = |table: &mut Vec<u8>, value: i32| table.extend_from_slice(&value.to_le_bytes());
    whole(&mut table, labels.len() as i32);
    whole(&mut table, texts.len() as i32);
    offsets.into_iter().for_each(|offset| whole(&mut table, offset));
    labels.iter().for_each(|(value, _)| whole(&mut table, *value));
    table.append(&mut texts);
    out.extend_from_slice(b"<lbl>");
    whole(out, table.len() as i32);
    let name = cut(name, width - 1);
    out.extend_from_slice(name.as_bytes());
    out.resize(out.len() + width - name.len() + 3, 0);
    out.append(&mut table);
    out.extend_from_slice(b"</lbl>");
}

fn data(rows: usize, columns: &[Planned<'_>], out: &mut Vec<u8>) {
    let width: usize = columns.iter().map(|planned| planned.storage.bytes()).sum();
    out.reserve(width * rows);
    let counts: Vec<Count> = columns.iter().map(|planned| Count::stata(planned.column.meaning)).collect();
    for row in 0..rows {
        for (planned, count) in columns.iter().zip(&counts) {
            match (&planned.column.values, planned.storage) {
                (Values::Texts(texts), Storage::Text(width)) => {
                    let text = texts.get(row).as_bytes();
                    out.extend_from_slice(text);
                    out.resize(out.len() + width - text.len(), 0);
                }
                (Values::Numbers(numbers), storage) => {
                    let value = numbers.get(row).copied().unwrap_or(f64::NAN);
                    let value = match planned.column.meaning {
                        _ if is_missing(value) => value,
                        Meaning::Number => value,
                        _ => count.of_unix(value),
                    };
                    number(storage, value, out);
                }
                (Values::Texts(_), _) => {}
            }
        }
    }
}

fn number(storage: Storage, value: f64, out: &mut Vec<u8>) {
    let letter =
        tag_of(value).filter(u8::is_ascii_lowercase).map_or(0, |letter| i32::from(letter - b'a') + 1);
    let whole = |first: i32| if is_missing(value) { first + letter } else { value as i32 };
    match storage {
        Storage::Byte => out.push(whole(MISSING_BYTE) as i8 as u8),
        Storage::Int => out.extend_from_slice(&(whole(MISSING_INT) as i16).to_le_bytes()),
        Storage::Long => out.extend_from_slice(&whole(MISSING_LONG).to_le_bytes()),
        Storage::Double if is_missing(value) => {
            out.extend_from_slice(&(MISSING_DOUBLE + letter as u64 * DOUBLE_STEP).to_le_bytes());
        }
        Storage::Double => out.extend_from_slice(&value.to_le_bytes()),
        Storage::Text(_) => {}
    }
}
