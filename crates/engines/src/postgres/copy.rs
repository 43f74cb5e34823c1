//! A release written to a database: one table a data set, by COPY, all of them in one transaction.

use std::io::Write;

use table::column::Entry;
use table::date::DateFormat;
use table::schema::{Kind, Schema};
use table::sql::Dialect;
use table::{Column, Table, TableError};

use super::failure::could_not;
use crate::{Address, EngineError, Place as _};

/// What the comment on our tables begins with; only such a table is replaced.
const COMMENT: &str = "synthetic data made by lookalike";

/// Where data sets are written: a table, or one for each of several, numbered from 1.
pub struct Target {
    client: ::postgres::Client,
    names: Vec<Vec<String>>,
    replace: bool,
}

impl Target {
    /// Connects, and finds out whether the tables can be made. One that exists is replaced only if `replace` says so and we made it.
    pub fn open(address: &Address, data_sets: u32, replace: bool) -> Result<Self, EngineError> {
        let client = super::connect(&address.resolve()?)?;
        let numbered = |number: u32| {
            let mut name = address.table().to_vec();
            if let Some(last) = name.last_mut().filter(|_| data_sets > 1) {
                last.push_str(&format!("_{number}"));
            }
            name
        };
        let mut target = Self { client, names: (1..=data_sets.max(1)).map(numbered).collect(), replace };
        for at in 0..target.names.len() {
            target.check(at)?;
        }
        Ok(target)
    }

    fn quoted(&self, at: usize) -> Result<String, TableError> {
        Dialect::Postgres.table_of_parts(self.names[at].iter().map(String::as_str))
    }

    fn check(&mut self, at: usize) -> Result<(), EngineError> {
        let quoted = self.quoted(at)?;
        let query =
            "SELECT to_regclass($1) IS NOT NULL, COALESCE(obj_description(to_regclass($1), 'pg_class'), '')";
        let row = self
            .client
            .query_one(query, &[&quoted])
            .map_err(|error| could_not("look at the table to write", &error))?;
        let (exists, comment): (bool, String) = (row.get(0), row.get(1));
        let name = self.names[at].join(".");
        match (exists, self.replace, comment.starts_with(COMMENT)) {
            (false, ..) | (true, true, true) => Ok(()),
            (true, true, false) => Err(EngineError::usage(format!(
                "option `into`: the table `{name}` exists and was not made by lookalike; choose another name"
            ))),
            (true, false, _) => Err(EngineError::usage(format!(
                "option `into`: the table `{name}` exists; choose another name, or say --force to replace one that lookalike made"
            ))),
        }
    }

    /// Writes all data sets, or nothing: `draw` hands over the records of each, block by block.
    pub fn write<E: From<TableError>>(
        mut self,
        schema: &Schema,
        mut draw: impl FnMut(u32, &mut dyn FnMut(&Table) -> Result<(), TableError>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let what = "write the tables";
        let failed = |error: ::postgres::Error| E::from(could_not(what, &error));
        let names = (0..self.names.len()).map(|at| self.quoted(at)).collect::<Result<Vec<_>, _>>()?;
        let columns = schema.variables().iter().map(|variable| {
            Ok(format!("{} {}", Dialect::Postgres.quoted(&variable.name)?, type_of(&variable.kind)))
        });
        let columns = columns.collect::<Result<Vec<_>, TableError>>()?.join(", ");
        let mut rows = 0;
        let mut transaction = self.client.transaction().map_err(failed)?;
        for (number, name) in names.iter().enumerate() {
            if self.replace {
                transaction.batch_execute(&format!("DROP TABLE IF EXISTS {name}")).map_err(failed)?;
            }
            let comment = format!("COMMENT ON TABLE {name} IS '{COMMENT}'");
            transaction
                .batch_execute(&format!("CREATE TABLE {name} ({columns}); {comment}"))
                .map_err(failed)?;
            let mut copy = transaction.copy_in(&format!("COPY {name} FROM STDIN")).map_err(failed)?;
            let mut line = Vec::new();
            draw(number as u32, &mut |block: &Table| {
                for row in 0..block.rows() {
                    line.clear();
                    write_row(block, row, &mut line);
                    copy.write_all(&line).map_err(|error| stopped(what, error))?;
                }
                rows += block.rows() as u64;
                Ok(())
            })?;
            copy.finish().map_err(failed)?;
        }
        transaction.commit().map_err(failed)?;
        Ok(rows)
    }
}

/// The sentence for a copy that the database ended.
fn stopped(what: &str, error: std::io::Error) -> TableError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<::postgres::Error>()) {
        Some(error) => could_not(what, error),
        None => TableError::schema("database", format!("could not {what}: {error}")),
    }
}

fn type_of(kind: &Kind) -> &'static str {
    match kind {
        Kind::Integer { .. } => "BIGINT",
        Kind::Real { .. } => "DOUBLE PRECISION",
        Kind::Date { .. } => "DATE",
        Kind::Datetime { format, .. } if format.date.is_some() => "TIMESTAMP",
        Kind::Datetime { .. } => "TIME",
        Kind::Categorical { .. } | Kind::Ordinal { .. } | Kind::TextId => "TEXT",
    }
}

/// A record as a line of COPY: fields separated by tabs, missing as \N.
fn write_row(block: &Table, row: usize, line: &mut Vec<u8>) {
    for (at, (variable, column)) in block.schema().variables().iter().zip(block.columns()).enumerate() {
        if at > 0 {
            line.push(b'\t');
        }
        let code = |position: usize| variable.codes.get(position).map(|code| code.value);
        let number = |entry: Entry<f64>| match entry {
            Entry::Value(value) => Some(value),
            Entry::Code(position) => code(position),
            Entry::Missing => None,
        };
        let text = match column {
            Column::Categorical(codes) => {
                let levels = variable.kind.levels();
                levels.and_then(|levels| levels.get(codes.get(row)).map(str::to_owned))
            }
            Column::Text(text) => text.get(row).map(str::to_owned),
            Column::Integer(_) => {
                column.number(row).and_then(number).map(|value| format!("{}", value as i64))
            }
            Column::Real(_) => column.number(row).and_then(number).map(|value| format!("{value:?}")),
            Column::Date(_) => {
                column.number(row).and_then(number).map(|day| DateFormat::Iso.format(day as i32))
            }
            Column::Datetime(_) => column
                .number(row)
                .and_then(number)
                .map(|time| variable.kind.datetime_format().iso(time as i64)),
        };
        match text {
            None => line.extend(b"\\N"),
            Some(text) => text.bytes().for_each(|byte| match byte {
                b'\\' => line.extend(b"\\\\"),
                b'\t' => line.extend(b"\\t"),
                b'\n' => line.extend(b"\\n"),
                b'\r' => line.extend(b"\\r"),
                other => line.push(other),
            }),
        }
    }
    line.push(b'\n');
}
