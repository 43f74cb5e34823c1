//! Membership inference: can an intruder tell original records from others of the same population?
//!
//! The intruder has a record and gives it a score, which should be higher if the generator was fitted to it:
//!
//! - *distance*: minus Gower's distance to the closest synthetic record (Chen, Yu, Zhang & Fritz 2020);
//! - *density*: ln(d_R + h) − ln(d_S + h), d_S the distance to the closest synthetic record, d_R that to the closest reference record and h = 0.001: the
//!   ratio of the densities of release and population by their nearest neighbour (DOMIAS, van Breugel et al. 2023). It sees that a record lies where the population
//!   is dense anyway.
//!
//! The holdout is divided at random: one half is the intruder's reference, the other half and as many original records are scored. The area under
//! the curve is ½ and the rate of true positives at 1 % false ones 0.01 if the release does not depend on which records were used. At most [`MOST`]
//! records of each kind are scored. Generators of ours can be attacked harder, by fitting them many times; this needs the files alone.

use rustc_hash::FxHashSet;

use crate::mixed_records::{MixedFile, MixedRecords, NO_HOLDOUT, sampled};
use crate::nearest::nearest;
use crate::risk::curve::Curve;
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings,
};

/// The most original, and the most holdout records that are scored.
pub const MOST: usize = 2_000;

/// The rate of false positives at which true ones are counted.
const FALSE_POSITIVES: f64 = 0.01;

/// h, so that records without any distance to either file are alike.
const SMOOTHING: f64 = 0.001;

/// The family of membership inference.
#[derive(Clone, Copy, Debug)]
pub struct Membership;

/// Measures of this family that other crates refer to.
pub mod names {
    /// `membership.distance_auc`.
    pub const DISTANCE_AUC: &str = "membership.distance_auc";
    /// `membership.distance_tpr`.
    pub const DISTANCE_TPR: &str = "membership.distance_tpr";
    /// `membership.density_auc`.
    pub const DENSITY_AUC: &str = "membership.density_auc";
    /// `membership.density_tpr`.
    pub const DENSITY_TPR: &str = "membership.density_tpr";
}

const BY_DISTANCE: &str = "Chen, Yu, Zhang & Fritz (2020), ACM CCS 2020";
const BY_DENSITY: &str = "van Breugel, Sun, Qian & van der Schaar (2023), AISTATS 2023";

const fn card(name: &'static str, question: &'static str, null: f64, citation: &'static str) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better: Better::Lower,
        unit: "",
        range: Range::UNIT,
        null: Null::Value(null),
        citation,
        kept: Kept::All,
    }
}

const CARDS: &[MeasureCard] = &[
    card(
        names::DISTANCE_AUC,
        "How often is an original record closer to the release than one the generator never saw?",
        0.5,
        BY_DISTANCE,
    ),
    card(
        names::DISTANCE_TPR,
        "Which share of original records is found by closeness to the release with 1 % false alarms?",
        FALSE_POSITIVES,
        BY_DISTANCE,
    ),
    card(
        names::DENSITY_AUC,
        "How often is the release denser around an original record than around one the generator never saw, given the population?",
        0.5,
        BY_DENSITY,
    ),
    card(
        names::DENSITY_TPR,
        "Which share of original records is found by the density of the release with 1 % false alarms?",
        FALSE_POSITIVES,
        BY_DENSITY,
    ),
];

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "membership",
    aspect: Aspect::Risk,
    honours: &[Setting::Seed],
    requires: None,
    usual_axis: None,
    identified_by: &[],
    measures: CARDS,
};

const FEW: &str = "it takes original and synthetic records, and two of a holdout";

