//! Files of SPSS, Stata, SAS, Excel and JSON lines through the schema and back. What other programs wrote lies in `crates/labelled/testdata`, with the scripts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ReadOptions, read_table, read_unchecked};
use crate::column::{Column, Entry};
use crate::schema::{Kind, SchemaFile, UserMissing};
use crate::write::{Format, TableWriter, csv_text, write_table};
use crate::{Schema, Table};

fn fixture(name: &str) -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    Path::new(&package).join("../labelled/testdata").join(name)
}

fn opened(name: &str) -> Table {
    read_unchecked(&fixture(name), &ReadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn levels<'a>(schema: &'a Schema, name: &str) -> Vec<&'a str> {
    schema
        .variable(name)
        .unwrap()
        .kind
        .levels()
        .unwrap_or_else(|| panic!("{name} has no levels"))
        .iter()
        .collect()
}

#[test]
fn labels_and_missing_values_of_spss_reach_the_schema() {
    let table = opened("haven-bytes.sav");
    let schema = table.schema();
    let sex = schema.variable("sex").unwrap();
    assert_eq!(
        (sex.labelling.label.as_str(), levels(schema, "sex")),
        ("Sex of the person", vec!["1", "2", "9"])
    );
    assert_eq!((sex.labelling.of("2"), sex.missing), (Some("female"), true));
    assert_eq!(sex.labelling.user_missing, [UserMissing::Number(9.0)]);
    let income = schema.variable("income").unwrap();
    assert_eq!(income.kind, Kind::Real { range: Some((0.1, 1e6)) });
    let codes: Vec<(f64, &str)> =
        income.codes.iter().map(|code| (code.value, code.meaning.as_str())).collect();
    assert_eq!(codes, [(-9.0, "not known"), (-8.0, "refused")]);
    let Column::Real(numbers) = table.column("income").unwrap() else { panic!("real") };
    assert_eq!(
        (numbers.get(1), numbers.get(2), numbers.get(5)),
        (Entry::Code(1), Entry::Missing, Entry::Code(0))
    );
    let scale = schema.variable("scale").unwrap();
    assert_eq!(
        (&scale.kind, scale.labelling.of("10")),
        (&Kind::Integer { range: Some((0, 10)) }, Some("completely"))
    );
    assert!(matches!(schema.variable("born").unwrap().kind, Kind::Date { .. }));
    assert!(matches!(schema.variable("seen").unwrap().kind, Kind::Datetime { .. }));
    assert_eq!(
        (levels(schema, "town"), schema.variable("town").unwrap().labelling.of("X")),
        (vec!["N", "S", "X"], Some("unknown"))
    );
    let text = schema.to_toml();
    let again = SchemaFile::parse(&text).unwrap().finish().unwrap();
    assert_eq!(again.to_toml(), text);
    assert_eq!(again.variables(), schema.variables());
    // The same records under their own schema.
    let options = ReadOptions { schema: Some(SchemaFile::parse(&text).unwrap()), ..ReadOptions::default() };
    assert_eq!(read_table(&fixture("haven-bytes.sav"), &options).unwrap().columns(), table.columns());
}

#[test]
fn letters_of_stata_are_levels_or_codes_and_come_back() {
    let table = opened("haven-118.dta");
    let schema = table.schema();
    assert_eq!(levels(schema, "sex"), ["1", "2", ".a"]);
    assert_eq!(schema.variable("sex").unwrap().labelling.of(".a"), Some("no answer"));
    let codes: Vec<&str> =
        schema.variable("income").unwrap().codes.iter().map(|code| code.meaning.as_str()).collect();
    assert_eq!(codes, [".c", ".b"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again.dta");
    write_table(&table, &path, Format::Dta).unwrap();
    let again = read_unchecked(&path, &ReadOptions::default()).unwrap();
    assert_eq!((again.columns(), again.schema().to_toml()), (table.columns(), schema.to_toml()));
}

#[test]
fn every_format_gives_the_records_back_under_their_schema() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["haven-bytes.sav", "haven-118.dta", "haven.sas7bdat", "haven-5.xpt", "pyreadstat.sav"] {
        let table = opened(name);
        let schema = SchemaFile::parse(&table.schema().to_toml()).unwrap();
        let options = ReadOptions { schema: Some(schema), ..ReadOptions::default() };
        let table =
            table.clone().conform(Arc::new(options.schema_of(table.schema()).unwrap().unwrap())).unwrap();
        for format in Format::ALL {
            let path = folder.path().join(format.extension());
            write_table(&table, &path, format).unwrap_or_else(|error| panic!("{name} as {format}: {error}"));
            let again =
                read_table(&path, &options).unwrap_or_else(|error| panic!("{name} as {format}: {error}"));
            assert_eq!(csv_text(&again), csv_text(&table), "{name} as {format}");
            assert_eq!(again.columns(), table.columns(), "{name} as {format}");
        }
    }
}

#[test]
fn spss_files_come_back_with_all_that_they_say() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in
        [("haven-bytes.sav", Format::Sav), ("haven.zsav", Format::Zsav), ("pyreadstat.sav", Format::Sav)]
    {
        let table = opened(name);
        let path = folder.path().join(name);
        write_table(&table, &path, format).unwrap();
        let again = read_unchecked(&path, &ReadOptions::default()).unwrap();
        assert_eq!(again.schema().to_toml(), table.schema().to_toml(), "{name}");
        assert_eq!(again.columns(), table.columns(), "{name}");
    }
}

