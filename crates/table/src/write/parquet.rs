//! Parquet: categories as text or as the truth values or whole numbers that they came as, numbers as numbers (also those that name
//! units), dates as dates, missing as null.

use std::io::Write;
use std::str::FromStr;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::file::properties::WriterProperties;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    Time64MicrosecondArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field, TimeUnit};

use crate::Table;
use crate::column::{Column, Entry, Numbers};
use crate::datetime::DatetimeFormat;
use crate::schema::{Kind, Schema, Stored, Variable};

/// Writes Parquet.
pub(super) struct ParquetWriter<W: Write + Send>(ArrowWriter<W>);

impl<W: Write + Send> ParquetWriter<W> {
    pub(super) fn new(sink: W, schema: &Schema) -> std::io::Result<Self> {
        let fields: Vec<Field> = schema.variables().iter().map(field).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(format!("lookalike {}", env!("CARGO_PKG_VERSION")))
            .build();
        let schema = Arc::new(arrow_schema::Schema::new(fields));
        Ok(Self(ArrowWriter::try_new(sink, schema, Some(properties))?))
    }

    pub(super) fn write(&mut self, table: &Table) -> std::io::Result<()> {
        let variables = table.schema().variables();
        let columns = variables.iter().zip(table.columns()).map(|(variable, column)| array(variable, column));
        let columns = columns.collect::<std::io::Result<Vec<_>>>()?;
        let schema = Arc::new(arrow_schema::Schema::new(variables.iter().map(field).collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema, columns).map_err(std::io::Error::other)?;
        Ok(self.0.write(&batch)?)
    }

    pub(super) fn finish(self) -> std::io::Result<W> {
        Ok(self.0.into_inner()?)
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
            let level = |code: u32| variable.kind.levels().and_then(|levels| levels.get(code));
            texts(variable, codes.iter().map(level))?
        }
        Column::Text(text) => texts(variable, (0..text.codes.len()).map(|row| text.get(row)))?,
        Column::Integer(numbers) => {
            Arc::new(numbers_or_codes(variable, numbers, |code| code as i64).collect::<Int64Array>())
        }
        Column::Real(numbers) => {
            Arc::new(numbers_or_codes(variable, numbers, |code| code).collect::<Float64Array>())
        }
        Column::Date(days) => {
            Arc::new(numbers_or_codes(variable, days, |code| code as i32).collect::<Date32Array>())
        }
        Column::Datetime(times) => {
            let format = variable.kind.datetime_format();
            let times = numbers_or_codes(variable, times, |code| code as i64);
            match format.date {
                None => Arc::new(times.collect::<Time64MicrosecondArray>()),
                Some(_) => {
                    let times = times.collect::<TimestampMicrosecondArray>();
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

/// Texts in the type in which the file holds them.
fn texts<'a>(variable: &Variable, texts: impl Iterator<Item = Option<&'a str>>) -> std::io::Result<ArrayRef> {
    fn parsed<'a, T: FromStr>(
        variable: &Variable,
        texts: impl Iterator<Item = Option<&'a str>>,
    ) -> std::io::Result<Vec<Option<T>>> {
        let refused = || {
            let stored = stored(variable).map_or("text", Stored::name);
            let message = format!("`{}` is to be stored as {stored}, and holds other text", variable.name);
            std::io::Error::new(std::io::ErrorKind::InvalidData, message)
        };
        texts.map(|text| text.map(|text| text.parse().map_err(|_| refused())).transpose()).collect()
    }
    Ok(match stored(variable) {
        None => Arc::new(texts.collect::<StringArray>()),
        Some(Stored::Integer) => Arc::new(Int64Array::from(parsed(variable, texts)?)),
        Some(Stored::Unsigned) => Arc::new(UInt64Array::from(parsed(variable, texts)?)),
        Some(Stored::Boolean) => Arc::new(BooleanArray::from(parsed(variable, texts)?)),
    })
}

fn numbers_or_codes<'a, T: Copy + Default>(
    variable: &'a Variable,
    numbers: &'a Numbers<T>,
    convert: impl Fn(f64) -> T + 'a,
) -> impl Iterator<Item = Option<T>> + 'a {
    numbers.iter().map(move |entry| match entry {
        Entry::Value(value) => Some(value),
        Entry::Code(position) => Some(convert(variable.codes[position].value)),
        Entry::Missing => None,
    })
}
