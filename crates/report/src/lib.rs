//! What was found, written for people. This room computes nothing: every number shown was computed elsewhere.

mod audit_text;
mod fit_text;
mod ledger_text;
mod measure_text;
mod measures_text;
mod methods_text;
mod plan_text;
mod profile_text;

pub use audit_text::audit_text;
pub use fit_text::fit_text;
pub use ledger_text::{ledger_markdown, spending_text};
pub use measure_text::measure_text;
pub use measures_text::{measures_markdown, measures_text};
pub use methods_text::{methods_markdown, methods_text};
pub use plan_text::{plan_text, solution_text};
pub use profile_text::profile_text;
