//! The risk-utility map and what was found of every contestant.

use ::frontier::{Contestant, Frontier, LimitCheck, Origin};

use super::View;
use super::parts::version_lights;
use crate::markup::{Markup, Tag, tag};
use crate::numbers::{figure, figure_or_dash, share, with_spread};
use crate::pictures::{narrow_map, risk_utility_map};
use crate::svg::{DataTable, Picture};

pub(super) fn pictures(view: &View<'_>) -> Vec<Picture> {
    view.frontier.and_then(risk_utility_map).map(|(picture, _)| picture).into_iter().collect()
}

pub(super) fn content(view: &View<'_>) -> Markup {
    let Some(frontier) = view.frontier else { return Markup::default() };
    let mut content = Markup::default();
    content.push(tag("p").prose(&frontier.recommendation.reason));
    content.push(recommended_lights(view, frontier));
    if !frontier.recommendation.runners_up.is_empty() {
        content
            .push(tag("p").text(format!("Runners-up: {}.", frontier.recommendation.runners_up.join(", "))));
    }
    if let Some((picture, data)) = risk_utility_map(frontier) {
        content.push(axes(frontier));
        content.push(tag("div").with("class", "map-wide").add(picture.figure()));
        content
            .push(tag("div").with("class", "map-narrow").all(narrow_map(frontier).map(|map| map.figure())));
        content.push(tag("p").with("id", "map-told").with("aria-live", "polite").with("class", "quiet"));
        content.push(tag("p").with("id", "map-note").with("class", "quiet"));
        content.push(tag("script").with("type", "application/json").with("id", "map-data").json(&data));
    }
    if !frontier.remarks.is_empty() {
        let remarks = frontier.remarks.iter().map(|remark| tag("li").prose(remark));
        let all = tag("summary").text("What was left out, and what to know of some versions");
        content.push(tag("details").add(all).add(tag("ul").all(remarks)));
    }
    content.push(tag("h3").text("All versions"));
    content.push(tag("div").with("data-sort", "sort").add(overview(frontier).table()));
    let each = frontier.contestants.iter().enumerate().map(|(at, one)| contestant(frontier, at, one));
    content.push(tag("div").with("class", "folded").add(tag("h3").text("Each version")).all(each));
    content
}

/// What the recommended version is like, by the mean of its runs: the best that keeps all limits may still be poor. A release has lights of its own.
fn recommended_lights(view: &View<'_>, frontier: &Frontier) -> Option<Markup> {
    let name = frontier.recommendation.name.as_ref().filter(|_| view.is_of_frontier_alone())?;
    let one =
        frontier.contestants.iter().find(|one| one.name == *name).filter(|one| !one.findings.is_empty())?;
    let heading = tag("h3").text(format!("The recommended version, {name}, by the mean of its runs"));
    Some([heading.into(), version_lights(one)].into_iter().collect())
}

/// Axes to choose; shown by the script, which moves the points.
fn axes(frontier: &Frontier) -> Tag {
    let select = |id: &'static str, word: &'static str, is_risk: bool| {
        let chosen = if is_risk { &frontier.risk } else { &frontier.utility };
        let axes =
            frontier.axes.iter().enumerate().filter(|(_, axis)| axis.is_risk == is_risk || *axis == chosen);
        let options = axes.map(|(at, axis)| {
            let option = tag("option").with("value", at).text(&axis.label);
            if axis == chosen { option.with("selected", "selected") } else { option }
        });
        tag("label").with("for", id).text(word).add(tag("select").with("id", id).all(options))
    };
    tag("div")
        .with("id", "map-axes")
        .with("hidden", "hidden")
        .add(select("map-risk", "risk", true))
        .add(select("map-utility", "utility", false))
}

