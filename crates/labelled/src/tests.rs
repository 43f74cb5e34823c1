//! Files that other programs wrote, what we write read back, and files that are broken in every way.

use proptest::prelude::*;

use super::*;

const LONG: usize = 300;

fn fixture(name: &str) -> Vec<u8> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    let path = std::path::Path::new(&package).join("testdata").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn opened(name: &str) -> LabelledFile {
    let bytes = fixture(name);
    let program = Program::of(&bytes).unwrap_or_else(|| panic!("{name} is not known"));
    read(program, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn column<'a>(file: &'a LabelledFile, name: &str) -> &'a LabelledColumn {
    file.columns.iter().find(|column| column.name == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Numbers, with missing ones as their letter or a point.
fn numbers(file: &LabelledFile, name: &str) -> Vec<String> {
    let Values::Numbers(numbers) = &column(file, name).values else { panic!("{name} is text") };
    let shown = |value: &f64| match tag_of(*value) {
        Some(letter) => format!(".{}", char::from(letter)),
        None if is_missing(*value) => ".".into(),
        None => value.to_string(),
    };
    numbers.iter().map(shown).collect()
}

fn texts<'a>(file: &'a LabelledFile, name: &str) -> Vec<&'a str> {
    let Values::Texts(texts) = &column(file, name).values else { panic!("{name} is a number") };
    (0..texts.codes.len()).map(|row| texts.get(row)).collect()
}

fn labels(file: &LabelledFile, name: &str) -> Vec<(String, String)> {
    let value = |value: &LabelledValue| match value {
        LabelledValue::Number(value) => {
            tag_of(*value).map_or(value.to_string(), |letter| format!(".{}", char::from(letter)))
        }
        LabelledValue::Text(text) => text.clone(),
    };
    column(file, name).labels.iter().map(|(of, label)| (value(of), label.clone())).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(value, label)| ((*value).to_owned(), (*label).to_owned())).collect()
}

const BORN: [&str; 6] = ["0", "-672", ".", "11687", "-25567", "19782"];
const SEEN: [&str; 6] =
    ["1577934245000000", "946684799000000", ".", "0", "951825600000000", "-315619199000000"];

/// What all programs keep of the invented people.
fn check_people(file: &LabelledFile, name: &str) {
    assert_eq!(file.rows, 6, "{name}");
    assert_eq!(texts(file, "id"), ["a1", "b2", "é3", "d4", "e5", "f6"], "{name}");
    assert_eq!(column(file, "id").label, "Identifier", "{name}");
    assert_eq!(column(file, "sex").label, "Sex of the person", "{name}");
    assert_eq!(numbers(file, "age"), ["31", "47", "18", "99", "64", "5"], "{name}");
    assert_eq!(column(file, "age").label, "Age in years", "{name}");
    assert_eq!(numbers(file, "scale"), ["0", "10", "5", "3", "7", "."], "{name}");
    assert_eq!(
        (numbers(file, "born"), column(file, "born").meaning),
        (BORN.map(String::from).to_vec(), Meaning::Date),
        "{name}"
    );
    assert_eq!(
        (numbers(file, "seen"), column(file, "seen").meaning),
        (SEEN.map(String::from).to_vec(), Meaning::Datetime),
        "{name}"
    );
    assert_eq!(texts(file, "town"), ["N", "S", "S", "", "X", "N"], "{name}");
    let note = texts(file, "note");
    assert_eq!((note[0], note[2], note[3]), ("short", "", "über"), "{name}");
    assert!(
        note[1].len() >= 200 && note[1].bytes().enumerate().all(|(at, byte)| byte == b'0' + (at % 10) as u8),
        "{name}"
    );
}

#[test]
fn spss_files_of_haven() {
    for name in ["haven-bytes.sav", "haven-plain.sav", "haven.zsav"] {
        check_spss(&opened(name), name);
    }
}

fn check_spss(file: &LabelledFile, name: &str) {
    check_people(file, name);
    assert_eq!(texts(file, "note")[1].len(), LONG, "{name}");
    assert_eq!(numbers(file, "sex"), ["1", "2", "2", "1", "9", "."], "{name}");
    assert_eq!(labels(file, "sex"), pairs(&[("1", "male"), ("2", "female"), ("9", "no answer")]), "{name}");
    assert_eq!(column(file, "sex").missing, [MissingValues::Number(9.0)], "{name}");
    assert_eq!(numbers(file, "income"), ["1200.5", "-8", ".", "0.1", "1000000", "-9"], "{name}");
    assert_eq!(column(file, "income").missing, [MissingValues::Range(-9.0, -8.0)], "{name}");
    assert_eq!(labels(file, "scale"), pairs(&[("0", "not at all"), ("10", "completely")]), "{name}");
    assert_eq!(labels(file, "town"), pairs(&[("N", "north"), ("S", "south"), ("X", "unknown")]), "{name}");
    assert_eq!(column(file, "town").missing, [MissingValues::Text("X".into())], "{name}");
}

