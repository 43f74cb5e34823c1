//! Three attacks on a release: singling out, linking, and inferring an attribute (Giomi, Boenisch, Wehmeyer & Tasnádi 2023).
//!
//! Each attack uses the synthetic file alone and is tried on original records (rate a) and, as a control, on as many holdout records (rate c). What
//! succeeds as often on records that the generator never saw is knowledge of the population, not of these records: the risk is the excess
//! (a − c)/(1 − c), with a 95 % interval. Beside it stands the excess over a random guess, which uses the synthetic file only: a guess that is drawn from
//! the attacked records, as in the published package, knows their distribution and hides what the release discloses.
//!
//! - **Singling out**: see `singling_out`.
//! - **Linkability**: the intruder has two sets of variables from two sources and asks which records belong together. For each set the closest
//!   synthetic record is found; the attack succeeds if it is the same record. The guess: two synthetic records at random.
//! - **Inference**: the intruder knows some variables (`keys`, or all others) and takes the target from the closest synthetic record. It succeeds
//!   with the right level, or a number within 5 % of all ranks. The guess: the target of a synthetic record at random.
//!
//! Closest is by Gower's distance, one at random where several are as close. Without a holdout there is nothing to compare with, and nothing is computed
//! unless the number of attacks is named; then the excess over a guess is shown.

mod excess;
mod singling_out;

use excess::{Excess, Rate};

use crate::mixed_records::{MixedFile, MixedRecords, NO_HOLDOUT};
use crate::nearest::{Nearest, nearest, nearest_without_each};
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings,
};

/// How often each attack is tried where nobody says.
pub const USUAL_ATTACKS: usize = 1_000;

/// A number is inferred if it is this close, as a share of all ranks.
const CLOSE: f32 = 0.05;

/// The family of attacks.
#[derive(Clone, Copy, Debug)]
pub struct Attacks;

/// Measures of this family that other crates refer to.
pub mod names {
    /// `attacks.univariate`.
    pub const UNIVARIATE: &str = "attacks.univariate";
    /// `attacks.multivariate`.
    pub const MULTIVARIATE: &str = "attacks.multivariate";
    /// `attacks.linkability`.
    pub const LINKABILITY: &str = "attacks.linkability";
    /// `attacks.inference`.
    pub const INFERENCE: &str = "attacks.inference";
    /// The four of them.
    pub const EXCESS: [&str; 4] = [UNIVARIATE, MULTIVARIATE, LINKABILITY, INFERENCE];
}

const fn card(name: &'static str, question: &'static str) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better: Better::Lower,
        unit: "",
        range: Range { from: f64::MIN, to: Some(1.0) },
        null: Null::Value(0.0),
        citation: "Giomi, Boenisch, Wehmeyer & Tasnádi (2023), Proceedings on Privacy Enhancing Technologies 2023(2)",
        kept: Kept::All,
    }
}

/// The excess of each attack over its control; from here on over a random guess.
const OVER_GUESS: usize = 4;

const CARDS: &[MeasureCard] = &[
    card(
        names::UNIVARIATE,
        "How much more often does a statement on one variable single out an original record than one the generator never saw?",
    ),
    card(
        names::MULTIVARIATE,
        "How much more often does a statement on three variables single out an original record than one the generator never saw?",
    ),
    card(
        names::LINKABILITY,
        "How much more often are two parts of an original record linked than of one the generator never saw?",
    ),
    card(
        names::INFERENCE,
        "How much more often is this variable inferred of an original record than of one the generator never saw?",
    ),
    card(
        "attacks.univariate_over_guess",
        "How much more often than a random guess does such a statement succeed?",
    ),
    card(
        "attacks.multivariate_over_guess",
        "How much more often than a random guess does such a statement succeed?",
    ),
    card(
        "attacks.linkability_over_guess",
        "How much more often than by a random guess are two parts of a record linked?",
    ),
    card(
        "attacks.inference_over_guess",
        "How much more often than by a random guess is this variable inferred?",
    ),
];

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "attacks",
    aspect: Aspect::Risk,
    honours: &[Setting::Attacks, Setting::Keys, Setting::Targets, Setting::Seed],
    requires: None,
    usual_axis: None,
    identified_by: &["keys"],
    measures: CARDS,
};

