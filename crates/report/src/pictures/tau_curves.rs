//! The τ metrics over sizes of cells.

use release::evidence::TauCurve;

use crate::markup::{Markup, tag};
use crate::numbers::figure_or_dash;
use crate::svg::{DataTable, Picture, Scale, Symbol, bottom_axis, label, left_axis, point};

const SIZE: (f64, f64) = (460.0, 300.0);

/// τ₃ (solid, circles) and τ₄ (dashed, squares) of one key set.
pub(crate) fn tau_curves(number: usize, of: &TauCurve) -> Picture {
    let (left, right, top, bottom) = (44.0, SIZE.0 - 20.0, 66.0, SIZE.1 - 44.0);
    let last = of.points.iter().map(|point| point.k).max().unwrap_or(1).max(2);
    let x = Scale::linear((0.5, last as f64 + 0.5), (left, right));
    let y = Scale::linear((0.0, 1.0), (bottom, top));
    let mut marks = Markup::default();
    marks.push(bottom_axis(&x, (left, right), (bottom, top), "size of a cell, k"));
    marks.push(left_axis(&y, (top, bottom), (left, right), "probability"));
    let curves = [
        ("series-0", "curve", Symbol::Circle, "τ₃: cells of size k that come out near k"),
        ("series-1", "curve dashed", Symbol::Square, "τ₄: cells near k that are of size k"),
    ];
    for (at, (series, class, symbol, text)) in curves.into_iter().enumerate() {
        let value = |point: &release::evidence::TauPoint| if at == 0 { point.tau3 } else { point.tau4 };
        let places: Vec<(f64, f64)> =
            of.points.iter().filter_map(|point| Some((x.at(point.k as f64), y.at(value(point)?)))).collect();
        let list: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let mut group = tag("g").with("class", series);
        group = group.add(tag("polyline").with("points", list.join(" ")).with("class", class));
        group = group.all(places.iter().map(|place| point(*place, 3.5, symbol).with("class", "mark")));
        let y = 12.0 + 18.0 * at as f64;
        group = group
            .add(tag("polyline").with("points", format!("6,{y} 26,{y}")).with("class", class))
            .add(point((16.0, y), 3.5, symbol).with("class", "mark"))
            .add(label(text, (32.0, y + 4.0), crate::svg::Anchor::Start, SIZE.0 - 40.0));
        marks.push(group);
    }
    let rows = of.points.iter().map(|point| {
        vec![format!("k = {}", point.k), figure_or_dash(point.tau3), figure_or_dash(point.tau4)]
    });
    let variables = crate::judgement::few(&of.variables);
    Picture {
        name: super::file_name("tau", number, &of.variables.join("-")),
        title: format!("τ metrics on {variables}, d = {}", of.d),
        description: format!("Two curves over the size of a cell of {variables}; lower is safer."),
        size: SIZE,
        marks,
        table: DataTable::new(["size", "τ₃", "τ₄"], rows.collect()),
    }
}
