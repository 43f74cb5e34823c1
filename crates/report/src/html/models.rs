//! Models fitted to both files: do coefficients agree?

use measures::utility::model::coefficient_intervals;

use super::View;
use crate::judgement::{detail, reason};
use crate::markup::{Markup, tag};
use crate::numbers::figure;
use crate::pictures::{Coefficient, coefficients, file_name};
use crate::svg::Picture;

pub(super) fn pictures(view: &View<'_>) -> Vec<Picture> {
    models(view).iter().enumerate().filter_map(|(at, model)| picture(view, at, model)).collect()
}

fn picture(view: &View<'_>, at: usize, model: &str) -> Option<Picture> {
    let of_model: Vec<Coefficient> = view
        .all("model.coefficient")
        .filter(|finding| detail(finding, "model") == model)
        .filter_map(|finding| {
            let [original, synthetic] = coefficient_intervals(finding)?.map(Some);
            Some(Coefficient { name: detail(finding, "coefficient"), original, synthetic })
        })
        .collect();
    let name = file_name("model", at, model);
    (!of_model.is_empty()).then(|| coefficients(name, format!("Coefficients of {model}"), &of_model))
}

fn models(view: &View<'_>) -> Vec<String> {
    let mut models: Vec<String> = Vec::new();
    for finding in view.findings.iter().filter(|finding| finding.measure.starts_with("model.")) {
        let model = detail(finding, "model");
        if !model.is_empty() && !models.contains(&model) {
            models.push(model);
        }
    }
    models
}

pub(super) fn content(view: &View<'_>) -> Markup {
    let mut content = Markup::default();
    for (at, model) in models(view).iter().enumerate() {
        content.push(tag("h3").add(tag("code").text(model)));
        let of_model = |measure: &str| view.all(measure).find(|finding| detail(finding, "model") == *model);
        let told = |measure: &str, words: &str| {
            of_model(measure).map(|finding| match finding.value {
                Some(value) => {
                    let expected =
                        finding.null.map_or_else(String::new, |null| format!(", expected {}", figure(null)));
                    tag("li").text(format!("{words}: {}{expected}", figure(value)))
                }
                None => tag("li").text(format!("{words}: {}", reason(finding))),
            })
        };
        let lines = [
            told("model.overlap", "mean overlap of 95 % intervals, 1 is identical"),
            told("model.std_diff", "mean difference in standard errors"),
            told("model.lack_of_fit", "lack of fit"),
        ];
        content.push(tag("ul").all(lines.into_iter().flatten()));
        content.push(picture(view, at, model).map(|picture| picture.figure()));
    }
    content
}