const NOT_ASKED: &str = "there is no holdout to compare with; name one (--holdout), or a number of attacks (--attacks) to see what they \
                         reach over a random guess";
const EMPTY: &str = "one of the files has no records";

impl Measure for Attacks {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let whole: [&str; 0] = [];
        if comparison.holdout.is_none() && settings.attacks.is_none() {
            return Ok(vec![CARDS[2].undefined(&whole, NOT_ASKED)]);
        }
        let records = MixedRecords::new(comparison)?;
        let empty = |file: &MixedFile| file.records == 0;
        if empty(&records.original)
            || empty(&records.synthetic)
            || records.holdout.as_ref().is_some_and(empty)
        {
            return Ok(vec![CARDS[2].undefined(&whole, EMPTY)]);
        }
        let attack = Attack::new(records, settings);
        let mut findings = attack.singling_out();
        findings.extend(attack.linkability(&settings.keys));
        findings.extend(attack.inference(&settings.keys, &settings.targets));
        Ok(findings)
    }
}

/// The records that are attacked.
struct Attack {
    records: MixedRecords,
    /// How often each attack is tried.
    attacks: usize,
    seed: u64,
    attacked: MixedFile,
    control: Option<MixedFile>,
}

/// What an attack, its control and a random guess reach.
struct Rates {
    attack: Option<Rate>,
    control: Option<Rate>,
    guess: Option<Rate>,
}

impl Attack {
    fn new(records: MixedRecords, settings: &Settings) -> Self {
        let seed = settings.propensity.draws.seed;
        let attacks = settings.attacks.unwrap_or(USUAL_ATTACKS).max(1);
        let attacked = records.original.sample(attacks, seed, 3);
        let control = records.holdout.as_ref().map(|holdout| holdout.sample(attacks, seed, 4));
        Self { records, attacks, seed, attacked, control }
    }

    /// Both excesses of the attack at this position of the cards.
    fn findings(&self, card: usize, on: &[&str], rates: &Rates) -> [Finding; 2] {
        let excess = |card: &MeasureCard, over: Option<Rate>, without: &str| {
            let finding = match (rates.attack, over) {
                (None, _) => card.undefined(on, "the synthetic file gives no such statement"),
                (_, None) => card.undefined(on, without),
                (Some(attack), Some(over)) => match Excess::over(attack, over) {
                    None => card.undefined(on, "the control never fails"),
                    Some(excess) => card
                        .finding(on, excess.value)
                        .with("low", excess.low)
                        .with("high", excess.high)
                        .with("se", excess.error),
                },
            };
            let value = |rate: Option<Rate>| rate.map(|rate| rate.value);
            finding
                .with("rate", value(rates.attack))
                .with("control", value(rates.control))
                .with("guess", value(rates.guess))
                .with("attacks", self.attacks)
        };
        [
            excess(&CARDS[card], rates.control, NO_HOLDOUT),
            excess(&CARDS[card + OVER_GUESS], rates.guess, "there is nothing to guess"),
        ]
    }

    fn singling_out(&self) -> Vec<Finding> {
        let (records, seed) = (&self.records, self.seed);
        let sizes = records.holdout.iter().map(|holdout| holdout.records);
        let size = sizes.fold(records.original.records, usize::min);
        let original = records.original.sample(size, seed, 5);
        let holdout = records.holdout.as_ref().map(|holdout| holdout.sample(size, seed, 6));
        let univariate = singling_out::univariate(records, self.attacks, seed);
        let multivariate = singling_out::multivariate(records, self.attacks, seed);
        let mut findings = Vec::new();
        for (card, statements, conditions) in
            [(0, univariate, 1), (1, multivariate, singling_out::CONDITIONS)]
        {
            let guesses = singling_out::guesses(records, statements.len(), conditions, seed);
            let rate = |statements: &[singling_out::Statement], file: &MixedFile| {
                Rate::of(singling_out::successes(statements, file), statements.len())
            };
            let rates = Rates {
                attack: rate(&statements, &original),
                control: holdout.as_ref().and_then(|holdout| rate(&statements, holdout)),
                guess: rate(&guesses, &original),
            };
            let both = self.findings(card, &[], &rates);
            findings.extend(both.map(|finding| finding.with("attacks", statements.len()).with("size", size)));
        }
        findings
    }

