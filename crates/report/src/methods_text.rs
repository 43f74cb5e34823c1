//! The methods' cards on a terminal.

use synthesis::MethodCard;

/// What each method is and takes.
pub fn methods_text<'a>(cards: impl Iterator<Item = &'a MethodCard>) -> String {
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
    out
}
