//! What was found, written for people. This room computes nothing: every number shown was computed elsewhere.

mod attack_text;
mod audit_text;
mod books_text;
mod fit_picture;
mod fit_text;
mod frontier_text;
pub mod html;
mod judgement;
mod ledger_text;
mod lights;
pub mod markup;
mod measure_text;
mod measures_text;
mod methods_text;
mod numbers;
mod pictures;
mod plan_text;
mod profile_text;
mod reference_text;
mod release_text;
mod svg;
mod verdict;
mod verification_text;

pub use attack_text::attack_text;
pub use audit_text::audit_text;
pub use books_text::books_text;
pub use fit_picture::fit_pictures;
pub use fit_text::fit_text;
pub use frontier_text::{frontier_text, frontier_text_in_full, planned_text};
pub use html::{
    Edition, ReportInput, SCRIPT, STYLES, codebook_csv, compared_versions, frontier_map, frontier_section,
    pictures, plan_section, readme_text, report_html, shape_picture, version_lights, version_section,
};
pub use ledger_text::{ledger_markdown, spending_text};
pub use measure_text::measure_text;
pub use measures_text::{measure_card_text, measures_markdown, measures_text};
pub use methods_text::{method_text, methods_markdown, methods_text};
pub use pictures::{Figure, Series};
pub use plan_text::{catall_text, plan_text, solution_text};
pub use profile_text::profile_text;
pub use reference_text::reference_markdown;
pub use release_text::{data_sets_text, release_text, verdict_text};
pub use verification_text::verification_text;
