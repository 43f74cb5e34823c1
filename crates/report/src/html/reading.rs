//! How to read each number: the cards of the measures that occur.

use std::collections::BTreeSet;

use measures::MEASURES;

use super::View;
use crate::markup::{Markup, tag};
use crate::measures_text::{better, expected, range};

pub(super) fn content(view: &View<'_>) -> Markup {
    let axes = view.frontier.iter().flat_map(|frontier| &frontier.axes).map(|axis| axis.measure.as_str());
    // A limit names a measure whether or not its value is shown.
    let limits = view.decision.iter().flat_map(|decision| &decision.limits);
    let limits = limits.map(|check| check.measure.as_str());
    let occur: BTreeSet<&str> =
        view.findings.iter().map(|finding| finding.measure.as_str()).chain(axes).chain(limits).collect();
    let mut content = Markup::default();
    for family in MEASURES {
        let cards: Vec<_> = family.cards().iter().filter(|card| occur.contains(card.name)).collect();
        if cards.is_empty() {
            continue;
        }
        let heads = ["measure", "question", "better", "range", "when the generator is right", "source"];
        let head = tag("tr").all(heads.map(|name| tag("th").with("scope", "col").text(name)));
        let rows = cards.iter().map(|card| {
            let cells = [
                card.question.to_owned(),
                better(card).to_owned(),
                range(card),
                expected(card),
                card.citation.to_owned(),
            ];
            tag("tr")
                .add(tag("th").with("scope", "row").add(tag("code").text(card.name)))
                .all(cells.map(|cell| tag("td").text(cell)))
        });
        let table =
            tag("table").with("class", "cards").add(tag("thead").add(head)).add(tag("tbody").all(rows));
        let frame = tag("div").with("class", "frame").with("role", "group").with("tabindex", 0);
        let frame = frame.with("aria-label", format!("Measures of {}", family.name())).add(table);
        // Its first question stands for all of them.
        let about = cards[0].question;
        let summary = tag("summary").add(tag("code").text(family.name())).text(format!(": {about}"));
        content.push(tag("details").add(summary).add(frame));
    }
    content
}
