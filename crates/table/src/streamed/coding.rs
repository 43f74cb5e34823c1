//! A block of records as classes of a domain, checked against its schema on the way.
//!
//! Texts of Parquet come as dictionaries, each text of which is looked up once, and numbers as they are stored; where a column is anything else, or anything in it
//! is not as the schema says, it goes the way of a table in memory, which knows all kinds and says what is wrong.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;

use crate::classify::classify;
use crate::domain::Partition;
use crate::read::in_blocks::{Block, BlockColumn, Place, TableFiles};
use crate::read::learn;
use crate::schema::conformance::{self, Violations};
use crate::{Classes, CodedTable, Codes, Column, Domain, Kind, Schema, Table, TableError, Variable};

/// The records of a block under the schema, and what breaks it.
pub(super) fn conformed(
    files: &TableFiles,
    schema: &Arc<Schema>,
    place: &Place,
    block: Block,
    wanted: &[usize],
) -> Result<(Table, Violations), TableError> {
    let mut columns: Vec<Option<Column>> = schema.variables().iter().map(|_| None).collect();
    let mut violations = Violations::default();
    for (at, column) in wanted.iter().zip(block.columns) {
        let position = schema.position_of(&files.names[*at])?;
        let (column, broken) = conformed_column(files, &schema.variables()[position], place, *at, column)?;
        violations.merge(broken, 0);
        columns[position] = Some(column);
    }
    let lacks = || TableError::schema("schema", "a column of the files is not in the schema");
    let columns = columns.into_iter().map(|column| column.ok_or_else(lacks)).collect::<Result<_, _>>()?;
    let table = Table::new(Arc::clone(schema), columns)?;
    let broken = table.broken_rules()?;
    violations.merge(broken, 0);
    Ok((table, violations))
}

/// A column of a block as values of a variable, and what does not fit.
pub(super) fn conformed_column(
    files: &TableFiles,
    variable: &Variable,
    place: &Place,
    at: usize,
    column: BlockColumn,
) -> Result<(Column, Violations), TableError> {
    let piece = files.piece(place, at, column)?;
    let (shown, column) = learn::shown(&variable.name, piece, files.held().get(at));
    Ok(conformance::conformed(variable, &shown, column))
}

/// The records of a block in classes. `wanted` are the columns of the block; those that are not in the domain are only checked. `whole`: rules are checked too, for which all
/// columns must be there.
pub(super) fn coded(
    files: &TableFiles,
    schema: &Arc<Schema>,
    domain: &Domain,
    place: &Place,
    block: Block,
    wanted: &[usize],
    whole: bool,
) -> Result<(CodedTable, Violations), TableError> {
    if whole {
        let (table, violations) = conformed(files, schema, place, block, wanted)?;
        if !violations.is_empty() {
            return Ok((empty(domain), violations));
        }
        return Ok((CodedTable::in_domain(&table, domain)?, violations));
    }
    let rows = block.rows;
    let mut columns: Vec<Option<Codes>> = domain.variables().iter().map(|_| None).collect();
    let mut violations = Violations::default();
    for (at, column) in wanted.iter().zip(block.columns) {
        let variable = schema.variable(&files.names[*at])?;
        let position = domain.position_of(&variable.name).ok();
        let classes = position.map(|position| &domain.variables()[position]);
        let quick = match (&column, classes) {
            (BlockColumn::Array(array), Some(classes)) => {
                quick_codes(array, variable, classes, files.tokens(*at))
            }
            _ => None,
        };
        let codes = match (quick, classes) {
            (Some(codes), _) => codes,
            (None, classes) => {
                let (column, broken) = conformed_column(files, variable, place, *at, column)?;
                violations.merge(broken, 0);
                match classes {
                    Some(classes) if violations.is_empty() => {
                        Arc::unwrap_or_clone(classify(classes, &column)?)
                    }
                    _ => continue,
                }
            }
        };
        if let Some(position) = position {
            columns[position] = Some(codes);
        }
    }
    if !violations.is_empty() {
        return Ok((empty(domain), violations));
    }
    // Variables that nobody asked for are not read; they are all of their first class.
    let none = |(codes, classes): (Option<Codes>, &Classes)| {
        codes.unwrap_or_else(|| Codes::collect(classes.size(), std::iter::repeat_n(0, rows)))
    };
    let columns = columns.into_iter().zip(domain.variables()).map(none).collect();
    Ok((CodedTable::from_codes(domain.clone(), columns), violations))
}

