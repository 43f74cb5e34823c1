//! The risk-utility map: what each contestant gives and costs.
//!
//! The default axes are drawn here; a small script moves the same marks when other axes are chosen, and does without the front, which
//! was found on the default axes.

use frontier::axes::AxisName;
use frontier::{Axis, Contestant, Estimated, Frontier, Limit, Origin};
use serde_json::{Value, json};

use crate::markup::{Markup, Tag, tag};
use crate::numbers::{figure, figure_or_dash};
use crate::svg::{
    Anchor, DataTable, Entry, Labels, Picture, Scale, Sign, Stroke, Symbol, bottom_axis, label, left_axis,
    legend, line, path, point, rectangle, shortened,
};
use frontier::limits::axis_of;
use measures::Better;

/// Where on the picture the field of the map lies.
struct MapLayout {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// The two axes of a map with their scales.
pub(super) struct MapScales<'a> {
    frontier: &'a Frontier,
    risk: usize,
    utility: usize,
    x: Scale,
    y: Scale,
    field: [f64; 4],
}

impl<'a> MapScales<'a> {
    /// The default axes of a frontier over a field; none where one of them does not exist.
    pub(super) fn new(
        frontier: &'a Frontier,
        (left, right): (f64, f64),
        (top, bottom): (f64, f64),
    ) -> Option<Self> {
        let position = |axis: &Axis| frontier.axes.iter().position(|known| known == axis);
        let (risk, utility) = (position(&frontier.risk)?, position(&frontier.utility)?);
        let shown: Vec<(usize, &Contestant)> = frontier
            .contestants
            .iter()
            .enumerate()
            .filter(|(_, one)| value(one, risk).is_some() && value(one, utility).is_some())
            .collect();
        let x = scale(&shown, risk, (left, right));
        let y = scale(&shown, utility, (bottom, top));
        Some(Self { frontier, risk, utility, x, y, field: [left, top, right, bottom] })
    }

    /// Where a contestant lies.
    pub(super) fn place(&self, one: &Contestant) -> Option<(f64, f64)> {
        Some((self.x.at(value(one, self.risk)?.mean), self.y.at(value(one, self.utility)?.mean)))
    }

    /// The limits on one of the axes: the bound and whether it is the largest that is accepted.
    fn limits(&self, axis: usize) -> Vec<(&'a Limit, f64)> {
        let axis = &self.frontier.axes[axis];
        let is_of = |limit: &&Limit| {
            let name = axis_of(limit);
            name.measure == axis.measure
                && name.ways.is_none_or(|ways| axis.of.is_empty() || axis.of.starts_with(&ways.to_string()))
        };
        let limits = self.frontier.limits.iter().filter(is_of);
        limits.filter_map(|limit| Some((limit, limit.bound?))).collect()
    }

    /// From where to where on an axis all limits are kept and a file can be used.
    fn kept(&self, axis: usize, ends: (f64, f64), scale: &Scale) -> (f64, f64) {
        let limits = self.limits(axis).into_iter();
        limits.fold(self.usable(axis, ends, scale), |ends, (limit, bound)| {
            cut(ends, scale, bound, limit.at_most)
        })
    }

    /// From where to where on an axis a file can be used.
    fn usable(&self, axis: usize, ends: (f64, f64), scale: &Scale) -> (f64, f64) {
        let axis = &self.frontier.axes[axis];
        let usual = measures::MEASURES.iter().filter_map(|family| family.card().usual_axis.as_ref());
        let of_axis = usual.filter(|usual| usual.measure == axis.measure);
        match of_axis.filter_map(|usual| usual.usable).next() {
            Some(usable) => cut(ends, scale, usable, axis.better == Better::Lower),
            None => ends,
        }
    }

