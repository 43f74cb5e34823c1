//! `lookalike describe`: what a table is, what is risky about it, and a draft of its schema.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::{DescribeRequest, Error};

use super::reading::Reading;
use super::{Everywhere, Run};

/// Describe a table and what is risky about it; draft its schema.
#[derive(Debug, Args)]
pub(super) struct Describe {
    /// The table: CSV (also .gz), Parquet or Arrow IPC; a folder of such files or a pattern such as 'part-*.parquet' is one table; `-` is CSV from standard input; postgresql://host/database/table is counted there
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// Draft a schema to review, and write it to this file
    #[arg(long, value_name = "FILE")]
    write_schema: Option<PathBuf>,
    /// Round ranges of the draft outwards and leave a gap, which a person must fill in, for levels that fewer than three records have
    #[arg(long, requires = "write_schema")]
    for_publication: bool,
    /// Variables by which an intruder might know people: how many records are unique on them
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    keys: Vec<String>,
}

impl Run for Describe {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        everywhere.carry_out(&DescribeRequest {
            keys: self.keys.clone(),
            write_schema: self.write_schema.clone(),
            for_publication: self.for_publication,
            replace: everywhere.force,
            ..DescribeRequest::new(self.reading.data(&self.data))
        })
    }
}
