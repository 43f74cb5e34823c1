//! Lines, paths and frames.

use super::px;
use crate::markup::{Tag, tag};

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// An axis.
    Axis,
    /// A faint line of a grid.
    Grid,
    /// The original.
    Original,
    /// A synthetic file.
    Synthetic,
    /// What lies on the front.
    Front,
    /// From a place to where it moved, or the spread of runs.
    Spread,
    /// A value that is held against the others.
    Reference,
    /// A limit that must be kept.
    Limit,
}

impl Stroke {
    fn class(self) -> &'static str {
        match self {
            Self::Axis => "axis-line",
            Self::Grid => "grid",
            Self::Original => "line original-line",
            Self::Synthetic => "line synthetic-line",
            Self::Front => "front",
            Self::Spread => "spread",
            Self::Reference => "reference",
            Self::Limit => "limit",
        }
    }
}

/// A straight line.
pub(crate) fn line((x1, y1): (f64, f64), (x2, y2): (f64, f64), stroke: Stroke) -> Tag {
    tag("line")
        .with("x1", px(x1))
        .with("y1", px(y1))
        .with("x2", px(x2))
        .with("y2", px(y2))
        .with("class", stroke.class())
}

/// A line through several points.
pub(crate) fn path(points: &[(f64, f64)], stroke: Stroke) -> Tag {
    let list: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
    tag("polyline").with("points", list.join(" ")).with("class", stroke.class())
}

/// A rectangle from corner to corner.
pub(crate) fn rectangle((x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &'static str) -> Tag {
    tag("rect")
        .with("x", px(x1.min(x2)))
        .with("y", px(y1.min(y2)))
        .with("width", px((x2 - x1).abs()))
        .with("height", px((y2 - y1).abs()))
        .with("class", class)
}
