//! Ratio of counts: of two counts that should be equal, the smaller over the larger.
//!
//! With shares p = y/N and q = s/n of a cell, ROC = min(p, q) / max(p, q), averaged over all cells of a table (Taub & Elliot
//! 2020, eq. 1). A cell that both files leave empty counts as agreement, 1; `detail.occupied` is the mean over the other
//! cells, which does not reward large empty tables.

use table::CountSource;

use crate::evaluation::mean_of_sets;
use crate::shared_tables::names_in;
use crate::utility::tables::{CellPairs, each_table, wanted_tables};
use crate::{
    Aspect, Better, Comparison, CountMeasure, CountedTables, FamilyCard, Finding, Kept, Measure, MeasureCard,
    MeasureError, Null, Range, Setting, Settings, UsualAxis,
};

/// The mean ratio of counts of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioOfCounts {
    /// Over all cells, an empty cell counting 1.
    pub all_cells: f64,
    /// Over cells that hold a record of either file.
    pub occupied: f64,
}

impl RatioOfCounts {
    /// The ratio of these counts, or the reason why there is none.
    ///
    /// ```
    /// use measures::utility::{ratio_of_counts::RatioOfCounts, tables::CellPairs};
    /// let ratio = RatioOfCounts::of(&CellPairs::new([(2, 3), (2, 1), (0, 0)])).unwrap();
    /// assert!((ratio.occupied - (2.0 / 3.0 + 1.0 / 2.0) / 2.0).abs() < 1e-15);
    /// assert!((ratio.all_cells - (2.0 / 3.0 + 1.0 / 2.0 + 1.0) / 3.0).abs() < 1e-15);
    /// ```
    pub fn of(counts: &CellPairs) -> Result<Self, &'static str> {
        let (original, synthetic) = counts.totals();
        if original == 0 {
            return Err("the original has no record in this table");
        }
        if synthetic == 0 {
            return Err("the synthetic file has no record in this table");
        }
        let ratio = |(y, s): &(u64, u64)| {
            let (one, other) = (*y as f64 * synthetic as f64, *s as f64 * original as f64);
            one.min(other) / one.max(other)
        };
        let sum: f64 = counts.pairs.iter().map(ratio).sum();
        let occupied = counts.pairs.len() as f64;
        Ok(Self { all_cells: (sum + counts.cells - occupied) / counts.cells, occupied: sum / occupied })
    }
}

/// The family of the ratio of counts.
#[derive(Clone, Copy, Debug)]
pub struct Counts;

const TAUB: &str = "Taub & Elliot (2020), The Synthetic Data Challenge, eq. 1";

const CARDS: &[MeasureCard] = &[
    MeasureCard {
        name: "counts.roc",
        question: "How large is the smaller of two counts beside the larger, averaged over the cells of a table?",
        better: Better::Higher,
        unit: "",
        range: Range::UNIT,
        null: Null::None,
        citation: TAUB,
        kept: Kept::Whole,
    },
    MeasureCard {
        name: names::MEAN_ROC,
        question: "How large is the ratio of counts in tables of this many variables, on average?",
        better: Better::Higher,
        unit: "",
        range: Range::UNIT,
        null: Null::None,
        citation: TAUB,
        kept: Kept::All,
    },
];

/// Measures of this family that other crates refer to.
pub mod names {
    /// `counts.mean_roc`.
    pub const MEAN_ROC: &str = "counts.mean_roc";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "counts",
    aspect: Aspect::Utility,
    honours: &[Setting::Tables, Setting::Ways, Setting::Groups, Setting::Classes, Setting::Missing],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::MEAN_ROC,
        label: names::MEAN_ROC,
        by_ways: false,
        rank: 5,
        usable: None,
    }),
    identified_by: &["ways"],
    measures: CARDS,
};

impl Measure for Counts {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let shared = settings.shared(comparison, &settings.tables.grouping)?;
        self.evaluate_counts((&*shared).into(), settings)
    }

    fn on_counts(&self) -> Option<&dyn CountMeasure> {
        Some(self)
    }
}

impl CountMeasure for Counts {
    fn evaluate_counts(
        &self,
        tables: CountedTables<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let found = tables.synthetic.iter().map(|set| of_tables(tables.original, set, settings));
        Ok(mean_of_sets(found.collect::<Result<_, _>>()?))
    }
}

/// The ratios of all wanted tables of one synthetic table.
fn of_tables(
    original: &dyn CountSource,
    synthetic: &dyn CountSource,
    settings: &Settings,
) -> Result<Vec<Finding>, MeasureError> {
    let domain = original.domain();
    let mut findings = Vec::new();
    for (which, of) in wanted_tables(domain, settings)? {
        let ratios = each_table(original, synthetic, &of, settings.tables.missing, |of, counts| {
            (names_in(domain, of), RatioOfCounts::of(counts))
        })?;
        let defined: Vec<f64> = ratios.iter().filter_map(|(_, ratio)| Some(ratio.ok()?.all_cells)).collect();
        findings.push(which.note(CARDS[1].mean_finding(&[], &defined)));
        findings.extend(ratios.into_iter().map(|(on, ratio)| match ratio {
            Ok(ratio) => CARDS[0].finding(&on, ratio.all_cells).with("occupied", ratio.occupied),
            Err(because) => CARDS[0].undefined(&on, because),
        }));
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_do_not_matter_and_an_empty_side_has_no_ratio() {
        // Shares (½, ½) against (¾, ¼).
        let ratio = RatioOfCounts::of(&CellPairs::new([(2, 30), (2, 10)])).unwrap();
        assert!((ratio.all_cells - (2.0 / 3.0 + 0.5) / 2.0).abs() < 1e-15);
        assert!(RatioOfCounts::of(&CellPairs::new([(2, 0)])).is_err());
        assert!(RatioOfCounts::of(&CellPairs::new([(0, 2)])).is_err());
        assert_eq!(RatioOfCounts::of(&CellPairs::new([(5, 0), (0, 5)])).unwrap().occupied, 0.0);
    }

    proptest! {
        #[test]
        fn it_lies_between_zero_and_one_and_is_symmetric(pairs in prop::collection::vec((0_u64..50, 0_u64..50), 1..20)) {
            prop_assume!(pairs.iter().any(|pair| pair.0 > 0) && pairs.iter().any(|pair| pair.1 > 0));
            let ratio = RatioOfCounts::of(&CellPairs::new(pairs.iter().copied())).unwrap();
            let swapped = RatioOfCounts::of(&CellPairs::new(pairs.iter().map(|(y, s)| (*s, *y)))).unwrap();
            prop_assert_eq!(ratio, swapped);
            prop_assert!((0.0..=1.0).contains(&ratio.all_cells) && ratio.occupied <= ratio.all_cells + 1e-12);
        }
    }
}
