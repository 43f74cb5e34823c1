//! Records in files are counted, learned and sampled as the same records in memory are.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::quantiles::digits_partition;
use super::*;
use crate::read::{read_csv_text, read_table};
use crate::schema::SchemaFile;
use crate::write::{Format, write_table};
use crate::{Attributes, Column, CountSource, Grouping, Remembered, Source, Table};

const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n\
    [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
    [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c, d\"]\nmissing = true\n\
    [variables.age]\nkind = \"integer\"\nrange = [0, 99]\n\
    [variables.pay]\nkind = \"real\"\ncodes = { -8 = \"none\" }\nmissing = true\n\
    [variables.born]\nkind = \"date\"\n\
    [variables.id]\nkind = \"text-id\"\n";

fn text(rows: std::ops::Range<usize>) -> String {
    let mut text = String::from("sex,town,age,pay,born,id\n");
    for row in rows {
        let town = ["a", "b", "\"c, d\"", ""][row % 4];
        let pay = match row % 7 {
            0 => "-8".to_owned(),
            1 => String::new(),
            _ => format!("{}", (row * row % 997) as f64 / 8.0),
        };
        let (sex, age, day) = (["F", "M"][row / 3 % 2], row * 31 % 90, 1 + row % 28);
        text += &format!("{sex},{town},{age},{pay},1990-03-{day:02},p{row}\n");
    }
    text
}

fn options(schema: Option<&str>) -> ReadOptions {
    let schema = schema.map(|schema| SchemaFile::parse(schema).unwrap());
    ReadOptions { schema, ..ReadOptions::default() }
}

fn memory(schema: Option<&str>) -> Table {
    read_csv_text(&text(0..900), &options(schema)).unwrap()
}

/// The same 900 records in three files of a format.
fn folder(format: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("people");
    std::fs::create_dir(&place).unwrap();
    for (part, rows) in [0..300, 300..301, 301..900].into_iter().enumerate() {
        let text = text(rows);
        let path = place.join(format!("part-{part}.{format}"));
        match format {
            "csv" => std::fs::write(path, text).unwrap(),
            "csv.gz" => {
                let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                packed.write_all(text.as_bytes()).unwrap();
                std::fs::write(path, packed.finish().unwrap()).unwrap();
            }
            "parquet" => {
                write_table(&read_csv_text(&text, &options(Some(SCHEMA))).unwrap(), &path, Format::Parquet)
                    .unwrap();
            }
            _ => to_arrow(&read_csv_text(&text, &options(Some(SCHEMA))).unwrap(), &path),
        }
    }
    (folder, place)
}

fn to_arrow(table: &Table, path: &Path) {
    let parquet = path.with_extension("tmp");
    write_table(table, &parquet, Format::Parquet).unwrap();
    let file = std::fs::File::open(&parquet).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let schema = reader.schema().clone();
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(std::fs::File::create(path).unwrap(), &schema).unwrap();
    reader.with_batch_size(77).build().unwrap().for_each(|batch| writer.write(&batch.unwrap()).unwrap());
    writer.finish().unwrap();
    std::fs::remove_file(parquet).unwrap();
}

fn open(place: &Path, schema: Option<&str>) -> Result<StreamedTable, TableError> {
    StreamedTable::open(DataFiles::of(place)?, &options(schema), None)
}

#[test]
fn files_count_as_the_same_records_in_memory() {
    let records = memory(Some(SCHEMA));
    let expected = Source::from(&records).counts(5).unwrap();
    let all = Attributes::all(expected.domain());
    for format in ["csv", "csv.gz", "parquet", "arrow"] {
        let (_folder, place) = folder(format);
        let files = open(&place, Some(SCHEMA)).unwrap();
        assert_eq!((files.records(), files.schema()), (900, records.schema()), "{format}");
        let counts = Source::from(&files).counts(5).unwrap();
        assert_eq!(counts.domain(), expected.domain(), "{format}");
        assert_eq!(counts.records(), 900);
        for ways in 0..=3 {
            assert_eq!(counts.all_margins(ways).unwrap(), expected.all_margins(ways).unwrap(), "{format}");
        }
        assert_eq!(counts.contingency_table(&all).unwrap(), expected.contingency_table(&all).unwrap());
        // The whole folder as one table, and a pattern.
        assert_eq!(read_table(&place, &options(Some(SCHEMA))).unwrap(), records, "{format}");
        let pattern = place.join(format!("part-[0].{format}").replace("[0]", "?"));
        assert_eq!(read_table(&pattern, &options(Some(SCHEMA))).unwrap(), records);
    }
}

#[test]
fn what_is_learned_from_files_is_what_memory_learns() {
    let shown = memory(None);
    for format in ["csv", "csv.gz"] {
        let (_folder, place) = folder(format);
        let files = open(&place, None).unwrap();
        assert_eq!(files.schema(), shown.schema());
        assert_eq!(read_table(&place, &options(None)).unwrap(), shown);
    }
    for format in ["parquet", "arrow"] {
        let (_folder, place) = folder(format);
        assert_eq!(
            open(&place, None).unwrap().schema(),
            read_table(&place, &options(None)).unwrap().schema()
        );
    }
    let open_levels = SCHEMA
        .replace("declared = true\nreason = \"invented\"\n", "")
        .replace("levels = [\"F\", \"M\"]\n", "");
    let (_folder, place) = folder("csv");
    let files = open(&place, Some(&open_levels)).unwrap();
    assert_eq!(files.schema(), memory(Some(&open_levels)).schema());
}

/// A column that is numbers in one file and text in the next, and one that is missing in the first file.
#[test]
fn kinds_are_those_of_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let parts = ["a,b,c\n1,,0.5\n2,,1\n", "a,b,c\n1,2011-03-27,x\n2,2011-03-28,0.25\n"];
    parts
        .iter()
        .enumerate()
        .for_each(|(at, part)| std::fs::write(folder.path().join(format!("{at}.csv")), part).unwrap());
    let together =
        read_csv_text("a,b,c\n1,,0.5\n2,,1\n1,2011-03-27,x\n2,2011-03-28,0.25\n", &options(None)).unwrap();
    assert_eq!(open(folder.path(), None).unwrap().schema(), together.schema());
    assert_eq!(read_table(folder.path(), &options(None)).unwrap(), together);
    std::fs::write(folder.path().join("2.csv"), "b,a,c\n,7,y\n").unwrap();
    assert_eq!(read_table(folder.path(), &options(None)).unwrap().rows(), 5);
    std::fs::write(folder.path().join("3.csv"), "a,b\n1,\n").unwrap();
    let error = open(folder.path(), None).unwrap_err().to_string();
    assert!(error.contains("3.csv") && error.contains("lacks the column `c`"), "{error}");
}

#[test]
fn names_of_subfolders_are_columns() {
    let folder = tempfile::tempdir().unwrap();
    for (part, (year, region)) in
        [("2010", "north"), ("2011", "south"), ("2011", "__HIVE_DEFAULT_PARTITION__")].iter().enumerate()
    {
        let place = folder.path().join(format!("year={year}/region={region}"));
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join("p.csv"), format!("x\n{part}\n{part}\n")).unwrap();
    }
    let together =
        "x,year,region\n0,2010,north\n0,2010,north\n2,2011,\n2,2011,\n1,2011,south\n1,2011,south\n";
    let together = read_csv_text(together, &options(None)).unwrap();
    assert_eq!(read_table(folder.path(), &options(None)).unwrap(), together);
    assert_eq!(open(folder.path(), None).unwrap().schema(), together.schema());
}

