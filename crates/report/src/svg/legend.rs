//! What the signs of a picture mean.

use super::label::{Anchor, label, label_width};
use super::{Filling, Stroke, Symbol, bar, line, point, px, rectangle};
use crate::markup::{Markup, Tag, tag};

/// One line of a legend.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The sign.
    pub(crate) sign: Sign,
    /// What it means.
    pub(crate) text: String,
}

/// A sign of a legend.
#[derive(Clone, Debug)]
pub(crate) enum Sign {
    /// A bar.
    Bar(Filling),
    /// A shaded part of a field.
    Zone,
    /// A line.
    Line(Stroke),
    /// A point with the class of its style.
    Point(Symbol, String),
    /// A curve with points on it.
    Curve {
        /// The class of its colour.
        colour: String,
        /// The class of the curve.
        curve: &'static str,
        /// Its points with their class, where they are drawn.
        points: Option<(Symbol, &'static str)>,
    },
}

impl Sign {
    /// A curve is long enough to show its dashes beside a point.
    fn width(&self) -> f64 {
        if matches!(self, Self::Curve { .. }) { 36.0 } else { 16.0 }
    }
}

/// Entries one after the other from a place on, in as many rows as `width` asks for; with the height that they take.
pub(crate) fn legend(entries: &[Entry], (left, top): (f64, f64), width: f64) -> (Tag, f64) {
    const ROW: f64 = 18.0;
    let (mut x, mut y) = (left, top);
    let mut signs = Markup::default();
    for Entry { sign, text } in entries {
        let beside = sign.width() + 8.0;
        let room = beside + label_width(text).min(width - beside);
        if x > left && x + room > left + width {
            (x, y) = (left, y + ROW);
        }
        signs.push(match sign {
            Sign::Bar(filling) => bar((x, y + 2.0), (x + 14.0, y + 12.0), *filling),
            Sign::Zone => rectangle((x, y + 1.0), (x + 16.0, y + 13.0), "kept-zone"),
            Sign::Line(stroke) => line((x, y + 7.0), (x + 16.0, y + 7.0), *stroke),
            Sign::Point(symbol, class) => point((x + 8.0, y + 7.0), 5.0, *symbol).with("class", class),
            Sign::Curve { colour, curve, points } => {
                let middle = (x + sign.width() / 2.0, y + 7.0);
                let stroke = tag("line").with("x1", px(x)).with("y1", px(middle.1));
                let stroke = stroke.with("x2", px(x + sign.width())).with("y2", px(middle.1));
                tag("g")
                    .with("class", colour)
                    .add(stroke.with("class", curve))
                    .all(points.map(|(symbol, class)| point(middle, 3.5, symbol).with("class", class)))
            }
        });
        signs.push(label(text, (x + beside - 4.0, y + 11.0), Anchor::Start, width - beside + 4.0));
        x += room + 14.0;
    }
    (tag("g").with("class", "legend").add(signs), y + ROW - top)
}