#[test]
fn labels_of_what_does_not_occur_leave_with_no_learned_schema() {
    let table = opened("haven-bytes.sav");
    let part = table.take(&[0, 3]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (format, declared) in [(Format::Sav, false), (Format::Dta, false), (Format::Sav, true)] {
        let part = if declared { part.clone().declared_public("code book").unwrap() } else { part.clone() };
        let path = folder.path().join(format!("{declared}.{}", format.extension()));
        write_table(&part, &path, format).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(holds("male") && holds("Sex of the person"), "{format}");
        assert_eq!(
            (holds("female"), holds("completely"), holds("south")),
            (declared, declared, declared && format == Format::Sav),
            "{format}"
        );
    }
    let mut shown = crate::schema::Shown::nothing(table.schema());
    shown.observe(&part);
    let public = shown.published(table.schema()).unwrap().to_toml();
    assert!(public.contains("= \"male\"") && public.contains("not at all"), "{public}");
    assert!(
        !public.contains("female") && !public.contains("completely") && !public.contains("south"),
        "{public}"
    );
}

#[test]
fn packed_files_and_json_lines_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let table =
        super::read_csv_text("sex,age,pay\nF,31,1.5\nM,,\nF,47,2\n", &ReadOptions::default()).unwrap();
    for format in [Format::CsvGzip, Format::CsvZstd, Format::JsonLines, Format::Xlsx] {
        let path = folder.path().join(format.extension());
        write_table(&table, &path, format).unwrap();
        assert_eq!(read_unchecked(&path, &ReadOptions::default()).unwrap(), table, "{format}");
    }
    let path = folder.path().join("odd.jsonl");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        read_unchecked(&path, &ReadOptions::default())
            .map(|table| csv_text(&table))
            .map_err(|error| error.to_string())
    };
    assert_eq!(
        read("{\"a\": 1}\n\n{\"b\": \"x\", \"a\": null}\n{\"a\": 2.5}").unwrap(),
        "a,b\n1,\n,x\n2.5,\n"
    );
    assert_eq!(read("{\"a\": true}\n{\"a\": false}\n").unwrap(), "a\ntrue\nfalse\n");
    assert!(read("{\"a\": [1]}\n").unwrap_err().contains("column `a`"));
    assert!(read("{\"a\":\n1}\n").unwrap_err().contains("line 1"));
    assert!(read("{\"a\": 1}\nx\n").unwrap_err().contains("line 2"));
    assert!(read("{}\n").is_err());
    let zipped = folder.path().join("people.sav.gz");
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packer, &std::fs::read(fixture("haven-bytes.sav")).unwrap()).unwrap();
    std::fs::write(&zipped, packer.finish().unwrap()).unwrap();
    assert_eq!(read_unchecked(&zipped, &ReadOptions::default()).unwrap(), opened("haven-bytes.sav"));
}

#[test]
fn sheets_are_chosen_by_name_and_errors_name_the_cell() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.xlsx");
    let save = |fill: &dyn Fn(&mut rust_xlsxwriter::Workbook)| {
        let mut book = rust_xlsxwriter::Workbook::new();
        fill(&mut book);
        std::fs::write(&path, book.save_to_buffer().unwrap()).unwrap();
    };
    let read = |sheet: Option<&str>| {
        let options = ReadOptions { sheet: sheet.map(str::to_owned), ..ReadOptions::default() };
        read_unchecked(&path, &options).map(|table| csv_text(&table)).map_err(|error| error.to_string())
    };
    save(&|book| {
        for name in ["first", "second"] {
            let sheet = book.add_worksheet();
            sheet.set_name(name).unwrap();
            sheet.write_string(2, 1, "x").unwrap();
            sheet.write_number(3, 1, 7.0).unwrap();
        }
    });
    let error = read(None).unwrap_err();
    assert!(error.contains("`first`, `second`") && error.contains("--sheet"), "{error}");
    assert!(read(Some("third")).unwrap_err().contains("`first`"));
    // The table begins in column B, so that column A has no name.
    assert!(read(Some("second")).unwrap_err().contains("no name"));
    save(&|book| {
        let sheet = book.add_worksheet();
        sheet.write_string(0, 0, "x").unwrap();
        sheet.write_number(1, 0, 7.0).unwrap();
        sheet.write_number(2, 2, 7.0).unwrap();
    });
    assert!(read(None).unwrap_err().contains("cell C3"));
    save(&|book| {
        let sheet = book.add_worksheet();
        sheet.write_string(0, 0, "x").unwrap();
        sheet.write_string(0, 1, "=1+1").unwrap();
        sheet.write_string(1, 0, "=1+1").unwrap();
        sheet.write_boolean(1, 1, true).unwrap();
    });
    assert_eq!(read(None).unwrap(), "x,=1+1\n'=1+1,true\n");
    save(&|book| {
        let sheet = book.add_worksheet();
        for column in 0..16_000 {
            sheet.write_string(0, column, format!("c{column}")).unwrap();
        }
        sheet.write_number(1_048_575, 3, 1.0).unwrap();
    });
    assert!(read(None).unwrap_err().contains("empty"));
    std::fs::write(&path, &std::fs::read(&path).unwrap()[..600]).unwrap();
    assert!(read(None).unwrap_err().contains("Excel"));
}

#[test]
fn damaged_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["haven-bytes.sav", "haven.zsav", "haven-118.dta", "haven.sas7bdat"] {
        let path = folder.path().join(name);
        let bytes = std::fs::read(fixture(name)).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let error = read_unchecked(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("not a readable"), "{error}");
    }
}

#[test]
fn what_a_program_cannot_hold_names_the_column() {
    let table = super::read_csv_text("age group,b\n1,2\n3,4\n", &ReadOptions::default()).unwrap();
    for format in [Format::Sav, Format::Dta] {
        let mut writer = TableWriter::new(Vec::new(), table.schema(), format).unwrap();
        writer.write(&table).unwrap();
        let error = writer.finish().map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("`age group`"), "{error}");
    }
}
