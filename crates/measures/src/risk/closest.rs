//! How close synthetic records are to original ones: distance to the closest record, and nearest-neighbour distance ratio.
//!
//! Distances are Gower's over all variables, in [0, 1] (see `mixed_records`). A synthetic record that is far closer to one original record than to
//! any other may be a copy of it; whether it is, is only seen beside records that the generator never saw:
//!
//! - `dcr.median`: the median over synthetic records of the distance d₁ to the closest original one. `detail.holdout` says what it is for holdout
//!   records in place of synthetic ones;
//! - `dcr.ratio`: the 5 % quantile of d₁/d₂, d₂ the distance to the second closest (1 where both are 0);
//! - `dcr.share_closer`: the share of synthetic records that are closer to an original than to a holdout record, a tie counting one half, where both
//!   files are of one size: records are drawn from the larger. If the release does not depend on which of the records were used, it is ½ on average;
//! - `dcr.share_closer_z`: that share less ½, over its standard error. Synthetic records that have their closest record in common are not
//!   independent: with k_r of them closest to record r and no tie, the standard error is √(Σ k_r²)/(2n). The binomial one, √n/(2n), is
//!   beside it as `binomial`, and is too small where records are shared.
//!
//! At most [`MOST`] synthetic records are drawn, [`FEWER`] without a holdout, and fewer where the original is so large that more than [`PAIRS`]
//! pairs of records would have to be compared.

use rustc_hash::FxHashMap;

use crate::mixed_records::{MixedFile, MixedRecords, NO_HOLDOUT};
use crate::nearest::{Nearest, nearest};
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings,
};

/// The most synthetic records that are looked at.
pub const MOST: usize = 2_000;

/// The same where there is no holdout.
pub const FEWER: usize = 500;

/// The most pairs of a synthetic and an original record, as long as `FEWEST` synthetic ones are looked at.
pub const PAIRS: usize = 100_000_000;

/// Synthetic records that are looked at however large the original is.
const FEWEST: usize = 100;

/// The family of distances to the closest record.
#[derive(Clone, Copy, Debug)]
pub struct Closest;

/// Measures of this family that other crates refer to.
pub mod names {
    /// `dcr.median`.
    pub const MEDIAN: &str = "dcr.median";
    /// `dcr.ratio`.
    pub const RATIO: &str = "dcr.ratio";
    /// `dcr.median_holdout`.
    pub const MEDIAN_HOLDOUT: &str = "dcr.median_holdout";
    /// `dcr.share_closer`.
    pub const SHARE_CLOSER: &str = "dcr.share_closer";
    /// `dcr.share_closer_z`.
    pub const SHARE_CLOSER_Z: &str = "dcr.share_closer_z";
}

const fn card(
    name: &'static str,
    question: &'static str,
    better: Better,
    range: Range,
    null: Null,
) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better,
        unit: "",
        range,
        null,
        citation: "Gower (1971), Biometrics 27; Platzer & Reutterer (2021), Frontiers in Big Data 4",
        kept: Kept::All,
    }
}

const CARDS: &[MeasureCard] = &[
    card(
        names::MEDIAN,
        "How far is the closest original record from half of the synthetic ones, as a share of the largest distance?",
        Better::Higher,
        Range::UNIT,
        Null::None,
    ),
    card(
        names::RATIO,
        "How much closer is the closest original record than the second closest, for one synthetic record in twenty?",
        Better::Higher,
        Range::UNIT,
        Null::None,
    ),
    card(
        names::MEDIAN_HOLDOUT,
        "How far is the closest holdout record from half of the synthetic ones?",
        Better::Neither,
        Range::UNIT,
        Null::None,
    ),
    card(
        names::SHARE_CLOSER,
        "Which share of synthetic records is closer to an original record than to one that the generator never saw?",
        Better::Lower,
        Range::UNIT,
        Null::Value(0.5),
    ),
    card(
        names::SHARE_CLOSER_Z,
        "By how many standard errors is that share above one half?",
        Better::Lower,
        Range { from: f64::MIN, to: None },
        Null::Value(0.0),
    ),
];

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "dcr",
    aspect: Aspect::Risk,
    honours: &[Setting::Seed],
    requires: None,
    usual_axis: None,
    identified_by: &[],
    measures: CARDS,
};

