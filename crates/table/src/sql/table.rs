//! A table in an engine: its records are counted there, and never come here.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use super::condition::Columns;
use super::{Answer, Counting, Dialect, literal};
use crate::covering::cover;
use crate::domain::{ClassRule, Partition};
use crate::figures::thousands;
use crate::grouping::{Ranked, within_kind};
use crate::schema::{Violation, Violations};
use crate::{
    Attributes, Classes, ContingencyTable, CountSource, Domain, FileProblem, Grouping, Kind, Margin, Schema,
    TableError, Variable,
};

/// Cells of a GROUP BY that holds several margins. Between 10⁴ and 10⁵ the time of the server is the same; fewer are less to send.
const CELLS_A_QUERY: usize = 10_000;

/// What is done with each row of an answer.
pub type Answers<'a> = &'a mut dyn FnMut(Vec<Answer>) -> Result<(), TableError>;

/// Something that runs SQL on one state of the data, whatever others write meanwhile.
pub trait Engine: Send + Sync {
    /// Its dialect.
    fn dialect(&self) -> Dialect;

    /// Runs a query and hands over its rows as they come. Errors show no value of the data.
    fn query(&self, query: &str, each: Answers<'_>) -> Result<(), TableError>;

    /// The columns of a table, whose path is quoted.
    fn columns(&self, from: &str) -> Result<Vec<EngineColumn>, TableError>;

    /// Begins again on the present state of the data, if the connection was lost; `false` if it was not, or cannot be had again.
    fn begin_again(&self) -> Result<bool, TableError> {
        Ok(false)
    }

    /// What whoever runs this should know of the engine.
    fn notes(&self, _from: &str) -> Result<Vec<String>, TableError> {
        Ok(Vec::new())
    }
}

/// A column of a table in an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub holds: ColumnType,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Text, or what is written as text.
    Text,
    /// Truth values.
    Boolean,
    /// Whole numbers.
    Whole,
    /// Other numbers.
    Real,
    /// Days.
    Date,
    /// Points in time; whether in universal time.
    Timestamp {
        /// Whether it has a time zone.
        universal: bool,
    },
    /// Times of day.
    Time,
    /// Something that a table cannot hold, by the name of its type.
    Other(String),
}

/// Records in an engine, under a schema that they keep.
pub struct SqlTable {
    engine: Box<dyn Engine>,
    from: String,
    schema: Schema,
    columns: Vec<EngineColumn>,
    records: u64,
    /// Whether counts have been handed over: then a lost state of the data is lost for good.
    has_answered: AtomicBool,
    /// Whether all variables have been found within their domains.
    is_checked: AtomicBool,
}

impl std::fmt::Debug for SqlTable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SqlTable").field("records", &self.records).finish_non_exhaustive()
    }
}

impl SqlTable {
    /// Opens the table with this path. Its records are counted, and compared with the rules and formulas of the schema; columns that the schema does not name are not looked at.
    pub fn open(engine: Box<dyn Engine>, path: &[String], schema: Schema) -> Result<Self, TableError> {
        let from = engine.dialect().table_of_parts(path.iter().map(String::as_str))?;
        let columns = engine.columns(&from)?;
        let has = |name: &str| columns.iter().any(|column| column.name == name);
        let lacking: Vec<&str> = schema
            .variables()
            .iter()
            .map(|variable| variable.name.as_str())
            .filter(|name| !has(name))
            .collect();
        if !lacking.is_empty() {
            let message = format!("the table lacks {}", lacking.join(", "));
            return Err(TableError::schema("schema", FileProblem::OtherColumns(message).to_string()));
        }
        for column in columns.iter().filter(|column| schema.variable(&column.name).is_ok()) {
            if let ColumnType::Other(name) = &column.holds {
                let message = format!(
                    "its type in the database, {name}, is none of text, number, truth value, date and time; cast it in a view"
                );
                return Err(TableError::variable(&column.name, message));
            }
        }
        let mut table = Self {
            engine,
            from,
            schema,
            columns,
            records: 0,
            has_answered: AtomicBool::new(false),
            is_checked: AtomicBool::new(false),
        };
        table.records = match table.check() {
            Err(_) if table.engine.begin_again()? => table.check()?,
            checked => checked?,
        };
        if table.records == 0 {
            return Err(TableError::schema("database", "the table has no records"));
        }
        Ok(table)
    }

