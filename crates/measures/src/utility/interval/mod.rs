//! Would an analyst draw the same conclusions? Confidence intervals of proportions, means and quantiles, from both files.
//!
//! Nominal 95 % intervals: for the share of a cell p ± z √(p (1 − p)/N); for a mean x̄ ± z s/√N; for the quartiles, between order
//! statistics. How two intervals agree is the [overlap](Interval::overlap) of Taub & Elliot (2020, eq. 2), zero when they are
//! disjoint; beside it stands |q̂_syn − q̂_orig| in standard errors of the original. Cells without any record have no interval; missing
//! values are a class of a table if `TableOptions` says so, and are left out of means and quantiles, as special codes are.

mod estimate;
mod overlap;

pub use estimate::Estimate;
pub use overlap::Interval;
pub(crate) use overlap::Z95;

use crate::utility::numbers::number_pairs;
use crate::utility::tables::{CellPairs, each_table, wanted_tables};
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings,
};

/// What the intervals of several estimates say together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// How many pairs of intervals there are.
    pub intervals: usize,
    /// How many of them are disjoint.
    pub disjoint: usize,
    /// The mean overlap.
    pub overlap: f64,
    /// The mean of the [signed overlap](Interval::signed_overlap), in which disjoint intervals count by how far they are apart.
    pub signed_overlap: f64,
    /// The mean absolute difference in standard errors of the original, over estimates whose standard error is not zero.
    pub std_diff: Option<f64>,
}

impl Agreement {
    /// The agreement of pairs of an original and a synthetic estimate; `None` without any.
    pub fn of(pairs: &[(Estimate, Estimate)]) -> Option<Self> {
        let intervals = pairs.len();
        let overlaps =
            pairs.iter().map(|(original, synthetic)| original.interval.overlap(synthetic.interval));
        let (mut disjoint, mut sum) = (0, 0.0);
        for overlap in overlaps {
            disjoint += usize::from(overlap == 0.0);
            sum += overlap;
        }
        let differences: Vec<f64> = pairs.iter().filter_map(|(y, s)| y.standardised_difference(s)).collect();
        let std_diff = (!differences.is_empty()).then(|| {
            differences.iter().map(|difference| difference.abs()).sum::<f64>() / differences.len() as f64
        });
        let signed =
            pairs.iter().map(|(original, synthetic)| original.interval.signed_overlap(synthetic.interval));
        let signed_overlap = signed.sum::<f64>() / intervals as f64;
        let overlap = sum / intervals as f64;
        (intervals > 0).then_some(Self { intervals, disjoint, overlap, signed_overlap, std_diff })
    }

    /// The agreement of the shares of a table's cells.
    pub fn of_proportions(counts: &CellPairs) -> Option<Self> {
        let (original, synthetic) = counts.totals();
        let pair = |(y, s): &(u64, u64)| {
            Some((Estimate::proportion(*y, original)?, Estimate::proportion(*s, synthetic)?))
        };
        Self::of(&counts.pairs.iter().map(pair).collect::<Option<Vec<_>>>()?)
    }

    /// The agreement of the means of two sorted samples.
    pub fn of_means(original: &[f64], synthetic: &[f64]) -> Option<Self> {
        Self::of(&[(Estimate::mean(original)?, Estimate::mean(synthetic)?)])
    }

    /// The agreement of the quartiles of two sorted samples.
    pub(crate) fn of_quartiles(original: &[f64], synthetic: &[f64]) -> Option<Self> {
        let quartile =
            |k: usize| Some((Estimate::quantile(original, k, 4)?, Estimate::quantile(synthetic, k, 4)?));
        Self::of(&(1..4).map(quartile).collect::<Option<Vec<_>>>()?)
    }

    fn findings(&self, on: &[impl AsRef<str>], of: &str) -> [Finding; 2] {
        let overlap = CARDS[0].finding(on, self.overlap);
        let std_diff = match self.std_diff {
            Some(value) => CARDS[1].finding(on, value),
            None => CARDS[1].undefined(on, "the original's standard errors are all zero"),
        };
        let overlap =
            overlap.with("of", of).with("intervals", self.intervals).with("disjoint", self.disjoint);
        [overlap, std_diff.with("of", of)]
    }
}

/// The family of confidence intervals.
#[derive(Clone, Copy, Debug)]
pub struct Intervals;

const TAUB: &str = "Taub & Elliot (2020), The Synthetic Data Challenge, eq. 2; Karr et al. (2006), The American Statistician 60";
const NOWOK: &str = "Nowok, Raab & Dibben (2016), Journal of Statistical Software 74(11)";

const fn card(
    name: &'static str,
    question: &'static str,
    better: Better,
    citation: &'static str,
) -> MeasureCard {
    let range = if matches!(better, Better::Higher) { Range::UNIT } else { Range::NOT_NEGATIVE };
    MeasureCard { name, question, better, unit: "", range, null: Null::None, citation, kept: Kept::All }
}

