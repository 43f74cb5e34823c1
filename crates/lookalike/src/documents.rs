//! The published form of the files that machines read and people write.

use measures::Finding;
use schemars::{Schema, schema_for};

/// A document with a published form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// What `describe --json` writes.
    Describe,
    /// What `measure --json` writes: a list of findings.
    Evaluation,
    /// What `frontier` writes as frontier.json.
    Frontier,
    /// The decision record of a release.
    Decision,
    /// A recipe file.
    Recipe,
    /// What `fit --json` writes.
    Fit,
    /// A schema file.
    Schema,
    /// What `verify --json` writes.
    Verification,
    /// The ledger of a private release.
    Ledger,
}

impl Document {
    /// All of them, in the order of the command line.
    pub const ALL: [Self; 9] = [
        Self::Describe,
        Self::Evaluation,
        Self::Frontier,
        Self::Decision,
        Self::Recipe,
        Self::Fit,
        Self::Schema,
        Self::Verification,
        Self::Ledger,
    ];

    /// Its name on the command line, what it is, and the title of its page.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::Describe => ["describe", "What `describe --json` writes", "What `describe --json` writes"],
            Self::Evaluation => [
                "evaluation",
                "What `measure --json` writes: a list of findings",
                "What `measure --json` writes",
            ],
            Self::Frontier => ["frontier", "What `frontier` writes as frontier.json", "The frontier"],
            Self::Decision => ["decision", "The decision record of a release", "The decision record"],
            Self::Recipe => {
                ["recipe", "A recipe file (TOML), as the same structure in JSON", "The recipe file"]
            }
            Self::Fit => ["fit", "What `fit --json` writes", "What `fit --json` writes"],
            Self::Schema => {
                ["schema", "A schema file (TOML), as the same structure in JSON", "The schema file"]
            }
            Self::Verification => {
                ["verification", "What `verify --json` writes", "What `verify --json` writes"]
            }
            Self::Ledger => ["ledger", "The ledger of a private release", "The ledger"],
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.words()[0]
    }

    /// What it is.
    pub fn meaning(self) -> &'static str {
        self.words()[1]
    }

    /// Its JSON Schema.
    pub fn json_schema(self) -> Schema {
        match self {
            Self::Describe => schema_for!(table::profile::Profile),
            Self::Ledger => schema_for!(privacy::LedgerRecord),
            Self::Evaluation => schema_for!(Vec<Finding>),
            Self::Frontier => schema_for!(frontier::Frontier),
            Self::Decision => schema_for!(release::decision::Decision),
            Self::Recipe => schema_for!(synthesis::Recipe),
            Self::Verification => schema_for!(release::Verification),
            Self::Fit => schema_for!(inference::Findings),
            Self::Schema => schema_for!(table::schema::SchemaFile),
        }
    }

    /// Every key with its meaning, as a page of Markdown.
    pub fn markdown(self) -> String {
        let command = format!("lookalike json-schema {} --markdown", self.name());
        report::reference_markdown(self.words()[2], &command, &serde_json::json!(self.json_schema()))
    }
}