#[test]
fn samples_are_records_of_the_table_and_the_same_for_a_seed() {
    let records = memory(Some(SCHEMA));
    for format in ["csv", "parquet", "arrow"] {
        let (_folder, place) = folder(format);
        let files = open(&place, Some(SCHEMA)).unwrap();
        assert!(files.sample(5_000, 1).unwrap() == records);
        let some = files.sample(40, 3).unwrap();
        let chosen: Vec<u32> = chosen_rows(900, 40, 3).into_iter().map(|row| row as u32).collect();
        let texts = |table: &Table| crate::write::csv_text(table);
        assert!(texts(&some) == texts(&records.take(&chosen).unwrap()));
        assert!(texts(&Source::from(&records).sample(40, 3).unwrap().unwrap()) == texts(&some));
        let Column::Text(names) = some.column("id").unwrap() else { panic!("identifiers") };
        assert_eq!(names.dictionary.len(), 40);
    }
}

/// Counts, extremes and keys are those of all records, and what a profile in memory says.
#[test]
fn some_variables_of_all_records_are_those_of_memory() {
    let records = memory(Some(SCHEMA));
    let names: Vec<&str> =
        records.schema().variables().iter().map(|variable| variable.name.as_str()).collect();
    for format in ["csv", "parquet"] {
        let (_folder, place) = folder(format);
        let files = open(&place, Some(SCHEMA)).unwrap();
        for some in [&names[..], &names[..2], &names[1..]] {
            let backwards: Vec<&str> = some.iter().rev().copied().collect();
            assert_eq!(files.variables(&backwards).unwrap(), records.select(some).unwrap(), "{format}");
        }
        assert!(files.variables(&["nobody"]).is_err());
        let little =
            StreamedTable::open(DataFiles::of(&place).unwrap(), &options(Some(SCHEMA)), Some(10_000))
                .unwrap();
        let error = little.variables(&names).unwrap_err().to_string();
        assert!(error.contains("variables") && error.contains("allowed"), "{error}");
    }
}

