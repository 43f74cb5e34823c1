//! A figure of lines or clouds of points, as those of papers are.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::markup::{Markup, tag};
use crate::svg::{DataTable, Entry, Picture, Scale, Sign, Symbol, bottom_axis, left_axis, legend, point, px};

const WIDTH: f64 = 560.0;
const PLOT_HEIGHT: f64 = 320.0;
const RADIUS: f64 = 3.0;

/// More series than this share the sign of what their names begin with, up to a comma.
const MOST_SIGNS: usize = 16;

/// A line of more points than this is drawn without them.
const MOST_ON_LINE: usize = 40;

/// A figure as numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Which one, such as `Figure 1`.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// What runs to the right.
    pub x: String,
    /// What runs upwards.
    pub y: String,
    /// Its lines or clouds of points.
    pub series: Vec<Series>,
}

/// One line or one cloud of points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// What it stands for.
    pub name: String,
    /// Its points.
    pub points: Vec<[f64; 2]>,
}

impl Figure {
    /// A figure without series.
    pub fn new(
        name: impl Into<String>,
        caption: impl Into<String>,
        x: impl Into<String>,
        y: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), caption: caption.into(), x: x.into(), y: y.into(), series: Vec::new() }
    }

    /// The same with one more series.
    pub fn with(mut self, name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        self.series.push(Series { name: name.into(), points });
        self
    }

    /// What its files are called, without their endings.
    pub fn file_stem(&self) -> String {
        self.name.to_lowercase().replace(' ', "-")
    }

    /// The figure as an SVG file.
    pub fn svg(&self) -> String {
        paper_figure(self).file()
    }

    /// The series as comma-separated values: series, x, y.
    pub fn csv(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let mut text = format!("series,{},{}\n", quoted(&self.x), quoted(&self.y));
        for series in &self.series {
            for [x, y] in &series.points {
                text.push_str(&format!("{},{x},{y}\n", quoted(&series.name)));
            }
        }
        text
    }
}

/// The figure; its numbers lie beside it in a file of their own.
fn paper_figure(figure: &Figure) -> Picture {
    let mut names: Vec<&str> = Vec::new();
    for series in &figure.series {
        let name = sign_name(figure, series);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let styles = styles(&names);
    let entry = |(name, style): (&&str, &Style)| {
        let drawn = figure.series.iter().find(|series| sign_name(figure, series) == *name);
        Entry { sign: style.sign(drawn), text: (*name).to_owned() }
    };
    let entries: Vec<Entry> = names.iter().zip(&styles).map(entry).collect();
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
        let style = styles[at];
        let places: Vec<(f64, f64)> =
            series.points.iter().map(|[right, up]| (x.at(*right), y.at(*up))).collect();
        let mut group = tag("g").with("class", style.colour());
        if is_line(series) {
            let list: Vec<String> = places.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
            group = group.add(tag("polyline").with("points", list.join(" ")).with("class", style.curve()));
        }
        if has_marks(series) {
            let mark = |place| point(place, RADIUS, style.symbol()).with("class", style.mark());
            group = group.all(one_a_pixel(&places).into_iter().map(mark));
        }
        marks.push(group);
    }
    Picture {
        name: figure.file_stem(),
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

/// How a series is drawn: in one of eight colours and shapes, solid, or hollow and dashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Style {
    sign: usize,
    is_hollow: bool,
}

impl Style {
    fn symbol(self) -> Symbol {
        Symbol::ALL[self.sign]
    }

    fn colour(self) -> String {
        format!("series-{}", self.sign)
    }

    fn curve(self) -> &'static str {
        if self.is_hollow { "curve dashed" } else { "curve" }
    }

    fn mark(self) -> &'static str {
        if self.is_hollow { "mark hollow" } else { "mark" }
    }

    /// The sign in the legend of a series that is drawn so.
    fn sign(self, drawn: Option<&Series>) -> Sign {
        match drawn.filter(|series| is_line(series)) {
            Some(line) => Sign::Curve {
                colour: self.colour(),
                curve: self.curve(),
                points: has_marks(line).then(|| (self.symbol(), self.mark())),
            },
            None => Sign::Point(self.symbol(), format!("{} {}", self.mark(), self.colour())),
        }
    }
}

