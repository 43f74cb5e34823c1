//! Coefficients of a model with their intervals, in the original and in the synthetic files.

use crate::markup::{Markup, tag};
use crate::numbers::figure;
use crate::svg::{
    Anchor, DataTable, Entry, Filling, Picture, Scale, Sign, Stroke, Symbol, interval, label, label_width,
    legend, line,
};

/// One coefficient: its estimate and the limits of its interval in each file.
pub(crate) struct Coefficient {
    /// Its name.
    pub(crate) name: String,
    /// Low, estimate and high in the original, where it is shown.
    pub(crate) original: Option<[f64; 3]>,
    /// Low, estimate and high in the synthetic files.
    pub(crate) synthetic: Option<[f64; 3]>,
}

const WIDTH: f64 = 480.0;
/// Room for names, at most.
const NAMES: f64 = 190.0;
const ROW: f64 = 26.0;

/// Intervals row by row. Each row has a scale of its own, because coefficients count different things: what matters is how the two
/// intervals lie to each other and to zero. `synthetic` says what the intervals of the synthetic files are.
pub(crate) fn coefficients(name: String, title: String, synthetic: &str, all: &[Coefficient]) -> Picture {
    let has_original = all.iter().any(|one| one.original.is_some());
    let entries = [
        (Symbol::Circle, "original-point", "original, 95 % interval", has_original),
        (Symbol::Square, "synthetic-point", synthetic, true),
    ];
    let mut entries: Vec<Entry> = entries
        .into_iter()
        .filter(|(.., shown)| *shown)
        .map(|(symbol, class, text, _)| Entry { sign: Sign::Point(symbol, class.into()), text: text.into() })
        .collect();
    entries.push(Entry { sign: Sign::Line(Stroke::Reference), text: "zero".into() });
    let (legend, height) = legend(&entries, (4.0, 4.0), WIDTH - 8.0);
    let top = height + 12.0;
    let longest = all.iter().map(|one| label_width(&one.name)).fold(40.0, f64::max);
    let names = (longest + 8.0).min(NAMES);
    let (left, right) = (names + 10.0, WIDTH - 20.0);
    let mut marks = Markup::from(legend);
    for (at, coefficient) in all.iter().enumerate() {
        let y = top + ROW * at as f64 + ROW / 2.0;
        let limits = [coefficient.original, coefficient.synthetic].into_iter().flatten().flatten();
        let scale = Scale::of(limits.clone().chain([0.0]), (left, right));
        marks.push(label(&coefficient.name, (names, y + 4.0), Anchor::End, names - 6.0));
        marks.push(line((left, y + ROW / 2.0), (right, y + ROW / 2.0), Stroke::Grid));
        marks.push(line((scale.at(0.0), y - ROW / 2.0), (scale.at(0.0), y + ROW / 2.0), Stroke::Reference));
        for (whose, limits, shift) in [
            (Filling::Original, coefficient.original, -5.0),
            (Filling::Synthetic, coefficient.synthetic, 5.0),
        ] {
            let Some([low, middle, high]) = limits else { continue };
            let mark = interval((scale.at(low), scale.at(middle), scale.at(high)), y + shift, whose);
            marks.push(mark.add(tag("title").text(format!("{}: {}", coefficient.name, written(limits)))));
        }
    }
    let bottom = top + ROW * all.len() as f64;
    marks.push(label(
        "each row has its own scale",
        ((left + right) / 2.0, bottom + 16.0),
        Anchor::Middle,
        right - left,
    ));
    let rows =
        all.iter().map(|one| vec![one.name.clone(), written(one.original), written(one.synthetic)]).collect();
    Picture {
        name,
        description: format!("Intervals of {} coefficients, row by row.", all.len()),
        title,
        size: (WIDTH, bottom + 26.0),
        marks,
        table: DataTable::new(["coefficient", "original", "synthetic"], rows),
    }
}

fn written(limits: Option<[f64; 3]>) -> String {
    match limits {
        Some([low, middle, high]) => format!("{} ({} to {})", figure(middle), figure(low), figure(high)),
        None => "–".to_owned(),
    }
}
