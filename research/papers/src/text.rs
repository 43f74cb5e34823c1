//! A paper repeated: its numbers beside ours, as a page and as a summary.

use crate::{Cell, DataSource, Paper, ReproducedTable, Reproduction, Verdict};

const LEGEND: &str = "Each cell has ours · the paper's · the difference in standard errors of the difference, where runs are random; then the \
                      verdict: ✓ agrees, ✓* agrees with what the paper should have printed or where its text at hand may be misread, ≠ differs and need not agree, ✗ must agree and does not; without a mark nothing is compared.";

/// The whole comparison as a page of Markdown.
pub fn reproduction_text(found: &Reproduction) -> String {
    let mut text = format!("# {}\n\n{}\n\n{}\n", found.paper, found.citation, summary(found));
    text.push_str(&section("What the paper's text gets wrong", &found.misprints));
    text.push_str(&section("Remarks", &found.remarks));
    if !found.tables.is_empty() {
        text.push_str(&format!("\n## Tables\n\n{LEGEND}\n"));
    }
    for table in &found.tables {
        text.push_str(&format!("\n### {}\n\n{}\n\n{}", table.name, table.caption, wide(table)));
    }
    if !found.figures.is_empty() {
        text.push_str("\n## Figures\n\nPictures and their numbers lie beside this page.\n");
        for figure in &found.figures {
            let (name, file) = (&figure.name, figure.file_stem());
            text.push_str(&format!("\n### {name}\n\n{} Numbers: `{file}.csv`.\n\n", figure.caption));
            text.push_str(&format!("![{name}]({file}.svg)\n"));
        }
    }
    text
}

/// The verdicts table by table, what failed, and what is to be said: for a terminal.
pub fn reproduction_summary(found: &Reproduction) -> String {
    let mut text = format!("{}: {}\n\n{}\n", found.paper, found.citation, summary(found));
    text.push_str(&section("What the paper's text gets wrong", &found.misprints));
    text.push_str(&section("Remarks", &found.remarks));
    text
}

/// What a paper needs, and where it comes from.
pub fn data_needed_text(paper: &Paper) -> String {
    let mut text = format!("{}: {}\n{}\n\n", paper.name, paper.citation, paper.repeats);
    if paper.data.is_empty() {
        return text + "It needs no data.\n";
    }
    let source = |source: &DataSource| {
        format!(
            "  {} (for {})\n    {}.\n    known by its columns {}\n",
            source.name,
            source.needed_for,
            source.origin,
            source.columns.join(", ")
        )
    };
    text.push_str("It needs public data that are not part of this software; give each file with --data:\n\n");
    text.extend(paper.data.iter().map(source));
    text.push_str(match paper.data.len() {
        1 => "\nNothing of it runs without this file.",
        _ => "\nWith one of these files its part runs, without any nothing does.",
    });
    text.push_str(" mcclure2012 and jackson2022 need no data.\n");
    text
}

fn summary(found: &Reproduction) -> String {
    let mut text = String::from(
        "| table | agree | misprinted or misread | differ | must agree and do not | not compared |\n|---|---|---|---|---|---|\n",
    );
    for table in &found.tables {
        let count = |verdict: Verdict| table.cells.iter().filter(|cell| cell.verdict == verdict).count();
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            table.name,
            count(Verdict::Agrees),
            count(Verdict::Misprint),
            count(Verdict::Differs),
            count(Verdict::Fails),
            count(Verdict::NotCompared)
        ));
    }
    let required = found.cells().filter(|cell| cell.must_agree).count();
    text.push_str(&match (found.stands(), required) {
        (true, 0) => "\nThere is no cell that must agree.\n".to_owned(),
        (true, _) => format!("\nREPRODUCED: all {required} cells that must agree do.\n"),
        (false, _) => format!(
            "\nNOT REPRODUCED: {} of {required} cells that must agree do not.\n",
            found.count(Verdict::Fails)
        ),
    });
    for table in &found.tables {
        for cell in table.cells.iter().filter(|cell| cell.verdict == Verdict::Fails) {
            let allowed = cell.allowed.map_or(String::new(), |[low, high]| {
                format!(", allowed {} to {}", figure(low), figure(high))
            });
            let ours = cell.ours.map_or("undefined".to_owned(), figure);
            text.push_str(&format!("- {}, {}, {}: {ours}{allowed}\n", table.name, cell.row, cell.column));
        }
    }
    text
}

