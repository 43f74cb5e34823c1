//! The files of a table block by block: row groups of Parquet, batches of Arrow, blocks of CSV. Each block is worked on by some core and then dropped, and what
//! comes of it is gathered in the order of the records, so that nothing depends on the number of threads.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema as ArrowSchema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use rayon::prelude::*;

use super::arrow_batches;
use super::csv::blocks::Blocks;
use super::csv::header::{self, Header};
use super::csv::parse::{self, Parsed, Plan};
use super::pieces::{Growing, Piece, integers_as_text};
use super::{Expectation, ReadOptions, Watched, foreign, learn};
use crate::column::{Entry, Numbers, TextColumn};
use crate::schema::{Kind, Levels, Schema, Stored, Variable};
use crate::streamed::{DataFile, DataFiles, FileFormat, shown};
use crate::watch::{Step, Watch};
use crate::{Codes, FileProblem, Table, TableError};

/// Records of a row group that are in memory at a time.
const BATCH_ROWS: usize = 1 << 16;

/// Files of one table, ready to be passed over.
pub(crate) struct TableFiles {
    pub(crate) files: DataFiles,
    /// The columns: those of the files, then those in the names of subfolders.
    pub(crate) names: Vec<String>,
    pub(crate) expected: Vec<Expectation>,
    tokens: Vec<Vec<String>>,
    /// The types that typed files give to their columns; none of CSV.
    held: Vec<DataType>,
    /// For each variable in the names of subfolders, whether its levels are whole numbers.
    whole: Vec<bool>,
    /// The row groups of Parquet files, in the order of their records.
    groups: Vec<Group>,
    options: ReadOptions,
}

#[derive(Clone, Copy)]
struct Group {
    file: usize,
    number: usize,
    rows: u64,
    /// The first record among all, and among those of the file.
    first: u64,
    first_in_file: u64,
}

/// Where the records of a block are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) file: usize,
    /// The first of them, among the records of all files.
    pub(crate) first: u64,
    /// The first of them, among the records of its file.
    pub(crate) first_in_file: u64,
}

/// Some records, column by column.
pub(crate) struct Block {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<BlockColumn>,
}

/// A column as the file holds it.
pub(crate) enum BlockColumn {
    Array(ArrayRef),
    Piece(Piece),
}

/// What a pass does with a block.
pub(crate) type Work<'a, T> = &'a (dyn Fn(&Place, Block) -> Result<T, TableError> + Sync);

impl TableFiles {
    /// Looks at headers and footers; all files must have the same columns, in whatever order.
    pub(crate) fn open(files: DataFiles, options: &ReadOptions) -> Result<Self, TableError> {
        let mut groups: Vec<Group> = Vec::new();
        let mut first: Option<(Vec<String>, Vec<DataType>)> = None;
        let mut records = 0;
        for (at, file) in files.all().iter().enumerate() {
            options.watch.check()?;
            let (names, held) = match file.format {
                FileFormat::Parquet => {
                    let metadata = parquet_metadata(&file.path, false)?;
                    let mut first_in_file = 0;
                    for (number, group) in metadata.metadata().row_groups().iter().enumerate() {
                        let rows = group.num_rows().unsigned_abs();
                        groups.push(Group { file: at, number, rows, first: records, first_in_file });
                        records += rows;
                        first_in_file += rows;
                    }
                    typed_columns(&file.path, metadata.schema())?
                }
                FileFormat::ArrowFile => {
                    let reader = arrow_file(&file.path)?;
                    typed_columns(&file.path, &reader.schema())?
                }
                FileFormat::ArrowStream => {
                    let reader = arrow_stream(&file.path)?;
                    typed_columns(&file.path, &reader.schema())?
                }
                FileFormat::Text => (csv_header(file, options)?.names, Vec::new()),
            };
            match &first {
                None => first = Some((names, held)),
                Some((known, _)) => refuse_other_columns(&files.all()[0].path, known, &file.path, &names)?,
            }
        }
        let (mut names, held) = first.unwrap_or_default();
        let place = files.place().to_owned();
        for name in files.cut_by() {
            if names.contains(name) {
                let message = format!(
                    "`{name}` is a column of the files and in the names of subfolders too; leave it out of one of them"
                );
                return Err(TableError::file(&place, FileProblem::Format(message)));
            }
            names.push(name.clone());
        }
        let place = if files.all().len() == 1 { files.all()[0].path.clone() } else { place };
        let (expected, tokens) = options.expectations(&place, &names)?.into_iter().unzip();
        let own = names.len() - files.cut_by().len();
        let is_whole = |at: usize| {
            let mut levels = files.all().iter().filter_map(|file| file.levels[at].as_deref());
            levels.all(|level| level.parse::<i64>().is_ok_and(|number| number.to_string() == level))
        };
        let expected: Vec<Expectation> = expected;
        let whole =
            (own..names.len()).map(|at| expected[at] != Expectation::Text && is_whole(at - own)).collect();
        Ok(Self { files, names, expected, tokens, held, whole, groups, options: options.clone() })
    }

