//! Values that a double, a text or a calendar does not hold without care: long numbers, truth values, points in time.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Int64Array, RecordBatch,
    Time32SecondArray, Time64NanosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::IpcWriteOptions;
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;

use super::*;
use crate::column::Column;
use crate::schema::{Kind, Stored};
use crate::write::{Format, csv_text, write_table};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn write_parquet(path: &Path, batch: &RecordBatch) {
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn with_schema(text: &str) -> ReadOptions {
    ReadOptions { schema: Some(SchemaFile::parse(text).unwrap()), ..ReadOptions::default() }
}

/// A file with this batch, read, written as Parquet and read again, with the types that the second file has.
fn there_and_back(batch: &RecordBatch) -> (Table, Vec<arrow_schema::DataType>) {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    write_parquet(&first, batch);
    let table = read_table(&first, &ReadOptions::default()).unwrap();
    write_table(&table, &second, Format::Parquet).unwrap();
    assert_eq!(read_table(&second, &ReadOptions::default()).unwrap(), table);
    let file = File::open(&second).unwrap();
    let metadata =
        parquet::arrow::arrow_reader::ArrowReaderMetadata::load(&file, Default::default()).unwrap();
    (table, metadata.schema().fields().iter().map(|field| field.data_type().clone()).collect())
}

#[test]
fn eighteen_digits_stay_eighteen_digits() {
    let rows: Vec<String> =
        (0..30).map(|row| format!("{},{row}", 123_456_789_012_345_678_i64 + row)).collect();
    let text = format!("account,n\n{}\n", rows.join("\n"));
    let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
    assert_eq!(table.schema().variables()[0].kind, Kind::TextId);
    assert_eq!(table.schema().variables()[0].stored, Some(Stored::Integer));
    assert_eq!(csv_text(&table), text);
    let repeated = "account\n9007199254740993\n9007199254740992\n9007199254740993\n-5\n";
    let table = read_csv_text(repeated, &ReadOptions::default()).unwrap();
    assert_eq!(table.schema().variables()[0].kind.levels().unwrap().len(), 3);
    assert_eq!(csv_text(&table), repeated);
    let again = crate::schema::SchemaFile::parse(&table.schema().to_toml()).unwrap().finish().unwrap();
    assert_eq!(again.variables()[0].stored, Some(Stored::Integer));
    let short = read_csv_text("n\n9007199254740992\n-9007199254740992\n", &ReadOptions::default()).unwrap();
    assert!(matches!(short.columns()[0], Column::Integer(_)));
}

#[test]
fn long_numbers_of_typed_files_keep_digits_and_type() {
    let long = [Some(123_456_789_012_345_678_i64), None, Some(-9_007_199_254_740_993), Some(7)];
    let longer = [Some(u64::MAX), Some(0), None, Some(u64::MAX - 1)];
    let decimals = [Some(99_999_999_999_999_999_i128), Some(1), None, Some(1)];
    let decimals = Decimal128Array::from(decimals.to_vec()).with_precision_and_scale(20, 0).unwrap();
    let batch = batch(vec![
        ("long", Arc::new(Int64Array::from(long.to_vec()))),
        ("longer", Arc::new(UInt64Array::from(longer.to_vec()))),
        ("decimal", Arc::new(decimals)),
    ]);
    let (table, types) = there_and_back(&batch);
    use arrow_schema::DataType::{Int64, UInt64};
    assert_eq!(types, [Int64, UInt64, Int64]);
    assert_eq!(
        csv_text(&table),
        "long,longer,decimal\n123456789012345678,18446744073709551615,99999999999999999\n,0,1\n\
         -9007199254740993,,\n7,18446744073709551614,1\n"
    );
}

#[test]
fn long_numbers_are_refused_where_they_would_be_computed_with() {
    let text = "a\n123456789012345678\n5\n";
    for kind in ["integer", "real"] {
        let error =
            read_csv_text(text, &with_schema(&format!("[variables.a]\nkind = \"{kind}\"\n"))).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("`a`") && error.contains("2^53") && !error.contains("1234567"), "{error}");
    }
    let text_id = read_csv_text(text, &with_schema("[variables.a]\nkind = \"text-id\"\n")).unwrap();
    assert_eq!(csv_text(&text_id), text);
    let beyond =
        SchemaFile::parse("[variables.a]\nkind = \"integer\"\nrange = [0, 9007199254740993]\n").unwrap();
    assert!(beyond.finish().unwrap_err().to_string().contains("2^53"));
    let missing = ReadOptions { missing: vec!["999999999999999999".into()], ..ReadOptions::default() };
    let near = read_csv_text("a\n999999999999999999\n999999999999999998\n", &missing).unwrap();
    assert_eq!(near.missing(0), 1);
}