#[test]
fn files_are_profiled_as_the_same_records_in_memory() {
    let (_folder, place) = folder("parquet");
    let files = open(&place, Some(SCHEMA)).unwrap();
    let on = ["sex".to_owned(), "age".to_owned()];
    let records = memory(Some(SCHEMA));
    let expected = crate::profile::profile(&records, &on, &Grouping::default()).unwrap();
    let json = |profile: &crate::profile::Profile| serde_json::to_value(profile).unwrap();
    let (found, _) = crate::profile::profile_of_files(&files, &on).unwrap();
    assert_eq!(json(&found), json(&expected));
    assert_eq!(files.extremes(&["age", "pay", "born"]).unwrap()[0], Some((0.0, 89.0)));
    let counts = files.counts_in(files.exact_domain(&on).unwrap());
    let all = Attributes::all(counts.domain());
    assert_eq!(counts.contingency_table(&all).unwrap().unique_records(), expected.keys.unwrap().uniques);
    assert!(files.exact_domain(&["id".into()]).unwrap_err().to_string().contains("identifier"));
}

/// What a sample cannot know is marked, and all else is of all records.
#[test]
fn what_a_profile_has_from_a_sample_is_marked() {
    let (_folder, place) = folder("parquet");
    let files = open(&place, Some(SCHEMA)).unwrap();
    let (found, sample) = crate::profile::profile_with_sample(&files, &[], 100).unwrap();
    let of_all = crate::profile::profile(&memory(Some(SCHEMA)), &[], &Grouping::default()).unwrap();
    assert_eq!((sample.rows(), found.sampled, found.rows), (100, Some(100), 900));
    for (found, of_all) in found.variables.iter().zip(&of_all.variables) {
        let has_levels = ["sex", "town"].contains(&found.name.as_str());
        assert_eq!(found.levels_are_sampled, !has_levels, "{}", found.name);
        if has_levels {
            assert_eq!((found.levels, &found.shape), (of_all.levels, &of_all.shape), "{}", found.name);
        } else {
            assert!(found.levels <= of_all.levels.min(100), "{}", found.name);
        }
        assert_eq!((found.missing, &found.codes), (of_all.missing, &of_all.codes), "{}", found.name);
        assert_eq!((&found.min, &found.max), (&of_all.min, &of_all.max), "{}", found.name);
    }
    assert!(of_all.variables.iter().all(|variable| !variable.levels_are_sampled));
}

#[test]
fn quantiles_are_exact_however_many_values_there_are() {
    let records = memory(Some(SCHEMA));
    let (_folder, place) = folder("parquet");
    let files = open(&place, Some(SCHEMA)).unwrap();
    for name in ["pay", "age", "born"] {
        let variable = files.schema().variable(name).unwrap();
        for groups in [3, 5, 8] {
            let expected =
                Grouping::quantiles(groups).classes(variable, records.column(name).unwrap()).unwrap();
            let found = digits_partition(&files, variable, groups).unwrap();
            assert_eq!(crate::Classes::new(variable, found), expected, "{name} {groups}");
        }
    }
}

