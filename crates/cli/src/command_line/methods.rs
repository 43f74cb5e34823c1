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
        let mut text =
            if self.markdown { report::methods_markdown(cards()) } else { report::methods_text(cards()) };
        text.push_str(&self.methods_of_variables());
        everywhere.deliver(&text, || serde_json::json!(cards().collect::<Vec<_>>()))?;
        Ok(ExitCode::SUCCESS)
    }

    /// The methods by which `sequential` draws a variable.
    fn methods_of_variables(&self) -> String {
        let all = synthesis::methods::sequential::variable_methods();
        if self.markdown {
            let rows: String =
                all.map(|(name, draws_from)| format!("| `{name}` | {draws_from} |\n")).collect();
            return format!(
                "\n## Methods of a variable, in `sequential`\n\n| method | draws from |\n|---|---|\n{rows}"
            );
        }
        let rows: String = all.map(|(name, draws_from)| format!("  {name:<12} {draws_from}\n")).collect();
        format!("\nmethods of a variable, in sequential\n{rows}")
    }
}