    /// The number of records, where footers say it.
    pub(crate) fn records(&self) -> Option<u64> {
        let is_known = self.files.all().iter().all(|file| file.format == FileFormat::Parquet);
        is_known.then(|| self.groups.iter().map(|group| group.rows).sum())
    }

    /// Whether the files say what type their columns have.
    pub(crate) fn are_typed(&self) -> bool {
        !self.held.is_empty()
    }

    /// The types that typed files give to the columns.
    pub(crate) fn held(&self) -> &[DataType] {
        &self.held
    }

    /// What the types of the columns alone say of them: whole numbers, and truth values.
    pub(crate) fn types(&self) -> Result<Schema, TableError> {
        let variable = |(at, name): (usize, &String)| match self.held.get(at) {
            Some(DataType::Boolean) => {
                let levels = Levels::new(["false", "true"]).unwrap_or_default();
                let of = Variable::new(name, Kind::Categorical { levels });
                Variable { stored: Some(Stored::Boolean), ..of }
            }
            Some(held) if held.is_integer() => Variable::new(name, Kind::Integer { range: None }),
            _ => Variable::new(name, Kind::TextId),
        };
        let variables = self.names.iter().enumerate().map(variable).collect();
        Schema::new(variables, Vec::new(), Vec::new())
    }

    /// The file of a block, for messages.
    pub(crate) fn path(&self, place: &Place) -> &Path {
        &self.files.all()[place.file].path
    }

    /// A column of a block as values, texts that mean missing taken as missing.
    pub(crate) fn piece(&self, place: &Place, at: usize, column: BlockColumn) -> Result<Piece, TableError> {
        match column {
            BlockColumn::Piece(piece) => Ok(piece),
            BlockColumn::Array(array) => {
                arrow_batches::piece(array.as_ref(), &self.tokens[at]).map_err(|problem| {
                    let message = problem.in_block();
                    let problem = FileProblem::Column { column: self.names[at].clone(), message };
                    TableError::file(self.path(place), problem)
                })
            }
        }
    }

    /// The texts that mean missing in a column.
    pub(crate) fn tokens(&self, at: usize) -> &[String] {
        &self.tokens[at]
    }

    /// Passes over all records once. `wanted` are the columns that `work` is given, in this order; typed files read no others. `dictionaries`: texts of Parquet come
    /// as dictionaries, so that each is looked up once. Gives the number of records.
    pub(crate) fn pass<T: Send>(
        &self,
        wanted: &[usize],
        dictionaries: bool,
        work: Work<'_, T>,
        gather: &mut dyn FnMut(&Place, T) -> Result<(), TableError>,
    ) -> Result<u64, TableError> {
        let passed = self.pass_unchecked(wanted, dictionaries, work, gather);
        match (&passed, self.files.refuse_changes()) {
            (Err(TableError::Cancelled), _) | (_, Ok(())) => passed,
            (_, Err(changed)) => Err(changed),
        }
    }

    fn pass_unchecked<T: Send>(
        &self,
        wanted: &[usize],
        dictionaries: bool,
        work: Work<'_, T>,
        gather: &mut dyn FnMut(&Place, T) -> Result<(), TableError>,
    ) -> Result<u64, TableError> {
        if self.files.all().first().is_some_and(|file| file.format == FileFormat::Parquet) {
            return self.pass_parquet(wanted, dictionaries, work, gather);
        }
        let mut records = 0;
        for (at, file) in self.files.all().iter().enumerate() {
            let first = Place { file: at, first: records, first_in_file: 0 };
            records += match file.format {
                FileFormat::Text => self.pass_csv(file, first, wanted, work, gather)?,
                FileFormat::ArrowStream => {
                    let reader = arrow_stream(&file.path)?;
                    let schema = reader.schema();
                    self.pass_batches(file, first, &schema, reader, wanted, work, gather)?
                }
                FileFormat::ArrowFile | FileFormat::Parquet => {
                    let reader = arrow_file(&file.path)?;
                    let schema = reader.schema();
                    self.pass_batches(file, first, &schema, reader, wanted, work, gather)?
                }
            };
        }
        Ok(records)
    }

