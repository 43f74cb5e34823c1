//! The measures' cards, on a terminal and as a page.

use measures::{Aspect, Better, FamilyCard, MEASURES, MeasureCard, Null, card_of, family_of};
use serde_json::{Value, json};
use table::similar_name;

/// What each measure asks and how it is read.
pub fn measures_text<'a>(families: impl Iterator<Item = (&'a str, &'a [MeasureCard])>) -> String {
    let mut out = String::new();
    for (family, cards) in families {
        out.push_str(&format!("{family}\n"));
        for card in cards {
            out.push_str(&card_text(card));
        }
        out.push('\n');
    }
    out
}

/// The family or the measure of this name, for people and for machines; if there is none, a message that names a similar one.
pub fn measure_card_text(name: &str) -> Result<(String, Value), String> {
    if let Some(family) = MEASURES.iter().map(|measure| measure.card()).find(|card| card.name == name) {
        return Ok((family_text(family, None), json!(family)));
    }
    if let (Some(family), Some(card)) = (family_of(name), card_of(name)) {
        return Ok((family_text(family, Some(name)), json!(card)));
    }
    let known = MEASURES.iter().flat_map(|measure| {
        std::iter::once(measure.name()).chain(measure.cards().iter().map(|card| card.name))
    });
    let hint = similar_name::hint(name, known);
    Err(format!("there is no measure `{name}`{hint}; see `lookalike measures`"))
}

/// One family, or one of its measures: what it asks, how it is read, and which options it honours.
fn family_text(family: &FamilyCard, measure: Option<&str>) -> String {
    let cards = family.measures.iter().filter(|card| measure.is_none_or(|name| name == card.name));
    let mut out = format!("{}\n", family.name);
    cards.for_each(|card| out.push_str(&card_text(card)));
    let aspect = match family.aspect {
        Aspect::Utility => "utility: how well the synthetic data serve",
        Aspect::Risk => "risk: what the synthetic data disclose",
    };
    let options = family.honours.iter().filter_map(|setting| Some(format!("--{}", setting.option()?)));
    let options: Vec<String> = options.collect();
    let options = if options.is_empty() { "none".to_owned() } else { options.join(", ") };
    out.push_str(&format!("  a measure of {aspect}\n  options that it honours: {options}\n"));
    if let Some(axis) = family.usual_axis {
        out.push_str(&format!("  on the map of a frontier: {}\n", axis.measure));
    }
    out
}

fn card_text(card: &MeasureCard) -> String {
    format!(
        "  {}: {}\n    {}; {}; source: {}\n",
        card.name,
        card.question,
        range(card),
        expected(card),
        card.citation
    )
}

/// The same as a page of documentation.
pub fn measures_markdown<'a>(families: impl Iterator<Item = (&'a str, &'a [MeasureCard])>) -> String {
    let mut out =
        String::from("# Measures\n\nWritten by `lookalike measures --markdown` from the measures' cards.\n");
    for (family, cards) in families {
        out.push_str(&format!("\n## `{family}`\n\n| measure | question | better | range | when the generator is right | source |\n"));
        out.push_str("|---|---|---|---|---|---|\n");
        for card in cards {
            out.push_str(&format!(
                "| `{}` | {} | {} | {} | {} | {} |\n",
                card.name,
                card.question,
                better(card),
                range(card),
                expected(card),
                card.citation
            ));
        }
    }
    out
}

pub(crate) fn better(card: &MeasureCard) -> &'static str {
    match card.better {
        Better::Lower => "lower",
        Better::Higher => "higher",
        Better::Neither => "neither",
    }
}

pub(crate) fn range(card: &MeasureCard) -> String {
    let unit = if card.unit.is_empty() { String::new() } else { format!(" {}", card.unit) };
    match (card.range.from, card.range.to) {
        (from, None) if from == f64::MIN => format!("any number{unit}"),
        (from, None) => format!("{from} or more{unit}"),
        (from, Some(to)) if from == f64::MIN => format!("up to {}{unit}", short(to)),
        (from, Some(to)) => format!("{} to {}{unit}", short(from), short(to)),
    }
}

fn short(number: f64) -> String {
    if number.fract() == 0.0 {
        number.to_string()
    } else {
        format!("{number:.3}").trim_end_matches('0').to_owned()
    }
}

pub(crate) fn expected(card: &MeasureCard) -> String {
    match card.null {
        Null::Value(value) => format!("expected {value}"),
        Null::Formula(formula) => format!("expected {formula}"),
        Null::None => "no expectation".to_owned(),
    }
}