    /// What a script needs to move the limits on the two axes: those that there are, or one that could be set, and where they may go.
    fn movable(&self) -> Value {
        let [left, top, right, bottom] = self.field;
        let axes = [(self.risk, self.x, (left, right)), (self.utility, self.y, (top, bottom))];
        let movable = axes.map(|(axis, scale, ends)| {
            let usable = self.usable(axis, ends, &scale);
            let (limits, axis) = (self.limits(axis), &self.frontier.axes[axis]);
            let at = |limit: &Limit| self.frontier.limits.iter().position(|known| known == limit);
            let mut all: Vec<Value> = limits
                .iter()
                .map(|(limit, bound)| json!({ "at": at(limit), "name": axis_of(limit).to_string(), "atMost": limit.at_most, "bound": bound }))
                .collect();
            if all.is_empty() && axis.better != Better::Neither {
                let ways = axis.of.strip_suffix("-way").and_then(|ways| ways.parse().ok());
                let name = AxisName { ways, ..AxisName::new(&axis.measure) };
                all.push(json!({ "at": null, "name": name.to_string(), "atMost": axis.better == Better::Lower, "bound": null }));
            }
            json!({ "scale": scale.described(), "usable": [usable.0, usable.1], "limits": all })
        });
        Value::from(movable.to_vec())
    }

    /// Where all limits on these axes are kept and a file can be used; nothing where that is everywhere or nowhere.
    pub(super) fn zone(&self) -> Option<Tag> {
        let [left, top, right, bottom] = self.field;
        let x = self.kept(self.risk, (left, right), &self.x);
        let y = self.kept(self.utility, (top, bottom), &self.y);
        let whole = x == (left, right) && y == (top, bottom);
        let empty = x.1 <= x.0 || y.1 <= y.0;
        (!whole && !empty).then(|| rectangle((x.0, y.0), (x.1, y.1), "kept-zone"))
    }

    fn limit_lines(&self) -> Markup {
        let [left, top, right, bottom] = self.field;
        let mut lines = Markup::default();
        for (limit, bound) in self.limits(self.risk) {
            let x = self.x.at(bound);
            if (left..=right).contains(&x) {
                let told = tag("title").text(&limit.text);
                lines.push(line((x, top), (x, bottom), Stroke::Limit).add(told));
                lines.push(
                    label(&format!("limit {}", figure(bound)), (x + 4.0, top + 11.0), Anchor::Start, 120.0)
                        .with("class", "limit-name"),
                );
            }
        }
        for (limit, bound) in self.limits(self.utility) {
            let y = self.y.at(bound);
            if (top..=bottom).contains(&y) {
                let told = tag("title").text(&limit.text);
                lines.push(line((left, y), (right, y), Stroke::Limit).add(told));
                lines.push(
                    label(&format!("limit {}", figure(bound)), (right - 4.0, y - 4.0), Anchor::End, 120.0)
                        .with("class", "limit-name"),
                );
            }
        }
        lines
    }
}

/// A part of an axis without what a bound forbids. Places run along the scale, or against it on the axis that points up.
fn cut((low, high): (f64, f64), scale: &Scale, bound: f64, at_most: bool) -> (f64, f64) {
    let rises = scale.at(2.0) >= scale.at(1.0);
    let at = scale.at(bound);
    if at_most == rises { (low, high.min(at)) } else { (low.max(at), high) }
}

/// A map of one size: the marks move by a script, which finds them by name, on the wide one alone.
struct Sheet {
    size: (f64, f64),
    /// Room for names beside the field.
    beside: f64,
    /// Names are cut to this width.
    names: f64,
    is_moved: bool,
}

const WIDE: Sheet = Sheet { size: (860.0, 560.0), beside: 120.0, names: 190.0, is_moved: true };
/// For phones: taller than wide, so that names find room above each other.
const NARROW: Sheet = Sheet { size: (370.0, 620.0), beside: 16.0, names: 150.0, is_moved: false };

/// The map on its default axes, and what the script needs to draw it on others. None without two axes that exist.
pub(crate) fn risk_utility_map(frontier: &Frontier) -> Option<(Picture, Value)> {
    let (picture, chosen, layout) = draw(frontier, &WIDE)?;
    let scales = MapScales::new(frontier, (layout.left, layout.right), (layout.top, layout.bottom))?;
    Some((picture, script_data(frontier, chosen, &layout, scales.movable())))
}

/// The same for a narrow page; it stays on its axes.
pub(crate) fn narrow_map(frontier: &Frontier) -> Option<Picture> {
    draw(frontier, &NARROW).map(|(picture, ..)| picture)
}

