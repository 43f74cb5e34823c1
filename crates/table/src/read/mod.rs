//! Files, and data frames in memory, into tables: CSV, JSON lines, Parquet, Arrow, Excel, SPSS, Stata and SAS, checked and coded.
//!
//! Nothing is coerced in silence. A column is numeric only if every value is a number written in the ordinary way; missing is
//! the empty field, what the user declares, and among numbers or dates a word such as NA, which is told; a file that cannot be
//! trusted is refused with its line and column. No error quotes a value.

mod arrow_batches;
mod boundary;
mod bounds;
mod cells;
mod csv;
mod dictionary;
mod excel;
mod foreign;
pub(crate) mod in_blocks;
mod ipc_bounds;
mod json_lines;
mod labelled;
pub(crate) mod learn;
mod missing_words;
pub(crate) mod pieces;
mod standard_input;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::schema::{DecimalMark, Schema, SchemaFile};
use crate::streamed::DataFiles;
use crate::watch::{Step, Watch};
use crate::{FileProblem, Table, TableError};
pub use standard_input::{STANDARD_INPUT, standard_input};

/// How to read a file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The field separator of a CSV file; found from its header if not given.
    pub separator: Option<char>,
    /// What stands before the decimals of a real number in a CSV file; what the schema says if not given, and else a point.
    pub decimal: Option<DecimalMark>,
    /// Texts that mean missing, beside the empty field.
    pub missing: Vec<String>,
    /// The sheet of an Excel file; the only one that holds something if not given.
    pub sheet: Option<String>,
    /// What is known of the variables.
    pub schema: Option<SchemaFile>,
    /// Receives how many more bytes of the file have been read, and is asked whether to go on.
    pub watch: Watch,
}

/// A field separator as people write it: one character, or `tab`.
pub fn separator(text: &str) -> Result<char, &'static str> {
    if matches!(text, "tab" | "\\t") {
        return Ok('\t');
    }
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) => Ok(one),
        _ => Err("give one character, or `tab`"),
    }
}

/// A file that reports how far it has been read.
struct Watched {
    file: File,
    length: Option<u64>,
    watch: Watch,
    since_checked: u64,
}

/// Bytes after which it is asked again whether there is memory left.
const CHECKED_EVERY: u64 = 64 << 20;

impl Watched {
    fn open(path: &Path, watch: &Watch) -> std::io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        Ok(Self { file, length, watch: watch.clone(), since_checked: 0 })
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.watch.check_io()?;
        let bytes = self.file.read(buffer)?;
        self.since_checked += bytes as u64;
        if self.since_checked > CHECKED_EVERY {
            self.since_checked = 0;
            crate::memory::check("reading the table").map_err(std::io::Error::other)?;
        }
        self.watch.report(Step::Reading { bytes: bytes as u64, of: self.length });
        Ok(bytes)
    }
}

/// What the reader must make of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expectation {
    /// Whatever all values are.
    Infer,
    /// Whole numbers, or an error.
    Integer,
    /// Numbers, or an error.
    Real,
    /// Text, even where it looks like numbers.
    Text,
}

/// Reads a table and, if the options have a schema, checks it against that.
pub fn read_table(path: &Path, options: &ReadOptions) -> Result<Table, TableError> {
    conform(read_unchecked(path, options)?, options)
}

/// Reads a table under the schema that its records show, using the options' schema only to know which kind each column is.
pub fn read_unchecked(path: &Path, options: &ReadOptions) -> Result<Table, TableError> {
    if path == Path::new(STANDARD_INPUT) {
        return read_standard_input(options);
    }
    if DataFiles::are_several(path) {
        return with_identifiers(in_blocks::read_whole(&DataFiles::of(path)?, options)?, options);
    }
    let mut start = [0; foreign::START];
    let length = File::open(path).and_then(|mut file| read_fully(&mut file, &mut start));
    let length = length.map_err(|source| TableError::io(path, source))?;
    let watched = || Watched::open(path, &options.watch);
    let table = match &start[..length] {
        [b'P', b'A', b'R', b'1', ..] => arrow_batches::read_parquet(path, options),
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => arrow_batches::read_ipc_file(path, options),
        [0xff, 0xff, 0xff, 0xff, ..] => arrow_batches::read_ipc_stream(path, options),
        _ => return read_stream(path, &|| Ok(Box::new(watched()?) as Box<dyn Read + Send>), options),
    };
    with_identifiers(table?, options)
}

