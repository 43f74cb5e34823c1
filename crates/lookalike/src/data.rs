//! The tables that jobs work on: files with how they are read, records or data frames in memory, or counts of records that stay where they are.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use engines::{Connections, Place};
use frontier::records_sha256;
use release::sha256_of_file;
use table::figures::thousands;
use table::read::{
    ReadOptions, STANDARD_INPUT, read_batches, read_batches_checked, read_table, read_unchecked,
};
use table::schema::{DecimalMark, SchemaFile};
use table::sql::{SqlProfile, SqlTable};
use table::streamed::DataFiles;
use table::watch::Watch;
use table::{CountFile, CountSource, DeclaredSchema, FileProblem, Source, StreamedTable, Table, TableError};

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
    /// Whether files are read block by block also where they would fit into memory.
    stream: bool,
    /// How many records are drawn at random, where not all are taken.
    sampled: Option<Sampled>,
}

/// A random sample of the records.
#[derive(Clone, Copy, Debug)]
struct Sampled {
    rows: u64,
    seed: u64,
}

#[derive(Clone, Debug)]
enum Origin {
    File(PathBuf),
    Records {
        name: String,
        table: Arc<Table>,
    },
    Frame(Frame),
    /// The address of a table in a database.
    Database(String),
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
    /// Some of so many records, drawn at random.
    Sampled {
        records: Arc<Table>,
        of: u64,
    },
    Streamed(Arc<StreamedTable>),
    Sql(Arc<SqlTable>),
    Counts {
        schema: DeclaredSchema,
        counts: Arc<dyn CountSource + Send>,
    },
}