impl Measure for Membership {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let whole: [&str; 0] = [];
        if comparison.holdout.is_none() {
            return Ok(vec![CARDS[1].undefined(&whole, NO_HOLDOUT)]);
        }
        let records = MixedRecords::new(comparison)?;
        let holdout = records.holdout.as_ref().filter(|holdout| holdout.records > 1);
        let (Some(holdout), true) = (holdout, records.original.records > 0 && records.synthetic.records > 0)
        else {
            return Ok(vec![CARDS[1].undefined(&whole, FEW)]);
        };
        let seed = settings.propensity.draws.seed;
        let in_reference = sampled(holdout.records, holdout.records / 2, seed, 20);
        let set: FxHashSet<u32> = in_reference.iter().copied().collect();
        let others: Vec<u32> = (0..holdout.records as u32).filter(|row| !set.contains(row)).collect();
        let reference = holdout.take(&in_reference);
        let outside = holdout.take(&others).sample(MOST, seed, 21);
        let inside = records.original.sample(MOST.min(outside.records), seed, 22);
        let variables = records.positions();
        let scale = variables.len() as f64;
        let scores = |file: &MixedFile| {
            let distances = |among: &MixedFile| -> Vec<f64> {
                let found = nearest(file, among, &variables, seed);
                found.iter().map(|nearest| f64::from(nearest.distance) / scale).collect()
            };
            let (release, population) = (distances(&records.synthetic), distances(&reference));
            let ratio = |(release, population): (&f64, &f64)| {
                (population + SMOOTHING).ln() - (release + SMOOTHING).ln()
            };
            let density: Vec<f64> = release.iter().zip(&population).map(ratio).collect();
            [release.iter().map(|distance| -distance).collect::<Vec<f64>>(), density]
        };
        let (inside, outside) = (scores(&inside), scores(&outside));
        let mut findings = Vec::new();
        for (attack, (inside, outside)) in inside.iter().zip(&outside).enumerate() {
            let curve = Curve::of(inside, outside);
            let sized =
                |finding: Finding| finding.with("inside", inside.len()).with("outside", outside.len());
            findings
                .push(sized(CARDS[2 * attack].finding(&whole, curve.area)).with("se", curve.area_error()));
            let rate = curve.true_positives(FALSE_POSITIVES);
            findings.push(
                sized(CARDS[2 * attack + 1].finding(&whole, rate))
                    .with("se", curve.rate_error(FALSE_POSITIVES)),
            );
        }
        Ok(findings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::invented::{people, table, with_copies};

    fn found(original: &[String], holdout: &[String], release: &[String]) -> Vec<(f64, f64, f64)> {
        let (original, holdout, synthetic) = (table(original), table(holdout), table(release));
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: Some(&holdout) };
        let findings = Membership.evaluate(&comparison, &Settings::default()).unwrap();
        let number = |finding: &Finding| {
            (finding.value.unwrap(), finding.null.unwrap(), finding.detail["se"].as_f64().unwrap())
        };
        findings.iter().map(number).collect()
    }

    /// Each of the four numbers is above 1.645 standard errors in 1 of 20 releases that know nothing of the records; five or more of 20 in one of 400 tests.
    #[test]
    fn a_release_that_does_not_depend_on_the_records_tells_nothing() {
        let mut above = [0; 4];
        for run in 0..20 {
            let [original, holdout, release] =
                [(500, 1), (800, 2), (500, 3)].map(|(records, seed)| people(records, 10 * run + seed));
            for (above, (value, null, error)) in above.iter_mut().zip(found(&original, &holdout, &release)) {
                *above += usize::from(value > null + 1.645 * error);
            }
        }
        assert!(above.iter().all(|runs| *runs < 5), "{above:?}");
    }

    /// A release of which one record in twenty is an original one.
    #[test]
    fn copies_are_found() {
        let original = people(1000, 1);
        let release = with_copies(&original, 50, &people(1000, 2));
        let found = found(&original, &people(2000, 3), &release);
        for (value, null, error) in [found[1], found[3]] {
            assert!(value > null + 4.0 * error, "{value} ± {error}");
        }
    }
}
