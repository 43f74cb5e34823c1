//! Parquet: categories as text or as the truth values or whole numbers that they came as, numbers as numbers (also those that name
//! units), dates as dates, missing as null. Columns are encoded and packed on all cores; the bytes are those of arrow's own writer.

use std::io::Write;
use std::str::FromStr;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::{DEFAULT_MAX_ROW_GROUP_ROW_COUNT, WriterProperties};
use ::parquet::file::writer::SerializedFileWriter;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Date32Type, Float64Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Int64Array, PrimitiveArray, StringArray, UInt64Array,
};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, TimeUnit};
use rayon::prelude::*;

use crate::column::{Column, Entry, Number, Numbers};
use crate::datetime::DatetimeFormat;
use crate::schema::{Kind, Schema, Stored, Variable};
use crate::{Codes, Table};

/// Writes Parquet.
pub(super) struct ParquetWriter<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    factory: ArrowRowGroupWriterFactory,
    fields: Vec<Field>,
    /// The levels of categories that are written as text.
    levels: Vec<Option<Arc<StringArray>>>,
    /// The columns of the row group in the making, and how many records it has.
    group: Option<(Vec<ArrowColumnWriter>, usize)>,
    groups: usize,
}

impl<W: Write + Send> ParquetWriter<W> {
    pub(super) fn new(sink: W, schema: &Schema) -> std::io::Result<Self> {
        let fields: Vec<Field> = schema.variables().iter().map(field).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(format!("lookalike {}", env!("CARGO_PKG_VERSION")))
            .build();
        let arrow = Arc::new(arrow_schema::Schema::new(fields.clone()));
        let (writer, factory) =
            ArrowWriter::try_new(sink, arrow, Some(properties))?.into_serialized_writer()?;
        let levels = schema.variables().iter().map(|variable| {
            let levels = variable.kind.levels().filter(|_| stored(variable).is_none())?;
            Some(Arc::new(levels.iter().map(Some).collect::<StringArray>()))
        });
        Ok(Self { writer, factory, fields, levels: levels.collect(), group: None, groups: 0 })
    }

    pub(super) fn write(&mut self, table: &Table) -> std::io::Result<()> {
        let columns = table.schema().variables().par_iter().zip(table.columns()).zip(&self.levels);
        let columns = columns.map(|((variable, column), levels)| match (column, levels) {
            (Column::Categorical(codes), Some(levels)) => Ok(dictionary(codes, levels)),
            _ => array(variable, column),
        });
        let columns = columns.collect::<std::io::Result<Vec<ArrayRef>>>()?;
        let mut from = 0;
        while from < table.rows() {
            let (writers, rows) = match &mut self.group {
                Some(group) => group,
                none => none.insert((self.factory.create_column_writers(self.groups)?, 0)),
            };
            let more = (table.rows() - from).min(DEFAULT_MAX_ROW_GROUP_ROW_COUNT - *rows);
            let append = |((writer, field), column): ((&mut ArrowColumnWriter, &Field), &ArrayRef)| {
                let leaves = compute_leaves(field, &column.slice(from, more))?;
                leaves.iter().try_for_each(|leaf| writer.write(leaf))
            };
            writers.par_iter_mut().zip(&self.fields).zip(&columns).try_for_each(append)?;
            *rows += more;
            from += more;
            if *rows == DEFAULT_MAX_ROW_GROUP_ROW_COUNT {
                self.finish_group()?;
            }
        }
        Ok(())
    }

    fn finish_group(&mut self) -> std::io::Result<()> {
        let Some((writers, _)) = self.group.take() else { return Ok(()) };
        let closed = writers.into_par_iter().map(ArrowColumnWriter::close);
        let closed = closed.collect::<Result<Vec<ArrowColumnChunk>, ParquetError>>()?;
        let mut group = self.writer.next_row_group()?;
        closed.into_iter().try_for_each(|column| column.append_to_row_group(&mut group))?;
        group.close()?;
        self.groups += 1;
        Ok(())
    }

    pub(super) fn finish(mut self) -> std::io::Result<W> {
        self.finish_group()?;
        Ok(self.writer.into_inner()?)
    }
}