    /// What the variables may hold.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    pub(super) fn engine(&self) -> &dyn Engine {
        self.engine.as_ref()
    }

    pub(super) fn from(&self) -> &str {
        &self.from
    }

    /// What whoever runs this should know of the engine.
    pub fn notes(&self) -> Result<Vec<String>, TableError> {
        self.engine.notes(&self.from)
    }

    /// The same under its schema, declared public for this reason.
    pub fn declared_public(self, reason: &str) -> Result<Self, TableError> {
        let schema = Schema::declared_because(self.schema, reason)?;
        Ok(Self { schema, ..self })
    }

    /// Counts in the classes of this domain.
    pub fn counts_in(&self, domain: Domain) -> SqlCounts<'_> {
        SqlCounts { table: self, domain }
    }

    /// Compares all records with the schema, unless that was done.
    pub fn check_domains(&self) -> Result<(), TableError> {
        if !self.is_checked.load(Ordering::Relaxed) {
            let counts = self.counts_in(self.domain(Grouping::default().groups)?);
            counts.margins(&[])?;
        }
        Ok(())
    }

    /// The number of records, all of which keep rules, formulas and nesting.
    fn check(&self) -> Result<u64, TableError> {
        let dialect = self.engine.dialect();
        let holds = |variable: &Variable| {
            self.columns.iter().find(|column| column.name == variable.name).map(|column| &column.holds)
        };
        let columns = Columns { dialect, schema: &self.schema };
        let broken = columns.violations(|variable| holds(variable) == Some(&ColumnType::Whole))?;
        let filters: String =
            broken.iter().map(|(_, condition)| format!(", COUNT(*) FILTER (WHERE {condition})")).collect();
        let mut counts = Vec::new();
        self.engine.query(&format!("SELECT COUNT(*){filters} FROM {}", self.from), &mut |row| {
            counts = row.iter().map(count).collect::<Result<_, _>>()?;
            Ok(())
        })?;
        let records = counts.first().copied().unwrap_or(0);
        let found = broken.into_iter().map(|(violation, _)| violation).zip(counts.into_iter().skip(1));
        let mut violations = Violations::counted(found);
        for (position, variable) in self.schema.variables().iter().enumerate() {
            if let Some(parent) = &variable.within {
                let foreign = self.foreign_children(position, parent)?;
                violations.note_counted(Violation::NotNested(variable.name.clone(), parent.clone()), foreign);
            }
        }
        if violations.is_empty() { Ok(records) } else { Err(TableError::Violations(violations)) }
    }

    /// Records whose level lies under another parent than the declared one, or where none is declared than where most records have it.
    fn foreign_children(&self, child: usize, parent: &str) -> Result<u64, TableError> {
        let variable = &self.schema.variables()[child];
        let (Some(levels), Some(above)) =
            (variable.kind.levels(), self.schema.variable(parent)?.kind.levels())
        else {
            return Ok(0);
        };
        let columns = Columns { dialect: self.engine.dialect(), schema: &self.schema };
        let query = format!(
            "SELECT c1, c2, COUNT(*) AS n FROM (SELECT {} AS c1, {} AS c2 FROM {}) AS q WHERE c1 IS NOT NULL GROUP BY c1, c2",
            columns.present_text(variable)?,
            columns.present_text(self.schema.variable(parent)?)?,
            self.from
        );
        let declared = self.schema.declared_parents(child);
        let mut under: BTreeMap<u32, BTreeMap<Option<u32>, u64>> = BTreeMap::new();
        self.engine.query(&query, &mut |row| {
            let [Answer::Text(level), parent, records] = row.as_slice() else { return Ok(()) };
            let parent = if let Answer::Text(parent) = parent { above.position(parent) } else { None };
            if let Some(level) = levels.position(level) {
                *under.entry(level).or_default().entry(parent).or_default() += count(records)?;
            }
            Ok(())
        })?;
        let foreign = under.into_iter().map(|(level, parents)| {
            let own = match declared.as_ref().and_then(|declared| declared.get(level as usize)) {
                Some(parent) => parents.get(&Some(*parent)).copied().unwrap_or(0),
                None => parents.values().copied().max().unwrap_or(0),
            };
            parents.values().sum::<u64>() - own
        });
        Ok(foreign.sum())
    }

    /// Does some counting. If the connection is lost before any count was handed over, it is done once more on the present state of the data, which must have as many records.
    fn answer<T>(&self, work: impl Fn() -> Result<T, TableError>) -> Result<T, TableError> {
        let answer = match work() {
            Err(_) if !self.has_answered.load(Ordering::Relaxed) && self.engine.begin_again()? => {
                if self.check()? != self.records {
                    let message = "the connection was lost, and the table has another number of records since then; run again";
                    return Err(TableError::schema("database", message));
                }
                work()?
            }
            answer => answer?,
        };
        self.has_answered.store(true, Ordering::Relaxed);
        Ok(answer)
    }

    /// The classes of the modelled variables: levels, declared cuts, else quantiles of the records, as in memory.
    pub fn domain(&self, groups: usize) -> Result<Domain, TableError> {
        let modelled = self.schema.variables().iter().filter(|variable| variable.is_modelled());
        let classes = modelled.map(|variable| {
            let partition = match (variable.kind.levels(), &variable.cuts) {
                (Some(levels), _) => Partition::Levels(levels.clone()),
                (None, Some(cuts)) => {
                    Partition::Intervals { limits: cuts.clone(), chosen_by: ClassRule::DeclaredCuts }
                }
                (None, None) => self.quantiles(variable, groups)?,
            };
            Ok(Classes::new(variable, within_kind(partition, &variable.kind)))
        });
        Domain::new(classes.collect::<Result<_, TableError>>()?)
    }

    fn quantiles(&self, variable: &Variable, groups: usize) -> Result<Partition, TableError> {
        let columns = Columns { dialect: self.engine.dialect(), schema: &self.schema };
        let x = columns.number(variable, false)?;
        partition(self.engine.as_ref(), &self.from, &x, groups)
    }
}

