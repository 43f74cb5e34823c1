//! Parquet, Arrow IPC and batches in memory: record batches into pieces of columns.

use std::borrow::Cow;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, SchemaRef, TimeUnit};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use rayon::prelude::*;

use super::boundary::undamaged;
use super::bounds::table_bytes;
use super::dictionary::TextBuilder;
use super::pieces::{Growing, Piece};
use super::{ReadOptions, ipc_bounds, learn};
use crate::column::{EXACT, Entry, Number, Numbers};
use crate::date::{FIRST_DAY, LAST_DAY};
use crate::datetime::DAY;
use crate::watch::Step;
use crate::{FileProblem, Table, TableError, memory};

/// Reads a Parquet file, row groups in parallel.
pub(super) fn read_parquet(path: &Path, options: &ReadOptions) -> Result<Table, TableError> {
    let broken = |error: &dyn std::fmt::Display| {
        TableError::file(path, FileProblem::Format(format!("not a readable Parquet file: {error}")))
    };
    let open = || File::open(path).map_err(|source| TableError::io(path, source));
    let guarded = |place: String| move || place;
    let metadata = undamaged(path, "Parquet", guarded("its footer".into()), || {
        ArrowReaderMetadata::load(&open()?, Default::default()).map_err(|error| broken(&error))
    })?;
    let records: u64 = metadata
        .metadata()
        .row_groups()
        .iter()
        .map(|group| group.num_rows().unsigned_abs())
        .fold(0, u64::saturating_add);
    let columns = metadata.schema().fields().len();
    memory::require(table_bytes(records, columns), &format!("reading {}", path.display()))?;
    let mut reader = Batches::new(path, metadata.schema().clone(), options)?;
    let length = open()?.metadata().ok().map(|metadata| metadata.len());
    let number = metadata.metadata().num_row_groups();
    let records_of = |group: usize| metadata.metadata().row_group(group).num_rows().unsigned_abs() as usize;
    let read_group = |group: usize| {
        let mut before: usize = (0..group).map(records_of).sum();
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(open()?, metadata.clone());
        let batches = builder.with_row_groups(vec![group]).with_batch_size(1 << 16).build();
        let batches = batches.map_err(|error| broken(&error))?;
        let pieces = batches.map(|batch| {
            options.watch.check()?;
            memory::check("reading the table")?;
            let batch = batch.map_err(|error| broken(&error))?;
            let pieces = reader.pieces(&batch, before);
            before += batch.num_rows();
            pieces
        });
        let pieces = pieces.collect::<Result<Vec<_>, _>>()?;
        let bytes = metadata.metadata().row_group(group).compressed_size().unsigned_abs();
        options.watch.report(Step::Reading { bytes, of: length });
        Ok(pieces)
    };
    let groups = (0..number).into_par_iter().map(|group| {
        let place = guarded(format!("row group {} of {number}", group + 1));
        undamaged(path, "Parquet", place, || read_group(group))
    });
    let groups = groups.collect::<Result<Vec<_>, TableError>>()?;
    groups.into_iter().flatten().for_each(|pieces| reader.append(pieces));
    reader.finish()
}

/// Reads an Arrow IPC file (Feather version 2).
pub(super) fn read_ipc_file(path: &Path, options: &ReadOptions) -> Result<Table, TableError> {
    ipc_bounds::check(path)?;
    let file = File::open(path).map_err(|source| TableError::io(path, source))?;
    let reader = undamaged(
        path,
        "Arrow IPC",
        || "its footer".into(),
        || {
            arrow_ipc::reader::FileReader::try_new(BufReader::new(file), None)
                .map_err(|error| not_ipc(path, error))
        },
    )?;
    let schema = reader.schema();
    read_ipc(path, schema, reader, options)
}

/// Reads an Arrow IPC stream.
pub(super) fn read_ipc_stream(path: &Path, options: &ReadOptions) -> Result<Table, TableError> {
    ipc_bounds::check(path)?;
    let file = File::open(path).map_err(|source| TableError::io(path, source))?;
    let reader = undamaged(
        path,
        "Arrow IPC",
        || "its schema".into(),
        || {
            arrow_ipc::reader::StreamReader::try_new(BufReader::new(file), None)
                .map_err(|error| not_ipc(path, error))
        },
    )?;
    let schema = reader.schema();
    read_ipc(path, schema, reader, options)
}