fn empty(domain: &Domain) -> CodedTable {
    let columns = domain.variables().iter().map(|classes| Codes::collect(classes.size(), [])).collect();
    CodedTable::from_codes(domain.clone(), columns)
}

/// The classes of a column in the usual types; `None` where it is of another type or anything in it breaks the schema.
fn quick_codes(array: &ArrayRef, variable: &Variable, classes: &Classes, tokens: &[String]) -> Option<Codes> {
    match (classes.partition(), array.data_type()) {
        (Partition::Levels(_), DataType::Dictionary(key, _)) if **key == DataType::Int32 => {
            dictionary_codes(array, variable, classes, tokens)
        }
        (Partition::Levels(_), _) => None,
        (Partition::Intervals { limits, .. }, DataType::Int64 | DataType::Int32 | DataType::Float64)
            if has_plain_limits(limits) && tokens.iter().all(|token| token.parse::<f64>().is_err()) =>
        {
            interval_codes(array, variable, classes, limits)
        }
        (_, kind) => {
            let missing: Vec<f64> = tokens.iter().filter_map(|token| token.parse().ok()).collect();
            let number = |value: f64| number_class(value, variable, classes, &missing);
            match (kind, &variable.kind) {
                (DataType::Int8, Kind::Integer { .. } | Kind::Real { .. }) => {
                    number_codes::<Int8Type>(array, classes, |value| number(f64::from(value)))
                }
                (DataType::Int16, Kind::Integer { .. } | Kind::Real { .. }) => {
                    number_codes::<Int16Type>(array, classes, |value| number(f64::from(value)))
                }
                (DataType::Int32, Kind::Integer { .. } | Kind::Real { .. }) => {
                    number_codes::<Int32Type>(array, classes, |value| number(f64::from(value)))
                }
                (DataType::Int64, Kind::Integer { .. } | Kind::Real { .. }) => {
                    let exact = |value: i64| value.unsigned_abs() <= crate::column::EXACT;
                    number_codes::<Int64Type>(array, classes, |value| {
                        exact(value).then(|| number(value as f64)).flatten()
                    })
                }
                (DataType::Float64, Kind::Integer { .. }) => {
                    number_codes::<Float64Type>(array, classes, |value| {
                        (value.fract() == 0.0).then(|| number(value)).flatten()
                    })
                }
                (DataType::Float64, Kind::Real { .. }) => {
                    number_codes::<Float64Type>(array, classes, |value| {
                        value.is_finite().then(|| number(value)).flatten()
                    })
                }
                (DataType::Date32, Kind::Date { .. }) => {
                    number_codes::<Date32Type>(array, classes, |day| number(f64::from(day)))
                }
                _ => None,
            }
        }
    }
}

fn dictionary_codes(
    array: &ArrayRef,
    variable: &Variable,
    classes: &Classes,
    tokens: &[String],
) -> Option<Codes> {
    let array = array.as_dictionary::<Int32Type>();
    let texts = array.values().as_string_opt::<i32>()?;
    let levels = variable.kind.levels()?;
    let missing = classes.missing_class().map_or(u32::MAX, |class| class);
    // A text that is not used is not looked for in the records, so an unknown one counts only where a record has it.
    let code = |at: usize| {
        let text = if texts.is_null(at) { "" } else { texts.value(at) };
        if text.is_empty() || tokens.iter().any(|token| token == text) {
            return missing;
        }
        levels.position(text).unwrap_or(u32::MAX)
    };
    let new_code: Vec<u32> = (0..texts.len()).map(code).collect();
    let keys = array.keys();
    if keys.null_count() == 0 && classes.size() <= 1 << 8 && !new_code.contains(&u32::MAX) {
        let new_code: Vec<u8> = new_code.iter().map(|code| *code as u8).collect();
        return Some(Codes::U8(keys.values().iter().map(|key| new_code[*key as usize]).collect()));
    }
    let mut is_known = true;
    let codes = (0..keys.len()).map(|row| {
        let code = if keys.is_null(row) { missing } else { new_code[keys.value(row) as usize] };
        is_known &= code != u32::MAX;
        code
    });
    let codes = Codes::collect(classes.size(), codes);
    is_known.then_some(codes)
}

/// Whether limits are few, and none comes twice.
fn has_plain_limits(limits: &[f64]) -> bool {
    (2..=64).contains(&limits.len()) && limits.is_sorted_by(|low, high| low < high)
}

