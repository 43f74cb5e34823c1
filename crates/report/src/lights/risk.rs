//! What does the release give away? The worst of copies, attributes, attacks and broken limits.

use measures::risk::{attacks, attribute, closest, few_keys, intruder, membership, uniques};
use measures::{Aspect, Finding};

use super::{Colour, Gauge, Light, Subject};
use crate::judgement::{detail, few, names};
use crate::numbers::figure;

const QUESTION: &str = "What does it give away?";

/// Points beyond what everybody could know, up to which a light is green and amber. With a holdout that is known, without one it is guessed at.
const EXCESS: (f64, f64) = (5.0, 20.0);
const EXCESS_OVER_HOLDOUT: (f64, f64) = (3.0, 10.0);
/// Points by which a person's own record helps to guess, up to which a light is green and amber.
const GAIN: (f64, f64) = (3.0, 10.0);
/// More keys than anybody knows of a person.
const MANY_KEYS: usize = 8;
/// Per cent of copies beyond chance, up to which the light is amber.
const COPIES: f64 = 1.0;
/// Standard deviations of what chance makes.
const CHANCE: f64 = 3.0;
/// Of synthetic records, the share that is closer to an original than to a holdout record: from here on the light is red.
const CLOSER: f64 = 0.6;
/// Attacks that succeed more often on original records than on others: up to here green, and amber.
const ATTACK: (f64, f64) = (0.02, 0.1);
/// Members found at 1 % of false alarms: up to here green, and amber.
const MEMBERS: (f64, f64) = (0.03, 0.1);

/// One thing by which risk is judged.
struct Side {
    colour: Colour,
    sentence: String,
    gauge: Option<Gauge>,
    section: &'static str,
}

pub(super) fn light(subject: &Subject<'_>) -> Light {
    let (attribute, guesses) = (attribute(subject), guesses(subject));
    // With all other variables as keys hardly two records agree, and an attack that cannot match says nothing.
    let [first, second] = match knows_much(subject) {
        true => [guesses, attribute],
        false => [attribute, guesses],
    };
    let sides = [
        broken_limit(subject),
        copies(subject),
        first,
        second,
        attacks(subject),
        closer(subject),
        members(subject),
        outside(subject),
        uniques(subject),
    ];
    let sides: Vec<Side> = sides.into_iter().flatten().collect();
    // The first of the worst: they stand in the order of what matters most to the person.
    let worst = sides.iter().map(|side| side.colour).max();
    let side = sides.into_iter().find(|side| Some(side.colour) == worst);
    let light = |colour, word, sentence, gauge, section| Light {
        topic: "risk",
        question: QUESTION,
        colour,
        word,
        sentence,
        gauge,
        section,
    };
    match side {
        Some(side) => {
            let word = match side.colour {
                Colour::Green | Colour::Unlit => "low",
                Colour::Amber => "look",
                Colour::Red => "high",
            };
            light(side.colour, word, side.sentence, side.gauge, side.section)
        }
        None => {
            let sentence = match subject.withheld {
                true => "What was measured against the original is not published.",
                false => "No risk was measured; name what a neighbour knows with the option keys.",
            };
            light(Colour::Unlit, "not shown", sentence.to_owned(), None, "verdict")
        }
    }
}

fn broken_limit(subject: &Subject<'_>) -> Option<Side> {
    let broken = subject.broken(Aspect::Risk);
    let check = broken.first()?;
    let value = check.value.map_or_else(String::new, |value| format!(": it is {}", figure(value)));
    let exception = subject.decision.and_then(|decision| decision.exception.as_ref());
    let exception = exception.map_or("", |_| "; it was released by an exception");
    let bound = bound_of(&check.limit);
    let gauge = check.value.zip(bound).map(|(value, bound)| Gauge {
        name: check.measure.clone(),
        value,
        written: figure(value),
        green: bound,
        amber: bound,
        marks: vec![(bound, "limit".to_owned())],
        is_log: false,
    });
    Some(Side {
        colour: Colour::Red,
        sentence: format!("It breaks the limit {}{value}{exception}.", check.limit),
        gauge,
        section: "decision",
    })
}

/// The number that a limit such as "attribute.disco <= 5" names.
fn bound_of(limit: &str) -> Option<f64> {
    frontier::limits::parse(limit).ok()?.bound
}

/// What the scale of copies is called.
pub(crate) const COPIED: &str = "copies of unique records, per cent";

