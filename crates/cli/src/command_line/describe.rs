//! `lookalike describe`: what a table is, what is risky about it, and a draft of its schema.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use table::profile::{Profile, ViolationProfile, profile};
use table::read::{self, ReadOptions};
use table::schema::{Schema, SchemaFile};
use table::watch::Watch;
use table::{Grouping, Table, TableError, atomic_file};

use super::{Everywhere, Failure};

/// Tell what a table is and what is risky about it; draft its schema.
#[derive(Debug, Args)]
pub(super) struct Describe {
    /// The table: CSV (also .gz), Parquet or Arrow IPC
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// Draft a schema to review, and write it to this file
    #[arg(long, value_name = "FILE")]
    write_schema: Option<PathBuf>,
    /// Overwrite the file of --write-schema if it exists
    #[arg(long, requires = "write_schema")]
    force: bool,
    /// Variables by which an intruder might know people: how many records are unique on them
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    keys: Vec<String>,
}

/// How to read a table.
#[derive(Debug, Args)]
pub(super) struct Reading {
    /// The schema: TOML, SDV metadata (JSON) or a private-PGM domain (JSON)
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Texts that mean missing, beside the empty field
    #[arg(long, value_name = "TOKEN,…", value_delimiter = ',')]
    missing: Vec<String>,
    /// The field separator of a CSV file [default: comma, semicolon or tab, whichever the header has]
    #[arg(long, value_name = "CHARACTER", value_parser = separator)]
    separator: Option<char>,
}

fn separator(text: &str) -> Result<char, String> {
    match text {
        "tab" | "\\t" => Ok('\t'),
        text => {
            let mut characters = text.chars();
            match (characters.next(), characters.next()) {
                (Some(one), None) => Ok(one),
                _ => Err("give one character, or `tab`".into()),
            }
        }
    }
}

impl Reading {
    /// The schema file, if one is given.
    pub(super) fn schema(&self) -> Option<&std::path::Path> {
        self.schema.as_deref()
    }

    /// What these options mean to the reader.
    pub(super) fn options(&self) -> Result<ReadOptions, TableError> {
        let schema = self.schema.as_deref().map(SchemaFile::read).transpose()?;
        Ok(ReadOptions {
            separator: self.separator,
            missing: self.missing.clone(),
            schema,
            watch: Watch::default(),
        })
    }
}

impl Describe {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let options = ReadOptions { watch: everywhere.watch(), ..self.reading.options()? };
        if let Some(draft) = self.write_schema.as_ref().filter(|draft| draft.exists() && !self.force) {
            let message =
                format!("--write-schema: {} exists; choose another name, or say --force", draft.display());
            return Err(Failure::Usage(message));
        }
        let table = read::read_unchecked(&self.data, &options)?;
        let (table, violations) = under_schema(table, options.schema.as_ref())?;
        let mut profile = profile(&table, &self.keys, &Grouping::default())?;
        profile.violations = violations;
        if let Some(path) = &self.write_schema {
            let schema = table.schema_with_parents().with_missing_tokens(self.reading.missing.clone());
            atomic_file::write(path, draft(&schema, &profile).as_bytes())?;
        }
        let text = report::profile_text(&self.data.display().to_string(), &profile);
        everywhere.deliver(&text, || serde_json::json!(profile))?;
        if let Some(path) = &self.write_schema {
            let path = path.display();
            everywhere.tell(&format!(
                "\nThe draft of the schema is in {path}. Review it; then use it with --schema {path}.\n"
            ))?;
        }
        if profile.violations.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        eprintln!("error: the table does not keep its schema; mend the records or the schema");
        Ok(ExitCode::FAILURE)
    }
}

/// The table under the schema, or as it is with what breaks the schema.
fn under_schema(
    table: Table,
    file: Option<&SchemaFile>,
) -> Result<(Table, Vec<ViolationProfile>), TableError> {
    let Some(file) = file else { return Ok((table, Vec::new())) };
    let schema = Arc::new(file.clone().complete(Some(table.schema()))?);
    match table.clone().conform(schema) {
        Ok(conformed) => Ok((conformed, Vec::new())),
        Err(TableError::Violations(violations)) => {
            Ok((table, violations.all().iter().map(ViolationProfile::from).collect()))
        }
        Err(other) => Err(other),
    }
}

/// The schema as a draft, with each variable's notes as comments.
fn draft(schema: &Schema, profile: &Profile) -> String {
    let notes: Vec<&[String]> = profile.variables.iter().map(|variable| variable.notes.as_slice()).collect();
    schema.to_toml_with_notes(&notes)
}
