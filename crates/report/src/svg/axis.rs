//! Axes: a line, round numbers, and what they count.

use super::label::{Anchor, label, label_width};
use super::scale::tick_label;
use super::{Scale, Stroke, line};
use crate::markup::{Markup, Tag, tag};

/// An axis below a field from `left` to `right` at height `y`, with faint lines up to `top`.
pub(crate) fn bottom_axis(scale: &Scale, (left, right): (f64, f64), (y, top): (f64, f64), name: &str) -> Tag {
    let wanted = ((right - left) / 42.0).max(2.0) as usize;
    let mut last = f64::NEG_INFINITY;
    let mut axis = tag("g").with("class", "axis x-axis").add(line((left, y), (right, y), Stroke::Axis));
    for tick in scale.ticks(wanted) {
        let (x, text) = (scale.at(tick), tick_label(tick));
        axis = axis.add(line((x, y), (x, top), Stroke::Grid));
        let half = label_width(&text) / 2.0;
        if x - half > last + 4.0 && x + half <= right + 30.0 {
            last = x + half;
            axis = axis.add(label(&text, (x, y + 15.0), Anchor::Middle, f64::INFINITY));
        }
    }
    axis.add(named(label(name, ((left + right) / 2.0, y + 33.0), Anchor::Middle, right - left + 60.0)))
}

/// An axis left of a field from `top` to `bottom` at `x`, with faint lines to `right`. Its name stands above it.
pub(crate) fn left_axis(scale: &Scale, (top, bottom): (f64, f64), (x, right): (f64, f64), name: &str) -> Tag {
    let wanted = ((bottom - top) / 28.0).max(2.0) as usize;
    let ticks: Markup = scale
        .ticks(wanted)
        .into_iter()
        .map(|tick| {
            let y = scale.at(tick);
            let number = label(&tick_label(tick), (x - 6.0, y + 4.0), Anchor::End, f64::INFINITY);
            tag("g").add(line((x, y), (right, y), Stroke::Grid)).add(number)
        })
        .collect();
    tag("g")
        .with("class", "axis y-axis")
        .add(line((x, top), (x, bottom), Stroke::Axis))
        .add(ticks)
        .add(named(label(name, (4.0, top - 10.0), Anchor::Start, right - 4.0)))
}

fn named(label: Tag) -> Tag {
    label.with("class", "axis-name")
}
