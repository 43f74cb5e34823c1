//! The ledger of a private release.

use super::View;
use crate::ledger_text::{charge, cost, mechanism, neighbours, sensitivity, size};
use crate::markup::{Markup, tag};
use crate::numbers::figure;
use crate::svg::DataTable;

pub(super) fn content(view: &View<'_>) -> Markup {
    let Some(ledger) = view.ledger else { return Markup::default() };
    let mut content = Markup::default();
    if let Some(warning) = &ledger.warning {
        content.push(tag("p").with("class", "warning").add(tag("strong").text(warning)));
    }
    let made_by = format!("{} {}", ledger.software.name, ledger.software.version);
    let pairs = [
        ("asked for", ledger.asked.to_string()),
        ("limit, which is what is guaranteed", charge(&ledger.limit)),
        ("spent by this run", charge(&ledger.spent)),
        ("neighbours", format!("{}: {}", neighbours(ledger.neighbours), ledger.neighbours_sentence())),
        ("a record stands for", format!("one {}", ledger.unit)),
        ("size of the release", size(&ledger.release_size)),
        ("noise from", ledger.randomness.generator.clone()),
        ("made by", made_by),
    ];
    content.push(
        tag("dl")
            .all(pairs.into_iter().flat_map(|(word, text)| [tag("dt").text(word), tag("dd").text(text)])),
    );
    content.push(tag("p").text(&ledger.scope));
    let pure = ledger.totals.pure.iter().map(|epsilon| format!("pure: ε = {}", cost(epsilon)));
    let rho =
        ledger.totals.zero_concentrated.iter().map(|rho| format!("zero-concentrated: ρ = {}", cost(rho)));
    let approximate = ledger.totals.approximate.iter().map(|total| {
        format!("approximate: ε = {} at δ = {:e}, by {}", cost(&total.epsilon), total.delta, total.by)
    });
    content.push(tag("h3").text("What is guaranteed, in every notion"));
    content.push(tag("ul").all(pure.chain(rho).chain(approximate).map(|text| tag("li").text(text))));
    let rows = ledger.events.iter().map(|event| {
        let part = event
            .part
            .as_ref()
            .map_or_else(|| "all records".into(), |part| format!("{} = {}", part.by, part.name));
        vec![
            event.purpose.clone(),
            part,
            mechanism(event.mechanism).to_owned(),
            sensitivity(event.sensitivity),
            event.scale.map_or_else(|| "–".into(), figure),
            charge(&event.cost),
        ]
    });
    let head = ["look", "of", "by", "neighbours differ by", "scale", "cost"];
    let looks = DataTable::new(head, rows.collect());
    let summary = tag("summary").text(format!("Every look at the records: {}", ledger.events.len()));
    content.push(tag("details").add(summary).add(looks.table()));
    let domains =
        ledger.domains.iter().map(|domain| vec![domain.variable.clone(), domain.declared_because.clone()]);
    let domains = DataTable::new(["variable", "its domain is public because"], domains.collect());
    content.push(tag("details").add(tag("summary").text("Why each domain is public")).add(domains.table()));
    content
}
