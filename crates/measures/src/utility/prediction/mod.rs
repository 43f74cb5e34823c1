//! Train on synthetic, test on real: what models learn from the synthetic file is worth on original records.
//!
//! Each variable in turn is predicted from all others, by a random forest (Breiman 2001) and, for numbers and two classes, by linear or logistic
//! regression. A model is trained on synthetic records and another on as many original ones; both are tested on the same original records that neither
//! has seen: the holdout, or without one a half of the original that is kept from training. The score is the area under the curve for two classes,
//! the share of right answers for more, and R² for numbers. With score s of the model from synthetic records, r of that from original ones and g
//! of a guess (½, the share of the most frequent class, 0), `ratio` is (s − g)/(r − g), and 0 where that is negative.
//!
//! At most [`MOST_RECORDS`] records train and as many test, with forests of [`TREES`] trees; [`MOST_TARGETS`] variables, the first ones, are predicted
//! unless others are named. Records in which the variable is missing are left out, factors of more than [`MOST_LEVELS`] levels are not used in regressions.

mod task;

use rayon::prelude::*;
use task::{Score, Split};

use super::propensity::MOST_LEVELS;
use crate::mixed_records::{MixedRecords, sampled};
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings,
};

/// The most records that a model is trained on, and tested on.
pub const MOST_RECORDS: usize = 5_000;

/// The most variables that are predicted where none is named.
pub const MOST_TARGETS: usize = 12;

/// Trees of a forest.
pub const TREES: usize = 20;

/// A model that gains less than this over a guess predicts nothing.
const NOTHING: f64 = 0.02;

/// The family of predictions.
#[derive(Clone, Copy, Debug)]
pub struct Prediction;

/// Measures of this family that other crates refer to.
pub mod names {
    /// `prediction.mean_ratio`.
    pub const MEAN_RATIO: &str = "prediction.mean_ratio";
}

const ANY: Range = Range { from: f64::MIN, to: Some(1.0) };

const fn card(name: &'static str, question: &'static str, range: Range, null: Null) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better: Better::Higher,
        unit: "",
        range,
        null,
        citation: "Esteban, Hyland & Rätsch (2017), arXiv:1706.02633; Breiman (2001), Machine Learning 45",
        kept: Kept::All,
    }
}

const CARDS: &[MeasureCard] = &[
    card(
        "prediction.forest",
        "How well does a forest trained on synthetic records predict this variable of original ones?",
        ANY,
        Null::None,
    ),
    card(
        "prediction.forest_ratio",
        "Which share of what a forest gains over a guess is kept when it is trained on synthetic records?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
    ),
    card(
        "prediction.regression",
        "How well does a regression on synthetic records predict this variable of original ones?",
        ANY,
        Null::None,
    ),
    card(
        "prediction.regression_ratio",
        "Which share of what a regression gains over a guess is kept when it is fitted to synthetic records?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
    ),
    card(
        names::MEAN_RATIO,
        "Which share of what models gain over a guess is kept on average?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
    ),
];

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "prediction",
    aspect: Aspect::Utility,
    honours: &[Setting::Predicted, Setting::Seed],
    requires: None,
    usual_axis: None,
    identified_by: &[],
    measures: CARDS,
};

const NOT_ASKED: &str = "there is no holdout to test on; name one (--holdout), or the variables to predict (--predict), which are then tested on a \
                         half of the original";
const FEW: &str = "it takes two variables, and ten records of each kind to train and to test on";

impl Measure for Prediction {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let whole: [&str; 0] = [];
        if comparison.holdout.is_none() && settings.predicted.is_empty() {
            return Ok(vec![CARDS[4].undefined(&whole, NOT_ASKED)]);
        }
        let records = MixedRecords::new(comparison)?;
        let seed = settings.propensity.draws.seed;
        let (real, test, tested_on) = match &records.holdout {
            Some(holdout) => (records.original.clone(), holdout.clone(), "holdout"),
            None => {
                let all = records.original.records;
                let half = sampled(all, all / 2, seed, 40);
                let others = (0..all as u32).filter(|row| half.binary_search(row).is_err());
                let others: Vec<u32> = others.collect();
                (records.original.take(&half), records.original.take(&others), "half of the original")
            }
        };
        let size = real.records.min(records.synthetic.records).min(MOST_RECORDS);
        let test = test.sample(MOST_RECORDS, seed, 43);
        if size < 10 || test.records < 10 || records.variables.len() < 2 {
            return Ok(vec![CARDS[4].undefined(&whole, FEW)]);
        }
        let (real, synthetic) = (real.sample(size, seed, 41), records.synthetic.sample(size, seed, 42));
        let split = Split::new(&records.variables, [&real, &synthetic, &test])?;
        let mut targets = records.positions_of(&settings.predicted);
        if settings.predicted.is_empty() {
            targets = records.positions().into_iter().take(MOST_TARGETS).collect();
        }
        let scores = targets.par_iter().map(|target| split.scores(*target, seed)).collect::<Vec<_>>();
        let mut findings = Vec::new();
        let mut ratios: Vec<(f64, &str)> = Vec::new();
        for (target, scores) in targets.iter().zip(scores) {
            let name = records.variables[*target].name.as_str();
            for (model, score) in scores?.into_iter().enumerate() {
                let (own, ratio) = (&CARDS[2 * model], &CARDS[2 * model + 1]);
                let score = match score {
                    Ok(score) => score,
                    Err(because) => {
                        findings.extend([own, ratio].map(|card| card.undefined(&[name], because)));
                        continue;
                    }
                };
                let kept = score.kept();
                if let Some(kept) = kept {
                    ratios.push((kept, name));
                }
                findings.push(
                    own.finding(&[name], score.synthetic)
                        .with("real", score.real)
                        .with("guess", score.guess)
                        .with("score", score.kind)
                        .with("tested_on", tested_on)
                        .with("records", size),
                );
                findings.push(match kept {
                    Some(kept) => ratio.finding(&[name], kept),
                    None => ratio
                        .undefined(&[name], "a model of original records does hardly better than a guess"),
                });
            }
        }
        let values: Vec<f64> = ratios.iter().map(|(ratio, _)| *ratio).collect();
        let mut mean = CARDS[4].mean_finding(&whole, &values).with("tested_on", tested_on);
        if let Some((least, name)) = ratios.iter().min_by(|one, other| one.0.total_cmp(&other.0)) {
            mean = mean.with("least", *least).with("variable", *name);
        }
        findings.push(mean);
        Ok(findings)
    }
}

