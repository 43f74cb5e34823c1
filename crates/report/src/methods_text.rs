//! The methods' cards on a terminal.

use synthesis::MethodCard;
use synthesis::card::Needs;
use synthesis::methods::sequential;

/// What each method is and takes, and the methods of a variable.
pub fn methods_text<'a>(cards: impl Iterator<Item = &'a MethodCard>) -> String {
    cards_text(cards) + &variable_methods_text()
}

fn cards_text<'a>(cards: impl Iterator<Item = &'a MethodCard>) -> String {
    let mut out = String::new();
    for card in cards {
        out.push_str(&format!("{}: {}\n  use it when {}\n", card.name, card.summary, card.use_when));
        for option in card.options {
            out.push_str(&format!(
                "  --set {}=…  {} [default: {}]\n",
                option.name, option.meaning, option.default
            ));
        }
        out.push_str(&format!("  memory: {}\n  source: {}\n\n", card.memory, card.citation));
    }
    out
}

/// All that one method's card says.
pub fn method_text(card: &MethodCard) -> String {
    let mut out = cards_text(std::iter::once(card)).trim_end().to_owned();
    let needs = match card.needs {
        Needs::Counts => "counts of the cross-table, from whatever source",
        Needs::Records => "the records",
    };
    let private = match &card.privacy {
        None => "no",
        Some(privacy) if privacy.pays_for_each_data_set => "yes; each data set costs privacy",
        Some(_) => "yes; data sets after the first cost nothing",
    };
    out.push_str(&format!("\n  needs: {needs}\n  can be private: {private}\n"));
    if let Some(mechanism) = card.mechanism {
        out.push_str(&format!("  as a mechanism: --mechanism {}\n", mechanism.example));
    }
    for trial in card.trials {
        out.push_str(&format!("  tried by frontier: {} ({})\n", trial.name, trial.label));
    }
    if card.name == sequential::CARD.name {
        out.push_str(&variable_methods_text());
    }
    out
}

/// The methods by which `sequential` draws a variable.
fn variable_methods_text() -> String {
    let rows = sequential::variable_methods();
    let rows: String = rows.map(|(method, draws_from)| format!("  {method:<12} {draws_from}\n")).collect();
    format!("\nmethods of a variable, in {}\n{rows}", sequential::CARD.name)
}

/// The same as a page of documentation.
pub fn methods_markdown<'a>(cards: impl Iterator<Item = &'a MethodCard>) -> String {
    let mut out =
        String::from("# Methods\n\nWritten by `lookalike methods --markdown` from the methods' cards.\n");
    for card in cards {
        out.push_str(&format!(
            "\n## `{}`\n\nIt {}. Use it when {}.\n\n",
            card.name, card.summary, card.use_when
        ));
        out.push_str("| option | meaning | default |\n|---|---|---|\n");
        for option in card.options {
            out.push_str(&format!("| `{}` | {} | {} |\n", option.name, option.meaning, option.default));
        }
        out.push_str(&format!("\nMemory: {}.\n\nSource: {}.\n", card.memory, card.citation));
    }
    let rows = sequential::variable_methods();
    let rows: String = rows.map(|(method, draws_from)| format!("| `{method}` | {draws_from} |\n")).collect();
    let name = sequential::CARD.name;
    out + &format!("\n## Methods of a variable, in `{name}`\n\n| method | draws from |\n|---|---|\n{rows}")
}
