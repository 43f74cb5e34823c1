//! Shares of a whole as one bar each.

use crate::numbers::share;
use crate::pictures::paired_bars::{Row, Sides, paired_bars};
use crate::svg::Picture;

/// What a tree uses to tell the files apart.
pub(crate) fn importance(of: &[(String, f64)]) -> Picture {
    const SHOWN: usize = 12;
    let row =
        |(name, value): &(String, f64)| Row { name: name.clone(), original: None, synthetic: Some(*value) };
    let rows: Vec<Row> = of.iter().take(SHOWN).map(row).collect();
    let sides = Sides {
        original: None,
        synthetic: "share of what the tree uses",
        axis: "% of what it uses",
        written: share,
        times: 100.0,
        widths: (440.0, 190.0),
    };
    let title = "What the tree uses to tell the files apart".to_owned();
    paired_bars("importance".into(), title, &rows, &sides)
}
