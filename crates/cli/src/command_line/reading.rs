//! How a table is read, as options.

use std::path::{Path, PathBuf};

use clap::Args;
use lookalike::Data;
use table::schema::DecimalMark;

/// How to read a table.
#[derive(Debug, Args)]
pub(super) struct Reading {
    /// The schema: TOML, SDV metadata (JSON) or a private-PGM domain (JSON)
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Texts that mean missing, beside the empty field
    #[arg(long, value_name = "TOKEN,…", value_delimiter = ',')]
    missing: Vec<String>,
    /// The field separator of a CSV file [default: comma, semicolon or tab, whichever the header has]
    #[arg(long, value_name = "CHARACTER", value_parser = table::read::separator)]
    separator: Option<char>,
    /// The sheet of an Excel file [default: the only one that holds something]
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// What stands before the decimals of a number in a CSV file: a point or a comma [default: what the schema says, else a point]
    #[arg(long, value_name = "MARK")]
    decimal: Option<DecimalMark>,
    /// Read the files block by block and never hold their records, also where they would fit into memory; what needs the records themselves is refused [default: only
    /// where they would not fit]
    #[arg(long)]
    stream: bool,
}

impl Reading {
    /// The file of the schema, if one is named.
    pub(super) fn schema(&self) -> Option<&Path> {
        self.schema.as_deref()
    }

    /// A file, read in this way.
    pub(super) fn data(&self, path: impl Into<PathBuf>) -> Data {
        let data = Data::file(path)
            .with_missing(&self.missing)
            .with_separator(self.separator)
            .with_sheet(self.sheet.clone())
            .with_decimal(self.decimal)
            .streaming(self.stream);
        match &self.schema {
            Some(schema) => data.with_schema(schema),
            None => data,
        }
    }
}
