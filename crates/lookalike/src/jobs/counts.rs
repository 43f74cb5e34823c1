//! Counts in files: what is counted where the data are, and used elsewhere.

use std::path::{Path, PathBuf};

use synthesis::StructuralZeros;
use table::figures::thousands;
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;
use table::sql::{Answer, Dialect, counted};
use table::watch::Watch;
use table::{Attributes, CountFile, CountSource, DeclaredSchema, Domain, TableError, output_file};

use crate::{Connections, Data, Error, Request};

/// Asks for a file with exact counts of a table, in the classes of its declared schema.
///
/// ```
/// use lookalike::prelude::*;
/// use lookalike::CountsRequest;
/// use lookalike::table::schema::SchemaFile;
///
/// let schema = SchemaFile::parse("[table]\ndeclared = true\nreason = \"invented\"\n[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n")?;
/// let people = read_csv_text("sex\nF\nM\nF\n", &ReadOptions { schema: Some(schema), ..ReadOptions::default() })?;
/// let folder = tempfile::tempdir()?;
/// let out = folder.path().join("people.counts");
/// CountsRequest::new(Data::records("people", people), &out).run(&Watch::default())?;
/// let counted = Data::of_count_files([&out])?;
/// let made = SynthesiseRequest::new(counted, Recipe::new("catall")).run(&Watch::default());
/// assert!(made.is_err(), "three records are too few");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CountsRequest {
    /// The table, with a declared schema.
    pub data: Data,
    /// The file to write; only its owner can read it.
    pub out: PathBuf,
    /// Every set of this many variables is counted.
    pub ways: usize,
    /// Whether all variables are counted together too, cell by cell.
    pub cross: bool,
    /// Classes of equal width of numbers without declared cuts.
    pub groups: usize,
    /// A folder with the results of the queries that [`QueriesRequest`] gives, where the data themselves are in an engine.
    pub results: Option<PathBuf>,
    /// Whether a file of that name may be replaced.
    pub replace: bool,
}

/// What was counted.
#[derive(Clone, Debug)]
pub struct CountsOutcome {
    /// Records.
    pub records: u64,
    /// Sets of variables.
    pub sets: usize,
    /// Occupied cells of all of them.
    pub cells: usize,
}

impl CountsRequest {
    /// Asks for counts of all pairs of variables.
    pub fn new(data: Data, out: impl Into<PathBuf>) -> Self {
        Self { data, out: out.into(), ways: 2, cross: false, groups: 5, results: None, replace: false }
    }

    /// Counts, and writes the file.
    pub fn run(&self, watch: &Watch) -> Result<CountsOutcome, Error> {
        output_file::check("out", &self.out, &self.inputs(), self.replace)?;
        let schema = declared(&self.data)?;
        let sets = sets(&schema, self.groups, self.ways, self.cross)?;
        let counted = match &self.results {
            Some(folder) => self.of_results(folder, &schema, &sets)?,
            None => {
                let inputs = self.data.sha256s()?;
                let opened = self.data.open(watch)?;
                if opened.source().records() == 0 {
                    return Err(Error::Usage("there is no record to count".into()));
                }
                let violations = opened.source().table().map(table::Table::violations).transpose()?;
                if let Some(violations) = violations.filter(|violations| !violations.is_empty()) {
                    return Err(TableError::Violations(violations).into());
                }
                let counts = opened.source().declared_counts(&schema, self.groups)?;
                CountFile::count(counts.as_ref(), &schema, self.groups, &sets, inputs)?
            }
        };
        output_file::write_private(&self.out, &counted.to_bytes()?, self.replace)?;
        Ok(CountsOutcome {
            records: counted.records(),
            sets: counted.sets().len(),
            cells: counted.occupied(),
        })
    }

    /// The results of the queries, one file each, by their names.
    fn of_results(
        &self,
        folder: &Path,
        schema: &DeclaredSchema,
        sets: &[Attributes],
    ) -> Result<CountFile, Error> {
        let domain = Domain::declared(schema, self.groups)?;
        let mut tables = Vec::with_capacity(sets.len());
        let mut inputs = Vec::with_capacity(sets.len());
        for (number, of) in sets.iter().enumerate() {
            let name = query_name(number);
            let endings = ["csv", "csv.gz", "parquet", "arrow"];
            let path = endings
                .iter()
                .map(|ending| folder.join(format!("{name}.{ending}")))
                .find(|path| path.exists());
            let folder_of_parts = Some(folder.join(&name)).filter(|path| path.is_dir());
            let Some(path) = path.or(folder_of_parts) else {
                let message = format!(
                    "{} lacks the results of {name}, as {name}.csv or {name}.parquet",
                    folder.display()
                );
                return Err(Error::option("results", message));
            };
            tables.push(results(&path, schema, &domain, of)?);
            inputs.push(Data::file(&path).sha256()?.unwrap_or_default());
        }
        Ok(CountFile::of_tables(schema, self.groups, tables, inputs)?)
    }
}

