//! Points in eight shapes, so that groups are told apart without colour.

use super::px;
use crate::markup::{Tag, tag};

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// ●
    Circle,
    /// ■
    Square,
    /// ▲
    Up,
    /// ◆
    Diamond,
    /// ▼
    Down,
    /// ★
    Star,
    /// ⬟
    Pentagon,
    /// ✚
    Plus,
}

impl Symbol {
    /// All of them.
    pub(crate) const ALL: [Self; 8] = [
        Self::Circle,
        Self::Square,
        Self::Up,
        Self::Diamond,
        Self::Down,
        Self::Star,
        Self::Pentagon,
        Self::Plus,
    ];

    /// The outline about the origin, of about the same area for all.
    pub(crate) fn outline(self, r: f64) -> String {
        let polygon = |corners: &[(f64, f64)]| {
            let list: Vec<String> =
                corners.iter().map(|(x, y)| format!("{} {}", px(x * r), px(y * r))).collect();
            format!("M{}Z", list.join("L"))
        };
        let around = |corners: usize, radius: &dyn Fn(usize) -> f64, start: f64| {
            let corner = |at: usize| {
                let angle = start + std::f64::consts::TAU * at as f64 / corners as f64;
                (radius(at) * angle.cos(), radius(at) * angle.sin())
            };
            polygon(&(0..corners).map(corner).collect::<Vec<_>>())
        };
        let up = -std::f64::consts::FRAC_PI_2;
        match self {
            Self::Circle => {
                let (r, across) = (px(r), px(2.0 * r));
                format!("M-{r} 0a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0Z")
            }
            Self::Square => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Self::Up => around(3, &|_| 1.3, up),
            Self::Down => around(3, &|_| 1.3, -up),
            Self::Diamond => around(4, &|_| 1.25, up),
            Self::Star => around(10, &|at| if at % 2 == 0 { 1.4 } else { 0.65 }, up),
            Self::Pentagon => around(5, &|_| 1.15, up),
            Self::Plus => polygon(&[
                (-0.4, -1.2),
                (0.4, -1.2),
                (0.4, -0.4),
                (1.2, -0.4),
                (1.2, 0.4),
                (0.4, 0.4),
                (0.4, 1.2),
                (-0.4, 1.2),
                (-0.4, 0.4),
                (-1.2, 0.4),
                (-1.2, -0.4),
                (-0.4, -0.4),
            ]),
        }
    }
}

/// A point of about this radius at a place.
pub(crate) fn point((x, y): (f64, f64), radius: f64, symbol: Symbol) -> Tag {
    tag("path").with("d", symbol.outline(radius)).with("transform", format!("translate({} {})", px(x), px(y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_comes_back_to_where_it_began() {
        assert_eq!(Symbol::Circle.outline(5.5), "M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0Z");
    }

    #[test]
    fn every_shape_is_a_closed_outline_of_its_own() {
        let outlines: std::collections::BTreeSet<String> =
            Symbol::ALL.iter().map(|symbol| symbol.outline(5.0)).collect();
        assert_eq!(outlines.len(), Symbol::ALL.len());
        assert!(outlines.iter().all(|outline| outline.starts_with('M') && outline.ends_with('Z')));
    }
}
