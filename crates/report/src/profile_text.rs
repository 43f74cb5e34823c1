//! A table's profile on a terminal.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};
use table::figures::{percent, thousands};
use table::profile::{Profile, VariableProfile};

/// Levels longer than this are not written out.
const LONGEST_CELLS: usize = 40;

/// The profile of the table called `name`.
pub fn profile_text(name: &str, profile: &Profile) -> String {
    let mut out =
        format!("{name}: {} records × {} variables\n\n", thousands(profile.rows), thousands(profile.columns));
    let has_labels = profile.variables.iter().any(|variable| variable.label.is_some());
    let label = has_labels.then_some("label");
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(
        ["variable", "kind", "shape", "levels", "missing", "codes", "smallest", "largest"]
            .into_iter()
            .chain(label),
    );
    for column in 3..5 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    profile.variables.iter().for_each(|variable| {
        let label = has_labels.then(|| variable.label.clone().unwrap_or_default());
        table.add_row(row(variable).into_iter().chain(label));
    });
    out.push_str(&table.trim_fmt());
    out.push_str("\n\n");
    let written = write_summary(&mut out, profile);
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    out
}

fn row(variable: &VariableProfile) -> Vec<String> {
    let codes = variable.codes.iter().map(|(code, records)| format!("{code}: {}", thousands(records)));
    let extreme = |extreme: &Option<table::profile::Extreme>| {
        extreme.as_ref().map_or_else(String::new, ToString::to_string)
    };
    vec![
        variable.name.clone(),
        variable.kind.to_owned(),
        glyphs(&variable.shape),
        match variable.levels_are_sampled {
            true => format!("≥ {}", thousands(variable.levels)),
            false => thousands(variable.levels),
        },
        if variable.missing == 0 { String::new() } else { thousands(variable.missing) },
        codes.collect::<Vec<_>>().join(", "),
        extreme(&variable.min),
        extreme(&variable.max),
    ]
}

/// Bars of a line of text; a share that is not 0 has one.
fn glyphs(shares: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let highest = shares.iter().copied().fold(0.0, f64::max);
    let bar = |share: &f64| match *share {
        0.0 => ' ',
        share => BARS[((share / highest * 8.0).ceil() as usize).clamp(1, 8) - 1],
    };
    shares.iter().map(bar).collect()
}

/// Each note with the variables it is about, in the order in which notes first occur.
fn shared_notes(profile: &Profile) -> Vec<(&str, Vec<&str>)> {
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    for variable in &profile.variables {
        for note in &variable.notes {
            match notes.iter_mut().find(|(known, _)| known == note) {
                Some((_, variables)) => variables.push(&variable.name),
                None => notes.push((note, vec![&variable.name])),
            }
        }
    }
    notes
}

fn write_summary(out: &mut String, profile: &Profile) -> std::fmt::Result {
    if let Some(sampled) =
        profile.sampled.filter(|_| profile.variables.iter().any(|of| of.levels_are_sampled))
    {
        writeln!(
            out,
            "≥: so many different values are among {} records drawn at random, which also gave the shapes of numbers\n",
            thousands(sampled)
        )?;
    }
    let notes = shared_notes(profile);
    if !notes.is_empty() {
        match profile.sampled {
            Some(sampled) => writeln!(out, "To know, from {} records drawn at random", thousands(sampled))?,
            None => writeln!(out, "To know")?,
        }
        for (note, variables) in notes {
            writeln!(out, "  {}: {note}", variables.join(", "))?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "Risk in the table itself (cross-table of all variables but identifiers, numbers in classes)"
    )?;
    let cells = thousands(&profile.cells);
    let cells = match profile.cells.len() {
        digits if digits > LONGEST_CELLS => format!("{cells} (about 10^{})", digits - 1),
        _ => cells,
    };
    writeln!(out, "  cells    {cells}")?;
    // A table with a record has a cell that is not empty, even where a double cannot tell.
    writeln!(out, "  empty    {}", percent(profile.empty_cells_share.min(1.0 - f64::EPSILON), 4))?;
    writeln!(out, "  unique   {} of the records are alone in their cell", percent(profile.unique_share, 2))?;
    if let Some(keys) = &profile.keys {
        writeln!(out, "\nRisk on the keys {}", keys.keys.join(", "))?;
        writeln!(out, "  groups   {}", thousands(keys.groups))?;
        let share = percent(keys.unique_share, 2);
        writeln!(
            out,
            "  unique   {} records ({share}) are alone with their values",
            thousands(keys.uniques)
        )?;
        for group in &keys.smallest_groups {
            let records = if group.size == 1 { "record" } else { "records" };
            writeln!(out, "  {} groups of {} {records}", thousands(group.groups), thousands(group.size))?;
        }
    }
    if !profile.violations.is_empty() {
        writeln!(out, "\nThe table does not keep its schema")?;
        for violation in &profile.violations {
            let rows: Vec<String> = violation.rows.iter().map(usize::to_string).collect();
            let more = if violation.records as usize > rows.len() { ", …" } else { "" };
            let records = thousands(violation.records);
            writeln!(out, "  {}: {records} records (rows {}{more})", violation.violation, rows.join(", "))?;
        }
    }
    Ok(())
}