/// Copies of unique records, beyond what chance makes.
fn copies(subject: &Subject<'_>) -> Option<Side> {
    let found = subject.first(uniques::names::COPIES)?;
    let share = found.value?;
    let records = subject.value(measures::files::names::RECORDS).unwrap_or(1_000.0).max(1.0);
    let expected = found.null.unwrap_or(0.0).max(holdout(found).unwrap_or(0.0));
    let chance = 100.0 * ((expected / 100.0 * records).sqrt() + 1.0) / records;
    let excess = share - expected;
    let is_chance = excess <= CHANCE * chance;
    if share == 0.0 || is_chance {
        return None;
    }
    let colour = if excess <= COPIES { Colour::Amber } else { Colour::Red };
    let by_chance = match expected {
        0.0 => "chance makes none".to_owned(),
        expected => format!("chance makes {} %", figure(expected)),
    };
    Some(Side {
        colour,
        sentence: format!(
            "{} % of its records are copies of original records that are unique; {by_chance}.",
            figure(share)
        ),
        gauge: Some(Gauge {
            name: COPIED.into(),
            value: share,
            written: format!("{} %", figure(share)),
            green: expected + CHANCE * chance,
            amber: (expected + COPIES).max(expected + CHANCE * chance),
            marks: vec![(expected, "chance".to_owned())],
            is_log: false,
        }),
        section: "risk",
    })
}

/// What a finding is of records that the generator never saw.
fn holdout(finding: &Finding) -> Option<f64> {
    finding.detail.get("holdout").and_then(serde_json::Value::as_f64)
}

/// An attack on an attribute: what it finds, and what everybody could know.
pub(crate) struct Attack {
    /// What the intruder knows.
    pub(crate) keys: Vec<String>,
    /// What the intruder wants to know.
    pub(crate) target: String,
    /// For how many of 100 original records it is learned.
    pub(crate) disclosed: f64,
    /// For how many it would be learned without the person's record: from margins, from the others of its group, from a holdout.
    pub(crate) base: f64,
    /// The same from a holdout, where there is one.
    pub(crate) holdout: Option<f64>,
}

impl Attack {
    /// Points beyond the base.
    pub(crate) fn excess(&self) -> f64 {
        self.disclosed - self.base
    }
}

/// All attacks on attributes, that with the largest excess first.
pub(crate) fn attribute_attacks(findings: &[&Finding]) -> Vec<Attack> {
    let of = |measure: &'static str, as_in: &Finding| {
        findings
            .iter()
            .find(|finding| {
                finding.measure == measure
                    && finding.on == as_in.on
                    && finding.detail.get("keys") == as_in.detail.get("keys")
                    && finding.detail.get("target") == as_in.detail.get("target")
            })
            .and_then(|finding| finding.value)
    };
    // A frontier keeps the names of keys and target alone, the target last.
    let keys = |finding: &Finding| match finding.detail.contains_key("keys") {
        true => names(finding, "keys"),
        false => finding.on[..finding.on.len().saturating_sub(1)].to_vec(),
    };
    let disco = findings.iter().filter(|finding| finding.measure == attribute::names::DISCO);
    let attacks = disco.filter_map(|finding| {
        let known =
            [attribute::names::DISCO_MARGINS, attribute::names::DISCO_OTHERS].map(|name| of(name, finding));
        // Without what would be learned without the person's record nothing is judged.
        let base = known.into_iter().flatten().reduce(f64::max)?;
        let by_holdout = holdout(finding);
        Some(Attack {
            keys: keys(finding),
            target: detail(finding, "target"),
            disclosed: finding.value?,
            base: base.max(by_holdout.unwrap_or(0.0)),
            holdout: by_holdout,
        })
    });
    let mut attacks: Vec<Attack> = attacks.collect();
    attacks.sort_by(|one, other| other.excess().total_cmp(&one.excess()));
    attacks
}

