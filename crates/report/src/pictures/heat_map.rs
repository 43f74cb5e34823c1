//! S_pMSE of every two-way table, as a triangle of cells.

use measures::Finding;
use measures::utility::tables;

use crate::judgement::{FRESH_SAMPLE, GOOD, USABLE, judged};
use crate::markup::{Markup, tag};
use crate::numbers::{figure, figure_or_dash};
use crate::svg::{Anchor, DataTable, Picture, Shade, cell, label, label_width, px};

const NAMES: f64 = 168.0;
/// S_pMSE at which a cell is darkest; from there on all is equally bad.
const DARKEST: f64 = 100.0;

/// The shade of a number, by its logarithm.
fn shade_of(s_pmse: f64) -> Shade {
    Shade::Amount((s_pmse.max(1.0).ln() / DARKEST.ln()).clamp(0.03, 1.0))
}

/// Every pair of variables with its S_pMSE, in the order of the findings.
fn pairs_of<'a>(findings: &[&'a Finding]) -> Vec<(&'a str, &'a str, Option<f64>)> {
    let pairs = findings.iter().filter(|one| one.measure == tables::names::S_PMSE && one.on.len() == 2);
    pairs.map(|one| (one.on[0].as_str(), one.on[1].as_str(), one.value)).collect()
}

/// Worst first; what could not be computed comes before all.
fn sorted<'a>(pairs: &[(&'a str, &'a str, Option<f64>)]) -> Vec<(&'a str, &'a str, Option<f64>)> {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|one, other| other.2.unwrap_or(f64::MAX).total_cmp(&one.2.unwrap_or(f64::MAX)));
    sorted
}

fn rows_of(pairs: &[(&str, &str, Option<f64>)]) -> DataTable {
    let rows = pairs.iter().map(|(one, other, value)| {
        let word = value.map_or("could not be computed", judged);
        vec![format!("{one} by {other}"), figure_or_dash(*value), word.to_owned()]
    });
    DataTable::new(["table", "S_pMSE", "in words"], rows.collect())
}

/// The pairs that are furthest off, as a table.
pub(crate) fn worst_pairs(findings: &[&Finding], shown: usize) -> DataTable {
    let mut pairs = sorted(&pairs_of(findings));
    pairs.truncate(shown);
    rows_of(&pairs)
}

/// The heat map; none where fewer than two variables were crossed.
pub(crate) fn heat_map(findings: &[&Finding]) -> Option<Picture> {
    let pairs = pairs_of(findings);
    let mut names: Vec<&str> = Vec::new();
    for name in pairs.iter().flat_map(|(one, other, _)| [*one, *other]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.len() < 2 {
        return None;
    }
    let position = |name: &str| names.iter().position(|known| *known == name).unwrap_or_default();
    let size = (520.0 / names.len() as f64).clamp(15.0, 44.0);
    let longest = names.iter().map(|name| label_width(name)).fold(0.0, f64::max).min(NAMES - 8.0);
    let top = longest + 12.0;
    let left = longest + 12.0;
    let mut marks = Markup::default();
    for (at, name) in names.iter().enumerate() {
        let middle = (at as f64 + 0.5) * size;
        if at > 0 {
            marks.push(label(name, (left - 6.0, top + middle + 4.0 - size), Anchor::End, NAMES - 8.0));
        }
        if at + 1 < names.len() {
            let (x, y) = (left + middle + 4.0, top - 6.0);
            let name = label(name, (x, y), Anchor::Start, NAMES - 8.0);
            marks.push(name.with("transform", format!("rotate(-90 {} {})", px(x), px(y))));
        }
    }
    for (one, other, value) in &pairs {
        let (column, row) = {
            let (one, other) = (position(one), position(other));
            (one.min(other), one.max(other))
        };
        let (x, y) = (left + column as f64 * size, top + (row - 1) as f64 * size);
        let shade = value.map_or(Shade::Unknown, shade_of);
        let text = match value {
            Some(value) => format!("{one} by {other}: {} ({})", figure(*value), judged(*value)),
            None => format!("{one} by {other}: could not be computed"),
        };
        marks.push(cell((x, y), (size, size), shade).add(tag("title").text(text)));
        // Not by shade alone: the bad ones carry a sign.
        let sign = match value {
            Some(value) if *value > USABLE => "✕",
            Some(value) if *value > GOOD => "!",
            _ => continue,
        };
        let class = if *value > Some(USABLE) { "on-dark" } else { "sign" };
        let mark = label(sign, (x + size / 2.0, y + size / 2.0 + 4.0), Anchor::Middle, size * 2.0);
        marks.push(mark.with("class", class).with("aria-hidden", "true"));
    }
    let bottom = top + (names.len() - 1) as f64 * size;
    let width = (left + (names.len() - 1) as f64 * size).max(330.0) + 10.0;
    let steps = [
        (1.0, "", "1 and less: as expected of a right generator"),
        (FRESH_SAMPLE, "", "2.5: as a fresh sample, up to here"),
        (GOOD, "", "10: good, up to here"),
        (20.0, "!", "over 10: usable with care"),
        (DARKEST, "✕", "over 30: poor; darkest from 100 on"),
    ];
    for (at, (value, sign, text)) in steps.into_iter().enumerate() {
        let y = bottom + 12.0 + 18.0 * at as f64;
        marks.push(cell((8.0, y), (14.0, 14.0), shade_of(value)));
        let class = if value == DARKEST { "on-dark" } else { "sign" };
        marks.push(label(sign, (15.0, y + 11.0), Anchor::Middle, 40.0).with("class", class));
        marks.push(label(text, (30.0, y + 11.0), Anchor::Start, width - 40.0));
    }
    let sorted = sorted(&pairs);
    let worst = sorted
        .iter()
        .find_map(|(one, other, value)| Some(format!("{one} by {other}, {}", figure((*value)?))));
    Some(Picture {
        name: "two-way-tables".into(),
        title: "S_pMSE of every two-way table".into(),
        description: format!(
            "A triangle of {} cells, darker where the synthetic table is further from the original one. The worst is {}.",
            pairs.len(),
            worst.unwrap_or_else(|| "not known".into())
        ),
        size: (width, bottom + 108.0),
        marks,
        table: rows_of(&sorted),
    })
}