/// Numbers that are looked at together.
const NUMBERS: usize = 1 << 10;

/// What stands for a number that has no class.
const NO_CLASS: u8 = u8::MAX;

/// The classes of numbers within few limits: how many limits a number reaches is counted for many numbers at once, without a branch.
fn interval_codes(array: &ArrayRef, variable: &Variable, classes: &Classes, limits: &[f64]) -> Option<Codes> {
    let is_whole = matches!(variable.kind, Kind::Integer { .. });
    let takes_real = matches!(variable.kind, Kind::Real { .. });
    if classes.size() >= usize::from(NO_CLASS) || !(is_whole || takes_real) {
        return None;
    }
    let mut all = Vec::with_capacity(array.len());
    let mut numbers = [0.0; NUMBERS];
    let mut code = |filled: &[f64]| classes_within(filled, variable, limits, classes, &mut all);
    macro_rules! each {
        ($kind:ty, $number:expr) => {
            for some in array.as_primitive::<$kind>().values().chunks(NUMBERS) {
                numbers.iter_mut().zip(some).for_each(|(number, value)| *number = $number(*value));
                code(&numbers[..some.len()]);
            }
        };
    }
    match array.data_type() {
        DataType::Int32 => each!(Int32Type, f64::from),
        // Beyond 2^53 a number is not exact, and has no class here.
        DataType::Int64 => each!(Int64Type, |value: i64| {
            if value.unsigned_abs() <= crate::column::EXACT { value as f64 } else { f64::NAN }
        }),
        DataType::Float64 if is_whole => {
            each!(Float64Type, |value: f64| { if value.fract() == 0.0 { value } else { f64::NAN } })
        }
        DataType::Float64 => each!(Float64Type, |value: f64| value),
        _ => return None,
    }
    if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
        let missing = classes.missing_class()? as u8;
        all.iter_mut()
            .zip(nulls.iter())
            .filter(|(_, is_there)| !is_there)
            .for_each(|(code, _)| *code = missing);
    }
    (!all.contains(&NO_CLASS)).then_some(Codes::U8(all))
}

/// Appends the classes of these numbers.
fn classes_within(
    numbers: &[f64],
    variable: &Variable,
    limits: &[f64],
    classes: &Classes,
    all: &mut Vec<u8>,
) {
    let start = all.len();
    all.resize(start + numbers.len(), 0);
    let codes = &mut all[start..];
    for limit in limits {
        codes.iter_mut().zip(numbers).for_each(|(code, number)| *code += u8::from(number >= limit));
    }
    let (count, last) = (limits.len() as u8, limits[limits.len() - 1]);
    let (low, high) = variable.declared_range().unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    for (code, number) in codes.iter_mut().zip(numbers) {
        let within = match *code {
            0 => NO_CLASS,
            // The last class holds its upper limit.
            reached if reached == count => {
                if *number == last {
                    count - 2
                } else {
                    NO_CLASS
                }
            }
            reached => reached - 1,
        };
        *code = if (low..=high).contains(number) { within } else { NO_CLASS };
    }
    for (position, special) in variable.codes.iter().enumerate() {
        let class = (classes.partition().len() + position) as u8;
        codes.iter_mut().zip(numbers).for_each(|(code, number)| {
            *code = if *number == special.value { class } else { *code };
        });
    }
}

/// The class of a number that is no missing value; `None` where it has none.
#[inline]
fn number_class(value: f64, variable: &Variable, classes: &Classes, missing: &[f64]) -> Option<u32> {
    if missing.contains(&value) {
        return classes.missing_class();
    }
    if !variable.codes.is_empty()
        && let Some(position) = variable.code_position(value)
    {
        return Some((classes.partition().len() + position) as u32);
    }
    if let Some((low, high)) = variable.declared_range()
        && !(low..=high).contains(&value)
    {
        return None;
    }
    classes.partition().class_of(value)
}

fn number_codes<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    classes: &Classes,
    class: impl Fn(T::Native) -> Option<u32>,
) -> Option<Codes> {
    let array: &PrimitiveArray<T> = array.as_primitive_opt::<T>()?;
    let missing = classes.missing_class();
    let mut is_known = true;
    let codes = (0..array.len()).map(|row| {
        let class = if array.is_null(row) { missing } else { class(array.value(row)) };
        is_known &= class.is_some();
        class.unwrap_or(0)
    });
    let codes = Codes::collect(classes.size(), codes);
    is_known.then_some(codes)
}
