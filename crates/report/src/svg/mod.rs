//! A small layer of marks from which every picture of a report is drawn: points, lines, bars, cells, intervals, axes, legends.
//!
//! Lengths are in pixels of the picture's own view box. Colours are CSS variables, so that one picture serves light, dark and
//! print; nothing depends on colour alone.

mod axis;
mod bars;
mod cells;
mod intervals;
mod label;
mod legend;
mod lines;
mod picture;
mod points;
mod scale;

pub(crate) use axis::{bottom_axis, left_axis};
pub(crate) use bars::{Filling, bar};
pub(crate) use cells::{Shade, cell};
pub(crate) use intervals::interval;
pub(crate) use label::{Anchor, Labels, label, label_width, shortened};
pub(crate) use legend::{Entry, Sign, legend};
pub(crate) use lines::{Stroke, line, path, rectangle};
pub(crate) use picture::{DataTable, PICTURE_STYLE, Picture};
pub(crate) use points::{Symbol, point};
pub(crate) use scale::Scale;

/// A coordinate with one decimal: enough for a picture, and short.
pub(crate) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}
