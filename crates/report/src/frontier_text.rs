//! A frontier on a terminal.

use comfy_table::{CellAlignment, Table, presets};
use frontier::recommendation::figures;
use frontier::{Contestant, Estimated, Frontier, PlannedContestant};
use table::figures::{percent, thousands};

/// What theory says before anything is run.
pub fn planned_text(planned: &[PlannedContestant]) -> String {
    if planned.is_empty() {
        return String::new();
    }
    let mut measures: Vec<&str> = Vec::new();
    for (axis, _) in planned.iter().flat_map(|contestant| &contestant.expected) {
        if !measures.contains(&axis.measure.as_str()) {
            measures.push(&axis.measure);
        }
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(std::iter::once("contestant").chain(measures.iter().copied()));
    for contestant in planned {
        let expected = |measure: &&str| {
            let of = contestant.expected.iter().find(|(axis, _)| axis.measure == *measure);
            of.map_or_else(String::new, |(_, value)| figures(*value))
        };
        table.add_row(std::iter::once(contestant.name.clone()).chain(measures.iter().map(expected)));
    }
    align_numbers(&mut table);
    format!("Known before anything is generated:\n\n{}\n\n", table.trim_fmt())
}

/// Contestants on the chosen axes, where they stand, and what to release.
pub fn frontier_text(frontier: &Frontier) -> String {
    told(frontier, false)
}

/// The same with what was remarked of single versions.
pub fn frontier_text_in_full(frontier: &Frontier) -> String {
    told(frontier, true)
}

fn told(frontier: &Frontier, in_full: bool) -> String {
    let (risk, utility) = (position(frontier, true), position(frontier, false));
    let has_limits = !frontier.limits.is_empty();
    let mut table = Table::new();
    let mut header = vec!["contestant".to_owned(), "runs".to_owned()];
    for label in [&frontier.risk.label, &frontier.utility.label] {
        header.extend([label.clone(), "± sd".to_owned()]);
    }
    header.extend(["front", "dominated"].map(str::to_owned));
    header.extend(has_limits.then(|| "limits".to_owned()));
    table.load_style(presets::NOTHING).set_header(header);
    for contestant in in_order(frontier, utility) {
        let mut row = vec![contestant.name.clone(), contestant.runs.to_string()];
        for axis in [risk, utility] {
            let value = contestant.values.get(axis).copied().flatten();
            row.extend([shown(value), value.and_then(|value| value.sd).map_or_else(String::new, figures)]);
        }
        row.extend(match &contestant.place {
            Some(place) => {
                let front = if place.on_front { "yes" } else { "" };
                [front.to_owned(), percent(place.dominated_probability, 0)]
            }
            None => [if contestant.failed.is_some() { "failed" } else { "" }.to_owned(), String::new()],
        });
        if has_limits {
            let broken = contestant.checks.iter().filter(|check| !check.kept).count();
            row.push(match (contestant.checks.is_empty(), broken) {
                (true, _) => String::new(),
                (false, 0) => "kept".to_owned(),
                (false, broken) => format!("{broken} broken"),
            });
        }
        table.add_row(row);
    }
    align_numbers(&mut table);
    let mut text = format!(
        "{}: {} records, {} variables; every recipe run {}\n\n{}\n\n",
        frontier.data,
        thousands(frontier.rows),
        frontier.columns,
        if frontier.repeat == 1 { "once".to_owned() } else { format!("{} times", frontier.repeat) },
        table.trim_fmt()
    );
    text.push_str(
        "front: no other is at least as good on both axes and better on one, by the means. dominated: how likely a run is beaten by a run \
         of some other.\n",
    );
    let mut remarks: Vec<(&String, Vec<&str>)> = Vec::new();
    for contestant in &frontier.contestants {
        if let Some(because) = &contestant.failed {
            text.push_str(&format!("{} failed: {because}\n", contestant.name));
        }
        for remark in &contestant.remarks {
            match remarks.iter_mut().find(|(known, _)| *known == remark) {
                Some((_, names)) => names.push(&contestant.name),
                None => remarks.push((remark, vec![&contestant.name])),
            }
        }
    }
    if in_full {
        for (remark, names) in &remarks {
            text.push_str(&format!("{}: {remark}\n", names.join(", ")));
        }
    }
    for remark in &frontier.remarks {
        text.push_str(&format!("{remark}\n"));
    }
    let next = &frontier.recommendation.runners_up;
    text.push_str(&format!("\n{}\n", frontier.recommendation.reason));
    if !next.is_empty() {
        text.push_str(&format!("Next best: {}.\n", next.join(", ")));
    }
    if !in_full && !remarks.is_empty() {
        let remarks =
            if remarks.len() == 1 { "one remark".to_owned() } else { format!("{} remarks", remarks.len()) };
        text.push_str(&format!("--verbose prints {remarks} on how single versions were made.\n"));
    }
    text
}

/// Best utility first; those without a place last, in their own order.
fn in_order(frontier: &Frontier, utility: usize) -> Vec<&Contestant> {
    let mut all: Vec<&Contestant> = frontier.contestants.iter().collect();
    let badness = |contestant: &Contestant| {
        let mean = contestant.values.get(utility).copied().flatten().map(|value| value.mean);
        let sign = if frontier.utility.better == measures::Better::Higher { -1.0 } else { 1.0 };
        mean.map_or(f64::INFINITY, |mean| sign * mean)
    };
    all.sort_by(|one, other| badness(one).total_cmp(&badness(other)));
    all
}

fn position(frontier: &Frontier, of_risk: bool) -> usize {
    let wanted = if of_risk { &frontier.risk } else { &frontier.utility };
    frontier.axes.iter().position(|axis| axis == wanted).unwrap_or_default()
}

fn shown(value: Option<Estimated>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| figures(value.mean))
}

fn align_numbers(table: &mut Table) {
    table.column_iter_mut().skip(1).for_each(|column| {
        column.set_cell_alignment(CellAlignment::Right);
    });
}
