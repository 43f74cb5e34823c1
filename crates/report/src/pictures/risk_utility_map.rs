//! The risk-utility map: what each contestant gives and costs.
//!
//! The default axes are drawn here; a small script moves the same marks when other axes are chosen, and does without the front, which
//! was found on the default axes.

use frontier::{Axis, Contestant, Estimated, Frontier, Origin};
use serde_json::{Value, json};

use crate::markup::{Markup, Tag, tag};
use crate::numbers::{figure, figure_or_dash};
use crate::svg::{
    DataTable, Entry, Labels, Picture, Scale, Sign, Stroke, Symbol, bottom_axis, left_axis, legend, line,
    path, point, shortened,
};
use measures::Better;

/// Where on the picture the field of the map lies.
struct MapLayout {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

const SIZE: (f64, f64) = (700.0, 500.0);
const LABEL: f64 = 220.0;

/// The map on its default axes, and what the script needs to draw it on others. None without two axes that exist.
pub(crate) fn risk_utility_map(frontier: &Frontier) -> Option<(Picture, Value)> {
    let position = |axis: &Axis| frontier.axes.iter().position(|known| known == axis);
    let (risk, utility) = (position(&frontier.risk)?, position(&frontier.utility)?);
    let methods = methods(frontier);
    let (legend, height) = legend(&legend_entries(&methods, frontier), (4.0, 4.0), SIZE.0 - 8.0);
    let layout = MapLayout { left: 56.0, right: SIZE.0 - 30.0, top: height + 34.0, bottom: SIZE.1 - 46.0 };
    let shown: Vec<(usize, &Contestant)> = frontier
        .contestants
        .iter()
        .enumerate()
        .filter(|(_, one)| value(one, risk).is_some() && value(one, utility).is_some())
        .collect();
    let x = scale(&shown, risk, (layout.left, layout.right));
    let y = scale(&shown, utility, (layout.bottom, layout.top));
    let place = |one: &Contestant| Some((x.at(value(one, risk)?.mean), y.at(value(one, utility)?.mean)));

    let mut marks = Markup::from(legend);
    let names = [axis_name(&frontier.axes[risk]), axis_name(&frontier.axes[utility])];
    marks.push(bottom_axis(&x, (layout.left, layout.right), (layout.bottom, layout.top), &names[0]));
    marks.push(left_axis(&y, (layout.top, layout.bottom), (layout.left, layout.right), &names[1]));
    let on_front = |one: &Contestant| one.place.as_ref().is_some_and(|place| place.on_front);
    let mut front: Vec<(f64, f64)> =
        shown.iter().filter(|(_, one)| on_front(one)).filter_map(|(_, one)| place(one)).collect();
    front.sort_by(|one, other| one.0.total_cmp(&other.0));
    marks.push(path(&front, Stroke::Front).with("id", "map-front"));

    let mut labels = Labels::within([layout.left, layout.top - 6.0, layout.right + 26.0, layout.bottom]);
    shown.iter().filter_map(|(_, one)| place(one)).for_each(|place| labels.keep_free(place, 5.0));
    for (_, one) in &shown {
        let planned = |axis: usize| one.planned.get(axis).copied().flatten();
        if let (Some(of_risk), Some(of_utility)) = (planned(risk), planned(utility)) {
            labels.keep_free((x.at(of_risk), y.at(of_utility)), 9.0);
        }
    }
    let mut points = tag("g").with("id", "map-points");
    for (at, one) in &shown {
        let method = methods.iter().position(|method| *method == method_of(one)).unwrap_or_default();
        points = points.add(mark(frontier, *at, one, method, (risk, utility), (&x, &y)));
    }
    let mut texts = tag("g").with("id", "map-labels").with("aria-hidden", "true");
    let mut named: Vec<&(usize, &Contestant)> = shown.iter().filter(|(_, one)| on_front(one)).collect();
    named.sort_by_key(|(_, one)| frontier.recommendation.name.as_deref() != Some(one.name.as_str()));
    for (_, one) in named {
        if let Some(place) = place(one) {
            texts = texts.add(labels.place(&shortened(&one.label, LABEL), place, "point-name"));
        }
    }
    marks.push(points);
    marks.push(texts);
    let picture = Picture {
        name: "risk-utility-map".into(),
        title: "Risk-utility map".into(),
        description: description(frontier, shown.len()),
        size: SIZE,
        marks,
        table: table(frontier, risk, utility),
    };
    let chosen = [risk, utility];
    Some((picture, script_data(frontier, chosen, &layout)))
}

/// The methods of all contestants, in the order in which they come.
fn methods(frontier: &Frontier) -> Vec<&str> {
    let mut methods = Vec::new();
    for method in frontier.contestants.iter().map(method_of) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    methods
}

fn method_of(one: &Contestant) -> &str {
    match &one.origin {
        Origin::Recipe { method, .. } => method,
        Origin::Imported { .. } => "imported",
    }
}

fn value(one: &Contestant, axis: usize) -> Option<Estimated> {
    one.values.get(axis).copied().flatten()
}

fn scale(shown: &[(usize, &Contestant)], axis: usize, to: (f64, f64)) -> Scale {
    let of = |one: &&Contestant| {
        let planned = one.planned.get(axis).copied().flatten();
        value(one, axis).into_iter().flat_map(|value| value.range).chain(planned).collect::<Vec<f64>>()
    };
    let values: Vec<f64> = shown.iter().flat_map(|(_, one)| of(one)).collect();
    Scale::of(values.into_iter(), to)
}

fn mark(
    frontier: &Frontier,
    at: usize,
    one: &Contestant,
    method: usize,
    (risk, utility): (usize, usize),
    (x, y): (&Scale, &Scale),
) -> Tag {
    let (Some(of_risk), Some(of_utility)) = (value(one, risk), value(one, utility)) else { return tag("g") };
    let place = (x.at(of_risk.mean), y.at(of_utility.mean));
    let acceptable = one.place.as_ref().is_none_or(|place| place.acceptable);
    let chosen = frontier.recommendation.name.as_deref() == Some(one.name.as_str());
    let refused = if acceptable { "" } else { " refused" };
    let ring = if chosen { " chosen" } else { "" };
    let symbol = Symbol::ALL[method % Symbol::ALL.len()];
    let mut link = tag("a")
        .with("href", format!("#contestant-{}", at + 1))
        .with("class", format!("contestant series-{}", method % 8))
        .with("data-at", at)
        .with("aria-label", told(frontier, one, risk, utility))
        .add(tag("title").text(told(frontier, one, risk, utility)))
        .add(line((x.at(of_risk.range[0]), place.1), (x.at(of_risk.range[1]), place.1), Stroke::Spread))
        .add(line(
            (place.0, y.at(of_utility.range[0])),
            (place.0, y.at(of_utility.range[1])),
            Stroke::Spread,
        ));
    let planned = |axis: usize| one.planned.get(axis).copied().flatten();
    if let (Some(of_risk), Some(of_utility)) = (planned(risk), planned(utility)) {
        let place = (x.at(of_risk), y.at(of_utility));
        link = link.add(point(place, 9.0, Symbol::Circle).with("class", "planned"));
    }
    link.add(point(place, 5.5, symbol).with("class", format!("mark{refused}{ring}")))
}

/// One contestant in a sentence, as a tooltip and for screen readers.
fn told(frontier: &Frontier, one: &Contestant, risk: usize, utility: usize) -> String {
    let number = |axis: usize| {
        format!("{} {}", frontier.axes[axis].label, figure_or_dash(value(one, axis).map(|value| value.mean)))
    };
    format!("{}: {}; {}", one.label, number(utility), number(risk))
}

/// What an axis counts, and where it is better.
pub(super) fn axis_name(axis: &Axis) -> String {
    match axis.better {
        Better::Lower => format!("{} (lower is better)", axis.label),
        Better::Higher => format!("{} (higher is better)", axis.label),
        Better::Neither => axis.label.clone(),
    }
}

fn legend_entries(methods: &[&str], frontier: &Frontier) -> Vec<Entry> {
    let sign = |symbol, class: String| Sign::Point(symbol, class);
    let mut entries: Vec<Entry> = methods
        .iter()
        .enumerate()
        .map(|(at, method)| Entry {
            sign: sign(Symbol::ALL[at % 8], format!("mark series-{}", at % 8)),
            text: (*method).to_owned(),
        })
        .collect();
    entries.push(Entry { sign: Sign::Line(Stroke::Front), text: "front".into() });
    if frontier.recommendation.name.is_some() {
        entries.push(Entry {
            sign: sign(Symbol::Circle, "mark chosen series-7".into()),
            text: "recommended".into(),
        });
    }
    if frontier.contestants.iter().any(|one| one.place.as_ref().is_some_and(|place| !place.acceptable)) {
        let text = "hollow: breaks a limit".into();
        entries.push(Entry { sign: sign(Symbol::Circle, "mark refused series-7".into()), text });
    }
    if frontier.contestants.iter().any(|one| one.planned.iter().any(Option::is_some)) {
        entries.push(Entry { sign: sign(Symbol::Circle, "planned".into()), text: "by theory".into() });
    }
    entries
}

fn description(frontier: &Frontier, shown: usize) -> String {
    let recommended = frontier
        .recommendation
        .name
        .as_ref()
        .map_or_else(|| "None is recommended.".to_owned(), |name| format!("Recommended: {name}."));
    format!(
        "{shown} contestants by {} and {}. Each point is a link to what was found of it; thin lines span its runs. {recommended}",
        frontier.risk.label, frontier.utility.label
    )
}

fn table(frontier: &Frontier, risk: usize, utility: usize) -> DataTable {
    let spread = |value: Option<Estimated>| match value {
        Some(Estimated { mean, range, .. }) if range[0] < range[1] => {
            format!("{} ({} to {})", figure(mean), figure(range[0]), figure(range[1]))
        }
        Some(Estimated { mean, .. }) => figure(mean),
        None => "–".to_owned(),
    };
    let row =
        |one: &Contestant| vec![one.label.clone(), spread(value(one, risk)), spread(value(one, utility))];
    let head = ["contestant", &frontier.risk.label, &frontier.utility.label];
    DataTable::new(head, frontier.contestants.iter().map(row).collect())
}

/// Everything the script moves marks by: round numbers would not do, so values are as they were found.
fn script_data(frontier: &Frontier, chosen: [usize; 2], layout: &MapLayout) -> Value {
    let contestant = |one: &Contestant| {
        let values: Vec<Value> = (0..frontier.axes.len())
            .map(|axis| match value(one, axis) {
                Some(value) => json!([value.mean, value.range[0], value.range[1]]),
                None => Value::Null,
            })
            .collect();
        json!({ "label": one.label, "short": shortened(&one.label, LABEL), "values": values, "planned": one.planned,
                "front": one.place.as_ref().is_some_and(|place| place.on_front) })
    };
    let axes: Vec<Value> =
        frontier.axes.iter().map(|axis| json!({ "label": axis.label, "name": axis_name(axis) })).collect();
    json!({
        "axes": axes,
        "chosen": chosen,
        "field": [layout.left, layout.right, layout.top, layout.bottom],
        "contestants": frontier.contestants.iter().map(contestant).collect::<Vec<_>>(),
    })
}
