//! The (RR, R) plane with the acceptable regions (McClure & Reiter 2012).

use release::evidence::IntruderPlane;
use table::figures::thousands;

use crate::markup::{Markup, tag};
use crate::numbers::figure;
use crate::svg::{
    Anchor, DataTable, Entry, Picture, Scale, Sign, Symbol, bottom_axis, label, left_axis, legend, point,
    rectangle,
};

const SIZE: (f64, f64) = (600.0, 400.0);

/// One point for records of about one risk, a shape for each prior; points outside the regions have a dark rim.
pub(crate) fn risk_plane(of: &IntruderPlane) -> Picture {
    let mut priors: Vec<&str> = Vec::new();
    for point in &of.points {
        if !priors.contains(&point.prior.as_str()) {
            priors.push(&point.prior);
        }
    }
    let shape = |at: usize| Symbol::ALL[at % Symbol::ALL.len()];
    let entries: Vec<Entry> = priors
        .iter()
        .enumerate()
        .map(|(at, prior)| Entry {
            sign: Sign::Point(shape(at), format!("mark series-{}", at % 8)),
            text: format!("prior {prior}"),
        })
        .collect();
    let (legend, height) = legend(&entries, (4.0, 4.0), SIZE.0 - 8.0);
    let (left, right, top, bottom) = (44.0, SIZE.0 - 24.0, height + 30.0, SIZE.1 - 44.0);
    let bounds = of.regions.iter().flat_map(|region| [Some(region.rr.0), region.rr.1]).flatten();
    let values: Vec<f64> =
        of.points.iter().map(|point| point.rr.max(1e-3)).chain(bounds.filter(|bound| *bound > 0.0)).collect();
    let x = Scale::of(values.iter().copied().chain([1.0]), (left, right));
    let y = Scale::linear((0.0, 1.0), (bottom, top));
    let mut marks = Markup::from(legend);
    for (at, region) in of.regions.iter().enumerate() {
        let from = if region.rr.0 > 0.0 { x.at(region.rr.0) } else { left };
        let to = region.rr.1.map_or(right, |bound| x.at(bound)).min(right);
        let corners = ((from.max(left), y.at(region.r[1])), (to, y.at(region.r[0])));
        let name = region.name.clone().unwrap_or_else(|| format!("accepted region {}", at + 1));
        marks.push(rectangle(corners.0, corners.1, "region").add(tag("title").text(name)));
    }
    marks.push(bottom_axis(
        &x,
        (left, right),
        (bottom, top),
        "RR: by how much the release raised the probability of the truth",
    ));
    marks.push(left_axis(&y, (top, bottom), (left, right), "R: probability of the truth after the release"));
    for risk in &of.points {
        let at = priors.iter().position(|prior| *prior == risk.prior).unwrap_or_default();
        let radius = (2.0 + (risk.records as f64).log10()).clamp(2.5, 7.0);
        let outside = if risk.accepted == Some(false) { " outside" } else { "" };
        let text = format!(
            "{} records, RR {}, R {}, prior {}",
            thousands(risk.records),
            figure(risk.rr),
            figure(risk.r),
            risk.prior
        );
        let mark = point((x.at(risk.rr.max(1e-3)), y.at(risk.r)), radius, shape(at));
        marks.push(
            mark.with("class", format!("mark series-{}{outside}", at % 8)).add(tag("title").text(text)),
        );
    }
    if of.regions.is_empty() {
        marks.push(label("no regions were named", (right, top - 10.0), Anchor::End, 200.0));
    }
    let rows = of.points.iter().map(|risk| {
        let accepted = match risk.accepted {
            Some(true) => "yes",
            Some(false) => "no",
            None => "–",
        };
        vec![risk.prior.clone(), figure(risk.rr), figure(risk.r), thousands(risk.records), accepted.into()]
    });
    Picture {
        name: "risk-plane".into(),
        title: "Risk of every record for an intruder who knows all others".into(),
        description:
            "Points in the plane of relative risk RR and absolute risk R; accepted regions are shaded.".into(),
        size: SIZE,
        marks,
        table: DataTable::new(["prior", "RR", "R", "records", "accepted"], rows.collect()),
    }
}
