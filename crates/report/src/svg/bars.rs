//! Bars.

use super::rectangle;
use crate::markup::Tag;

/// Whose bar it is; the original is an outline and a synthetic file is filled, so that colour is not needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filling {
    /// The original.
    Original,
    /// The synthetic files.
    Synthetic,
}

impl Filling {
    /// The class of its style.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Original => "bar original-bar",
            Self::Synthetic => "bar synthetic-bar",
        }
    }
}

/// A bar from corner to corner.
pub(crate) fn bar(one: (f64, f64), other: (f64, f64), filling: Filling) -> Tag {
    rectangle(one, other, filling.class())
}
