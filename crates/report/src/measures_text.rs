//! The measures' cards, on a terminal and as a page.

use measures::{Better, MeasureCard, Null};

/// What each measure asks and how it is read.
pub fn measures_text<'a>(families: impl Iterator<Item = (&'a str, &'a [MeasureCard])>) -> String {
    let mut out = String::new();
    for (family, cards) in families {
        out.push_str(&format!("{family}\n"));
        for card in cards {
            out.push_str(&format!("  {}: {}\n", card.name, card.question));
            out.push_str(&format!("    {}; {}; source: {}\n", range(card), expected(card), card.citation));
        }
        out.push('\n');
    }
    out
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
