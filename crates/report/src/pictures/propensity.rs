//! How well a classifier tells the files apart, against what chance would give.

use crate::judgement::{GOOD, USABLE};
use crate::markup::Markup;
use crate::numbers::figure;
use crate::svg::{Anchor, DataTable, Picture, Scale, Stroke, Symbol, bottom_axis, label, line, point};

const WIDTH: f64 = 440.0;
const NAMES: f64 = 182.0;

/// One point a classifier, on the scale of S_pMSE.
pub(crate) fn propensity(classifiers: &[(String, f64)]) -> Picture {
    let (left, right, top) = (NAMES + 10.0, WIDTH - 40.0, 24.0);
    let values = classifiers.iter().map(|(_, value)| value.max(0.1));
    let scale = Scale::of(values.chain([0.9, 60.0]), (left, right));
    let bottom = top + 26.0 * classifiers.len() as f64;
    let mut marks = Markup::default();
    marks.push(bottom_axis(&scale, (left, right), (bottom, top), "S_pMSE (1 is chance)"));
    for (value, text) in [(1.0, "chance"), (GOOD, "good to here"), (USABLE, "usable")] {
        let x = scale.at(value);
        marks.push(line((x, top), (x, bottom), Stroke::Reference));
        let anchor = if value == USABLE { Anchor::Start } else { Anchor::Middle };
        marks.push(label(text, (x, top - 8.0), anchor, 90.0));
    }
    for (at, (name, value)) in classifiers.iter().enumerate() {
        let y = top + 26.0 * at as f64 + 13.0;
        marks.push(label(name, (NAMES, y + 4.0), Anchor::End, NAMES - 6.0));
        marks
            .push(point((scale.at(value.max(0.1)), y), 5.0, Symbol::Square).with("class", "synthetic-point"));
    }
    let told: Vec<String> =
        classifiers.iter().map(|(name, value)| format!("{name}: {}", figure(*value))).collect();
    Picture {
        name: "classifiers".into(),
        title: "Can a classifier tell the files apart?".into(),
        description: format!("Standardised propensity scores. {}.", told.join("; ")),
        size: (WIDTH, bottom + 42.0),
        marks,
        table: DataTable::new(
            ["classifier", "S_pMSE"],
            classifiers.iter().map(|(name, value)| vec![name.clone(), figure(*value)]).collect(),
        ),
    }
}
