//! `lookalike methods`: the registry of generators, with their cards.

use std::process::ExitCode;

use clap::Args;
use synthesis::registry::{self, METHODS};

use super::{Everywhere, Failure, Run};

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
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        if let Some(name) = &self.name {
            let card = registry::method(name)?.card;
            everywhere.deliver(&report::method_text(card), || serde_json::json!(card))?;
            return Ok(ExitCode::SUCCESS);
        }
        let cards = || METHODS.iter().map(|method| method.card);
        let text =
            if self.markdown { report::methods_markdown(cards()) } else { report::methods_text(cards()) };
        everywhere.deliver(&text, || serde_json::json!(cards().collect::<Vec<_>>()))?;
        Ok(ExitCode::SUCCESS)
    }
}