/// Codes with their levels, which the writer takes for text.
fn dictionary(codes: &Codes, levels: &Arc<StringArray>) -> ArrayRef {
    fn of<K: ArrowDictionaryKeyType>(
        codes: &[K::Native],
        levels: &Arc<StringArray>,
        is_missing: impl Fn(&K::Native) -> bool,
    ) -> ArrayRef {
        let nulls =
            codes.iter().any(&is_missing).then(|| codes.iter().map(|code| !is_missing(code)).collect());
        let keys = PrimitiveArray::<K>::new(ScalarBuffer::from(codes.to_vec()), nulls);
        Arc::new(DictionaryArray::new(keys, Arc::clone(levels) as ArrayRef))
    }
    let all = levels.len();
    match codes {
        Codes::U8(codes) => of::<UInt8Type>(codes, levels, |code| usize::from(*code) >= all),
        Codes::U16(codes) => of::<UInt16Type>(codes, levels, |code| usize::from(*code) >= all),
        Codes::U32(codes) => of::<UInt32Type>(codes, levels, |code| *code as usize >= all),
    }
}

fn field(variable: &Variable) -> Field {
    let kind = match variable.kind {
        Kind::Categorical { .. } | Kind::Ordinal { .. } | Kind::TextId => match stored(variable) {
            None => DataType::Utf8,
            Some(Stored::Integer) => DataType::Int64,
            Some(Stored::Unsigned) => DataType::UInt64,
            Some(Stored::Boolean) => DataType::Boolean,
        },
        Kind::Integer { .. } => DataType::Int64,
        Kind::Real { .. } => DataType::Float64,
        Kind::Date { .. } => DataType::Date32,
        Kind::Datetime { format, .. } => match format.date {
            None => DataType::Time64(TimeUnit::Microsecond),
            Some(_) => DataType::Timestamp(TimeUnit::Microsecond, universal(format)),
        },
    };
    Field::new(&variable.name, kind, true)
}

/// The type in which values are stored, if it is not text: that of the file, or of whole numbers that name units.
fn stored(variable: &Variable) -> Option<Stored> {
    let names_units = variable.kind == Kind::TextId && variable.identifier.whole;
    variable.stored.or(names_units.then_some(Stored::Integer))
}

/// The column in the type that a typed file holds it in.
pub(super) fn array(variable: &Variable, column: &Column) -> std::io::Result<ArrayRef> {
    Ok(match column {
        Column::Categorical(codes) => {
            let levels: Vec<&str> =
                variable.kind.levels().into_iter().flat_map(|levels| levels.iter()).collect();
            texts(variable, codes, &levels)?
        }
        Column::Text(text) => {
            texts(variable, &text.codes, &text.dictionary.iter().map(String::as_str).collect::<Vec<_>>())?
        }
        Column::Integer(numbers) => {
            Arc::new(numbers_or_codes::<Int64Type>(variable, numbers, |code| code as i64))
        }
        Column::Real(numbers) => Arc::new(numbers_or_codes::<Float64Type>(variable, numbers, |code| code)),
        Column::Date(days) => Arc::new(numbers_or_codes::<Date32Type>(variable, days, |code| code as i32)),
        Column::Datetime(times) => {
            let format = variable.kind.datetime_format();
            match format.date {
                None => {
                    Arc::new(numbers_or_codes::<Time64MicrosecondType>(variable, times, |code| code as i64))
                }
                Some(_) => {
                    let times =
                        numbers_or_codes::<TimestampMicrosecondType>(variable, times, |code| code as i64);
                    Arc::new(times.with_timezone_opt(universal(format)))
                }
            }
        }
    })
}

/// The zone of a point in time, where its format says one.
fn universal(format: DatetimeFormat) -> Option<Arc<str>> {
    format.universal.then(|| "UTC".into())
}

