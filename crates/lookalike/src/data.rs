//! The tables that jobs work on: files with how they are read, records or data frames in memory, or counts of records that stay where they are.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use frontier::records_sha256;
use release::sha256_of_file;
use table::read::{ReadOptions, read_batches, read_batches_checked, read_table, read_unchecked};
use table::schema::{DecimalMark, SchemaFile};
use table::watch::Watch;
use table::{CountSource, DeclaredSchema, FileProblem, Source, Table, TableError};

use crate::Error;

/// A table to work on.
///
/// ```no_run
/// use lookalike::Data;
///
/// let people = Data::file("people.csv").with_schema("people.schema.toml").with_missing(["NA"]);
/// ```
#[derive(Clone, Debug)]
pub struct Data {
    origin: Origin,
    schema: Option<SchemaOrigin>,
    missing: Vec<String>,
    separator: Option<char>,
    sheet: Option<String>,
    decimal: Option<DecimalMark>,
    /// Why a person declares the schema public, where the schema itself cannot say so.
    declared: Option<String>,
}

#[derive(Clone, Debug)]
enum Origin {
    File(PathBuf),
    Records { name: String, table: Arc<Table> },
    Frame(Frame),
    Counts(Counts),
}

/// Arrow batches in memory: a data frame of another program, read as a file of the same columns would be.
#[derive(Clone, Debug)]
struct Frame {
    name: String,
    schema: SchemaRef,
    batches: Arc<Vec<RecordBatch>>,
}

impl Frame {
    /// The records under the schema that they show.
    fn read(&self, options: &ReadOptions) -> Result<Table, TableError> {
        read_batches(&self.name, Arc::clone(&self.schema), &self.batches, options)
    }
}

/// Counts in the classes of a declared schema.
#[derive(Clone)]
struct Counts {
    name: String,
    schema: DeclaredSchema,
    counts: Arc<dyn CountSource + Send>,
}

impl std::fmt::Debug for Counts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Counts").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a job works on once it is read.
pub(crate) enum Opened {
    Records(Arc<Table>),
    Counts { schema: DeclaredSchema, counts: Arc<dyn CountSource + Send> },
}

impl Opened {
    /// What a fit, a plan or a measure starts from.
    pub(crate) fn source(&self) -> Source<'_> {
        match self {
            Self::Records(table) => Source::Records(table),
            Self::Counts { schema, counts } => Source::Counts { schema, counts: counts.as_ref() },
        }
    }

    /// The same records under the schema that they showed, now declared public for this reason; counts have a declared one.
    pub(crate) fn declared_public(self, reason: &str) -> Result<Self, Error> {
        match self {
            Self::Records(table) => {
                Ok(Self::Records(Arc::new(Arc::unwrap_or_clone(table).declared_public(reason)?)))
            }
            counts @ Self::Counts { .. } => Ok(counts),
        }
    }
}

#[derive(Clone, Debug)]
enum SchemaOrigin {
    File(PathBuf),
    Given(Box<SchemaFile>),
}

