//! `lookalike describe`: what a table is, what is risky about it, and a draft of its schema.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::DescribeRequest;
use table::output_file;

use super::reading::Reading;
use super::{Everywhere, Failure, Run};

/// Describe a table and what is risky about it; draft its schema.
#[derive(Debug, Args)]
pub(super) struct Describe {
    /// The table: CSV (also .gz), Parquet or Arrow IPC; `-` is CSV from standard input
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
    fn inputs(&self) -> Vec<PathBuf> {
        self.reading.with_schema([self.data.clone()])
    }

    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        if let Some(draft) = &self.write_schema {
            output_file::check("write-schema", draft, &self.inputs(), everywhere.force)?;
        }
        let request = DescribeRequest { data: self.reading.data(&self.data), keys: self.keys.clone() };
        let described = request.run(&everywhere.watch())?;
        if let Some(path) = &self.write_schema {
            // A draft holds the levels and extremes of the records.
            let draft =
                if self.for_publication { described.draft_for_publication() } else { described.draft() };
            output_file::write_private(path, draft.as_bytes(), everywhere.force)?;
        }
        let text = report::profile_text(&self.data.display().to_string(), &described.profile);
        everywhere.deliver(&text, || serde_json::json!(described.profile))?;
        if let Some(path) = &self.write_schema {
            let path = path.display();
            everywhere.say(&format!(
                "\nThe draft of the schema is in {path}. Review it; then use it with --schema {path}.\n"
            ))?;
        }
        if described.keeps_schema() {
            return Ok(ExitCode::SUCCESS);
        }
        eprintln!("error: the table does not keep its schema; mend the records or the schema");
        Ok(ExitCode::FAILURE)
    }
}
