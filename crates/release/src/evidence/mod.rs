//! What a report shows beside its findings: distributions, tables, maps and curves, as plain data.
//!
//! [`Evidence::released`] is computed from the synthetic files alone and may be released with them. Everything in
//! [`Evidence::internal`] holds figures of the original.

mod category_places;
mod distribution;
mod intruder_plane;
mod record_map;
mod subgroups;
mod tau_curves;
mod worst_tables;

pub use category_places::{CategoryPlace, CategoryPlaces};
pub use distribution::{
    Class, ClassKind, ComparedDistribution, ComparedNumbers, Distribution, NumberSummary,
};
pub use intruder_plane::{AcceptedRegion, IntruderPlane, PlanePoint};
pub use record_map::{RecordMap, RecordPlace};
pub use subgroups::{Subgroup, Subgroups};
pub use tau_curves::{TauCurve, TauPoint};
pub use worst_tables::PairTable;

use measures::utility::propensity::{MOST_RECORDS, Pooled, tree_importance};
use measures::{Finding, MeasureError, Settings, SyntheticSets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::Table;

/// What a report shows beside its findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The distribution of each variable in the synthetic files, from these files alone.
    pub released: Vec<Distribution>,
    /// What holds figures of the original; is confidential.
    pub internal: Option<InternalEvidence>,
}

/// Evidence that was read off the original.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InternalEvidence {
    /// Each variable in the original and in the synthetic files, over the same classes.
    pub distributions: Vec<ComparedDistribution>,
    /// The two-way tables with the largest S_pMSE, worst first.
    pub worst_tables: Vec<PairTable>,
    /// Where the categories lie on the maps of both files.
    pub categories: Option<CategoryPlaces>,
    /// Where the records of both files lie.
    pub records: Option<RecordMap>,
    /// How much each variable helps a tree to tell the files apart, as shares of the whole, largest first.
    pub told_apart: Vec<(String, f64)>,
    /// Groups of whom the release is least true, and of whom it gives most away.
    pub subgroups: Option<Subgroups>,
    /// The τ metrics by size of cell, for every key set.
    pub tau_curves: Vec<TauCurve>,
    /// The risks of all records for the intruder who knows the others.
    pub intruder: Option<IntruderPlane>,
}

impl Evidence {
    /// The evidence of synthetic files alone: it holds nothing but what is in them.
    pub fn of_release(synthetic: &[&Table]) -> Self {
        Self { released: distribution::released(synthetic), internal: None }
    }

    /// The evidence of synthetic files against their original. The worst tables are those of the findings; grouping, keys and
    /// mechanism are those by which these were found.
    pub fn against_original(
        sets: &SyntheticSets<'_>,
        settings: &Settings,
        findings: &[Finding],
    ) -> Result<Self, MeasureError> {
        let shared =
            measures::SharedTables::of_sets(sets.original, sets.synthetic, &settings.tables.grouping)?;
        let internal = InternalEvidence {
            distributions: distribution::compared(sets),
            worst_tables: worst_tables::worst_tables(&shared, findings)?,
            categories: category_places::category_places(&shared)?,
            records: record_map::record_map(&shared)?,
            told_apart: told_apart(sets, settings)?,
            subgroups: subgroups::subgroups(sets, &shared, settings, findings)?,
            tau_curves: tau_curves::tau_curves(sets, settings)?,
            intruder: intruder_plane::intruder_plane(sets, settings)?,
        };
        Ok(Self { internal: Some(internal), ..Self::of_release(sets.synthetic) })
    }
}

/// What the tree of the propensity score uses, in the first synthetic file; nothing where it does not split.
fn told_apart(sets: &SyntheticSets<'_>, settings: &Settings) -> Result<Vec<(String, f64)>, MeasureError> {
    let Some(comparison) = sets.comparisons().next() else { return Ok(Vec::new()) };
    let pooled = Pooled::new(&comparison, &[])?;
    let sample = pooled.at_most(MOST_RECORDS, settings.propensity.draws.seed);
    Ok(tree_importance(sample.as_ref().unwrap_or(&pooled)).unwrap_or_default())
}

#[cfg(test)]
mod tests;
