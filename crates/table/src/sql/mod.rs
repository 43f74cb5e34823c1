//! Counts by SQL: one GROUP BY for each set of variables, and its results as a contingency table.
//!
//! Levels are grouped as they are and coded here, so that no level ever stands in a query and an unknown one is seen. Numbers fall into their classes in the engine, by
//! the limits of the schema: closed on the left, the last one on both sides, a limit that comes twice a class of its own, as [`Partition::class_of`](crate::domain::Partition) has it.
//! Names are quoted, limits are printed by us, and nothing else of a schema reaches these queries.
//!
//! [`SqlTable`] is a table in an engine that answers at once, such as PostgreSQL: rules and formulas are translated and checked there, and its counts are a
//! [`CountSource`](crate::CountSource) like others. For engines that are not linked, `counts --sql` prints the queries; then, of rules, what the classes show is checked when counts are used.

mod condition;
mod learning;
mod table;

use std::fmt::Write;

pub use learning::SqlProfile;
pub use table::{Answers, ColumnType, Engine, EngineColumn, SqlCounts, SqlTable};

use crate::domain::Partition;
use crate::{Attributes, Classes, ContingencyTable, Domain, Kind, Schema, TableError, Variable};

/// Whose SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// PostgreSQL.
    Postgres,
    /// DuckDB.
    DuckDb,
    /// Spark and Databricks.
    Spark,
    /// Trino and Presto.
    Trino,
    /// BigQuery.
    BigQuery,
    /// Snowflake.
    Snowflake,
    /// DataFusion, in process or as Ballista.
    DataFusion,
}

impl std::str::FromStr for Dialect {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "postgres" | "postgresql" => Ok(Self::Postgres),
            "duckdb" => Ok(Self::DuckDb),
            "spark" | "databricks" => Ok(Self::Spark),
            "trino" | "presto" => Ok(Self::Trino),
            "bigquery" => Ok(Self::BigQuery),
            "snowflake" => Ok(Self::Snowflake),
            "datafusion" | "ballista" => Ok(Self::DataFusion),
            _ => Err("say postgres, duckdb, spark, trino, bigquery, snowflake or datafusion"),
        }
    }
}