#[test]
fn what_breaks_the_schema_is_refused_with_its_file_and_without_its_value() {
    for format in ["csv", "parquet"] {
        let (_folder, place) = folder(format);
        let narrow = SCHEMA.replace("\"c, d\"", "\"e\"");
        // CSV is compared with its schema when its records are counted, Parquet in the first pass that is asked for.
        let error = match open(&place, Some(&narrow)) {
            Err(error) => error,
            Ok(files) => {
                let domain = Source::from(&memory(Some(SCHEMA))).counts(5).unwrap().domain().clone();
                files.counts_in(domain).margins(&[Attributes::new([0])]).unwrap_err()
            }
        };
        let error = error.to_string();
        assert!(error.contains("part-0") && error.contains("`town`") && !error.contains("c, d"), "{error}");
        assert!(error.contains("75 records") && error.contains("other files"), "{error}");
    }
    let (_folder, place) = folder("parquet");
    let ruled = format!("{SCHEMA}[[rules]]\nwhen = \"age < 40\"\nthen = \"sex = 'F'\"\n");
    let files = open(&place, Some(&ruled)).unwrap();
    let error = files.check().unwrap_err().to_string();
    assert!(error.contains("the rule `when age < 40"), "{error}");
}

#[test]
fn files_that_change_are_refused() {
    type Change = fn(&Path);
    let append: Change = |place| {
        let mut file = std::fs::OpenOptions::new().append(true).open(place.join("part-2.csv")).unwrap();
        file.write_all(b"F,a,1,1,1990-03-01,new\n").unwrap();
    };
    let truncate: Change = |place| {
        let path = place.join("part-2.csv");
        let text = std::fs::read_to_string(&path).unwrap();
        let half = text[..text.len() / 2].rfind('\n').unwrap();
        std::fs::write(&path, &text[..=half]).unwrap();
    };
    let replace: Change = |place| {
        let (path, other) = (place.join("part-0.csv"), place.join("part-0.tmp"));
        std::fs::copy(&path, &other).unwrap();
        std::fs::rename(other, path).unwrap();
    };
    let more: Change = |place| std::fs::write(place.join("part-9.csv"), text(0..3)).unwrap();
    let fewer: Change = |place| std::fs::remove_file(place.join("part-1.csv")).unwrap();
    for change in [append, truncate, replace, more, fewer] {
        let (_folder, place) = folder("csv");
        let files = open(&place, Some(SCHEMA)).unwrap();
        let counts = files.counts_in(files.domain(5).unwrap());
        let pair = [Attributes::new([0, 1])];
        counts.margins(&pair).unwrap();
        change(&place);
        let error = counts.margins(&pair).unwrap_err().to_string();
        assert!(error.contains("changed while it was read"), "{error}");
    }
}

/// Opens files, and changes them in the midst of the next pass, when its first bytes have been read.
fn changed_in_mid_pass(place: &Path, change: fn(&Path)) -> TableError {
    use std::sync::Arc;
    let (armed, at) = (Arc::new(AtomicBool::new(false)), place.to_owned());
    let armed_there = Arc::clone(&armed);
    let watch = crate::watch::Watch::new(move |step| {
        if matches!(step, crate::watch::Step::Reading { .. }) && armed_there.swap(false, Ordering::SeqCst) {
            change(&at);
        }
    });
    let options = ReadOptions { watch, ..options(Some(SCHEMA)) };
    let files = StreamedTable::open(DataFiles::of(place).unwrap(), &options, None).unwrap();
    let counts = files.counts_in(files.domain(5).unwrap());
    armed.store(true, Ordering::SeqCst);
    let error = counts.margins(&[Attributes::new([0, 1])]).unwrap_err();
    assert!(!armed.load(Ordering::SeqCst), "the pass was not disturbed");
    error
}

