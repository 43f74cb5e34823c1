//! What was found, written for people. This room computes nothing: every number shown was computed elsewhere.

mod ledger_text;
mod methods_text;
mod plan_text;
mod profile_text;

pub use ledger_text::{ledger_markdown, spending_text};
pub use methods_text::{methods_markdown, methods_text};
pub use plan_text::{plan_text, solution_text};
pub use profile_text::profile_text;
