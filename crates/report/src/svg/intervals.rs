//! Intervals: a line with its ends, and the estimate as a point on it.

use super::{Filling, Stroke, Symbol, line, point};
use crate::markup::{Tag, tag};

/// A horizontal interval at height `y`; the original has a hollow point, synthetic files a filled one.
pub(crate) fn interval((low, middle, high): (f64, f64, f64), y: f64, whose: Filling) -> Tag {
    let (stroke, symbol, class) = match whose {
        Filling::Original => (Stroke::Original, Symbol::Circle, "original-point"),
        Filling::Synthetic => (Stroke::Synthetic, Symbol::Square, "synthetic-point"),
    };
    tag("g")
        .add(line((low, y), (high, y), stroke))
        .all([low, high].map(|end| line((end, y - 3.0), (end, y + 3.0), stroke)))
        .add(point((middle, y), 3.5, symbol).with("class", class))
}
