//! `lookalike demo` on a machine that has only the repository.

use crate::harness::lookalike;

#[test]
fn the_demo_writes_the_town_and_describes_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("story").display().to_string();
    let output = lookalike().args(["demo", "--out", &out]).assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.contains("20,000 records × 14 variables"), "{text}");
    let again = folder.path().join("story/town.csv").display().to_string();
    let schema = folder.path().join("story/town.schema.toml").display().to_string();
    lookalike().args(["describe", &again, "--schema", &schema, "--quiet"]).assert().success();
}
