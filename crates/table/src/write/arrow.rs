//! Tables as Arrow batches, in the types of the frame that the records came from, so that whoever handed in a data frame gets the same kind of
//! columns back.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, LargeStringArray, PrimitiveArray, RecordBatch, StringArray,
    StringViewArray,
};
use arrow_schema::{DataType, Field, TimeUnit};

use super::parquet;
use crate::column::{Column, Entry};
use crate::datetime::DAY;
use crate::schema::{Kind, Levels, Schema, Variable};
use crate::{Table, TableError};

/// The table as one batch. A column of `like` gives its type to the column of its name, where that type can hold all values; other categories are
/// dictionaries. A dictionary lists the levels that occur, and those that do not only where the schema is declared public.
///
/// ```
/// use table::read::{ReadOptions, read_csv_text};
/// use table::write::record_batch;
///
/// let table = read_csv_text("sex,age\nF,31\n,47\n", &ReadOptions::default())?;
/// let batch = record_batch(&table, None)?;
/// assert_eq!(batch.schema().field(0).data_type().to_string(), "Dictionary(Int32, Utf8)");
/// assert_eq!(batch.column(0).null_count(), 1);
/// # Ok::<(), table::TableError>(())
/// ```
pub fn record_batch(table: &Table, like: Option<&arrow_schema::Schema>) -> Result<RecordBatch, TableError> {
    let shown = shown_levels(table.schema(), std::slice::from_ref(table));
    record_batch_of(table, &shown, like)
}

/// The same with a dictionary of these levels for each variable.
pub(super) fn record_batch_of(
    table: &Table,
    shown: &[Vec<usize>],
    like: Option<&arrow_schema::Schema>,
) -> Result<RecordBatch, TableError> {
    let failed = |error: &dyn std::fmt::Display| TableError::schema("frame", error.to_string());
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for ((variable, column), shown) in table.schema().variables().iter().zip(table.columns()).zip(shown) {
        let wanted = like.and_then(|like| like.field_with_name(&variable.name).ok()).map(Field::data_type);
        let array = array(variable, column, shown, wanted).map_err(|error| failed(&error))?;
        fields.push(Field::new(&variable.name, array.data_type().clone(), true));
        columns.push(array);
    }
    RecordBatch::try_new(Arc::new(arrow_schema::Schema::new(fields)), columns).map_err(|error| failed(&error))
}

/// The levels of each variable that a record of these parts has; all of them where the schema is declared public, none where there are none.
pub(super) fn shown_levels(schema: &Schema, parts: &[Table]) -> Vec<Vec<usize>> {
    let all = schema.declaration().is_some();
    let shown = |(position, variable): (usize, &Variable)| {
        let levels = variable.kind.levels().map_or(0, Levels::len);
        let mut occurs = vec![all; levels];
        for part in parts {
            let Column::Categorical(codes) = &part.columns()[position] else { continue };
            let frequencies = codes.frequencies(levels + 1);
            occurs.iter_mut().zip(frequencies).for_each(|(occurs, frequency)| *occurs |= frequency > 0);
        }
        (0..levels).filter(|level| occurs[*level]).collect()
    };
    schema.variables().iter().enumerate().map(shown).collect()
}

fn array(
    variable: &Variable,
    column: &Column,
    shown: &[usize],
    wanted: Option<&DataType>,
) -> std::io::Result<ArrayRef> {
    if let (Column::Categorical(codes), Some(levels)) = (column, variable.kind.levels())
        && variable.stored.is_none()
        && wanted.is_none_or(|wanted| matches!(wanted, DataType::Dictionary(_, _)))
    {
        let whole = dictionary(codes, levels, shown);
        return Ok(wanted.and_then(|wanted| with_keys(&whole, wanted)).unwrap_or_else(|| Arc::new(whole)));
    }
    let plain = parquet::array(variable, column)?;
    let Some(wanted) = wanted.filter(|wanted| *wanted != plain.data_type()) else { return Ok(plain) };
    Ok(as_text(variable, column, &plain, wanted)
        .or_else(|| as_number(&plain, wanted))
        .or_else(|| as_time(&plain, wanted))
        .unwrap_or(plain))
}

/// Codes with these of the levels, which hold all that occur.
fn dictionary(codes: &crate::Codes, levels: &Levels, kept: &[usize]) -> DictionaryArray<Int32Type> {
    let mut place = vec![None; levels.len() + 1];
    kept.iter().enumerate().for_each(|(at, level)| place[*level] = Some(at as i32));
    let keys: Int32Array = codes.iter().map(|code| place.get(code as usize).copied().flatten()).collect();
    let values: StringArray = kept.iter().map(|level| levels.get(*level as u32)).collect();
    // The keys are places of the values.
    DictionaryArray::new(keys, Arc::new(values))
}