#[test]
fn files_that_change_in_the_midst_of_a_pass_are_refused() {
    fn of_ending(place: &Path, part: &str) -> PathBuf {
        let entries = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
        entries.into_iter().find(|path| path.display().to_string().contains(part)).unwrap()
    }
    let append = |place: &Path| {
        let path = of_ending(place, "part-2");
        std::fs::OpenOptions::new()
            .append(true)
            .open(path)
            .unwrap()
            .write_all(b"F,a,1,1,1990-03-01,new\n")
            .unwrap();
    };
    let truncate = |place: &Path| {
        let path = of_ending(place, "part-2");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    };
    let replace = |place: &Path| {
        let path = of_ending(place, "part-0");
        let other = place.with_extension("tmp");
        std::fs::copy(&path, &other).unwrap();
        std::fs::rename(other, path).unwrap();
    };
    type Change = fn(&Path);
    let changes: [(&str, Change); 3] = [("append", append), ("truncate", truncate), ("replace", replace)];
    for format in ["csv", "csv.gz", "parquet"] {
        for (name, change) in changes {
            let (_folder, place) = folder(format);
            let error = changed_in_mid_pass(&place, change).to_string();
            // What is cut may be found out about sooner, as a row or a row group that ends too early.
            assert!(error.contains("part-") || error.contains("changed"), "{format} {name}: {error}");
            assert!(
                name == "truncate" || error.contains("changed while it was read"),
                "{format} {name}: {error}"
            );
        }
    }
}

#[test]
fn a_level_outside_the_schema_in_the_last_record_is_refused_by_file_and_column() {
    for format in ["csv", "parquet", "arrow"] {
        let (_folder, place) = folder(format);
        let strange = text(890..899) + "F,secret,1,1,1990-03-01,last\n";
        let wide = SCHEMA.replace("\"c, d\"", "\"c, d\", \"secret\"");
        let table = read_csv_text(&strange, &options(Some(&wide))).unwrap();
        let path = place.join(format!("part-9.{format}"));
        match format {
            "csv" => std::fs::write(path, strange).unwrap(),
            "parquet" => write_table(&table, &path, Format::Parquet).unwrap(),
            _ => to_arrow(&table, &path),
        }
        let error = match open(&place, Some(SCHEMA)) {
            Err(error) => error,
            Ok(files) => files.check().unwrap_err(),
        };
        let error = error.to_string();
        assert!(
            error.contains("part-9") && error.contains("`town`") && error.contains("1 record"),
            "{format}: {error}"
        );
        assert!(!error.contains("secret"), "{format}: {error}");
    }
}

#[test]
fn cancelled_work_ends_and_memory_is_honoured() {
    let (_folder, place) = folder("parquet");
    let files = open(&place, Some(SCHEMA)).unwrap();
    let all = Attributes::all(&files.domain(60).unwrap());
    let small =
        StreamedTable::open(DataFiles::of(&place).unwrap(), &options(Some(SCHEMA)), Some(1_000)).unwrap();
    let error = small.counts_in(small.domain(60).unwrap()).contingency_table(&all).err().unwrap().to_string();
    assert!(error.contains("`memory`") && error.contains("sex × town"), "{error}");
    let options = options(Some(SCHEMA));
    options.watch.cancel().now();
    assert!(matches!(
        StreamedTable::open(DataFiles::of(&place).unwrap(), &options, None),
        Err(TableError::Cancelled)
    ));
}

#[test]
fn prefetched_margins_take_one_pass() {
    let (_folder, place) = folder("parquet");
    let with_cuts = SCHEMA
        .replace("range = [0, 99]\n", "range = [0, 99]\ncuts = [0, 18, 65, 99]\n")
        .replace("missing = true\n[variables.born]\nkind = \"date\"\n", "missing = true\nrange = [0, 200]\ncuts = [0, 50, 200]\n[variables.born]\nkind = \"date\"\ncuts = [\"1990-01-01\", \"1990-12-31\"]\n");
    let files = open(&place, Some(&with_cuts)).unwrap();
    let counts = Remembered::new(files.counts_in(files.domain(5).unwrap()));
    assert_eq!(files.passes(), 0, "footers and the schema say all");
    counts.prefetch(&Attributes::combinations(counts.domain(), 2)).unwrap();
    let singles = counts.all_margins(1).unwrap();
    assert!(singles.iter().all(|margin| margin.total() == 900));
    assert_eq!((files.passes(), counts.passes()), (1, 1));
}
