//! Files of SPSS, Stata and SAS into tables, with their labels.
//!
//! A number of which every value that occurs has a label is categorical: its levels are the values, and the schema keeps what they mean. Other numbers stay numbers; those of
//! their values that count as missing become special codes. A missing value with a letter (Stata's `.a`, SAS's `.A`) is the level `.a` of a categorical variable and a
//! special code of a number, see [`code_of_letter`].

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use arrow_schema::{DataType, TimeUnit};
use indexmap::IndexMap;
use labelled::{
    LabelledColumn, LabelledFile, LabelledValue, Meaning, Measure, MissingValues, Program, Values,
    is_missing, tag_of,
};

use super::dictionary::TextBuilder;
use super::pieces::Piece;
use super::{Expectation, ReadOptions, learn};
use crate::column::{Column, EXACT, Entry, MOST_SPECIAL_CODES, Number, Numbers};
use crate::schema::{
    Kind, Labelling, Levels, Role, Schema, SpecialCode, Stored, UserMissing, Variable, code_of_letter,
    letter_of_code,
};
use crate::{Codes, FileProblem, Table, TableError};

/// Reads a whole file of one of the programs.
pub(super) fn read(
    path: &Path,
    program: Program,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Table, TableError> {
    let file = labelled::read(program, bytes).map_err(|error| {
        let message = format!("not a readable {}: {error}", program.file_name());
        TableError::file(path, FileProblem::Format(message))
    })?;
    let names: Vec<String> = file.columns.iter().map(|column| column.name.clone()).collect();
    super::check_names(path, &names)?;
    if file.rows == 0 {
        return Err(TableError::file(path, FileProblem::NoRows));
    }
    let expected = options.expectations(path, &names)?;
    let mut pieces = Vec::with_capacity(names.len());
    for (column, (expectation, tokens)) in file.columns.iter().zip(&expected) {
        options.watch.check()?;
        let piece = piece(column, *expectation, tokens).map_err(|message| {
            TableError::file(path, FileProblem::Column { column: column.name.clone(), message })
        })?;
        pieces.push(piece);
    }
    let held = |column: &LabelledColumn| match column.meaning {
        Meaning::TimeOfDay => DataType::Time64(TimeUnit::Microsecond),
        _ => DataType::Null,
    };
    let held: Vec<DataType> = file.columns.iter().map(held).collect();
    let table = super::with_identifiers(learn::table(names, pieces, &held)?, options)?;
    labelled_table(path, table, &file, options.schema.is_some())
}

/// The values of a column. Where the schema wants levels, numbers are texts.
fn piece(column: &LabelledColumn, expectation: Expectation, tokens: &[String]) -> Result<Piece, String> {
    let numbers = match &column.values {
        Values::Numbers(numbers) => numbers,
        Values::Texts(texts) => {
            let means_missing: Vec<bool> =
                texts.dictionary.iter().map(|text| text.is_empty() || tokens.contains(text)).collect();
            let mut builder = TextBuilder::with_capacity(texts.codes.len());
            for code in &texts.codes {
                match means_missing[*code as usize] {
                    true => builder.push_missing(),
                    false => builder.push(Cow::Borrowed(&texts.dictionary[*code as usize])),
                }
            }
            return Ok(Piece::Text(builder.finish()));
        }
    };
    match column.meaning {
        Meaning::Date => return Ok(Piece::Date(entries(numbers, |day| day as i32))),
        Meaning::Datetime | Meaning::TimeOfDay => {
            return Ok(Piece::Datetime(entries(numbers, |time| time as i64)));
        }
        Meaning::Number => {}
    }
    let missing: Vec<f64> = tokens.iter().filter_map(|token| token.parse().ok()).collect();
    if expectation == Expectation::Text {
        let mut builder = TextBuilder::with_capacity(numbers.len());
        for value in numbers {
            // SPSS has no letters, and holds their codes instead.
            match tag_of(*value).or_else(|| letter_of_code(*value)) {
                Some(letter) => builder.push(Cow::Owned(format!(".{}", char::from(letter)))),
                None if is_missing(*value) || missing.contains(value) => builder.push_missing(),
                None => builder.push(Cow::Owned(value.to_string())),
            }
        }
        return Ok(Piece::Text(builder.finish()));
    }
    if numbers.iter().any(|value| letter_of_code(*value).is_some())
        && numbers.iter().any(|value| tag_of(*value).is_some())
    {
        return Err("it holds numbers from -99999926 to -99999900, which stand for missing values with a letter; recode them".into());
    }
    let mut found = Numbers::with_capacity(numbers.len());
    for value in numbers {
        found.push(match tag_of(*value) {
            Some(letter) => Entry::Value(code_of_letter(letter)),
            None if is_missing(*value) || missing.contains(value) => Entry::Missing,
            None => Entry::Value(*value),
        });
    }
    let is_whole = |value: f64| value.fract() == 0.0 && value.abs() <= EXACT as f64;
    if found.values().all(is_whole) {
        return Ok(Piece::Integer(found.map(|value| value as i64)));
    }
    Ok(Piece::Real(found))
}

fn entries<T: Number>(numbers: &[f64], convert: impl Fn(f64) -> T) -> Numbers<T> {
    let mut entries = Numbers::with_capacity(numbers.len());
    for value in numbers {
        entries.push(if is_missing(*value) { Entry::Missing } else { Entry::Value(convert(*value)) });
    }
    entries
}

/// The table with what the file says of its variables. Under a schema, that alone says what is a level or a code.
fn labelled_table(
    path: &Path,
    table: Table,
    file: &LabelledFile,
    has_schema: bool,
) -> Result<Table, TableError> {
    let (schema, columns) = table.into_parts();
    let mut variables = schema.variables().to_vec();
    let mut labelled = Vec::with_capacity(columns.len());
    for ((variable, column), from) in variables.iter_mut().zip(columns).zip(&file.columns) {
        variable.labelling = Labelling {
            label: from.label.trim().to_owned(),
            labels: IndexMap::new(),
            user_missing: Vec::new(),
            display: Some(from.format.clone()).filter(|format| !format.is_empty()),
        };
        if file.weight.as_ref() == Some(&from.name) {
            variable.role = Some(Role::Weight);
        }
        let column = match column {
            numbers @ (Column::Integer(_) | Column::Real(_)) if from.meaning == Meaning::Number => {
                with_number_labels(variable, numbers, from, has_schema).map_err(|message| {
                    TableError::file(path, FileProblem::Column { column: from.name.clone(), message })
                })?
            }
            Column::Categorical(codes) => with_level_labels(variable, codes, from),
            other => other,
        };
        labelled.push(column);
    }
    // A weight with missing values cannot be one; the file goes on without.
    variables
        .iter_mut()
        .filter(|variable| variable.check_role().is_err())
        .for_each(|variable| variable.role = None);
    let decimal = schema.decimal();
    let schema = Schema::new(variables, Vec::new(), Vec::new())?.with_decimal(decimal);
    Table::new(Arc::new(schema), labelled)
}

/// A number, or a missing one with a letter, as a level.
fn level_of(value: f64) -> String {
    match letter_of_code(value) {
        Some(letter) => format!(".{}", char::from(letter)),
        None => value.to_string(),
    }
}

/// What the file labels, as number and label; missing values with a letter as their code.
fn labels_of(from: &LabelledColumn) -> Vec<(f64, &str)> {
    let number = |value: &LabelledValue| match value {
        LabelledValue::Number(value) => match tag_of(*value) {
            Some(letter) => Some(code_of_letter(letter)),
            None => Some(*value).filter(|value| value.is_finite()),
        },
        LabelledValue::Text(_) => None,
    };
    from.labels.iter().filter_map(|(value, label)| Some((number(value)?, label.trim()))).collect()
}

fn is_declared_missing(from: &LabelledColumn, value: f64) -> bool {
    letter_of_code(value).is_some() || from.missing.iter().any(|missing| missing.holds(value))
}

fn with_number_labels(
    variable: &mut Variable,
    column: Column,
    from: &LabelledColumn,
    has_schema: bool,
) -> Result<Column, String> {
    let labels = labels_of(from);
    variable.labelling.user_missing = from
        .missing
        .iter()
        .filter_map(|missing| match missing {
            MissingValues::Number(value) => Some(UserMissing::Number(*value)),
            MissingValues::Range(low, high) => Some(UserMissing::Range(*low, *high)),
            MissingValues::Text(_) => None,
        })
        .collect();
    variable.labelling.labels =
        labels.iter().map(|(value, label)| (value.to_string(), (*label).to_owned())).collect();
    if has_schema || (labels.is_empty() && from.missing.is_empty() && !holds_letters(&column)) {
        return Ok(column);
    }
    let numbers: Numbers<f64> = match column {
        Column::Integer(numbers) => numbers.map(|value| value as f64),
        Column::Real(numbers) => numbers,
        other => return Ok(other),
    };
    let mut occurring: Vec<f64> = numbers.values().collect();
    occurring.sort_unstable_by(f64::total_cmp);
    occurring.dedup();
    let is_labelled = |value: &f64| labels.iter().any(|(labelled, _)| labelled == value);
    let measured = || occurring.iter().filter(|value| !is_declared_missing(from, **value));
    let has_levels = labels.iter().any(|(value, _)| !is_declared_missing(from, *value));
    if has_levels && variable.role.is_none() && measured().all(is_labelled) {
        return Ok(categorical(variable, &numbers, occurring, &labels, from.measure));
    }
    let is_missing = |value: &f64| is_declared_missing(from, *value);
    let label = |value: f64| {
        labels.iter().find(|(labelled, _)| *labelled == value).map_or("missing", |(_, label)| *label)
    };
    let mut codes: Vec<f64> =
        occurring.iter().copied().chain(labels.iter().map(|(value, _)| *value)).filter(is_missing).collect();
    codes.sort_unstable_by(f64::total_cmp);
    codes.dedup();
    if codes.len() > MOST_SPECIAL_CODES {
        return Err(format!(
            "more than {MOST_SPECIAL_CODES} of its values are declared missing; declare fewer, or leave the column out"
        ));
    }
    let is_integer = matches!(variable.kind, Kind::Integer { .. });
    variable.codes = codes
        .iter()
        .map(|value| SpecialCode { value: *value, meaning: code_meaning(*value, label(*value)) })
        .collect();
    variable
        .labelling
        .labels
        .retain(|value, _| !value.parse().is_ok_and(|value: f64| codes.contains(&value)));
    let numbers = numbers.set_codes_apart(|value| variable.code_position(value));
    let extremes = numbers.values().fold(None, |extremes: Option<(f64, f64)>, value| {
        Some(extremes.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    });
    let is_whole = |value: f64| value.fract() == 0.0 && value.abs() <= EXACT as f64;
    if is_integer || (numbers.values().all(is_whole) && codes.iter().all(|code| is_whole(*code))) {
        variable.kind = Kind::Integer { range: extremes.map(|(low, high)| (low as i64, high as i64)) };
        return Ok(Column::Integer(numbers.map(|value| value as i64)));
    }
    variable.kind = Kind::Real { range: extremes };
    Ok(Column::Real(numbers))
}

/// What a special code means; of a missing value with a letter, the letter comes first.
fn code_meaning(value: f64, label: &str) -> String {
    match letter_of_code(value) {
        Some(letter) if label == "missing" => format!(".{}", char::from(letter)),
        Some(letter) => format!(".{} {label}", char::from(letter)),
        None => label.to_owned(),
    }
}

fn holds_letters(column: &Column) -> bool {
    match column {
        Column::Integer(numbers) => numbers.values().any(|value| letter_of_code(value as f64).is_some()),
        Column::Real(numbers) => numbers.values().any(|value| letter_of_code(value).is_some()),
        _ => false,
    }
}

/// A number of which every value has a label: its levels are the values in their order, those with a letter last.
fn categorical(
    variable: &mut Variable,
    numbers: &Numbers<f64>,
    occurring: Vec<f64>,
    labels: &[(f64, &str)],
    measure: Option<Measure>,
) -> Column {
    let mut values: Vec<f64> = occurring.into_iter().chain(labels.iter().map(|(value, _)| *value)).collect();
    let place = |value: &f64| letter_of_code(*value).map_or((0, *value), |letter| (1, f64::from(letter)));
    values.sort_unstable_by(|left, right| {
        let (left, right) = (place(left), place(right));
        left.0.cmp(&right.0).then(left.1.total_cmp(&right.1))
    });
    values.dedup();
    let position: std::collections::HashMap<u64, u32> =
        values.iter().enumerate().map(|(at, value)| (value.to_bits(), at as u32)).collect();
    let missing = values.len() as u32;
    let codes = numbers.iter().map(|entry| match entry {
        Entry::Value(value) => position.get(&value.to_bits()).copied().unwrap_or(missing),
        Entry::Missing | Entry::Code(_) => missing,
    });
    let codes = Codes::collect(values.len() + usize::from(variable.missing), codes);
    let levels: Vec<String> = values.iter().map(|value| level_of(*value)).collect();
    variable.stored = levels.iter().all(|level| Stored::Integer.holds(level)).then_some(Stored::Integer);
    variable.labelling.labels =
        labels.iter().map(|(value, label)| (level_of(*value), (*label).to_owned())).collect();
    let levels = Levels::new(levels).unwrap_or_default();
    variable.kind = match measure {
        Some(Measure::Ordinal) => Kind::Ordinal { levels },
        _ => Kind::Categorical { levels },
    };
    Column::Categorical(Arc::new(codes))
}

/// A text with labels: what is labelled and does not occur is a level too.
fn with_level_labels(variable: &mut Variable, codes: Arc<Codes>, from: &LabelledColumn) -> Column {
    let Some(levels) = variable.kind.levels() else { return Column::Categorical(codes) };
    let text = |value: &LabelledValue| match value {
        LabelledValue::Text(text) if !text.is_empty() => Some(text.clone()),
        LabelledValue::Number(value) if tag_of(*value).is_some() => {
            tag_of(*value).map(|letter| format!(".{}", char::from(letter)))
        }
        LabelledValue::Number(value) if value.is_finite() => Some(value.to_string()),
        _ => None,
    };
    variable.labelling.labels = from
        .labels
        .iter()
        .filter_map(|(value, label)| Some((text(value)?, label.trim().to_owned())))
        .collect();
    variable.labelling.user_missing = from
        .missing
        .iter()
        .map(|missing| match missing {
            MissingValues::Text(text) => UserMissing::Text(text.clone()),
            MissingValues::Number(value) => UserMissing::Number(*value),
            MissingValues::Range(low, high) => UserMissing::Range(*low, *high),
        })
        .collect();
    let strangers: Vec<String> =
        variable.labelling.labels.keys().filter(|value| levels.position(value).is_none()).cloned().collect();
    let all: Vec<String> = levels.iter().map(str::to_owned).chain(strangers).collect();
    let is_ordinal = from.measure == Some(Measure::Ordinal) && !from.labels.is_empty();
    let mut order: Vec<usize> = (0..all.len()).collect();
    let rank = |level: &str| variable.labelling.labels.get_index_of(level).unwrap_or(usize::MAX);
    // Levels of an ordinal text are in the order of their labels, others in that of the alphabet.
    order.sort_by(|left, right| match is_ordinal {
        true => rank(&all[*left]).cmp(&rank(&all[*right])).then_with(|| all[*left].cmp(&all[*right])),
        false => all[*left].cmp(&all[*right]),
    });
    let mut new_code = vec![0_u32; all.len() + 1];
    order.iter().enumerate().for_each(|(new, old)| new_code[*old] = new as u32);
    let (missing_before, missing) = (levels.len(), all.len() as u32);
    let of = |code: u32| if code as usize == missing_before { missing } else { new_code[code as usize] };
    let codes = Codes::collect(all.len() + usize::from(variable.missing), codes.iter().map(of));
    let levels = Levels::new(order.into_iter().map(|at| all[at].clone())).unwrap_or_default();
    variable.kind = if is_ordinal { Kind::Ordinal { levels } } else { Kind::Categorical { levels } };
    Column::Categorical(Arc::new(codes))
}
