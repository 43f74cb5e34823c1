//! The verdict on a release as four lights: is it true, is it risky, what is guaranteed, are the rules kept?
//!
//! Each light is the colour of the worst that was measured on its side, one sentence that says what that is, and that number on a scale with its
//! thresholds. The terminal, the report and its first screen show the same lights, so that none can contradict another.

mod guarantee;
mod risk;
mod rules;
pub(crate) mod truth;

use ::release::Manifest;
use ::release::decision::Decision;
use frontier::LimitCheck;
use measures::{Aspect, Finding};
use privacy::LedgerRecord;

pub(crate) use risk::{Attack, COPIED, attribute_attacks};
pub(crate) use truth::{Side, TOO_CLOSE};

/// How a light burns; the better comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Colour {
    /// Nothing was measured, or nothing is promised.
    Unlit,
    /// Good.
    Green,
    /// Look before use.
    Amber,
    /// Not like this.
    Red,
}

impl Colour {
    /// A sign that is told apart without colour.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Unlit => "○",
            Self::Green => "●",
            Self::Amber => "▲",
            Self::Red => "■",
        }
    }

    /// The class of its style.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Unlit => "unlit",
            Self::Green => "green",
            Self::Amber => "amber",
            Self::Red => "red",
        }
    }
}

/// One side of the verdict.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Light {
    /// What it is about, in one word.
    pub(crate) topic: &'static str,
    /// The question that it answers.
    pub(crate) question: &'static str,
    /// How it burns.
    pub(crate) colour: Colour,
    /// The state in one or two words.
    pub(crate) word: &'static str,
    /// One sentence.
    pub(crate) sentence: String,
    /// The worst number with its thresholds.
    pub(crate) gauge: Option<Gauge>,
    /// The section that shows it.
    pub(crate) section: &'static str,
}

/// A number on a scale where more is worse.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gauge {
    /// What is counted.
    pub(crate) name: String,
    /// The number.
    pub(crate) value: f64,
    /// The number as text.
    pub(crate) written: String,
    /// Up to here it is green.
    pub(crate) green: f64,
    /// Up to here it is amber.
    pub(crate) amber: f64,
    /// Numbers to compare with, each with a word.
    pub(crate) marks: Vec<(f64, String)>,
    /// Whether the scale is logarithmic.
    pub(crate) is_log: bool,
}

/// What is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// What was measured and may be shown.
    pub(crate) findings: &'a [&'a Finding],
    /// Whether findings exist that may not be shown.
    pub(crate) withheld: bool,
    /// What the release is; none of files that somebody measures.
    pub(crate) manifest: Option<&'a Manifest>,
    /// The ledger of a private release.
    pub(crate) ledger: Option<&'a LedgerRecord>,
    /// The decision.
    pub(crate) decision: Option<&'a Decision>,
}

impl<'a> Subject<'a> {
    /// Findings that were measured outside a release.
    pub(crate) fn of_findings(findings: &'a [&'a Finding]) -> Self {
        Self { findings, withheld: false, manifest: None, ledger: None, decision: None }
    }

    fn all(&self, measure: &str) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().copied().filter(move |finding| finding.measure == measure)
    }

    fn first(&self, measure: &str) -> Option<&'a Finding> {
        self.all(measure).next()
    }

    fn value(&self, measure: &str) -> Option<f64> {
        self.first(measure)?.value
    }

    /// The limits on one aspect that are not kept.
    fn broken(&self, aspect: Aspect) -> Vec<&'a LimitCheck> {
        let checks = self.decision.map_or(&[][..], |decision| &decision.limits);
        let family = |check: &LimitCheck| check.measure.split('.').next().unwrap_or_default().to_owned();
        let is_of = |check: &&LimitCheck| {
            let family = family(check);
            measures::MEASURES.iter().any(|known| known.name() == family && known.card().aspect == aspect)
        };
        checks.iter().filter(|check| !check.kept).filter(is_of).collect()
    }
}

/// The four lights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lights {
    /// Is it like the original?
    pub(crate) truth: Light,
    /// What does it give away?
    pub(crate) risk: Light,
    /// What is guaranteed?
    pub(crate) guarantee: Light,
    /// Are the rules of the schema kept?
    pub(crate) rules: Light,
    /// Everything that truth was judged by, the worst first.
    pub(crate) sides: Vec<Side>,
}

impl Lights {
    /// What is found of a subject.
    pub(crate) fn of(subject: &Subject<'_>) -> Self {
        let (truth, sides) = truth::light(subject);
        Self {
            truth,
            sides,
            risk: risk::light(subject),
            guarantee: guarantee::light(subject),
            rules: rules::light(subject),
        }
    }

    /// In the order in which they are shown.
    pub(crate) fn all(&self) -> [&Light; 4] {
        [&self.truth, &self.risk, &self.guarantee, &self.rules]
    }

    /// Whether by these lights anything speaks against a release, in a sentence.
    pub(crate) fn safe_to_release(&self) -> String {
        match (self.risk.colour, self.guarantee.colour) {
            (_, Colour::Red) => format!("No: {}", lower_first(&self.guarantee.sentence)),
            (Colour::Red, _) => format!("Not like this: {}", lower_first(&self.risk.sentence)),
            (Colour::Unlit, Colour::Unlit) => {
                "Nobody knows: no risk was measured, and nothing is guaranteed.".to_owned()
            }
            (Colour::Unlit, _) => format!(
                "That rests on the guarantee alone, because no risk is shown: {}",
                lower_first(&self.guarantee.sentence)
            ),
            (Colour::Amber, _) => format!("Only after a look at the risk: {}", lower_first(&self.risk.sentence)),
            (Colour::Green, Colour::Amber) => format!(
                "Nothing that was measured speaks against it; but {}",
                lower_first(&self.guarantee.sentence)
            ),
            (Colour::Green, Colour::Green) => {
                "Nothing that was measured speaks against it, and a guarantee holds beyond what was measured.".to_owned()
            }
            (Colour::Green, Colour::Unlit) => {
                "Nothing that was measured speaks against it. No formal guarantee covers attacks that were not tried.".to_owned()
            }
        }
    }

    /// What the release should not be used for: what is poor, and then what needs care.
    pub(crate) fn not_for(&self) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        for side in self.sides.iter().filter(|side| side.colour() >= Colour::Amber) {
            let word = if side.colour() == Colour::Red { "Not for" } else { "With care" };
            let text = format!("{word}: {}", side.words);
            // The same table in two resolutions is told once, by its worse number.
            let subject = side.words.split(", S_pMSE").next().unwrap_or_default();
            if !told.iter().any(|known| known.contains(subject)) {
                told.push(text);
            }
        }
        told
    }
}

/// The lights on a terminal: a sign, the topic, the state, and the sentence below where it is long.
pub(crate) fn lights_text(lights: &Lights) -> String {
    lights
        .all()
        .map(|light| {
            format!("  {} {:<10} {:<12} {}\n", light.colour.sign(), light.topic, light.word, light.sentence)
        })
        .concat()
}

/// A sentence that goes on in another one. Names and numbers keep their first letter.
fn lower_first(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && (second.is_lowercase() || second == ' ') => {
            first.to_lowercase().chain(sentence.chars().skip(1)).collect()
        }
        _ => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests;
