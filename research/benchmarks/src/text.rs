//! What was measured beside whom, on a terminal and as a page.

use std::fmt::Write;

use crate::case::THREADS;
use crate::{CASES, Measured, Outcome, PeerOutcome, Results};

/// The cases with their peers.
pub fn bench_list_text() -> String {
    let mut text = String::new();
    for case in CASES {
        text += &format!("{:15} {}\n", case.name, case.what);
        for peer in case.peers {
            text += &format!("{:15}   beside {}\n", "", peer.name());
        }
    }
    text
}

/// One case, as soon as it is measured.
pub fn bench_case_text(outcome: &Outcome) -> String {
    let mut text = format!("\n{}: {}\n", outcome.name, outcome.what);
    if let Some(because) = &outcome.because {
        return text + &format!("  not measured: {because}\n");
    }
    for ours in &outcome.ours {
        let size =
            if outcome.of.is_empty() { String::new() } else { format!(" at {} = {}", outcome.of, ours.size) };
        text += &format!("  ours{size}: {}\n", needed(ours));
    }
    if let Some(exponent) = outcome.exponent {
        text += &format!("  CPU time grows as {}^{exponent:.2}\n", outcome.of);
    }
    for peer in &outcome.peers {
        text += &format!("  {}: {}\n", peer.name, beside(peer));
    }
    for (promise, kept) in &outcome.promises {
        text += &format!("  {}: {promise}\n", verdict(*kept));
    }
    text
}

/// How many promises are kept.
pub fn bench_text(results: &Results) -> String {
    let promises = || results.cases.iter().flat_map(|case| &case.promises);
    let count = |wanted: Option<bool>| promises().filter(|(_, kept)| *kept == wanted).count();
    format!(
        "\n{} of {} promises kept, {} not, {} not measured ({}, {} processors)\n",
        count(Some(true)),
        promises().count(),
        count(Some(false)),
        count(None),
        results.machine,
        results.processors
    )
}

/// The results as tables.
pub fn bench_markdown(results: &Results) -> String {
    let mut text = format!(
        "Measured with {} on {} ({} processors). Seconds are CPU seconds of all threads, user and system.\n\n\
         | case | ours, CPU s | ours, MB | peer | its CPU s | its MB | times our CPU time | promised |\n|---|---|---|---|---|---|---|---|\n",
        results.software, results.machine, results.processors
    );
    for case in &results.cases {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", rows(case));
    }
    text
}

fn rows(case: &Outcome) -> String {
    let promised = case.promises.iter().map(|(promise, kept)| format!("{promise}: {}", verdict(*kept)));
    let promised = promised.collect::<Vec<_>>().join("; ");
    if let Some(because) = &case.because {
        return format!(
            "| `{}`: {} | | | not measured: {because} | | | | {promised} |\n",
            case.name, case.what
        );
    }
    let of_size = |ours: &Measured| {
        if case.ours.len() > 1 { format!(" ({} = {})", case.of, ours.size) } else { String::new() }
    };
    // Work on many threads is told by the clock, too.
    let wall = |ours: &Measured| {
        if case.of == THREADS { format!(", {} s by the clock", figure(ours.wall_s)) } else { String::new() }
    };
    let cpu = |ours: &Measured| format!("{}{}{}", figure(ours.cpu_s), wall(ours), of_size(ours));
    let cpu: Vec<String> = case.ours.iter().map(cpu).collect();
    let memory: Vec<String> = case.ours.iter().map(|ours| figure(ours.peak_mb)).collect();
    let grows =
        case.exponent.map_or_else(String::new, |exponent| format!("; grows as {}^{exponent:.2}", case.of));
    let mut text = String::new();
    let mut peers = case.peers.iter();
    let first = peers.next().map_or_else(|| "| | | | ".to_owned(), peer_cells);
    text += &format!(
        "| `{}`: {} | {}{grows} | {} {first}| {promised} |\n",
        case.name,
        case.what,
        cpu.join(if case.of == THREADS { "; " } else { ", " }),
        memory.join(", ")
    );
    for peer in peers {
        text += &format!("| | | {}| |\n", peer_cells(peer));
    }
    text
}