#[test]
fn an_identifier_of_a_typed_file_stays_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ids");
    write_parquet(&path, &batch(vec![("id", Arc::new(Int64Array::from(vec![5, 6, 7])))]));
    let declared = "[table]\ndeclared = true\nreason = \"x\"\n[variables.id]\nkind = \"text-id\"\n";
    let table = read_table(&path, &with_schema(declared)).unwrap();
    assert_eq!(table.schema().variables()[0].stored, Some(Stored::Integer));
    let declared = read_csv_text("id\n5\n6\n", &with_schema(declared)).unwrap();
    assert_eq!(
        declared.schema().variables()[0].stored,
        None,
        "whether all texts are numbers is up to the records"
    );
}

#[test]
fn truth_values_are_levels_and_stay_truth_values() {
    let truth = BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]);
    let (table, types) = there_and_back(&batch(vec![("smokes", Arc::new(truth))]));
    assert_eq!(types, [arrow_schema::DataType::Boolean]);
    assert_eq!(csv_text(&table), "smokes\ntrue\n\nfalse\ntrue\n");
    let text = read_csv_text("smokes\ntrue\nfalse\n", &ReadOptions::default()).unwrap();
    assert_eq!(text.schema().variables()[0].stored, None);
}

/// Truth values, times and dates with gaps, as a small file of each kind.
fn small() -> RecordBatch {
    let words: DictionaryArray<Int32Type> = vec![Some("a"), None, Some("b")].into_iter().collect();
    batch(vec![
        ("smokes", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("seen", Arc::new(TimestampMillisecondArray::from(vec![Some(1_456_835_400_250), None, Some(-1)]))),
        ("opens", Arc::new(Time32SecondArray::from(vec![Some(45_000), Some(0), None]))),
        ("born", Arc::new(Date32Array::from(vec![Some(0), Some(-719_528), Some(2_932_896)]))),
        ("long", Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(1)]))),
        ("word", Arc::new(words)),
    ])
}

fn ipc(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn read_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Table, TableError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    std::fs::write(&path, bytes).unwrap();
    read_table(&path, options)
}

#[test]
fn arrow_files_may_be_compressed() {
    let plain = read_bytes(&ipc(&small(), None), &ReadOptions::default()).unwrap();
    for compression in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let packed = read_bytes(&ipc(&small(), Some(compression)), &ReadOptions::default()).unwrap();
        assert_eq!(packed, plain);
    }
}

#[test]
fn times_of_typed_files_go_there_and_back() {
    let (table, types) = there_and_back(&small());
    use arrow_schema::DataType::{Boolean, Date32, Time64, Timestamp, UInt64, Utf8};
    let unit = arrow_schema::TimeUnit::Microsecond;
    assert_eq!(types, [Boolean, Timestamp(unit, None), Time64(unit), Date32, UInt64, Utf8]);
    assert_eq!(
        csv_text(&table),
        "smokes,seen,opens,born,long,word\ntrue,2016-03-01T12:30:00.250,12:30:00,1970-01-01,18446744073709551615,a\n\
         ,,00:00:00,0000-01-01,,\nfalse,1969-12-31T23:59:59.999,,9999-12-31,1,b\n"
    );
    let zoned = TimestampSecondArray::from(vec![45_000]).with_timezone("Europe/London");
    let (table, types) = there_and_back(&batch(vec![("seen", Arc::new(zoned))]));
    assert_eq!(types, [Timestamp(unit, Some("UTC".into()))]);
    assert_eq!(csv_text(&table), "seen\n1970-01-01T12:30:00Z\n");
    let midnights = TimestampSecondArray::from(vec![86_400, 0]);
    let (table, _) = there_and_back(&batch(vec![("day", Arc::new(midnights))]));
    assert!(matches!(table.columns()[0], Column::Date(_)), "midnights alone are dates");
}

#[test]
fn times_beyond_the_calendar_are_errors_that_name_the_column() {
    let columns: [(ArrayRef, &str); 6] = [
        (Arc::new(Date32Array::from(vec![0, i32::MAX])), "row 2"),
        (Arc::new(Date32Array::from(vec![i32::MIN])), "row 1"),
        (Arc::new(TimestampSecondArray::from(vec![i64::MAX])), "years 0 to 9999"),
        (Arc::new(TimestampNanosecondArray::from(vec![1_001])), "finer than a microsecond"),
        (Arc::new(Time32SecondArray::from(vec![86_400])), "outside a day"),
        (Arc::new(Time64NanosecondArray::from(vec![-1_000])), "outside a day"),
    ];
    for (column, expected) in columns {
        let error =
            read_bytes(&ipc(&batch(vec![("seen", column)]), None), &ReadOptions::default()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("`seen`") && error.contains(expected), "{error}");
    }
}