fn not_ipc(path: &Path, error: ArrowError) -> TableError {
    TableError::file(path, FileProblem::Format(format!("not a readable Arrow IPC file: {error}")))
}

fn read_ipc(
    path: &Path,
    schema: SchemaRef,
    mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    options: &ReadOptions,
) -> Result<Table, TableError> {
    let mut reader = Batches::new(path, schema, options)?;
    let mut records = 0_usize;
    for number in 1.. {
        options.watch.check()?;
        memory::check("reading the table")?;
        let place = || format!("record batch {number}, after {records} records");
        let next = undamaged(path, "Arrow IPC", place, || {
            let Some(batch) = batches.next() else { return Ok(None) };
            let batch = batch.map_err(|error| not_ipc(path, error))?;
            memory::require(table_bytes(batch.num_rows() as u64, batch.num_columns()), "reading the table")?;
            Ok(Some((batch.num_rows(), reader.pieces(&batch, records)?)))
        })?;
        let Some((rows, pieces)) = next else { break };
        records += rows;
        reader.append(pieces);
    }
    undamaged(path, "Arrow IPC", || "its last record batch".into(), || reader.finish())
}

/// How many records of a batch in memory become one piece.
const PIECE: usize = 1 << 18;

/// Reads batches that are in memory, such as those of a data frame, slices of them in parallel; `name` is what errors call it.
pub(super) fn read_memory(
    name: &Path,
    schema: SchemaRef,
    batches: &[RecordBatch],
    options: &ReadOptions,
) -> Result<Table, TableError> {
    let mut reader = Batches::new(name, schema, options)?;
    let slices = batches.iter().flat_map(|batch| {
        let starts = (0..batch.num_rows()).step_by(PIECE);
        starts.map(|start| batch.slice(start, PIECE.min(batch.num_rows() - start)))
    });
    let mut before = 0;
    let numbered = slices.map(|slice| {
        before += slice.num_rows();
        (before - slice.num_rows(), slice)
    });
    let slices: Vec<(usize, RecordBatch)> = numbered.collect();
    // A few slices at a time, so that pieces do not pile up beside the columns that they become.
    for some in slices.chunks(2 * rayon::current_num_threads()) {
        options.watch.check()?;
        let pieces = some.par_iter().map(|(before, slice)| reader.pieces(slice, *before));
        let pieces = pieces.collect::<Result<Vec<_>, TableError>>()?;
        pieces.into_iter().for_each(|pieces| reader.append(pieces));
    }
    reader.finish()
}

/// The batches of one file.
struct Batches<'a> {
    path: &'a Path,
    names: Vec<String>,
    tokens: Vec<Vec<String>>,
    columns: Vec<Growing>,
    held: Vec<DataType>,
}

impl<'a> Batches<'a> {
    fn new(path: &'a Path, schema: SchemaRef, options: &ReadOptions) -> Result<Self, TableError> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        super::check_names(path, &names)?;
        let tokens = options.expectations(path, &names)?.into_iter().map(|(_, tokens)| tokens).collect();
        let held = schema.fields().iter().map(|field| field.data_type().clone()).collect();
        Ok(Self { path, columns: names.iter().map(|_| Growing::default()).collect(), names, tokens, held })
    }

    /// The batch, which follows this many records, as one piece a column.
    fn pieces(&self, batch: &RecordBatch, before: usize) -> Result<Vec<Piece>, TableError> {
        let columns = batch.columns().iter().zip(&self.names).zip(&self.tokens);
        let piece = |((array, name), tokens): ((&std::sync::Arc<dyn Array>, &String), &Vec<String>)| {
            piece(array.as_ref(), tokens).map_err(|problem| {
                let message = problem.after(before);
                TableError::file(self.path, FileProblem::Column { column: name.clone(), message })
            })
        };
        columns.map(piece).collect()
    }

    fn append(&mut self, pieces: Vec<Piece>) {
        self.columns.iter_mut().zip(pieces).for_each(|(column, piece)| column.append(piece));
    }

