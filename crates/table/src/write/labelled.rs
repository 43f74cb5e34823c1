//! Tables into files of SPSS and Stata, with the labels that the schema has.
//!
//! Levels that are numbers are written as numbers with their labels, other levels as text; special codes as numbers that count as missing in SPSS, and those that stand for a
//! letter as `.a` in Stata. Of a schema that was read off the records, only labels of values that occur in the file are written: a list of labels can hold what no released
//! record shows.

use std::collections::HashSet;

use labelled::{
    LabelledColumn, LabelledFile, LabelledValue, Meaning, Measure, MissingValues, Program, Texts, Values,
    missing,
};

use crate::column::{Column, Entry, Number, Numbers};
use crate::schema::{Kind, Labelling, Origin, Role, Schema, UserMissing, Variable, letter_of_code};
use crate::{Codes, Table};

/// The parts of a table as one file of a program.
pub(super) fn file(schema: &Schema, parts: &[Table], program: Program) -> std::io::Result<LabelledFile> {
    let is_public = schema.declaration().is_some();
    let columns = schema.variables().iter().enumerate().map(|(at, variable)| {
        let columns: Vec<&Column> = parts.iter().map(|part| &part.columns()[at]).collect();
        let is_learned = !is_public && variable.origin != Origin::Declared;
        column(variable, &columns, program, is_learned)
    });
    Ok(LabelledFile {
        program,
        label: String::new(),
        rows: parts.iter().map(Table::rows).sum(),
        columns: columns.collect::<std::io::Result<_>>()?,
        weight: schema.with_role(Role::Weight).map(|variable| variable.name.clone()),
    })
}

fn column(
    variable: &Variable,
    columns: &[&Column],
    program: Program,
    is_learned: bool,
) -> std::io::Result<LabelledColumn> {
    let (values, meaning) = values(variable, columns, program)?;
    let mut labelling = variable.labelling.of_kind(&variable.kind);
    if is_learned {
        let occurring = occurring(variable, columns);
        labelling = labelling.among(&variable.kind, |value| occurring.contains(value));
    }
    let is_number = matches!(values, Values::Numbers(_));
    let mut column = LabelledColumn::new(&variable.name, values);
    column.meaning = meaning;
    column.label = labelling.label.clone();
    column.format = labelling.display.clone().unwrap_or_default();
    column.measure = Some(match variable.kind {
        Kind::Ordinal { .. } => Measure::Ordinal,
        Kind::Categorical { .. } | Kind::TextId => Measure::Nominal,
        _ => Measure::Scale,
    });
    for (value, label) in &labelling.labels {
        let value = match (is_number, number_of(value, program)) {
            (true, Some(number)) => LabelledValue::Number(number),
            (true, None) => continue,
            (false, _) => LabelledValue::Text(value.clone()),
        };
        column.labels.push((value, label.clone()));
    }
    for code in &variable.codes {
        let meaning = match letter_of_code(code.value) {
            Some(letter) => {
                code.meaning.strip_prefix(&format!(".{}", char::from(letter))).unwrap_or(&code.meaning).trim()
            }
            None => code.meaning.as_str(),
        };
        if !meaning.is_empty() && meaning != "missing" {
            column.labels.push((LabelledValue::Number(stored_code(code.value, program)), meaning.to_owned()));
        }
    }
    if program == Program::Spss {
        column.missing = user_missing(variable, &labelling, &column.values);
    }
    Ok(column)
}

/// A level or a labelled number as a number of the file.
fn number_of(value: &str, program: Program) -> Option<f64> {
    match value.as_bytes() {
        [b'.', letter] if labelled::TAGS.contains(letter) => {
            Some(stored_code(crate::schema::code_of_letter(*letter), program))
        }
        _ => crate::schema::exact_number(value),
    }
}

/// A special code as the program holds it.
fn stored_code(code: f64, program: Program) -> f64 {
    match (letter_of_code(code), program) {
        (Some(letter), Program::Stata) => missing(Some(letter)),
        _ => code,
    }
}

/// Whether levels are written as numbers: all of them are, in the one way in which numbers are written.
fn are_numbers(variable: &Variable) -> bool {
    let is_number = |level: &str| match level.as_bytes() {
        [b'.', letter] => labelled::TAGS.contains(letter),
        _ => crate::schema::exact_number(level).is_some_and(|number| number.to_string() == level),
    };
    variable.kind.levels().is_some_and(|levels| levels.len() > 0 && levels.iter().all(is_number))
}