const EMPTY: &str = "one of the files has no records";

impl Measure for Closest {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let whole: [&str; 0] = [];
        let seed = settings.propensity.draws.seed;
        let records = MixedRecords::new(comparison)?;
        let original = &records.original;
        let most = if records.holdout.is_some() { MOST } else { FEWER };
        let most = most.min((PAIRS / original.records.max(1)).max(FEWEST));
        let queries = records.synthetic.sample(most, seed, 0);
        if queries.records == 0 || original.records == 0 {
            return Ok(CARDS.iter().map(|card| card.undefined(&whole, EMPTY)).collect());
        }
        let variables = records.positions();
        let find = |among: &MixedFile| nearest(&queries, among, &variables, seed);
        let of_all = find(original);
        let scale = variables.len() as f64;
        let looked_at = |finding: Finding| finding.with("records", queries.records);
        let ratios = of_all.iter().map(|nearest| match nearest.second {
            second if second.is_infinite() => 0.0,
            0.0 => 1.0,
            second => f64::from(nearest.distance / second),
        });
        let mut findings = vec![
            looked_at(CARDS[0].finding(&whole, quantile(&of_all, scale, 0.5))),
            looked_at(CARDS[1].finding(&whole, quantile_at(ratios.collect(), 0.05))),
        ];
        let Some(holdout) = records.holdout.as_ref().filter(|holdout| holdout.records > 0) else {
            findings.push(CARDS[3].undefined(&whole, NO_HOLDOUT));
            return Ok(findings);
        };
        let size = original.records.min(holdout.records);
        let of_original = match size == original.records {
            true => of_all,
            false => find(&original.sample(size, seed, 1)),
        };
        let of_holdout = find(&holdout.sample(size, seed, 2));
        let closer = Closer::of(&of_original, &of_holdout);
        let sized = |finding: Finding| looked_at(finding).with("size", size);
        findings.push(
            sized(CARDS[2].finding(&whole, quantile(&of_holdout, scale, 0.5)))
                .with("original", quantile(&of_original, scale, 0.5)),
        );
        findings.push(
            sized(CARDS[3].finding(&whole, closer.share))
                .with("se", closer.error)
                .with("binomial", closer.binomial)
                .with("ties", closer.ties),
        );
        findings.push(match closer.error > 0.0 {
            true => CARDS[4].finding(&whole, (closer.share - 0.5) / closer.error),
            false => CARDS[4].undefined(&whole, "every synthetic record is as close to both files"),
        });
        Ok(findings)
    }
}

/// Which of two files synthetic records are closer to.
struct Closer {
    share: f64,
    /// The standard error if the labels original and holdout were exchanged at random.
    error: f64,
    /// The same if no two synthetic records had their closest record in common.
    binomial: f64,
    ties: usize,
}

impl Closer {
    fn of(original: &[Nearest], holdout: &[Nearest]) -> Self {
        let records = original.len() as f64;
        let mut ties = 0;
        let mut to_original: FxHashMap<u32, usize> = FxHashMap::default();
        let mut to_holdout: FxHashMap<u32, usize> = FxHashMap::default();
        for (one, other) in original.iter().zip(holdout) {
            match one.distance.total_cmp(&other.distance) {
                std::cmp::Ordering::Less => *to_original.entry(one.record).or_default() += 1,
                std::cmp::Ordering::Greater => *to_holdout.entry(other.record).or_default() += 1,
                std::cmp::Ordering::Equal => ties += 1,
            }
        }
        let closer: usize = to_original.values().sum();
        let shared = to_original.values().chain(to_holdout.values()).map(|count| count * count);
        Self {
            share: (closer as f64 + ties as f64 / 2.0) / records,
            error: (shared.sum::<usize>() as f64).sqrt() / (2.0 * records),
            binomial: (original.len() - ties) as f64 / records / (2.0 * records.sqrt()),
            ties,
        }
    }
}

