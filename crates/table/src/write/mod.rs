//! Tables into files, CSV and Parquet, written whole or not at all; into Arrow batches in memory.

mod arrow;
mod csv;
mod parquet;

use std::io::Write;

pub use arrow::record_batch;

use crate::{Schema, Table};

/// The formats we write.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Comma-separated text with a header; missing is the empty field. Semicolons separate where the schema has decimal commas.
    #[default]
    Csv,
    /// Parquet, compressed with zstd.
    Parquet,
}

impl std::str::FromStr for Format {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "csv" => Ok(Self::Csv),
            "parquet" => Ok(Self::Parquet),
            _ => Err("say csv or parquet"),
        }
    }
}

impl Format {
    /// The ending of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}

/// Writes tables of one schema, part after part, into one file.
pub struct TableWriter<W: Write + Send>(Inner<W>);

enum Inner<W: Write + Send> {
    Csv(csv::CsvWriter<W>),
    Parquet(Box<parquet::ParquetWriter<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// A writer of records of this schema.
    pub fn new(sink: W, schema: &Schema, format: Format) -> std::io::Result<Self> {
        Ok(Self(match format {
            Format::Csv => Inner::Csv(csv::CsvWriter::new(sink, schema)?),
            Format::Parquet => Inner::Parquet(Box::new(parquet::ParquetWriter::new(sink, schema)?)),
        }))
    }

    /// Whether texts that a spreadsheet would run as a formula are written as they are, and not guarded by an apostrophe as usual.
    pub fn keep_formulas(self, keep: bool) -> Self {
        Self(match self.0 {
            Inner::Csv(writer) => Inner::Csv(writer.keep_formulas(keep)),
            parquet => parquet,
        })
    }

    /// Writes some records.
    pub fn write(&mut self, table: &Table) -> std::io::Result<()> {
        match &mut self.0 {
            Inner::Csv(writer) => writer.write(table),
            Inner::Parquet(writer) => writer.write(table),
        }
    }

    /// Writes what is left and gives the sink back.
    pub fn finish(self) -> std::io::Result<W> {
        match self.0 {
            Inner::Csv(writer) => writer.finish(),
            Inner::Parquet(writer) => writer.finish(),
        }
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
        for format in [Format::Csv, Format::Parquet] {
            let path = folder.path().join(format.extension());
            write_table(&table, &path, format).unwrap();
            assert_eq!(read_table(&path, &options).unwrap(), table, "{format:?}");
        }
    }
}