#[test]
fn times_of_text_files_keep_their_form() {
    let text = "t,blank,time,german,zone,mixed,day\n\
                2016-03-01T12:30:00,2016-03-01 12:30,07:15,27.03.2011 12:30:01,2016-03-01T12:30:00Z,2016-03-01T12:30,2016-03-01\n\
                2016-03-01T00:00:00,,23:59,01.01.1970 00:00:00,2016-03-01T12:30:00Z,x,2016-03-02\n";
    let table = read_csv_text(text, &ReadOptions::default()).unwrap();
    let kinds: Vec<&str> = table.schema().variables().iter().map(|variable| variable.kind.name()).collect();
    assert_eq!(kinds, ["datetime", "datetime", "datetime", "datetime", "datetime", "categorical", "date"]);
    assert_eq!(csv_text(&table), text);
    let written = table.schema().to_toml();
    assert!(written.contains("range = [\"2016-03-01T00:00:00\", \"2016-03-01T12:30:00\"]"), "{written}");
    assert!(written.contains("format = \"DD.MM.YYYY HH:MM:SS\""), "{written}");
    let again = read_csv_text(text, &with_schema(&written)).unwrap();
    assert_eq!((again.columns(), again.schema()), (table.columns(), table.schema()));
}

#[test]
fn a_declared_time_has_a_range_cuts_and_rules() {
    let schema = "[variables.seen]\nkind = \"datetime\"\nrange = [2016-01-01T00:00:00, \"2016-12-31 23:59\"]\n\
                  cuts = [\"2016-01-01\", \"2016-06-01T12:00\", \"2017-01-01\"]\n\
                  [variables.opens]\nkind = \"datetime\"\nformat = \"HH:MM\"\nrange = [\"06:00\", 20:00:00]\n\
                  [[rules]]\nwhen = \"seen > '2016-06-01'\"\nthen = \"opens >= '08:00'\"\n";
    let read = |rows: &str| read_csv_text(&format!("seen,opens\n{rows}"), &with_schema(schema));
    let table = read("2016-05-01T12:30:00,07:00\n2016-07-01T00:00:00,08:00\n").unwrap();
    let coded = crate::CodedTable::new(&table, &crate::Grouping::default()).unwrap();
    let classes = &crate::CountSource::domain(&coded).variables()[0];
    assert_eq!(classes.label(0), "[2016-01-01T00:00:00,2016-06-01T12:00:00)");
    let toml = table.schema().to_toml();
    assert_eq!(SchemaFile::parse(&toml).unwrap().finish().unwrap(), *table.schema(), "{toml}");
    for (rows, expected) in [
        ("2017-05-01T12:30:00,07:00\n", "`seen` lies outside its range"),
        ("2016-05-01T12:30:00,05:59\n", "`opens` lies outside its range"),
        ("2016-05-01T12:30:00,07:00:30\n", "`opens` is not a time written as the schema says"),
        ("yesterday,07:00\n", "`seen` is not a time"),
        ("2016-07-01T00:00:00,07:59\n", "is broken"),
    ] {
        let error = read(rows).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    for (schema, expected) in [
        ("kind = \"datetime\"\nformat = \"YYYY\"", "not a format"),
        ("kind = \"datetime\"\nstep = 60", "as finely as their `format`"),
        ("kind = \"datetime\"\nformat = \"HH:MM\"\nrange = [\"06:00:30\", \"07:00\"]", "two times"),
        ("kind = \"date\"\nformat = \"HH:MM\"", "not a format"),
        ("kind = \"categorical\"\nlevels = [\"a\"]\nstored = \"integer\"", "stored"),
    ] {
        let file = SchemaFile::parse(&format!("[variables.x]\n{schema}\n")).unwrap();
        let error = file.finish().unwrap_err().to_string();
        assert!(error.contains("`x`") && error.contains(expected), "{error}");
    }
}

#[test]
fn decimal_commas_are_read_and_written() {
    let text = "pay;height;note\n-1,5;2;a,b\n0,25;3;\n";
    let comma = ReadOptions { decimal: Some(DecimalMark::Comma), ..ReadOptions::default() };
    let table = read_csv_text(text, &comma).unwrap();
    assert_eq!(table.columns()[0].number(0), Some(crate::column::Entry::Value(-1.5)));
    assert!(matches!(table.columns()[1], Column::Integer(_)));
    assert_eq!(csv_text(&table), text, "a file is written as it came");
    let schema = table.schema().to_toml();
    assert!(schema.contains("decimal = \",\""), "{schema}");
    assert_eq!(read_csv_text(text, &with_schema(&schema)).unwrap().columns(), table.columns());
    let quoted = read_csv_text("pay,n\n\"1,5\",1\n\"2,5\",2\n", &comma).unwrap();
    assert!(matches!(quoted.columns()[0], Column::Real(_)));
    let thousands = read_csv_text("pay;n\n1.234,5;1\n2,5;2\n", &comma).unwrap();
    assert_eq!(thousands.schema().variables()[0].kind.name(), "categorical", "points are not guessed at");
    let token = ReadOptions { missing: vec!["-9,0".into()], ..comma };
    assert_eq!(read_csv_text("pay;n\n-9,0;1\n2,5;2\n", &token).unwrap().missing(0), 1);
}

#[test]
fn decimal_commas_are_found_where_nothing_contradicts_them() {
    let kind = |text: &str| {
        let table = read_csv_text(text, &ReadOptions::default()).unwrap();
        (table.schema().variables()[0].kind.name(), table.schema().decimal())
    };
    let comma = ("real", DecimalMark::Comma);
    assert_eq!(kind("pay;n\n1,5;1\n2;2\n"), comma);
    assert_eq!(kind("pay;n\n0,125;1\nNA;2\n12,250;3\n"), comma, "no thousands stand behind a zero");
    assert_eq!(kind("pay,n\n\"1,5\",1\n\"2,5\",2\n"), comma);
    let text = ("categorical", DecimalMark::Point);
    assert_eq!(kind("pay;n\n1,250;1\n2,500;2\n"), text, "these may be thousands");
    assert_eq!(kind("pay;n\n1,5;1.5\n2,5;2.25\n"), text, "another column has decimal points");
    assert_eq!(kind("pay;n\n1,5;1\na,b;2\n"), text);
}

#[test]
fn what_is_no_table_is_named_with_the_way_out() {
    let refusal = |bytes: &[u8]| read_bytes(bytes, &ReadOptions::default()).unwrap_err().to_string();
    assert!(refusal(b"PK\x03\x04\x14\0[Content_Types].xml").contains("Excel"));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"RDX3\nX\n\0\0").unwrap();
    assert!(refusal(&packed.finish().unwrap()).contains("R workspace"));
    let folder = tempfile::tempdir().unwrap();
    let error = |path: &Path| read_table(path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error(folder.path()).contains("holds no file of a table"));
    assert!(error(&folder.path().join("*.csv")).contains("fits this pattern"));
    assert!(error(&folder.path().join("none.csv")).contains("none.csv"));
}

