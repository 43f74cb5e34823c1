//! What is guaranteed, whatever an intruder knows or tries?

use privacy::{Guarantee, LedgerRecord};

use super::{Colour, Gauge, Light, Subject};
use crate::numbers::figure;

/// Up to here ε is strong, and usual: the tiers of Ponomareva et al. (2023), How to DP-fy ML, section 5.2.
const STRONG: f64 = 1.0;
const USUAL: f64 = 10.0;

const QUESTION: &str = "What is promised, whatever an intruder tries?";

impl Light {
    /// What a version will be guaranteed by when it is released; nothing was spent for good yet.
    pub(crate) fn planned(epsilon: Option<f64>) -> Self {
        let (colour, word, sentence) = match epsilon {
            None => (
                Colour::Unlit,
                "none",
                "None: it is not differentially private; what protects people is what was measured as risk."
                    .to_owned(),
            ),
            Some(epsilon) => {
                let (colour, word, strength) = strength(epsilon);
                let stated = format!("ε = {}", short(epsilon));
                (
                    colour,
                    word,
                    format!("When it is released: differential privacy with {stated}, which is {strength}."),
                )
            }
        };
        let gauge = epsilon.map(scale);
        Self { topic: "guarantee", question: QUESTION, colour, word, sentence, gauge, section: "ledger" }
    }
}

/// The colour, the state and the word for a budget.
fn strength(epsilon: f64) -> (Colour, &'static str, &'static str) {
    match epsilon {
        strong if strong <= STRONG => (Colour::Green, "strong", "strong"),
        usual if usual <= USUAL => (Colour::Green, "holds", "usual"),
        _ => (Colour::Amber, "weak", "weak"),
    }
}

/// A budget between what is strong and what is weak.
fn scale(epsilon: f64) -> Gauge {
    Gauge {
        name: "epsilon".into(),
        value: epsilon,
        written: format!("ε = {}", short(epsilon)),
        green: USUAL,
        amber: USUAL,
        marks: vec![(STRONG, "strong".to_owned()), (USUAL, "weak from here".to_owned())],
        is_log: true,
    }
}

pub(super) fn light(subject: &Subject<'_>) -> Light {
    let light = |colour, word, sentence: String, gauge| Light {
        topic: "guarantee",
        question: QUESTION,
        colour,
        word,
        sentence,
        gauge,
        section: if subject.ledger.is_some() { "ledger" } else { "asked" },
    };
    let Some(ledger) = subject.ledger else {
        let sentence = match subject.manifest {
            Some(_) => {
                "None: it is not differentially private; what protects people is what was measured as risk."
            }
            None => "Not known from the files alone.",
        };
        return light(Colour::Unlit, "none", sentence.to_owned(), None);
    };
    if let Some(warning) = &ledger.warning {
        return light(Colour::Red, "void", format!("{}.", warning.trim_end_matches('.')), None);
    }
    let epsilon = epsilon(ledger);
    let gauge = epsilon.map(|(epsilon, _)| scale(epsilon));
    let stated = match epsilon {
        Some((epsilon, None)) => format!("ε = {}", short(epsilon)),
        Some((epsilon, Some(delta))) => format!("ε = {} and δ = {delta:e}", short(epsilon)),
        None => ledger.asked.to_string(),
    };
    // Without a column that names the unit, what is protected is one record.
    let unit = if ledger.unit_id.is_some() { ledger.unit.as_str() } else { "record" };
    let covered = subject.manifest.is_some_and(|manifest| manifest.not_covered.is_some());
    if covered {
        let sentence = format!(
            "Differential privacy with {stated} for each {unit}, but the version was chosen or accepted by measuring against the original, which it does not cover."
        );
        return light(Colour::Amber, "in part", sentence, gauge);
    }
    let (colour, word, strength) = match epsilon {
        Some((epsilon, _)) => strength(epsilon),
        None => (Colour::Green, "holds", "stated in another notion"),
    };
    let several = match ledger.unit_id {
        None if ledger.unit != "record" => {
            format!("; a {} with several records is protected less", ledger.unit)
        }
        _ => String::new(),
    };
    let sentence =
        format!("Differential privacy with {stated} for each {unit}, which is {strength}{several}.");
    light(colour, word, sentence, gauge)
}

/// ε, with δ where it is not pure: what was asked for, which is what is guaranteed; of ρ the first ε at which it is stated.
fn epsilon(ledger: &LedgerRecord) -> Option<(f64, Option<f64>)> {
    match ledger.asked {
        Guarantee::Pure(epsilon) => Some((epsilon.value(), None)),
        Guarantee::Approximate(epsilon, delta) => Some((epsilon.value(), Some(delta.value()))),
        Guarantee::ZeroConcentrated(_) => {
            let stated = ledger.totals.approximate.first()?;
            Some((stated.epsilon.value, Some(stated.delta)))
        }
        Guarantee::NotPrivate => None,
    }
}

/// Costs are rounded up in the last of many digits.
fn short(epsilon: f64) -> String {
    let rounded = (epsilon * 1e6).round() / 1e6;
    if (rounded - epsilon).abs() < 1e-6 && rounded > 0.0 { rounded.to_string() } else { figure(epsilon) }
}