fn draw(frontier: &Frontier, sheet: &Sheet) -> Option<(Picture, [usize; 2], MapLayout)> {
    let methods = methods(frontier);
    let size = sheet.size;
    let (legend, height) = legend(&legend_entries(&methods, frontier), (4.0, 4.0), size.0 - 8.0);
    let left = if sheet.is_moved { 56.0 } else { 40.0 };
    let layout = MapLayout { left, right: size.0 - sheet.beside, top: height + 34.0, bottom: size.1 - 46.0 };
    let scales = MapScales::new(frontier, (layout.left, layout.right), (layout.top, layout.bottom))?;
    let (risk, utility, x, y) = (scales.risk, scales.utility, scales.x, scales.y);
    let place = |one: &Contestant| scales.place(one);
    let shown: Vec<(usize, &Contestant)> =
        frontier.contestants.iter().enumerate().filter(|(_, one)| place(one).is_some()).collect();
    let named_for_script = |group: Tag, name: &'static str| match sheet.is_moved {
        true => group.with("id", name),
        false => group,
    };
    let mut marks = Markup::from(legend);
    marks.push(named_for_script(tag("g"), "map-limits").add(scales.zone()).add(scales.limit_lines()));
    let names = [axis_name(&frontier.axes[risk]), axis_name(&frontier.axes[utility])];
    marks.push(bottom_axis(&x, (layout.left, layout.right), (layout.bottom, layout.top), &names[0]));
    marks.push(left_axis(&y, (layout.top, layout.bottom), (layout.left, layout.right), &names[1]));
    let mut front: Vec<(f64, f64)> =
        shown.iter().filter(|(_, one)| on_front(one)).filter_map(|(_, one)| place(one)).collect();
    front.sort_by(|one, other| one.0.total_cmp(&other.0));
    marks.push(named_for_script(path(&front, Stroke::Front), "map-front"));

    let mut labels = Labels::within([layout.left, layout.top - 6.0, size.0 - 2.0, layout.bottom]);
    for (_, one) in &shown {
        let Some((at_x, at_y)) = place(one) else { continue };
        labels.keep_free((at_x, at_y), 6.0);
        if let (Some(of_risk), Some(of_utility)) = (value(one, risk), value(one, utility)) {
            labels.keep_free_line((x.at(of_risk.range[0]), at_y), (x.at(of_risk.range[1]), at_y));
            labels.keep_free_line((at_x, y.at(of_utility.range[0])), (at_x, y.at(of_utility.range[1])));
        }
        let planned = |axis: usize| one.planned.get(axis).copied().flatten();
        if let (Some(of_risk), Some(of_utility)) = (planned(risk), planned(utility)) {
            labels.keep_free((x.at(of_risk), y.at(of_utility)), 9.0);
        }
    }
    for (_, bound) in scales.limits(risk) {
        labels.keep_free_line((x.at(bound), layout.top), (x.at(bound), layout.bottom));
    }
    for (_, bound) in scales.limits(utility) {
        labels.keep_free_line((layout.left, y.at(bound)), (layout.right, y.at(bound)));
    }
    front.windows(2).for_each(|ends| labels.keep_free_across(ends[0], ends[1]));
    let mut points = named_for_script(tag("g"), "map-points");
    for (at, one) in &shown {
        let method = methods.iter().position(|method| *method == method_of(one)).unwrap_or_default();
        points = points.add(mark(frontier, *at, one, method, (risk, utility), (&x, &y)));
    }
    let mut texts = named_for_script(tag("g"), "map-labels").with("aria-hidden", "true");
    let mut named: Vec<&(usize, &Contestant)> = shown.iter().collect();
    // What matters most is named first, where room is nearest: the recommended one, then the front.
    named.sort_by_key(|(_, one)| {
        (frontier.recommendation.name.as_deref() != Some(one.name.as_str()), !on_front(one))
    });
    for (_, one) in named {
        if let Some(place) = place(one) {
            let class = if on_front(one) { "point-name" } else { "point-name quiet-text" };
            texts = texts.add(labels.place_anywhere(&shortened(&one.name, sheet.names), place, class));
        }
    }
    marks.push(points);
    marks.push(texts);
    let picture = Picture {
        name: if sheet.is_moved { "risk-utility-map" } else { "risk-utility-map-narrow" }.into(),
        title: "Every version by what it gives away and what it is worth".into(),
        description: description(frontier, shown.len()),
        size,
        marks,
        table: table(frontier, risk, utility),
    };
    Some((picture, [risk, utility], layout))
}

