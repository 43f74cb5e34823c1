//! Files into tables: CSV, Parquet and Arrow IPC, checked and coded.
//!
//! Nothing is coerced in silence. A column is numeric only if every value is a number written in the ordinary way; missing is
//! the empty field and what the user declares, nothing else; a file that cannot be trusted is refused with its line and
//! column. No error quotes a value.

mod arrow_batches;
mod csv;
mod dictionary;
mod learn;
mod pieces;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::schema::SchemaFile;
use crate::watch::{Step, Watch};
use crate::{FileProblem, Table, TableError};

/// How to read a file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The field separator of a CSV file; found from its header if not given.
    pub separator: Option<char>,
    /// Texts that mean missing, beside the empty field.
    pub missing: Vec<String>,
    /// What is known of the variables.
    pub schema: Option<SchemaFile>,
    /// Told how many more bytes of the file have been read, and asked whether to go on.
    pub watch: Watch,
}

/// A file that tells how far it has been read.
struct Watched {
    file: File,
    length: Option<u64>,
    watch: Watch,
}

impl Watched {
    fn open(path: &Path, watch: &Watch) -> std::io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        Ok(Self { file, length, watch: watch.clone() })
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.watch.check_io()?;
        let bytes = self.file.read(buffer)?;
        self.watch.report(Step::Reading { bytes: bytes as u64, of: self.length });
        Ok(bytes)
    }
}

/// What the reader must make of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expectation {
    /// Whatever all values are.
    Infer,
    /// Whole numbers, or an error.
    Integer,
    /// Numbers, or an error.
    Real,
    /// Text, even where it looks like numbers.
    Text,
}

/// Bytes of a CSV file that are held at once while it is read on the present number of threads: the reader's buffers.
pub fn buffer_bytes() -> usize {
    csv::buffer_bytes()
}

/// Reads a table and, if the options have a schema, checks it against that.
pub fn read_table(path: &Path, options: &ReadOptions) -> Result<Table, TableError> {
    conform(read_unchecked(path, options)?, options)
}

/// Reads a table under the schema that its records show, using the options' schema only to know which kind each column is.
pub fn read_unchecked(path: &Path, options: &ReadOptions) -> Result<Table, TableError> {
    let mut start = [0; 6];
    let length = File::open(path).and_then(|mut file| read_fully(&mut file, &mut start));
    let length = length.map_err(|source| TableError::io(path, source))?;
    let watched = || Watched::open(path, &options.watch);
    let table = match &start[..length] {
        [b'P', b'A', b'R', b'1', ..] => arrow_batches::read_parquet(path, options),
        b"ARROW1" => arrow_batches::read_ipc_file(path, options),
        [0xff, 0xff, 0xff, 0xff, ..] => arrow_batches::read_ipc_stream(path, options),
        [0x1f, 0x8b, ..] => {
            let open = || Ok(Box::new(flate2::read::MultiGzDecoder::new(watched()?)) as Box<dyn Read + Send>);
            csv::read(path, &open, options)
        }
        _ => csv::read(path, &|| Ok(Box::new(watched()?) as Box<dyn Read + Send>), options),
    };
    with_identifiers(table?, options)
}

/// Where no schema says what the columns are, those that name units are identifiers; where one does, only those are.
fn with_identifiers(table: Table, options: &ReadOptions) -> Result<Table, TableError> {
    match &options.schema {
        Some(schema) => learn::with_levels(table, schema),
        None => learn::with_identifiers(table),
    }
}

/// Reads CSV text, for examples and tests.
pub fn read_csv_text(text: &str, options: &ReadOptions) -> Result<Table, TableError> {
    let bytes = text.as_bytes().to_vec();
    let open = move || Ok(Box::new(std::io::Cursor::new(bytes.clone())) as Box<dyn Read + Send>);
    conform(with_identifiers(csv::read(Path::new("text"), &open, options)?, options)?, options)
}

fn conform(table: Table, options: &ReadOptions) -> Result<Table, TableError> {
    match &options.schema {
        None => Ok(table),
        Some(file) => {
            let schema = file.clone().complete(Some(table.schema()))?;
            table.conform(Arc::new(schema))
        }
    }
}

impl ReadOptions {
    /// What to make of the columns of these names, and the tokens that mean missing in each.
    fn expectations(
        &self,
        path: &Path,
        names: &[String],
    ) -> Result<Vec<(Expectation, Vec<String>)>, TableError> {
        use crate::schema::KindName;
        let Some(schema) = &self.schema else {
            return Ok(names.iter().map(|_| (Expectation::Infer, self.missing.clone())).collect());
        };
        let absent: Vec<String> = schema
            .variables
            .keys()
            .filter(|name| !names.contains(name))
            .map(|name| format!("`{name}`"))
            .collect();
        if !absent.is_empty() {
            let problem = FileProblem::OtherColumns(format!("the file lacks {}", absent.join(", ")));
            return Err(TableError::file(path, problem));
        }
        let expectation = |name: &String| {
            let Some(section) = schema.variables.get(name) else {
                let hint = crate::similar_name::hint(name, schema.variables.keys().map(String::as_str));
                let problem = FileProblem::OtherColumns(format!("the schema lacks `{name}`{hint}"));
                return Err(TableError::file(path, problem));
            };
            let expectation = match section.kind {
                KindName::Integer => Expectation::Integer,
                KindName::Real => Expectation::Real,
                KindName::Categorical | KindName::Ordinal | KindName::Date | KindName::TextId => {
                    Expectation::Text
                }
            };
            let tokens = self.missing.iter().chain(&schema.table.missing).chain(section.missing.tokens());
            Ok((expectation, tokens.cloned().collect()))
        };
        names.iter().map(expectation).collect()
    }
}

fn read_fully(source: &mut dyn Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests;
