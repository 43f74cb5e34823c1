//! Utility of tables: how far the counts of a synthetic table lie from those of the original.
//!
//! A cell holds y original and s synthetic records, N and n in all. Write p = y/N, q = s/n, c = n/(N + n). When the synthetic
//! records are draws from the original's own cells, s − y n/N has variance about (y + s) c, and that is what the measures
//! scale by; so files of different sizes are compared without resampling either. Definitions and names follow Raab, Nowok &
//! Dibben (2021), *Assessing, visualizing and improving the utility of synthetic data*, and the numbers those of R's synthpop.

mod all_tables;
mod cards;
mod cell_pairs;
mod reference;
mod statistic;
mod summary;
mod table_utility;

pub use all_tables::{all_tables, one_table, tables_between};
pub use cell_pairs::CellPairs;
pub use reference::ReferenceTables;
pub use statistic::TableStatistic;
pub use summary::{TablesSummary, VariableScore};
pub use table_utility::{TableUtility, Undefined};

use table::Grouping;
use table::grouping::GroupingStyle;

use crate::{Comparison, Finding, Measure, MeasureCard, MeasureError, Settings, SharedTables};

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
            grouping: Grouping { groups: 5, style: GroupingStyle::QuantilesOnly },
            missing: MissingValues::AreAClass,
            synthetic_size: SyntheticSize::Fixed,
        }
    }
}

/// What becomes of missing values in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingValues {
    /// They are a class like others.
    AreAClass,
    /// A record with a missing value in one of the table's variables does not count. Special codes stay.
    AreLeftOut,
}

/// Whether the generator was told how many records to make.
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

impl Measure for Tables {
    fn name(&self) -> &'static str {
        "tables"
    }

    fn cards(&self) -> &'static [MeasureCard] {
        cards::CARDS
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let shared = SharedTables::new(comparison, &settings.tables.grouping)?;
        let mut findings = Vec::new();
        for ways in &settings.ways {
            let tables = shared.all_tables(*ways, &settings.tables)?;
            let mut summary = TablesSummary::of(&tables, 1).findings(*ways);
            if !shared.left_out().is_empty() {
                summary[0] = summary[0].clone().with("left_out", shared.left_out());
            }
            findings.extend(summary);
            findings.extend(tables.iter().flat_map(TableUtility::findings));
        }
        Ok(findings)
    }
}

#[cfg(test)]
mod tests;