/// Texts in the type in which the file holds them; a code above the last of them is missing.
fn texts(variable: &Variable, codes: &Codes, texts: &[&str]) -> std::io::Result<ArrayRef> {
    fn parsed<T: FromStr + Copy>(
        variable: &Variable,
        codes: &Codes,
        texts: &[&str],
    ) -> std::io::Result<Vec<Option<T>>> {
        let refused = || {
            let stored = stored(variable).map_or("text", Stored::name);
            let message = format!("`{}` is to be stored as {stored}, and holds other text", variable.name);
            std::io::Error::new(std::io::ErrorKind::InvalidData, message)
        };
        let parsed: Vec<Option<T>> = texts.iter().map(|text| text.parse().ok()).collect();
        let value = |code: u32| match parsed.get(code as usize) {
            Some(None) => Err(refused()),
            Some(parsed) => Ok(*parsed),
            None => Ok(None),
        };
        codes.iter().map(value).collect()
    }
    Ok(match stored(variable) {
        None => Arc::new(codes.iter().map(|code| texts.get(code as usize)).collect::<StringArray>()),
        Some(Stored::Integer) => Arc::new(Int64Array::from(parsed(variable, codes, texts)?)),
        Some(Stored::Unsigned) => Arc::new(UInt64Array::from(parsed(variable, codes, texts)?)),
        Some(Stored::Boolean) => Arc::new(BooleanArray::from(parsed(variable, codes, texts)?)),
    })
}

/// Numbers, special codes as the numbers that they are.
fn numbers_or_codes<A: ArrowPrimitiveType<Native: Number>>(
    variable: &Variable,
    numbers: &Numbers<A::Native>,
    convert: impl Fn(f64) -> A::Native,
) -> PrimitiveArray<A> {
    let mut values: Vec<A::Native> = Vec::with_capacity(numbers.len());
    let mut missing: Vec<usize> = Vec::new();
    numbers.for_each(0..numbers.len(), |entry| {
        values.push(match entry {
            Entry::Value(value) => value,
            Entry::Code(position) => convert(variable.codes[position].value),
            Entry::Missing => {
                missing.push(values.len());
                A::Native::default()
            }
        });
    });
    let nulls = (!missing.is_empty()).then(|| {
        let mut present = vec![true; values.len()];
        missing.iter().for_each(|row| present[*row] = false);
        NullBuffer::from(present)
    });
    PrimitiveArray::new(ScalarBuffer::from(values), nulls)
}

#[cfg(test)]
mod tests {
    use arrow_array::RecordBatch;

    use super::*;
    use crate::read::{ReadOptions, read_csv_text};

    /// Texts of few and many levels, whole and real numbers, dates and gaps, in parts that end within row groups: the bytes are those of the writer that takes whole
    /// batches of plain arrays.
    #[test]
    fn columns_on_many_threads_give_the_bytes_of_whole_batches() {
        let line = |row: usize| {
            let gap = |text: String| if row % 97 == 3 { String::new() } else { text };
            let day = 1 + row % 28;
            [
                gap(format!("l{}", row % 5)),
                format!("level {}", row * 7 % 431),
                gap((row % 300).to_string()),
                format!("{}.5", row % 900),
                gap(format!("2011-03-{day:02}")),
            ]
            .join(",")
        };
        let rows: Vec<String> = (0..30_000).map(line).collect();
        let text = format!("a,b,c,d,e\n{}\n", rows.join("\n"));
        let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
        let plain: Vec<ArrayRef> = table
            .schema()
            .variables()
            .iter()
            .zip(table.columns())
            .map(|(variable, column)| array(variable, column).unwrap())
            .collect();
        let schema = Arc::new(arrow_schema::Schema::new(
            table.schema().variables().iter().map(field).collect::<Vec<_>>(),
        ));
        let batch = RecordBatch::try_new(Arc::clone(&schema), plain).unwrap();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(format!("lookalike {}", env!("CARGO_PKG_VERSION")))
            .build();
        let parts = DEFAULT_MAX_ROW_GROUP_ROW_COUNT / table.rows() + 2;
        let mut whole = ArrowWriter::try_new(Vec::new(), schema, Some(properties)).unwrap();
        let mut ours = ParquetWriter::new(Vec::new(), table.schema()).unwrap();
        for _ in 0..parts {
            whole.write(&batch).unwrap();
            ours.write(&table).unwrap();
        }
        assert_eq!(ours.finish().unwrap(), whole.into_inner().unwrap());
    }
}