/// The classes of a number by quantiles of the records, frequent values apart.
pub(super) fn partition(
    engine: &dyn Engine,
    from: &str,
    x: &str,
    groups: usize,
) -> Result<Partition, TableError> {
    let grouping = Grouping::quantiles(groups);
    let few = numbers(
        engine,
        &format!(
            "SELECT DISTINCT {x} AS x FROM {from} WHERE ({x}) IS NOT NULL LIMIT {}",
            grouping.most_values() + 1
        ),
    )?;
    if few.len() <= grouping.most_values() {
        return Ok(grouping.partition(few));
    }
    let mut present = 0;
    engine.query(&format!("SELECT COUNT({x}) FROM {from}"), &mut |row| {
        present = row.first().map_or(Ok(0), count)?;
        Ok(())
    })?;
    grouping.partition_of(&RankedThere { engine, from, x, present })
}

/// Numbers in an engine, by their ranks.
struct RankedThere<'a> {
    engine: &'a dyn Engine,
    from: &'a str,
    x: &'a str,
    present: u64,
}

impl Ranked for RankedThere<'_> {
    fn len(&self) -> u64 {
        self.present
    }

    fn are_many(&self) -> bool {
        true
    }

    fn at(&self, ranks: &[u64]) -> Result<Vec<f64>, TableError> {
        let Self { from, x, present, .. } = self;
        if self.engine.dialect() == Dialect::DataFusion {
            return self.among_cumulative(ranks);
        }
        // The value at rank r of n, from 0, is the first one with a share of at least (r + ½)/n at or below it.
        let share = |rank: &u64| {
            let share = (*rank as f64 + 0.5) / *present as f64;
            format!("PERCENTILE_DISC({share:?}) WITHIN GROUP (ORDER BY {x})")
        };
        let shares: Vec<String> = ranks.iter().map(share).collect();
        numbers(self.engine, &format!("SELECT {} FROM {from} WHERE ({x}) IS NOT NULL", shares.join(", ")))
    }

    fn up_to(&self, values: &[f64]) -> Result<Vec<(u64, u64)>, TableError> {
        let Self { from, x, .. } = self;
        let around = |value: &f64| {
            let value = literal(*value);
            format!("COUNT(*) FILTER (WHERE ({x}) < {value}), COUNT(*) FILTER (WHERE ({x}) <= {value})")
        };
        let counts: Vec<String> = values.iter().map(around).collect();
        let mut found = Vec::new();
        self.engine.query(&format!("SELECT {} FROM {from}", counts.join(", ")), &mut |row| {
            found = row.iter().map(count).collect::<Result<_, _>>()?;
            Ok(())
        })?;
        Ok(found.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
    }
}

