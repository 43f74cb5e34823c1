//! Models fitted to both files: do coefficients agree?

use measures::Finding;
use measures::utility::model;
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

/// A model is its formula and its family: one formula may be fitted in two ways.
#[derive(PartialEq)]
struct Model {
    formula: String,
    family: String,
}

impl Model {
    fn of(finding: &Finding) -> Self {
        Self { formula: detail(finding, "model"), family: detail(finding, "family") }
    }

    fn title(&self) -> String {
        match self.family.as_str() {
            "" => self.formula.clone(),
            family => format!("{} ({family})", self.formula),
        }
    }
}

fn picture(view: &View<'_>, at: usize, model: &Model) -> Option<Picture> {
    let of_model: Vec<Coefficient> = view
        .all(model::names::COEFFICIENT)
        .filter(|finding| Model::of(finding) == *model)
        .filter_map(|finding| {
            let [original, synthetic] = coefficient_intervals(finding)?.map(Some);
            Some(Coefficient { name: detail(finding, "coefficient"), original, synthetic })
        })
        .collect();
    let name = file_name("model", at, &model.formula);
    (!of_model.is_empty()).then(|| {
        coefficients(
            name,
            format!("Coefficients of {}", model.title()),
            "synthetic, 95 % interval",
            &of_model,
        )
    })
}

fn models(view: &View<'_>) -> Vec<Model> {
    let mut models: Vec<Model> = Vec::new();
    for finding in view.findings.iter().filter(|finding| finding.family() == model::CARD.name) {
        let model = Model::of(finding);
        if !model.formula.is_empty() && !models.contains(&model) {
            models.push(model);
        }
    }
    models
}

pub(super) fn content(view: &View<'_>) -> Markup {
    let mut content = Markup::default();
    for (at, model) in models(view).iter().enumerate() {
        content.push(tag("h3").add(tag("code").text(model.title())));
        let of_model = |measure: &str| view.all(measure).find(|finding| Model::of(finding) == *model);
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
        // A model that cannot be fitted has one reason, not three.
        let overlap = of_model(model::names::OVERLAP);
        if let Some(finding) = overlap.filter(|finding| finding.value.is_none()) {
            content.push(tag("p").text(format!("It is {}.", reason(finding))));
            continue;
        }
        let lines = [
            told(
                model::names::OVERLAP,
                "How much of the 95 % intervals is common, on average; 1 is identical",
            ),
            told(model::names::STD_DIFF, "How far coefficients lie apart, in standard errors, on average"),
            told(
                model::names::LACK_OF_FIT,
                "How far all coefficients lie apart together (lack of fit, a chi-square)",
            ),
        ];
        content.push(tag("ul").all(lines.into_iter().flatten()));
        content.push(picture(view, at, model).map(|picture| picture.figure()));
    }
    content
}

#[cfg(test)]
mod tests {
    use measures::{Better, Finding};

    use crate::{Edition, ReportInput, report_html};

    #[test]
    fn one_formula_in_two_families_is_two_models() {
        let of = |family: &str, value: f64| {
            Finding::value("model.overlap", [""; 0], value, None, Better::Higher)
                .with("model", "rooms ~ age")
                .with("family", family)
        };
        let findings = [of("gaussian", 0.125), of("poisson", 0.875)];
        let input = ReportInput { findings: &findings, ..ReportInput::default() };
        let page = report_html(&input, Edition::Internal);
        for shown in ["rooms ~ age (gaussian)", "rooms ~ age (poisson)", "0.125", "0.875"] {
            assert!(page.contains(shown), "{shown}");
        }
    }
}