/// The same dictionary with keys and texts of the wanted type, if it is one of texts whose keys suffice.
fn with_keys(whole: &DictionaryArray<Int32Type>, wanted: &DataType) -> Option<ArrayRef> {
    let DataType::Dictionary(key, value) = wanted else { return None };
    let values = text_as(whole.values().as_string::<i32>().iter(), value)?;
    macro_rules! of {
        ($key:ty) => {{
            let keys = converted::<Int32Type, $key>(whole.keys(), |key| key.try_into().ok())?;
            Some(Arc::new(DictionaryArray::<$key>::try_new(keys, values).ok()?) as ArrayRef)
        }};
    }
    match key.as_ref() {
        DataType::Int8 => of!(Int8Type),
        DataType::Int16 => of!(Int16Type),
        DataType::Int32 => of!(Int32Type),
        DataType::Int64 => of!(Int64Type),
        DataType::UInt8 => of!(UInt8Type),
        DataType::UInt16 => of!(UInt16Type),
        DataType::UInt32 => of!(UInt32Type),
        DataType::UInt64 => of!(UInt64Type),
        _ => None,
    }
}

fn text_as<'a>(texts: impl Iterator<Item = Option<&'a str>>, wanted: &DataType) -> Option<ArrayRef> {
    Some(match wanted {
        DataType::Utf8 => Arc::new(texts.collect::<StringArray>()),
        DataType::LargeUtf8 => Arc::new(texts.collect::<LargeStringArray>()),
        DataType::Utf8View => Arc::new(texts.collect::<StringViewArray>()),
        _ => return None,
    })
}

/// Texts, and dates and times that the frame holds as text, as they are written there; whole numbers that name units likewise.
fn as_text(variable: &Variable, column: &Column, plain: &ArrayRef, wanted: &DataType) -> Option<ArrayRef> {
    if !matches!(wanted, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) {
        return None;
    }
    let written: Vec<Option<String>> = match (column, plain.data_type()) {
        (_, DataType::Utf8) => return text_as(plain.as_string::<i32>().iter(), wanted),
        (Column::Date(days), _) => {
            let Kind::Date { format, .. } = variable.kind else { return None };
            days.iter().map(|day| value(day).map(|day| format.format(day))).collect()
        }
        (Column::Datetime(times), _) => {
            let format = variable.kind.datetime_format();
            times.iter().map(|time| value(time).map(|time| format.format(time))).collect()
        }
        (_, DataType::Int64) => plain
            .as_primitive::<Int64Type>()
            .iter()
            .map(|whole| whole.map(|whole| whole.to_string()))
            .collect(),
        (_, DataType::UInt64) => plain
            .as_primitive::<UInt64Type>()
            .iter()
            .map(|whole| whole.map(|whole| whole.to_string()))
            .collect(),
        (_, DataType::Float64) => {
            plain.as_primitive::<Float64Type>().iter().map(|real| real.map(|real| real.to_string())).collect()
        }
        _ => return None,
    };
    text_as(written.iter().map(Option::as_deref), wanted)
}

fn value<T>(entry: Entry<T>) -> Option<T> {
    match entry {
        Entry::Value(value) => Some(value),
        _ => None,
    }
}

/// Every value converted, or none if one of them cannot be.
fn converted<From: ArrowPrimitiveType, To: ArrowPrimitiveType>(
    from: &PrimitiveArray<From>,
    convert: impl Fn(From::Native) -> Option<To::Native>,
) -> Option<PrimitiveArray<To>> {
    from.iter().map(|value| value.map_or(Some(None), |value| convert(value).map(Some))).collect()
}