impl Dialect {
    /// A name in quotes.
    pub fn quoted(self, name: &str) -> Result<String, TableError> {
        if name.is_empty() || name.contains('\0') {
            return Err(TableError::variable(name, "no database has a column of this name"));
        }
        if self == Self::Postgres && name.len() > 63 {
            return Err(TableError::variable(
                name,
                "PostgreSQL cuts names after 63 bytes; rename it there and in the schema",
            ));
        }
        Ok(match self {
            Self::Postgres | Self::DuckDb | Self::Trino | Self::Snowflake | Self::DataFusion => {
                format!("\"{}\"", name.replace('"', "\"\""))
            }
            Self::Spark => format!("`{}`", name.replace('`', "``")),
            Self::BigQuery => {
                format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`").replace('\n', "\\n"))
            }
        })
    }

    /// A table by its path, whose parts are separated by points.
    pub fn table(self, path: &str) -> Result<String, TableError> {
        self.table_of_parts(path.split('.'))
    }

    /// A table by the parts of its path.
    pub fn table_of_parts<'a>(self, parts: impl IntoIterator<Item = &'a str>) -> Result<String, TableError> {
        let parts = parts.into_iter().map(|part| self.quoted(part));
        Ok(parts.collect::<Result<Vec<_>, _>>()?.join("."))
    }

    /// A text in quotes; sessions in which a backslash means something are not begun.
    pub(crate) fn text_literal(self, text: &str) -> String {
        match self {
            Self::Postgres | Self::DuckDb | Self::Trino | Self::DataFusion => {
                format!("'{}'", text.replace('\'', "''"))
            }
            Self::Spark | Self::BigQuery | Self::Snowflake => {
                format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
            }
        }
    }

    fn text(self, column: &str) -> String {
        match self {
            Self::Postgres | Self::DuckDb | Self::Trino | Self::DataFusion => {
                format!("CAST({column} AS VARCHAR)")
            }
            Self::Spark | Self::BigQuery => format!("CAST({column} AS STRING)"),
            Self::Snowflake => format!("TO_VARCHAR({column})"),
        }
    }

    fn real(self, column: &str) -> String {
        match self {
            Self::Postgres => format!("CAST({column} AS DOUBLE PRECISION)"),
            Self::BigQuery => format!("CAST({column} AS FLOAT64)"),
            Self::DuckDb | Self::Spark | Self::Trino | Self::Snowflake | Self::DataFusion => {
                format!("CAST({column} AS DOUBLE)")
            }
        }
    }

    /// Days since 1970-01-01.
    fn days(self, column: &str) -> String {
        match self {
            Self::Postgres => {
                format!("CAST(CAST({column} AS DATE) - DATE '1970-01-01' AS DOUBLE PRECISION)")
            }
            Self::DuckDb | Self::Trino => {
                format!("date_diff('day', DATE '1970-01-01', CAST({column} AS DATE))")
            }
            Self::Spark => format!("datediff(CAST({column} AS DATE), DATE '1970-01-01')"),
            Self::BigQuery => format!("DATE_DIFF(CAST({column} AS DATE), DATE '1970-01-01', DAY)"),
            Self::Snowflake => format!("DATEDIFF(day, DATE '1970-01-01', CAST({column} AS DATE))"),
            Self::DataFusion => format!("CAST(CAST(CAST({column} AS DATE) AS INT) AS DOUBLE)"),
        }
    }

    /// The query that counts the cells of some variables: their classes as `c1`, `c2`, …, the count as `n`.
    pub fn count(
        self,
        table: &str,
        schema: &Schema,
        domain: &Domain,
        of: &Attributes,
    ) -> Result<String, TableError> {
        self.count_from(&self.table(table)?, schema, domain, of)
    }

    /// The same for a table whose path is quoted.
    fn count_from(
        self,
        from: &str,
        schema: &Schema,
        domain: &Domain,
        of: &Attributes,
    ) -> Result<String, TableError> {
        if of.is_empty() {
            return Ok(format!("SELECT COUNT(*) AS n FROM {from}"));
        }
        let inner =
            self.classes(schema, domain, of, |variable| Ok(self.text(&self.quoted(&variable.name)?)))?;
        let names = class_names(of);
        Ok(format!("SELECT {names}, COUNT(*) AS n FROM (SELECT {inner} FROM {from}) AS q GROUP BY {names}"))
    }

    /// How many cells hold each number of records, without a single cell: the number of records as `n`, that of cells as `cells`.
    fn cell_sizes_from(
        self,
        from: &str,
        schema: &Schema,
        domain: &Domain,
        of: &Attributes,
    ) -> Result<String, TableError> {
        let columns = condition::Columns { dialect: self, schema };
        // What is missing is one class, however it is written.
        let inner = self.classes(schema, domain, of, |variable| columns.present_text(variable))?;
        let names = class_names(of);
        let cells = format!("SELECT COUNT(*) AS n FROM (SELECT {inner} FROM {from}) AS q GROUP BY {names}");
        Ok(format!("SELECT n, COUNT(*) AS cells FROM ({cells}) AS sizes GROUP BY n"))
    }

    /// The classes of some variables as `c1`, `c2`, …; levels as `text` gives them.
    fn classes(
        self,
        schema: &Schema,
        domain: &Domain,
        of: &Attributes,
        text: impl Fn(&Variable) -> Result<String, TableError>,
    ) -> Result<String, TableError> {
        let mut listed = Vec::new();
        for (at, position) in of.positions().iter().enumerate() {
            let classes = &domain.variables()[*position];
            let variable = schema.variable(classes.name())?;
            let class = match classes.partition() {
                Partition::Levels(_) => text(variable)?,
                _ => self.class(variable, classes, schema)?,
            };
            listed.push(format!("{class} AS c{}", at + 1));
        }
        Ok(listed.join(", "))
    }

    /// A number, a date in days or a point in time in microseconds.
    fn number(self, variable: &Variable) -> Result<String, TableError> {
        let column = self.quoted(&variable.name)?;
        match variable.kind {
            Kind::Date { .. } => Ok(self.days(&column)),
            Kind::Datetime { format, .. } => match self {
                Self::Postgres if format.date.is_some() => Ok(format!(
                    "CAST(EXTRACT(EPOCH FROM CAST({column} AS TIMESTAMP)) * 1000000 AS DOUBLE PRECISION)"
                )),
                Self::Postgres => Ok(format!(
                    "CAST(EXTRACT(EPOCH FROM CAST({column} AS TIME)) * 1000000 AS DOUBLE PRECISION)"
                )),
                Self::DataFusion => {
                    let held = if format.date.is_some() {
                        "Timestamp(Microsecond, None)"
                    } else {
                        "Time64(Microsecond)"
                    };
                    Ok(format!("CAST(CAST(arrow_cast({column}, '{held}') AS BIGINT) AS DOUBLE)"))
                }
                _ => {
                    let message = "points in time are not counted by the SQL of this engine; count a date, or an hour, in its place";
                    Err(TableError::variable(&variable.name, message))
                }
            },
            _ => Ok(self.real(&column)),
        }
    }

    /// The class of a number: that of its interval, of its special code or of missing, -1 where it has none.
    fn class(self, variable: &Variable, classes: &Classes, schema: &Schema) -> Result<String, TableError> {
        let column = self.quoted(&variable.name)?;
        let limits = match classes.partition() {
            Partition::Levels(_) => return Ok(self.text(&column)),
            Partition::Values(values) => values.iter().map(|value| (*value, *value)).collect::<Vec<_>>(),
            Partition::Intervals { limits, .. } => limits.windows(2).map(|pair| (pair[0], pair[1])).collect(),
        };
        let x = self.number(variable)?;
        let mut case = format!("CASE WHEN {column} IS NULL THEN NULL");
        let mut when = |condition: String, class: i64| {
            let written = write!(case, " WHEN {condition} THEN {class}");
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        };
        let missing = classes.missing_class().map_or(-1, i64::from);
        for token in numeric_tokens(schema, variable) {
            when(format!("{x} = {}", literal(token)), missing);
        }
        for (at, code) in variable.codes.iter().enumerate() {
            when(format!("{x} = {}", literal(code.value)), (limits.len() + at) as i64);
        }
        if let Some((low, high)) = variable.declared_range() {
            when(format!("{x} < {} OR {x} > {}", literal(low), literal(high)), -1);
        }
        if let (Self::Postgres, Partition::Intervals { limits, .. }) = (self, classes.partition()) {
            // The number of limits that are not above, less one; what is equal to the last limit, or to one that comes twice, lies below it.
            for (at, pair) in limits.windows(2).enumerate().filter(|(_, pair)| pair[0] == pair[1]) {
                when(format!("{x} = {}", literal(pair[0])), at as i64);
            }
            if let Some(last) = limits.last() {
                when(format!("{x} = {}", literal(*last)), limits.len() as i64 - 2);
                when(format!("{x} > {}", literal(*last)), -1);
            }
            let limits: Vec<String> = limits.iter().map(|limit| format!("{limit:?}")).collect();
            let limits = limits.join(",");
            return Ok(format!(
                "{case} ELSE width_bucket({x}, CAST('{{{limits}}}' AS DOUBLE PRECISION[])) - 1 END"
            ));
        }
        for (at, (low, high)) in limits.iter().enumerate() {
            let (low_text, high_text) = (literal(*low), literal(*high));
            let is_last = at + 1 == limits.len();
            when(
                match low == high {
                    true => format!("{x} = {low_text}"),
                    // What is equal to a limit that comes twice has been taken by its own class.
                    false if is_last => format!("{x} >= {low_text} AND {x} <= {high_text}"),
                    false => format!("{x} >= {low_text} AND {x} < {high_text}"),
                },
                at as i64,
            );
        }
        Ok(format!("{case} ELSE -1 END"))
    }
}

/// `c1, c2, …`
fn class_names(of: &Attributes) -> String {
    (1..=of.len()).map(|at| format!("c{at}")).collect::<Vec<_>>().join(", ")
}

/// Numbers that mean missing in a variable.
fn numeric_tokens<'a>(schema: &'a Schema, variable: &'a Variable) -> impl Iterator<Item = f64> + 'a {
    let tokens = schema.missing_tokens().iter().chain(&variable.missing_tokens);
    tokens.filter_map(|token| token.parse::<f64>().ok()).filter(|token| token.is_finite())
}

/// A number as all engines read it.
fn literal(number: f64) -> String {
    let text = format!("{number:?}");
    if number < 0.0 { format!("({text})") } else { text }
}

/// What a query gives for one variable of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Missing.
    Null,
    /// A level.
    Text(String),
    /// The number of a class, -1 where there is none; or a count.
    Class(i64),
    /// A real number.
    Number(f64),
}

/// The results of a query as counts. What is not in the domain is refused with how many records have it, and not by value.
pub fn counted(
    schema: &Schema,
    domain: &Domain,
    of: &Attributes,
    rows: impl IntoIterator<Item = (Vec<Answer>, u64)>,
) -> Result<ContingencyTable, TableError> {
    let mut counting = Counting::new(schema, domain, of)?;
    rows.into_iter().try_for_each(|(answers, count)| counting.add(&answers, count))?;
    counting.finish()
}

/// The cells of a query, coded as they come.
struct Counting<'a> {
    domain: &'a Domain,
    schema: &'a Schema,
    of: &'a Attributes,
    variables: Vec<(&'a Variable, &'a Classes)>,
    classes: Vec<u32>,
    counts: Vec<u64>,
    outside: Vec<u64>,
    missing: Vec<u64>,
}

impl<'a> Counting<'a> {
    fn new(schema: &'a Schema, domain: &'a Domain, of: &'a Attributes) -> Result<Self, TableError> {
        let variable = |position: &usize| {
            let classes = &domain.variables()[*position];
            Ok((schema.variable(classes.name())?, classes))
        };
        let variables = of.positions().iter().map(variable).collect::<Result<_, TableError>>()?;
        let nothing = vec![0_u64; of.len()];
        let (classes, counts) = (Vec::new(), Vec::new());
        Ok(Self {
            domain,
            schema,
            of,
            variables,
            classes,
            counts,
            outside: nothing.clone(),
            missing: nothing,
        })
    }

    fn add(&mut self, answers: &[Answer], count: u64) -> Result<(), TableError> {
        if answers.len() != self.of.len() {
            return Err(TableError::schema(
                format!("counts of {}", self.domain.describe(self.of)),
                "the results have other columns than the query",
            ));
        }
        let before = self.classes.len();
        for (at, (answer, (variable, classes))) in answers.iter().zip(&self.variables).enumerate() {
            let class = match answer {
                Answer::Null => classes.missing_class(),
                Answer::Text(text) => level(text, variable, classes, self.schema),
                Answer::Class(class) => {
                    u32::try_from(*class).ok().filter(|class| (*class as usize) < classes.size())
                }
                Answer::Number(_) => None,
            };
            match (class, answer) {
                (Some(class), _) => self.classes.push(class),
                (None, Answer::Null) => self.missing[at] += count,
                (None, Answer::Text(text)) if text.is_empty() => self.missing[at] += count,
                (None, _) => self.outside[at] += count,
            }
        }
        if self.classes.len() == before + self.of.len() {
            self.counts.push(count);
        } else {
            self.classes.truncate(before);
        }
        Ok(())
    }

    /// Bytes that the cells take.
    fn bytes(&self) -> u64 {
        (self.classes.len() * 4 + self.counts.len() * 8) as u64
    }

    fn finish(self) -> Result<ContingencyTable, TableError> {
        for (at, (variable, _)) in self.variables.iter().enumerate() {
            if self.outside[at] > 0 {
                return Err(TableError::variable(
                    &variable.name,
                    format!("{} records have a value that is not in the declared domain", self.outside[at]),
                ));
            }
            if self.missing[at] > 0 {
                return Err(TableError::variable(
                    &variable.name,
                    format!(
                        "it is missing in {} records, and the schema does not say that it may be",
                        self.missing[at]
                    ),
                ));
            }
        }
        let sizes = self.domain.sizes(self.of);
        if self.of.is_empty() {
            let cells = self.counts.iter().map(|count| (&[][..], *count));
            return Ok(ContingencyTable::from_cells(self.of.clone(), &sizes, cells));
        }
        let cells = self.classes.chunks_exact(self.of.len()).zip(self.counts.iter().copied());
        Ok(ContingencyTable::from_cells(self.of.clone(), &sizes, cells))
    }
}

fn level(text: &str, variable: &Variable, classes: &Classes, schema: &Schema) -> Option<u32> {
    let levels = variable.kind.levels()?;
    let mut tokens = schema.missing_tokens().iter().chain(&variable.missing_tokens);
    if text.is_empty() || tokens.any(|token| token == text) {
        return classes.missing_class();
    }
    levels.position(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::SchemaFile;

    const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\nmissing = [\"-9\"]\n\
        [variables.'\"; drop table x; --']\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
        [variables.pay]\nkind = \"real\"\nrange = [0.0, 9.5]\ncuts = [0.0, 2.5, 9.5]\ncodes = { -8 = \"none\" }\nmissing = true\n\
        [variables.born]\nkind = \"date\"\ncuts = [\"1970-01-01\", \"1970-02-01\", \"1970-03-01\"]\nrange = [\"1970-01-01\", \"1970-03-01\"]\n";

    fn domain() -> (crate::DeclaredSchema, Domain) {
        let schema = SchemaFile::parse(SCHEMA).unwrap().finish().unwrap().reviewed().unwrap();
        let domain = Domain::declared(&schema, 5).unwrap();
        (schema, domain)
    }

    #[test]
    fn names_are_quoted_and_classes_are_those_of_the_schema() {
        let (schema, domain) = domain();
        let query = |dialect: Dialect, of: &[usize]| {
            dialect.count("s.people", schema.schema(), &domain, &Attributes::new(of.iter().copied())).unwrap()
        };
        assert_eq!(
            query(Dialect::Postgres, &[0, 1]),
            "SELECT c1, c2, COUNT(*) AS n FROM (SELECT CAST(\"\"\"; drop table x; --\" AS VARCHAR) AS c1, \
             CASE WHEN \"pay\" IS NULL THEN NULL WHEN CAST(\"pay\" AS DOUBLE PRECISION) = (-9.0) THEN 3 \
             WHEN CAST(\"pay\" AS DOUBLE PRECISION) = (-8.0) THEN 2 \
             WHEN CAST(\"pay\" AS DOUBLE PRECISION) < 0.0 OR CAST(\"pay\" AS DOUBLE PRECISION) > 9.5 THEN -1 \
             WHEN CAST(\"pay\" AS DOUBLE PRECISION) = 9.5 THEN 1 WHEN CAST(\"pay\" AS DOUBLE PRECISION) > 9.5 THEN -1 \
             ELSE width_bucket(CAST(\"pay\" AS DOUBLE PRECISION), CAST('{0.0,2.5,9.5}' AS DOUBLE PRECISION[])) - 1 END AS c2 \
             FROM \"s\".\"people\") AS q GROUP BY c1, c2"
        );
        assert!(query(Dialect::Spark, &[2]).contains("datediff(CAST(`born` AS DATE), DATE '1970-01-01')"));
        assert!(query(Dialect::BigQuery, &[1]).contains("CAST(`pay` AS FLOAT64)"));
        assert_eq!(query(Dialect::Trino, &[]), "SELECT COUNT(*) AS n FROM \"s\".\"people\"");
        assert_eq!(Dialect::Spark.quoted("a`b").unwrap(), "`a``b`");
        assert!(
            Dialect::Postgres.quoted(&"ä".repeat(32)).is_err() && Dialect::Postgres.quoted("a\0").is_err()
        );
        assert!("oracle".parse::<Dialect>().is_err());
    }

    #[test]
    fn results_are_coded_here_and_strangers_are_counted() {
        let (schema, domain) = domain();
        let of = Attributes::new([0, 1]);
        let text = |text: &str| Answer::Text(text.into());
        let rows = vec![
            (vec![text("F"), Answer::Class(0)], 3),
            (vec![text("M"), Answer::Null], 2),
            (vec![text("F"), Answer::Class(2)], 1),
        ];
        let table = counted(schema.schema(), &domain, &of, rows).unwrap();
        assert_eq!((table.total(), table.count_of(&[1, 3]), table.count_of(&[0, 2])), (6, 2, 1));
        let refused = |answers: Vec<Answer>| {
            counted(schema.schema(), &domain, &of, [(answers, 3)]).unwrap_err().to_string()
        };
        let error = refused(vec![text("secret"), Answer::Class(0)]);
        assert!(error.contains("3 records") && !error.contains("secret"), "{error}");
        assert!(refused(vec![text("F"), Answer::Class(-1)]).contains("`pay`"));
        assert!(refused(vec![Answer::Null, Answer::Class(0)]).contains("missing in 3"));
        assert!(refused(vec![text("F")]).contains("other columns"));
    }
}
