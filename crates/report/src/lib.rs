//! What was found, written for people. This room computes nothing: every number shown was computed elsewhere.

mod audit_text;
mod ledger_text;
mod measure_text;
mod measures_text;
mod methods_text;
mod plan_text;
mod profile_text;
mod reproduction_text;
mod tournament_text;

pub use audit_text::audit_text;
pub use ledger_text::{ledger_markdown, spending_text};
pub use measure_text::measure_text;
pub use measures_text::{measures_markdown, measures_text};
pub use methods_text::{methods_markdown, methods_text};
pub use plan_text::{plan_text, solution_text};
pub use profile_text::profile_text;
pub use reproduction_text::{data_needed_text, figure_file, reproduction_summary, reproduction_text};
pub use tournament_text::tournament_text;
