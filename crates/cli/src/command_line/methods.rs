//! `lookalike methods`: the registry of generators, with their cards.

use std::process::ExitCode;

use clap::Args;
use synthesis::methods::sequential;
use synthesis::registry::{self, METHODS};

use super::{Everywhere, Failure};

/// List the generators, with their options.
#[derive(Debug, Args)]
pub(super) struct Methods {
    /// One method, with all that its card says [default: all]
    name: Option<String>,
    /// As a page of documentation
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
}

impl Methods {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        if let Some(name) = &self.name {
            let card = registry::method(name)?.card;
            let mut text = report::method_text(card);
            if card.name == sequential::CARD.name {
                text.push_str(&self.methods_of_variables());
            }
            everywhere.deliver(&text, || serde_json::json!(card))?;
            return Ok(ExitCode::SUCCESS);
        }
        let cards = || METHODS.iter().map(|method| method.card);
        let mut text =
            if self.markdown { report::methods_markdown(cards()) } else { report::methods_text(cards()) };
        text.push_str(&self.methods_of_variables());
        everywhere.deliver(&text, || serde_json::json!(cards().collect::<Vec<_>>()))?;
        Ok(ExitCode::SUCCESS)
    }

    /// The methods by which `sequential` draws a variable.
    fn methods_of_variables(&self) -> String {
        let (all, name) = (sequential::variable_methods(), sequential::CARD.name);
        if self.markdown {
            let rows: String =
                all.map(|(method, draws_from)| format!("| `{method}` | {draws_from} |\n")).collect();
            return format!(
                "\n## Methods of a variable, in `{name}`\n\n| method | draws from |\n|---|---|\n{rows}"
            );
        }
        let rows: String = all.map(|(method, draws_from)| format!("  {method:<12} {draws_from}\n")).collect();
        format!("\nmethods of a variable, in {name}\n{rows}")
    }
}