    fn linkability(&self, keys: &[Vec<String>]) -> Vec<Finding> {
        let (one, other) = self.two_parts(keys);
        if one.is_empty() || other.is_empty() {
            let because = "it takes two variables";
            return vec![
                CARDS[2].undefined(&[""; 0], because),
                CARDS[2 + OVER_GUESS].undefined(&[""; 0], because),
            ];
        }
        let synthetic = &self.records.synthetic;
        let rate = |file: &MixedFile| {
            let by_one = nearest(file, synthetic, &one, self.seed);
            let by_other = nearest(file, synthetic, &other, self.seed.wrapping_add(1));
            let same = by_one.iter().zip(&by_other).filter(|(one, other)| one.record == other.record);
            Rate::of(same.count(), file.records)
        };
        let rates = Rates {
            attack: rate(&self.attacked),
            control: self.control.as_ref().and_then(rate),
            guess: Some(Rate::exact(1.0 / synthetic.records as f64)),
        };
        let names = |part: &[usize]| self.records.names_of(part);
        let parts = serde_json::json!([names(&one), names(&other)]);
        self.findings(2, &[], &rates).map(|finding| finding.with("parts", parts.clone())).into()
    }

    /// The first two sets of keys without a variable in common, or all variables dealt alternately by their number of values.
    fn two_parts(&self, keys: &[Vec<String>]) -> (Vec<usize>, Vec<usize>) {
        if let [one, other, ..] = keys {
            let (one, other) = (self.records.positions_of(one), self.records.positions_of(other));
            if !one.is_empty() && !other.is_empty() && one.iter().all(|variable| !other.contains(variable)) {
                return (one, other);
            }
        }
        let values = |variable: &usize| {
            let mut places = self.records.synthetic.places[*variable].clone();
            places.sort_unstable_by(f32::total_cmp);
            places.dedup();
            places.len()
        };
        let mut variables = self.records.positions();
        variables.sort_by_cached_key(|variable| std::cmp::Reverse(values(variable)));
        let (mut one, mut other) = (Vec::new(), Vec::new());
        // 1 2 2 1 1 2 2 1 …
        for (place, variable) in variables.into_iter().enumerate() {
            if matches!(place % 4, 0 | 3) { one.push(variable) } else { other.push(variable) }
        }
        (one, other)
    }

    fn inference(&self, keys: &[Vec<String>], targets: &[String]) -> Vec<Finding> {
        let wanted = |position: &usize| {
            targets.is_empty() || targets.contains(&self.records.variables[*position].name)
        };
        let targets: Vec<usize> = self.records.positions().into_iter().filter(wanted).collect();
        let mut findings = Vec::new();
        if keys.is_empty() {
            if self.records.variables.len() > 1 {
                let nearest =
                    |file: &MixedFile| nearest_without_each(file, &self.records.synthetic, self.seed);
                let (attacked, control) = (nearest(&self.attacked), self.control.as_ref().map(nearest));
                for target in targets {
                    let control = control.as_ref().map(|control| control[target].as_slice());
                    findings.extend(self.inferred(target, &attacked[target], control));
                }
            }
            return findings;
        }
        for set in keys {
            let known = self.records.positions_of(set);
            let nearest = |file: &MixedFile| nearest(file, &self.records.synthetic, &known, self.seed);
            let (attacked, control) = (nearest(&self.attacked), self.control.as_ref().map(nearest));
            for target in targets.iter().filter(|target| !known.contains(target)) {
                let found = self.inferred(*target, &attacked, control.as_deref());
                findings.extend(found.map(|finding| finding.with("keys", set.as_slice())));
            }
        }
        findings
    }

