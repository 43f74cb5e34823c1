//! What a person should know of one variable: constants, identifiers, free text, suspects of missing tokens and codes.

use std::collections::HashSet;

use rayon::prelude::*;

use super::told::Told;
use crate::Table;
use crate::column::Column;
use crate::date::{DateFormat, FORMATS};
use crate::figures::thousands;
use crate::identifiers::{self, Evidence};
use crate::schema::{DecimalMark, Kind, Levels, Origin, Stored, Variable};
use crate::value_counts::ValueCounts;

/// Texts that often stand for a missing value.
const MISSING_TOKENS: [&str; 21] = [
    "NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "NULL", "Null", "null", "None", "none", "?", "-", ".",
    "missing", "Missing", "MISSING", "unknown", "Unknown", "UNKNOWN",
];

/// Negative numbers that often stand for a reason instead of a measurement.
const NEGATIVE_CODES: [i64; 19] =
    [-1, -2, -3, -4, -5, -6, -7, -8, -9, -66, -77, -88, -97, -98, -99, -888, -998, -999, -9999];

/// A level with fewer records is rare.
const RARE: u64 = 5;

/// The notes on each variable, in schema order. What may name units is compared, and then forgotten.
pub(super) fn of_each_variable(table: &Table, told: &mut [Told]) -> Vec<Vec<String>> {
    let tallies: Vec<_> = told.iter_mut().map(|told| told.tally.take()).collect();
    let evidence = identifiers::judged(table.schema().variables(), &tallies);
    drop(tallies);
    (0..told.len())
        .into_par_iter()
        .map(|position| of_variable(table, position, &told[position], evidence[position].as_ref()))
        .collect()
}

/// Numbers of which some have a label: marks on a scale, or reasons why there is no number.
fn labelled_numbers(variable: &Variable) -> Option<String> {
    const MOST: usize = 6;
    let labels = &variable.labelling.labels;
    if labels.is_empty() || !matches!(variable.kind, Kind::Integer { .. } | Kind::Real { .. }) {
        return None;
    }
    let shown = labels.iter().take(MOST).map(|(value, label)| format!("{value} = {label}"));
    let more = if labels.len() > MOST { ", …" } else { "" };
    let shown = shown.collect::<Vec<_>>().join(", ");
    Some(format!(
        "some of its numbers have a label ({shown}{more}); one that is a reason and no measurement belongs under `codes`"
    ))
}

/// What was taken for granted of a column of numbers or dates that no schema describes.
fn how_numbers_are_written(table: &Table, variable: &Variable) -> Vec<String> {
    let mut notes = Vec::new();
    if variable.origin != Origin::Learned {
        return notes;
    }
    if !variable.missing_tokens.is_empty() {
        let noun = if matches!(variable.kind, Kind::Date { .. } | Kind::Datetime { .. }) {
            "dates"
        } else {
            "numbers"
        };
        notes.push(format!(
            "missing: {} among {noun} is read as missing; `kind = \"categorical\"` in a schema keeps it as a level",
            variable.missing_tokens.join(", ")
        ));
    }
    if matches!(variable.kind, Kind::Real { .. }) && table.schema().decimal() == DecimalMark::Comma {
        notes.push("decimal: its numbers are written with a comma".to_owned());
    }
    notes
}

