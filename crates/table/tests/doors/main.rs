//! The doors of tables and schemas, tried with altered files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod alteration;
mod harness;

use std::path::Path;

use harness::{Target, file, text, try_all};
use table::expression::Expression;
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;

// Cargo runs tests in the folder of their package.
const CORPUS: &str = "tests/doors/corpus";

const CSV_WORDS: &[&str] = &[",", ";", "\"", "\"\"", "\r\n", "\n", "\u{feff}", "NA", "1e5", "x,"];
const TOML_WORDS: &[&str] = &[
    "[",
    "]",
    "[[",
    "=",
    "\"",
    "'''",
    "{",
    "}",
    "\n",
    "declared = true\n",
    "levels = [",
    "range = [",
    "[variables.x]\n",
    "a.",
];
const JSON_WORDS: &[&str] = &["{", "}", "[", "]", "\"", ":", ",", "null", "true", "\\u0000", "-"];
const EXPRESSION_WORDS: &[&str] = &[
    "(",
    ")",
    " and ",
    " or ",
    " not ",
    " in (",
    ", ",
    " between ",
    "'",
    "\"",
    " is missing",
    "-",
    " + ",
    " / ",
    "min(",
    " case when ",
    "--",
    "/*",
    "x",
];

const TARGETS: &[Target] = &[
    Target {
        name: "csv",
        corpus: CORPUS,
        words: CSV_WORDS,
        read: |bytes, folder| table(bytes, folder, "x.csv"),
    },
    Target {
        name: "gz",
        corpus: CORPUS,
        words: &["\u{1f}"],
        read: |bytes, folder| table(bytes, folder, "x.csv.gz"),
    },
    Target {
        name: "arrow",
        corpus: CORPUS,
        words: &["ARROW1", "\0\0\0\0"],
        read: |bytes, folder| table(bytes, folder, "x.arrow"),
    },
    Target {
        name: "parquet",
        corpus: CORPUS,
        words: &["PAR1", "\0\0\0\0"],
        read: |bytes, folder| table(bytes, folder, "x.parquet"),
    },
    Target { name: "schema", corpus: CORPUS, words: TOML_WORDS, read: |bytes, _| text(bytes, schema) },
    Target {
        name: "foreign-schema",
        corpus: CORPUS,
        words: JSON_WORDS,
        read: |bytes, folder| file(bytes, folder, "x.json", |path| SchemaFile::read(path).is_ok()),
    },
    Target {
        name: "expression",
        corpus: CORPUS,
        words: EXPRESSION_WORDS,
        read: |bytes, _| text(bytes, |text| Expression::parse(text).is_ok()),
    },
];

fn table(bytes: &[u8], folder: &Path, name: &str) -> bool {
    file(bytes, folder, name, |path| read_table(path, &ReadOptions::default()).is_ok())
}

/// A schema that is read is also finished, written, and read again.
fn schema(text: &str) -> bool {
    let Ok(finished) = SchemaFile::parse(text).and_then(SchemaFile::finish) else { return false };
    let again = SchemaFile::parse(&finished.to_toml()).and_then(SchemaFile::finish);
    assert!(again.is_ok(), "a schema that was written is read again: {again:?}");
    true
}

#[test]
fn no_door_can_be_broken() {
    try_all(TARGETS);
}
