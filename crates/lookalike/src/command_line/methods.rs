//! `lookalike methods`: the registry of generators, with their cards.

use std::process::ExitCode;

use clap::Args;
use synthesis::registry::METHODS;

use super::{Everywhere, Failure};

/// List the generators, with their options.
#[derive(Debug, Args)]
pub(super) struct Methods {
    /// As a page of documentation
    #[arg(long)]
    markdown: bool,
}

impl Methods {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let cards = || METHODS.iter().map(|method| method.card);
        let text =
            if self.markdown { report::methods_markdown(cards()) } else { report::methods_text(cards()) };
        everywhere.deliver(&text, || serde_json::json!(cards().collect::<Vec<_>>()))?;
        Ok(ExitCode::SUCCESS)
    }
}