    fn finish(self) -> Result<Table, TableError> {
        let (path, mut columns) = (self.path, Vec::with_capacity(self.columns.len()));
        for (column, name) in self.columns.into_iter().zip(&self.names) {
            let joined = column.finish().map_err(|_| {
                let message =
                    "whole and real numbers that no double can hold together; write the column as text"
                        .into();
                TableError::file(path, FileProblem::Column { column: name.clone(), message })
            })?;
            columns.push(joined);
        }
        if columns[0].len() == 0 {
            return Err(TableError::file(path, FileProblem::NoRows));
        }
        learn::table(self.names, columns, &self.held)
    }
}

/// What a table cannot hold, with the record of the batch that has it.
pub(crate) struct Problem {
    row: Option<usize>,
    message: String,
}

impl Problem {
    fn in_row(row: usize, message: impl Into<String>) -> Self {
        Self { row: Some(row), message: message.into() }
    }

    /// The message, with the number of the record in the whole file.
    pub(crate) fn after(self, records: usize) -> String {
        let Self { row, message } = self;
        row.map_or(message.clone(), |row| format!("row {} {message}", records + row + 1))
    }
}

impl Problem {
    /// The message, without saying which record it is: blocks are read in any order.
    pub(crate) fn in_block(self) -> String {
        self.row.map_or(self.message.clone(), |_| format!("a record {}", self.message))
    }
}

impl From<&str> for Problem {
    fn from(message: &str) -> Self {
        Self { row: None, message: message.to_owned() }
    }
}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Self { row: None, message }
    }
}

pub(crate) fn piece(array: &dyn Array, tokens: &[String]) -> Result<Piece, Problem> {
    Ok(match array.data_type() {
        DataType::Null => Piece::Integer(filled(array.len(), |_| Ok(Entry::Missing))?),
        DataType::Boolean => {
            let values = array.as_boolean();
            text(array, tokens, |row| Some(Cow::Borrowed(if values.value(row) { "true" } else { "false" })))
        }
        DataType::Int8 => integers::<Int8Type>(array, tokens)?,
        DataType::Int16 => integers::<Int16Type>(array, tokens)?,
        DataType::Int32 => integers::<Int32Type>(array, tokens)?,
        DataType::Int64 => integers::<Int64Type>(array, tokens)?,
        DataType::UInt8 => integers::<UInt8Type>(array, tokens)?,
        DataType::UInt16 => integers::<UInt16Type>(array, tokens)?,
        DataType::UInt32 => integers::<UInt32Type>(array, tokens)?,
        DataType::UInt64 => integers::<UInt64Type>(array, tokens)?,
        DataType::Float32 => {
            // Through its own shortest text, so that 0.1 stays 0.1.
            let widen = |value: f32| value.to_string().parse::<f64>().unwrap_or(f64::from(value));
            reals(array.as_primitive::<Float32Type>(), tokens, widen)?
        }
        DataType::Float64 => reals(array.as_primitive::<Float64Type>(), tokens, |value| value)?,
        DataType::Decimal128(_, 0) => integers::<Decimal128Type>(array, tokens)?,
        DataType::Decimal128(_, scale @ 1..) => {
            let (decimals, unit) = (array.as_primitive::<Decimal128Type>(), 10_f64.powi(i32::from(*scale)));
            let is_exact =
                |row| decimals.is_null(row) || decimals.value(row).unsigned_abs() <= u128::from(EXACT);
            if !(0..decimals.len()).all(is_exact) {
                return Err(
                    "a decimal has more than 15 digits, which a table cannot hold; cast the column to text"
                        .into(),
                );
            }
            reals(decimals, tokens, |value| value as f64 / unit)?
        }
        DataType::Utf8 => {
            let values = array.as_string::<i32>();
            text(array, tokens, |row| Some(Cow::Borrowed(values.value(row))))
        }
        DataType::LargeUtf8 => {
            let values = array.as_string::<i64>();
            text(array, tokens, |row| Some(Cow::Borrowed(values.value(row))))
        }
        DataType::Utf8View => {
            let values = array.as_string_view();
            text(array, tokens, |row| Some(Cow::Borrowed(values.value(row))))
        }
        DataType::Dictionary(key, _) => match key.as_ref() {
            DataType::Int8 => dictionary::<Int8Type>(array, tokens)?,
            DataType::Int16 => dictionary::<Int16Type>(array, tokens)?,
            DataType::Int32 => dictionary::<Int32Type>(array, tokens)?,
            DataType::Int64 => dictionary::<Int64Type>(array, tokens)?,
            DataType::UInt8 => dictionary::<UInt8Type>(array, tokens)?,
            DataType::UInt16 => dictionary::<UInt16Type>(array, tokens)?,
            DataType::UInt32 => dictionary::<UInt32Type>(array, tokens)?,
            _ => dictionary::<UInt64Type>(array, tokens)?,
        },
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>();
            let day = |row: usize| match entry(days, row, |day| day) {
                Entry::Value(day) if !(FIRST_DAY..=LAST_DAY).contains(&day) => Err(beyond_calendar(row)),
                other => Ok(other),
            };
            Piece::Date(filled(array.len(), day)?)
        }
        DataType::Date64 => times::<Date64Type>(array, Unit::Times(1_000))?,
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => times::<TimestampSecondType>(array, Unit::Times(1_000_000))?,
            TimeUnit::Millisecond => times::<TimestampMillisecondType>(array, Unit::Times(1_000))?,
            TimeUnit::Microsecond => times::<TimestampMicrosecondType>(array, Unit::Times(1))?,
            TimeUnit::Nanosecond => times::<TimestampNanosecondType>(array, Unit::Part(1_000))?,
        },
        DataType::Time32(TimeUnit::Second) => times::<Time32SecondType>(array, Unit::Times(1_000_000))?,
        DataType::Time32(_) => times::<Time32MillisecondType>(array, Unit::Times(1_000))?,
        DataType::Time64(TimeUnit::Nanosecond) => times::<Time64NanosecondType>(array, Unit::Part(1_000))?,
        DataType::Time64(_) => times::<Time64MicrosecondType>(array, Unit::Times(1))?,
        other => {
            return Err(format!(
                "its type {other} is not one that a table can hold; cast it to text, a number or a date"
            )
            .into());
        }
    })
}