    fn pass_parquet<T: Send>(
        &self,
        wanted: &[usize],
        dictionaries: bool,
        work: Work<'_, T>,
        gather: &mut dyn FnMut(&Place, T) -> Result<(), TableError>,
    ) -> Result<u64, TableError> {
        let bytes = self.files.bytes();
        for groups in self.groups.chunks(8 * rayon::current_num_threads()) {
            let mut known: HashMap<usize, ArrowReaderMetadata> = HashMap::new();
            for group in groups {
                if let std::collections::hash_map::Entry::Vacant(unknown) = known.entry(group.file) {
                    unknown.insert(parquet_metadata(&self.files.all()[group.file].path, dictionaries)?);
                }
            }
            let read = |group: &Group| self.read_group(*group, &known[&group.file], wanted, work, bytes);
            for of_group in groups.par_iter().map(read).collect::<Result<Vec<_>, TableError>>()? {
                for (place, made) in of_group {
                    gather(&place, made)?;
                }
            }
        }
        Ok(self.groups.iter().map(|group| group.rows).sum())
    }

    fn read_group<T: Send>(
        &self,
        group: Group,
        metadata: &ArrowReaderMetadata,
        wanted: &[usize],
        work: Work<'_, T>,
        all_bytes: u64,
    ) -> Result<Vec<(Place, T)>, TableError> {
        let file = &self.files.all()[group.file];
        let broken = |error: &dyn std::fmt::Display| {
            let message = format!("not a readable Parquet file: {error}");
            TableError::file(&file.path, FileProblem::Format(message))
        };
        let damaged = || broken(&"it is damaged");
        let batches = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let opened = File::open(&file.path).map_err(|source| TableError::io(&file.path, source))?;
            let own: Vec<usize> =
                wanted.iter().filter_map(|at| position(metadata.schema(), &self.names[*at])).collect();
            let mask = ProjectionMask::roots(metadata.parquet_schema(), own);
            ParquetRecordBatchReaderBuilder::new_with_metadata(opened, metadata.clone())
                .with_row_groups(vec![group.number])
                .with_projection(mask)
                .with_batch_size(BATCH_ROWS)
                .build()
                .map_err(|error| broken(&error))
        }));
        let mut batches = batches.unwrap_or_else(|_| Err(damaged()))?;
        let mut made = Vec::new();
        let mut rows = 0;
        loop {
            self.options.watch.check()?;
            let next = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| batches.next()));
            let Some(batch) = next.map_err(|_| damaged())? else { break };
            let batch = batch.map_err(|error| broken(&error))?;
            let place = Place {
                file: group.file,
                first: group.first + rows,
                first_in_file: group.first_in_file + rows,
            };
            rows += batch.num_rows() as u64;
            let block = self.block(file, &batch, wanted)?;
            made.push((place, work(&place, block)?));
        }
        if rows != group.rows {
            return Err(broken(&"it holds other numbers of records than it says"));
        }
        let bytes = metadata.metadata().row_group(group.number).compressed_size().unsigned_abs();
        self.options.watch.report(Step::Reading { bytes, of: Some(all_bytes) });
        Ok(made)
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "one file of a pass: where it is, what is read of it, what is done"
    )]
    fn pass_batches<T: Send>(
        &self,
        file: &DataFile,
        first: Place,
        schema: &SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        wanted: &[usize],
        work: Work<'_, T>,
        gather: &mut dyn FnMut(&Place, T) -> Result<(), TableError>,
    ) -> Result<u64, TableError> {
        let own: Vec<usize> = wanted.iter().filter_map(|at| position(schema, &self.names[*at])).collect();
        let mut batches = batches.map(|batch| {
            let batch = batch.and_then(|batch| batch.project(&own));
            batch.map_err(|error| not_arrow(&file.path, &error))
        });
        let mut rows = 0;
        loop {
            self.options.watch.check()?;
            let some = batches.by_ref().take(2 * rayon::current_num_threads());
            let mut some = some.collect::<Result<Vec<RecordBatch>, _>>()?;
            if some.is_empty() {
                return Ok(rows);
            }
            let places: Vec<Place> = some
                .iter()
                .map(|batch| {
                    let place = Place { first: first.first + rows, first_in_file: rows, ..first };
                    rows += batch.num_rows() as u64;
                    place
                })
                .collect();
            let made = some
                .par_drain(..)
                .zip(&places)
                .map(|(batch, place)| work(place, self.block(file, &batch, wanted)?));
            for (place, made) in places.iter().zip(made.collect::<Result<Vec<T>, TableError>>()?) {
                gather(place, made)?;
            }
        }
    }

    /// The wanted columns of a batch, and of the names of subfolders.
    fn block(&self, file: &DataFile, batch: &RecordBatch, wanted: &[usize]) -> Result<Block, TableError> {
        let own = self.names.len() - self.files.cut_by().len();
        let column = |at: &usize| match at.checked_sub(own) {
            Some(cut) => Ok(BlockColumn::Piece(self.constant(file, cut, batch.num_rows()))),
            None => {
                let array = batch.column_by_name(&self.names[*at]).cloned();
                let lacks =
                    || not_arrow(&file.path, &format!("a batch lacks the column `{}`", self.names[*at]));
                array.map(BlockColumn::Array).ok_or_else(lacks)
            }
        };
        Ok(Block { rows: batch.num_rows(), columns: wanted.iter().map(column).collect::<Result<_, _>>()? })
    }

    /// The level of a variable in the names of subfolders, for every record.
    fn constant(&self, file: &DataFile, at: usize, rows: usize) -> Piece {
        let own = self.names.len() - self.files.cut_by().len();
        let level = file.levels[at].as_ref().filter(|level| !self.tokens[own + at].contains(level));
        if self.whole[at] || level.is_none() {
            let entry = level.and_then(|level| level.parse().ok()).map_or(Entry::Missing, Entry::Value);
            let mut numbers = Numbers::with_capacity(rows);
            (0..rows).for_each(|_| numbers.push(entry));
            return Piece::Integer(numbers);
        }
        Piece::Text(TextColumn {
            codes: Codes::collect(2, std::iter::repeat_n(0, rows)),
            dictionary: level.into_iter().cloned().collect(),
        })
    }

    fn pass_csv<T: Send>(
        &self,
        file: &DataFile,
        first: Place,
        wanted: &[usize],
        work: Work<'_, T>,
        gather: &mut dyn FnMut(&Place, T) -> Result<(), TableError>,
    ) -> Result<u64, TableError> {
        let path = &file.path;
        let io = |source| TableError::io(path, source);
        let failed = |problem| TableError::file(path, problem);
        let header = csv_header(file, &self.options)?;
        let place_of: Vec<Option<usize>> =
            self.names.iter().map(|name| header.names.iter().position(|other| other == name)).collect();
        let known = |name: &String| self.names.iter().position(|other| other == name).unwrap_or_default();
        let order: Vec<usize> = header.names.iter().map(known).collect();
        let expected: Vec<Expectation> = order.iter().map(|at| self.expected[*at]).collect();
        let tokens = order.iter().map(|at| self.tokens[*at].clone()).collect();
        let mut hints = expected.clone();
        let mut blocks = Blocks::new(open_text(file, &self.options.watch).map_err(io)?);
        blocks.start_after(header.bytes, header.lines, header.separator);
        let plan = Plan::new(header, expected, tokens, self.options.decimal_mark());
        let own = self.names.len() - self.files.cut_by().len();
        let mut blank_line: Option<u64> = None;
        let mut rows = 0;
        loop {
            let some = (0..4 * rayon::current_num_threads()).map_while(|_| blocks.next_block().transpose());
            let some = some.collect::<std::io::Result<Vec<_>>>().map_err(io)?;
            if some.is_empty() {
                return Ok(rows);
            }
            let parsed: Vec<_> = some.par_iter().map(|block| parse::parse(block, &plan, &hints)).collect();
            let mut pieces_of = Vec::with_capacity(parsed.len());
            for part in parsed {
                let Parsed { pieces, first_line, blank } = part.map_err(failed)?;
                if let (Some(line), Some(_)) = (blank_line, first_line) {
                    return Err(failed(plan.ragged(line, 0)));
                }
                blank_line = blank_line.or(blank);
                for (column, piece) in pieces.iter().enumerate() {
                    if plan.expected[column] == Expectation::Infer && matches!(piece, Piece::Text(_)) {
                        hints[column] = Expectation::Text;
                    }
                }
                let place = Place { first: first.first + rows, first_in_file: rows, ..first };
                rows += pieces[0].len() as u64;
                pieces_of.push((place, pieces));
            }
            let made = pieces_of.into_par_iter().map(|(place, pieces)| {
                let rows = pieces[0].len();
                let mut pieces: Vec<Option<Piece>> = pieces.into_iter().map(Some).collect();
                let mut column = |at: &usize| match at.checked_sub(own) {
                    Some(cut) => BlockColumn::Piece(self.constant(file, cut, rows)),
                    None => {
                        let piece = place_of[*at].and_then(|at| pieces[at].take());
                        BlockColumn::Piece(piece.unwrap_or_else(|| Piece::Integer(Numbers::with_capacity(0))))
                    }
                };
                let columns = wanted.iter().map(&mut column).collect();
                Ok((place, work(&place, Block { rows, columns })?))
            });
            for (place, made) in made.collect::<Result<Vec<_>, TableError>>()? {
                gather(&place, made)?;
            }
        }
    }
}

