//! The examples run and say what they promise.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

#[path = "../examples/counts_from_csv.rs"]
#[allow(dead_code, reason = "`main` is for `cargo run --example`")]
mod counts_from_csv;

#[test]
fn counts_from_a_csv_file_go_all_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("release");
    let text = counts_from_csv::report(&out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "1032 records in 12 cells, none of them here");
    let starts = [
        "plan: `catall` would",
        "fit: 1032 synthetic",
        "private fit: ε = 1 paid",
        "measure: ",
        "measure: ",
        "refused: `",
        "release: ",
        "  Only counts of the original records were at hand. Not measured, because it needs the records: ",
    ];
    assert_eq!(lines.len(), 1 + starts.len(), "{text}");
    for (line, start) in lines[1..].iter().zip(starts) {
        assert!(line.starts_with(start), "{text}");
    }
    assert!(lines[6].contains("needs the records themselves"), "{text}");
    assert!(lines[7].ends_with("verified: true"), "{text}");
    assert!(lines[8].contains("attribute") && lines[8].contains("was not counted"), "{text}");
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("Only counts of the original records were at hand"));
    let internal = std::fs::read_to_string(out.join("internal/internal.json")).unwrap();
    assert!(!internal.contains("input_sha256"), "{internal}");
}
