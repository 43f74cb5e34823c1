//! Data sets in several files: each is drawn and written by itself, on any core, and a data set is the files of its folder one after the other.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use synthesis::SynthesisError;
use table::schema::Shown;
use table::write::TableWriter;
use table::{Table, TableError};

use super::hashed_file::Hashed;
use super::write::Release;
use super::{FileEntry, Manifest};

/// In how many files a data set is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// In one.
    #[default]
    OneFile,
    /// In this many, about as long as each other.
    Parts(u32),
    /// In files of this many records, the last one shorter.
    RowsPerFile(u64),
}

/// More files are refused.
const MOST_FILES: usize = 100_000;

impl Layout {
    /// The records of each file of a data set of so many; `None` if it is one file.
    fn parts(self, rows: usize) -> Result<Option<Vec<Range<usize>>>, SynthesisError> {
        let (name, each, files) = match self {
            Self::OneFile => return Ok(None),
            Self::Parts(parts) => ("parts", rows.div_ceil((parts as usize).max(1)), parts as usize),
            Self::RowsPerFile(each) => {
                let each = usize::try_from(each).unwrap_or(usize::MAX);
                ("rows-per-file", each, rows.div_ceil(each.max(1)))
            }
        };
        if each == 0 || files == 0 {
            return Err(SynthesisError::option(name, "it must be at least 1"));
        }
        if files > MOST_FILES {
            return Err(SynthesisError::option(
                name,
                format!("a data set would take more than {MOST_FILES} files; write fewer"),
            ));
        }
        Ok(Some((0..rows).step_by(each).map(|from| from..rows.min(from + each)).collect()))
    }
}

/// The folder of the files of data set `number`, from 0.
fn folder_name(number: u32) -> String {
    format!("synthetic-{}", number + 1)
}

/// The name of a file of data set `number`, both from 0.
pub(super) fn part_name(number: u32, part: usize, extension: &str) -> String {
    format!("{}/part-{part:05}.{extension}", folder_name(number))
}

impl Manifest {
    /// The data sets: the name of the file of each, or of the folder with its files.
    pub fn data_sets(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for file in self.files.iter().filter(|file| file.rows.is_some()) {
            let name = file.name.split_once('/').map_or(file.name.as_str(), |(folder, _)| folder);
            if names.last().map(String::as_str) != Some(name) {
                names.push(name.to_owned());
            }
        }
        names
    }
}

/// What was written of a data set: its files, how many of its records are copies, and what it shows.
pub(super) type Written = (Vec<FileEntry>, Option<u64>, Shown);

impl Release<'_> {
    /// Writes data set `number` in several files; `None` if it is to be one file.
    pub(super) fn write_parts(&self, folder: &Path, number: u32) -> Result<Option<Written>, SynthesisError> {
        let Some(parts) = self.layout.parts(self.fitted.rows())? else { return Ok(None) };
        let inner = folder.join(folder_name(number));
        std::fs::create_dir(&inner).map_err(|source| TableError::io(&inner, source))?;
        let written: Vec<(FileEntry, Option<u64>, Shown)> = match self.fitted.in_parts(number) {
            Some(data_set) => {
                let write = |(part, rows): (usize, &Range<usize>)| {
                    let mut file = PartFile::create(self, folder, number, part)?;
                    data_set.draw(rows.clone(), |table| file.write(&table))?;
                    file.finish()
                };
                parts.par_iter().enumerate().map(write).collect::<Result<_, _>>()?
            }
            None => self.split(folder, number, &parts)?,
        };
        let mut files = Vec::with_capacity(written.len());
        let (mut copies, mut shown) = (Some(0), Shown::nothing(self.fitted.schema()));
        for (file, more, seen) in written {
            files.push(file);
            copies = copies.zip(more).map(|(copies, more)| copies + more);
            shown.merge(seen);
        }
        Ok(Some((files, copies, shown)))
    }

    /// The records of a data set that is drawn at once, shared out among files; what there is more of goes to the last one.
    fn split(
        &self,
        folder: &Path,
        number: u32,
        parts: &[Range<usize>],
    ) -> Result<Vec<(FileEntry, Option<u64>, Shown)>, SynthesisError> {
        let mut written = Vec::new();
        let mut open: Option<PartFile<'_, '_>> = None;
        self.fitted.draw(number, |table| {
            let mut from = 0;
            while from < table.rows() {
                let part = written.len();
                let file = match &mut open {
                    Some(file) => file,
                    none => none.insert(PartFile::create(self, folder, number, part)?),
                };
                let is_last = part + 1 >= parts.len() && matches!(self.layout, Layout::Parts(_));
                let most = parts.get(part).or(parts.first()).map_or(usize::MAX, Range::len);
                let room = if is_last { usize::MAX } else { most - file.rows as usize };
                let to = table.rows().min(from.saturating_add(room));
                let rows: Vec<u32> = (from as u32..to as u32).collect();
                file.write(&if rows.len() == table.rows() { table.clone() } else { table.take(&rows)? })?;
                from = to;
                if !is_last && file.rows as usize == most {
                    written.extend(open.take().map(PartFile::finish).transpose()?);
                }
            }
            Ok(())
        })?;
        written.extend(open.map(PartFile::finish).transpose()?);
        Ok(written)
    }
}

/// One file of a data set in the making.
struct PartFile<'a, 'b> {
    release: &'a Release<'b>,
    name: String,
    path: std::path::PathBuf,
    writer: TableWriter<Hashed>,
    rows: u64,
    copies: Option<u64>,
    shown: Shown,
}

impl<'a, 'b> PartFile<'a, 'b> {
    fn create(
        release: &'a Release<'b>,
        folder: &Path,
        number: u32,
        part: usize,
    ) -> Result<Self, SynthesisError> {
        let name = part_name(number, part, release.recipe.format.extension());
        let path = folder.join(&name);
        let failed = |source| SynthesisError::from(TableError::io(&path, source));
        let file = Hashed::create(&path).map_err(failed)?;
        let schema = release.fitted.schema();
        let writer = TableWriter::new(file, schema, release.recipe.format)
            .map_err(failed)?
            .keep_formulas(release.recipe.keep_formulas);
        Ok(Self { release, name, path, writer, rows: 0, copies: Some(0), shown: Shown::nothing(schema) })
    }

    fn write(&mut self, table: &Table) -> Result<(), SynthesisError> {
        self.release.watch.check()?;
        self.rows += table.rows() as u64;
        let more = self.release.original.map_or(Ok(None), |original| original.copies_in(table))?;
        self.copies = self.copies.zip(more).map(|(copies, more)| copies + more);
        self.shown.observe(table);
        let failed = |source| SynthesisError::from(TableError::io(&self.path, source));
        self.writer.write(table).map_err(failed)
    }

    fn finish(self) -> Result<(FileEntry, Option<u64>, Shown), SynthesisError> {
        let failed = |source| SynthesisError::from(TableError::io(&self.path, source));
        let file = self.writer.finish().map_err(failed)?;
        Ok((file.finish(&self.name, Some(self.rows)).map_err(failed)?, self.copies, self.shown))
    }
}
