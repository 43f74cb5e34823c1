//! Parquet: categories as text, numbers as numbers (also those that name units), dates as dates, missing as null.

use std::io::Write;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::file::properties::WriterProperties;
use arrow_array::{ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field};

use crate::Table;
use crate::column::{Column, Entry, Numbers};
use crate::schema::{Kind, Schema, Variable};

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
        let schema = Arc::new(arrow_schema::Schema::new(variables.iter().map(field).collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema, columns.collect()).map_err(std::io::Error::other)?;
        Ok(self.0.write(&batch)?)
    }

    pub(super) fn finish(self) -> std::io::Result<W> {
        Ok(self.0.into_inner()?)
    }
}

fn field(variable: &Variable) -> Field {
    let kind = match variable.kind {
        Kind::TextId if variable.identifier.whole => DataType::Int64,
        Kind::Categorical { .. } | Kind::Ordinal { .. } | Kind::TextId => DataType::Utf8,
        Kind::Integer { .. } => DataType::Int64,
        Kind::Real { .. } => DataType::Float64,
        Kind::Date { .. } => DataType::Date32,
    };
    Field::new(&variable.name, kind, true)
}

fn array(variable: &Variable, column: &Column) -> ArrayRef {
    match column {
        Column::Categorical(codes) => {
            let level = |code: u32| variable.kind.levels().and_then(|levels| levels.get(code));
            Arc::new(codes.iter().map(level).collect::<StringArray>())
        }
        Column::Text(text) if variable.identifier.whole => {
            let number = |row: usize| text.get(row).and_then(|text| text.parse::<i64>().ok());
            Arc::new((0..text.codes.len()).map(number).collect::<Int64Array>())
        }
        Column::Text(text) => {
            Arc::new((0..text.codes.len()).map(|row| text.get(row)).collect::<StringArray>())
        }
        Column::Integer(numbers) => {
            Arc::new(numbers_or_codes(variable, numbers, |code| code as i64).collect::<Int64Array>())
        }
        Column::Real(numbers) => {
            Arc::new(numbers_or_codes(variable, numbers, |code| code).collect::<Float64Array>())
        }
        Column::Date(days) => {
            Arc::new(numbers_or_codes(variable, days, |code| code as i32).collect::<Date32Array>())
        }
    }
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