    fn inferred(&self, target: usize, attacked: &[Nearest], control: Option<&[Nearest]>) -> [Finding; 2] {
        let synthetic = &self.records.synthetic.places[target];
        let right = |file: &MixedFile, nearest: &[Nearest]| {
            let pairs = file.places[target].iter().zip(nearest);
            let right =
                pairs.filter(|(own, nearest)| (**own - synthetic[nearest.record as usize]).abs() <= CLOSE);
            Rate::of(right.count(), file.records)
        };
        let mut sorted = synthetic.clone();
        sorted.sort_unstable_by(f32::total_cmp);
        let guessed = self.attacked.places[target].iter().map(|own| {
            let below = sorted.partition_point(|place| own - place > CLOSE);
            let up_to = sorted.partition_point(|place| place - own <= CLOSE);
            (up_to - below) as f64 / sorted.len() as f64
        });
        let rates = Rates {
            attack: right(&self.attacked, attacked),
            control: self.control.as_ref().zip(control).and_then(|(file, nearest)| right(file, nearest)),
            guess: Some(Rate::exact(guessed.sum::<f64>() / self.attacked.records as f64)),
        };
        self.findings(3, &[&self.records.variables[target].name], &rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::invented::{people, table, with_copies};

    fn found(
        original: &[String],
        holdout: Option<&[String]>,
        release: &[String],
        attacks: usize,
    ) -> Vec<Finding> {
        let (original, synthetic) = (table(original), table(release));
        let holdout = holdout.map(table);
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: holdout.as_ref() };
        let settings = Settings { attacks: Some(attacks), ..Settings::default() };
        Attacks.evaluate(&comparison, &settings).unwrap()
    }

    fn number(finding: &Finding, detail: &str) -> f64 {
        finding.detail[detail].as_f64().unwrap()
    }

    /// 20 releases that know nothing of the records: a 95 % interval lies above 0 in 1 of 40 on average, for each of the attacks; five or more of 20
    /// in one of 5,000 such tests.
    #[test]
    fn a_release_that_does_not_depend_on_the_records_gives_no_excess() {
        let mut above: std::collections::BTreeMap<String, usize> = Default::default();
        for run in 0..20 {
            let [original, holdout, release] =
                [(700, 1), (500, 2), (600, 3)].map(|(records, seed)| people(records, 10 * run + seed));
            for finding in found(&original, Some(&holdout), &release, 300) {
                if names::EXCESS.contains(&finding.measure.as_str()) {
                    let name = format!("{} {}", finding.measure, finding.on.join(""));
                    *above.entry(name).or_default() += usize::from(number(&finding, "low") > 0.0);
                }
            }
        }
        assert_eq!(above.len(), 3 + 6);
        assert!(above.values().all(|runs| *runs < 5), "{above:?}");
    }

    /// A release of which one record in twenty is an original one.
    #[test]
    fn copies_are_linked() {
        let (original, holdout) = (people(1000, 1), people(1000, 2));
        let release = with_copies(&original, 50, &people(1000, 3));
        let findings = found(&original, Some(&holdout), &release, 1000);
        let linked = findings.iter().find(|finding| finding.measure == names::LINKABILITY).unwrap();
        let (excess, error) = (linked.value.unwrap(), number(linked, "se"));
        assert!(excess > 4.0 * error, "{excess} ± {error}");
        assert!((number(linked, "guess") - 0.001).abs() < 1e-12);
    }

    /// The published package draws guesses from the attacked records. Of a target that is one level in the original and another in the release, the
    /// right guess rate is 0.
    #[test]
    fn the_guess_does_not_know_the_attacked_records() {
        let original: Vec<String> = people(200, 1).iter().map(|line| line.replace("trade", "t")).collect();
        let findings = found(&original, None, &people(200, 2), 100);
        let guess =
            |finding: &&Finding| finding.measure == "attacks.inference_over_guess" && finding.on == ["trade"];
        let trade = findings.iter().find(guess).unwrap();
        assert_eq!((number(trade, "guess"), number(trade, "rate")), (0.0, 0.0));
        let linked = findings.iter().find(|finding| finding.measure == names::LINKABILITY).unwrap();
        assert!(
            linked.value.is_none() && linked.because.as_ref().is_some_and(|text| text.contains("--holdout"))
        );
    }
}
