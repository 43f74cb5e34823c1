//! How to cite the data, the software and the methods.

use std::collections::BTreeSet;

use measures::MEASURES;

use super::View;
use crate::markup::{Markup, tag};

pub(super) fn content(view: &View<'_>) -> Markup {
    let mut content = Markup::default();
    if let Some(manifest) = view.manifest {
        content.push(tag("p").text(format!(
            "{}. Synthetic data, {} data set(s), made by {} with the method {} on {}. Not real records.",
            view.name, manifest.m, manifest.software, manifest.method, manifest.created
        )));
        if let Ok(method) = synthesis::registry::method(&manifest.method) {
            content.push(tag("p").text(format!("Method: {}.", method.card.citation.trim_end_matches('.'))));
        }
    }
    content.push(tag("p").text(format!("Software: {}.", view.software)));
    let occur: BTreeSet<&str> = view.findings.iter().map(|finding| finding.measure.as_str()).collect();
    let cards = MEASURES.iter().flat_map(|family| family.cards()).filter(|card| occur.contains(card.name));
    let sources: BTreeSet<&str> = cards.map(|card| card.citation).collect();
    if !sources.is_empty() {
        content.push(tag("p").text("Measures:"));
        content.push(tag("ul").all(sources.into_iter().map(|source| tag("li").text(source))));
    }
    content
}