/// Whole and real numbers in the width of the frame.
fn as_number(plain: &ArrayRef, wanted: &DataType) -> Option<ArrayRef> {
    macro_rules! of {
        ($from:ty, $to:ty, $convert:expr) => {
            Some(Arc::new(converted::<$from, $to>(plain.as_primitive::<$from>(), $convert)?) as ArrayRef)
        };
    }
    match (plain.data_type(), wanted) {
        (DataType::Int64, DataType::Int8) => of!(Int64Type, Int8Type, |whole| whole.try_into().ok()),
        (DataType::Int64, DataType::Int16) => of!(Int64Type, Int16Type, |whole| whole.try_into().ok()),
        (DataType::Int64, DataType::Int32) => of!(Int64Type, Int32Type, |whole| whole.try_into().ok()),
        (DataType::Int64, DataType::UInt8) => of!(Int64Type, UInt8Type, |whole| whole.try_into().ok()),
        (DataType::Int64, DataType::UInt16) => of!(Int64Type, UInt16Type, |whole| whole.try_into().ok()),
        (DataType::Int64, DataType::UInt32) => of!(Int64Type, UInt32Type, |whole| whole.try_into().ok()),
        (DataType::Int64, DataType::UInt64) => of!(Int64Type, UInt64Type, |whole| whole.try_into().ok()),
        (DataType::UInt64, DataType::Int64) => of!(UInt64Type, Int64Type, |whole| whole.try_into().ok()),
        (DataType::Int64, DataType::Float32) => of!(Int64Type, Float32Type, |whole| Some(whole as f32)),
        (DataType::Int64, DataType::Float64) => of!(Int64Type, Float64Type, |whole| Some(whole as f64)),
        (DataType::Float64, DataType::Float32) => of!(Float64Type, Float32Type, |real| Some(real as f32)),
        (DataType::Int64, DataType::Decimal128(precision, scale @ 0..)) => {
            let unit = 10_i128.checked_pow(scale.unsigned_abs().into())?;
            let decimals = converted::<Int64Type, Decimal128Type>(plain.as_primitive(), |whole| {
                i128::from(whole).checked_mul(unit)
            })?;
            Some(Arc::new(decimals.with_precision_and_scale(*precision, *scale).ok()?))
        }
        (DataType::Float64, DataType::Decimal128(precision, scale @ 0..)) => {
            let unit = 10_f64.powi(i32::from(*scale));
            let decimals = converted::<Float64Type, Decimal128Type>(plain.as_primitive(), |real| {
                Some((real * unit).round() as i128)
            })?;
            Some(Arc::new(decimals.with_precision_and_scale(*precision, *scale).ok()?))
        }
        _ => None,
    }
}

