//! Correlations of numbers and associations of categories, in both files.

use measures::Finding;
use measures::utility::distance;

use super::View;
use super::glossary::term;
use crate::markup::{Markup, tag};
use crate::numbers::figure;
use crate::pictures::{Association, associations};
use crate::svg::Picture;

fn found(view: &View<'_>, measure: &'static str) -> Vec<Association> {
    let number = |finding: &Finding, key: &str| match finding.detail.get(key)? {
        serde_json::Value::Array(each) => {
            let each: Vec<f64> = each.iter().filter_map(|one| one.as_f64()).collect();
            (!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64)
        }
        other => other.as_f64(),
    };
    let pair = |finding: &Finding| {
        let [one, other] = finding.on.as_slice() else { return None };
        Some(Association {
            on: [one.clone(), other.clone()],
            original: number(finding, "original")?,
            synthetic: number(finding, "synthetic")?,
        })
    };
    view.all(measure).filter_map(pair).collect()
}

pub(super) fn pictures(view: &View<'_>) -> Vec<Picture> {
    let correlations = found(view, distance::names::CORRELATION);
    let categories = found(view, distance::names::CRAMERS_V);
    let mut pictures = Vec::new();
    if !correlations.is_empty() {
        pictures.push(associations("correlations", "Correlations of numbers", &correlations, -1.0));
    }
    if !categories.is_empty() {
        let title = "Associations of categories (Cramér's V)";
        pictures.push(associations("category-associations", title, &categories, 0.0));
    }
    pictures
}

pub(super) fn content(view: &View<'_>) -> Markup {
    let pictures = pictures(view);
    if pictures.is_empty() {
        return Markup::default();
    }
    let mean = |measure: &str, what: &str| {
        view.first(measure).map(|value| format!("{what} differ by {} on average.", figure(value)))
    };
    let told = [
        mean(distance::names::MEAN_CORRELATION, "Correlations"),
        mean(distance::names::MEAN_CRAMERS_V, "Associations"),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    let text = tag("p")
        .text("One point a pair of variables: on the diagonal it goes together as in the original. ")
        .add(term("Cramér's V"))
        .text(" is the correlation of categories. ")
        .text(told.join(" "));
    let gallery = tag("div").with("class", "gallery").all(pictures.iter().map(Picture::figure));
    [Markup::from(text), gallery.into()].into_iter().collect()
}
