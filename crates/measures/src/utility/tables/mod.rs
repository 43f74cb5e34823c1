//! Utility of tables: how far the counts of a synthetic table lie from those of the original.
//!
//! A cell holds y original and s synthetic records, N and n in all. Write p = y/N, q = s/n, c = n/(N + n). When the synthetic
//! records are draws from the original's own cells, s − y n/N has variance about (y + s) c, and that is what the measures
//! scale by; so files of different sizes are compared without resampling either. Definitions and names follow Raab, Nowok &
//! Dibben (2021), *Assessing, visualizing and improving the utility of synthetic data*, and the numbers those of R's synthpop.

mod all_tables;
mod cards;
mod cell_pairs;
mod fine;
mod statistic;
mod summary;
mod table_utility;
mod wanted;

pub use all_tables::{all_tables, one_table};
pub use cell_pairs::CellPairs;
pub use statistic::TableStatistic;
pub use summary::{TablesSummary, VariableScore};
pub use table_utility::{TableUtility, Undefined};
pub use wanted::WhichTables;

pub(crate) use all_tables::each_table;
pub(crate) use cell_pairs::difference as cell_difference;
pub(crate) use wanted::wanted_tables;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::{CodedTable, CountSource, Grouping};

use crate::evaluation::with_each;
use crate::{
    Aspect, Comparison, CountMeasure, CountedTables, FamilyCard, Finding, Measure, MeasureError, Setting,
    Settings, SyntheticSets, UsualAxis,
};

/// How tables are made and judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableOptions {
    /// How numbers fall into classes.
    pub grouping: Grouping,
    /// What becomes of missing values.
    pub missing: MissingValues,
    /// Whether the number of synthetic records was fixed.
    pub synthetic_size: SyntheticSize,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            grouping: measured_classes(5),
            missing: MissingValues::AreAClass,
            synthetic_size: SyntheticSize::Fixed,
        }
    }
}

/// Raab, Nowok & Dibben (2021): beyond this S_pMSE tables are not for analysis.
const USABLE: f64 = 30.0;

/// Numbers with up to this many values are judged value by value.
const MOST_VALUES: usize = 20;

/// The classes in which numbers are judged: value by value where there are few, else in this many groups at quantiles of the original, frequent values
/// apart.
pub fn measured_classes(groups: usize) -> Grouping {
    Grouping { values: MOST_VALUES, ..Grouping::quantiles(groups) }
}

/// What becomes of missing values in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissingValues {
    /// They are a class like others.
    AreAClass,
    /// A record with a missing value in one of the table's variables does not count. Special codes stay.
    AreLeftOut,
}

/// Whether the number of records was given to the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntheticSize {
    /// It was, so that the last cell follows from the others: df = cells − 1.
    Fixed,
    /// The number came out of the generator too: df = cells.
    Random,
}

/// The family of table measures.
#[derive(Clone, Copy, Debug)]
pub struct Tables;

/// Measures of this family that other crates refer to.
pub mod names {
    /// `tables.s_pmse`.
    pub const S_PMSE: &str = "tables.s_pmse";
    /// `tables.mean_s_pmse`.
    pub const MEAN_S_PMSE: &str = "tables.mean_s_pmse";
    /// `tables.worst_s_pmse`.
    pub const WORST_S_PMSE: &str = "tables.worst_s_pmse";
    /// `tables.farther_mean_s_pmse`.
    pub const FARTHER_MEAN_S_PMSE: &str = "tables.farther_mean_s_pmse";
    /// `tables.sample_share`.
    pub const SAMPLE_SHARE: &str = "tables.sample_share";
    /// `tables.fine_mean_s_pmse`.
    pub const FINE_MEAN_S_PMSE: &str = "tables.fine_mean_s_pmse";
    /// `tables.fine_worst_s_pmse`.
    pub const FINE_WORST_S_PMSE: &str = "tables.fine_worst_s_pmse";
    /// `tables.fine_s_pmse`.
    pub const FINE_S_PMSE: &str = "tables.fine_s_pmse";
    /// `tables.variable_s_pmse`.
    pub(crate) const VARIABLE_S_PMSE: &str = "tables.variable_s_pmse";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "tables",
    aspect: Aspect::Utility,
    honours: &[
        Setting::Tables,
        Setting::Ways,
        Setting::Groups,
        Setting::Classes,
        Setting::Missing,
        Setting::SyntheticSize,
    ],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::FARTHER_MEAN_S_PMSE,
        label: "mean S_pMSE",
        by_ways: true,
        rank: 1,
        usable: Some(USABLE),
    }),
    identified_by: &["ways", "left_out"],
    measures: cards::CARDS,
};

impl Measure for Tables {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let Comparison { original, synthetic, holdout } = *comparison;
        self.evaluate_sets(&SyntheticSets { original, synthetic: &[synthetic], holdout }, settings)
    }

    fn evaluate_sets(
        &self,
        sets: &SyntheticSets<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let shared = settings.prepared.shared(sets.original, sets.synthetic, &settings.tables.grouping)?;
        let (mut findings, means) = of_counts((&*shared).into(), settings)?;
        findings.extend(fine::findings(sets, settings, &shared, &means)?);
        Ok(findings)
    }

    fn on_counts(&self) -> Option<&dyn CountMeasure> {
        Some(self)
    }
}

impl CountMeasure for Tables {
    fn evaluate_counts(
        &self,
        tables: CountedTables<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let (mut findings, means) = of_counts(tables, settings)?;
        let ratio = |set: &CodedTable| tables.original.records() as f64 / set.records().max(1) as f64;
        let ratios: Vec<f64> = tables.synthetic.iter().map(ratio).collect();
        findings.extend(fine::without_finer(&means, &ratios));
        Ok(findings)
    }
}

/// What tables in the wanted classes show, and their mean S_pMSE in every data set.
fn of_counts(
    tables: CountedTables<'_>,
    settings: &Settings,
) -> Result<(Vec<Finding>, Vec<fine::Means>), MeasureError> {
    let sets = tables.synthetic.len();
    let (mut findings, mut means_of_sets) = (Vec::new(), Vec::new());
    for (which, of) in wanted_tables(tables.original.domain(), settings)? {
        let of_sets = tables.tables_of_sets(&of, &settings.tables)?;
        let means: Vec<TableUtility> = of_sets.iter().filter_map(|sets| TableUtility::mean(sets)).collect();
        let mut summary = TablesSummary::of(&means, 1).findings(which);
        let of_set =
            |set: usize| -> Vec<TableUtility> { of_sets.iter().map(|sets| sets[set].clone()).collect() };
        let mean = |set: usize| TablesSummary::of(&of_set(set), 0).mean(TableStatistic::SPmse);
        let each: Vec<Option<f64>> = (0..sets).map(mean).collect();
        if sets > 1 {
            summary[0] = with_each(summary[0].clone(), &each);
        }
        if !tables.left_out.is_empty() {
            summary[0] = summary[0].clone().with("left_out", tables.left_out);
        }
        findings.extend(summary);
        findings.extend(of_sets.iter().flat_map(|sets| TableUtility::findings_of_sets(sets)));
        means_of_sets.push(fine::Means { which, each, scatter: fine::scatter(&means) });
    }
    Ok((findings, means_of_sets))
}

#[cfg(test)]
mod tests;