/// All records of several files as one table, under the schema that they show.
pub(crate) fn read_whole(files: &DataFiles, options: &ReadOptions) -> Result<Table, TableError> {
    let mut files = TableFiles::open(files.clone(), options)?;
    let all: Vec<usize> = (0..files.names.len()).collect();
    loop {
        let mut columns: Vec<Growing> = files.names.iter().map(|_| Growing::default()).collect();
        let work = |place: &Place, block: Block| {
            let columns = block.columns.into_iter().enumerate();
            columns.map(|(at, column)| files.piece(place, at, column)).collect::<Result<Vec<Piece>, _>>()
        };
        files.pass(&all, false, &work, &mut |_, pieces| {
            columns.iter_mut().zip(pieces).for_each(|(column, piece)| column.append(piece));
            Ok(())
        })?;
        let joined: Vec<_> = columns.into_par_iter().map(Growing::finish).collect();
        let again: Vec<usize> = (0..joined.len()).filter(|column| joined[*column].is_err()).collect();
        if again.is_empty() {
            let columns: Vec<Piece> = joined.into_iter().flatten().collect();
            if columns.first().is_none_or(|column| column.len() == 0) {
                return Err(TableError::file(files.files.place(), FileProblem::NoRows));
            }
            let (schema, columns) = learn::table(files.names, columns, &files.held)?.into_parts();
            let schema = Arc::unwrap_or_clone(schema).with_decimal(options.decimal_mark());
            return Table::new(Arc::new(schema), columns);
        }
        files.read_again_as_text(&again)?;
    }
}

