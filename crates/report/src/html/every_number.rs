//! Every finding about the whole file.

use measures::Finding;

use super::View;
use crate::judgement::{reason, ways};
use crate::markup::{Markup, tag};
use crate::numbers::{figure, figure_or_dash};
use crate::svg::DataTable;

pub(super) fn content(view: &View<'_>) -> Markup {
    let whole: Vec<&Finding> =
        view.findings.iter().copied().filter(|finding| finding.on.is_empty()).collect();
    if whole.is_empty() {
        return Markup::default();
    }
    let row = |finding: &&Finding| {
        let number = |key: &str| finding.detail.get(key).and_then(|value| value.as_f64());
        vec![
            finding.measure.clone(),
            if finding.detail.contains_key("ways") { ways(finding) } else { of(finding) },
            finding.value.map_or_else(|| reason(finding), figure),
            figure_or_dash(finding.null),
            figure_or_dash(number("holdout")),
            figure_or_dash(number("sd")),
        ]
    };
    let head = ["measure", "of", "value", "expected", "a fresh sample", "sd over data sets"];
    let table = DataTable::new(head, whole.iter().map(row).collect());
    let fold = tag("details").add(tag("summary").text(format!("{} numbers", whole.len()))).add(table.table());
    let text = "Numbers about single variables and tables are in the evaluation file of the release.";
    [fold, tag("p").with("class", "quiet").text(text)].into_iter().collect()
}

/// What a summary is of, where its detail says so in a word.
fn of(finding: &Finding) -> String {
    let word = ["of", "cell_size", "order"].iter().find_map(|key| match finding.detail.get(*key)? {
        serde_json::Value::String(text) => Some(text.clone()),
        other => Some(format!("{key} {other}")),
    });
    word.unwrap_or_default()
}