fn attribute(subject: &Subject<'_>) -> Option<Side> {
    let attacks = attribute_attacks(subject.findings);
    let worst = attacks.first()?;
    let (green, amber) = if worst.holdout.is_some() { EXCESS_OVER_HOLDOUT } else { EXCESS };
    let records = subject.value(measures::files::names::RECORDS).unwrap_or(1_000.0).max(1.0);
    let share = (worst.disclosed / 100.0).clamp(0.0, 1.0);
    let chance = 100.0 * (share * (1.0 - share) / records).sqrt();
    let colour = match worst.excess() {
        excess if excess <= green.max(2.0 * chance) => Colour::Green,
        excess if excess <= amber.max(2.0 * chance) => Colour::Amber,
        _ => Colour::Red,
    };
    // A limit is on the largest of all, which is not always what is furthest beyond its base.
    let limit = subject.decision.and_then(|decision| {
        let of_measure = decision.limits.iter().find(|check| check.measure == attribute::names::DISCO)?;
        Some((bound_of(&of_measure.limit)?, of_measure.value))
    });
    let largest = attacks.iter().max_by(|one, other| one.disclosed.total_cmp(&other.disclosed));
    let held = limit.zip(largest).filter(|_| largest.is_some_and(|most| most.target != worst.target));
    let held = held.map_or_else(String::new, |((bound, value), most)| {
        format!(
            " The limit of {} % is on the largest of all: {} for {} %.",
            figure(bound),
            most.target,
            figure(value.unwrap_or(most.disclosed))
        )
    });
    let limit = limit.map(|(bound, _)| bound);
    let base = match worst.holdout {
        Some(_) => "would be learned from people who are not in the file",
        None => "would be learned without that person's record",
    };
    let mut marks = vec![(worst.base, "without them".to_owned())];
    marks.extend(limit.map(|limit| (limit, "limit".to_owned())));
    let (green, amber) = (worst.base + green.max(2.0 * chance), worst.base + amber.max(2.0 * chance));
    Some(Side {
        colour,
        sentence: format!(
            "Who knows {} of a person learns {} for {} % of people; {} % {base}.{held}",
            few(&worst.keys),
            worst.target,
            figure(worst.disclosed),
            figure(worst.base)
        ),
        gauge: Some(Gauge {
            name: format!("per cent of people whose {} is learned", worst.target),
            value: worst.disclosed,
            written: format!("{} %", figure(worst.disclosed)),
            green,
            amber,
            marks,
            is_log: false,
        }),
        section: "risk",
    })
}

/// Whether the worst attack on an attribute takes more keys than anybody knows.
fn knows_much(subject: &Subject<'_>) -> bool {
    attribute_attacks(subject.findings).first().is_some_and(|worst| worst.keys.len() > MANY_KEYS)
}

/// What a few variables of a person tell of another one, beyond what the records of everybody else tell.
fn guesses(subject: &Subject<'_>) -> Option<Side> {
    let found = subject.first(few_keys::names::WORST_GAIN)?;
    let number = |name: &str| found.detail.get(name).and_then(serde_json::Value::as_f64);
    let gain = found.value?;
    let chance = 2.0 * number("se").unwrap_or(0.0);
    let (green, amber) = GAIN;
    let colour = match gain - chance {
        low if low <= green => Colour::Green,
        low if low <= amber => Colour::Amber,
        _ => Colour::Red,
    };
    let (Some(with), Some(without)) = (number("with"), number("without")) else {
        // Of the mean of several runs it is not one set of keys.
        return Some(Side {
            colour,
            sentence: format!(
                "Who knows a few variables of a person guesses another one right for {} more of 100 people than from all other records.",
                figure(gain.max(0.0))
            ),
            gauge: Some(Gauge {
                name: "more of 100 people guessed right, at worst".to_owned(),
                value: gain.max(0.0),
                written: figure(gain.max(0.0)),
                green: green + chance,
                amber: amber + chance,
                marks: vec![(0.0, "none".to_owned())],
                is_log: false,
            }),
            section: "risk",
        });
    };
    let target = detail(found, "target");
    Some(Side {
        colour,
        sentence: format!(
            "Who knows {} of a person guesses {target} right for {} % of people; in the same way from all other records {} %.",
            few(&names(found, "keys")),
            figure(with),
            figure(without)
        ),
        gauge: Some(Gauge {
            name: format!("per cent of people whose {target} is guessed right"),
            value: with,
            written: format!("{} %", figure(with)),
            green: without + green + chance,
            amber: without + amber + chance,
            marks: vec![(without, "from all others".to_owned())],
            is_log: false,
        }),
        section: "risk",
    })
}

