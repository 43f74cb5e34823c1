//! Tables that are not held in memory: files are read block by block, and each block is compared with the schema, counted and dropped.
//!
//! A [`StreamedTable`] is a [`Source`](crate::Source) like others: methods that need only counts are fitted to it, private runs too. What needs the records themselves works
//! on a [sample](StreamedTable::sample) of them, or holds [some variables](StreamedTable::variables).

mod coding;
mod counts;
mod files;
pub(crate) mod learning;
mod quantiles;
mod sample;
mod variables;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use counts::StreamedCounts;
pub use files::DataFiles;
pub(crate) use files::{DataFile, FileFormat, shown};
pub(crate) use sample::chosen_rows;

use crate::read::ReadOptions;
use crate::read::in_blocks::{Block, Place, TableFiles};
use crate::schema::Violations;
use crate::{Domain, FileProblem, Schema, TableError};

/// Records in files, under a schema that they keep.
pub struct StreamedTable {
    files: TableFiles,
    schema: Arc<Schema>,
    records: u64,
    /// Bytes that may be held.
    memory: Option<u64>,
    /// Whether all records have been compared with the schema.
    is_checked: AtomicBool,
    passes: AtomicU64,
}

impl std::fmt::Debug for StreamedTable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("StreamedTable").field("records", &self.records).finish_non_exhaustive()
    }
}

/// What a pass does with a block: what breaks the schema. `wanted` are the columns of the block, and the last says whether rules are to be checked.
type Checked<'a> = &'a (dyn Fn(&Place, Block, &[usize], bool) -> Result<Violations, TableError> + Sync);

impl StreamedTable {
    /// Opens files. A schema that leaves nothing open is taken as it is; what is open, and the number of records where no footer says it, are read off the records in one pass.
    /// More than `memory` bytes are refused where something would hold them.
    pub fn open(files: DataFiles, options: &ReadOptions, memory: Option<u64>) -> Result<Self, TableError> {
        let mut files = TableFiles::open(files, options)?;
        let finished = match &options.schema {
            Some(schema) => schema.clone().finish().ok(),
            None => None,
        };
        let is_open = |schema: &Schema| schema.variables().iter().any(|variable| variable.bought.levels);
        let (schema, records) = match finished.filter(|schema| !is_open(schema)) {
            Some(schema) => {
                let schema = schema.stored_as(&files.types()?).with_decimal(options.decimal_mark());
                (schema, files.records())
            }
            None => {
                let learned = learning::learn(&mut files, options.schema.as_ref())?;
                let schema = match options.schema_of(&learned.schema)? {
                    Some(schema) => schema,
                    None => learned.schema.with_decimal(options.decimal_mark()),
                };
                (schema, Some(learned.records))
            }
        };
        let mut table = Self {
            files,
            schema: Arc::new(schema),
            records: records.unwrap_or(0),
            memory,
            is_checked: AtomicBool::new(false),
            passes: AtomicU64::new(0),
        };
        if records.is_none() {
            table.records = table.count_records()?;
        }
        if table.records == 0 {
            return Err(TableError::file(table.place(), FileProblem::NoRows));
        }
        Ok(table)
    }

    /// What was named: a file, a folder or a pattern.
    pub fn place(&self) -> &Path {
        self.files.files.place()
    }

    /// The files, in the order of their records.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.files.files.paths()
    }

    /// What the variables may hold.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How often the records have been passed over.
    pub fn passes(&self) -> u64 {
        self.passes.load(Ordering::Relaxed)
    }

    /// The same records under the same schema, declared public for this reason.
    pub fn declared_public(self, reason: &str) -> Result<Self, TableError> {
        let schema = Schema::declared_because(Arc::unwrap_or_clone(self.schema), reason)?;
        Ok(Self { schema: Arc::new(schema), ..self })
    }

    /// Counts in the classes of this domain.
    pub fn counts_in(&self, domain: Domain) -> StreamedCounts<'_> {
        StreamedCounts::new(self, domain)
    }

    /// Compares all records with the schema, unless that was done.
    pub fn check(&self) -> Result<(), TableError> {
        if self.is_checked.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.count_records().map(|_| ())
    }

    fn count_records(&self) -> Result<u64, TableError> {
        let records = AtomicU64::new(0);
        self.checked_pass([].into_iter(), false, &|place: &Place, block: Block, wanted: &[usize], _| {
            records.fetch_add(block.rows as u64, Ordering::Relaxed);
            Ok(coding::conformed(&self.files, &self.schema, place, block, wanted)?.1)
        })?;
        Ok(records.into_inner())
    }

    /// Passes over the columns of these names, or the first time over all of them; refuses what breaks the schema.
    fn checked_pass<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        dictionaries: bool,
        work: Checked<'_>,
    ) -> Result<(), TableError> {
        let is_first = !self.is_checked.load(Ordering::Relaxed);
        let wanted: Vec<usize> = if is_first {
            (0..self.files.names.len()).collect()
        } else {
            names.filter_map(|name| self.files.names.iter().position(|known| known == name)).collect()
        };
        let is_tied = is_first && self.has_ties();
        self.passes.fetch_add(1, Ordering::Relaxed);
        let mut broken: Option<(Place, Violations)> = None;
        let mut files_broken = 0;
        let records = self.files.pass(
            &wanted,
            dictionaries && !is_tied,
            &|place, block| work(place, block, &wanted, is_tied),
            &mut |place, violations| {
                if violations.is_empty() {
                    return Ok(());
                }
                match &mut broken {
                    Some((first, known)) if first.file == place.file => {
                        known.merge(violations, place.first_in_file as usize)
                    }
                    Some(_) => files_broken = 1,
                    none => {
                        let mut first = Violations::default();
                        first.merge(violations, place.first_in_file as usize);
                        *none = Some((*place, first));
                    }
                }
                Ok(())
            },
        )?;
        if let Some((place, violations)) = broken {
            if self.paths().len() == 1 {
                return Err(TableError::Violations(violations));
            }
            let others = if files_broken > 0 { "; other files do not keep it either" } else { "" };
            let message = format!("it does not keep the schema: {violations}{others}");
            return Err(TableError::file(self.files.path(&place), FileProblem::Format(message)));
        }
        if self.records > 0 && records != self.records {
            let message = "it holds another number of records than when it was first read; run again when it stays as it is";
            return Err(TableError::file(self.place(), FileProblem::Format(message.into())));
        }
        self.is_checked.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Whether something ties variables together, so that records are checked as a whole.
    fn has_ties(&self) -> bool {
        let variables = self.schema.variables();
        !self.schema.rules().is_empty()
            || !self.schema.impossible().is_empty()
            || variables.iter().any(|variable| variable.formula.is_some() || variable.within.is_some())
    }

    /// Refuses to hold so many bytes.
    fn refuse_memory(&self, bytes: u64, what: impl Fn() -> String) -> Result<(), TableError> {
        match self.memory.filter(|memory| bytes > *memory) {
            Some(memory) => {
                let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
                let message = format!(
                    "{} take more than {:.2} GiB, and {:.2} GiB are allowed; allow more, leave out variables, use coarser classes, or take a method \
                     of margins",
                    what(),
                    gib(bytes),
                    gib(memory)
                );
                Err(TableError::output("memory", message))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
