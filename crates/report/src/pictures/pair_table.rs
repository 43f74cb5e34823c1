//! One two-way table in both files, and how they differ.

use release::evidence::PairTable;

use crate::markup::{Markup, Tag, tag};
use crate::numbers::{class_head, class_name, figure, points, share};
use crate::svg::{Anchor, DataTable, Picture, Shade, cell, label, label_width, px};

/// Room for names of rows and of columns, at most.
const NAMES: f64 = 150.0;
const HEADS: f64 = 150.0;
const SIZE: (f64, f64) = (38.0, 22.0);

/// One of the three tables.
#[derive(Clone, Copy, PartialEq)]
enum Panel {
    Original,
    Synthetic,
    Difference,
}

impl Panel {
    const ALL: [Self; 3] = [Self::Original, Self::Synthetic, Self::Difference];

    fn title(self) -> &'static str {
        match self {
            Self::Original => "original, %",
            Self::Synthetic => "synthetic, %",
            Self::Difference => "difference, points",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Synthetic => "synthetic",
            Self::Difference => "difference",
        }
    }

    fn values(self, of: &PairTable) -> &[Vec<f64>] {
        match self {
            Self::Original => &of.original,
            Self::Synthetic => &of.synthetic,
            Self::Difference => &of.difference,
        }
    }
}

/// Original, synthetic and their difference in one picture, side by side.
pub(crate) fn pair_table(number: usize, of: &PairTable) -> Picture {
    let mut marks = Markup::default();
    let (mut left, mut height) = (0.0, 0.0);
    for one in Panel::ALL {
        let (drawn, size) = panel(of, one);
        marks.push(tag("g").with("transform", format!("translate({} 0)", px(left))).add(drawn));
        left += size.0;
        height = size.1;
    }
    let [rows_of, columns_of] = &of.variables;
    Picture {
        name: name(number, of),
        title: title(of),
        description: format!(
            "The table of {rows_of} by {columns_of} as per cent of all records in the original and in the synthetic files, and their difference in percentage points."
        ),
        size: (left, height),
        marks,
        table: numbers(of),
    }
}

/// The same on a page: three pictures, which stand below each other where the page is narrow.
pub(crate) fn pair_panels(number: usize, of: &PairTable) -> Tag {
    let [rows_of, columns_of] = &of.variables;
    let pictures = Panel::ALL.map(|one| {
        let (marks, size) = panel(of, one);
        let picture = Picture {
            name: format!("{}-{}", name(number, of), one.word()),
            title: format!("{}: {}", title(of), one.title()),
            description: format!("The table of {rows_of} by {columns_of}: {}.", one.title()),
            size,
            marks,
            table: DataTable::default(),
        };
        picture.svg()
    });
    tag("figure")
        .with("id", name(number, of))
        .add(tag("figcaption").text(title(of)))
        .add(tag("div").with("class", "panels").all(pictures))
        .add(numbers(of).details())
}

fn name(number: usize, of: &PairTable) -> String {
    super::file_name("table", number, &of.variables.join("-"))
}

fn title(of: &PairTable) -> String {
    let [rows_of, columns_of] = &of.variables;
    format!("{rows_of} (rows) by {columns_of} (columns): S_pMSE {}", figure(of.s_pmse))
}

/// One table with its names, and its size.
fn panel(of: &PairTable, which: Panel) -> (Markup, (f64, f64)) {
    let [rows_of, columns_of] = &of.variables;
    let heads = |labels: &[String]| labels.iter().map(|text| class_head(text)).collect::<Vec<_>>();
    let (rows, columns) = (heads(&of.rows), heads(&of.columns));
    let width_of = |labels: &[String], most: f64| {
        labels.iter().map(|text| label_width(text)).fold(30.0, f64::max).min(most)
    };
    let names = width_of(&rows, NAMES) + 12.0;
    let top = width_of(&columns, HEADS) + 36.0;
    let largest =
        |table: &[Vec<f64>]| table.iter().flatten().map(|value| value.abs()).fold(0.0, f64::max).max(1e-12);
    let most = match which {
        Panel::Difference => largest(&of.difference),
        _ => largest(&of.original).max(largest(&of.synthetic)),
    };
    let mut marks = Markup::default();
    let width = (names + columns.len() as f64 * SIZE.0 + 14.0).max(150.0);
    marks.push(label(which.title(), (4.0, 14.0), Anchor::Start, width).with("class", "axis-name strong"));
    for (at, row) in rows.iter().enumerate() {
        let y = top + (at as f64 + 0.5) * SIZE.1 + 4.0;
        marks.push(label(row, (names - 6.0, y), Anchor::End, NAMES));
    }
    for (at, column) in columns.iter().enumerate() {
        let (x, y) = (names + (at as f64 + 0.5) * SIZE.0 + 4.0, top - 6.0);
        let name = label(column, (x, y), Anchor::Start, HEADS);
        marks.push(name.with("transform", format!("rotate(-90 {} {})", px(x), px(y))));
    }
    for (row, values) in which.values(of).iter().enumerate() {
        for (column, value) in values.iter().enumerate() {
            let (x, y) = (names + column as f64 * SIZE.0, top + row as f64 * SIZE.1);
            let amount = 0.85 * value / most;
            let (shade, text) = match which {
                Panel::Difference => (Shade::Signed(amount), points(*value)),
                _ => (Shade::Amount(amount), format!("{:.1}", 100.0 * value)),
            };
            let told = format!(
                "{rows_of} {}, {columns_of} {}: {} {text}",
                class_name(&of.rows[row]),
                class_name(&of.columns[column]),
                which.title()
            );
            marks.push(cell((x, y), SIZE, shade).add(tag("title").text(told)));
            let number =
                label(&text, (x + SIZE.0 / 2.0, y + SIZE.1 / 2.0 + 4.0), Anchor::Middle, f64::INFINITY);
            marks.push(if amount.abs() > 0.55 { number.with("class", "on-dark") } else { number });
        }
    }
    (marks, (width, top + rows.len() as f64 * SIZE.1 + 8.0))
}

fn numbers(of: &PairTable) -> DataTable {
    let [rows_of, columns_of] = &of.variables;
    let mut rows = Vec::new();
    for (row, name) in of.rows.iter().enumerate() {
        for (column, other) in of.columns.iter().enumerate() {
            let value = |table: &[Vec<f64>]| table[row][column];
            rows.push(vec![
                format!("{} · {}", class_name(name), class_name(other)),
                share(value(&of.original)),
                share(value(&of.synthetic)),
                points(value(&of.difference)),
            ]);
        }
    }
    let head = [
        format!("{rows_of} · {columns_of}"),
        "original".into(),
        "synthetic".into(),
        "difference, points".into(),
    ];
    DataTable::new(head, rows)
}