const CARDS: &[MeasureCard] = &[
    card("interval.overlap", "How much do the 95 % intervals of both files overlap?", Better::Higher, TAUB)
        .keeping(Kept::Whole),
    card(
        "interval.std_diff",
        "By how many standard errors of the original do estimates differ?",
        Better::Lower,
        NOWOK,
    )
    .keeping(Kept::Whole),
    card(
        names::MEAN_OVERLAP,
        "How much do intervals of this kind overlap, on average?",
        Better::Higher,
        TAUB,
    ),
    card(
        "interval.mean_std_diff",
        "By how many standard errors do estimates of this kind differ, on average?",
        Better::Lower,
        NOWOK,
    ),
    MeasureCard {
        range: Range { from: f64::MIN, to: Some(1.0) },
        ..card(
            "interval.mean_signed_overlap",
            "How much do intervals of this kind overlap, on average, where disjoint ones count by how far they are apart?",
            Better::Higher,
            TAUB,
        )
    },
];

const NOTHING: &str = "one of the files has too few values here for an interval";

/// Measures of this family that other crates refer to.
pub mod names {
    /// `interval.mean_overlap`.
    pub const MEAN_OVERLAP: &str = "interval.mean_overlap";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "interval",
    aspect: Aspect::Utility,
    honours: &[Setting::Tables, Setting::Ways, Setting::Groups, Setting::Classes, Setting::Missing],
    requires: None,
    usual_axis: None,
    identified_by: &["ways", "of"],
    measures: CARDS,
};

impl Measure for Intervals {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let shared = settings.shared(comparison, &settings.tables.grouping)?;
        let mut findings = Vec::new();
        for (which, of) in wanted_tables(shared.domain(), settings)? {
            let found = each_table(
                shared.original(),
                &shared.synthetic()[0],
                &of,
                settings.tables.missing,
                |of, counts| (shared.names(of), Agreement::of_proportions(counts)),
            )?;
            findings.extend(with_mean(found, "proportions").into_iter().map(
                |finding| match finding.on.len() {
                    0 => which.note(finding),
                    _ => finding,
                },
            ));
        }
        let numbers = number_pairs(comparison);
        if !numbers.is_empty() {
            let (mut means, mut quartiles) = (Vec::new(), Vec::new());
            for pair in &numbers {
                let (original, synthetic) = pair.sorted();
                let on = vec![pair.name.to_owned()];
                means.push((on.clone(), Agreement::of_means(&original, &synthetic)));
                quartiles.push((on, Agreement::of_quartiles(&original, &synthetic)));
            }
            findings.extend(with_mean(means, "mean"));
            findings.extend(with_mean(quartiles, "quartiles"));
        }
        Ok(findings)
    }
}

/// The means over all tables or variables, then each.
fn with_mean(found: Vec<(Vec<String>, Option<Agreement>)>, of: &str) -> Vec<Finding> {
    let overlaps: Vec<f64> = found.iter().filter_map(|(_, one)| Some(one.as_ref()?.overlap)).collect();
    let differences: Vec<f64> = found.iter().filter_map(|(_, one)| one.as_ref()?.std_diff).collect();
    let signed: Vec<f64> = found.iter().filter_map(|(_, one)| Some(one.as_ref()?.signed_overlap)).collect();
    let mut findings = vec![
        CARDS[2].mean_finding(&[], &overlaps),
        CARDS[3].mean_finding(&[], &differences),
        CARDS[4].mean_finding(&[], &signed),
    ];
    findings.iter_mut().for_each(|finding| *finding = finding.clone().with("of", of));
    for (on, agreement) in found {
        findings.extend(match agreement {
            Some(agreement) => agreement.findings(&on, of),
            None => [0, 1].map(|at| CARDS[at].undefined(&on, NOTHING).with("of", of)),
        });
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_two_cells_by_hand() {
        // p = 0.5 ± z 0.05 and q = 0.6 ± z √0.0024: the second cell mirrors the first.
        let found = Agreement::of_proportions(&CellPairs::new([(50, 60), (50, 40)])).unwrap();
        let (width, other) = (2.0 * Z95 * 0.05, 2.0 * Z95 * 0.0024_f64.sqrt());
        let common = width / 2.0 + other / 2.0 - 0.1;
        assert!((found.overlap - (common / width + common / other) / 2.0).abs() < 1e-12);
        assert!((found.std_diff.unwrap() - 2.0).abs() < 1e-12);
        assert_eq!((found.intervals, found.disjoint), (2, 0));
    }

    #[test]
    fn far_apart_is_zero_and_an_empty_side_is_nothing() {
        let found = Agreement::of_proportions(&CellPairs::new([(1000, 10), (10, 1000)])).unwrap();
        assert_eq!((found.overlap, found.disjoint), (0.0, 2));
        assert_eq!(Agreement::of_proportions(&CellPairs::new([(10, 0)])), None);
        // All in one cell on both sides: the same point, and no standard error to divide by.
        let same = Agreement::of_proportions(&CellPairs::new([(10, 7)])).unwrap();
        assert_eq!((same.overlap, same.std_diff), (1.0, Some(0.0)));
        assert_eq!(Agreement::of_means(&[], &[1.0, 2.0]), None);
    }
}
