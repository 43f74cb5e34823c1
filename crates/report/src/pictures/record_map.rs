//! The records of both files in one plane: squares whose outline is the original's share and whose filling the synthetic one's.

use release::evidence::RecordMap;

use crate::markup::{Markup, tag};
use crate::numbers::share;
use crate::svg::{Anchor, DataTable, Entry, Filling, Picture, Sign, label, legend, rectangle};

const SQUARE: f64 = 16.0;

/// The map; the area of a square is the share of records.
pub(crate) fn record_map(of: &RecordMap) -> Picture {
    let entries = [
        Entry { sign: Sign::Bar(Filling::Original), text: "original".into() },
        Entry { sign: Sign::Bar(Filling::Synthetic), text: "synthetic".into() },
    ];
    let width = SQUARE * of.squares[0] as f64 + 20.0;
    let (legend, height) = legend(&entries, (4.0, 4.0), width - 8.0);
    let (left, top) = (10.0, height + 8.0);
    let bottom = top + SQUARE * of.squares[1] as f64;
    let most = of.places.iter().flat_map(|place| [place.original, place.synthetic]).fold(1e-12, f64::max);
    let side = |amount: f64| (SQUARE - 1.0) * (amount / most).sqrt();
    let mut marks = Markup::from(legend);
    marks.push(rectangle((left, top), (width - 10.0, bottom), "field"));
    let mut places = tag("g").with("class", "histogram");
    for place in &of.places {
        let x = left + SQUARE * (place.at[0] as f64 + 0.5);
        let y = bottom - SQUARE * (place.at[1] as f64 + 0.5);
        let square = |amount: f64, filling: &'static str| {
            let half = side(amount) / 2.0;
            rectangle((x - half, y - half), (x + half, y + half), filling)
        };
        let told = format!("original {}, synthetic {}", share(place.original), share(place.synthetic));
        let mut both = tag("g").add(tag("title").text(told));
        if place.synthetic > 0.0 {
            both = both.add(square(place.synthetic, "bar synthetic-bar"));
        }
        if place.original > 0.0 {
            both = both.add(square(place.original, "original-outline"));
        }
        places = places.add(both);
    }
    marks.push(places);
    marks.push(
        label("first axis →, second axis ↑", (width - 12.0, bottom + 14.0), Anchor::End, 220.0)
            .with("class", "quiet-text"),
    );
    let differ: f64 =
        of.places.iter().map(|place| (place.original - place.synthetic).abs()).sum::<f64>() / 2.0;
    let mut worst: Vec<_> = of.places.iter().collect();
    worst.sort_by(|one, other| {
        let gap = |place: &release::evidence::RecordPlace| (place.original - place.synthetic).abs();
        gap(other).total_cmp(&gap(one))
    });
    let rows = worst.iter().take(20).map(|place| {
        vec![
            format!("{}, {}", place.at[0] + 1, place.at[1] + 1),
            share(place.original),
            share(place.synthetic),
        ]
    });
    Picture {
        name: "record-map".into(),
        title: format!("Map of records: {} of them lie in another square", share(differ)),
        description: format!(
            "Squares of a plane on which records that are alike lie together; the area of outline and filling is the share of records of the original and of the synthetic files. {} of records lie in another square.",
            share(differ)
        ),
        size: (width, bottom + 20.0),
        marks,
        table: DataTable::new(["square (column, row)", "original", "synthetic"], rows.collect()),
    }
}
