//! Parquet: categories as text, numbers as numbers, dates as dates, missing as null.

use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use arrow_array::{ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};

use crate::Table;
use crate::column::{Column, Entry, Numbers};
use crate::schema::Variable;

pub(super) fn bytes(table: &Table) -> Result<Vec<u8>, ParquetError> {
    let variables = table.schema().variables().iter().zip(table.columns());
    let columns = variables.map(|(variable, column)| (variable.name.clone(), array(variable, column), true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(format!("lookalike {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(bytes)
}

fn array(variable: &Variable, column: &Column) -> ArrayRef {
    match column {
        Column::Categorical(codes) => {
            let level = |code: u32| variable.kind.levels().and_then(|levels| levels.get(code));
            Arc::new(codes.iter().map(level).collect::<StringArray>())
        }
        Column::Text(text) => Arc::new((0..text.codes.len()).map(|row| text.get(row)).collect::<StringArray>()),
        Column::Integer(numbers) => {
            Arc::new(numbers_or_codes(variable, numbers, |code| code as i64).collect::<Int64Array>())
        }
        Column::Real(numbers) => Arc::new(numbers_or_codes(variable, numbers, |code| code).collect::<Float64Array>()),
        Column::Date(days) => Arc::new(numbers_or_codes(variable, days, |code| code as i32).collect::<Date32Array>()),
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