fn filled<T: Number>(
    rows: usize,
    entry: impl Fn(usize) -> Result<Entry<T>, Problem>,
) -> Result<Numbers<T>, Problem> {
    let mut numbers = Numbers::with_capacity(rows);
    for row in 0..rows {
        numbers.push(entry(row)?);
    }
    Ok(numbers)
}

fn entry<T: ArrowPrimitiveType, U>(
    array: &PrimitiveArray<T>,
    row: usize,
    convert: impl Fn(T::Native) -> U,
) -> Entry<U> {
    if array.is_null(row) { Entry::Missing } else { Entry::Value(convert(array.value(row))) }
}

fn integers<T: ArrowPrimitiveType>(array: &dyn Array, tokens: &[String]) -> Result<Piece, Problem>
where
    T::Native: TryInto<i64> + std::fmt::Display,
{
    let whole: &dyn Array = array;
    let array = array.as_primitive::<T>();
    let missing: Vec<i64> = tokens.iter().filter_map(|token| token.parse().ok()).collect();
    let fits = |row: usize| array.is_null(row) || TryInto::<i64>::try_into(array.value(row)).is_ok();
    if !(0..array.len()).all(fits) {
        return Ok(text(whole, tokens, |row| Some(Cow::Owned(array.value(row).to_string()))));
    }
    let number = |row: usize| {
        if array.is_null(row) {
            return Ok(Entry::Missing);
        }
        let value = array
            .value(row)
            .try_into()
            .map_err(|_| Problem::from("a number is larger than 2^63; write the column as text"))?;
        Ok(if missing.contains(&value) { Entry::Missing } else { Entry::Value(value) })
    };
    Ok(Piece::Integer(filled(array.len(), number)?))
}

fn reals<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    tokens: &[String],
    convert: impl Fn(T::Native) -> f64,
) -> Result<Piece, Problem> {
    let missing: Vec<f64> = tokens.iter().filter_map(|token| token.parse().ok()).collect();
    let nan_is_missing = missing.iter().any(|token| token.is_nan());
    let number = |row: usize| match entry(array, row, &convert) {
        Entry::Value(value) if value.is_nan() && nan_is_missing => Ok(Entry::Missing),
        Entry::Value(value) if value.is_nan() => {
            Err(Problem::in_row(row, "is NaN; name NaN with the option `missing` if that means missing"))
        }
        Entry::Value(value) if value.is_infinite() => {
            Err(Problem::in_row(row, "is infinite; a table holds finite numbers"))
        }
        Entry::Value(value) if missing.contains(&value) => Ok(Entry::Missing),
        other => Ok(other),
    };
    Ok(Piece::Real(filled(array.len(), number)?))
}

