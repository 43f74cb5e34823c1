//! `lookalike methods`: the registry of generators, with their cards.

use std::process::ExitCode;

use clap::Args;
use lookalike::{Error, MethodsRequest};

use super::{Everywhere, Run};

/// List the generators, with their options.
#[derive(Debug, Args)]
pub(super) struct Methods {
    /// One method, with all that its card says [default: all]
    name: Option<String>,
    /// As a page of documentation
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
}

impl Run for Methods {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        everywhere.carry_out(&MethodsRequest { name: self.name.clone(), markdown: self.markdown })
    }
}