impl Opened {
    /// What a fit, a plan or a measure starts from.
    pub(crate) fn source(&self) -> Source<'_> {
        match self {
            Self::Records(table) | Self::Sampled { records: table, .. } => Source::Records(table),
            Self::Streamed(files) => Source::Streamed(files),
            Self::Sql(table) => Source::Sql(table),
            Self::Counts { schema, counts } => Source::Counts { schema, counts: counts.as_ref() },
        }
    }

    /// What is to be said of a sample, if these records are one.
    pub(crate) fn remark(&self) -> Option<String> {
        let sample = self.sample_remark("fitted to")?;
        Some(format!("{sample}, which is the size of the original for inference"))
    }

    /// The same for what was done with it.
    pub(crate) fn sample_remark(&self, done: &str) -> Option<String> {
        let Self::Sampled { records, of } = self else { return None };
        Some(format!("{done} a random sample of {} of {} records", thousands(records.rows()), thousands(of)))
    }

    /// What whoever runs the job should know of where the records are; not to be published.
    pub(crate) fn notes(&self) -> Result<Vec<String>, Error> {
        match self {
            Self::Sql(table) => Ok(table.notes()?),
            _ => Ok(Vec::new()),
        }
    }

    /// The same records under the schema that they showed, now declared public for this reason; counts have a declared one.
    pub(crate) fn declared_public(self, reason: &str) -> Result<Self, Error> {
        match self {
            Self::Records(table) => {
                Ok(Self::Records(Arc::new(Arc::unwrap_or_clone(table).declared_public(reason)?)))
            }
            Self::Sampled { records, of } => {
                let records = Arc::new(Arc::unwrap_or_clone(records).declared_public(reason)?);
                Ok(Self::Sampled { records, of })
            }
            Self::Streamed(files) => match Arc::try_unwrap(files) {
                Ok(files) => Ok(Self::Streamed(Arc::new(files.declared_public(reason)?))),
                Err(_) => Err(Error::Usage("the files are in use; open them again".into())),
            },
            Self::Sql(table) => match Arc::try_unwrap(table) {
                Ok(table) => Ok(Self::Sql(Arc::new(table.declared_public(reason)?))),
                Err(_) => Err(Error::Usage("the table is in use; open it again".into())),
            },
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
    /// A file: CSV, JSON lines (also .gz and .zst), Parquet, Arrow IPC, Excel, SPSS, Stata or SAS; `-` is standard input. Also a folder of CSV, Parquet or Arrow files, or a pattern for their names such as
    /// `part-*.parquet`: they are one table. Files that do not fit into memory are read block by block. `postgresql://host/database/table` is a table in a
    /// database, which is counted there (with the feature `postgres`).
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::of(origin(path.into()))
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

    /// Counts in files that [`CountsRequest`](crate::CountsRequest) wrote, of different records in the same classes, added up.
    pub fn of_count_files(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Self, Error> {
        let mut files = Vec::new();
        let mut name = None;
        for path in paths {
            let path = path.as_ref();
            name.get_or_insert_with(|| file_name(path));
            files.push((path.display().to_string(), CountFile::read(path)?));
        }
        let counts = CountFile::merged(files)?;
        Ok(Self::counts(name.unwrap_or_default(), counts.schema().clone(), counts))
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
            stream: false,
            sampled: None,
        }
    }

    /// The same; its files are read block by block also where their records would fit into memory.
    pub fn streaming(self, stream: bool) -> Self {
        Self { stream, ..self }
    }

    /// A random sample of its records, the same for one seed, instead of all of them.
    ///
    /// ```
    /// use lookalike::prelude::*;
    ///
    /// let people = read_csv_text("sex,age\nF,31\nM,47\nF,52\n", &ReadOptions::default())?;
    /// let some = Data::records("people", people).sampled(2, 1).read(&Watch::default())?;
    /// assert_eq!(some.rows(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sampled(self, rows: u64, seed: u64) -> Self {
        Self { sampled: Some(Sampled { rows, seed }), ..self }
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
        Self { origin: origin(path.into()), sheet: None, ..self.clone() }
    }

    /// What reports call it: the name of its file, without the folder.
    pub fn name(&self) -> String {
        match &self.origin {
            Origin::File(path) => file_name(path),
            Origin::Database(address) => {
                engines::locate(address).map_or_else(|_| "database".into(), |place| place.name().to_owned())
            }
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
            Origin::Records { .. } | Origin::Frame(_) | Origin::Database(_) | Origin::Counts(_) => None,
        }
    }

    /// Where its table is, if it is in a database or on a cluster.
    pub(crate) fn located(&self) -> Option<Result<Box<dyn Place>, Error>> {
        match &self.origin {
            Origin::Database(address) => Some(engines::locate(address).map_err(Error::from)),
            _ => None,
        }
    }

    /// Files that are opened on the way to a database, beside the inputs, and connections.
    pub(crate) fn opens(&self) -> (Vec<PathBuf>, Connections) {
        match self.located() {
            Some(Ok(place)) => place.opens(),
            _ => (Vec::new(), Connections::default()),
        }
    }

    /// The table in a database, described there; `None` if it is in none.
    pub(crate) fn described_there(
        &self,
        keys: &[String],
        watch: &Watch,
    ) -> Result<Option<SqlProfile>, Error> {
        let Some(place) = self.located().transpose()? else { return Ok(None) };
        let schema = match self.database_options(watch)?.schema {
            Some(file) => Some(file.finish()?),
            None => None,
        };
        Ok(Some(SqlProfile::of(place.open(watch)?, place.table(), schema, keys)?))
    }

    /// The options of a table in a database; those that are about files are refused.
    fn database_options(&self, watch: &Watch) -> Result<ReadOptions, Error> {
        let given = [
            ("separator", self.separator.is_some()),
            ("sheet", self.sheet.is_some()),
            ("decimal", self.decimal.is_some()),
            ("stream", self.stream),
            ("fit-rows", self.sampled.is_some()),
        ];
        if let Some((name, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(Error::option(
                name,
                "it is about files, and the table is in a database; leave it out",
            ));
        }
        let mut options = self.options(watch)?;
        if let Some(schema) = &mut options.schema {
            schema.table.missing.extend(self.missing.iter().cloned());
        } else if !self.missing.is_empty() {
            return Err(Error::option(
                "missing",
                "say it in the schema of a table in a database, as `missing`",
            ));
        }
        Ok(options)
    }

    fn open_database(&self, place: &dyn Place, watch: &Watch) -> Result<Opened, Error> {
        let needs = || {
            Error::Refused(format!(
                "a table in a database is counted in the classes of a declared schema; draft one with `lookalike describe DATA --write-schema {}.schema.toml`, review it, set `declared = true` \
                 with a reason, and name it with --schema",
                place.name()
            ))
        };
        place.available()?;
        let schema = self.database_options(watch)?.schema.ok_or_else(needs)?;
        let schema = schema.finish().map_err(|error| Error::Refused(error.to_string()))?;
        let table = SqlTable::open(place.open(watch)?, place.table(), schema)?;
        Ok(Opened::Sql(Arc::new(table)))
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
        let several =
            self.path().filter(|path| DataFiles::are_several(path)).and_then(|path| DataFiles::of(path).ok());
        let files = several.map(|files| files.paths().map(Path::to_owned).collect::<Vec<_>>());
        let own = self.path().into_iter().chain(self.schema_path()).map(Path::to_owned);
        let searched = self.path().filter(|path| DataFiles::are_several(path)).and_then(folder_of_pattern);
        own.chain(searched).chain(files.into_iter().flatten()).collect()
    }

    /// Whether a schema is given.
    pub(crate) fn has_schema(&self) -> bool {
        self.schema.is_some() || matches!(self.origin, Origin::Records { .. } | Origin::Counts(_))
    }

    /// Whether the records themselves are elsewhere.
    pub(crate) fn is_counts(&self) -> bool {
        matches!(self.origin, Origin::Counts(_) | Origin::Database(_))
    }

    /// The files, opened to be read block by block, where their records would take more memory than they may.
    pub(crate) fn streamed(&self, watch: &Watch) -> Result<Option<StreamedTable>, Error> {
        let Origin::File(path) = &self.origin else { return Ok(None) };
        if path == Path::new(STANDARD_INPUT) || !(self.stream || path_may_be_large(path, room())) {
            return Ok(None);
        }
        let files = DataFiles::of(path)?;
        if !self.stream && files.estimated_bytes()? <= room() {
            return Ok(None);
        }
        Ok(Some(StreamedTable::open(files, &self.options(watch)?, table::memory::room())?))
    }

    /// The separator of fields, where one was named.
    pub(crate) fn separator(&self) -> Option<char> {
        self.separator
    }

    /// The mark before decimals, where one was named.
    pub(crate) fn decimal(&self) -> Option<DecimalMark> {
        self.decimal
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
            Origin::Database(address) => self.open_database(engines::locate(address)?.as_ref(), watch),
            _ => match self.streamed(watch)? {
                Some(files) => match self.sampled {
                    Some(Sampled { rows, seed }) => {
                        let records = Arc::new(files.sample(rows, seed)?);
                        Ok(Opened::Sampled { records, of: files.records() })
                    }
                    None => Ok(Opened::Streamed(Arc::new(files))),
                },
                None => self.open_in_memory(watch),
            },
        }
    }

    /// The records, checked against the schema, or a random sample of them where one is asked for.
    pub fn read(&self, watch: &Watch) -> Result<Arc<Table>, Error> {
        match self.open(watch)? {
            Opened::Records(table) | Opened::Sampled { records: table, .. } => Ok(table),
            Opened::Streamed(files) => Err(self.do_not_fit(&files)),
            Opened::Sql(_) => Err(self.stays_there()),
            Opened::Counts { .. } => Err(match &self.origin {
                Origin::Counts(counts) => counts.are_no_records(),
                _ => Error::Usage("this needs the records themselves".into()),
            }),
        }
    }

    /// What is said of files that do not fit where the records themselves are needed.
    fn do_not_fit(&self, files: &StreamedTable) -> Error {
        Error::Usage(format!(
            "{}: this needs the records themselves, and its {} records are read block by block, because they would not fit into memory (--memory) or are to be streamed; take a random sample \
             with --fit-rows where the command has it",
            self.place(),
            thousands(files.records())
        ))
    }

    /// What is said of a table in a database where the records themselves are needed.
    fn stays_there(&self) -> Error {
        Error::Usage(format!(
            "this needs the records themselves, and those of `{}` stay in their database; describe, plan, synth and measure take such a table",
            self.name()
        ))
    }

    fn open_in_memory(&self, watch: &Watch) -> Result<Opened, Error> {
        let all = self.read_all(watch)?;
        let some = match self.sampled {
            Some(Sampled { rows, seed }) => Source::Records(&all).sample(rows, seed)?,
            None => None,
        };
        Ok(match some {
            Some(Cow::Owned(some)) => Opened::Sampled { records: Arc::new(some), of: all.rows() as u64 },
            _ => Opened::Records(all),
        })
    }

    fn read_all(&self, watch: &Watch) -> Result<Arc<Table>, Error> {
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
            Origin::Database(_) => Err(self.stays_there()),
            Origin::Counts(counts) => Err(counts.are_no_records()),
        }
    }

    /// The records under the schema that they show, the given one used only to know the kind of each column.
    pub(crate) fn read_unchecked(&self, watch: &Watch) -> Result<Table, Error> {
        match &self.origin {
            Origin::Frame(frame) => Ok(frame.read(&self.options(watch)?)?),
            Origin::File(path) => match self.streamed(watch)? {
                Some(files) => Err(self.do_not_fit(&files)),
                None => Ok(read_unchecked(path, &self.options(watch)?)?),
            },
            Origin::Records { table, .. } => Ok(table.as_ref().clone()),
            Origin::Database(_) => Err(self.stays_there()),
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

    /// SHA-256 of each file, or of the records.
    pub(crate) fn sha256s(&self) -> Result<Vec<String>, Error> {
        match &self.origin {
            Origin::File(path) if path != Path::new(STANDARD_INPUT) => {
                DataFiles::of(path)?.paths().map(|path| Ok(sha256_of_file(path)?)).collect()
            }
            _ => Ok(self.sha256()?.into_iter().collect()),
        }
    }

    /// SHA-256 of the file, or of the records; none of counts.
    pub(crate) fn sha256(&self) -> Result<Option<String>, Error> {
        match &self.origin {
            Origin::File(path) if DataFiles::are_several(path) => {
                let files = DataFiles::of(path)?;
                let hashes =
                    files.paths().map(|path| Ok(format!("{}  {}\n", sha256_of_file(path)?, file_name(path))));
                Ok(Some(release::sha256_of_text(&hashes.collect::<Result<String, Error>>()?)))
            }
            Origin::File(path) => Ok(Some(sha256_of_file(path)?)),
            Origin::Records { table, .. } => Ok(Some(records_sha256(table))),
            Origin::Frame(_) => Ok(Some(records_sha256(self.read(&Watch::default())?.as_ref()))),
            Origin::Database(_) | Origin::Counts(_) => Ok(None),
        }
    }
}

/// A file, or a table in a database.
fn origin(path: PathBuf) -> Origin {
    match path.to_str().filter(|text| engines::is_address(text)) {
        Some(address) => Origin::Database(address.to_owned()),
        None => Origin::File(path),
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

/// Bytes that the records of files may take.
fn room() -> u64 {
    table::memory::room().map_or(u64::MAX, |room| room / 3 * 2)
}

/// The folder in which the files of a pattern are looked for.
fn folder_of_pattern(path: &Path) -> Option<PathBuf> {
    let above = path.ancestors().skip(1).find(|folder| folder.is_dir() || folder.as_os_str().is_empty());
    let here = |folder: &Path| {
        if folder.as_os_str().is_empty() { Path::new(".").to_owned() } else { folder.to_owned() }
    };
    above.filter(|_| !path.exists()).map(here)
}

/// Whether it is worth a look at the files: a small one fits whatever it holds.
fn path_may_be_large(path: &Path, limit: u64) -> bool {
    DataFiles::are_several(path)
        || std::fs::metadata(path).is_ok_and(|file| file.len().saturating_mul(400) > limit)
}

/// The last part of a path.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
