//! Two-way tables: all of them as a heat map, the worst side by side.

use super::View;
use super::glossary::term;
use crate::markup::{Markup, tag};
use crate::pictures::{heat_map, pair_panels, pair_table, worst_pairs};
use crate::svg::Picture;

pub(super) fn pictures(view: &View<'_>) -> Vec<Picture> {
    heat_map(&view.findings).into_iter().chain(worst(view)).collect()
}

fn worst(view: &View<'_>) -> impl Iterator<Item = Picture> {
    let tables = view.internal.map_or(&[][..], |internal| &internal.worst_tables);
    tables.iter().enumerate().map(|(at, table)| pair_table(at, table))
}

/// The width of a map that has room beside it.
const MOST_BESIDE: f64 = 720.0;

pub(super) fn content(view: &View<'_>) -> Markup {
    let mut content = Markup::default();
    if let Some(map) = heat_map(&view.findings) {
        content.push(
            tag("p")
                .text("One cell for every pair of variables; point at one for its number, or open the numbers below. ")
                .add(term("S_pMSE"))
                .text(
                    " is 1 when the synthetic table differs from the original no more than a correct generator's would; up to 10 is good, up to 30 \
                     usable (Raab, Nowok & Dibben 2021).",
                ),
        );
        const SHOWN: usize = 12;
        let worst = worst_pairs(&view.findings, SHOWN);
        let beside = tag("div")
            .add(tag("h3").text(format!("The {} furthest off", worst.rows.len())))
            .add(worst.table());
        // A map of many variables needs the whole width.
        let is_wide = map.size.0 > MOST_BESIDE;
        let both = tag("div").with("class", if is_wide { "stacked" } else { "columns" });
        content.push(both.add(map.figure()).add(beside));
    }
    let worst = view.internal.map_or(&[][..], |internal| &internal.worst_tables);
    if !worst.is_empty() {
        content.push(tag("h3").text(format!("The {} worst tables, side by side", worst.len())));
        content.push(tag("p").text(
            "Each cell is a share of all records; what differs is in the third panel, marked where it is more (+) or less (−) than in the original. Rare classes \
             of long lists stand together.",
        ));
        content.push(tag("div").all(worst.iter().enumerate().map(|(at, table)| pair_panels(at, table))));
    }
    content
}
