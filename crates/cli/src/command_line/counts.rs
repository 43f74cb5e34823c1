//! `lookalike counts`: exact counts in a file, counted where the data are.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::{CountsRequest, Error, QueriesRequest};
use table::sql::Dialect;

use super::reading::Reading;
use super::{Everywhere, Run};

/// Count a table where it lies.
#[derive(Debug, Args)]
pub(super) struct Counts {
    /// The table: CSV (also .gz), Parquet or Arrow IPC; a folder of such files or a pattern such as 'part-*.parquet' is one table; postgresql://host/database/table is counted there
    #[arg(required_unless_present_any = ["sql", "results"])]
    data: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// The file to write: exact counts, confidential, which only its owner can read
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Count every set of this many variables
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=4))]
    ways: u8,
    /// Count all variables together too: for catall, saturated and plan
    #[arg(long)]
    cross: bool,
    /// Groups into which a number is cut where the schema declares no cuts
    #[arg(long, value_name = "G", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..))]
    groups: u32,
    /// Print the queries that count a table in an engine instead: postgres, duckdb, spark, trino, bigquery, snowflake or datafusion
    #[arg(long, value_name = "DIALECT", requires = "table", requires = "schema", conflicts_with_all = ["data", "results", "out"])]
    sql: Option<Dialect>,
    /// With --sql: the table, parts of its path separated by points
    #[arg(long, value_name = "NAME", requires = "sql")]
    table: Option<String>,
    /// A folder with the results of these queries, one file each: q0001.parquet or q0001.csv and so on
    #[arg(long, value_name = "DIR", requires = "schema", conflicts_with = "data")]
    results: Option<PathBuf>,
}

impl Run for Counts {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let (ways, groups, cross) = (usize::from(self.ways), self.groups as usize, self.cross);
        if let (Some(dialect), Some(table), Some(schema)) = (self.sql, &self.table, self.reading.schema()) {
            let (schema, table) = (schema.to_owned(), table.clone());
            return everywhere.carry_out(&QueriesRequest { schema, dialect, table, ways, cross, groups });
        }
        let missing = || Error::Usage("--out: name the file to write with --out FILE".into());
        let out = self.out.clone().ok_or_else(missing)?;
        let data = self.reading.data(self.data.clone().or_else(|| self.results.clone()).unwrap_or_default());
        let results = self.results.clone();
        everywhere.carry_out(&CountsRequest {
            ways,
            cross,
            groups,
            results,
            replace: everywhere.force,
            ..CountsRequest::new(data, out)
        })
    }
}
