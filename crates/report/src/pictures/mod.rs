//! The pictures of a report. Each is drawn from numbers that were found elsewhere.

mod associations;
mod attribute_risk;
mod category_map;
mod coefficients;
mod distribution;
mod gauge;
mod heat_map;
mod importance;
mod pair_table;
mod paired_bars;
mod paper_figure;
mod propensity;
mod record_map;
mod risk_plane;
mod risk_utility_map;
mod small_map;
mod tau_curves;

pub(crate) use associations::{Association, associations};
pub(crate) use attribute_risk::attribute_risk;
pub(crate) use category_map::category_map;
pub(crate) use coefficients::{Coefficient, coefficients};
pub(crate) use distribution::{compared, released};
pub(crate) use gauge::gauge;
pub(crate) use heat_map::{heat_map, worst_pairs};
pub(crate) use importance::importance;
pub(crate) use pair_table::{pair_panels, pair_table};
pub(crate) use paired_bars::{Row, Sides, WITH_LONG_NAMES, paired_bars};
pub use paper_figure::{Figure, Series};
pub(crate) use propensity::propensity;
pub(crate) use record_map::record_map;
pub(crate) use risk_plane::risk_plane;
pub(crate) use risk_utility_map::{narrow_map, risk_utility_map};
pub(crate) use small_map::small_map;
pub(crate) use tau_curves::tau_curves;

/// A name fit for a file and for a place on a page: letters, digits and hyphens, with a number that keeps it apart from others.
pub(crate) fn file_name(kind: &str, number: usize, of: &str) -> String {
    let plain: String = of
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '-' })
        .take(40)
        .collect();
    format!("{kind}-{:02}-{}", number + 1, plain.trim_matches('-'))
}
