//! Counts of an original stand in for its records in the families that need no more.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use measures::{Finding, MEASURES, Measure, Settings, evaluate_source};
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{Attributes, DeclaredSchema, Source, SparseSource, Table};

const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n\
    [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
    [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\"]\n\
    [variables.age]\nkind = \"integer\"\nrange = [0, 99]\ncuts = [0, 18, 65, 99]\n";

fn declared() -> DeclaredSchema {
    SchemaFile::parse(SCHEMA).unwrap().finish().unwrap().reviewed().unwrap()
}

fn people(rows: usize, step: usize) -> Table {
    let line = |row: usize| {
        let at = row * step + row / 3;
        format!("{},{},{}\n", ["F", "M"][at % 2], ["a", "b", "c", "a"][at % 4], (at * 31) % 100)
    };
    let text: String = (0..rows).map(line).collect();
    let options = ReadOptions { schema: Some(SchemaFile::parse(SCHEMA).unwrap()), ..ReadOptions::default() };
    read_csv_text(&format!("sex,town,age\n{text}"), &options).unwrap()
}

/// The counts of a table without the table.
fn counts(table: &Table) -> SparseSource {
    let coded = Source::from(table).counts(5).unwrap();
    let cross = coded.contingency_table(&Attributes::all(coded.domain())).unwrap();
    SparseSource::new(coded.domain().clone(), cross)
}

fn family(name: &str) -> Vec<&'static dyn Measure> {
    MEASURES.iter().copied().filter(|family| family.name() == name).collect()
}

/// Whether a finding looks within the declared classes, which takes the records.
fn looks_within(finding: &Finding) -> bool {
    let within = ["tables.fine_", "tables.farther_mean_s_pmse", "tables.sample_share"];
    within.iter().any(|name| finding.measure.starts_with(name))
}

/// Where every class is declared, records and counts say the same, number for number. Only records can be looked at within a class.
#[test]
fn counts_are_measured_like_the_records_that_they_count() {
    let (original, schema) = (people(300, 7), declared());
    let (one, other) = (people(300, 5), people(250, 11));
    let counts = counts(&original);
    let source = Source::Counts { schema: &schema, counts: &counts };
    let mut settings = Settings { ways: vec![1, 2, 3], ..Settings::default() };
    settings.named_tables = vec![vec!["town".into(), "sex".into()]];
    // Keys that are named are taken by value where there are records, and by class where there are counts.
    settings.keys = vec![Vec::new(), vec!["sex".into(), "town".into()]];
    settings.tau.at = vec![(1, 0.0), (2, 0.5), (0, 0.0)];
    for name in ["tables", "counts", "tau"] {
        for synthetic in [&[&one][..], &[&one, &other]] {
            let of_counts = evaluate_source(source, synthetic, &family(name), &settings).unwrap();
            let of_records = evaluate_source(&original, synthetic, &family(name), &settings).unwrap();
            let in_classes = |found: &[Finding]| -> Vec<Finding> {
                found.iter().filter(|finding| !looks_within(finding)).cloned().collect()
            };
            assert!(!of_counts.is_empty(), "{name}");
            assert_eq!(in_classes(&of_counts), in_classes(&of_records), "{name}");
            let is_fine = |finding: &Finding| finding.measure.starts_with("tables.fine_");
            assert!(!of_counts.iter().any(is_fine));
            assert_eq!(of_records.iter().any(is_fine), name == "tables", "{name}");
        }
    }
    let of_counts = evaluate_source(source, &[&one], &family("distance"), &settings).unwrap();
    let of_records = evaluate_source(&original, &[&one], &family("distance"), &settings).unwrap();
    for finding in of_counts.iter().filter(|finding| finding.value.is_some()) {
        assert!(of_records.contains(finding), "{finding:?}");
    }
    let undefined: Vec<&str> = of_counts
        .iter()
        .filter(|finding| finding.because.as_deref().is_some_and(|because| because.contains("records")))
        .map(|finding| finding.measure.as_str())
        .collect();
    assert_eq!(undefined, ["distance.ks", "distance.wasserstein"], "numbers need the records");
}

#[test]
fn what_needs_records_is_refused_by_name() {
    let (original, schema) = (people(60, 7), declared());
    let counts = counts(&original);
    let source = Source::Counts { schema: &schema, counts: &counts };
    let on_counts: Vec<&str> =
        MEASURES.iter().filter(|family| family.on_counts().is_some()).map(|family| family.name()).collect();
    assert_eq!(on_counts, ["tables", "counts", "distance", "tau"]);
    for family in MEASURES.iter().filter(|family| family.on_counts().is_none()) {
        let error =
            evaluate_source(source, &[&original], &[*family], &Settings::default()).unwrap_err().to_string();
        let named = format!("`{}` needs the records themselves", family.name());
        assert!(error.contains(&named) && error.contains("leave it out"), "{error}");
    }
    let learned = read_csv_text("sex,town,age\nM,c,20\nF,a,30\n", &ReadOptions::default()).unwrap();
    let error = evaluate_source(source, &[&learned], &family("tables"), &Settings::default()).unwrap_err();
    assert!(error.to_string().contains("read it with that schema"), "{error}");
    let part = original.select(&["sex", "age"]).unwrap();
    let error = evaluate_source(source, &[&part], &family("tables"), &Settings::default()).unwrap_err();
    assert!(error.to_string().contains("`town`"), "{error}");
}
