//! What an intruder learns, target by target, beside what would be learned without the person's record and from a holdout.

use crate::judgement::few;
use crate::lights::Attack;
use crate::markup::{Markup, tag};
use crate::numbers::{figure, points};
use crate::svg::{
    Anchor, DataTable, Entry, Filling, Picture, Scale, Sign, Symbol, bar, bottom_axis, label, label_width,
    legend, point,
};

const WIDTH: f64 = 480.0;
/// Room for names, at most.
const NAMES: f64 = 190.0;
const ROW: f64 = 20.0;
/// Targets beyond this many are in the table only.
const SHOWN: usize = 24;

/// One bar an attack on these keys, those that find most beyond the base first.
pub(crate) fn attribute_risk(number: usize, attacks: &[&Attack]) -> Picture {
    let has_holdout = attacks.iter().any(|attack| attack.holdout.is_some());
    let mut entries = vec![
        Entry { sign: Sign::Bar(Filling::Synthetic), text: "learned from the release (DiSCO)".into() },
        Entry {
            sign: Sign::Bar(Filling::Original),
            text: "learned without that person's record (base rate)".into(),
        },
    ];
    if has_holdout {
        let sign = Sign::Point(Symbol::Diamond, "mark series-7".into());
        entries.push(Entry { sign, text: "learned from the holdout".into() });
    }
    let (legend, height) = legend(&entries, (4.0, 4.0), WIDTH - 8.0);
    let shown = &attacks[..attacks.len().min(SHOWN)];
    let longest = shown.iter().map(|attack| label_width(&attack.target)).fold(40.0, f64::max);
    let names = (longest + 8.0).min(NAMES);
    let (left, right, top) = (names + 6.0, WIDTH - 52.0, height + 12.0);
    let values = shown.iter().flat_map(|one| [one.disclosed, one.base, one.holdout.unwrap_or(0.0)]);
    let most = values.fold(1.0, f64::max);
    let scale = Scale::linear((0.0, most * 1.05), (left, right));
    let bottom = top + ROW * shown.len() as f64 + 4.0;
    let mut marks = Markup::from(legend);
    marks.push(bottom_axis(&scale, (left, right), (bottom, top), "% of people"));
    for (at, attack) in shown.iter().enumerate() {
        let y = top + ROW * at as f64;
        let told = told(attack);
        let mut row = tag("g")
            .add(tag("title").text(&told))
            .add(bar((scale.at(0.0), y + 3.0), (scale.at(attack.disclosed), y + 10.0), Filling::Synthetic))
            .add(bar((scale.at(0.0), y + 11.5), (scale.at(attack.base), y + 17.0), Filling::Original));
        if let Some(holdout) = attack.holdout {
            row = row.add(
                point((scale.at(holdout), y + 10.0), 4.0, Symbol::Diamond).with("class", "mark series-7"),
            );
        }
        marks.push(row);
        marks.push(label(&attack.target, (names, y + 14.0), Anchor::End, names - 6.0));
        let text = points(attack.excess() / 100.0);
        marks.push(label(&text, (WIDTH - 4.0, y + 14.0), Anchor::End, 56.0).with("class", "quiet-text"));
    }
    let keys = attacks.first().map_or(&[][..], |attack| &attack.keys);
    let rows = attacks.iter().map(|attack| {
        let holdout = attack.holdout.map_or_else(|| "–".to_owned(), figure);
        vec![
            attack.target.clone(),
            figure(attack.disclosed),
            figure(attack.base),
            holdout,
            figure(attack.excess()),
        ]
    });
    let head = ["target", "learned, %", "without their record, %", "from the holdout, %", "excess, points"];
    Picture {
        name: super::file_name("attributes", number, &keys.join("-")),
        title: format!("Who knows {} learns …", few(keys)),
        description: attacks.iter().take(6).map(|attack| told(attack)).collect::<Vec<_>>().join("; "),
        size: (WIDTH, bottom + 40.0),
        marks,
        table: DataTable::new(head, rows.collect()),
    }
}

fn told(attack: &Attack) -> String {
    format!(
        "{}: learned for {} % of people, {} % without their record",
        attack.target,
        figure(attack.disclosed),
        figure(attack.base)
    )
}
