use std::io::Write;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::column::{Column, Entry};
use crate::schema::Kind;

fn read(text: &str) -> Result<Table, TableError> {
    read_csv_text(text, &ReadOptions::default())
}

/// The table as text, one row a record, missing as `None`.
fn texts(table: &Table) -> Vec<Vec<Option<String>>> {
    let cell = |row: usize, at: usize| match (&table.columns()[at], &table.schema().variables()[at].kind) {
        (Column::Categorical(codes), kind) => kind.levels().unwrap().get(codes.get(row)).map(str::to_owned),
        (Column::Text(text), _) => text.get(row).map(str::to_owned),
        (Column::Date(days), Kind::Date { format, .. }) => match days.get(row) {
            Entry::Value(day) => Some(format.format(day)),
            _ => None,
        },
        (numeric, _) => match numeric.number(row) {
            Some(Entry::Value(value)) => Some(value.to_string()),
            _ => None,
        },
    };
    (0..table.rows()).map(|row| (0..table.columns().len()).map(|at| cell(row, at)).collect()).collect()
}

fn kinds(table: &Table) -> Vec<&'static str> {
    table.schema().variables().iter().map(|variable| variable.kind.name()).collect()
}

#[test]
fn kinds_are_what_all_values_are() {
    let table = read(
        "whole,decimal,real,zeros,plus,text,iso,american,gone,none\n\
         1,2.0,1.5,007,+5,a,2011-03-27,07/17/2012,,None\n\
         -20,3.0,.5,1,6,b,2012-01-01,01/02/2013,,x\n",
    )
    .unwrap();
    let expected = [
        "integer",
        "integer",
        "real",
        "categorical",
        "categorical",
        "categorical",
        "date",
        "date",
        "categorical",
        "categorical",
    ];
    assert_eq!(kinds(&table), expected);
    assert_eq!(texts(&table)[0][3].as_deref(), Some("007"));
    assert_eq!(texts(&table)[0][9].as_deref(), Some("None"), "None is a value");
    assert_eq!(table.missing(8), 2);
}

#[test]
fn a_number_written_in_two_ways_in_a_text_column_stays_two_texts() {
    let table = read("nace\n9\n9.0\nH\n").unwrap();
    assert_eq!(
        table.schema().variables()[0].kind.levels().unwrap().iter().collect::<Vec<_>>(),
        ["9", "9.0", "H"]
    );
}

#[test]
fn digits_that_a_double_cannot_hold_are_not_rounded_in_silence() {
    let table = read("big,mixed\n9007199254740993,9007199254740993\n1,0.5\n").unwrap();
    assert_eq!(kinds(&table), ["categorical", "categorical"]);
    assert_eq!(texts(&table)[0][0].as_deref(), Some("9007199254740993"));
    assert_eq!(texts(&table)[0][1].as_deref(), Some("9007199254740993"));
    assert_eq!(kinds(&read("id\n12345678901234567890123\n1\n").unwrap()), ["categorical"]);
}

#[test]
fn missing_is_what_is_declared_and_na_among_numbers() {
    let text = "a,b\nNA,1\n?,-9\nx,NA\n,2\n";
    let plain = read(text).unwrap();
    assert_eq!((plain.missing(0), plain.missing(1)), (1, 1));
    assert_eq!(kinds(&plain), ["categorical", "integer"]);
    let options =
        ReadOptions { missing: vec!["NA".into(), "?".into(), "-9".into()], ..ReadOptions::default() };
    let declared = read_csv_text(text, &options).unwrap();
    assert_eq!((declared.missing(0), declared.missing(1)), (3, 2));
    assert_eq!(kinds(&declared), ["categorical", "integer"]);
}

#[rstest]
#[case("a;b\nx,5;2\n", &["x,5", "2"])]
#[case("a\tb\nx\ty\n", &["x", "y"])]
#[case("\u{feff}a,b\r\nx,y\r\n", &["x", "y"])]
#[case("a,b\nx,\"y\nz, \"\"w\"\"\"\n", &["x", "y\nz, \"w\""])]
#[case("\"a\",\"b,c\"\nx,y", &["x", "y"])]
#[case("a,b\nx,y\n\n\r\n", &["x", "y"])]
#[case("a\nx\n", &["x"])]
fn separators_quotes_and_line_ends(#[case] text: &str, #[case] first: &[&str]) {
    let table = read(text).unwrap();
    assert_eq!(table.rows(), 1);
    assert_eq!(texts(&table)[0].iter().flatten().collect::<Vec<_>>(), first);
}