fn of_variable(table: &Table, position: usize, told: &Told, evidence: Option<&Evidence>) -> Vec<String> {
    let variable = &table.schema().variables()[position];
    let present = table.rows() as u64 - table.missing(position);
    let mut notes = Vec::new();
    if present == 0 {
        notes.push("empty: every value is missing".to_owned());
    } else if told.distinct == 1 && variable.codes.is_empty() {
        notes.push("constant: one value in every record that has any".to_owned());
    }
    if matches!(table.columns()[position], Column::Text(_)) {
        notes.extend(long_numbers(variable));
    }
    notes.extend(labelled_numbers(variable));
    notes.extend(how_numbers_are_written(table, variable));
    match (evidence, &variable.kind) {
        (Some(evidence), Kind::TextId) => {
            notes.push(format!("identifier: {evidence}; never modelled, made new by every method"));
        }
        (None, Kind::TextId) => {
            notes.push("identifier: never modelled, made new by every method".to_owned());
        }
        (Some(evidence), kind) => notes.push(format!(
            "identifier? {evidence}; the schema says {}, so its values are released; if it names units, say \
             `kind = \"text-id\"`",
            kind.name()
        )),
        (None, _) => {}
    }
    match (&table.columns()[position], &variable.kind) {
        (Column::Text(text), _) if variable.origin == Origin::Learned && !variable.identifier.whole => {
            notes.extend(number_notes(&text.dictionary.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        (Column::Text(_), _) => {}
        (Column::Categorical(_), kind) => {
            let levels = kind.levels().cloned().unwrap_or_default();
            notes.extend(long_numbers(variable));
            notes.extend(text_notes(variable, &levels, &told.frequencies));
        }
        (Column::Integer(_), _) if evidence.is_some() => {}
        (Column::Integer(_) | Column::Real(_), _) => notes.extend(told.suspects.iter().cloned()),
        (Column::Date(_), Kind::Date { format, .. }) => {
            notes.push(format!("date: written as {}", format.name()))
        }
        (Column::Datetime(_), Kind::Datetime { format, .. }) => {
            let what = if format.date.is_some() { "time" } else { "time of day" };
            notes.push(format!("{what}: written as {}", format.name()))
        }
        (Column::Date(_) | Column::Datetime(_), _) => {}
    }
    notes
}

/// Whole numbers that are too long to be computed with.
fn long_numbers(variable: &Variable) -> Option<String> {
    let is_number = matches!(variable.stored, Some(Stored::Integer | Stored::Unsigned));
    is_number.then(|| {
        "whole numbers kept as text: not computed with, so that no digit of a long one is lost".to_owned()
    })
}

fn text_notes(variable: &Variable, levels: &Levels, frequencies: &[u64]) -> Vec<String> {
    let mut notes = Vec::new();
    let occurring = || levels.iter().zip(frequencies).filter(|(_, records)| **records > 0);
    if variable.origin == Origin::Learned {
        for (token, records) in occurring().filter(|(level, _)| MISSING_TOKENS.contains(level)) {
            notes.push(format!(
                "missing? holds the text {token} {} times; if it means missing, say `--missing {token}`, or \
                 `missing = [\"{token}\"]` in the schema",
                thousands(*records)
            ));
        }
    }
    let levels_but_tokens: Vec<&str> =
        occurring().map(|(level, _)| level).filter(|level| !MISSING_TOKENS.contains(level)).collect();
    let all = |test: &dyn Fn(&str) -> bool| {
        levels_but_tokens.len() > 1 && levels_but_tokens.iter().all(|level| test(level))
    };
    let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
    if all(&is_number) && levels_but_tokens.len() < occurring().count() {
        notes.push(
            "numbers? all other values are numbers; once the token is declared missing, it reads as numeric"
                .into(),
        );
    } else if variable.stored.is_none() {
        notes.extend(number_notes(&levels_but_tokens));
    }
    if all(&|text| FORMATS.iter().any(|format| format.parse(text).is_some())) {
        let ambiguous = [DateFormat::MonthFirst, DateFormat::DayFirst]
            .iter()
            .all(|format| all(&|text| format.parse(text).is_some()));
        let why = if ambiguous { "day and month cannot be told apart" } else { "written in several ways" };
        notes.push(format!("date? every value is a date, {why}; name the format in the schema"));
    }
    let count = occurring().count();
    let alone = occurring().filter(|(_, records)| **records == 1).count();
    let mean_length =
        occurring().map(|(level, _)| level.chars().count()).sum::<usize>() as f64 / count.max(1) as f64;
    if count >= 50 && 2 * alone >= count && mean_length >= 15.0 {
        notes.push(format!(
            "free text: {} different texts, {} of them in one record",
            thousands(count as u64),
            thousands(alone as u64)
        ));
    }
    let rare = occurring().filter(|(_, records)| **records < RARE).count();
    if rare > 0 {
        let (rare, count) = (thousands(rare as u64), thousands(count as u64));
        notes.push(format!("rare levels: {rare} of {count} have fewer than {RARE} records"));
    }
    let alike =
        occurring().count() - occurring().map(|(level, _)| normal_form(level)).collect::<HashSet<_>>().len();
    if alike > 0 {
        notes.push(format!(
            "alike: {} levels differ from another one only in case, blanks or decimals",
            thousands(alike as u64)
        ));
    }
    let padded = occurring().filter(|(level, _)| level.trim() != *level).count();
    if padded > 0 {
        notes.push(format!("blanks: {} levels begin or end with a blank", thousands(padded as u64)));
    }
    notes
}

/// Texts that are numbers in a way that is not read as such.
fn number_notes(texts: &[&str]) -> Option<String> {
    let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
    let all = |test: &dyn Fn(&str) -> bool| texts.len() > 1 && texts.iter().all(|text| test(text));
    if all(&is_number) {
        return Some(
            "numbers? every value is a number, but one has leading zeros, a plus sign or too many digits; read as text".into(),
        );
    }
    if all(&|text| is_number(text.trim())) {
        return Some("numbers? every value is a number with blanks around it".into());
    }
    if all(&|text| text.contains(',') && is_number(&text.replacen(',', ".", 1))) {
        return Some("numbers? every value is a number with a decimal comma".into());
    }
    None
}

/// The same for texts that a person would call the same.
fn normal_form(text: &str) -> String {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => number.to_string(),
        _ => text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(),
    }
}

/// Numbers that look like special codes: the only negative ones among numbers from zero up, or nines far above the rest.
pub(super) fn code_suspects(numbers: &ValueCounts, write: impl Fn(f64) -> String) -> Vec<String> {
    const MOST_NEGATIVE: usize = 3;
    let records_of = |value: f64| {
        let (below, with) = numbers.around(value);
        with - below
    };
    let mut suspects = Vec::new();
    let negative: Vec<f64> =
        numbers.values().take_while(|value| *value < 0.0).take(MOST_NEGATIVE + 1).collect();
    let is_code = |value: &f64| NEGATIVE_CODES.iter().any(|code| *code as f64 == *value);
    if negative.len() < numbers.distinct() && negative.len() <= MOST_NEGATIVE && negative.iter().all(is_code)
    {
        suspects.extend(negative);
    }
    let mut from_above = numbers.values().rev();
    if let (Some(high), Some(next), Some(low)) =
        (from_above.next(), from_above.next(), numbers.values().next())
    {
        let nines = write(high).chars().all(|digit| digit == '9');
        let gap = (high - next) / (next - low).max(1.0);
        let is_far = if high < 10.0 { gap >= 1.0 } else { gap > 0.05 };
        if nines && is_far && records_of(high) > 1 {
            suspects.push(high);
        }
    }
    suspects
        .into_iter()
        .map(|suspect| {
            format!(
                "code? holds {code} {} times, apart from the other values; if it is no measurement, say \
                 `codes = {{ {code} = \"…\" }}` in the schema",
                thousands(records_of(suspect)),
                code = write(suspect),
            )
        })
        .collect()
}
