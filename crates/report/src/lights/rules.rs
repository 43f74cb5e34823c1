//! Are domains and rules of the schema kept?

use measures::files;
use measures::utility::conformance;

use super::{Colour, Gauge, Light, Subject};
use crate::judgement::{detail, few};
use crate::numbers::figure;

/// Per cent of records or values that break a rule or leave a domain, up to which the light is amber.
const FEW: f64 = 1.0;

/// Variables whose kinds differ by more than a file without a schema can show: an order of levels, or decimals.
fn other_kinds(subject: &Subject<'_>) -> Vec<String> {
    let columns = subject.first(files::names::KINDS).and_then(|finding| finding.detail.get("columns"));
    let columns = columns.and_then(|columns| columns.as_array()).into_iter().flatten();
    let text = |column: &serde_json::Value, key: &str| column[key].as_str().unwrap_or_default().to_owned();
    let differs = |column: &&serde_json::Value| {
        let mut kinds = [text(column, "original"), text(column, "synthetic")];
        kinds.sort_unstable();
        !matches!([kinds[0].as_str(), kinds[1].as_str()], ["categorical", "ordinal"] | ["integer", "real"])
    };
    columns.filter(differs).map(|column| text(column, "variable")).collect()
}

pub(super) fn light(subject: &Subject<'_>) -> Light {
    let light = |colour, word, sentence: String, gauge| Light {
        topic: "rules",
        question: "Does it keep what must hold?",
        colour,
        word,
        sentence,
        gauge,
        section: "rules",
    };
    let gauge = |name: &str, value: f64| Gauge {
        name: name.to_owned(),
        value,
        written: format!("{} %", figure(value)),
        green: 0.0,
        amber: FEW,
        marks: vec![(FEW, "few".to_owned())],
        is_log: false,
    };
    let colour = |share: f64| if share <= FEW { Colour::Amber } else { Colour::Red };
    let other_kinds = other_kinds(subject);
    if !other_kinds.is_empty() {
        let sentence = format!("Of another kind than in the original: {}.", few(&other_kinds));
        return light(Colour::Red, "broken", sentence, None);
    }
    let rules: Vec<_> = subject.all(conformance::names::RULE).collect();
    let broken = rules.iter().filter_map(|rule| Some((rule.value?, rule)));
    let broken = broken.filter(|(share, _)| *share > 0.0).max_by(|one, other| one.0.total_cmp(&other.0));
    if let Some((share, rule)) = broken {
        let sentence = format!("{} % of records break the rule “{}”.", figure(share), detail(rule, "rule"));
        return light(
            colour(share),
            "broken",
            sentence,
            Some(gauge("records that break a rule, per cent", share)),
        );
    }
    let outside =
        subject.all(conformance::names::DOMAIN).filter_map(|finding| Some((finding.value?, finding)));
    let outside = outside.filter(|(share, _)| *share > 0.0).max_by(|one, other| one.0.total_cmp(&other.0));
    if let Some((share, finding)) = outside {
        let whose = match detail(finding, "domain").as_str() {
            "declared" => "what the schema allows",
            _ => "what the original shows",
        };
        let sentence =
            format!("{} % of the values of {} lie outside {whose}.", figure(share), finding.on.join(""));
        return light(
            colour(share),
            "broken",
            sentence,
            Some(gauge("values outside their domain, per cent", share)),
        );
    }
    let checked = subject.value(conformance::names::ALL_VALUES).is_some();
    let kept = match rules.len() {
        0 => "Every value lies in the domain of its variable; the schema names no rule.".to_owned(),
        1 => "The rule of the schema holds in every record, and every value lies in its domain.".to_owned(),
        many => format!(
            "All {many} rules of the schema hold in every record, and every value lies in its domain."
        ),
    };
    match (checked, subject.manifest) {
        (true, _) => light(Colour::Green, "kept", kept, None),
        // What is released was decoded under its schema, which lets no record out that breaks it.
        (false, Some(_)) => light(
            Colour::Green,
            "kept",
            "Records are made under the schema, which keeps domains and rules.".to_owned(),
            None,
        ),
        (false, None) => {
            light(Colour::Unlit, "not asked", "Whether rules are kept was not measured.".to_owned(), None)
        }
    }
}
