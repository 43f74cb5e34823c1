//! Reading system files.

use super::SEGMENT;
use super::cases::Cases;
use super::dictionary::{Dictionary, Variable};
use crate::bytes::Bytes;
use crate::calendar::Count;
use crate::text::{TextsBuilder, without_blanks};
use crate::{LabelledColumn, LabelledError, LabelledFile, Meaning, Program, Values, missing};

enum Growing {
    Numbers(Vec<f64>),
    Texts(TextsBuilder),
}

pub(crate) fn read(file: &[u8]) -> Result<LabelledFile, LabelledError> {
    let mut file = Bytes::new(file, false, "its header");
    let dictionary = Dictionary::read(&mut file)?;
    if dictionary.variables.is_empty() {
        return Err(LabelledError::damaged("it has no variables"));
    }
    let mut cases = Cases::new(&mut file, &dictionary)?;
    let units: usize = dictionary.variables.iter().flat_map(|variable| &variable.parts).sum();
    let declared = dictionary.cases.unwrap_or(u64::MAX);
    let room = cases.most(units).min(usize::try_from(declared).unwrap_or(usize::MAX));
    let growing = |variable: &Variable| match variable.width {
        0 => Growing::Numbers(Vec::with_capacity(room)),
        _ => Growing::Texts(TextsBuilder::default()),
    };
    let mut columns: Vec<Growing> = dictionary.variables.iter().map(growing).collect();
    let big_endian = file.is_big_endian();
    let mut rows = 0_u64;
    let mut text = Vec::new();
    'cases: while rows < declared {
        for (at, (variable, column)) in dictionary.variables.iter().zip(&mut columns).enumerate() {
            match column {
                Growing::Numbers(numbers) => {
                    let Some(unit) = cases.next() else {
                        if at == 0 {
                            break 'cases;
                        }
                        return Err(LabelledError::Truncated("a case"));
                    };
                    let value = if big_endian { f64::from_be_bytes(unit) } else { f64::from_le_bytes(unit) };
                    let is_missing = value == dictionary.system_missing || !value.is_finite();
                    numbers.push(if is_missing { missing(None) } else { value });
                }
                Growing::Texts(texts) => {
                    text.clear();
                    for (part, units) in variable.parts.iter().enumerate() {
                        let start = text.len();
                        for _ in 0..*units {
                            let Some(unit) = cases.next() else {
                                if at == 0 && text.is_empty() {
                                    break 'cases;
                                }
                                return Err(LabelledError::Truncated("a case"));
                            };
                            text.extend_from_slice(&unit);
                        }
                        if part + 1 < variable.parts.len() {
                            text.truncate(start + SEGMENT);
                        }
                    }
                    text.truncate(variable.width);
                    texts.push(without_blanks(&text));
                }
            }
        }
        rows += 1;
    }
    if dictionary.cases.is_some_and(|cases| cases > rows) {
        return Err(LabelledError::Truncated("its cases"));
    }
    let charset = dictionary.charset;
    let column = |(mut variable, values): (Variable, Growing)| {
        let (meaning, values) = match values {
            Growing::Texts(texts) => (Meaning::Number, Values::Texts(texts.finish(charset))),
            Growing::Numbers(numbers) => match variable.format.meaning() {
                Meaning::Number => (Meaning::Number, Values::Numbers(numbers)),
                meaning => {
                    // A date that counts as missing is no date.
                    let is_missing = |value: f64| variable.missing.iter().any(|missing| missing.holds(value));
                    let dates = numbers
                        .into_iter()
                        .map(|value| if is_missing(value) { missing(None) } else { value });
                    let numbers: Vec<f64> = dates.collect();
                    let (meaning, numbers) = Count::spss(meaning).convert(numbers);
                    (meaning, Values::Numbers(numbers))
                }
            },
        };
        if variable.format.meaning() != Meaning::Number {
            variable.missing.clear();
        }
        LabelledColumn {
            name: variable.name,
            label: variable.label,
            format: variable.format.to_string(),
            meaning,
            measure: variable.measure,
            labels: variable.labels,
            missing: variable.missing,
            values,
        }
    };
    Ok(LabelledFile {
        program: Program::Spss,
        label: dictionary.label,
        rows: rows as usize,
        columns: dictionary.variables.into_iter().zip(columns).map(column).collect(),
        weight: dictionary.weight,
    })
}