impl RankedThere<'_> {
    /// The values at these ranks where no function knows them: a value with so many records below it and so many up to it holds the ranks between.
    fn among_cumulative(&self, ranks: &[u64]) -> Result<Vec<f64>, TableError> {
        let Self { from, x, .. } = self;
        let held = |rank: &u64| format!("(below <= {rank} AND {rank} < up_to)");
        let held: Vec<String> = ranks.iter().map(held).collect();
        let query = format!(
            "SELECT x, below, up_to FROM (SELECT x, up_to - n AS below, up_to FROM (SELECT x, n, CAST(SUM(n) OVER (ORDER BY x) AS BIGINT) AS up_to FROM \
             (SELECT {x} AS x, COUNT(*) AS n FROM {from} WHERE ({x}) IS NOT NULL GROUP BY 1) AS frequencies) AS cumulative) AS ranked WHERE {}",
            held.join(" OR ")
        );
        let mut found: Vec<(f64, u64, u64)> = Vec::new();
        self.engine.query(&query, &mut |row| {
            if let [Answer::Number(value), below, up_to] = row.as_slice() {
                found.push((*value, count(below)?, count(up_to)?));
            }
            Ok(())
        })?;
        let at = |rank: &u64| {
            let holds = found.iter().find(|(_, below, up_to)| below <= rank && rank < up_to);
            let none = || TableError::schema("database", "a rank was not found among its numbers");
            holds.map(|(value, ..)| *value).ok_or_else(none)
        };
        ranks.iter().map(at).collect()
    }
}

/// All numbers of an answer.
pub(super) fn numbers(engine: &dyn Engine, query: &str) -> Result<Vec<f64>, TableError> {
    let mut found = Vec::new();
    engine.query(query, &mut |row| {
        found.extend(row.iter().filter_map(|answer| match answer {
            Answer::Number(number) => Some(*number),
            Answer::Class(number) => Some(*number as f64),
            Answer::Null | Answer::Text(_) => None,
        }));
        Ok(())
    })?;
    Ok(found)
}

/// A count of an answer.
pub(super) fn count(answer: &Answer) -> Result<u64, TableError> {
    match answer {
        Answer::Class(count) if *count >= 0 => Ok(*count as u64),
        _ => Err(TableError::schema("database", "it answered with something that is no count")),
    }
}

/// The counts of a table in an engine, in the classes of a domain.
pub struct SqlCounts<'a> {
    table: &'a SqlTable,
    domain: Domain,
}

impl SqlCounts<'_> {
    /// Sparse counts by one GROUP BY.
    fn group_by(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        let SqlTable { engine, from, schema, records, .. } = self.table;
        let query = engine.dialect().count_from(from, schema, &self.domain, of)?;
        let mut counting = Counting::new(schema, &self.domain, of)?;
        let mut until_look = 1 << 16;
        engine.query(&query, &mut |mut row| {
            let Some(records) = row.pop() else { return Ok(()) };
            counting.add(&row, count(&records)?)?;
            until_look -= 1;
            if until_look == 0 {
                until_look = 1 << 16;
                let what = format!("counting {}", self.domain.describe(of));
                crate::memory::require(4 * counting.bytes(), &what)?;
            }
            Ok(())
        })?;
        let table = counting.finish()?;
        if table.total() != *records {
            let message = format!(
                "they add up to {} records, and there are {}",
                thousands(table.total()),
                thousands(*records)
            );
            return Err(TableError::schema(format!("counts of {}", self.domain.describe(of)), message));
        }
        Ok(table)
    }

    /// Every variable by itself, unless all have been found within their domains.
    fn unchecked(&self) -> Vec<Attributes> {
        if self.table.is_checked.load(Ordering::Relaxed) {
            return Vec::new();
        }
        (0..self.domain.variables().len()).map(|position| Attributes::new([position])).collect()
    }
}