impl Data {
    /// A file: CSV, JSON lines (also .gz and .zst), Parquet, Arrow IPC, Excel, SPSS, Stata or SAS; `-` is standard input.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::of(Origin::File(path.into()))
    }

    /// Records in memory, under the schema that they have; `name` is what reports call them.
    pub fn records(name: impl Into<String>, table: impl Into<Arc<Table>>) -> Self {
        let origin = Origin::Records { name: name.into(), table: table.into() };
        Self::of(origin)
    }

    /// Arrow batches in memory, such as those of a data frame, read as a file with the same columns is; `name` is what reports call them.
    pub fn frame(name: impl Into<String>, schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self::of(Origin::Frame(Frame { name: name.into(), schema, batches: Arc::new(batches) }))
    }

    /// Counts of records that stay where they are, in the classes that the schema declares. `synthesise`, `plan`, `measure` and `release` take
    /// them; what needs the records themselves is refused by name, or the release says that it was not computed.
    pub fn counts(
        name: impl Into<String>,
        schema: DeclaredSchema,
        counts: impl CountSource + Send + 'static,
    ) -> Self {
        Self::of(Origin::Counts(Counts { name: name.into(), schema, counts: Arc::new(counts) }))
    }

    fn of(origin: Origin) -> Self {
        Self {
            origin,
            schema: None,
            missing: Vec::new(),
            separator: None,
            sheet: None,
            decimal: None,
            declared: None,
        }
    }

    /// The same, read under the schema of this file: TOML, SDV metadata (JSON) or a private-PGM domain (JSON).
    pub fn with_schema(self, path: impl Into<PathBuf>) -> Self {
        Self { schema: Some(SchemaOrigin::File(path.into())), ..self }
    }

    /// The same, read under this schema.
    ///
    /// ```
    /// use lookalike::prelude::*;
    /// use lookalike::table::schema::SchemaFile;
    ///
    /// let people = read_csv_text("sex,age\nF,31\nM,47\n", &ReadOptions::default())?;
    /// let schema = SchemaFile::parse("[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\", \"X\"]\n[variables.age]\nkind = \"integer\"\n")?;
    /// let read = Data::records("people", people).under(schema).read(&Watch::default())?;
    /// assert_eq!(read.schema().variable("sex")?.kind.levels().map(|levels| levels.len()), Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn under(self, schema: SchemaFile) -> Self {
        Self { schema: Some(SchemaOrigin::Given(Box::new(schema))), ..self }
    }

    /// The same, with its schema declared public by a person, for this reason: for schemas of other tools, which have no place to say so. Nothing is read off the
    /// records, so that a schema that leaves anything open is refused in a private run.
    pub fn declared_because(self, reason: Option<&str>) -> Self {
        Self { declared: reason.map(str::to_owned), ..self }
    }

    /// The same, with texts that mean missing beside the empty field.
    pub fn with_missing(self, tokens: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { missing: tokens.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same, with this field separator of a CSV file instead of what its header shows.
    pub fn with_separator(self, separator: Option<char>) -> Self {
        Self { separator, ..self }
    }

    /// The same, with this sheet of an Excel file instead of the only one that holds something.
    pub fn with_sheet(self, sheet: Option<String>) -> Self {
        Self { sheet, ..self }
    }

    /// The same, with this mark before the decimals of numbers in a CSV file instead of what the schema says.
    pub fn with_decimal(self, decimal: Option<DecimalMark>) -> Self {
        Self { decimal, ..self }
    }

    /// Another file that is read in the same way, but for the sheet of an Excel file.
    ///
    /// ```
    /// use lookalike::prelude::*;
    ///
    /// let data = Data::file("people.csv").with_missing(["NA"]).with_separator(Some(';'));
    /// assert_eq!(data.sibling("people-2.csv").name(), "people-2.csv");
    /// ```
    pub fn sibling(&self, path: impl Into<PathBuf>) -> Self {
        Self { origin: Origin::File(path.into()), sheet: None, ..self.clone() }
    }

    /// What reports call it: the name of its file, without the folder.
    pub fn name(&self) -> String {
        match &self.origin {
            Origin::File(path) => file_name(path),
            Origin::Records { name, .. }
            | Origin::Frame(Frame { name, .. })
            | Origin::Counts(Counts { name, .. }) => name.clone(),
        }
    }

    /// What it is called on a terminal: the path of its file, or the name of what is no file.
    pub(crate) fn place(&self) -> String {
        self.path().map_or_else(|| self.name(), |path| path.display().to_string())
    }

    /// Its file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => Some(path),
            Origin::Records { .. } | Origin::Frame(_) | Origin::Counts(_) => None,
        }
    }

    /// The file of its schema, if it has one.
    pub(crate) fn schema_path(&self) -> Option<&Path> {
        match &self.schema {
            Some(SchemaOrigin::File(path)) => Some(path),
            _ => None,
        }
    }

    /// All files that are read for it, none of which results may replace.
    pub fn inputs(&self) -> Vec<PathBuf> {
        self.path().into_iter().chain(self.schema_path()).map(Path::to_owned).collect()
    }

    /// Whether a schema is given.
    pub(crate) fn has_schema(&self) -> bool {
        self.schema.is_some() || matches!(self.origin, Origin::Records { .. } | Origin::Counts(_))
    }

    /// Whether the records themselves are elsewhere.
    pub(crate) fn is_counts(&self) -> bool {
        matches!(self.origin, Origin::Counts(_))
    }

    /// Texts that were named as missing.
    pub(crate) fn missing(&self) -> &[String] {
        &self.missing
    }

    /// How it is read.
    pub(crate) fn options(&self, watch: &Watch) -> Result<ReadOptions, TableError> {
        let schema = match &self.schema {
            None => None,
            Some(SchemaOrigin::File(path)) => Some(SchemaFile::read(path)?),
            Some(SchemaOrigin::Given(schema)) => Some(schema.as_ref().clone()),
        };
        let schema = match (schema, &self.declared) {
            (Some(mut schema), Some(reason)) => {
                schema.table.declared = true;
                schema.table.reason = Some(reason.clone());
                Some(schema)
            }
            (None, Some(_)) => {
                let message = "it declares a schema public, and none is given; name one with --schema";
                return Err(TableError::schema("declare", message));
            }
            (schema, None) => schema,
        };
        Ok(ReadOptions {
            separator: self.separator,
            sheet: self.sheet.clone(),
            decimal: self.decimal,
            missing: self.missing.clone(),
            schema,
            watch: watch.clone(),
        })
    }

    /// The records, checked against the schema, or the counts.
    pub(crate) fn open(&self, watch: &Watch) -> Result<Opened, Error> {
        match &self.origin {
            Origin::Counts(Counts { schema, counts, .. }) if self.schema.is_none() => {
                Ok(Opened::Counts { schema: schema.clone(), counts: Arc::clone(counts) })
            }
            Origin::Counts(_) => {
                Err(Error::option("schema", "the counts have a declared schema of their own; leave it out"))
            }
            _ => Ok(Opened::Records(self.read(watch)?)),
        }
    }

    /// The records, checked against the schema.
    pub fn read(&self, watch: &Watch) -> Result<Arc<Table>, Error> {
        let options = self.options(watch)?;
        match &self.origin {
            Origin::File(path) => Ok(Arc::new(read_table(path, &options)?)),
            Origin::Frame(Frame { name, schema, batches }) => {
                Ok(Arc::new(read_batches_checked(name, Arc::clone(schema), batches, &options)?))
            }
            Origin::Records { table, .. } => match options.schema_of(table.schema())? {
                None => Ok(Arc::clone(table)),
                Some(schema) => Ok(Arc::new(table.as_ref().clone().conform(Arc::new(schema))?)),
            },
            Origin::Counts(counts) => Err(counts.are_no_records()),
        }
    }

    /// The records under the schema that they show, the given one used only to know the kind of each column.
    pub(crate) fn read_unchecked(&self, watch: &Watch) -> Result<Table, Error> {
        match &self.origin {
            Origin::File(path) => Ok(read_unchecked(path, &self.options(watch)?)?),
            Origin::Frame(frame) => Ok(frame.read(&self.options(watch)?)?),
            Origin::Records { table, .. } => Ok(table.as_ref().clone()),
            Origin::Counts(counts) => Err(counts.are_no_records()),
        }
    }

    /// A synthetic table with whatever it holds. The schema says of which kind its columns are; where the file has other columns than the
    /// schema, the file itself says so.
    pub(crate) fn read_as_it_is(&self, watch: &Watch) -> Result<Table, Error> {
        let read = |options: &ReadOptions| match &self.origin {
            Origin::File(path) => Ok(read_unchecked(path, options)?),
            Origin::Frame(frame) => Ok(frame.read(options)?),
            _ => self.read_unchecked(watch),
        };
        let options = self.options(watch)?;
        match read(&options) {
            Err(Error::Table(TableError::File { problem: FileProblem::OtherColumns(_), .. })) => {
                let mut missing = options.missing.clone();
                missing.extend(options.schema.iter().flat_map(|schema| schema.table.missing.iter().cloned()));
                let decimal = Some(options.decimal_mark());
                read(&ReadOptions { schema: None, missing, decimal, ..options })
            }
            found => found,
        }
    }

    /// The declared schema, made without the data; refused if it leaves anything to be read off them. `None` without a schema.
    pub(crate) fn declared_schema(&self) -> Result<Option<DeclaredSchema>, Error> {
        let schema = match &self.origin {
            Origin::Counts(counts) => return Ok(Some(counts.schema.clone())),
            Origin::Records { table, .. } if self.schema.is_none() => Cow::Borrowed(table.schema()),
            _ => match self.options(&Watch::default())?.schema {
                None => return Ok(None),
                Some(file) => Cow::Owned(file.finish().map_err(|error| Error::Refused(error.to_string()))?),
            },
        };
        Ok(Some(synthesis::private::declared(&schema)?))
    }

    /// SHA-256 of the file, or of the records; none of counts.
    pub(crate) fn sha256(&self) -> Result<Option<String>, Error> {
        match &self.origin {
            Origin::File(path) => Ok(Some(sha256_of_file(path)?)),
            Origin::Records { table, .. } => Ok(Some(records_sha256(table))),
            Origin::Frame(_) => Ok(Some(records_sha256(self.read(&Watch::default())?.as_ref()))),
            Origin::Counts(_) => Ok(None),
        }
    }
}

impl Counts {
    fn are_no_records(&self) -> Error {
        Error::Usage(format!(
            "this needs the records themselves, and `{}` holds only their counts; synthesise, plan, measure and release take counts",
            self.name
        ))
    }
}

/// The last part of a path.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
