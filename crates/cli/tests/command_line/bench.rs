//! `bench`: that cases are found, measured in processes of their own, and judged. How long they take is no matter of a test.

use crate::harness::{json, lookalike};

#[test]
fn a_case_is_measured_in_a_process_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().display().to_string();
    let found = json(&["bench", "--only", "plan", "--cache", &cache]);
    let case = &found["cases"][0];
    assert_eq!(case["name"], "plan");
    assert!(case["ours"][0]["cpu_s"].as_f64().unwrap() > 0.0, "{found}");
    assert!(case["ours"][0]["peak_mb"].as_f64().unwrap() > 1.0, "{found}");
    assert!(case["promises"][0][1].is_boolean(), "{found}");
}

#[test]
fn what_is_not_there_is_told_and_a_wrong_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let found = json(&["bench", "--only", "ipf", "--cache", &path, "--shared", &path]);
    let because = found["cases"][0]["because"].as_str().unwrap();
    assert!(because.contains("data/sd2011_s7.csv"), "{because}");
    let refused = lookalike().args(["bench", "--only", "ipv"]).assert().code(2);
    let text = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(text.contains("did you mean `ipf`"), "{text}");
    lookalike().args(["bench", "--list"]).assert().success();
}