fn section(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("- {line}\n")).collect();
    format!("\n## {title}\n\n{lines}")
}

fn wide(table: &ReproducedTable) -> String {
    let columns = table.columns();
    let mut text = format!("| | {} |\n|---|{}\n", columns.join(" | "), "---|".repeat(columns.len()));
    for row in table.rows() {
        let cells = columns.iter().map(|column| table.cell(row, column).map_or(String::new(), cell_text));
        text.push_str(&format!("| {row} | {} |\n", cells.collect::<Vec<_>>().join(" | ")));
    }
    text
}

fn cell_text(cell: &Cell) -> String {
    let mut text = cell.ours.map_or("undefined".to_owned(), figure);
    if let Some(paper) = cell.paper {
        text.push_str(&format!(" · {}", figure(paper)));
    }
    if let Some(errors) = cell.in_standard_errors() {
        text.push_str(&format!(" · {errors:+.1}"));
    }
    text + match cell.verdict {
        Verdict::Agrees => " ✓",
        Verdict::Misprint => " ✓*",
        Verdict::Differs => " ≠",
        Verdict::Fails => " ✗",
        Verdict::NotCompared => "",
    }
}

/// Four digits that count; whole numbers as they are.
fn figure(value: f64) -> String {
    let size = value.abs();
    if value.fract() == 0.0 || size >= 1e4 {
        return if size < 1e15 {
            table::figures::thousands(format!("{value:.0}"))
        } else {
            format!("{value}")
        };
    }
    if size < 1e-3 {
        return format!("{value:.3e}");
    }
    let decimals = (3 - size.log10().floor() as i32).clamp(0, 5) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use crate::{Figure, Ours, Rule};

    use super::*;

    fn found() -> Reproduction {
        let mut table = ReproducedTable::new("Table 1", "Two numbers.");
        let rule = Rule::must_be_within(0.01, 0.5);
        table.cells.push(Cell::new("risk", "S3", Some(0.5), Ours::exact(0.5012), rule));
        table.cells.push(Cell::new("risk", "S5", Some(0.5), Ours::exact(0.62), rule));
        Reproduction {
            paper: "invented2026".into(),
            citation: "Nobody (2026)".into(),
            tables: vec![table],
            figures: vec![Figure::new("Figure 1a", "A line.", "x", "y").with("one", vec![[0.0, 1.0]])],
            misprints: vec!["Table 1 is invented.".into()],
            remarks: Vec::new(),
        }
    }

    #[test]
    fn a_page_has_the_numbers_side_by_side_and_what_failed() {
        let text = reproduction_text(&found());
        assert!(text.contains("| risk | 0.5012 · 0.5000 ✓ | 0.6200 · 0.5000 ✗ |"), "{text}");
        assert!(text.contains("NOT REPRODUCED: 1 of 2 cells that must agree do not.\n- Table 1, risk, S5: 0.6200, allowed 0.4900 to 0.5100\n"), "{text}");
        assert!(
            text.contains("- Table 1 is invented.") && text.contains("![Figure 1a](figure-1a.svg)"),
            "{text}"
        );
        assert!(!text.contains("## Remarks"));
    }

    #[test]
    fn figures_have_four_digits() {
        let written = [1.0, 0.12345, 123.456, 3_468_640.0, 0.00003138, -2.0].map(figure);
        assert_eq!(written, ["1", "0.1235", "123.5", "3,468,640", "3.138e-5", "-2"]);
    }
}