impl TableFiles {
    /// The columns at these places do not go together but as text; typed files cannot give them as text.
    pub(crate) fn read_again_as_text(&mut self, columns: &[usize]) -> Result<(), TableError> {
        if let (true, Some(column)) = (self.are_typed(), columns.first()) {
            let message = "its numbers, dates and texts do not go together from file to file; write the column in one type";
            let problem =
                FileProblem::Column { column: self.names[*column].clone(), message: message.into() };
            return Err(TableError::file(self.files.place(), problem));
        }
        columns.iter().for_each(|column| self.expected[*column] = Expectation::Text);
        Ok(())
    }
}

/// A column that was read as whole numbers, as text.
pub(crate) fn as_text(numbers: &Numbers<i64>) -> TextColumn {
    integers_as_text(numbers)
}

fn position(schema: &SchemaRef, name: &str) -> Option<usize> {
    schema.fields().iter().position(|field| field.name() == name)
}

fn parquet_metadata(path: &Path, dictionaries: bool) -> Result<ArrowReaderMetadata, TableError> {
    let broken = |error: &dyn std::fmt::Display| {
        TableError::file(path, FileProblem::Format(format!("not a readable Parquet file: {error}")))
    };
    let file = File::open(path).map_err(|source| TableError::io(path, source))?;
    let load = |options: ArrowReaderOptions| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ArrowReaderMetadata::load(&file, options)))
            .unwrap_or_else(|_| Err(parquet::errors::ParquetError::General("it is damaged".into())))
    };
    let metadata = load(ArrowReaderOptions::new()).map_err(|error| broken(&error))?;
    if !dictionaries {
        return Ok(metadata);
    }
    let field = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let keys = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            Arc::new(field.as_ref().clone().with_data_type(keys))
        }
        _ => Arc::clone(field),
    };
    let fields: Vec<Arc<Field>> = metadata.schema().fields().iter().map(field).collect();
    let schema = Arc::new(ArrowSchema::new(fields));
    // Where a column cannot be read so, all are read as they are.
    Ok(load(ArrowReaderOptions::new().with_schema(schema)).unwrap_or(metadata))
}

