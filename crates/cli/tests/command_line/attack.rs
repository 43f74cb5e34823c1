//! `lookalike attack` as its users call it.

use crate::harness::{Files, json, lookalike};

/// People, the last of them unlike all others.
fn people() -> String {
    let line =
        |at: usize| format!("{},{},{}\n", ["F", "M"][at % 2], at * 7 % 31, ["a", "b", "c"][at * 11 % 3]);
    let text: String = (0..90).map(line).collect();
    format!("sex,age,town\n{text}M,95,b\n")
}

#[test]
fn an_attack_says_how_well_records_are_found_and_is_the_same_again() {
    let files = Files::new();
    let data = files.write("people.csv", &people());
    let arguments = ["attack", &data, "--targets", "3", "--runs", "20"];
    let output = lookalike().args(arguments).assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    for part in ["fitted 20 times to 91 records, the 3 most unlike", "AUC", "EXPOSED", "do not release them"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let found = json(&arguments);
    assert_eq!(found, json(&arguments), "one seed, one attack");
    assert_eq!(found["targets"].as_array().unwrap().len(), 3);
    assert!(found["targets"].as_array().unwrap().iter().any(|target| target["row"] == 91));
}

#[test]
fn an_attack_that_cannot_be_is_refused_by_its_option() {
    let files = Files::new();
    let data = files.write("people.csv", &people());
    for (arguments, expected) in [
        (["--runs", "5"], "--runs"),
        (["--targets", "60"], "--targets"),
        (["--method", "sequentia"], "did you mean `sequential`?"),
        (["--epsilon", "1"], "declared"),
    ] {
        let output = lookalike().args(["attack", &data]).args(arguments).assert().failure();
        let said = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}
