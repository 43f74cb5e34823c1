//! The schema that the records themselves show. It is learned, and says so. Columns that name units are identifiers in it.

use std::sync::Arc;

use arrow_schema::DataType;
use rayon::prelude::*;

use super::pieces::{Piece, integers_as_text};
use crate::column::{Column, EXACT, Entry, Number, Numbers, TextColumn};
use crate::date::DateFormat;
use crate::datetime::{DAY, DatetimeFormat, Precision};
use crate::identifiers::{self, Evidence};
use crate::schema::{Kind, KindName, Levels, Origin, Schema, SchemaFile, Stored, Variable, is_long_number};
use crate::{Table, TableError};

/// Above this many records, a text that is different in each of them is taken for an identifier.
const IDENTIFIER_ROWS: usize = 20;

/// A table of these columns under the schema that they show. `held` are the types that a typed file gives them.
pub(super) fn table(names: Vec<String>, columns: Vec<Piece>, held: &[DataType]) -> Result<Table, TableError> {
    let mut variables = Vec::with_capacity(names.len());
    let mut learned = Vec::with_capacity(names.len());
    let columns: Vec<_> =
        columns.into_par_iter().enumerate().map(|(at, piece)| learn(piece, held.get(at))).collect();
    for (at, (name, (kind, column, missing))) in names.into_iter().zip(columns).enumerate() {
        let stored = stored(&kind, &column, held.get(at));
        variables.push(Variable { missing, origin: Origin::Learned, stored, ..Variable::new(name, kind) });
        learned.push(column);
    }
    Table::new(Arc::new(Schema::new(variables, Vec::new(), Vec::new())?), learned)
}

/// The variable that a part of a column shows, and the part.
pub(crate) fn shown(name: &str, piece: Piece, held: Option<&DataType>) -> (Variable, Column) {
    let (kind, column, missing) = learn(piece, held);
    (Variable { missing, ..Variable::new(name, kind) }, column)
}

/// The kind of a column of these values, and the type in which it is stored.
pub(crate) fn kind(piece: Piece, held: Option<&DataType>) -> (Kind, Option<Stored>) {
    let (kind, column, _) = learn(piece, held);
    let stored = stored(&kind, &column, held);
    (kind, stored)
}

/// The kind of these values, and the values as it holds them.
pub(super) fn kind_and_column(piece: Piece) -> (Kind, Column) {
    let (kind, column, _) = learn(piece, None);
    (kind, column)
}

/// The type in which these values are held: that of the file, or of whole numbers that are kept as text.
fn stored(kind: &Kind, column: &Column, held: Option<&DataType>) -> Option<Stored> {
    match (kind, column) {
        (Kind::Categorical { levels }, _) if held == Some(&DataType::Boolean) => {
            Some(Stored::Boolean).filter(|stored| levels.iter().all(|level| stored.holds(level)))
        }
        (Kind::Categorical { levels }, _) if levels.iter().any(is_long_number) => {
            Stored::of_whole_numbers(levels.iter())
        }
        (Kind::TextId, Column::Text(text)) => {
            // New identifiers of the same length may be too long for 64 bits without a sign; they stay text.
            Stored::of_whole_numbers(text.dictionary.iter().map(String::as_str))
                .filter(|stored| *stored == Stored::Integer)
        }
        _ => None,
    }
}

/// The table with identifiers made of the columns that name units; for tables whose kinds no schema says.
pub(super) fn with_identifiers(table: Table) -> Result<Table, TableError> {
    let found = identifiers::find(table.schema().variables(), table.columns());
    if found.iter().all(Option::is_none) {
        return Ok(table);
    }
    let (schema, columns) = table.into_parts();
    let mut variables = schema.variables().to_vec();
    let set_apart = |((variable, column), evidence): ((&mut Variable, Column), Option<Evidence>)| {
        let Some(evidence) = evidence else { return column };
        variable.stored = variable.stored.filter(|stored| *stored == Stored::Integer);
        variable.identifier.whole = matches!(column, Column::Integer(_)) || variable.stored.is_some();
        variable.stored = variable.identifier.whole.then_some(Stored::Integer);
        let text = column.into_text(variable);
        variable.kind = Kind::TextId;
        if let Evidence::PointsTo(target) = evidence {
            variable.identifier.refers_to = Some(target);
        }
        Column::Text(text)
    };
    let columns = variables.iter_mut().zip(columns).zip(found).map(set_apart).collect();
    let decimal = schema.decimal();
    Table::new(Arc::new(Schema::new(variables, Vec::new(), Vec::new())?.with_decimal(decimal)), columns)
}

/// The table with levels of the texts that were taken for identifiers and are categories by the schema.
pub(super) fn with_levels(table: Table, file: &SchemaFile) -> Result<Table, TableError> {
    let is_category = |variable: &Variable| {
        let kind = file.variables.get(&variable.name).map(|section| section.kind);
        variable.kind == Kind::TextId && matches!(kind, Some(KindName::Categorical | KindName::Ordinal))
    };
    if !table.schema().variables().iter().any(is_category) {
        return Ok(table);
    }
    let (schema, columns) = table.into_parts();
    let mut variables = schema.variables().to_vec();
    let levelled = |(variable, column): (&mut Variable, Column)| match column {
        Column::Text(text) if is_category(variable) => {
            let (kind, column) = categories(text);
            variable.kind = kind;
            column
        }
        column => column,
    };
    let columns = variables.iter_mut().zip(columns).map(levelled).collect();
    let decimal = schema.decimal();
    Table::new(Arc::new(Schema::new(variables, Vec::new(), Vec::new())?.with_decimal(decimal)), columns)
}