/// The results of one query.
fn results(
    path: &Path,
    schema: &DeclaredSchema,
    domain: &Domain,
    of: &Attributes,
) -> Result<table::ContingencyTable, Error> {
    let table = read_table(path, &ReadOptions::default())?;
    let column = |name: &str| {
        let found =
            table.schema().variables().iter().position(|variable| variable.name.eq_ignore_ascii_case(name));
        let position =
            found.ok_or_else(|| Error::Usage(format!("{}: it has no column `{name}`", path.display())))?;
        Ok::<_, Error>(table.columns()[position].clone().into_text(&table.schema().variables()[position]))
    };
    let counts = column("n")?;
    let columns = (1..=of.len()).map(|at| column(&format!("c{at}"))).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::with_capacity(table.rows());
    for row in 0..table.rows() {
        let count = counts.get(row).and_then(|count| count.parse::<u64>().ok());
        let count = count
            .ok_or_else(|| Error::Usage(format!("{}, row {}: `n` is no count", path.display(), row + 1)))?;
        let answer = |(at, column): (usize, &table::TextColumn)| match column.get(row) {
            None => Answer::Null,
            Some(text) => match domain.variables()[of.positions()[at]].partition() {
                table::domain::Partition::Levels(_) => Answer::Text(text.to_owned()),
                _ => Answer::Class(
                    text.parse::<f64>()
                        .ok()
                        .filter(|class| class.fract() == 0.0)
                        .map_or(-1, |class| class as i64),
                ),
            },
        };
        rows.push((columns.iter().enumerate().map(answer).collect(), count));
    }
    Ok(counted(schema.schema(), domain, of, rows)?)
}

/// What is counted: every set of so many variables, those that show cells that cannot occur, and all together where that is asked for.
fn sets(schema: &DeclaredSchema, groups: usize, ways: usize, cross: bool) -> Result<Vec<Attributes>, Error> {
    let domain = Domain::declared(schema, groups)?;
    let variables = domain.variables().len();
    if ways == 0 || variables == 0 {
        return Err(Error::option("ways", "it must be at least 1, and there must be a variable to count"));
    }
    let mut sets = Attributes::combinations(&domain, ways.min(variables));
    for zeros in StructuralZeros::declared(schema, &domain)?.all() {
        if !sets.iter().any(|of| of.places_of(&zeros.attributes).is_some()) {
            sets.push(zeros.attributes.clone());
        }
    }
    let all = Attributes::all(&domain);
    if cross && !sets.contains(&all) {
        sets.push(all);
    }
    Ok(sets)
}

fn declared(data: &Data) -> Result<DeclaredSchema, Error> {
    let needs = || {
        Error::Refused(
            "counts are in the classes of a declared schema; draft one with `lookalike describe DATA --write-schema NEW.schema.toml`, review it, set \
             `declared = true` with a reason, and name it with --schema"
                .into(),
        )
    };
    data.declared_schema()?.ok_or_else(needs)
}

fn query_name(number: usize) -> String {
    format!("q{:04}", number + 1)
}

impl Request for CountsRequest {
    type Outcome = CountsOutcome;

    fn reads(&self) -> Vec<PathBuf> {
        self.inputs().into_iter().chain(self.data.opens().0).collect()
    }

    fn connects(&self) -> Connections {
        self.data.opens().1
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.data.inputs()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        vec![self.out.clone()]
    }

    fn perform(&self, watch: &Watch) -> Result<CountsOutcome, Error> {
        self.run(watch)
    }

    fn text(&self, counted: &CountsOutcome) -> String {
        let (records, sets, cells) =
            (thousands(counted.records), thousands(counted.sets), thousands(counted.cells));
        format!(
            "{}: exact counts of {records} records over {sets} sets of variables, {cells} occupied cells; confidential: do not release\n",
            self.out.display()
        )
    }

    fn json(&self, counted: &CountsOutcome) -> serde_json::Value {
        serde_json::json!({ "records": counted.records, "sets": counted.sets, "cells": counted.cells })
    }
}

/// Asks for the queries whose results are the counts of a table in an engine that is not linked.
#[derive(Clone, Debug)]
pub struct QueriesRequest {
    /// The declared schema, by its file.
    pub schema: PathBuf,
    /// The engine.
    pub dialect: Dialect,
    /// The table there, parts of its path separated by points.
    pub table: String,
    /// Every set of this many variables is counted.
    pub ways: usize,
    /// Whether all variables are counted together too.
    pub cross: bool,
    /// Classes of equal width of numbers without declared cuts.
    pub groups: usize,
}

impl QueriesRequest {
    /// The queries, with the names under which their results are to be saved.
    pub fn run(&self) -> Result<Vec<(String, String)>, Error> {
        let schema = SchemaFile::read(&self.schema)?.finish()?;
        let schema = synthesis::private::declared(&schema)?;
        let domain = Domain::declared(&schema, self.groups)?;
        let sets = sets(&schema, self.groups, self.ways, self.cross)?;
        let query = |(number, of): (usize, &Attributes)| {
            Ok((query_name(number), self.dialect.count(&self.table, schema.schema(), &domain, of)?))
        };
        sets.iter().enumerate().map(query).collect()
    }
}

impl Request for QueriesRequest {
    type Outcome = Vec<(String, String)>;

    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.schema.clone()]
    }

    fn perform(&self, _: &Watch) -> Result<Self::Outcome, Error> {
        self.run()
    }

    fn text(&self, queries: &Self::Outcome) -> String {
        queries.iter().map(|(name, query)| format!("-- {name}\n{query};\n")).collect()
    }

    fn json(&self, queries: &Self::Outcome) -> serde_json::Value {
        queries
            .iter()
            .map(|(name, query)| (name.clone(), serde_json::Value::from(query.clone())))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}
