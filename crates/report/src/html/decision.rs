//! The decision record.

use super::View;
use crate::markup::{Markup, tag};

pub(super) fn content(view: &View<'_>) -> Markup {
    let Some(decision) = view.decision else { return Markup::default() };
    let recommended = decision.recommended.map(|recommended| {
        if recommended { "the recommended one" } else { "not the recommended one" }.to_owned()
    });
    let measures = &decision.publish.measures;
    let published = match measures.is_empty() {
        true => "nothing that was measured against the original".to_owned(),
        false => measures.join(", "),
    };
    let pairs = [
        ("accepted by", Some(decision.accepted_by.clone())),
        ("when", Some(decision.accepted_at.clone())),
        ("note", decision.note.clone()),
        ("chosen", decision.chosen.clone()),
        ("among contestants", recommended),
        ("exception", decision.exception.clone()),
        ("may be published", Some(published)),
        ("because", decision.publish.reason.clone()),
    ];
    let pairs =
        pairs.into_iter().filter_map(|(word, text)| Some((word, text.filter(|text| !text.is_empty())?)));
    let pairs = pairs.flat_map(|(word, text)| [tag("dt").text(word), tag("dd").text(text)]);
    let mut content = Markup::from(tag("dl").all(pairs));
    for caveat in &decision.caveats {
        content.push(tag("p").prose(caveat));
    }
    if !decision.limits.is_empty() {
        content.push(tag("h3").text("Limits, held against the release"));
        content.push(super::frontier::checks(&decision.limits).table());
    }
    content
}
