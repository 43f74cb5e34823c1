//! The command `lookalike` with tables of Parquet files that DataFusion counts in this process (`datafusion:FOLDER`) or Ballista on a cluster (`ballista://HOST:PORT/FOLDER`), and
//! the two parts of such a cluster.

mod engine;
mod failure;
mod files;
mod place;
mod roles;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use place::ParquetPlace;
use roles::Role;

fn main() -> ExitCode {
    engines::add("datafusion", |text| Ok(Box::new(ParquetPlace::here(text)?)));
    engines::add("ballista", |text| Ok(Box::new(ParquetPlace::on_a_cluster(text)?)));
    let first = std::env::args().nth(1).unwrap_or_default();
    match first.as_str() {
        "scheduler" | "executor" => Role::parse().run(),
        "" | "help" | "-h" | "--help" => {
            let roles = Role::command();
            let mut all = lookalike_cli::command()
                .name("lookalike-cluster")
                .bin_name("lookalike-cluster")
                .subcommands(roles.get_subcommands().cloned());
            match all.print_help() {
                Ok(()) if !first.is_empty() => ExitCode::SUCCESS,
                _ => ExitCode::from(2),
            }
        }
        _ => lookalike_cli::run(),
    }
}
