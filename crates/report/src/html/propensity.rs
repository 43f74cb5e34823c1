//! Classifiers that try to tell original and synthetic records apart.

use super::View;
use crate::judgement::{reason, told_apart};
use crate::markup::{Markup, tag};
use crate::numbers::{figure, share};
use crate::pictures::{importance, propensity};
use crate::svg::{DataTable, Picture};
use measures::utility::propensity::{CARD, names};

pub(super) fn pictures(view: &View<'_>) -> Vec<Picture> {
    let classifiers: Vec<(String, f64)> = view
        .findings
        .iter()
        .filter(|finding| is_standardised(&finding.measure))
        .filter_map(|finding| Some((classifier(&finding.measure, finding), finding.value?)))
        .collect();
    let used = view.internal.map_or(&[][..], |internal| &internal.told_apart);
    let used = (!used.is_empty()).then(|| importance(used));
    let standardised = (!classifiers.is_empty()).then(|| propensity(&classifiers));
    standardised.into_iter().chain(used).collect()
}

/// What the tree uses, in a sentence.
fn told_apart_by(view: &View<'_>) -> Option<String> {
    let used = &view.internal?.told_apart;
    let Some((first, most)) = used.first() else {
        return Some("The tree finds nothing by which to tell the files apart.".to_owned());
    };
    let others: Vec<&str> = used[1..].iter().take(2).map(|(name, _)| name.as_str()).collect();
    let others = if others.is_empty() { String::new() } else { format!(", then {}", others.join(" and ")) };
    Some(format!(
        "The tree tells the files apart most of all by {first} ({} of what it uses){others}.",
        share(*most)
    ))
}

fn is_standardised(measure: &str) -> bool {
    matches!(measure, names::CART_S_PMSE_RESAMPLED | names::LOGIT_S_PMSE)
}

fn classifier(measure: &str, finding: &measures::Finding) -> String {
    match finding.detail.get("order").and_then(|order| order.as_u64()) {
        _ if measure.contains(".cart.") => "tree".to_owned(),
        Some(0) | None => "regression, main effects".to_owned(),
        Some(1) => "regression, two-way".to_owned(),
        Some(order) => format!("regression, {}-way", order + 1),
    }
}

pub(super) fn content(view: &View<'_>) -> Markup {
    let of_family = || view.findings.iter().filter(|finding| finding.family() == CARD.name);
    if of_family().next().is_none() {
        return Markup::default();
    }
    let mut content = Markup::from(tag("p").text(
        "If no model can tell the files apart, they say the same. A classifier is trained to say which file a record is from; S_pMSE \
         compares its success with what chance would give.",
    ));
    content.push(tag("ul").all(of_family().filter(|finding| is_standardised(&finding.measure)).map(
        |finding| {
            let name = classifier(&finding.measure, finding);
            let text = match finding.value {
                Some(value) => {
                    let z = finding.measure.replace("s_pmse", "z");
                    let z = view.all(&z).find(|z| z.detail.get("order") == finding.detail.get("order"));
                    format!(
                        "{name}: {} (S_pMSE {})",
                        told_apart(value, z.and_then(|z| z.value)),
                        figure(value)
                    )
                }
                None => format!("{name}: {}", reason(finding)),
            };
            tag("li").text(text)
        },
    )));
    content.push(told_apart_by(view).map(|text| tag("p").text(text)));
    content.push(tag("div").with("class", "columns").all(pictures(view).iter().map(Picture::figure)));
    let rows = of_family().map(|finding| {
        let value = finding.value.map_or_else(|| reason(finding), figure);
        let expected = finding.null.map_or_else(|| "–".to_owned(), figure);
        vec![finding.measure.clone(), classifier(&finding.measure, finding), value, expected]
    });
    let table = DataTable::new(["measure", "classifier", "value", "expected by chance"], rows.collect());
    content
        .push(tag("details").add(tag("summary").text("All numbers of the classifiers")).add(table.table()));
    content
}
