//! Tables into files: CSV, JSON lines, Parquet, Arrow, Excel, SPSS and Stata, written whole or not at all; into Arrow batches in memory.

mod arrow;
mod csv;
mod excel;
mod ipc;
mod json_lines;
mod labelled;
mod parquet;
mod written;

use std::io::Write;

use ::labelled::{LabelledError, Program, SpssCompression, write_spss, write_stata};
pub use arrow::record_batch;
use flate2::write::GzEncoder;

use crate::{Schema, Table};

/// The formats we write.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub enum Format {
    /// Comma-separated text with a header; missing is the empty field. Semicolons separate where the schema has decimal commas.
    #[default]
    #[serde(rename = "csv")]
    Csv,
    /// The same, packed with gzip.
    #[serde(rename = "csv.gz")]
    CsvGzip,
    /// The same, packed with zstd.
    #[serde(rename = "csv.zst")]
    CsvZstd,
    /// JSON lines: one object a record.
    #[serde(rename = "jsonl")]
    JsonLines,
    /// Parquet, compressed with zstd.
    #[serde(rename = "parquet")]
    Parquet,
    /// Arrow IPC (Feather), with categories as dictionaries.
    #[serde(rename = "arrow")]
    Arrow,
    /// SPSS, with labels.
    #[serde(rename = "sav")]
    Sav,
    /// SPSS compressed with zlib, with labels.
    #[serde(rename = "zsav")]
    Zsav,
    /// Stata 14 and later, with labels.
    #[serde(rename = "dta")]
    Dta,
    /// Excel.
    #[serde(rename = "xlsx")]
    Xlsx,
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|format| format.extension() == name);
        known.ok_or_else(|| format!("say one of {}", Self::ALL.map(Self::extension).join(", ")))
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.extension())
    }
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 10] = [
        Self::Csv,
        Self::CsvGzip,
        Self::CsvZstd,
        Self::JsonLines,
        Self::Parquet,
        Self::Arrow,
        Self::Sav,
        Self::Zsav,
        Self::Dta,
        Self::Xlsx,
    ];

    /// The ending of its files, by which it is called.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::CsvGzip => "csv.gz",
            Self::CsvZstd => "csv.zst",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Sav => "sav",
            Self::Zsav => "zsav",
            Self::Dta => "dta",
            Self::Xlsx => "xlsx",
        }
    }
}

/// Writes tables of one schema, part after part, into one file. Arrow, SPSS, Stata and Excel must know all records before the first is written; their parts are kept in memory until then.
pub struct TableWriter<W: Write + Send>(Inner<W>);

enum Inner<W: Write + Send> {
    Csv(csv::CsvWriter<W>),
    Gzip(csv::CsvWriter<GzEncoder<W>>),
    Zstd(csv::CsvWriter<zstd::Encoder<'static, W>>),
    JsonLines(json_lines::JsonLinesWriter<W>),
    Parquet(Box<parquet::ParquetWriter<W>>),
    Whole { sink: W, schema: Box<Schema>, format: Format, parts: Vec<Table> },
}

impl<W: Write + Send> TableWriter<W> {
    /// A writer of records of this schema.
    pub fn new(sink: W, schema: &Schema, format: Format) -> std::io::Result<Self> {
        Ok(Self(match format {
            Format::Csv => Inner::Csv(csv::CsvWriter::new(sink, schema)?),
            Format::CsvGzip => {
                let sink = GzEncoder::new(sink, flate2::Compression::default());
                Inner::Gzip(csv::CsvWriter::new(sink, schema)?)
            }
            Format::CsvZstd => Inner::Zstd(csv::CsvWriter::new(zstd::Encoder::new(sink, 0)?, schema)?),
            Format::JsonLines => Inner::JsonLines(json_lines::JsonLinesWriter::new(sink, schema)),
            Format::Parquet => Inner::Parquet(Box::new(parquet::ParquetWriter::new(sink, schema)?)),
            Format::Arrow | Format::Sav | Format::Zsav | Format::Dta | Format::Xlsx => {
                Inner::Whole { sink, schema: Box::new(schema.clone()), format, parts: Vec::new() }
            }
        }))
    }

    /// Whether texts that a spreadsheet would run as a formula are written as they are, and not guarded by an apostrophe as usual. Only CSV needs it.
    pub fn keep_formulas(self, keep: bool) -> Self {
        Self(match self.0 {
            Inner::Csv(writer) => Inner::Csv(writer.keep_formulas(keep)),
            Inner::Gzip(writer) => Inner::Gzip(writer.keep_formulas(keep)),
            Inner::Zstd(writer) => Inner::Zstd(writer.keep_formulas(keep)),
            typed => typed,
        })
    }

