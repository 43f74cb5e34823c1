//! Rows of bars, one for the original and one for the synthetic files.

use crate::markup::{Markup, Tag, tag};
use crate::svg::{
    Anchor, DataTable, Entry, Filling, Picture, Scale, Sign, bar, bottom_axis, label, label_width, legend,
};

/// One row: its name and the two values, of which either may be absent.
pub(crate) struct Row {
    /// What the row is.
    pub(crate) name: String,
    /// The original.
    pub(crate) original: Option<f64>,
    /// The synthetic files.
    pub(crate) synthetic: Option<f64>,
}

/// What the two bars are called, and how values are written.
pub(crate) struct Sides {
    /// The hollow bar; none where the picture has filled ones only.
    pub(crate) original: Option<&'static str>,
    /// The filled bar.
    pub(crate) synthetic: &'static str,
    /// What the axis counts.
    pub(crate) axis: &'static str,
    /// How a value is written.
    pub(crate) written: fn(f64) -> String,
    /// By what a value is multiplied on the axis: 100 for a share in per cent.
    pub(crate) times: f64,
    /// The width of the picture, and of the names of its rows at most.
    pub(crate) widths: (f64, f64),
}

/// The width of pictures that stand beside each other.
pub(super) const WIDTH: f64 = 340.0;
/// The width of pictures with long names of rows.
pub(crate) const WITH_LONG_NAMES: (f64, f64) = (480.0, 220.0);
/// The width of pictures with short names of rows.
pub(super) const WITH_SHORT_NAMES: (f64, f64) = (WIDTH, 172.0);
const RIGHT: f64 = 30.0;

/// Rows of bars under a legend.
pub(crate) fn paired_bars(name: String, title: String, rows: &[Row], sides: &Sides) -> Picture {
    let (legend, top) = legend(&sides.legend(), (4.0, 4.0), sides.widths.0 - 8.0);
    let top = top + 10.0;
    let (bars, height) = bar_rows(rows, sides, top);
    let description = sides.description(rows);
    let marks = [Markup::from(legend), Markup::from(bars)].into_iter().collect();
    Picture {
        name,
        title,
        description,
        size: (sides.widths.0, top + height),
        marks,
        table: sides.table(rows),
    }
}

/// The rows with their axis below `top`, and the height that they take.
pub(super) fn bar_rows(rows: &[Row], sides: &Sides, top: f64) -> (Tag, f64) {
    let (width, most_names) = sides.widths;
    let longest = rows.iter().map(|row| label_width(&row.name)).fold(0.0, f64::max);
    let names = (longest + 8.0).clamp(44.0, most_names);
    let row_height = if sides.original.is_some() { 21.0 } else { 16.0 };
    let values = rows.iter().flat_map(|row| [row.original, row.synthetic]).flatten();
    let most = sides.times * values.fold(0.0, f64::max);
    let scale =
        Scale::linear((0.0, if most > 0.0 { most * 1.02 } else { 1.0 }), (names + 6.0, width - RIGHT));
    let bottom = top + row_height * rows.len() as f64 + 4.0;
    let axis = bottom_axis(&scale, (names + 6.0, width - RIGHT), (bottom, top), sides.axis);
    let mut group = tag("g").add(axis);
    for (at, row) in rows.iter().enumerate() {
        let y = top + row_height * at as f64;
        let name = label(&row.name, (names, y + row_height / 2.0 + 4.0), Anchor::End, names - 4.0);
        let values = [(Filling::Original, row.original), (Filling::Synthetic, row.synthetic)];
        let both = sides.original.is_some();
        let mut of_row = tag("g").add(tag("title").text(sides.row_text(row)));
        for (filling, value) in values {
            let Some(value) = value else { continue };
            let first = y + 2.5;
            let place = match filling {
                Filling::Original => (first, first + 7.0),
                Filling::Synthetic if both => (first + 8.5, first + 15.5),
                Filling::Synthetic => (first, first + 11.0),
            };
            let end = scale.at(sides.times * value);
            of_row = of_row.add(bar((scale.at(0.0), place.0), (end, place.1), filling));
        }
        group = group.add(name).add(of_row);
    }
    (group, bottom - top + 40.0)
}

impl Sides {
    pub(super) fn legend(&self) -> Vec<Entry> {
        let original =
            self.original.map(|text| Entry { sign: Sign::Bar(Filling::Original), text: text.into() });
        let synthetic = Entry { sign: Sign::Bar(Filling::Synthetic), text: self.synthetic.into() };
        original.into_iter().chain([synthetic]).collect()
    }

    fn value(&self, value: Option<f64>) -> String {
        value.map_or_else(|| "–".to_owned(), self.written)
    }

    fn row_text(&self, row: &Row) -> String {
        let synthetic = format!("{} {}", self.synthetic, self.value(row.synthetic));
        match self.original {
            Some(original) => format!("{}: {original} {}, {synthetic}", row.name, self.value(row.original)),
            None => format!("{}: {synthetic}", row.name),
        }
    }

    pub(super) fn description(&self, rows: &[Row]) -> String {
        const TOLD: usize = 6;
        let told: Vec<String> = rows.iter().take(TOLD).map(|row| self.row_text(row)).collect();
        let rest = if rows.len() > TOLD { "; the rest is in the table of numbers" } else { "" };
        format!("Bars. {}{rest}.", told.join("; "))
    }

    pub(super) fn table(&self, rows: &[Row]) -> DataTable {
        let head = [Some(""), self.original, Some(self.synthetic)].into_iter().flatten();
        let row = |row: &Row| {
            let mut cells = vec![row.name.clone()];
            if self.original.is_some() {
                cells.push(self.value(row.original));
            }
            cells.push(self.value(row.synthetic));
            cells
        };
        DataTable::new(head, rows.iter().map(row).collect())
    }
}