impl CountSource for SqlCounts<'_> {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn records(&self) -> u64 {
        self.table.records()
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        of.iter().try_for_each(|of| Margin::checked_cells(&self.domain, of).map(|_| ()))?;
        self.table.answer(|| {
            let mut wanted = of.to_vec();
            // What is asked for first finds out about all variables, those too that were not asked for.
            wanted.extend(self.unchecked());
            let mut margins: Vec<Option<Margin>> = wanted.iter().map(|_| None).collect();
            for cover in cover(&self.domain, &wanted, CELLS_A_QUERY) {
                let table = self.group_by(&cover.attributes)?;
                for part in cover.parts {
                    margins[part] = table.margin(&wanted[part]).and_then(|part| part.to_margin());
                }
            }
            self.table.is_checked.store(true, Ordering::Relaxed);
            let other = || TableError::schema("counts", "a margin above the dense limit");
            margins.into_iter().take(of.len()).map(|margin| margin.ok_or_else(other)).collect()
        })
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        if !self.unchecked().is_empty() {
            self.margins(&[])?;
        }
        self.table.answer(|| self.group_by(of))
    }

    fn cell_sizes(&self, of: &Attributes) -> Result<BTreeMap<u64, u64>, TableError> {
        if !self.unchecked().is_empty() {
            self.margins(&[])?;
        }
        if of.is_empty() {
            return Ok([(self.records(), 1)].into());
        }
        let SqlTable { engine, from, schema, records, .. } = self.table;
        let query = engine.dialect().cell_sizes_from(from, schema, &self.domain, of)?;
        self.table.answer(|| {
            let mut sizes = BTreeMap::new();
            engine.query(&query, &mut |row| {
                if let [size, cells] = row.as_slice() {
                    sizes.insert(count(size)?, count(cells)?);
                }
                Ok(())
            })?;
            match sizes.iter().map(|(size, cells)| size * cells).sum::<u64>() == *records {
                true => Ok(sizes),
                false => Err(TableError::schema("counts", "cells do not add up to the number of records")),
            }
        })
    }
}

