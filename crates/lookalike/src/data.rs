//! The tables that jobs work on: files with how they are read, or records in memory.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use frontier::records_sha256;
use release::sha256_of_file;
use table::read::{ReadOptions, read_table, read_unchecked};
use table::schema::{DecimalMark, SchemaFile};
use table::watch::Watch;
use table::{DeclaredSchema, FileProblem, Table, TableError};

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
    decimal: Option<DecimalMark>,
}

#[derive(Clone, Debug)]
enum Origin {
    File(PathBuf),
    Records { name: String, table: Arc<Table> },
}

#[derive(Clone, Debug)]
enum SchemaOrigin {
    File(PathBuf),
    Given(SchemaFile),
}

impl Data {
    /// A file: CSV (also .gz), Parquet or Arrow IPC; `-` is CSV from standard input.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::of(Origin::File(path.into()))
    }

    /// Records in memory, under the schema that they have; `name` is what reports call them.
    pub fn records(name: impl Into<String>, table: impl Into<Arc<Table>>) -> Self {
        let origin = Origin::Records { name: name.into(), table: table.into() };
        Self::of(origin)
    }

    fn of(origin: Origin) -> Self {
        Self { origin, schema: None, missing: Vec::new(), separator: None, decimal: None }
    }

    /// The same, read under the schema of this file: TOML, SDV metadata (JSON) or a private-PGM domain (JSON).
    pub fn with_schema(self, path: impl Into<PathBuf>) -> Self {
        Self { schema: Some(SchemaOrigin::File(path.into())), ..self }
    }

    /// The same, read under this schema.
    pub fn under(self, schema: SchemaFile) -> Self {
        Self { schema: Some(SchemaOrigin::Given(schema)), ..self }
    }

    /// The same, with texts that mean missing beside the empty field.
    pub fn with_missing(self, tokens: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { missing: tokens.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same, with this field separator of a CSV file instead of what its header shows.
    pub fn with_separator(self, separator: Option<char>) -> Self {
        Self { separator, ..self }
    }

    /// The same, with this mark before the decimals of numbers in a CSV file instead of what the schema says.
    pub fn with_decimal(self, decimal: Option<DecimalMark>) -> Self {
        Self { decimal, ..self }
    }

    /// Another file that is read in the same way.
    pub fn sibling(&self, path: impl Into<PathBuf>) -> Self {
        Self { origin: Origin::File(path.into()), ..self.clone() }
    }

    /// What reports call it: the name of its file, without the folder.
    pub fn name(&self) -> String {
        match &self.origin {
            Origin::File(path) => file_name(path),
            Origin::Records { name, .. } => name.clone(),
        }
    }

    /// Its file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => Some(path),
            Origin::Records { .. } => None,
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
        self.schema.is_some() || matches!(self.origin, Origin::Records { .. })
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
            Some(SchemaOrigin::Given(schema)) => Some(schema.clone()),
        };
        Ok(ReadOptions {
            separator: self.separator,
            decimal: self.decimal,
            missing: self.missing.clone(),
            schema,
            watch: watch.clone(),
        })
    }

    /// The records, checked against the schema.
    pub fn read(&self, watch: &Watch) -> Result<Arc<Table>, Error> {
        let options = self.options(watch)?;
        match &self.origin {
            Origin::File(path) => Ok(Arc::new(read_table(path, &options)?)),
            Origin::Records { table, .. } => match options.schema_of(table.schema())? {
                None => Ok(Arc::clone(table)),
                Some(schema) => Ok(Arc::new(table.as_ref().clone().conform(Arc::new(schema))?)),
            },
        }
    }

    /// The records under the schema that they show, the given one used only to know the kind of each column.
    pub(crate) fn read_unchecked(&self, watch: &Watch) -> Result<Table, Error> {
        match &self.origin {
            Origin::File(path) => Ok(read_unchecked(path, &self.options(watch)?)?),
            Origin::Records { table, .. } => Ok(table.as_ref().clone()),
        }
    }

    /// A synthetic table with whatever it holds. The schema says of which kind its columns are; where the file has other columns than the
    /// schema, the file itself says so.
    pub(crate) fn read_as_it_is(&self, watch: &Watch) -> Result<Table, Error> {
        let Origin::File(path) = &self.origin else { return self.read_unchecked(watch) };
        let options = self.options(watch)?;
        match read_unchecked(path, &options) {
            Err(TableError::File { problem: FileProblem::OtherColumns(_), .. }) => {
                let mut missing = options.missing.clone();
                missing.extend(options.schema.iter().flat_map(|schema| schema.table.missing.iter().cloned()));
                let decimal = Some(options.decimal_mark());
                Ok(read_unchecked(path, &ReadOptions { schema: None, missing, decimal, ..options })?)
            }
            read => Ok(read?),
        }
    }

    /// The declared schema, made without the data; refused if it leaves anything to be read off them. `None` without a schema.
    pub(crate) fn declared_schema(&self) -> Result<Option<DeclaredSchema>, Error> {
        let schema = match &self.origin {
            Origin::Records { table, .. } if self.schema.is_none() => Cow::Borrowed(table.schema()),
            _ => match self.options(&Watch::default())?.schema {
                None => return Ok(None),
                Some(file) => Cow::Owned(file.finish().map_err(|error| Error::Refused(error.to_string()))?),
            },
        };
        Ok(Some(synthesis::private::declared(&schema)?))
    }

    /// SHA-256 of the file, or of the records.
    pub(crate) fn sha256(&self) -> Result<String, Error> {
        match &self.origin {
            Origin::File(path) => Ok(sha256_of_file(path)?),
            Origin::Records { table, .. } => Ok(records_sha256(table)),
        }
    }
}

/// The last part of a path.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
