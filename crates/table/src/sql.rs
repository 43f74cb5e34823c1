//! Counts by SQL: one GROUP BY for each set of variables, and its results as a contingency table.
//!
//! Levels are grouped as they are and coded here, so that no level ever stands in a query and an unknown one is seen. Numbers fall into their classes in the engine, by
//! the limits of the schema: closed on the left, the last one on both sides, a limit that comes twice a class of its own, as [`Partition::class_of`](crate::domain::Partition) has it.
//! Names are quoted, limits are printed by us, and nothing else of a schema reaches the text. Rules and formulas are not translated: of rules, what the classes show is checked
//! when counts are used.

use std::fmt::Write;

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
            _ => Err("say postgres, duckdb, spark, trino, bigquery or snowflake"),
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
            Self::Postgres | Self::DuckDb | Self::Trino | Self::Snowflake => {
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
        let parts = path.split('.').map(|part| self.quoted(part));
        Ok(parts.collect::<Result<Vec<_>, _>>()?.join("."))
    }

    fn text(self, column: &str) -> String {
        match self {
            Self::Postgres | Self::DuckDb | Self::Trino => format!("CAST({column} AS VARCHAR)"),
            Self::Spark | Self::BigQuery => format!("CAST({column} AS STRING)"),
            Self::Snowflake => format!("TO_VARCHAR({column})"),
        }
    }

    fn real(self, column: &str) -> String {
        match self {
            Self::Postgres => format!("CAST({column} AS DOUBLE PRECISION)"),
            Self::BigQuery => format!("CAST({column} AS FLOAT64)"),
            Self::DuckDb | Self::Spark | Self::Trino | Self::Snowflake => format!("CAST({column} AS DOUBLE)"),
        }
    }

    /// Days since 1970-01-01.
    fn days(self, column: &str) -> String {
        match self {
            Self::Postgres => format!("(CAST({column} AS DATE) - DATE '1970-01-01')"),
            Self::DuckDb | Self::Trino => {
                format!("date_diff('day', DATE '1970-01-01', CAST({column} AS DATE))")
            }
            Self::Spark => format!("datediff(CAST({column} AS DATE), DATE '1970-01-01')"),
            Self::BigQuery => format!("DATE_DIFF(CAST({column} AS DATE), DATE '1970-01-01', DAY)"),
            Self::Snowflake => format!("DATEDIFF(day, DATE '1970-01-01', CAST({column} AS DATE))"),
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
        if of.is_empty() {
            return Ok(format!("SELECT COUNT(*) AS n FROM {}", self.table(table)?));
        }
        let mut inner = Vec::new();
        for (at, position) in of.positions().iter().enumerate() {
            let classes = &domain.variables()[*position];
            inner.push(format!(
                "{} AS c{}",
                self.class(schema.variable(classes.name())?, classes, schema)?,
                at + 1
            ));
        }
        let names: Vec<String> = (1..=of.len()).map(|at| format!("c{at}")).collect();
        let names = names.join(", ");
        let (inner, table) = (inner.join(", "), self.table(table)?);
        Ok(format!("SELECT {names}, COUNT(*) AS n FROM (SELECT {inner} FROM {table}) AS q GROUP BY {names}"))
    }

    /// The class of a variable: its level as text, or the number of its class, -1 where it has none.
    fn class(self, variable: &Variable, classes: &Classes, schema: &Schema) -> Result<String, TableError> {
        let column = self.quoted(&variable.name)?;
        let limits = match classes.partition() {
            Partition::Levels(_) => return Ok(self.text(&column)),
            Partition::Values(values) => values.iter().map(|value| (*value, *value)).collect::<Vec<_>>(),
            Partition::Intervals { limits, .. } => limits.windows(2).map(|pair| (pair[0], pair[1])).collect(),
        };
        let x = match variable.kind {
            Kind::Date { .. } => self.days(&column),
            Kind::Datetime { .. } => {
                let message = "points in time are not counted by SQL; count a date, or an hour, in its place";
                return Err(TableError::variable(&variable.name, message));
            }
            _ => self.real(&column),
        };
        let mut case = format!("CASE WHEN {column} IS NULL THEN NULL");
        let mut when = |condition: String, class: i64| {
            let written = write!(case, " WHEN {condition} THEN {class}");
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        };
        let tokens = schema.missing_tokens().iter().chain(&variable.missing_tokens);
        let missing = classes.missing_class().map_or(-1, i64::from);
        for token in tokens.filter_map(|token| token.parse::<f64>().ok()).filter(|token| token.is_finite()) {
            when(format!("{x} = {}", literal(token)), missing);
        }
        for (at, code) in variable.codes.iter().enumerate() {
            when(format!("{x} = {}", literal(code.value)), (limits.len() + at) as i64);
        }
        if let Some((low, high)) = variable.declared_range() {
            when(format!("{x} < {} OR {x} > {}", literal(low), literal(high)), -1);
        }
        let is_values = matches!(classes.partition(), Partition::Values(_));
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
            debug_assert!(!is_values || low == high);
        }
        Ok(format!("{case} ELSE -1 END"))
    }
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
    /// The number of a class, -1 where there is none.
    Class(i64),
}

/// The results of a query as counts. What is not in the domain is refused with how many records have it, and not by value.
pub fn counted(
    schema: &Schema,
    domain: &Domain,
    of: &Attributes,
    rows: impl IntoIterator<Item = (Vec<Answer>, u64)>,
) -> Result<ContingencyTable, TableError> {
    let mut outside = vec![0_u64; of.len()];
    let mut missing = vec![0_u64; of.len()];
    let mut cells: Vec<(Vec<u32>, u64)> = Vec::new();
    for (answers, count) in rows {
        if answers.len() != of.len() {
            return Err(TableError::schema(
                format!("counts of {}", domain.describe(of)),
                "the results have other columns than the query",
            ));
        }
        let mut cell = Vec::with_capacity(of.len());
        for (at, (answer, position)) in answers.iter().zip(of.positions()).enumerate() {
            let classes = &domain.variables()[*position];
            let variable = schema.variable(classes.name())?;
            let class = match answer {
                Answer::Null => classes.missing_class(),
                Answer::Text(text) => level(text, variable, classes, schema),
                Answer::Class(class) => {
                    u32::try_from(*class).ok().filter(|class| (*class as usize) < classes.size())
                }
            };
            match (class, answer) {
                (Some(class), _) => cell.push(class),
                (None, Answer::Null) => missing[at] += count,
                (None, _) => outside[at] += count,
            }
        }
        if cell.len() == of.len() {
            cells.push((cell, count));
        }
    }
    for (at, position) in of.positions().iter().enumerate() {
        let name = domain.variables()[*position].name();
        if outside[at] > 0 {
            return Err(TableError::variable(
                name,
                format!("{} records have a value that is not in the declared domain", outside[at]),
            ));
        }
        if missing[at] > 0 {
            return Err(TableError::variable(
                name,
                format!(
                    "it is missing in {} records, and the schema does not say that it may be",
                    missing[at]
                ),
            ));
        }
    }
    let cells = cells.iter().map(|(cell, count)| (cell.as_slice(), *count));
    Ok(ContingencyTable::from_cells(of.clone(), &domain.sizes(of), cells))
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
             WHEN CAST(\"pay\" AS DOUBLE PRECISION) >= 0.0 AND CAST(\"pay\" AS DOUBLE PRECISION) < 2.5 THEN 0 \
             WHEN CAST(\"pay\" AS DOUBLE PRECISION) >= 2.5 AND CAST(\"pay\" AS DOUBLE PRECISION) <= 9.5 THEN 1 ELSE -1 END AS c2 \
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
