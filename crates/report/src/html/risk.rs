//! Disclosure risk: uniques, attributes, τ metrics, and the intruder who knows all records but one.

use measures::Finding;
use measures::risk::{attacks, attribute, closest, few_keys, intruder, membership, tau, uniques};

use super::View;
use super::glossary::term;
use crate::judgement::{detail, few, names};
use crate::lights::attribute_attacks;
use crate::markup::{Markup, tag};
use crate::numbers::{figure, figure_or_dash, share, with_spread};
use crate::pictures::{Row, Sides, WITH_LONG_NAMES, attribute_risk, paired_bars, risk_plane, tau_curves};
use crate::svg::{DataTable, Picture};

pub(super) fn pictures(view: &View<'_>) -> Vec<Picture> {
    let internal = view.internal;
    let curves = internal.map_or(&[][..], |internal| &internal.tau_curves);
    let curves = curves.iter().enumerate().map(|(at, curve)| tau_curves(at, curve));
    let plane = internal.and_then(|internal| internal.intruder.as_ref()).map(risk_plane);
    attributes(view).into_iter().chain(uniques(view)).chain(curves).chain(plane).collect()
}

fn percent(value: f64) -> String {
    format!("{} %", figure(value))
}

fn uniques(view: &View<'_>) -> Option<Picture> {
    let value = |measure: &str, on: &[String]| {
        view.all(measure).find(|finding| finding.on == on).and_then(|finding| finding.value)
    };
    let again: Vec<&Finding> = view.all(uniques::names::RU).collect();
    let rows: Vec<Row> = again
        .iter()
        .map(|finding| Row {
            name: few(&finding.on),
            original: value(uniques::names::P1, &finding.on),
            synthetic: finding.value,
        })
        .collect();
    let sides = Sides {
        original: Some("unique in the original"),
        synthetic: "unique again in the release",
        axis: "% of original records",
        written: percent,
        times: 1.0,
        widths: WITH_LONG_NAMES,
    };
    (!rows.is_empty()).then(|| {
        paired_bars("uniques".into(), "Unique records, by what is known of them".into(), &rows, &sides)
    })
}

/// One picture a set of keys.
fn attributes(view: &View<'_>) -> Vec<Picture> {
    let attacks = attribute_attacks(&view.findings);
    if attacks.iter().all(|attack| attack.disclosed == 0.0 && attack.base == 0.0) {
        return Vec::new();
    }
    let mut sets: Vec<&[String]> = Vec::new();
    for attack in &attacks {
        if !sets.contains(&attack.keys.as_slice()) {
            sets.push(&attack.keys);
        }
    }
    // Without named keys every target is attacked with all other variables: one picture.
    let all_others = sets.len() > MOST_SETS;
    if all_others {
        return vec![attribute_risk(0, &attacks.iter().collect::<Vec<_>>())];
    }
    let of_set = |keys: &&[String]| attacks.iter().filter(|attack| attack.keys == **keys).collect::<Vec<_>>();
    sets.iter().enumerate().map(|(at, keys)| attribute_risk(at, &of_set(keys))).collect()
}

/// More sets of keys than anybody names.
const MOST_SETS: usize = 6;

fn attack(finding: &Finding) -> String {
    format!("{} from {}", detail(finding, "target"), few(&names(finding, "keys")))
}

fn same_attack(view: &View<'_>, measure: &str, as_in: &Finding) -> Option<f64> {
    let same = |finding: &&Finding| {
        finding.detail.get("keys") == as_in.detail.get("keys")
            && finding.detail.get("target") == as_in.detail.get("target")
    };
    view.all(measure).find(same).and_then(|finding| finding.value)
}

pub(super) fn content(view: &View<'_>) -> Markup {
    let parts = [
        learned(view),
        guessed(view),
        recognised(view),
        other_attacks(view),
        small_cells(view),
        all_but_one(view),
    ];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    match parts.is_empty() {
        true => Markup::default(),
        false => {
            let columns = parts.into_iter().map(|part| tag("div").add(part));
            tag("div").with("class", "columns").all(columns).into()
        }
    }
}

