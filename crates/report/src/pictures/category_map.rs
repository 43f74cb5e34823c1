//! The map of categories: where each lies in the original, and where in the synthetic file.

use release::evidence::CategoryPlaces;

use crate::markup::{Markup, tag};
use crate::numbers::{class_name, figure};
use crate::svg::{
    DataTable, Entry, Labels, Picture, Scale, Sign, Stroke, Symbol, bottom_axis, left_axis, legend, line,
    point,
};

const SIZE: (f64, f64) = (560.0, 460.0);
/// How many of the categories that moved furthest carry their names.
const NAMED: usize = 12;

/// The map with a line from each place in the original to that in the synthetic file.
pub(crate) fn category_map(of: &CategoryPlaces) -> Picture {
    let entries = [
        Entry { sign: Sign::Point(Symbol::Circle, "original-point".into()), text: "original".into() },
        Entry { sign: Sign::Point(Symbol::Square, "synthetic-point".into()), text: "synthetic".into() },
        Entry { sign: Sign::Line(Stroke::Spread), text: "how far a category moved".into() },
    ];
    let (legend, height) = legend(&entries, (4.0, 4.0), SIZE.0 - 8.0);
    let (left, right, top, bottom) = (50.0, SIZE.0 - 20.0, height + 30.0, SIZE.1 - 44.0);
    let scale = |dimension: usize, to: (f64, f64)| {
        Scale::of(
            of.places.iter().flat_map(move |place| [place.original[dimension], place.synthetic[dimension]]),
            to,
        )
    };
    let (x, y) = (scale(0, (left, right)), scale(1, (bottom, top)));
    let at = |place: [f64; 2]| (x.at(place[0]), y.at(place[1]));
    let mut marks = Markup::from(legend);
    marks.push(bottom_axis(&x, (left, right), (bottom, top), "first dimension"));
    marks.push(left_axis(&y, (top, bottom), (left, right), "second dimension"));
    let mut labels = Labels::within([left, top, right + 16.0, bottom]);
    for place in &of.places {
        let text = format!("{} = {}: moved by {}", place.variable, place.class, figure(place.distance));
        let mark = tag("g")
            .add(tag("title").text(text))
            .add(line(at(place.original), at(place.synthetic), Stroke::Spread))
            .add(point(at(place.original), 3.0, Symbol::Circle).with("class", "original-point"))
            .add(point(at(place.synthetic), 2.5, Symbol::Square).with("class", "synthetic-point"));
        marks.push(mark);
        labels.keep_free(at(place.synthetic), 3.0);
        labels.keep_free(at(place.original), 3.0);
    }
    for place in of.places.iter().take(NAMED) {
        let text =
            crate::svg::shortened(&format!("{} = {}", place.variable, class_name(&place.class)), 190.0);
        marks.push(labels.place(&text, at(place.synthetic), "place-name"));
    }
    let pair = |place: [f64; 2]| format!("{}, {}", figure(place[0]), figure(place[1]));
    let rows = of.places.iter().map(|place| {
        vec![
            format!("{} = {}", place.variable, place.class),
            pair(place.original),
            pair(place.synthetic),
            figure(place.distance),
        ]
    });
    let furthest = of.places.first();
    Picture {
        name: "category-map".into(),
        title: "Map of categories (multiple correspondence analysis)".into(),
        description: format!(
            "{} categories in the plane, each joined to its place in the synthetic file. {}",
            of.places.len(),
            furthest.map_or_else(String::new, |place| format!(
                "The furthest moved is {} = {}, by {}.",
                place.variable,
                place.class,
                figure(place.distance)
            ))
        ),
        size: SIZE,
        marks,
        table: DataTable::new(["category", "original", "synthetic", "distance"], rows.collect()),
    }
}
