//! The verdict, in words.

use super::View;
use crate::judgement::{judged, told_apart};
use crate::markup::{Markup, Tag, tag};
use crate::verdict::Verdict;
use measures::utility::{propensity, tables};
use table::figures::thousands;

pub(super) fn content(view: &View<'_>) -> Markup {
    let verdict = Verdict::of(&view.findings);
    let mut content =
        Markup::from(tag("div").with("class", "verdict").all(headline(view).map(|text| tag("p").text(text))));
    if view.withheld > 0 {
        content.push(withheld(view));
    }
    for (heading, lines) in [
        ("The files", &verdict.files),
        ("How useful is it?", &verdict.utility),
        ("What does it disclose?", &verdict.risk),
    ] {
        if !lines.is_empty() {
            content.push(tag("h3").text(heading));
            content.push(tag("ul").all(lines.iter().map(|line| tag("li").text(line))));
        }
    }
    let (undefined, all) = verdict.undefined;
    if undefined > 0 {
        content.push(tag("p").with("class", "quiet").text(format!(
            "{} of {} numbers could not be computed; the evaluation lists each with its reason.",
            thousands(undefined),
            thousands(all)
        )));
    }
    content
}

/// What matters most, in a few sentences.
fn headline(view: &View<'_>) -> impl Iterator<Item = String> {
    let two_way = view
        .all(tables::names::MEAN_S_PMSE)
        .find(|finding| finding.detail.get("ways").and_then(|ways| ways.as_u64()) == Some(2))
        .and_then(|finding| finding.value)
        .map(|value| format!("Tables of two variables are {}.", judged(value)));
    let apart = view.first(propensity::names::CART_S_PMSE_RESAMPLED).map(|value| {
        let z = view.first(propensity::names::CART_Z_RESAMPLED);
        format!("A tree tries to tell the files apart: {}.", told_apart(value, z))
    });
    // Of a private release the public sees only some of the limits, and no sentence may sound as if these were all.
    let sees_all = view.is_internal() || view.ledger.is_none();
    let decision = view.decision.filter(|decision| sees_all && !decision.limits.is_empty());
    let limits = decision.map(|decision| {
        let broken: Vec<&str> =
            decision.limits.iter().filter(|check| !check.kept).map(|check| check.limit.as_str()).collect();
        match (broken.len(), decision.limits.len()) {
            (0, 1) => "The limit is kept.".to_owned(),
            (0, all) => format!("All {all} limits are kept."),
            (some, all) => format!("Not kept: {some} of {all} limits ({}).", broken.join("; ")),
        }
    });
    let guarantee = view
        .manifest
        .map(|manifest| format!("Privacy guarantee: {}.", manifest.guarantee.trim_end_matches('.')));
    let not_covered = view.manifest.and_then(|manifest| manifest.not_covered.clone());
    let recommended = view.frontier.map(|frontier| frontier.recommendation.reason.clone());
    let nothing = (view.findings.is_empty() && view.is_internal() && view.frontier.is_none())
        .then(|| "Nothing was measured of this release.".to_owned());
    [two_way, apart, limits, guarantee, not_covered, recommended, nothing].into_iter().flatten()
}

fn withheld(view: &View<'_>) -> Tag {
    let because = view.decision.and_then(|decision| decision.publish.reason.as_deref());
    let text = if view.findings.is_empty() {
        "What was measured against the original is not shown: measuring reads the original again, and nothing that the public may see covers that."
    } else {
        "Of what was measured against the original, only what its owner allows is shown."
    };
    let reason = because.map(|because| format!(" The owner's reason: {because}"));
    tag("p").with("class", "quiet").text(text).text(reason.unwrap_or_default())
}
