//! `lookalike json-schema`: the published form of the files that machines read and people write.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::{Everywhere, Failure};

/// Print the JSON Schema of a file that Lookalike writes or reads.
#[derive(Debug, Args)]
pub(super) struct JsonSchema {
    /// Which file
    of: Document,
    /// Print every key with its meaning, as a page of Markdown
    #[arg(long)]
    markdown: bool,
}

/// The documents with a published form.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Document {
    /// What `describe --json` writes
    Describe,
    /// What `measure --json` writes: a list of findings
    Evaluation,
    /// What `frontier` writes as frontier.json
    Frontier,
    /// The decision record of a release
    Decision,
    /// A recipe file (TOML), as the same structure in JSON
    Recipe,
    /// What `fit --json` writes
    Fit,
    /// A schema file (TOML), as the same structure in JSON
    Schema,
    /// What `verify --json` writes
    Verification,
    /// The ledger of a private release
    Ledger,
}

impl JsonSchema {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let schema = match self.of {
            Document::Describe => schemars::schema_for!(table::profile::Profile),
            Document::Ledger => schemars::schema_for!(privacy::LedgerRecord),
            Document::Evaluation => schemars::schema_for!(super::measure::Evaluation),
            Document::Frontier => schemars::schema_for!(frontier::Frontier),
            Document::Decision => schemars::schema_for!(release::decision::Decision),
            Document::Recipe => schemars::schema_for!(synthesis::Recipe),
            Document::Verification => schemars::schema_for!(release::Verification),
            Document::Fit => schemars::schema_for!(inference::Findings),
            Document::Schema => schemars::schema_for!(table::schema::SchemaFile),
        };
        let text = if self.markdown {
            let name =
                self.of.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
            let command = format!("lookalike json-schema {name} --markdown");
            report::reference_markdown(self.of.title(), &command, &serde_json::json!(schema))
        } else {
            serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
        };
        everywhere.deliver(&text, || serde_json::json!(schema))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Document {
    fn title(self) -> &'static str {
        match self {
            Self::Describe => "What `describe --json` writes",
            Self::Evaluation => "What `measure --json` writes",
            Self::Frontier => "The frontier",
            Self::Fit => "What `fit --json` writes",
            Self::Decision => "The decision record",
            Self::Recipe => "The recipe file",
            Self::Schema => "The schema file",
            Self::Verification => "What `verify --json` writes",
            Self::Ledger => "The ledger",
        }
    }
}