fn text<'a>(array: &'a dyn Array, tokens: &[String], value: impl Fn(usize) -> Option<Cow<'a, str>>) -> Piece {
    let mut column = TextBuilder::with_capacity(array.len());
    for row in 0..array.len() {
        match if array.is_null(row) { None } else { value(row) } {
            Some(text) if !text.is_empty() && !tokens.iter().any(|token| *token == text) => column.push(text),
            _ => column.push_missing(),
        }
    }
    debug_assert_eq!(column.len(), array.len());
    Piece::Text(column.finish())
}

/// A dictionary is read through its values, whatever they are.
fn dictionary<K: ArrowDictionaryKeyType>(array: &dyn Array, tokens: &[String]) -> Result<Piece, Problem> {
    let array = array.as_dictionary::<K>();
    let at = |row: usize| array.key(row);
    fn spread<T: Number>(
        rows: usize,
        values: &Numbers<T>,
        at: impl Fn(usize) -> Option<usize>,
    ) -> Result<Numbers<T>, Problem> {
        filled(rows, |row| Ok(at(row).map_or(Entry::Missing, |position| values.get(position))))
    }
    // The row of a dictionary is no row of the table.
    let values = piece(array.values().as_ref(), tokens);
    let values = values.map_err(|Problem { row, message }| {
        Problem::from(if row.is_some() { format!("one of its values {message}") } else { message })
    })?;
    Ok(match values {
        Piece::Integer(values) => Piece::Integer(spread(array.len(), &values, at)?),
        Piece::Real(values) => Piece::Real(spread(array.len(), &values, at)?),
        Piece::Date(values) => Piece::Date(spread(array.len(), &values, at)?),
        Piece::Datetime(values) => Piece::Datetime(spread(array.len(), &values, at)?),
        Piece::Text(values) => {
            // Each value is looked up once, and only if a record has it.
            let mut column = TextBuilder::with_capacity(array.len());
            let mut known: Vec<Option<u32>> = vec![None; array.values().len()];
            for row in 0..array.len() {
                let Some((position, text)) = at(row).and_then(|at| Some((at, values.get(at)?))) else {
                    column.push_missing();
                    continue;
                };
                let code = *known[position].get_or_insert_with(|| column.code(Cow::Borrowed(text)));
                column.push_code(code);
            }
            Piece::Text(column.finish())
        }
    })
}

/// The unit of a time in microseconds.
#[derive(Clone, Copy)]
enum Unit {
    /// A multiple of a microsecond.
    Times(i64),
    /// A fraction of a microsecond, by its denominator.
    Part(i64),
}

/// Points in time, or times of day, in microseconds.
fn times<T: ArrowPrimitiveType>(array: &dyn Array, unit: Unit) -> Result<Piece, Problem>
where
    T::Native: Into<i64>,
{
    let (first, last) = match array.data_type() {
        DataType::Time32(_) | DataType::Time64(_) => (0, DAY - 1),
        _ => (i64::from(FIRST_DAY) * DAY, i64::from(LAST_DAY) * DAY + DAY - 1),
    };
    let times = array.as_primitive::<T>();
    let number = |row: usize| {
        let Entry::Value(time) = entry(times, row, Into::<i64>::into) else { return Ok(Entry::Missing) };
        let microseconds = match unit {
            Unit::Times(microseconds) => time.checked_mul(microseconds),
            Unit::Part(parts) if time % parts != 0 => {
                return Err(Problem::in_row(
                    row,
                    "is finer than a microsecond; round the column to microseconds",
                ));
            }
            Unit::Part(parts) => Some(time / parts),
        };
        microseconds
            .filter(|time| (first..=last).contains(time))
            .map(Entry::Value)
            .ok_or_else(|| beyond_calendar(row))
    };
    Ok(Piece::Datetime(filled(times.len(), number)?))
}

fn beyond_calendar(row: usize) -> Problem {
    Problem::in_row(row, "lies outside the years 0 to 9999, or outside a day; correct it, or make it missing")
}