#[test]
fn a_blank_line_in_a_single_column_is_a_missing_value() {
    assert_eq!(texts(&read("a\nx\n\ny\n").unwrap()), [[Some("x".into())], [None], [Some("y".into())]]);
}

#[test]
fn a_first_column_without_a_name_holds_row_numbers() {
    let names = |text: &str| -> Vec<String> {
        read(text).unwrap().schema().variables().iter().map(|variable| variable.name.clone()).collect()
    };
    assert_eq!(names("\"\",\"a\"\n\"1\",x\n\"2\",y\n"), ["row", "a"]);
    assert_eq!(names(",row\n0,x\n1,y\n"), ["row_2", "row"]);
}

#[rstest]
#[case("", "the file is empty")]
#[case("  \n", "the file is empty")]
#[case("a,b\n", "no rows")]
#[case("a,,c\n1,2,3\n", "line 1: column 2 has no name")]
#[case("a,b,a\n1,2,3\n", "`a` stands for columns 1 and 3")]
#[case("a,b\r1,2\r3,4\r", "its lines end with a carriage return and no line feed; convert it first")]
#[case("a,b\n1,2\n1\n", "line 3: the row has 1 fields where the header has 2 (nothing for `b`)")]
#[case("a,b\n1,2\n1,2,3\n", "line 3: the row has 3 fields where the header has 2")]
#[case("a,b\n1,2\n\n3,4\n", "line 3: the row has 0 fields")]
#[case("a,b\n\"x\ny\",2\n\"s\"ecret,2\n", "line 4, column `a`: text follows a closing quote")]
#[case("a,b\n1,\"secret\n2,3\n", "line 2, column `b`: a quoted field opens here")]
#[case("a,b\0\n", "UTF-16")]
fn a_bad_file_is_refused_with_line_and_column_and_no_value(#[case] text: &str, #[case] expected: &str) {
    let error = read(text).unwrap_err().to_string();
    assert!(error.contains(expected) && !error.contains("secret"), "{error}");
}

#[test]
fn a_bad_number_in_a_numeric_column_is_an_error_that_does_not_show_it() {
    let schema =
        crate::schema::SchemaFile::parse("[variables.a]\nkind = \"integer\"\n[variables.b]\nkind = \"real\"")
            .unwrap();
    let options = ReadOptions { schema: Some(schema), ..ReadOptions::default() };
    for (text, expected) in [
        ("a,b\n1,1.5\nsecret,2\n", "line 3, column `a`: the field is not a whole number"),
        ("a,b\n1.5,1\n", "line 2, column `a`: the field is not a whole number"),
        ("a,b\n1,1\n2,1\n3,secret\n", "line 4, column `b`: the field is not a number"),
    ] {
        let error = read_csv_text(text, &options).unwrap_err().to_string();
        assert!(
            error.contains(expected) && error.contains("--missing") && !error.contains("secret"),
            "{error}"
        );
    }
    assert_eq!(
        kinds(
            &read_csv_text("a,b\n007,1e3\n2.0,\n", &ReadOptions { schema: None, ..options.clone() }).unwrap()
        ),
        ["categorical", "integer"]
    );
    let relaxed = read_csv_text("a,b\n007,1e3\n2.0,5\n", &options).unwrap();
    assert_eq!(
        texts(&relaxed),
        [[Some("7".into()), Some("1000".into())], [Some("2".into()), Some("5".into())]]
    );
}

fn write_file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

#[test]
fn bytes_that_are_not_utf8_are_located() {
    let (_folder, path) = write_file("latin.csv", b"a,b\n1,2\n3,caf\xe9\n");
    let error = read_table(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("latin.csv: line 3, column `b`") && error.contains("iconv"), "{error}");
    let (_folder, path) = write_file("utf16.csv", b"\xff\xfea\0,\0b\0");
    assert!(read_table(&path, &ReadOptions::default()).unwrap_err().to_string().contains("UTF-16"));
}

