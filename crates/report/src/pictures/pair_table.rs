//! One two-way table in both files, and how they differ.

use release::evidence::PairTable;

use crate::markup::{Markup, tag};
use crate::numbers::{figure, points, share};
use crate::svg::{Anchor, DataTable, Picture, Shade, cell, label, label_width, px};

const NAMES: f64 = 120.0;
const SIZE: (f64, f64) = (40.0, 22.0);

/// Original, synthetic and their difference, side by side.
pub(crate) fn pair_table(number: usize, of: &PairTable) -> Picture {
    let [rows_of, columns_of] = &of.variables;
    let width_of =
        |labels: &[String]| labels.iter().map(|text| label_width(text)).fold(30.0, f64::max).min(NAMES - 8.0);
    let (names, heads) = (width_of(&of.rows) + 12.0, width_of(&of.columns) + 10.0);
    let panel = (of.columns.len() as f64 * SIZE.0).max(130.0) + 14.0;
    let top = heads + 26.0;
    let largest =
        |table: &[Vec<f64>]| table.iter().flatten().map(|value| value.abs()).fold(0.0, f64::max).max(1e-12);
    let most = largest(&of.original).max(largest(&of.synthetic));
    let most_difference = largest(&of.difference);
    let mut marks = Markup::default();
    for (at, row) in of.rows.iter().enumerate() {
        let y = top + (at as f64 + 0.5) * SIZE.1 + 4.0;
        marks.push(label(row, (names - 6.0, y), Anchor::End, NAMES - 8.0));
    }
    let panels: [(&str, &[Vec<f64>]); 3] = [
        ("original, %", &of.original),
        ("synthetic, %", &of.synthetic),
        ("difference, points", &of.difference),
    ];
    for (place, (title, table)) in panels.into_iter().enumerate() {
        let left = names + place as f64 * panel;
        marks.push(label(title, (left, 14.0), Anchor::Start, panel).with("class", "axis-name"));
        for (at, column) in of.columns.iter().enumerate() {
            let (x, y) = (left + (at as f64 + 0.5) * SIZE.0 + 4.0, top - 6.0);
            let name = label(column, (x, y), Anchor::Start, NAMES - 8.0);
            marks.push(name.with("transform", format!("rotate(-90 {} {})", px(x), px(y))));
        }
        for (row, values) in table.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                let (x, y) = (left + column as f64 * SIZE.0, top + row as f64 * SIZE.1);
                let (shade, text, amount) = if place < 2 {
                    let amount = 0.85 * value / most;
                    (Shade::Amount(amount), format!("{:.1}", 100.0 * value), amount)
                } else {
                    let amount = 0.85 * value / most_difference;
                    (Shade::Signed(amount), points(*value), amount)
                };
                let told = format!(
                    "{rows_of} {}, {columns_of} {}: {title} {text}",
                    of.rows[row], of.columns[column]
                );
                marks.push(cell((x, y), SIZE, shade).add(tag("title").text(told)));
                let number =
                    label(&text, (x + SIZE.0 / 2.0, y + SIZE.1 / 2.0 + 4.0), Anchor::Middle, f64::INFINITY);
                marks.push(if amount.abs() > 0.55 { number.with("class", "on-dark") } else { number });
            }
        }
    }
    let mut rows = Vec::new();
    for (row, name) in of.rows.iter().enumerate() {
        for (column, other) in of.columns.iter().enumerate() {
            let value = |table: &[Vec<f64>]| table[row][column];
            rows.push(vec![
                format!("{name} · {other}"),
                share(value(&of.original)),
                share(value(&of.synthetic)),
                points(value(&of.difference)),
            ]);
        }
    }
    Picture {
        name: super::file_name("table", number, &format!("{rows_of}-{columns_of}")),
        title: format!("{rows_of} (rows) by {columns_of} (columns): S_pMSE {}", figure(of.s_pmse)),
        description: format!(
            "The table of {rows_of} by {columns_of} as per cent of all records in the original and in the synthetic files, and their difference in percentage points."
        ),
        size: (names + 3.0 * panel, top + of.rows.len() as f64 * SIZE.1 + 8.0),
        marks,
        table: DataTable::new(
            [format!("{rows_of} · {columns_of}").as_str(), "original", "synthetic", "difference, points"],
            rows,
        ),
    }
}