fn learned(view: &View<'_>) -> Markup {
    let mut content = Markup::default();
    let attributes = attributes(view);
    if attributes.is_empty() && !attribute_attacks(&view.findings).is_empty() {
        content.push(tag("h3").text("What is learned of people"));
        content.push(tag("p").text(
            "Whoever knows all the keys of a person learns nothing for certain: hardly two records agree on so much, with this release or without. That says nothing about who knows less.",
        ));
    }
    if !attributes.is_empty() {
        content.push(tag("h3").text("What is learned of people"));
        content.push(
            tag("p")
                .text("Who knows the keys of a person looks up the target in the synthetic file. How often is it right, and nothing else possible (")
                .add(term("DiSCO"))
                .text(")? The ")
                .add(term("base rate"))
                .text(" beside it is what would be learned without that person's record; what counts is the excess, at the right."),
        );
        content.push(tag("div").all(attributes.iter().map(Picture::figure)));
        let all = tag("summary").text("Every attack with its other numbers");
        content.push(tag("details").add(all).add(attribute_table(view).table()));
    }
    content
}

/// What a few keys tell of another variable, with the release and without the record.
fn guessed(view: &View<'_>) -> Markup {
    let found = view.all(few_keys::names::GAIN).filter(|finding| finding.value.is_some());
    let row = |finding: &Finding| {
        let number = |key: &str| finding.detail.get(key).and_then(serde_json::Value::as_f64);
        let gain = finding.value.unwrap_or_default();
        let gain = match number("se") {
            Some(se) => with_spread(gain, se),
            None => figure(gain),
        };
        vec![
            detail(finding, "target"),
            few(&names(finding, "keys")),
            number("with").map_or_else(|| "–".to_owned(), percent),
            number("without").map_or_else(|| "–".to_owned(), percent),
            gain,
        ]
    };
    let rows: Vec<Vec<String>> = found.map(row).collect();
    if rows.is_empty() {
        return Markup::default();
    }
    let text = "The keys that serve an intruder best are searched for: who knows them guesses another variable by the synthetic records that agree. What counts is for how many more of 100 people \
                the guess is right than by the original records of everybody else in the same way; about 0 (within two standard errors) says that a person's own record gives nothing away.";
    let head = [
        "guessed",
        "by who knows",
        "right with the release",
        "from all other records",
        "points gained ± standard error",
    ];
    let table = DataTable::new(head, rows).table().with("data-wrap", "wrap");
    [tag("h3").text("Guessing with few keys"), tag("p").text(text), table].into_iter().collect()
}

/// Attacks beside a holdout, and how close records lie: what else the light on risk is set by.
fn other_attacks(view: &View<'_>) -> Markup {
    let tried = attacks::names::EXCESS.into_iter().chain([
        membership::names::DISTANCE_TPR,
        membership::names::DENSITY_TPR,
        closest::names::SHARE_CLOSER,
    ]);
    let found = tried.flat_map(|name| view.all(name)).filter(|finding| finding.value.is_some());
    let row = |finding: &Finding| {
        let ends = ["low", "high"].map(|key| finding.detail.get(key).and_then(serde_json::Value::as_f64));
        let interval = match ends {
            [Some(low), Some(high)] => format!("{} to {}", share(low), share(high)),
            _ => "–".to_owned(),
        };
        let question = measures::card_of(&finding.measure).map_or("", |card| card.question);
        vec![
            finding.measure.clone(),
            question.to_owned(),
            finding.value.map_or_else(String::new, share),
            interval,
            finding.null.map_or_else(|| "–".to_owned(), share),
        ]
    };
    let rows: Vec<Vec<String>> = found.map(row).collect();
    if rows.is_empty() {
        return Markup::default();
    }
    let head = ["attack", "what it asks", "found", "95 % interval", "nothing given away"];
    let table = DataTable::new(head, rows).table().with("data-wrap", "wrap");
    [tag("h3").text("Attacks that were tried"), table].into_iter().collect()
}

