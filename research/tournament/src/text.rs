//! The standings of a tournament, on a terminal and as a page.

use crate::{Score, Standing};
use measures::utility::taub::TaubScore;

/// Means over the runs, best first.
pub fn tournament_text(standings: &[Standing]) -> String {
    type Of = fn(&Score) -> f64;
    let columns: [(&str, Of); 6] = [
        ("utility", |score| score.utility),
        ("risk (TCAP)", |score| score.risk),
        ("utility - risk", |score| score.difference),
        ("min(utility, 1 - risk)", |score| score.minimum),
        ("utility (1 - risk)", |score| score.product),
        ("geometric mean", |score| score.geometric_mean),
    ];
    let mut text = format!(
        "| | {} |\n|---|{}\n",
        columns.map(|(name, _)| name).join(" | "),
        "---|".repeat(columns.len())
    );
    for standing in standings.iter().filter(|standing| !standing.runs.is_empty()) {
        let values =
            columns.map(|(_, of)| standing.mean(of).map_or(String::new(), |value| format!("{value:.3}")));
        text.push_str(&format!("| {} | {} |\n", standing.name, values.join(" | ")));
    }
    text.push_str(&format!(
        "\n| parts of utility | {} |\n|---|{}\n",
        TaubScore::PARTS.join(" | "),
        "---|".repeat(6)
    ));
    for standing in standings.iter().filter(|standing| !standing.runs.is_empty()) {
        let part = |place: usize| {
            let values: Vec<f64> = standing.runs.iter().filter_map(|score| score.parts[place]).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            if values.is_empty() { "none".to_owned() } else { format!("{mean:.3}") }
        };
        let values: Vec<String> = (0..TaubScore::PARTS.len()).map(part).collect();
        text.push_str(&format!("| {} | {} |\n", standing.name, values.join(" | ")));
    }
    for standing in standings {
        if let Some(because) = &standing.because {
            let what = if standing.runs.is_empty() { "has no scores" } else { "did not finish its runs" };
            text.push_str(&format!("\n{} {what}: {because}\n", standing.name));
        }
        for remark in &standing.remarks {
            text.push_str(&format!("\n{}: {remark}\n", standing.name));
        }
    }
    text
}