/// A style for each name. "X" and "X, paper" share colour and shape, the second one hollow; where there are more names than colours, so do those
/// that end alike. Names that do not come in pairs take the eight solid signs first, then the hollow ones.
fn styles(names: &[&str]) -> Vec<Style> {
    let begins = |name: &str| name.split_once(", ").map_or(name, |(begin, _)| begin).to_owned();
    let ends = |name: &str| name.split_once(", ").map_or(name, |(_, end)| end).to_owned();
    let is_crowded = names.len() > Symbol::ALL.len();
    let by_end = || if is_crowded { paired(names, ends) } else { None };
    paired(names, begins).or_else(by_end).unwrap_or_else(|| {
        let style = |at: usize| Style {
            sign: at % Symbol::ALL.len(),
            is_hollow: !(at / Symbol::ALL.len()).is_multiple_of(2),
        };
        (0..names.len()).map(style).collect()
    })
}

/// One sign for each part, the second name that has it hollow; nothing if there are more parts than signs or three names share one.
fn paired(names: &[&str], part: impl Fn(&str) -> String) -> Option<Vec<Style>> {
    let mut parts: Vec<(String, usize)> = Vec::new();
    let mut styles = Vec::with_capacity(names.len());
    for name in names {
        let part = part(name);
        let sign = parts.iter().position(|(known, _)| *known == part).unwrap_or(parts.len());
        if sign == parts.len() {
            parts.push((part, 0));
        }
        styles.push(Style { sign, is_hollow: parts[sign].1 == 1 });
        parts[sign].1 += 1;
    }
    let fits = parts.len() <= Symbol::ALL.len() && parts.iter().all(|(_, names)| *names <= 2);
    fits.then_some(styles)
}

/// Whether the points of a series are drawn; a line of very many has none.
fn has_marks(series: &Series) -> bool {
    !is_line(series) || series.points.len() <= MOST_ON_LINE
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

    #[test]
    fn sixteen_series_are_told_apart_and_the_papers_are_hollow() {
        let entries = ["A", "B", "C", "D", "E", "F", "G", "H"];
        let papers = entries.map(|entry| format!("{entry}, paper"));
        let names: Vec<&str> = entries.into_iter().chain(papers.iter().map(String::as_str)).collect();
        let found = styles(&names);
        for at in 0..8 {
            assert_eq!(found[at], Style { sign: at, is_hollow: false });
            assert_eq!(found[at + 8], Style { sign: at, is_hollow: true });
        }
        let singles: Vec<String> = (0..16).map(|at| format!("series {at}")).collect();
        let singles = styles(&singles.iter().map(String::as_str).collect::<Vec<_>>());
        let by_end: Vec<String> =
            ["T_p", "T_s"].iter().flat_map(|t| (0..5).map(move |at| format!("{t}, sigma = {at}"))).collect();
        let by_end = styles(&by_end.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(by_end[6], Style { sign: 1, is_hollow: true });
        for styles in [found, singles, by_end] {
            assert!((1..styles.len()).all(|at| !styles[..at].contains(&styles[at])), "{styles:?}");
        }
    }

    #[test]
    fn the_legend_shows_hollow_points_and_dashes_as_the_plot_does() {
        let points = paper_figure(
            &Figure::new("Figure 1", "Map.", "utility", "risk")
                .with("Raab", vec![[0.8, 0.4]])
                .with("Raab, paper", vec![[0.7, 0.5]]),
        );
        let file = points.file();
        assert_eq!(file.matches("class=\"mark series-0\"").count(), 1, "{file}");
        assert_eq!(file.matches("class=\"mark hollow series-0\"").count(), 1, "{file}");
        assert_eq!(file.matches("class=\"mark hollow\"").count(), 1, "{file}");
        let line = |up: f64| vec![[0.0, up], [1.0, up], [2.0, up]];
        let lines = paper_figure(
            &Figure::new("Figure 1a", "Tau.", "m", "tau")
                .with("sigma = 1, exact", line(0.2))
                .with("sigma = 1, normal approximation", line(0.4)),
        );
        let file = lines.file();
        assert_eq!(file.matches("class=\"curve\"").count(), 2, "{file}");
        assert_eq!(file.matches("class=\"curve dashed\"").count(), 2, "{file}");
        assert_eq!(file.matches("class=\"mark hollow\"").count(), 4, "{file}");
    }
}
