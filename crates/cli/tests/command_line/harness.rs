//! What the tests of the command line share.

/// The `lookalike` command.
pub fn lookalike() -> assert_cmd::Command {
    assert_cmd::Command::new(env!("CARGO_BIN_EXE_lookalike"))
}

/// The JSON that a command writes to standard output.
pub fn json(arguments: &[&str]) -> serde_json::Value {
    let output = lookalike().args(arguments).args(["--json", "-"]).assert().success();
    serde_json::from_slice(&output.get_output().stdout).expect("JSON on standard output")
}
