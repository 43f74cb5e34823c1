//! One number on a small scale with its thresholds: where it is green, amber and red.

use crate::lights::Gauge;
use crate::markup::{Markup, Tag, tag};
use crate::svg::{Anchor, Scale, label, label_width, px, rectangle};

const SIZE: (f64, f64) = (300.0, 62.0);
const BAND: (f64, f64) = (22.0, 34.0);

/// A threshold without zeros after the point.
fn short(value: f64) -> String {
    let text = crate::numbers::figure(value);
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The scale as a picture within a text. It is told in full by its label.
pub(crate) fn gauge(of: &Gauge) -> Tag {
    let (left, right) = (6.0, SIZE.0 - 6.0);
    let far = of.marks.iter().map(|(at, _)| *at).chain([of.value, of.amber]).fold(0.0, f64::max);
    let scale = if of.is_log {
        let positive = of.marks.iter().map(|(at, _)| *at).chain([of.value]).filter(|at| *at > 0.0);
        let low = positive.fold(of.green.max(1e-9), f64::min);
        Scale::logarithmic((0.5 * low, 2.0 * far), (left, right))
    } else {
        Scale::linear((0.0, if far > 0.0 { 1.25 * far } else { 1.0 }), (left, right))
    };
    let at = |value: f64| scale.at(value).clamp(left, right);
    let mut marks = Markup::default();
    let ends = [left, at(of.green), at(of.amber), right];
    for (at, class) in ["zone green-zone", "zone amber-zone", "zone red-zone"].into_iter().enumerate() {
        if ends[at + 1] > ends[at] + 0.05 {
            marks.push(rectangle((ends[at], BAND.0), (ends[at + 1], BAND.1), class));
        }
    }
    let mut last = f64::NEG_INFINITY;
    let mut sorted = of.marks.clone();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    for (value, word) in &sorted {
        let x = at(*value);
        let number = short(*value);
        let place = |text: &str| {
            let half = label_width(text) / 2.0;
            (half, x.clamp(left + half, (right - half).max(left + half)))
        };
        let mut text = format!("{number} {word}");
        // A label that would run into the one before it stands to the right of its line, where there is room, or is its number alone.
        let beside = last + 7.0 + label_width(&text) / 2.0;
        let fits = beside + label_width(&text) / 2.0 <= right && beside - label_width(&text) / 2.0 <= x + 4.0;
        let runs_into = place(&text).1 - place(&text).0 <= last + 6.0;
        if runs_into && !fits {
            text = number;
        }
        let (half, middle) = match place(&text) {
            (half, _) if runs_into && fits => (half, beside),
            place => place,
        };
        marks.push(
            tag("line")
                .with("x1", px(x))
                .with("x2", px(x))
                .with("y1", px(BAND.0 - 2.0))
                .with("y2", px(BAND.1 + 4.0))
                .with("class", "axis-line"),
        );
        if middle - half > last + 6.0 {
            last = middle + half;
            marks.push(
                label(&text, (middle, BAND.1 + 17.0), Anchor::Middle, SIZE.0).with("class", "quiet-text"),
            );
        }
    }
    let x = at(of.value);
    let pointer = format!("M{} {}l-6 -9h12Z", px(x), px(BAND.0 + 3.0));
    marks.push(tag("path").with("d", pointer).with("class", "pointer"));
    let half = label_width(&of.written) / 2.0 + 2.0;
    let middle = x.clamp(left + half, right - half);
    marks
        .push(label(&of.written, (middle, BAND.0 - 10.0), Anchor::Middle, SIZE.0).with("class", "axis-name"));
    let told: Vec<String> = sorted.iter().map(|(at, word)| format!("{} {word}", short(*at))).collect();
    tag("svg")
        .with("xmlns", "http://www.w3.org/2000/svg")
        .with("viewBox", format!("0 0 {} {}", px(SIZE.0), px(SIZE.1)))
        .with("width", px(SIZE.0))
        .with("height", px(SIZE.1))
        .with("class", "picture gauge")
        .with("role", "img")
        .with("aria-label", format!("{}: {}; {}", of.name, of.written, told.join(", ")))
        .add(tag("title").text(format!("{}: {}", of.name, of.written)))
        .add(marks)
}
