//! Tables into files: CSV and Parquet, written whole or not at all.

mod csv;
mod parquet;

use std::path::Path;

use crate::{Table, TableError};

/// The formats we write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Comma-separated text with a header; missing is the empty field.
    #[default]
    Csv,
    /// Parquet, compressed with zstd.
    Parquet,
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

/// Writes the table to `path`.
pub fn write_table(table: &Table, path: &Path, format: Format) -> Result<(), TableError> {
    match format {
        Format::Csv => crate::atomic_file::write_with(path, |file| csv::write(table, file)),
        Format::Parquet => {
            let bytes = parquet::bytes(table).map_err(|error| TableError::io(path, std::io::Error::other(error)))?;
            crate::atomic_file::write(path, &bytes)
        }
    }
}

/// The table as CSV text.
pub fn csv_text(table: &Table) -> String {
    let mut bytes = Vec::new();
    let written = csv::write(table, &mut bytes);
    debug_assert!(written.is_ok(), "writing to memory cannot fail");
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_csv_text, read_table};
    use crate::schema::SchemaFile;

    const SCHEMA: &str = "[variables.sex]\nkind = \"categorical\"\nlevels = [\"M, or \\\"m\\\"\", \"F\"]\nmissing = true\n\
        [variables.pay]\nkind = \"real\"\ncodes = { -8 = \"none\" }\nmissing = true\n[variables.age]\nkind = \"integer\"\n\
        [variables.born]\nkind = \"date\"\nformat = \"DD.MM.YYYY\"\nmissing = true\n[variables.id]\nkind = \"text-id\"\n";
    const TEXT: &str = "sex,pay,age,born,id\n\"M, or \"\"m\"\"\",0.1,-3,27.03.2011,x\n,-8,4,,y\nF,,5,01.01.1970,z\n";

    #[test]
    fn what_is_written_reads_back_the_same() {
        let options = ReadOptions { schema: Some(SchemaFile::parse(SCHEMA).unwrap()), ..ReadOptions::default() };
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
