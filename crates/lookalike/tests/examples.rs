//! The examples run and say what they promise.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

#[path = "../examples/counts_from_csv.rs"]
#[allow(dead_code, reason = "`main` is for `cargo run --example`")]
mod counts_from_csv;

#[test]
fn counts_from_a_csv_file_go_all_the_way() {
    let text = counts_from_csv::report().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "1032 records in 12 cells, none of them here");
    let starts = [
        "plan: `catall` would",
        "fit: 1032 synthetic",
        "private fit: ε = 1 paid",
        "measure: ",
        "measure: ",
        "refused: `",
    ];
    assert_eq!(lines.len(), 1 + starts.len(), "{text}");
    for (line, start) in lines[1..].iter().zip(starts) {
        assert!(line.starts_with(start), "{text}");
    }
    assert!(lines[6].contains("needs the records themselves"), "{text}");
}