fn learn(piece: Piece, held: Option<&DataType>) -> (Kind, Column, bool) {
    match piece {
        Piece::Integer(numbers) if numbers.values().next().is_none() => {
            let codes = crate::Codes::collect(1, numbers.iter().map(|_| 0));
            (Kind::Categorical { levels: Levels::default() }, Column::Categorical(Arc::new(codes)), true)
        }
        Piece::Integer(numbers) if numbers.values().any(|value| value.unsigned_abs() > EXACT) => {
            learn_text(integers_as_text(&numbers))
        }
        Piece::Integer(numbers) => {
            let missing = numbers.missing() > 0;
            (Kind::Integer { range: extremes(&numbers) }, Column::Integer(numbers), missing)
        }
        Piece::Real(numbers) => {
            let is_whole = |value: f64| value.fract() == 0.0 && value.abs() <= EXACT as f64;
            if numbers.values().all(is_whole) {
                return learn(Piece::Integer(numbers.map(|value| value as i64)), held);
            }
            let missing = numbers.missing() > 0;
            (Kind::Real { range: extremes(&numbers) }, Column::Real(numbers), missing)
        }
        Piece::Date(days) => {
            let missing = days.missing() > 0;
            (Kind::Date { range: extremes(&days), format: DateFormat::Iso }, Column::Date(days), missing)
        }
        Piece::Datetime(times) => {
            let missing = times.missing() > 0;
            if let Some(DataType::Time32(_) | DataType::Time64(_)) = held {
                let format = DatetimeFormat::time_of_day(Precision::of_all(times.values()));
                return (
                    Kind::Datetime { range: extremes(&times), format },
                    Column::Datetime(times),
                    missing,
                );
            }
            // Points in time that are all at midnight are dates.
            if times.values().all(|time| time % DAY == 0) {
                return learn(Piece::Date(times.map(|time| (time / DAY) as i32)), held);
            }
            let universal = matches!(held, Some(DataType::Timestamp(_, Some(_))));
            let precision = Precision::of_all(times.values());
            let format = DatetimeFormat { precision, universal, ..DatetimeFormat::default() };
            (Kind::Datetime { range: extremes(&times), format }, Column::Datetime(times), missing)
        }
        Piece::Text(text) => learn_text(text),
    }
}

fn learn_text(text: TextColumn) -> (Kind, Column, bool) {
    let texts = text.dictionary.len();
    let missing = text.codes.iter().filter(|code| *code as usize == texts).count();
    if let Some(format) = DateFormat::of_all(text.dictionary.iter().map(String::as_str)) {
        let parsed: Vec<Option<i32>> = text.dictionary.iter().map(|date| format.parse(date)).collect();
        let mut days = Numbers::with_capacity(text.codes.len());
        for code in text.codes.iter() {
            days.push(parsed.get(code as usize).copied().flatten().map_or(Entry::Missing, Entry::Value));
        }
        return (Kind::Date { range: extremes(&days), format }, Column::Date(days), missing > 0);
    }
    if let Some(format) = DatetimeFormat::of_all(text.dictionary.iter().map(String::as_str)) {
        let parsed: Vec<Option<i64>> = text.dictionary.iter().map(|time| format.parse(time)).collect();
        let mut times = Numbers::with_capacity(text.codes.len());
        for code in text.codes.iter() {
            times.push(parsed.get(code as usize).copied().flatten().map_or(Entry::Missing, Entry::Value));
        }
        return (Kind::Datetime { range: extremes(&times), format }, Column::Datetime(times), missing > 0);
    }
    if texts > IDENTIFIER_ROWS && texts == text.codes.len() - missing {
        return (Kind::TextId, Column::Text(text), missing > 0);
    }
    let (kind, column) = categories(text);
    (kind, column, missing > 0)
}

/// Texts as levels in alphabetical order.
fn categories(text: TextColumn) -> (Kind, Column) {
    let texts = text.dictionary.len();
    let missing = text.codes.iter().filter(|code| *code as usize == texts).count();
    let mut order: Vec<u32> = (0..texts as u32).collect();
    order.sort_unstable_by(|left, right| {
        text.dictionary[*left as usize].cmp(&text.dictionary[*right as usize])
    });
    let mut new_code = vec![texts as u32; texts + 1];
    for (position, code) in order.iter().enumerate() {
        new_code[*code as usize] = position as u32;
    }
    let codes = text.codes.recode(&new_code, texts + usize::from(missing > 0));
    let mut dictionary = text.dictionary;
    dictionary.sort_unstable();
    let levels = Levels::new(dictionary).unwrap_or_default();
    (Kind::Categorical { levels }, Column::Categorical(Arc::new(codes)))
}

fn extremes<T: Number + PartialOrd>(numbers: &Numbers<T>) -> Option<(T, T)> {
    numbers.values().fold(None, |extremes, value| match extremes {
        None => Some((value, value)),
        Some((low, high)) => {
            Some((if value < low { value } else { low }, if value > high { value } else { high }))
        }
    })
}
