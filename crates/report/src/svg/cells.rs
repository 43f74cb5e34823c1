//! Cells of a table, shaded by a number.

use super::px;
use crate::markup::{Tag, tag};

/// How dark a cell is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shade {
    /// From 0, as the paper, to 1.
    Amount(f64),
    /// From −1, one colour, by 0, as the paper, to 1, another.
    Signed(f64),
    /// No number: hatched.
    Unknown,
}

/// A square or rectangle with its upper left corner at a place.
pub(crate) fn cell((x, y): (f64, f64), (width, height): (f64, f64), shade: Shade) -> Tag {
    let cell =
        tag("rect").with("x", px(x)).with("y", px(y)).with("width", px(width)).with("height", px(height));
    let shaded = |class: &'static str, amount: f64| {
        cell.clone().with("class", class).with("fill-opacity", format!("{:.2}", amount.abs().min(1.0)))
    };
    match shade {
        Shade::Amount(amount) => shaded("cell", amount),
        Shade::Signed(amount) if amount < 0.0 => shaded("cell less", amount),
        Shade::Signed(amount) => shaded("cell more", amount),
        Shade::Unknown => cell.clone().with("class", "cell unknown"),
    }
}