#[test]
fn gzip_is_read_by_content_not_by_name() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"a,b\n1,x\n").unwrap();
    let (_folder, path) = write_file("table.csv", &packed.finish().unwrap());
    assert_eq!(
        texts(&read_table(&path, &ReadOptions::default()).unwrap()),
        [[Some("1".into()), Some("x".into())]]
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error =
        read_table(Path::new("/nowhere/people.csv"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("/nowhere/people.csv"), "{error}");
}

/// Many blocks, whose columns change their mind late: whole numbers that become real, real numbers that become text.
#[test]
fn a_column_that_turns_out_to_be_text_late_keeps_every_character() {
    let mut text = String::from("whole,real,text,later\n");
    for row in 0..700_000 {
        let real = if row < 600_000 { row.to_string() } else { format!("{row}.5") };
        let later = match row {
            0..600_000 => format!("{row}.50"),
            _ => format!("x{}", row % 3),
        };
        text.push_str(&format!("{row},{real},{},{later}\n", if row == 650_000 { "late" } else { "7" }));
    }
    let table = read(&text).unwrap();
    assert_eq!(kinds(&table), ["text-id", "real", "categorical", "text-id"]);
    let rows = texts(&table);
    assert_eq!(rows[5], ["5", "5", "7", "5.50"].map(|text| Some(text.to_owned())));
    assert_eq!(rows[650_000], ["650000", "650000.5", "late", "x2"].map(|text| Some(text.to_owned())));
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(one_thread.install(|| read(&text).unwrap()) == table, "one output on any number of threads");
}

mod arrow_files {
    use std::sync::Arc;

    use arrow_array::types::Int8Type;
    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float32Array, Float64Array, Int16Array,
        LargeStringArray, RecordBatch, StringArray, StringViewArray, TimestampMillisecondArray, UInt64Array,
    };

    use super::*;

    fn batch() -> RecordBatch {
        let dictionary: DictionaryArray<Int8Type> =
            vec![Some("u"), None, Some("v"), Some("u")].into_iter().collect();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("utf8", Arc::new(StringArray::from(vec![Some("a"), None, Some("NA"), Some("")]))),
            ("large", Arc::new(LargeStringArray::from(vec!["p", "q", "p", "q"]))),
            ("view", Arc::new(StringViewArray::from(vec!["a text longer than twelve bytes", "s", "s", "s"]))),
            ("dictionary", Arc::new(dictionary)),
            ("small", Arc::new(Int16Array::from(vec![Some(-3), None, Some(4), Some(5)]))),
            ("large_number", Arc::new(UInt64Array::from(vec![1, 2, 3, 4]))),
            ("single", Arc::new(Float32Array::from(vec![0.1, 0.2, 0.5, 1.0]))),
            ("double", Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0, 4.0]))),
            ("truth", Arc::new(BooleanArray::from(vec![true, false, true, true]))),
            ("day", Arc::new(Date32Array::from(vec![Some(0), Some(1), None, Some(3)]))),
            ("midnight", Arc::new(TimestampMillisecondArray::from(vec![0, 86_400_000, 0, 0]))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn expected() -> Vec<Vec<Option<String>>> {
        let rows: [[&str; 11]; 4] = [
            [
                "a",
                "p",
                "a text longer than twelve bytes",
                "u",
                "-3",
                "1",
                "0.1",
                "1",
                "true",
                "1970-01-01",
                "1970-01-01",
            ],
            ["", "q", "s", "", "", "2", "0.2", "2", "false", "1970-01-02", "1970-01-02"],
            ["NA", "p", "s", "v", "4", "3", "0.5", "3", "true", "", "1970-01-01"],
            ["", "q", "s", "u", "5", "4", "1", "4", "true", "1970-01-04", "1970-01-01"],
        ];
        let cell = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        rows.iter().map(|row| row.iter().map(|text| cell(text)).collect()).collect()
    }

    fn parquet(batch: &RecordBatch) -> Vec<u8> {
        let mut bytes = Vec::new();
        let properties = parquet::file::properties::WriterProperties::builder()
            .set_max_row_group_row_count(Some(3))
            .build();
        let mut writer =
            parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    #[test]
    fn every_kind_of_column_is_read_from_parquet_and_ipc() {
        let batch = batch();
        let mut file = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        file.write(&batch).unwrap();
        let mut stream = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        stream.write(&batch).unwrap();
        let files = [
            ("parquet", parquet(&batch)),
            ("arrow", file.into_inner().unwrap()),
            ("stream", stream.into_inner().unwrap()),
        ];
        for (name, bytes) in files {
            let (_folder, path) = write_file(name, &bytes);
            let table = read_table(&path, &ReadOptions::default()).unwrap();
            assert_eq!(texts(&table), expected(), "{name}");
            assert_eq!(
                kinds(&table)[3..],
                ["categorical", "integer", "integer", "real", "integer", "categorical", "date", "date"]
            );
        }
    }

    #[test]
    fn declared_tokens_are_missing_in_parquet_too() {
        let (_folder, path) = write_file("table.parquet", &parquet(&batch()));
        let options = ReadOptions { missing: vec!["NA".into(), "4".into()], ..ReadOptions::default() };
        let table = read_table(&path, &options).unwrap();
        let missing: Vec<u64> = (0..11).map(|position| table.missing(position)).collect();
        assert_eq!(missing, [3, 0, 0, 1, 2, 1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn what_a_table_cannot_hold_is_refused_by_column() {
        let columns: [(ArrayRef, &str); 2] = [
            (
                Arc::new(Float64Array::from(vec![1.0, f64::NAN])),
                "`x`: row 2 is NaN; name NaN with the option `missing`",
            ),
            (Arc::new(Float64Array::from(vec![f64::INFINITY])), "`x`: row 1 is infinite"),
        ];
        for (column, expected) in columns {
            let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
            let (_folder, path) = write_file("x.parquet", &parquet(&batch));
            let error = read_table(&path, &ReadOptions::default()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let (_folder, path) = write_file("x.parquet", b"PAR1 and then nonsense");
        assert!(
            read_table(&path, &ReadOptions::default())
                .unwrap_err()
                .to_string()
                .contains("not a readable Parquet file")
        );
        let (_folder, path) = write_file("x.arrow", b"ARROW1 and then nonsense");
        assert!(
            read_table(&path, &ReadOptions::default())
                .unwrap_err()
                .to_string()
                .contains("not a readable Arrow IPC file")
        );
    }
}

fn any_field() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-z]{1,12}",
        "-?[1-9][0-9]{0,4}",
        "[0-9]{1,2}\\.[0-9]{1,2}",
        "[ -~\n\"\u{fc}]{0,9}",
        Just("2011-03-27".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// An independent reader, the csv crate, sees the same texts in every column that we read as text.
    #[test]
    fn agrees_with_the_csv_crate(rows in prop::collection::vec([any_field(), any_field(), any_field()], 1..30), crlf: bool, quote_all: bool) {
        let mut writer = ::csv::WriterBuilder::new()
            .terminator(if crlf { ::csv::Terminator::CRLF } else { ::csv::Terminator::Any(b'\n') })
            .quote_style(if quote_all { ::csv::QuoteStyle::Always } else { ::csv::QuoteStyle::Necessary })
            .from_writer(Vec::new());
        writer.write_record(["a", "b", "c"]).unwrap();
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        let section = |name: &str| format!("[variables.{name}]\nkind = \"text-id\"\nmissing = true\n");
        let schema = SchemaFile::parse(&["a", "b", "c"].map(section).concat()).unwrap();
        let as_text = read_csv_text(&text, &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap();
        let expected: Vec<Vec<Option<String>>> = rows.iter().map(|row| row.iter().map(|field| (!field.is_empty()).then(|| field.clone())).collect()).collect();
        prop_assert_eq!(texts(&as_text), expected.clone());
        for (row, inferred) in expected.iter().zip(texts(&read(&text).unwrap())) {
            for (field, inferred) in row.iter().zip(inferred) {
                let same = *field == inferred
                    || field.as_ref().and_then(|text| text.parse::<f64>().ok()) == inferred.and_then(|text| text.parse().ok());
                prop_assert!(same);
            }
        }
    }

    /// Whatever the bytes, reading ends in a table or an error that quotes nothing, never in a panic.
    #[test]
    fn bad_files_are_errors_and_never_panics(bytes in prop_oneof![
        prop::collection::vec(any::<u8>(), 0..400),
        prop::collection::vec(prop::sample::select(b"a1.-,;\t\"\r\n\xe9".to_vec()), 0..60),
    ]) {
        let (_folder, path) = write_file("bad", &bytes);
        let _ = read_table(&path, &ReadOptions::default());
    }

    #[test]
    fn damaged_files_are_errors(rows in prop::collection::vec("[0-9]{3}zz,[a-z]{5}", 3..20), damage in 0_usize..4, at in 0_usize..1000) {
        let row = at % rows.len();
        let mut damaged = rows.clone();
        let text = &rows[row];
        damaged[row] = match damage {
            0 => text.replace(',', ""),
            1 => format!("{text},more"),
            2 => format!("\"{text}"),
            _ => format!("\"a\"{text}"),
        };
        let error = read(&format!("a,b\n{}\n", damaged.join("\n"))).unwrap_err().to_string();
        let line = format!("line {}", row + 2);
        prop_assert!(error.contains(&line), "{}", error);
        prop_assert!(rows.iter().all(|row| !error.contains(&row[..5])), "{}", error);
    }
}
