//! `verify` as the recipient of a release calls it.

use crate::harness::{json, lookalike};

#[test]
fn a_release_is_verified_and_a_changed_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("people.csv"), "sex,age\n".to_owned() + &"F,31\nM,47\nF,31\nM,50\n".repeat(8))
        .unwrap();
    let out = path("out");
    lookalike().args(["synth", &path("people.csv"), "--method", "catall", "--out", &out]).assert().success();
    let checked = json(&["verify", &out]);
    assert_eq!(checked["passed"], true, "{checked}");
    let data = path("out/synthetic-1.csv");
    let changed = std::fs::read_to_string(&data).unwrap().replacen("31", "32", 1).replacen("47", "46", 1);
    std::fs::write(&data, changed).unwrap();
    let failed = lookalike().args(["verify", &out]).assert().code(1);
    let text = String::from_utf8_lossy(&failed.get_output().stdout).into_owned();
    assert!(text.contains("synthetic-1.csv was changed") && text.contains("FAILED"), "{text}");
    lookalike().args(["verify", &path("nothing")]).assert().code(2);
}