fn on_front(one: &Contestant) -> bool {
    one.place.as_ref().is_some_and(|place| place.on_front)
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
    let faint = if on_front(one) || chosen { "" } else { " faint" };
    let symbol = symbol_of(method);
    let mut link = tag("a")
        .with("href", format!("#contestant-{}", at + 1))
        .with("class", format!("contestant series-{}{faint}", method % 8))
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

/// The sign of a method: from the ninth on colours come again, each with the next sign.
fn symbol_of(method: usize) -> Symbol {
    Symbol::ALL[(method + method / Symbol::ALL.len()) % Symbol::ALL.len()]
}

/// One contestant in a sentence, as a tooltip and for screen readers.
fn told(frontier: &Frontier, one: &Contestant, risk: usize, utility: usize) -> String {
    let number = |axis: usize| {
        format!("{} {}", frontier.axes[axis].label, figure_or_dash(value(one, axis).map(|value| value.mean)))
    };
    format!("{}: {}; {}", one.name, number(utility), number(risk))
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
            sign: sign(symbol_of(at), format!("mark series-{}", at % 8)),
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
    let Some(scales) = MapScales::new(frontier, (0.0, 100.0), (0.0, 100.0)) else { return entries };
    let on_axes = scales.limits(scales.risk).len() + scales.limits(scales.utility).len();
    if on_axes > 0 {
        entries.push(Entry { sign: Sign::Line(Stroke::Limit), text: "limit".into() });
    }
    // Whether a part of the field is shaded does not depend on its size.
    if scales.zone().is_some() {
        let shaded = match on_axes {
            0 => "usable",
            some if some == frontier.limits.len() => "keeps all limits and is usable",
            _ => "keeps the limits on these axes and is usable",
        };
        entries.push(Entry { sign: Sign::Zone, text: shaded.into() });
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
        |one: &Contestant| vec![one.name.clone(), spread(value(one, risk)), spread(value(one, utility))];
    let head = ["contestant", &frontier.risk.label, &frontier.utility.label];
    DataTable::new(head, frontier.contestants.iter().map(row).collect())
}

/// Everything the script moves marks by: round numbers would not do, so values are as they were found.
fn script_data(frontier: &Frontier, chosen: [usize; 2], layout: &MapLayout, movable: Value) -> Value {
    let contestant = |one: &Contestant| {
        let values: Vec<Value> = (0..frontier.axes.len())
            .map(|axis| match value(one, axis) {
                Some(value) => json!([value.mean, value.range[0], value.range[1]]),
                None => Value::Null,
            })
            .collect();
        json!({ "label": one.name, "short": shortened(&one.name, WIDE.names), "values": values, "planned": one.planned,
                "front": one.place.as_ref().is_some_and(|place| place.on_front),
                "checks": frontier.limits.iter().map(|limit| checked(one, limit)).collect::<Vec<_>>() })
    };
    let axes: Vec<Value> =
        frontier.axes.iter().map(|axis| json!({ "label": axis.label, "name": axis_name(axis) })).collect();
    json!({
        "axes": axes,
        "chosen": chosen,
        "width": WIDE.size.0,
        "field": [layout.left, layout.right, layout.top, layout.bottom],
        "movable": movable,
        "contestants": frontier.contestants.iter().map(contestant).collect::<Vec<_>>(),
    })
}

/// The value by which a limit is judged, which may be the worst of several where the axis shows their mean; whether it was kept; and whether the value alone
/// decides that.
fn checked(one: &Contestant, limit: &Limit) -> Value {
    one.checks
        .iter()
        .find(|check| check.limit == limit.text)
        .map_or(Value::Null, |check| json!([check.value, check.kept, check.because.is_none()]))
}
