//! `lookalike json-schema`: the published form of the files that machines read and people write.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::{Everywhere, Failure};

/// Print the JSON Schema of a file that Lookalike writes or reads.
#[derive(Debug, Args)]
pub(super) struct JsonSchema {
    /// Which file
    of: Document,
}

/// The documents with a published form.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Document {
    /// What `describe --json` writes
    Describe,
    /// What `measure --json` writes: a list of findings
    Evaluation,
    /// What `fit --json` writes
    Fit,
    /// A schema file (TOML), as the same structure in JSON
    Schema,
    /// The ledger of a private release
    Ledger,
}

impl JsonSchema {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let schema = match self.of {
            Document::Describe => schemars::schema_for!(table::profile::Profile),
            Document::Ledger => schemars::schema_for!(privacy::LedgerRecord),
            Document::Evaluation => schemars::schema_for!(super::measure::Evaluation),
            Document::Fit => schemars::schema_for!(inference::Findings),
            Document::Schema => schemars::schema_for!(table::schema::SchemaFile),
        };
        let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
        everywhere.deliver(&text, || serde_json::json!(schema))?;
        Ok(ExitCode::SUCCESS)
    }
}