fn peer_cells(peer: &PeerOutcome) -> String {
    let figure_of = |value: Option<f64>| value.filter(|value| *value > 0.0).map_or_else(String::new, figure);
    let earlier = if peer.is_figure { ", figure of an earlier measurement" } else { "" };
    let because = peer.because.as_ref().map_or_else(String::new, |because| format!(": {because}"));
    format!(
        "| {}{earlier}{because} | {} | {} | {} ",
        peer.name,
        figure_of(peer.measured.map(|measured| measured.cpu_s)),
        figure_of(peer.measured.map(|measured| measured.peak_mb)),
        figure_of(peer.times_ours)
    )
}

fn needed(measured: &Measured) -> String {
    let mut text = format!("{} CPU s", figure(measured.cpu_s));
    if measured.wall_s > 0.0 {
        text += &format!(", {} s", figure(measured.wall_s));
    }
    if measured.peak_mb > 0.0 {
        text += &format!(", {} MB", figure(measured.peak_mb));
    }
    text
}

fn beside(peer: &PeerOutcome) -> String {
    let Some(measured) = &peer.measured else {
        return format!("not measured: {}", peer.because.as_deref().unwrap_or_default());
    };
    let mut text = needed(measured);
    if peer.is_figure {
        text += " (figure of an earlier measurement)";
    }
    if let Some(times) = peer.times_ours {
        text += &format!("; {} times our CPU time", figure(times));
    }
    if let Some(times) = peer.times_our_memory {
        text += &format!(", {} times our memory", figure(times));
    }
    text
}

fn verdict(kept: Option<bool>) -> &'static str {
    match kept {
        Some(true) => "kept",
        Some(false) => "NOT KEPT",
        None => "not measured",
    }
}

/// Three significant digits.
fn figure(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let digits = 2 - value.abs().log10().floor() as i32;
    format!("{value:.*}", digits.clamp(0, 6) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_significant_digits() {
        for (value, expected) in
            [(0.012345, "0.0123"), (1.2345, "1.23"), (12.345, "12.3"), (1234.4, "1234"), (0.0, "0")]
        {
            assert_eq!(figure(value), expected);
        }
    }

    #[test]
    fn a_page_tells_what_was_not_measured_and_what_is_not_kept() {
        let ours = Measured { cpu_s: 0.5, wall_s: 0.3, peak_mb: 90.0, check: None, result_mb: None, size: 5 };
        let peer = PeerOutcome {
            name: "R glm",
            measured: Some(Measured { cpu_s: 2.0, ..ours }),
            is_figure: true,
            because: None,
            times_ours: Some(4.0),
            times_our_memory: Some(1.0),
        };
        let case = Outcome {
            name: "cart",
            what: "trees",
            of: "",
            ours: vec![ours],
            because: None,
            exponent: None,
            peers: vec![peer],
            promises: vec![("R glm takes at least 5 times our CPU time".into(), Some(false))],
        };
        let absent = Outcome { because: Some("no data".into()), ours: vec![], peers: vec![], ..case.clone() };
        let results =
            Results { processors: 2, machine: "x".into(), software: "y".into(), cases: vec![case, absent] };
        let page = bench_markdown(&results);
        assert!(page.contains("| `cart`: trees | 0.500 | 90.0 | R glm, figure of an earlier measurement | 2.00 | 90.0 | 4.00 | R glm takes at least 5 times our CPU time: NOT KEPT |"), "{page}");
        assert!(page.contains("not measured: no data"), "{page}");
        assert!(bench_text(&results).contains("0 of 2 promises kept, 2 not"), "{}", bench_text(&results));
    }
}