fn overview(frontier: &Frontier) -> DataTable {
    let axis = |wanted| frontier.axes.iter().position(|axis| axis == wanted);
    let (risk, utility) = (axis(&frontier.risk), axis(&frontier.utility));
    let estimate = |one: &Contestant, axis: Option<usize>| {
        let value = axis.and_then(|axis| one.values.get(axis).copied().flatten());
        match value {
            Some(value) => match value.sd.filter(|sd| *sd > 0.0) {
                Some(sd) => with_spread(value.mean, sd),
                None => figure(value.mean),
            },
            None => "–".to_owned(),
        }
    };
    let row = |one: &Contestant| {
        let place = one.place.as_ref();
        let standing = match place {
            _ if frontier.recommendation.name.as_deref() == Some(one.name.as_str()) => "recommended",
            Some(place) if place.on_front && place.acceptable => "on the front",
            Some(place) if place.on_front => "on the front, breaks a limit",
            Some(place) if place.acceptable => "dominated",
            Some(_) => "dominated, breaks a limit",
            None => one.failed.as_deref().map_or("not measured", |_| "failed"),
        };
        vec![
            one.name.clone(),
            one.epsilon.map_or_else(|| "–".into(), figure),
            estimate(one, risk),
            estimate(one, utility),
            place.map_or_else(|| "–".into(), |place| share(place.dominated_probability)),
            standing.to_owned(),
        ]
    };
    let head = [
        "version",
        "ε",
        &frontier.risk.label,
        &frontier.utility.label,
        "probability of being dominated",
        "standing",
    ];
    DataTable::new(head, frontier.contestants.iter().map(row).collect())
}

fn contestant(frontier: &Frontier, at: usize, one: &Contestant) -> Tag {
    let mut details = tag("details")
        .with("id", format!("contestant-{}", at + 1))
        .with("class", "contestant")
        .add(tag("summary").add(tag("strong").text(&one.name)).text(match one.label == one.name {
            true => String::new(),
            false => format!(": {}", one.label),
        }));
    details = details.add(standing(frontier, one));
    match &one.origin {
        Origin::Recipe { recipe, .. } => details.add(tag("pre").with("tabindex", 0).text(recipe)),
        Origin::Imported { files } => {
            details.add(tag("p").text(format!("Made elsewhere: {}.", files.join(", "))))
        }
    }
}

/// Where a version stands: what was said of it, who is better, its value on every axis, and its limits.
pub(super) fn standing(frontier: &Frontier, one: &Contestant) -> Markup {
    let mut details = Markup::default();
    if let Some(because) = &one.failed {
        details.push(tag("p").text(format!("It has no result: {because}")));
    }
    details.push(one.remarks.iter().map(|remark| tag("p").prose(remark)).collect::<Markup>());
    let place = one.place.as_ref().filter(|place| !place.dominated_by.is_empty());
    if let Some(place) = place {
        let by: Vec<&str> = place.dominated_by.iter().take(5).map(String::as_str).collect();
        let more = place.dominated_by.len().saturating_sub(by.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        details.push(tag("p").text(format!("As good or better on both axes: {}{more}.", by.join(", "))));
    }
    let values = frontier.axes.iter().enumerate().filter_map(|(axis, name)| {
        let value = one.values.get(axis).copied().flatten()?;
        let planned = one.planned.get(axis).copied().flatten();
        Some(vec![
            name.label.clone(),
            figure(value.mean),
            figure_or_dash(value.sd),
            format!("{} to {}", figure(value.range[0]), figure(value.range[1])),
            figure_or_dash(planned),
        ])
    });
    let values: Vec<Vec<String>> = values.collect();
    if !values.is_empty() {
        let head = ["number", "mean of runs", "sd of runs", "smallest to largest run", "by theory"];
        details.push(DataTable::new(head, values).table());
    }
    if !one.checks.is_empty() {
        details.push(checks(&one.checks).table());
    }
    if let Some(scores) = &one.scores {
        details.push(tag("p").text(format!(
            "Total scores of Taub & Elliot: utility {}, TCAP {}; difference {}, smaller of utility and safety {}, product {}, geometric mean {}.",
            figure(scores.utility),
            figure(scores.risk),
            figure(scores.difference),
            figure(scores.minimum),
            figure(scores.product),
            figure(scores.geometric_mean)
        )));
    }
    details
}

/// Limits and whether they are kept. What may be published was decided before: a check without a value and without a reason for it keeps it back.
pub(super) fn checks(checks: &[LimitCheck]) -> DataTable {
    let row = |check: &LimitCheck| {
        let shown = check.value.is_some() || check.because.is_some();
        let when_shown = |text: String| if shown { text } else { "not shown".to_owned() };
        vec![
            check.limit.clone(),
            if check.kept { "kept" } else { "not kept" }.to_owned(),
            when_shown(figure_or_dash(check.value)),
            when_shown(check.share_of_runs.map_or_else(|| "–".into(), share)),
            when_shown(check.because.clone().unwrap_or_default()),
        ]
    };
    let rows = checks.iter().map(row).collect();
    DataTable::new(["limit", "kept or not", "value", "runs that keep it", "remark"], rows)
}
