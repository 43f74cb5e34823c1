//! Data frames in and out where pandas is there and Arrow is not: numbers as bytes, texts as lists, categories as codes.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float64Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray, TimestampNanosecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use lookalike::Error;
use lookalike::table::{FileProblem, TableError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

/// A column on its way in: its name, its kind, and its values in one of several forms.
#[derive(FromPyObject)]
pub(crate) struct Taken<'py> {
    #[pyo3(item)]
    name: String,
    #[pyo3(item)]
    kind: String,
    /// Native eight-byte numbers.
    #[pyo3(item)]
    values: Option<Bound<'py, PyBytes>>,
    /// One byte a record, not 0 where it is missing.
    #[pyo3(item)]
    missing: Option<Bound<'py, PyBytes>>,
    #[pyo3(item)]
    texts: Option<Vec<Option<String>>>,
}

/// The columns as one batch.
pub(crate) fn taken(columns: Vec<Taken<'_>>) -> Result<(SchemaRef, Vec<RecordBatch>), Error> {
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for column in columns {
        let array = array(&column).map_err(|message| {
            let problem = FileProblem::Column { column: column.name.clone(), message: message.into() };
            TableError::file("frame", problem)
        })?;
        fields.push(Field::new(&column.name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    if arrays.is_empty() {
        return Ok((schema, Vec::new()));
    }
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays)
        .map_err(|error| TableError::schema("frame", error.to_string()))?;
    Ok((schema, vec![batch]))
}

fn array(column: &Taken<'_>) -> Result<ArrayRef, &'static str> {
    let bytes = column.values.as_ref().map_or(&[][..], |values| values.as_bytes());
    let missing = column.missing.as_ref().map(|missing| missing.as_bytes());
    let is_missing =
        |row: usize| missing.is_some_and(|missing| missing.get(row).is_some_and(|mark| *mark != 0));
    let words =
        || bytes.chunks_exact(8).enumerate().map(|(row, word)| (row, word.try_into().unwrap_or([0; 8])));
    let texts = || column.texts.as_ref().ok_or("its texts are not there");
    Ok(match column.kind.as_str() {
        "integer" => Arc::new(
            words()
                .map(|(row, word)| (!is_missing(row)).then(|| i64::from_ne_bytes(word)))
                .collect::<Int64Array>(),
        ),
        "unsigned" => Arc::new(
            words()
                .map(|(row, word)| (!is_missing(row)).then(|| u64::from_ne_bytes(word)))
                .collect::<UInt64Array>(),
        ),
        "real" => Arc::new(
            words()
                .map(|(row, word)| (!is_missing(row)).then(|| f64::from_ne_bytes(word)))
                .collect::<Float64Array>(),
        ),
        "nanoseconds" => Arc::new(
            words()
                .map(|(row, word)| (!is_missing(row)).then(|| i64::from_ne_bytes(word)))
                .collect::<TimestampNanosecondArray>(),
        ),
        "truth" => Arc::new(
            words()
                .map(|(row, word)| (!is_missing(row)).then(|| i64::from_ne_bytes(word) != 0))
                .collect::<BooleanArray>(),
        ),
        "text" => Arc::new(texts()?.iter().map(Option::as_deref).collect::<StringArray>()),
        "category" => {
            let values: StringArray = texts()?.iter().map(Option::as_deref).collect();
            let codes = words()
                .map(|(_, word)| i32::try_from(i64::from_ne_bytes(word)).ok().filter(|code| *code >= 0));
            let codes: Int32Array = codes.collect();
            let codes = DictionaryArray::<Int32Type>::try_new(codes, Arc::new(values));
            Arc::new(codes.map_err(|_| "its codes are not those of its categories")?)
        }
        _ => return Err("its type is not one that a table can hold; cast it to text, a number or a date"),
    })
}

/// The kind of a column, and its values as bytes or as texts.
type Given<'py> = (&'static str, Option<Bound<'py, PyBytes>>, Option<Vec<Option<String>>>);

/// The columns of a batch: `(name, kind, bytes, missing, texts)`, as [`Taken`] says.
pub(crate) fn given<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyList>> {
    let columns = PyList::empty(py);
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        let missing: Vec<u8> = (0..array.len()).map(|row| u8::from(array.is_null(row))).collect();
        let missing = PyBytes::new(py, &missing);
        let bytes = |words: Vec<u8>| Some(PyBytes::new(py, &words));
        let (kind, values, texts): Given<'py> = match array.data_type() {
            DataType::Int64 => ("integer", bytes(whole(array.as_primitive::<Int64Type>().values())), None),
            DataType::Float64 => {
                let reals = array.as_primitive::<Float64Type>().values();
                ("real", bytes(reals.iter().flat_map(|real| real.to_ne_bytes()).collect()), None)
            }
            DataType::Boolean => {
                let truths = array.as_boolean();
                let words = (0..truths.len()).map(|row| i64::from(truths.value(row))).collect::<Vec<_>>();
                ("truth", bytes(whole(&words)), None)
            }
            DataType::Date32 => {
                let days = array.as_primitive::<arrow_array::types::Date32Type>().values();
                let words: Vec<i64> = days.iter().map(|day| i64::from(*day) * 86_400_000_000_000).collect();
                ("nanoseconds", bytes(whole(&words)), None)
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                let times = array.as_primitive::<TimestampMicrosecondType>().values();
                let words: Vec<i64> = times.iter().map(|time| time.saturating_mul(1_000)).collect();
                ("nanoseconds", bytes(whole(&words)), None)
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                let times = array.as_primitive::<TimestampNanosecondType>().values();
                ("nanoseconds", bytes(whole(times)), None)
            }
            DataType::Dictionary(key, _) if **key == DataType::Int32 => {
                let codes = array.as_dictionary::<Int32Type>();
                let words: Vec<i64> = codes.keys().iter().map(|code| code.map_or(-1, i64::from)).collect();
                let texts = codes.values().as_string::<i32>().iter().map(|text| text.map(str::to_owned));
                ("category", bytes(whole(&words)), Some(texts.collect()))
            }
            DataType::Utf8 => {
                let texts = array.as_string::<i32>().iter().map(|text| text.map(str::to_owned));
                ("text", None, Some(texts.collect()))
            }
            _ => {
                let written = (0..array.len())
                    .map(|row| (!array.is_null(row)).then(|| format!("{:?}", array.slice(row, 1))));
                ("text", None, Some(written.collect()))
            }
        };
        columns.append((field.name(), kind, values, missing, texts))?;
    }
    Ok(columns)
}

fn whole(words: &[i64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}