impl Score {
    /// The share of the gain over a guess that is kept; `None` where there is no gain.
    fn kept(&self) -> Option<f64> {
        let gain = self.real - self.guess;
        (gain >= NOTHING).then(|| ((self.synthetic - self.guess) / gain).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use table::Table;
    use table::read::{ReadOptions, read_csv_text};

    use super::*;
    use crate::mixed_records::random;

    /// y follows x, c is whether x is large and k which third it is in; with `broken` they have nothing to do with it.
    fn people(records: usize, seed: u64, broken: bool) -> Table {
        let mut rng = random(seed, 1);
        let mut text = String::from("x,y,c,k\n");
        for _ in 0..records {
            let x: f64 = rng.random();
            let of = if broken { rng.random() } else { x };
            let y = 3.0 * of + 0.3 * rng.random::<f64>();
            let c = if of + 0.2 * rng.random::<f64>() > 0.6 { "yes" } else { "no" };
            let third = (3.0 * of) as u8;
            text.push_str(&format!("{x:.4},{y:.4},{c},k{third}\n"));
        }
        read_csv_text(&text, &ReadOptions::default()).unwrap()
    }

    fn found(synthetic: &Table, holdout: Option<&Table>, predicted: &[&str]) -> Vec<Finding> {
        let original = people(1200, 1, false);
        let comparison = Comparison { original: &original, synthetic, holdout };
        let predicted = predicted.iter().map(|name| (*name).to_owned()).collect();
        let settings = Settings { predicted, ..Settings::default() };
        Prediction.evaluate(&comparison, &settings).unwrap()
    }

    #[test]
    fn a_right_release_keeps_what_can_be_predicted_and_a_broken_one_does_not() {
        let holdout = people(1000, 2, false);
        let right = found(&people(1200, 3, false), Some(&holdout), &[]);
        let of = |findings: &[Finding], name: &str, on: &[&str]| {
            let found = findings.iter().find(|finding| finding.measure == name && finding.on == on);
            found.and_then(|finding| finding.value)
        };
        for (name, on, at_least) in [
            ("prediction.forest", "c", 0.97),
            ("prediction.regression", "c", 0.97),
            ("prediction.forest", "k", 0.8),
            ("prediction.forest", "y", 0.95),
            ("prediction.regression", "y", 0.95),
            ("prediction.regression_ratio", "y", 0.99),
        ] {
            let value = of(&right, name, &[on]).unwrap();
            assert!(value > at_least, "{name} {on}: {value}");
        }
        assert!((of(&right, names::MEAN_RATIO, &[]).unwrap() - 1.0).abs() < 0.05);
        // Three classes are left to the forest.
        assert_eq!(of(&right, "prediction.regression", &["k"]), None);
        // Without the others, which follow each other, x says nothing in the broken release.
        let broken = found(&people(1200, 3, true), Some(&holdout), &["x"]);
        assert!(of(&broken, "prediction.regression_ratio", &["x"]).unwrap() < 0.3);
        assert!(of(&broken, names::MEAN_RATIO, &[]).unwrap() < 0.3);
    }

    #[test]
    fn without_a_holdout_half_of_the_original_is_tested() {
        let synthetic = people(1200, 3, false);
        let nothing = found(&synthetic, None, &[]);
        assert!(nothing.len() == 1 && nothing[0].because.as_ref().unwrap().contains("--predict"));
        let found = found(&synthetic, None, &["y"]);
        assert_eq!(found[0].on, ["y"]);
        assert_eq!(found[0].detail["tested_on"], "half of the original");
        assert_eq!(found[0].detail["records"], 600);
    }
}
