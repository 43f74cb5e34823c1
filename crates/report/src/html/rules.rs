//! Domains and rules of the schema, and how many records break each.

use measures::utility::conformance;

use super::View;
use crate::judgement::detail;
use crate::markup::{Markup, tag};
use crate::numbers::figure;
use crate::svg::DataTable;

pub(super) fn content(view: &View<'_>) -> Markup {
    let percent = |value: f64| if value == 0.0 { "none".to_owned() } else { format!("{} %", figure(value)) };
    let rules: Vec<Vec<String>> = view
        .all(conformance::names::RULE)
        .filter_map(|finding| Some(vec![detail(finding, "rule"), percent(finding.value?)]))
        .collect();
    let outside: Vec<Vec<String>> = view
        .all(conformance::names::DOMAIN)
        .filter(|finding| finding.value.is_some_and(|value| value > 0.0))
        .map(|finding| {
            vec![finding.on.join(""), percent(finding.value.unwrap_or_default()), detail(finding, "domain")]
        })
        .collect();
    let all = view.first(conformance::names::ALL_VALUES);
    if rules.is_empty() && all.is_none() {
        return Markup::default();
    }
    let mut content = Markup::default();
    content.push(all.map(|value| {
        tag("p")
            .text(format!("Values outside the domain of their variable: {} of all values.", percent(value)))
    }));
    if !outside.is_empty() {
        let head = ["variable", "values outside", "its domain is"];
        content.push(DataTable::new(head, outside).table());
    }
    if !rules.is_empty() {
        content.push(DataTable::new(["rule", "broken by, of all records"], rules).table());
    }
    content
}