#[test]
fn stata_files_of_haven() {
    for name in
        ["haven-118.dta", "haven-stata8.dta", "haven-stata10.dta", "haven-stata12.dta", "haven-stata13.dta"]
    {
        let file = opened(name);
        check_stata(&file, name);
    }
}

fn check_stata(file: &LabelledFile, name: &str) {
    check_people(file, name);
    assert_eq!(numbers(file, "sex"), ["1", "2", "2", "1", ".a", "."], "{name}");
    assert_eq!(labels(file, "sex"), pairs(&[("1", "male"), ("2", "female"), (".a", "no answer")]), "{name}");
    assert_eq!(numbers(file, "income"), ["1200.5", ".b", ".", "0.1", "1000000", ".c"], "{name}");
    assert_eq!(labels(file, "scale"), pairs(&[("0", "not at all"), ("10", "completely")]), "{name}");
}

#[test]
fn sas_files_of_haven() {
    for name in ["haven-5.xpt", "haven-8.xpt", "haven.sas7bdat"] {
        let file = opened(name);
        check_people(&file, name);
        assert_eq!(numbers(&file, "sex"), ["1", "2", "2", "1", ".a", "."], "{name}");
        assert_eq!(numbers(&file, "income"), ["1200.5", ".b", ".", "0.1", "1000000", ".c"], "{name}");
    }
}

#[test]
fn files_of_pyreadstat() {
    let file = opened("pyreadstat.sav");
    assert_eq!((file.label.as_str(), texts(&file, "city")), ("Invented", vec!["Bern", "Zürich", "", "Bern"]));
    assert_eq!(numbers(&file, "hours"), ["40", "0.5", "-1", "38.5"]);
    assert_eq!(
        column(&file, "hours").missing,
        [MissingValues::Range(-9.0, -1.0), MissingValues::Number(99.0)]
    );
    assert_eq!(
        (column(&file, "grp").measure, column(&file, "sex").measure),
        (Some(Measure::Ordinal), Some(Measure::Nominal))
    );
    assert_eq!(column(&file, "grp").missing, [MissingValues::Text("zz".into())]);
    assert_eq!(labels(&file, "grp"), pairs(&[("aa", "first"), ("bb", "second"), ("zz", "unknown")]));
    for name in ["pyreadstat.dta", "pyreadstat.xpt"] {
        let file = opened(name);
        let upper = |text: &str| {
            if name.ends_with("xpt") {
                file.columns
                    .iter()
                    .find(|column| column.name.eq_ignore_ascii_case(text))
                    .unwrap()
                    .name
                    .clone()
            } else {
                text.to_owned()
            }
        };
        assert_eq!(texts(&file, &upper("city")), ["Bern", "Zürich", "", "Bern"], "{name}");
        assert_eq!(numbers(&file, &upper("hours")), ["40", "0.5", "-1", "38.5"], "{name}");
        assert_eq!(column(&file, &upper("hours")).label, "Hours a week", "{name}");
    }
}

fn spss_bytes(file: &LabelledFile, compression: SpssCompression) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_spss(file, compression, &mut bytes).unwrap();
    bytes
}

fn stata_bytes(file: &LabelledFile) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_stata(file, &mut bytes).unwrap();
    bytes
}

#[test]
fn what_is_written_reads_back_the_same() {
    let mut file = opened("haven-bytes.sav");
    file.weight = Some("age".into());
    for compression in [SpssCompression::Bytecode, SpssCompression::Zlib] {
        let again = read(Program::Spss, &spss_bytes(&file, compression)).unwrap();
        check_spss(&again, "written");
        assert_eq!(format!("{again:?}"), format!("{file:?}"));
    }
    let file = opened("haven-118.dta");
    let again = read(Program::Stata, &stata_bytes(&file)).unwrap();
    check_stata(&again, "written");
    let kept = |file: &LabelledFile| {
        file.columns
            .iter()
            .map(|column| (column.format.clone(), column.labels.len(), column.meaning))
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(&again), kept(&file));
    assert_eq!(
        (stata_bytes(&again), spss_bytes(&again, SpssCompression::Zlib)),
        (stata_bytes(&file), spss_bytes(&file, SpssCompression::Zlib))
    );
}