fn values(variable: &Variable, columns: &[&Column], program: Program) -> std::io::Result<(Values, Meaning)> {
    let mut numbers: Vec<f64> = Vec::new();
    let mut texts = Texts::default();
    let as_numbers = are_numbers(variable);
    let levels: Vec<&str> = variable.kind.levels().into_iter().flat_map(|levels| levels.iter()).collect();
    if !levels.is_empty() && !as_numbers {
        texts.dictionary = levels.iter().map(|level| (*level).to_owned()).collect();
    }
    let empty = texts.dictionary.len() as u32;
    let whole_identifier = variable.kind == Kind::TextId && variable.identifier.whole;
    let mut meaning = Meaning::Number;
    for column in columns {
        match column {
            Column::Categorical(codes) if as_numbers || levels.is_empty() => {
                let of: Vec<f64> =
                    levels.iter().map(|level| number_of(level, program).unwrap_or(missing(None))).collect();
                numbers
                    .extend(codes.iter().map(|code| of.get(code as usize).copied().unwrap_or(missing(None))));
            }
            Column::Categorical(codes) => texts.codes.extend(codes.iter().map(|code| code.min(empty))),
            Column::Integer(column) => push(&mut numbers, column, variable, program, |value| value as f64),
            Column::Real(column) => push(&mut numbers, column, variable, program, |value| value),
            Column::Date(days) => {
                meaning = Meaning::Date;
                push(&mut numbers, days, variable, program, f64::from);
            }
            Column::Datetime(times) => {
                let is_day = variable.kind.datetime_format().date.is_some();
                meaning = if is_day { Meaning::Datetime } else { Meaning::TimeOfDay };
                push(&mut numbers, times, variable, program, |time| time as f64);
            }
            Column::Text(text) if whole_identifier => {
                let parsed: Vec<Option<f64>> =
                    text.dictionary.iter().map(|text| crate::schema::exact_number(text)).collect();
                if parsed.iter().any(Option::is_none) {
                    let message = format!(
                        "`{}` holds numbers that are too long for the file; make it text in the schema",
                        variable.name
                    );
                    return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, message));
                }
                let of = |code: u32| parsed.get(code as usize).copied().flatten().unwrap_or(missing(None));
                numbers.extend(text.codes.iter().map(of));
            }
            Column::Text(text) => append(&mut texts, &text.codes, &text.dictionary),
        }
    }
    if numbers.is_empty() && !texts.codes.is_empty() {
        if !levels.is_empty() {
            texts.dictionary.push(String::new());
        }
        return Ok((Values::Texts(texts), meaning));
    }
    Ok((Values::Numbers(numbers), meaning))
}

/// Appends a column of text; missing is the empty text.
fn append(texts: &mut Texts, codes: &Codes, dictionary: &[String]) {
    let first = texts.dictionary.len() as u32;
    texts.dictionary.extend(dictionary.iter().cloned());
    texts.dictionary.push(String::new());
    let last = dictionary.len() as u32;
    texts.codes.extend(codes.iter().map(|code| first + code.min(last)));
}

fn push<T: Number>(
    numbers: &mut Vec<f64>,
    column: &Numbers<T>,
    variable: &Variable,
    program: Program,
    convert: impl Fn(T) -> f64,
) {
    numbers.extend(column.iter().map(|entry| match entry {
        Entry::Value(value) => convert(value),
        Entry::Code(position) => stored_code(variable.codes[position].value, program),
        Entry::Missing => missing(None),
    }));
}

/// The levels and numbers that occur, as text.
fn occurring(variable: &Variable, columns: &[&Column]) -> HashSet<String> {
    let mut found = HashSet::new();
    let labelled: Vec<(f64, &String)> =
        variable.labelling.labels.keys().filter_map(|value| Some((value.parse().ok()?, value))).collect();
    for column in columns {
        match column {
            Column::Categorical(codes) => {
                let levels = variable.kind.levels();
                let count = levels.map_or(0, |levels| levels.len());
                let counts = codes.frequencies(count + 1);
                let seen = levels
                    .into_iter()
                    .flat_map(|levels| levels.iter())
                    .zip(counts)
                    .filter(|(_, count)| *count > 0);
                found.extend(seen.map(|(level, _)| level.to_owned()));
            }
            Column::Integer(_) | Column::Real(_) if !labelled.is_empty() => {
                for row in 0..column.len() {
                    if let Some(Entry::Value(value)) = column.number(row) {
                        found.extend(
                            labelled
                                .iter()
                                .filter(|(number, _)| *number == value)
                                .map(|(_, text)| (*text).clone()),
                        );
                    }
                }
            }
            _ => {}
        }
    }
    // Codes are part of the schema of a number, whether they occur or not.
    found.extend(variable.codes.iter().map(|code| code.value.to_string()));
    found
}

/// What counts as missing in SPSS: what the schema says, and else the special codes, as up to three values or a range that holds no measurement.
fn user_missing(variable: &Variable, labelling: &Labelling, values: &Values) -> Vec<MissingValues> {
    let said: Vec<MissingValues> = labelling
        .user_missing
        .iter()
        .map(|missing| match missing {
            UserMissing::Number(value) => MissingValues::Number(*value),
            UserMissing::Range(low, high) => MissingValues::Range(*low, *high),
            UserMissing::Text(text) => MissingValues::Text(text.clone()),
        })
        .collect();
    let letters = variable.kind.levels().into_iter().flat_map(|levels| levels.iter()).filter_map(|level| {
        match level.as_bytes() {
            [b'.', letter] if labelled::TAGS.contains(letter) => Some(crate::schema::code_of_letter(*letter)),
            _ => None,
        }
    });
    let covered = |value: f64| said.iter().any(|missing| missing.holds(value));
    let mut codes: Vec<f64> =
        variable.codes.iter().map(|code| code.value).chain(letters).filter(|code| !covered(*code)).collect();
    codes.sort_unstable_by(f64::total_cmp);
    codes.dedup();
    if codes.is_empty() {
        return said;
    }
    let all: Vec<MissingValues> =
        said.iter().cloned().chain(codes.iter().map(|code| MissingValues::Number(*code))).collect();
    let has_range = said.iter().any(|missing| matches!(missing, MissingValues::Range(..)));
    if all.len() <= if has_range { 2 } else { 3 } {
        return all;
    }
    let Values::Numbers(numbers) = values else { return all };
    let is_code = |value: f64| codes.contains(&value);
    let measured =
        |low: f64, high: f64| numbers.iter().any(|value| (low..=high).contains(value) && !is_code(*value));
    let (first, last) = (codes[0], codes[codes.len() - 1]);
    let mut ranges = vec![(first, last, None)];
    ranges.push((codes[1], last, Some(first)));
    ranges.push((first, codes[codes.len() - 2], Some(last)));
    for (low, high, other) in ranges.into_iter().filter(|_| said.is_empty()) {
        if !measured(low, high) {
            let range = MissingValues::Range(low, high);
            return std::iter::once(range).chain(other.map(MissingValues::Number)).collect();
        }
    }
    all
}