/// A quantile of distances, each over the largest that is possible.
fn quantile(nearest: &[Nearest], scale: f64, share: f64) -> f64 {
    quantile_at(nearest.iter().map(|nearest| f64::from(nearest.distance) / scale).collect(), share)
}

fn quantile_at(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    table::grouping::quantile_at(&values, share)
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;
    use crate::risk::invented::{people, table, with_copies};

    fn found(findings: &[Finding], name: &str) -> Option<f64> {
        findings.iter().find(|finding| finding.measure == name).and_then(|finding| finding.value)
    }

    /// Mid-ranks of 1, 2, 3, 4 are 1/8, 3/8, 5/8, 7/8. The record (2, a) is 0 from the second and 2/8 from the third original in x, and
    /// 1 in c; (4, b) is itself.
    #[test]
    fn four_records_by_hand() {
        let read = |text: &str| read_csv_text(text, &ReadOptions::default()).unwrap();
        let original = read("x,c\n1.25,a\n2.25,b\n3.25,a\n4.25,b\n");
        let synthetic = read("x,c\n2.25,a\n4.25,b\n");
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let findings = Closest.evaluate(&comparison, &Settings::default()).unwrap();
        // Distances ¼ (to both sides) and 0, over two variables: 0.125 and 0.
        assert_eq!(found(&findings, names::MEDIAN), Some(0.0625));
        // Ratios 1 and 0; the 5 % quantile lies between.
        assert!((found(&findings, names::RATIO).unwrap() - 0.05).abs() < 1e-9);
        assert_eq!(found(&findings, names::SHARE_CLOSER), None);
        let holdout = read("x,c\n2.25,a\n9.25,b\n9.25,b\n9.25,b\n");
        let with = Comparison { holdout: Some(&holdout), ..comparison };
        let findings = Closest.evaluate(&with, &Settings::default()).unwrap();
        // The first is in the holdout, the second in the original.
        assert_eq!(found(&findings, names::SHARE_CLOSER), Some(0.5));
        assert_eq!(found(&findings, names::SHARE_CLOSER_Z), Some(0.0));
    }

    #[test]
    fn a_release_that_does_not_depend_on_the_records_is_as_close_to_both() {
        let mut beyond = 0;
        for run in 0..20 {
            let (original, holdout) = (table(&people(900, 3 * run)), table(&people(400, 3 * run + 1)));
            let synthetic = table(&people(700, 3 * run + 2));
            let comparison =
                Comparison { original: &original, synthetic: &synthetic, holdout: Some(&holdout) };
            let findings = Closest.evaluate(&comparison, &Settings::default()).unwrap();
            beyond += usize::from(found(&findings, names::SHARE_CLOSER_Z).unwrap() > 1.645);
        }
        // One of 20 is expected; five or more in one of 400 such tests.
        assert!(beyond < 5, "{beyond}");
    }

    #[test]
    fn copies_are_close_to_the_original() {
        let people_of = people(1500, 1);
        let (original, holdout) = (table(&people_of), table(&people(1500, 2)));
        let synthetic = table(&with_copies(&people_of, 300, &people(1500, 3)));
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: Some(&holdout) };
        let findings = Closest.evaluate(&comparison, &Settings::default()).unwrap();
        let z = found(&findings, names::SHARE_CLOSER_Z).unwrap();
        assert!(z > 4.0, "{z}");
        assert_eq!(found(&findings, names::RATIO), Some(0.0));
    }
}