/// Bytes that the records of a Parquet file would take in memory, roughly.
pub(crate) fn parquet_bytes(path: &Path) -> Result<f64, TableError> {
    let metadata = parquet_metadata(path, false)?;
    let rows = metadata.metadata().file_metadata().num_rows() as f64;
    Ok(12.0 * rows * metadata.schema().fields().len() as f64)
}

fn arrow_file(path: &Path) -> Result<arrow_ipc::reader::FileReader<BufReader<File>>, TableError> {
    let file = File::open(path).map_err(|source| TableError::io(path, source))?;
    arrow_ipc::reader::FileReader::try_new(BufReader::new(file), None)
        .map_err(|error| not_arrow(path, &error))
}

fn arrow_stream(path: &Path) -> Result<arrow_ipc::reader::StreamReader<BufReader<File>>, TableError> {
    let file = File::open(path).map_err(|source| TableError::io(path, source))?;
    arrow_ipc::reader::StreamReader::try_new(BufReader::new(file), None)
        .map_err(|error| not_arrow(path, &error))
}

fn not_arrow(path: &Path, error: &dyn std::fmt::Display) -> TableError {
    TableError::file(path, FileProblem::Format(format!("not a readable Arrow IPC file: {error}")))
}

/// The names and types of the columns of a typed file.
fn typed_columns(path: &Path, schema: &ArrowSchema) -> Result<(Vec<String>, Vec<DataType>), TableError> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    if names.is_empty() {
        return Err(TableError::file(path, FileProblem::Empty));
    }
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
    Ok((names, schema.fields().iter().map(|field| field.data_type().clone()).collect()))
}

fn refuse_other_columns(
    first: &Path,
    known: &[String],
    path: &Path,
    names: &[String],
) -> Result<(), TableError> {
    let lacks = |these: &[String], those: &[String]| -> Option<String> {
        these.iter().find(|name| !those.contains(name)).cloned()
    };
    let first = shown(first);
    let message = match (lacks(known, names), lacks(names, known)) {
        (Some(name), _) => format!("it lacks the column `{name}`, which {first} has"),
        (None, Some(name)) => format!("it has the column `{name}`, which {first} lacks"),
        (None, None) => return Ok(()),
    };
    Err(TableError::file(
        path,
        FileProblem::Format(format!("{message}; files of one table have the same columns")),
    ))
}

/// The bytes of a CSV file, unpacked.
fn open_text(file: &DataFile, watch: &Watch) -> std::io::Result<Box<dyn Read + Send>> {
    let mut start = [0; 2];
    let length = super::read_fully(&mut File::open(&file.path)?, &mut start)?;
    let watched = Watched::open(&file.path, watch)?;
    if start[..length] == [0x1f, 0x8b] {
        return Ok(Box::new(flate2::read::MultiGzDecoder::new(watched)));
    }
    Ok(Box::new(watched))
}

fn csv_header(file: &DataFile, options: &ReadOptions) -> Result<Header, TableError> {
    let io = |source| TableError::io(&file.path, source);
    let mut blocks = Blocks::new(open_text(file, &Watch::default()).map_err(io)?);
    let start = blocks.peek_start().map_err(io)?;
    if let Some(message) = foreign::way_out(&start[..start.len().min(foreign::START)]) {
        return Err(TableError::file(&file.path, FileProblem::Format(message)));
    }
    header::parse(start, options.separator).map_err(|problem| TableError::file(&file.path, problem))
}