/// Record batches in memory, such as those of a data frame of another program, under the schema that they show; the options' schema says only which
/// kind each column is. `name` is what errors call them.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
/// use table::read::{ReadOptions, read_batches};
///
/// let sex: ArrayRef = Arc::new(StringArray::from(vec![Some("F"), None, Some("M")]));
/// let age: ArrayRef = Arc::new(Int64Array::from(vec![31, 47, 31]));
/// let batch = RecordBatch::try_from_iter([("sex", sex), ("age", age)]).unwrap();
/// let table = read_batches("people", batch.schema(), &[batch], &ReadOptions::default())?;
/// assert_eq!((table.rows(), table.missing(0)), (3, 1));
/// # Ok::<(), table::TableError>(())
/// ```
pub fn read_batches(
    name: &str,
    schema: arrow_schema::SchemaRef,
    batches: &[arrow_array::RecordBatch],
    options: &ReadOptions,
) -> Result<Table, TableError> {
    let path = Path::new(name);
    let table = arrow_batches::read_memory(path, schema, batches, options);
    // A frame has neither lines nor a header.
    let table = table.map_err(|error| match error {
        TableError::File { path, problem } => {
            let problem = match problem {
                FileProblem::Empty => FileProblem::Format("it has no columns".into()),
                FileProblem::NoRows => {
                    FileProblem::Format("it has no rows; a table needs at least one record".into())
                }
                FileProblem::EmptyName { column } => {
                    FileProblem::Format(format!("column {column} has no name; give every column a name"))
                }
                FileProblem::DuplicateName { name, first, second } => FileProblem::Format(format!(
                    "the name `{name}` stands for columns {first} and {second}; rename one of them"
                )),
                other => other,
            };
            TableError::File { path, problem }
        }
        other => other,
    })?;
    with_identifiers(table, options)
}

/// Reads as [`read_batches`] and, if the options have a schema, checks the records against that.
pub fn read_batches_checked(
    name: &str,
    schema: arrow_schema::SchemaRef,
    batches: &[arrow_array::RecordBatch],
    options: &ReadOptions,
) -> Result<Table, TableError> {
    conform(read_batches(name, schema, batches, options)?, options)
}

/// Where no schema says what the columns are, those that name units are identifiers; where one does, only those are.
fn with_identifiers(table: Table, options: &ReadOptions) -> Result<Table, TableError> {
    match &options.schema {
        Some(schema) => learn::with_levels(table, schema),
        None => learn::with_identifiers(missing_words::set_apart(table)?),
    }
}

/// Reads what can be read from its start to its end, packed or not: CSV, JSON lines, Excel, SPSS, Stata and SAS.
fn read_stream(path: &Path, open: csv::Open<'_>, options: &ReadOptions) -> Result<Table, TableError> {
    let start = |open: csv::Open<'_>| {
        let mut start = vec![0; foreign::START];
        let length = open().and_then(|mut source| read_fully(&mut source, &mut start))?;
        start.truncate(length);
        Ok(start)
    };
    let begin = start(open).map_err(|source| TableError::io(path, source))?;
    let Some(packing) = Packing::of(&begin) else { return read_unpacked(path, open, &begin, false, options) };
    bounds::check_packed(path)?;
    let packed = std::fs::metadata(path).map_or(0, |found| found.len());
    let unpacked = || packing.unpack(open()?, packed);
    // What cannot be unpacked is reported where the table is read.
    let begin = start(&unpacked).unwrap_or_default();
    read_unpacked(path, &unpacked, &begin, true, options)
}

/// How a file is packed.
#[derive(Clone, Copy)]
enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    /// What comes out of a file of so many bytes, as long as it does not grow beyond reason.
    fn unpack(self, source: Box<dyn Read + Send>, packed: u64) -> std::io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::Gzip => Box::new(bounds::Unpacked::new(flate2::read::MultiGzDecoder::new(source), packed)),
            Self::Zstd => Box::new(bounds::Unpacked::new(zstd::Decoder::new(source)?, packed)),
        })
    }
}