    /// Writes some records.
    pub fn write(&mut self, table: &Table) -> std::io::Result<()> {
        match &mut self.0 {
            Inner::Csv(writer) => writer.write(table),
            Inner::Gzip(writer) => writer.write(table),
            Inner::Zstd(writer) => writer.write(table),
            Inner::JsonLines(writer) => writer.write(table),
            Inner::Parquet(writer) => writer.write(table),
            Inner::Whole { parts, .. } => {
                parts.push(table.clone());
                Ok(())
            }
        }
    }

    /// Writes what is left and gives the sink back.
    pub fn finish(self) -> std::io::Result<W> {
        match self.0 {
            Inner::Csv(writer) => writer.finish(),
            Inner::Gzip(writer) => writer.finish()?.finish(),
            Inner::Zstd(writer) => writer.finish()?.finish(),
            Inner::JsonLines(writer) => writer.finish(),
            Inner::Parquet(writer) => writer.finish(),
            Inner::Whole { mut sink, schema, format, parts } => {
                write_whole(&mut sink, &schema, format, &parts)?;
                sink.flush()?;
                Ok(sink)
            }
        }
    }
}

fn write_whole(
    sink: &mut dyn Write,
    schema: &Schema,
    format: Format,
    parts: &[Table],
) -> std::io::Result<()> {
    let refused =
        |error: LabelledError| std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string());
    match format {
        Format::Arrow => ipc::write(sink, schema, parts),
        Format::Xlsx => sink.write_all(&excel::bytes(schema, parts)?),
        Format::Dta => write_stata(&labelled::file(schema, parts, Program::Stata)?, sink).map_err(refused),
        Format::Zsav => {
            write_spss(&labelled::file(schema, parts, Program::Spss)?, SpssCompression::Zlib, sink)
                .map_err(refused)
        }
        _ => write_spss(&labelled::file(schema, parts, Program::Spss)?, SpssCompression::Bytecode, sink)
            .map_err(refused),
    }
}

/// Writes a table to `path`, whole or not at all.
#[cfg(test)]
pub(crate) fn write_table(
    table: &Table,
    path: &std::path::Path,
    format: Format,
) -> Result<(), crate::TableError> {
    let bytes = bytes(table, format).map_err(|source| crate::TableError::io(path, source))?;
    crate::atomic_file::write(path, &bytes)
}

fn bytes(table: &Table, format: Format) -> std::io::Result<Vec<u8>> {
    let mut writer = TableWriter::new(Vec::new(), table.schema(), format)?;
    writer.write(table)?;
    writer.finish()
}

/// The table as CSV text.
pub fn csv_text(table: &Table) -> String {
    let text = bytes(table, Format::Csv).map(String::from_utf8);
    debug_assert!(matches!(text, Ok(Ok(_))), "writing to memory cannot fail");
    text.map(Result::unwrap_or_default).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_csv_text, read_table};
    use crate::schema::SchemaFile;

    const SCHEMA: &str = "[variables.sex]\nkind = \"categorical\"\nlevels = [\"M, or \\\"m\\\"\", \"F\"]\nmissing = true\n\
        [variables.pay]\nkind = \"real\"\ncodes = { -8 = \"none\" }\nmissing = true\n[variables.age]\nkind = \"integer\"\n\
        [variables.born]\nkind = \"date\"\nformat = \"DD.MM.YYYY\"\nmissing = true\n[variables.id]\nkind = \"text-id\"\n";
    const TEXT: &str =
        "sex,pay,age,born,id\n\"M, or \"\"m\"\"\",0.1,-3,27.03.2011,x\n,-8,4,,y\nF,,5,01.01.1970,z\n";

    #[test]
    fn what_is_written_reads_back_the_same() {
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(SCHEMA).unwrap()), ..ReadOptions::default() };
        let table = read_csv_text(TEXT, &options).unwrap();
        assert_eq!(csv_text(&table), TEXT);
        let folder = tempfile::tempdir().unwrap();
        for format in Format::ALL {
            let path = folder.path().join(format.extension());
            write_table(&table, &path, format).unwrap();
            assert_eq!(read_table(&path, &options).unwrap().columns(), table.columns(), "{format:?}");
        }
    }
}
