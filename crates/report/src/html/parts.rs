//! Parts of the report for other pages, such as those of the workbench. All hold figures of the original.

use ::frontier::plan::Plan;
use ::frontier::{Contestant, Frontier};
use ::release::evidence::{TauCurve, TauPoint};
use measures::Better;
use table::figures::thousands;

use super::{Edition, ReportInput, SECTIONS, View, frame, frontier, summary};
use crate::markup::{Markup, Tag, tag};
use crate::numbers::figure;
use crate::pictures::{narrow_map, risk_utility_map, tau_curves};
use crate::svg::{DataTable, px};

/// The styles of pages and of pictures.
pub const STYLES: [&str; 2] = [crate::svg::PICTURE_STYLE, frame::PAGE_STYLE];

/// The script of pages: tables that are sorted, axes of a map that are chosen.
pub const SCRIPT: &str = frame::SCRIPT;

/// A frontier: its map, its table and what was found of every version.
pub fn frontier_section(of: &Frontier) -> Markup {
    let input = ReportInput { frontier: Some(of), ..ReportInput::default() };
    frontier::content(&View::new(&input, Edition::Internal))
}

/// The map of a frontier alone; nothing without two axes.
pub fn frontier_map(of: &Frontier) -> Markup {
    let wide =
        risk_utility_map(of).map(|(picture, _)| tag("div").with("class", "map-wide").add(picture.figure()));
    let narrow = narrow_map(of).map(|picture| tag("div").with("class", "map-narrow").add(picture.figure()));
    wide.into_iter().chain(narrow).collect()
}

fn input_of(one: &Contestant) -> ReportInput<'_> {
    ReportInput { name: &one.name, findings: &one.findings, ..ReportInput::default() }
}

/// The lights of one version, by the mean of its runs.
pub fn version_lights(one: &Contestant) -> Markup {
    let input = input_of(one);
    let view = View::of_version(&input, one.epsilon);
    let lights = view.lights();
    tag("div")
        .with("class", "lights")
        .all(lights.all().map(|light| summary::light(&view, light, false)))
        .into()
}

/// Everything that was found of one version of a frontier: the parts of a report that need no records.
pub fn version_section(of: &Frontier, one: &Contestant) -> Markup {
    const SHOWN: [&str; 6] = ["verdict", "tables", "propensity", "models", "risk", "rules"];
    let input = input_of(one);
    let view = View::of_version(&input, one.epsilon);
    let mut content = Markup::default();
    for section in SECTIONS.iter().filter(|section| SHOWN.contains(&section.id)) {
        let written = (section.content)(&view);
        if !written.is_empty() {
            let heading = tag("h2").with("id", format!("{}-heading", section.id)).text(section.heading);
            content.push(
                tag("section")
                    .with("id", section.id)
                    .with("aria-labelledby", format!("{}-heading", section.id))
                    .add(heading)
                    .add(written),
            );
        }
    }
    content.push(tag("h2").text("Among the others"));
    content.push(frontier::standing(of, one));
    content
}

/// Two versions on every axis, the better number marked.
pub fn compared_versions(of: &Frontier, both: [&Contestant; 2]) -> Markup {
    let rows = of.axes.iter().enumerate().filter_map(|(at, axis)| {
        let values = both.map(|one| one.values.get(at).copied().flatten().map(|value| value.mean));
        let [Some(one), Some(other)] = values else { return None };
        let better = match axis.better {
            _ if one == other => 2,
            Better::Lower => usize::from(other < one),
            Better::Higher => usize::from(other > one),
            Better::Neither => 2,
        };
        let written = |at: usize, value: f64| {
            if better == at { format!("{} (better)", figure(value)) } else { figure(value) }
        };
        Some(vec![
            axis.label.clone(),
            if axis.is_risk { "risk" } else { "utility" }.to_owned(),
            written(0, one),
            written(1, other),
        ])
    });
    let rows: Vec<Vec<String>> = rows.collect();
    DataTable::new(["number", "side", &both[0].name, &both[1].name], rows).table().into()
}

/// What counts with noise would give and cost: τ over the sizes of cells, and the numbers of the plan.
pub fn plan_section(plan: &Plan, cells: u64, records: u64) -> Markup {
    let mut content = Markup::default();
    content.push(tag("p").text(format!(
        "{} records in {} cells that could occur; nothing was generated.",
        thousands(records),
        thousands(cells)
    )));
    for (at, point) in plan.points.iter().enumerate() {
        let points =
            point.tau.iter().map(|tau| TauPoint { k: tau.k, tau3: Some(tau.tau3), tau4: tau.tau4 }).collect();
        let d = point.tau.first().map_or(0.5, |tau| tau.d);
        let curve = TauCurve {
            variables: vec![format!("all variables, σ = {}, m = {}", point.sigma, point.m)],
            d,
            points,
        };
        content.push(tau_curves(at, &curve).figure());
        let first = point.tau.first().and_then(|tau| tau.tau4);
        let sure = first.map_or_else(
            || "no cell comes out as a single person".to_owned(),
            |sure| {
                format!(
                    "of the cells that come out as a single person, {} are one",
                    crate::numbers::share(sure)
                )
            },
        );
        content.push(tag("p").text(format!(
            "With σ = {} and {} data sets {sure}; {} of the original's unique records come out as unique. Expected distance from the original (Hellinger): {}; records: {} ± {}.",
            point.sigma,
            point.m,
            crate::numbers::share(point.replicated_uniques.share_of_uniques),
            figure(point.distance.hellinger),
            thousands(point.records.mean.round() as u64),
            thousands(point.records.variance.sqrt().round() as u64),
        )));
    }
    content
}

/// The shape of a variable in small: one bar a share.
pub fn shape_picture(shares: &[f64]) -> Option<Tag> {
    const SIZE: (f64, f64) = (240.0, 44.0);
    let highest = shares.iter().copied().fold(0.0, f64::max);
    if highest <= 0.0 {
        return None;
    }
    let wide = SIZE.0 / shares.len() as f64;
    let bars = shares.iter().enumerate().map(|(at, share)| {
        let high = SIZE.1 * share / highest;
        tag("rect")
            .with("x", px(at as f64 * wide + 0.5))
            .with("y", px(SIZE.1 - high))
            .with("width", px((wide - 1.0).max(0.5)))
            .with("height", px(high))
            .with("class", "shape-bar")
            .add(tag("title").text(crate::numbers::share(*share)))
    });
    let told: Vec<String> = shares.iter().map(|share| crate::numbers::share(*share)).collect();
    Some(
        tag("svg")
            .with("xmlns", "http://www.w3.org/2000/svg")
            .with("viewBox", format!("0 0 {} {}", px(SIZE.0), px(SIZE.1)))
            .with("width", px(SIZE.0))
            .with("height", px(SIZE.1))
            .with("class", "picture")
            .with("role", "img")
            .with("aria-label", format!("Shares: {}", told.join(", ")))
            .all(bars),
    )
}
