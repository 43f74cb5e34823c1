//! S_pMSE of every two-way table, as a triangle of cells.

use measures::Finding;
use measures::utility::tables;

use crate::judgement::{GOOD, USABLE, judged};
use crate::markup::{Markup, tag};
use crate::numbers::{figure, figure_or_dash};
use crate::svg::{Anchor, DataTable, Picture, Shade, cell, label, label_width, px};

const NAMES: f64 = 120.0;
/// S_pMSE at which a cell is darkest; from there on all is equally bad.
const DARKEST: f64 = 100.0;

/// The heat map; none where fewer than two variables were crossed.
pub(crate) fn heat_map(findings: &[&Finding]) -> Option<Picture> {
    let pairs: Vec<(&str, &str, Option<f64>)> = findings
        .iter()
        .filter(|finding| finding.measure == tables::names::S_PMSE && finding.on.len() == 2)
        .map(|finding| (finding.on[0].as_str(), finding.on[1].as_str(), finding.value))
        .collect();
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
        let shade = value.map_or(Shade::Unknown, |value| {
            Shade::Amount((value.max(1.0).ln() / DARKEST.ln()).clamp(0.03, 1.0))
        });
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
    let keys = [(0.03, "", "1: fresh sample"), (0.5, "!", "over 10: with care"), (1.0, "✕", "over 30: poor")];
    for (at, (amount, sign, text)) in keys.into_iter().enumerate() {
        let y = bottom + 12.0 + 20.0 * at as f64;
        marks.push(cell((8.0, y), (14.0, 14.0), Shade::Amount(amount)));
        let class = if amount == 1.0 { "on-dark" } else { "sign" };
        marks.push(label(sign, (15.0, y + 11.0), Anchor::Middle, 40.0).with("class", class));
        marks.push(label(text, (30.0, y + 11.0), Anchor::Start, width - 40.0));
    }
    let mut sorted = pairs.clone();
    sorted.sort_by(|one, other| other.2.unwrap_or(f64::MAX).total_cmp(&one.2.unwrap_or(f64::MAX)));
    let rows = sorted.iter().map(|(one, other, value)| {
        let word = value.map_or("could not be computed", judged);
        vec![format!("{one} by {other}"), figure_or_dash(*value), word.to_owned()]
    });
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
        size: (width, bottom + 76.0),
        marks,
        table: DataTable::new(["table", "S_pMSE", "in words"], rows.collect()),
    })
}