/// The attack with the largest excess over its control.
fn attacks(subject: &Subject<'_>) -> Option<Side> {
    let excess = attacks::names::EXCESS.into_iter().flat_map(|name| subject.all(name));
    let (value, finding) = excess
        .filter_map(|finding| Some((finding.value?, finding)))
        .max_by(|one, other| one.0.total_cmp(&other.0))?;
    let low = finding.detail.get("low").and_then(serde_json::Value::as_f64).unwrap_or(value);
    let (green, amber) = ATTACK;
    let colour = match low {
        low if low <= green => Colour::Green,
        low if low <= amber => Colour::Amber,
        _ => Colour::Red,
    };
    let percent = 100.0 * value.max(0.0);
    Some(Side {
        colour,
        sentence: format!(
            "Attacks succeed on people of the original {} % more often than on others ({}).",
            figure(percent),
            finding.measure
        ),
        gauge: Some(Gauge {
            name: "excess of the worst attack, per cent".into(),
            value: percent,
            written: format!("{} %", figure(percent)),
            green: 100.0 * green,
            amber: 100.0 * amber,
            marks: vec![(0.0, "no risk".to_owned())],
            is_log: false,
        })
        // Within its interval the excess may be none: a point on a scale would say more than is known.
        .filter(|gauge| (gauge.value > gauge.green) == (colour > Colour::Green)),
        section: "risk",
    })
}

fn closer(subject: &Subject<'_>) -> Option<Side> {
    let share = subject.value(closest::names::SHARE_CLOSER)?;
    let z = subject.value(closest::names::SHARE_CLOSER_Z)?;
    let colour = match z > CHANCE {
        false => Colour::Green,
        true if share < CLOSER => Colour::Amber,
        true => Colour::Red,
    };
    let judged = if colour == Colour::Green { "no more than by chance" } else { "more than by chance" };
    Some(Side {
        colour,
        sentence: format!(
            "{:.1} % of its records are closer to an original than to a record that was never seen, {judged}.",
            100.0 * share
        ),
        gauge: None,
        section: "risk",
    })
}

fn members(subject: &Subject<'_>) -> Option<Side> {
    let tried = [membership::names::DISTANCE_TPR, membership::names::DENSITY_TPR];
    let share = tried.into_iter().filter_map(|name| subject.value(name)).max_by(f64::total_cmp)?;
    let (green, amber) = MEMBERS;
    let colour = match share {
        share if share <= green => Colour::Green,
        share if share <= amber => Colour::Amber,
        _ => Colour::Red,
    };
    Some(Side {
        colour,
        sentence: format!(
            "Who asks whether a person was in the original finds {:.1} % of them with 1 % of false alarms.",
            100.0 * share
        ),
        gauge: Some(Gauge {
            name: "members found at 1 % of false alarms, per cent".into(),
            value: 100.0 * share,
            written: format!("{:.1} %", 100.0 * share),
            green: 100.0 * green,
            amber: 100.0 * amber,
            marks: vec![(1.0, "guessing".to_owned())],
            is_log: false,
        }),
        section: "risk",
    })
}

fn outside(subject: &Subject<'_>) -> Option<Side> {
    let values = subject.all(intruder::names::OUTSIDE_SHARE).filter_map(|finding| finding.value);
    let share = values.max_by(f64::total_cmp)?;
    let colour = if share > 0.0 { Colour::Amber } else { Colour::Green };
    Some(Side {
        colour,
        sentence: format!("{} % of people have a risk outside the accepted regions.", figure(100.0 * share)),
        gauge: None,
        section: "risk",
    })
}

/// Uniques on the keys say who might be recognised; alone they judge only where nothing else was measured, or all of them come back.
fn uniques(subject: &Subject<'_>) -> Option<Side> {
    const NEARLY_ALL: f64 = 80.0;
    let of_uniques = subject.all(uniques::names::RU_OF_P1);
    let worst = of_uniques.filter_map(|finding| Some((finding.value?, finding)));
    let (share, finding) = worst.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let alone = subject.all(uniques::names::P1).find(|p1| p1.on == finding.on)?.value?;
    // A handful of uniques that come back is what any true file shows.
    let colour = if share >= NEARLY_ALL && alone >= 5.0 { Colour::Red } else { Colour::Green };
    Some(Side {
        colour,
        sentence: format!(
            "{} % of people are unique by {}, and {} % of these are unique again in the release.",
            figure(alone),
            few(&finding.on),
            figure(share)
        ),
        gauge: None,
        section: "risk",
    })
}
