//! Correlations and associations of pairs of variables: the original's along, the synthetic files' up.

use crate::markup::{Markup, tag};
use crate::numbers::figure;
use crate::svg::{
    DataTable, Labels, Picture, Scale, Stroke, Symbol, bottom_axis, left_axis, line, point, shortened,
};

/// One pair of variables.
pub(crate) struct Association {
    /// The pair.
    pub(crate) on: [String; 2],
    /// In the original.
    pub(crate) original: f64,
    /// In the synthetic files.
    pub(crate) synthetic: f64,
}

impl Association {
    fn gap(&self) -> f64 {
        (self.original - self.synthetic).abs()
    }
}

const SIZE: (f64, f64) = (380.0, 380.0);
const NAMED: usize = 6;

/// Points on the diagonal are as in the original; those furthest from it are named.
pub(crate) fn associations(name: &str, title: &str, of: &[Association], from: f64) -> Picture {
    let (left, right, top, bottom) = (44.0, SIZE.0 - 16.0, 28.0, SIZE.1 - 42.0);
    let (x, y) = (Scale::linear((from, 1.0), (left, right)), Scale::linear((from, 1.0), (bottom, top)));
    let mut marks = Markup::default();
    marks.push(bottom_axis(&x, (left, right), (bottom, top), "in the original"));
    marks.push(left_axis(&y, (top, bottom), (left, right), "in the synthetic files"));
    marks.push(line((x.at(from), y.at(from)), (x.at(1.0), y.at(1.0)), Stroke::Reference));
    let mut sorted: Vec<&Association> = of.iter().collect();
    sorted.sort_by(|one, other| other.gap().total_cmp(&one.gap()));
    let mut labels = Labels::within([left, top, right + 12.0, bottom]);
    let at = |one: &Association| (x.at(one.original), y.at(one.synthetic));
    for one in &sorted {
        let told = format!(
            "{} and {}: original {}, synthetic {}",
            one.on[0],
            one.on[1],
            figure(one.original),
            figure(one.synthetic)
        );
        let mark = point(at(one), 3.0, Symbol::Circle).with("class", "synthetic-point faint");
        marks.push(tag("g").add(tag("title").text(told)).add(mark));
        labels.keep_free(at(one), 2.0);
    }
    for one in sorted.iter().take(NAMED) {
        let text = one.on.each_ref().map(|name| shortened(name, 84.0)).join("–");
        marks.push(labels.place(&text, at(one), "place-name"));
    }
    let rows = sorted.iter().take(60).map(|one| {
        vec![one.on.join(" and "), figure(one.original), figure(one.synthetic), figure(one.gap())]
    });
    let worst = sorted.first().map_or_else(String::new, |one| {
        format!(" Furthest off: {}, by {}.", one.on.join(" and "), figure(one.gap()))
    });
    Picture {
        name: name.into(),
        title: title.into(),
        description: format!(
            "{} pairs of variables; on the diagonal they are as in the original.{worst}",
            of.len()
        ),
        size: SIZE,
        marks,
        table: DataTable::new(["pair", "original", "synthetic", "difference"], rows.collect()),
    }
}
