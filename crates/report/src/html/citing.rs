//! How to cite the data, the software and the methods.

use std::collections::BTreeSet;

use measures::MEASURES;

use super::View;
use crate::markup::{Markup, tag};

pub(super) fn content(view: &View<'_>) -> Markup {
    let mut content = Markup::default();
    if let Some(manifest) = view.manifest {
        content.push(tag("p").text(format!(
            "{}. Synthetic data, {}, made by {} with the method {} on {}.",
            view.name,
            if manifest.m == 1 { "one data set".to_owned() } else { format!("{} data sets", manifest.m) },
            manifest.software,
            manifest.method,
            manifest.created.split('T').next().unwrap_or_default()
        )));
        if let Ok(method) = synthesis::registry::method(&manifest.method) {
            content.push(tag("p").text(format!("Method: {}.", method.card.citation.trim_end_matches('.'))));
        }
    }
    content.push(tag("p").text(format!("Software: {}.", view.software)));
    let occur: BTreeSet<&str> = view.findings.iter().map(|finding| finding.measure.as_str()).collect();
    let cards = MEASURES.iter().flat_map(|family| family.cards()).filter(|card| occur.contains(card.name));
    // What Lookalike itself defines is explained where it is read, and is no source to cite.
    let sources: BTreeSet<&str> =
        cards.map(|card| card.citation).filter(|source| !source.starts_with("Lookalike")).collect();
    if !sources.is_empty() {
        let all = tag("summary").text(format!("{} sources of the measures", sources.len()));
        let list =
            tag("ul").with("class", "many").all(sources.into_iter().map(|source| tag("li").text(source)));
        content.push(tag("details").add(all).add(list));
    }
    content
}