#[test]
fn what_a_program_cannot_hold_is_refused_by_name() {
    let one = |name: &str| LabelledFile {
        program: Program::Spss,
        label: String::new(),
        rows: 1,
        columns: vec![LabelledColumn::new(name, Values::Numbers(vec![1.0]))],
        weight: None,
    };
    for name in ["age group", "1st", "", "with", "a-b"] {
        let error =
            write_spss(&one(name), SpssCompression::Bytecode, &mut Vec::new()).unwrap_err().to_string();
        assert!(error.contains(&format!("`{name}`")) && error.contains("rename"), "{error}");
        assert!(write_stata(&one(name), &mut Vec::new()).is_err(), "{name}");
    }
    let mut twice = one("Age");
    twice.columns.push(LabelledColumn::new("age", Values::Numbers(vec![1.0])));
    assert!(
        write_spss(&twice, SpssCompression::Bytecode, &mut Vec::new())
            .unwrap_err()
            .to_string()
            .contains("`Age`")
    );
    assert!(write_stata(&twice, &mut Vec::new()).is_ok());
}

const FIXTURES: [&str; 13] = [
    "haven-bytes.sav",
    "haven-plain.sav",
    "haven.zsav",
    "haven-118.dta",
    "haven-stata8.dta",
    "haven-stata13.dta",
    "haven-5.xpt",
    "haven-8.xpt",
    "haven.sas7bdat",
    "pyreadstat.sav",
    "pyreadstat.dta",
    "pyreadstat.xpt",
    "haven-stata12.dta",
];

#[test]
fn a_file_that_is_cut_off_is_never_read_as_if_it_were_whole() {
    for name in FIXTURES {
        let bytes = fixture(name);
        let program = Program::of(&bytes).unwrap();
        let step = (bytes.len() / 400).max(1);
        for end in (0..bytes.len()).step_by(step) {
            match read(program, &bytes[..end]) {
                Err(_) => {}
                // What follows the records of a plain file is padding or labels; the number of records of version 5 is nowhere.
                Ok(file) => {
                    let is_end = bytes.len() - end < 700 || program == Program::SasTransport;
                    assert!(is_end, "{name} cut at {end} of {}: {} rows", bytes.len(), file.rows);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever bytes are changed, a file is read or refused; it neither panics nor takes more memory than its bytes warrant.
    #[test]
    fn no_damage_makes_a_reader_fall_over(
        which in 0..FIXTURES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<[u8; 4]>(), 1_usize..=4), 1..6),
    ) {
        let mut bytes = fixture(FIXTURES[which]);
        let program = Program::of(&bytes).unwrap();
        for (at, with, length) in changes {
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            bytes[at..end].copy_from_slice(&with[..end - at]);
        }
        if let Ok(file) = read(program, &bytes) {
            prop_assert!(file.columns.iter().all(|column| column.values.len() == file.rows));
            prop_assert!(file.rows <= bytes.len());
        }
    }

    /// Lengths are what hostile files lie about: every aligned word becomes a large number, one after the other.
    #[test]
    fn no_length_is_believed(which in 0..FIXTURES.len(), at in any::<prop::sample::Index>(), large in prop::sample::select(vec![i32::MAX, -1, 0x7fff_fff0, 1 << 24, i32::MIN])) {
        let mut bytes = fixture(FIXTURES[which]);
        let program = Program::of(&bytes).unwrap();
        let at = at.index(bytes.len() / 4) * 4;
        bytes[at..at + 4].copy_from_slice(&large.to_le_bytes());
        if let Ok(file) = read(program, &bytes) {
            prop_assert!(file.rows <= bytes.len());
        }
    }

    #[test]
    fn columns_survive_the_files_of_both_programs(
        values in prop::collection::vec(prop_oneof![4 => -200.0..300.0_f64, 2 => (-5_i32..300).prop_map(f64::from), 1 => Just(f64::NAN)], 1..40),
        words in prop::collection::vec("[a-zé ]{0,6}[a-zé]|[a-z]{250,600}|", 1..40),
    ) {
        let rows = values.len().min(words.len());
        let values: Vec<f64> = values[..rows].iter().map(|value| if value.is_nan() { missing(None) } else { *value }).collect();
        let texts = Texts { dictionary: words[..rows].to_vec(), codes: (0..rows as u32).collect() };
        let columns = vec![LabelledColumn::new("x", Values::Numbers(values)), LabelledColumn::new("some_long_name", Values::Texts(texts))];
        let file = LabelledFile { program: Program::Spss, label: "t".into(), rows, columns, weight: None };
        for again in [
            read(Program::Spss, &spss_bytes(&file, SpssCompression::Bytecode)).unwrap(),
            read(Program::Spss, &spss_bytes(&file, SpssCompression::Zlib)).unwrap(),
            read(Program::Stata, &stata_bytes(&file)).unwrap(),
        ] {
            prop_assert_eq!(numbers(&again, "x"), numbers(&file, "x"));
            prop_assert_eq!(self::texts(&again, "some_long_name"), self::texts(&file, "some_long_name"));
        }
    }
}