/// Reads what begins with these bytes.
fn read_unpacked(
    path: &Path,
    open: csv::Open<'_>,
    begin: &[u8],
    packed: bool,
    options: &ReadOptions,
) -> Result<Table, TableError> {
    let whole = || {
        let known = std::fs::metadata(path).map_or(0, |found| found.len());
        crate::memory::require(known.saturating_mul(8), &format!("reading {}", path.display()))?;
        let mut bytes = Vec::new();
        let read = open().and_then(|mut source| source.read_to_end(&mut bytes));
        read.map_err(|source| TableError::io(path, source))?;
        // A byte can stand for a number, which takes eight.
        crate::memory::require(
            (bytes.len() as u64).saturating_mul(8),
            &format!("reading {}", path.display()),
        )?;
        Ok::<_, TableError>(bytes)
    };
    if let Some(program) = ::labelled::Program::of(begin) {
        return labelled::read(path, program, &whole()?, options);
    }
    if excel::begins(begin) {
        let bytes = whole()?;
        return with_identifiers(
            boundary::undamaged(
                path,
                "Excel",
                || "one of its parts".into(),
                || excel::read(path, bytes, options),
            )?,
            options,
        );
    }
    if let Some(sheet) = &options.sheet {
        let message = format!("`--sheet {sheet}` is for Excel files (.xlsx), and this is none");
        return Err(TableError::file(path, FileProblem::Format(message)));
    }
    if json_lines::begins(begin) {
        let source = open().map_err(|source| TableError::io(path, source))?;
        return with_identifiers(json_lines::read(path, source, options)?, options);
    }
    if let Some(message) = foreign::way_out(begin) {
        return Err(TableError::file(path, FileProblem::Format(message)));
    }
    with_identifiers(csv::read(path, open, packed, options)?, options)
}

/// Every column has a name, and no two the same.
fn check_names(path: &Path, names: &[String]) -> Result<(), TableError> {
    if names.is_empty() {
        return Err(TableError::file(path, FileProblem::Empty));
    }
    bounds::check_columns(names.len()).map_err(|problem| TableError::file(path, problem))?;
    for (position, name) in names.iter().enumerate() {
        if name.trim().is_empty() {
            return Err(TableError::file(path, FileProblem::EmptyName { column: position + 1 }));
        }
        if let Some(first) = names[..position].iter().position(|known| known == name) {
            let problem =
                FileProblem::DuplicateName { name: name.clone(), first: first + 1, second: position + 1 };
            return Err(TableError::file(path, problem));
        }
    }
    Ok(())
}

/// Reads from standard input what can be read from its start to its end.
fn read_standard_input(options: &ReadOptions) -> Result<Table, TableError> {
    let path = Path::new("standard input");
    let bytes = standard_input(&options.watch).map_err(|source| TableError::io(path, source))?;
    if matches!(
        bytes,
        [b'P', b'A', b'R', b'1', ..]
            | [b'A', b'R', b'R', b'O', b'W', b'1', ..]
            | [0xff, 0xff, 0xff, 0xff, ..]
    ) {
        let message =
            "Parquet and Arrow are read from a file and not from standard input; write it to one first"
                .to_owned();
        return Err(TableError::file(path, FileProblem::Format(message)));
    }
    read_stream(path, &|| Ok(Box::new(bytes) as Box<dyn Read + Send>), options)
}

/// Reads CSV text, for examples and tests.
pub fn read_csv_text(text: &str, options: &ReadOptions) -> Result<Table, TableError> {
    let bytes = text.as_bytes().to_vec();
    let open = move || Ok(Box::new(std::io::Cursor::new(bytes.clone())) as Box<dyn Read + Send>);
    conform(with_identifiers(csv::read(Path::new("text"), &open, false, options)?, options)?, options)
}

fn conform(table: Table, options: &ReadOptions) -> Result<Table, TableError> {
    match options.schema_of(table.schema())? {
        None => Ok(table),
        Some(schema) => table.conform(Arc::new(schema)),
    }
}

impl ReadOptions {
    /// The schema of records that show this one, if a schema is given: its gaps filled, and what it does not say of how the file is written.
    pub fn schema_of(&self, shown: &Schema) -> Result<Option<Schema>, TableError> {
        let Some(file) = &self.schema else { return Ok(None) };
        let schema = file.clone().complete(Some(shown))?.stored_as(shown).labelled_as(shown);
        Ok(Some(schema.with_decimal(self.decimal_mark())))
    }

    /// What stands before the decimals of a real number in a CSV file.
    pub fn decimal_mark(&self) -> DecimalMark {
        let declared = self.schema.as_ref().map(|schema| schema.table.decimal);
        self.decimal.or(declared).unwrap_or_default()
    }

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
                KindName::Categorical
                | KindName::Ordinal
                | KindName::Date
                | KindName::Datetime
                | KindName::TextId => Expectation::Text,
            };
            let tokens = self.missing.iter().chain(&schema.table.missing).chain(section.missing.tokens());
            Ok((expectation, tokens.cloned().collect()))
        };
        names.iter().map(expectation).collect()
    }
}

/// As much of the start of a file as there is, up to the length of the buffer.
pub(crate) fn read_start(source: &mut dyn Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    read_fully(source, buffer)
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
mod labelled_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod typed_tests;
