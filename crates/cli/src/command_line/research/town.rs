//! `lookalike town`: the invented town, to try things on.

use std::path::PathBuf;
use std::process::ExitCode;

use ::town::Town;
use clap::Args;
use table::{TableError, atomic_file};

use super::super::{Everywhere, Failure};

/// Write an invented town to try things on: its people and their schema.
#[derive(Debug, Args)]
pub(in super::super) struct TownCommand {
    /// How many people live there
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    people: u32,
    /// The seed; one seed, one town
    #[arg(long, value_name = "S", default_value_t = 1901)]
    seed: u64,
    /// The folder to write town.csv and town.schema.toml to
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
}

impl TownCommand {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        everywhere.check_json(&[])?;
        let town = Town::new(self.people as usize, self.seed);
        std::fs::create_dir_all(&self.out).map_err(|source| TableError::io(&self.out, source))?;
        let files = [("town.csv", town.csv()), ("town.schema.toml", town.schema())];
        for (name, text) in &files {
            let path = self.out.join(name);
            if path.exists() {
                return Err(Failure::usage(format!(
                    "{} exists; choose another folder with --out",
                    path.display()
                )));
            }
            atomic_file::write(&path, text.as_bytes())?;
        }
        let text = format!(
            "{}: {} people who do not exist; town.schema.toml declares what each variable may hold\n",
            self.out.join("town.csv").display(),
            table::figures::thousands(u64::from(self.people))
        );
        everywhere.deliver(&text, || serde_json::json!({ "people": self.people, "seed": self.seed }))?;
        Ok(ExitCode::SUCCESS)
    }
}