/// Days and times in the unit of the frame.
fn as_time(plain: &ArrayRef, wanted: &DataType) -> Option<ArrayRef> {
    let microseconds: PrimitiveArray<Int64Type> = match plain.data_type() {
        DataType::Date32 => {
            converted::<Date32Type, Int64Type>(plain.as_primitive(), |day| i64::from(day).checked_mul(DAY))?
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            converted::<TimestampMicrosecondType, Int64Type>(plain.as_primitive(), Some)?
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            converted::<Time64MicrosecondType, Int64Type>(plain.as_primitive(), Some)?
        }
        _ => return None,
    };
    macro_rules! of {
        ($to:ty, $convert:expr) => {
            converted::<Int64Type, $to>(&microseconds, $convert)?
        };
    }
    Some(match wanted {
        DataType::Date64 => Arc::new(of!(Date64Type, |time| Some(time / 1_000))),
        DataType::Timestamp(TimeUnit::Second, zone) => Arc::new(
            of!(TimestampSecondType, |time| Some(time.div_euclid(1_000_000))).with_timezone_opt(zone.clone()),
        ),
        DataType::Timestamp(TimeUnit::Millisecond, zone) => Arc::new(
            of!(TimestampMillisecondType, |time| Some(time.div_euclid(1_000)))
                .with_timezone_opt(zone.clone()),
        ),
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            Arc::new(of!(TimestampMicrosecondType, Some).with_timezone_opt(zone.clone()))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, zone) => Arc::new(
            of!(TimestampNanosecondType, |time| time.checked_mul(1_000)).with_timezone_opt(zone.clone()),
        ),
        DataType::Time32(TimeUnit::Second) => {
            Arc::new(of!(Time32SecondType, |time| (time / 1_000_000).try_into().ok()))
        }
        DataType::Time32(_) => Arc::new(of!(Time32MillisecondType, |time| (time / 1_000).try_into().ok())),
        DataType::Time64(TimeUnit::Nanosecond) => {
            Arc::new(of!(Time64NanosecondType, |time| time.checked_mul(1_000)))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use arrow_array::{BooleanArray, Date32Array, Float64Array, Int64Array, TimestampMicrosecondArray};

    use super::*;
    use crate::read::{ReadOptions, read_batches};

    /// A batch with a column of every type that a table can hold and give back.
    fn every_type() -> RecordBatch {
        let rows = 40_i64;
        let whole: ArrayRef =
            Arc::new((0..rows).map(|row| (row % 7 != 0).then_some(row % 5)).collect::<Int64Array>());
        let text: ArrayRef = Arc::new(
            (0..rows)
                .map(|row| (row % 6 != 0).then_some(["a", "b", "é"][row as usize % 3]))
                .collect::<StringArray>(),
        );
        let codes: ArrayRef = Arc::new(
            (0..rows).map(|row| Some(["x", "y"][row as usize % 2])).collect::<DictionaryArray<Int32Type>>(),
        );
        let day: ArrayRef =
            Arc::new((0..rows).map(|row| Some(15_000 + row as i32 % 9)).collect::<Date32Array>());
        let time: ArrayRef = Arc::new(
            (0..rows)
                .map(|row| Some(1_300_000_000_000_000 + row % 9 * 1_000_000))
                .collect::<TimestampMicrosecondArray>(),
        );
        let real: ArrayRef =
            Arc::new((0..rows).map(|row| Some(0.25 * (row % 8) as f64)).collect::<Float64Array>());
        let truth: ArrayRef = Arc::new((0..rows).map(|row| Some(row % 3 == 0)).collect::<BooleanArray>());
        let mut columns: Vec<(String, ArrayRef)> = Vec::new();
        let mut add = |name: &str, array: ArrayRef| columns.push((name.to_owned(), array));
        for wanted in [
            DataType::Int8,
            DataType::Int16,
            DataType::Int32,
            DataType::UInt8,
            DataType::UInt16,
            DataType::UInt32,
            DataType::UInt64,
            DataType::Float32,
            DataType::Float64,
            DataType::Decimal128(12, 2),
        ] {
            add(&format!("whole as {wanted}"), as_number(&whole, &wanted).unwrap());
        }
        add("whole", Arc::clone(&whole));
        for wanted in [DataType::Float32, DataType::Decimal128(12, 2)] {
            add(&format!("real as {wanted}"), as_number(&real, &wanted).unwrap());
        }
        for wanted in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
            add(&format!("text as {wanted}"), text_as(text.as_string::<i32>().iter(), &wanted).unwrap());
        }
        let written = (0..rows).map(|row| Some(["27.03.2011", "01.04.2011"][row as usize % 2]));
        add("day as text", Arc::new(written.collect::<LargeStringArray>()));
        for key in [DataType::Int8, DataType::UInt8, DataType::UInt32, DataType::Int64] {
            for value in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
                let wanted = DataType::Dictionary(Box::new(key.clone()), Box::new(value));
                add(&wanted.to_string(), with_keys(codes.as_dictionary(), &wanted).unwrap());
            }
        }
        for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond] {
            for zone in [None, Some(Arc::from("UTC"))] {
                let wanted = DataType::Timestamp(unit, zone);
                add(&format!("day as {wanted}"), as_time(&day, &wanted).unwrap());
                add(&format!("time as {wanted}"), as_time(&time, &wanted).unwrap());
            }
        }
        add("day as Date64", as_time(&day, &DataType::Date64).unwrap());
        add("day", day);
        add("truth", truth);
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
            .unwrap()
    }

    #[test]
    fn a_frame_comes_back_in_its_own_types() {
        let batch = every_type();
        let table =
            read_batches("frame", batch.schema(), std::slice::from_ref(&batch), &ReadOptions::default())
                .unwrap();
        let again = record_batch(&table, Some(&batch.schema())).unwrap();
        for (position, field) in batch.schema().fields().iter().enumerate() {
            let (sent, back) = (batch.column(position), again.column(position));
            assert_eq!(sent.data_type(), back.data_type(), "{}", field.name());
            if !matches!(sent.data_type(), DataType::Dictionary(_, _)) {
                assert_eq!(sent, back, "{}", field.name());
            }
        }
    }

    #[test]
    fn slices_are_read_as_the_whole() {
        let batch = every_type();
        let (first, second) = (batch.slice(0, 11), batch.slice(11, 29));
        let read = |batches: &[RecordBatch]| {
            read_batches("frame", batch.schema(), batches, &ReadOptions::default()).unwrap()
        };
        assert_eq!(read(&[first, second]), read(std::slice::from_ref(&batch)));
    }

    #[test]
    fn levels_that_do_not_occur_leave_only_with_a_declared_schema() {
        let schema = "[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\", \"X\"]\n";
        for (head, levels) in [("", 2), ("[table]\ndeclared = true\nreason = \"code book\"\n", 3)] {
            let file = crate::schema::SchemaFile::parse(&format!("{head}{schema}")).unwrap();
            let options = ReadOptions { schema: Some(file), ..ReadOptions::default() };
            let table = crate::read::read_csv_text("sex\nF\nM\n", &options).unwrap();
            let batch = record_batch(&table, None).unwrap();
            assert_eq!(batch.column(0).as_dictionary::<Int32Type>().values().len(), levels);
        }
    }

    #[test]
    fn a_number_that_does_not_fit_keeps_the_wider_type() {
        let table = crate::read::read_csv_text("age\n3\n300\n", &ReadOptions::default()).unwrap();
        let like = arrow_schema::Schema::new(vec![Field::new("age", DataType::Int8, true)]);
        assert_eq!(record_batch(&table, Some(&like)).unwrap().column(0).data_type(), &DataType::Int64);
    }
}
