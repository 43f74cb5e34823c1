//! `lookalike demo` on a machine that has only the repository.

use crate::harness::lookalike;

#[test]
fn the_demo_tells_the_whole_story_and_again_in_the_same_folder() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("story").display().to_string();
    for _ in 0..2 {
        let output = lookalike().args(["demo", "--people", "500", "--out", &out]).assert().success();
        let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
        for told in [
            "500 records × 14 variables",
            "$ lookalike frontier",
            "It is unchanged if this hash is the one you were given",
            "rule `",
            "differential privacy",
        ] {
            assert!(text.contains(told), "{told}\n{text}");
        }
        let report = folder.path().join("story/release/internal/report-internal.html");
        assert!(text.contains(&report.display().to_string()) && report.exists(), "{text}");
    }
}
