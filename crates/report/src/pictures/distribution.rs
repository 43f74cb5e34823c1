//! The distribution of one variable: bars of levels, a histogram of numbers, and rows for codes and missing values.

use release::evidence::{Class, ClassKind, ComparedDistribution, Distribution};

use super::paired_bars::{Row, Sides, WIDTH, WITH_SHORT_NAMES, bar_rows, paired_bars};
use crate::markup::{Markup, Tag, tag};
use crate::numbers::share;
use crate::svg::{Filling, Picture, Scale, Stroke, bar, bottom_axis, left_axis, legend, path};

const BOTH: Sides = Sides {
    original: Some("original"),
    synthetic: "synthetic",
    axis: "% of records",
    written: share,
    times: 100.0,
    widths: WITH_SHORT_NAMES,
};
const ALONE: Sides = Sides {
    original: None,
    synthetic: "synthetic",
    axis: "% of records",
    written: share,
    times: 100.0,
    widths: WITH_SHORT_NAMES,
};

/// One variable in both files.
pub(crate) fn compared(number: usize, of: &ComparedDistribution) -> Picture {
    draw(&Drawn {
        name: super::file_name("distribution", number, &of.variable),
        variable: &of.variable,
        label: &of.label,
        kind: &of.kind,
        classes: &of.classes,
        original: Some(&of.original),
        synthetic: &of.synthetic,
        is_log: of.is_log,
    })
}

/// One variable of the release alone.
pub(crate) fn released(number: usize, of: &Distribution) -> Picture {
    draw(&Drawn {
        name: super::file_name("released", number, &of.variable),
        variable: &of.variable,
        label: &of.label,
        kind: &of.kind,
        classes: &of.classes,
        original: None,
        synthetic: &of.shares,
        is_log: of.is_log,
    })
}

/// What is drawn of one variable.
struct Drawn<'a> {
    name: String,
    variable: &'a str,
    label: &'a str,
    kind: &'a str,
    classes: &'a [Class],
    original: Option<&'a Vec<f64>>,
    synthetic: &'a [f64],
    is_log: bool,
}

fn draw(drawn: &Drawn<'_>) -> Picture {
    let Drawn { name, variable, label, kind, classes, original, synthetic, is_log } = drawn;
    let sides = if original.is_some() { &BOTH } else { &ALONE };
    let rows: Vec<Row> = classes
        .iter()
        .enumerate()
        .map(|(at, class)| Row {
            name: class.label.clone(),
            original: original.map(|shares| shares[at]),
            synthetic: Some(synthetic[at]),
        })
        .collect();
    let name = name.clone();
    let title = match *label {
        "" => format!("{variable} ({kind})"),
        label => format!("{variable} ({kind}): {label}"),
    };
    let intervals: Vec<Interval<'_>> = classes
        .iter()
        .zip(&rows)
        .filter_map(|(class, row)| match class.is {
            ClassKind::Interval(low, high) => Some(Interval { low, high, row }),
            _ => None,
        })
        .collect();
    if intervals.is_empty() {
        return paired_bars(name, title, &rows, sides);
    }
    let (legend, height) = legend(&sides.legend(), (4.0, 4.0), WIDTH - 8.0);
    let top = height + 30.0;
    let mut marks: Markup =
        [legend, histogram(&intervals, *kind == "date", *is_log, top)].into_iter().collect();
    let mut bottom = top + HISTOGRAM + if *is_log { 42.0 } else { 26.0 };
    let others: Vec<Row> = classes
        .iter()
        .zip(&rows)
        .filter(|(class, _)| !matches!(class.is, ClassKind::Interval(..)))
        .map(|(_, row)| Row { name: row.name.clone(), ..*row })
        .collect();
    if !others.is_empty() {
        let (bars, height) = bar_rows(&others, sides, bottom);
        marks.push(bars);
        bottom += height;
    }
    let description = sides.description(&rows).replacen("Bars.", "Histogram.", 1);
    Picture { name, title, description, size: (WIDTH, bottom), marks, table: sides.table(&rows) }
}

struct Interval<'a> {
    low: f64,
    high: f64,
    row: &'a Row,
}

const HISTOGRAM: f64 = 120.0;

/// Filled bars of the synthetic files under the outline of the original.
fn histogram(intervals: &[Interval<'_>], is_date: bool, is_log: bool, top: f64) -> Tag {
    let (left, right, bottom) = (44.0, WIDTH - 24.0, top + HISTOGRAM);
    let most =
        intervals.iter().flat_map(|one| [one.row.original, one.row.synthetic]).flatten().fold(0.0, f64::max);
    let heights = Scale::linear((0.0, if most > 0.0 { 100.0 * most } else { 1.0 }), (bottom, top));
    let (first, last) = (intervals[0].low, intervals[intervals.len() - 1].high);
    // Days are shown as years.
    let shown = |value: f64| if is_date { 1970.0 + value / 365.2425 } else { value };
    let span = (shown(first), shown(last));
    let places = match is_log {
        true => Scale::logarithmic(span, (left, right)),
        false => Scale::linear(span, (left, right)),
    };
    let at = |value: f64| places.at(shown(value));
    let mut group = tag("g").with("class", "histogram").add(left_axis(
        &heights,
        (top, bottom),
        (left, right),
        "% of records",
    ));
    for Interval { low, high, row } in intervals {
        let Some(value) = row.synthetic else { continue };
        let marked =
            bar((at(*low) + 0.5, bottom), (at(*high) - 0.5, heights.at(100.0 * value)), Filling::Synthetic);
        let text = format!("{}: synthetic {}", row.name, share(value));
        let text =
            row.original.map_or(text.clone(), |original| format!("{text}, original {}", share(original)));
        group = group.add(marked.add(tag("title").text(text)));
    }
    if intervals.iter().any(|one| one.row.original.is_some()) {
        let mut outline = vec![(at(first), bottom)];
        for Interval { low, high, row } in intervals {
            let y = heights.at(100.0 * row.original.unwrap_or(0.0));
            outline.extend([(at(*low), y), (at(*high), y)]);
        }
        outline.push((at(last), bottom));
        group = group.add(path(&outline, Stroke::Original));
    }
    let name = if is_log { "logarithmic axis" } else { "" };
    group.add(bottom_axis(&places, (left, right), (bottom, bottom), name))
}
