//! The map of a frontier in small, for the first screen: where the recommended version lies among all others.

use frontier::{Contestant, Frontier};
use measures::Better;

use super::risk_utility_map::MapScales;
use crate::markup::{Markup, Tag, tag};
use crate::svg::{Anchor, Labels, Stroke, Symbol, label, line, point, px};

const SIZE: (f64, f64) = (340.0, 210.0);

/// Every version as a dot, the recommended one with its name; none without two axes.
pub(crate) fn small_map(frontier: &Frontier) -> Option<Tag> {
    let (left, right, top, bottom) = (14.0, SIZE.0 - 10.0, 18.0, SIZE.1 - 24.0);
    let scales = MapScales::new(frontier, (left, right), (top, bottom))?;
    let mut marks = Markup::default();
    marks.push(scales.zone());
    marks.push(line((left, bottom), (right, bottom), Stroke::Axis));
    marks.push(line((left, top), (left, bottom), Stroke::Axis));
    let chosen = |one: &Contestant| frontier.recommendation.name.as_deref() == Some(one.name.as_str());
    let mut labels = Labels::within([left, 0.0, right + 8.0, bottom]);
    let places: Vec<((f64, f64), &Contestant)> =
        frontier.contestants.iter().filter_map(|one| Some((scales.place(one)?, one))).collect();
    for (place, one) in &places {
        let faint = if one.place.as_ref().is_some_and(|place| !place.on_front) { " faint" } else { "" };
        let ring = if chosen(one) { " chosen" } else { "" };
        let mark = point(*place, if chosen(one) { 6.0 } else { 3.5 }, Symbol::Circle);
        marks.push(
            mark.with("class", format!("mark series-0{faint}{ring}")).add(tag("title").text(&one.name)),
        );
        labels.keep_free(*place, 4.0);
    }
    for (place, one) in places.iter().filter(|(_, one)| chosen(one)) {
        marks.push(labels.place(&one.name, *place, "point-name strong"));
    }
    let axis =
        |text: String, place, anchor| label(&text, place, anchor, SIZE.0 + 16.0).with("class", "quiet-text");
    let better = |axis: &frontier::Axis| match axis.better {
        Better::Lower => " (less is better)",
        Better::Higher => " (more is better)",
        Better::Neither => "",
    };
    let named = |axis: &frontier::Axis| format!("{}{}", axis.label, better(axis));
    marks.push(axis(format!("{} →", named(&frontier.risk)), (right, SIZE.1 - 8.0), Anchor::End));
    let up = axis(format!("↑ {}", named(&frontier.utility)), (left + 4.0, 12.0), Anchor::Start);
    marks.push(up);
    let told = match &frontier.recommendation.name {
        Some(name) => format!("{} versions by risk and utility; {name} is recommended.", places.len()),
        None => format!("{} versions by risk and utility; none is recommended.", places.len()),
    };
    Some(
        tag("svg")
            .with("xmlns", "http://www.w3.org/2000/svg")
            .with("viewBox", format!("0 0 {} {}", px(SIZE.0), px(SIZE.1)))
            .with("width", px(SIZE.0))
            .with("height", px(SIZE.1))
            .with("class", "picture")
            .with("role", "img")
            .with("aria-label", told)
            .add(marks),
    )
}
