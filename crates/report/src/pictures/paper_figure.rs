//! A figure of a paper that is repeated: lines or clouds of points.

use std::collections::BTreeSet;

use study::papers::{Figure, Series};

use crate::markup::{Markup, tag};
use crate::svg::{DataTable, Entry, Picture, Scale, Sign, Symbol, bottom_axis, left_axis, legend, point, px};

const WIDTH: f64 = 560.0;
const PLOT_HEIGHT: f64 = 320.0;
const RADIUS: f64 = 3.0;

/// More series than this share the sign of what their names begin with, up to a comma.
const MOST_SIGNS: usize = 16;

/// A line of more points than this is drawn without them.
const MOST_ON_LINE: usize = 40;

/// The figure; its numbers lie beside it in a file of their own.
pub(crate) fn paper_figure(figure: &Figure) -> Picture {
    let mut names: Vec<&str> = Vec::new();
    for series in &figure.series {
        let name = sign_name(figure, series);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let entry = |(at, name): (usize, &&str)| Entry {
        sign: Sign::Point(symbol(at), format!("mark {}", class(at))),
        text: (*name).to_owned(),
    };
    let entries: Vec<Entry> = names.iter().enumerate().map(entry).collect();
    let (signs, height) = legend(&entries, (6.0, 6.0), WIDTH - 12.0);
    let (left, right, top) = (56.0, WIDTH - 16.0, height + 34.0);
    let bottom = top + PLOT_HEIGHT;
    let all =
        |axis: usize| figure.series.iter().flat_map(move |one| one.points.iter().map(move |at| at[axis]));
    let (x, y) = (Scale::of(all(0), (left, right)), Scale::of(all(1), (bottom, top)));
    let mut marks = Markup::default();
    marks.push(signs);
    marks.push(bottom_axis(&x, (left, right), (bottom, top), &figure.x));
    marks.push(left_axis(&y, (top, bottom), (left, right), &figure.y));
    for series in &figure.series {
        let at = names.iter().position(|name| *name == sign_name(figure, series)).unwrap_or(0);
        let places: Vec<(f64, f64)> =
            series.points.iter().map(|[right, up]| (x.at(*right), y.at(*up))).collect();
        let mut group = tag("g").with("class", class(at));
        if is_line(series) {
            let list: Vec<String> = places.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
            // Signs come again after eight; the second time lines are dashed.
            let curve = if (at / Symbol::ALL.len()).is_multiple_of(2) { "curve" } else { "curve dashed" };
            group = group.add(tag("polyline").with("points", list.join(" ")).with("class", curve));
        }
        if !is_line(series) || places.len() <= MOST_ON_LINE {
            let seen = one_a_pixel(&places).into_iter();
            group = group.all(seen.map(|place| point(place, RADIUS, symbol(at)).with("class", "mark")));
        }
        marks.push(group);
    }
    Picture {
        name: crate::figure_stem(&figure.name),
        title: figure.name.clone(),
        description: format!("{} Rightwards: {}. Upwards: {}.", figure.caption, figure.x, figure.y),
        size: (WIDTH, bottom + 44.0),
        marks,
        table: DataTable::default(),
    }
}

fn sign_name<'a>(figure: &Figure, series: &'a Series) -> &'a str {
    match figure.series.len() > MOST_SIGNS {
        true => series.name.split(',').next().unwrap_or(&series.name),
        false => &series.name,
    }
}

fn symbol(at: usize) -> Symbol {
    Symbol::ALL[at % Symbol::ALL.len()]
}

fn class(at: usize) -> String {
    format!("series-{}", at % Symbol::ALL.len())
}

/// Points that go on to the right are joined.
fn is_line(series: &Series) -> bool {
    series.points.len() > 2 && series.points.windows(2).all(|two| two[0][0] < two[1][0])
}

/// Of points that lie on one another the first.
fn one_a_pixel(places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut taken = BTreeSet::new();
    let is_new = |(x, y): &&(f64, f64)| taken.insert((x.round() as i64, y.round() as i64));
    places.iter().filter(is_new).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_clouds_are_not_and_points_on_one_another_are_drawn_once() {
        let cloud: Vec<[f64; 2]> = (0..1000).map(|at| [f64::from(at % 2), 0.5]).collect();
        let figure = Figure::new("Figure 3", "Risks.", "R", "RR")
            .with("a line", vec![[0.0, 0.1], [0.5, 0.4], [1.0, 0.9]])
            .with("a cloud & more", cloud);
        let file = paper_figure(&figure).file();
        roxmltree::Document::parse(&file).unwrap();
        assert_eq!(file.matches("<polyline").count(), 1);
        // Two of the legend, three of the line, two of the cloud.
        assert_eq!(file.matches("mark").count() - file.matches(".mark").count(), 7, "{file}");
        assert!(file.contains("a cloud &amp; more") && file.contains("RR"));
    }
}