#[test]
fn formulas_are_guarded_and_read_back_as_the_levels_they_are() {
    let text = "say\n=1+1\n-5x\n'=2\nplain\n";
    let table = read_csv_text(text, &ReadOptions::default()).unwrap();
    let written = csv_text(&table);
    assert_eq!(written, "say\n'=1+1\n'-5x\n''=2\nplain\n");
    let again = read_csv_text(&written, &with_schema(&table.schema().to_toml())).unwrap();
    assert_eq!(again.columns(), table.columns());
    let mut writer =
        crate::write::TableWriter::new(Vec::new(), table.schema(), Format::Csv).unwrap().keep_formulas(true);
    writer.write(&table).unwrap();
    assert_eq!(String::from_utf8(writer.finish().unwrap()).unwrap(), text);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

    /// Whatever byte of a typed file is damaged, reading it ends in a table that can be written or an error, never in a panic.
    #[test]
    fn damaged_typed_files_never_panic(format in 0..4_usize, at in any::<prop::sample::Index>(), byte: u8, cut in any::<prop::sample::Index>(), truncate: bool) {
        let mut bytes = match format {
            0 => {
                let mut writer = ArrowWriter::try_new(Vec::new(), small().schema(), None).unwrap();
                writer.write(&small()).unwrap();
                writer.into_inner().unwrap()
            }
            1 => ipc(&small(), None),
            2 => ipc(&small(), Some(CompressionType::LZ4_FRAME)),
            _ => ipc(&small(), Some(CompressionType::ZSTD)),
        };
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if truncate {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(table) = read_bytes(&bytes, &ReadOptions::default()) {
            let _ = csv_text(&table);
            let _ = table.schema().to_toml();
        }
    }
}