fn recognised(view: &View<'_>) -> Markup {
    let mut content = Markup::default();
    if let Some(picture) = uniques(view) {
        content.push(tag("h3").text("Who can be recognised"));
        content.push(tag("p").text(
            "A record that is unique by what neighbours know of it can be recognised. One that is unique again in the synthetic file \
             may be taken for a real person.",
        ));
        content.push(copies(view).map(|text| tag("p").text(text)));
        content.push(picture.figure());
    }
    content
}

fn small_cells(view: &View<'_>) -> Markup {
    let mut content = Markup::default();
    let curves = view.internal.map_or(&[][..], |internal| &internal.tau_curves);
    let tau: Vec<&Finding> =
        view.findings.iter().copied().filter(|finding| finding.family() == tau::CARD.name).collect();
    if !curves.is_empty() || !tau.is_empty() {
        content.push(tag("h3").text("Cells of few records: the τ metrics"));
        content.push(tag("p").text("τ₄(1): when the release shows a cell with one record, how often does the original have exactly one there?"));
        content.push(
            tag("div").all(curves.iter().enumerate().map(|(at, curve)| tau_curves(at, curve).figure())),
        );
        let rows = tau.iter().map(|finding| {
            let value = finding.value.map_or_else(|| finding.because.clone().unwrap_or_default(), figure);
            vec![finding.measure.clone(), few(&finding.on), detail(finding, "k"), value]
        });
        let table = DataTable::new(["measure", "on", "k", "value"], rows.collect());
        content.push((!table.rows.is_empty()).then(|| table.table()));
    }
    content
}

fn all_but_one(view: &View<'_>) -> Markup {
    let mut content = Markup::default();
    let intruder = intruder_table(view);
    let plane = view.internal.and_then(|internal| internal.intruder.as_ref());
    if plane.is_some() || !intruder.rows.is_empty() {
        content.push(tag("h3").text("The intruder who knows all records but one"));
        content.push(plane.map(|plane| risk_plane(plane).figure()));
        content.push((!intruder.rows.is_empty()).then(|| intruder.table()));
    }
    content
}

/// Copies of whole records, in a sentence.
fn copies(view: &View<'_>) -> Option<String> {
    let found = view.all(uniques::names::COPIES).next()?;
    let (share, expected) = (found.value?, found.null.unwrap_or(0.0));
    Some(format!(
        "Copies of original records that are unique in all variables: {} % of the synthetic records; {} % are expected by chance.",
        figure(share),
        figure(expected)
    ))
}

fn attribute_table(view: &View<'_>) -> DataTable {
    let measures = [
        attribute::names::DORIG,
        attribute::names::DISCO,
        attribute::names::TCAP_TAUB,
        attribute::names::UNDEFINED_SHARE,
    ];
    let rows = view.all(attribute::names::DISCO).map(|finding| {
        let values = measures.iter().map(|measure| figure_or_dash(same_attack(view, measure, finding)));
        std::iter::once(attack(finding)).chain(values).collect()
    });
    let head = ["attack", "disclosive in the original, %", "DiSCO, %", "TCAP", "share without an answer"];
    DataTable::new(head, rows.collect())
}

fn intruder_table(view: &View<'_>) -> DataTable {
    let of_family = view.findings.iter().filter(|finding| finding.family() == intruder::CARD.name);
    let rows = of_family.filter(|finding| finding.value.is_some()).map(|finding| {
        vec![finding.measure.clone(), detail(finding, "prior"), figure_or_dash(finding.value)]
    });
    DataTable::new(["measure", "prior", "value"], rows.collect())
}
