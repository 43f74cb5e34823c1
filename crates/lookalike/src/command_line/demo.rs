//! `lookalike demo`: the story so far, told on an invented town.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use table::profile::profile;
use table::read::{self, ReadOptions};
use table::schema::SchemaFile;
use table::{Grouping, TableError, atomic_file};
use town::Town;

use super::{Everywhere, Failure};

/// The variables by which neighbours know each other.
const KEYS: [&str; 5] = ["sex", "age", "district", "marital", "occ2"];

/// Tell the whole story on an invented town.
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "lookalike-demo")]
    out: PathBuf,
}

impl Demo {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let town = Town::default();
        std::fs::create_dir_all(&self.out).map_err(|source| TableError::io(&self.out, source))?;
        let (data, schema) = (self.out.join("town.csv"), self.out.join("town.schema.toml"));
        atomic_file::write(&data, town.csv().as_bytes())?;
        atomic_file::write(&schema, town.schema().as_bytes())?;
        let (data_name, schema_name) = (data.display().to_string(), schema.display().to_string());
        everywhere.tell(&format!(
            "Much Seeming is a town that does not exist; {} invented people live in it.\n\
             Their records are in {data_name}, the schema that declares what each variable may hold in {schema_name}.\n\n\
             $ lookalike describe {data_name} --schema {schema_name} --keys {}\n\n",
            table::figures::thousands(town.people),
            KEYS.join(",")
        ))?;
        let options = ReadOptions { schema: Some(SchemaFile::read(&schema)?), ..ReadOptions::default() };
        let people = read::read_table(&data, &options)?;
        let profile = profile(&people, &KEYS.map(str::to_owned), &Grouping::default())?;
        everywhere.deliver(&report::profile_text(&data_name, &profile), || serde_json::json!(profile))?;
        Ok(ExitCode::SUCCESS)
    }
}