/// How a number of this type is written in a query.
pub(super) fn is_counted_as_number(holds: &ColumnType) -> Option<Kind> {
    match holds {
        ColumnType::Whole => Some(Kind::Integer { range: None }),
        ColumnType::Real => Some(Kind::Real { range: None }),
        ColumnType::Date => Some(Kind::Date { range: None, format: crate::date::DateFormat::Iso }),
        ColumnType::Timestamp { .. } => {
            Some(Kind::Datetime { range: None, format: crate::datetime::DatetimeFormat::default() })
        }
        ColumnType::Time => Some(Kind::Datetime {
            range: None,
            format: crate::datetime::DatetimeFormat::time_of_day(crate::datetime::Precision::Second),
        }),
        ColumnType::Text | ColumnType::Boolean | ColumnType::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::schema::SchemaFile;

    const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n\
        [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
        [variables.age]\nkind = \"integer\"\nrange = [0, 99]\ncuts = [0, 18, 99]\n";

    /// An engine that knows six people, and what it was asked; it may lose its connection, and may find other records afterwards.
    struct Six {
        asked: Mutex<Vec<String>>,
        to_lose: Mutex<u32>,
        is_lost: AtomicBool,
        more_afterwards: bool,
        stranger: bool,
    }

    impl Six {
        fn new(to_lose: u32) -> Self {
            let asked = Mutex::default();
            Self {
                asked,
                to_lose: Mutex::new(to_lose),
                is_lost: AtomicBool::new(false),
                more_afterwards: false,
                stranger: false,
            }
        }
    }

    impl Engine for std::sync::Arc<Six> {
        fn dialect(&self) -> Dialect {
            Dialect::Postgres
        }

        fn query(&self, query: &str, each: Answers<'_>) -> Result<(), TableError> {
            self.asked.lock().unwrap().push(query.to_owned());
            let (text, class) = (|text: &str| Answer::Text(text.into()), Answer::Class);
            if !query.contains("GROUP BY") {
                let has_lost = self.is_lost.load(Ordering::Relaxed) && self.more_afterwards;
                let mut row = vec![class(if has_lost { 7 } else { 6 })];
                row.extend((0..query.matches("FILTER").count()).map(|_| class(0)));
                return each(row);
            }
            let mut to_lose = self.to_lose.lock().unwrap();
            if *to_lose > 0 {
                *to_lose -= 1;
                self.is_lost.store(true, Ordering::Relaxed);
                return Err(TableError::schema("database", "lost"));
            }
            if query.contains("AS sizes") {
                each(vec![class(1), class(2)])?;
                return each(vec![class(4), class(1)]);
            }
            let sexes = if self.stranger { ["F", "secret"] } else { ["F", "M"] };
            let rows = [(sexes[0], 0, 4), (sexes[1], 0, 1), (sexes[1], 1, 1)];
            match (query.contains("\"sex\""), query.contains("\"age\"")) {
                (true, true) => {
                    rows.iter().try_for_each(|(sex, age, n)| each(vec![text(sex), class(*age), class(*n)]))
                }
                (true, false) => rows.iter().try_for_each(|(sex, _, n)| each(vec![text(sex), class(*n)])),
                _ => rows.iter().try_for_each(|(_, age, n)| each(vec![class(*age), class(*n)])),
            }
        }

        fn columns(&self, _: &str) -> Result<Vec<EngineColumn>, TableError> {
            let column = |name: &str, holds: ColumnType| EngineColumn { name: name.into(), holds };
            Ok(vec![
                column("sex", ColumnType::Text),
                column("age", ColumnType::Whole),
                column("more", ColumnType::Other("json".into())),
            ])
        }

        fn begin_again(&self) -> Result<bool, TableError> {
            Ok(self.is_lost.load(Ordering::Relaxed))
        }
    }

    fn open(engine: &std::sync::Arc<Six>) -> Result<SqlTable, TableError> {
        let schema = SchemaFile::parse(SCHEMA).unwrap().finish().unwrap();
        SqlTable::open(Box::new(std::sync::Arc::clone(engine)), &["s.t".to_owned(), "x".to_owned()], schema)
    }

    #[test]
    fn margins_are_counted_together_and_every_variable_is_checked() {
        let engine = std::sync::Arc::new(Six::new(0));
        let table = open(&engine).unwrap();
        assert_eq!(table.records(), 6);
        let counts = table.counts_in(table.domain(5).unwrap());
        let sex = Attributes::new([0]);
        assert_eq!(counts.margins(std::slice::from_ref(&sex)).unwrap()[0].counts(), [4, 2]);
        let asked = engine.asked.lock().unwrap().clone();
        assert!(asked.iter().all(|query| query.contains("FROM \"s.t\".\"x\"")), "{asked:?}");
        assert!(
            asked.iter().any(|query| query.contains("\"age\" IS NULL")),
            "age was not asked for, and is checked: {asked:?}"
        );
        let both = Attributes::new([0, 1]);
        assert_eq!(counts.contingency_table(&both).unwrap().count_of(&[1, 1]), 1);
        assert_eq!(counts.cell_sizes(&both).unwrap(), [(1, 2), (4, 1)].into());
        let stranger = std::sync::Arc::new(Six { stranger: true, ..Six::new(0) });
        let table = open(&stranger).unwrap();
        let error = table.counts_in(table.domain(5).unwrap()).cell_sizes(&both).unwrap_err().to_string();
        assert!(
            error.contains("`sex`") && error.contains("2 records") && !error.contains("secret"),
            "{error}"
        );
    }

    #[test]
    fn a_lost_connection_is_mended_once_and_never_between_two_states_of_the_data() {
        let pair = [Attributes::new([0, 1])];
        let engine = std::sync::Arc::new(Six::new(1));
        let table = open(&engine).unwrap();
        let counts = table.counts_in(table.domain(5).unwrap());
        assert_eq!(counts.margins(&pair).unwrap()[0].counts(), [4, 0, 1, 1]);
        // Counts of one state have been handed over: those of another may not be added.
        *engine.to_lose.lock().unwrap() = 1;
        assert!(counts.margins(&pair).is_err());
        let other = std::sync::Arc::new(Six { more_afterwards: true, ..Six::new(1) });
        let table = open(&other).unwrap();
        let error = table.counts_in(table.domain(5).unwrap()).margins(&pair).unwrap_err().to_string();
        assert!(error.contains("another number of records"), "{error}");
    }
}
