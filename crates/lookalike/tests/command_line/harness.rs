//! What the tests of the command line share.

use std::path::PathBuf;

/// The `lookalike` command.
pub fn lookalike() -> assert_cmd::Command {
    assert_cmd::Command::new(env!("CARGO_BIN_EXE_lookalike"))
}

/// A file of the shared folder beside the checkout, which only the developers' machines have; says so when it is absent.
pub fn shared(file: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(file);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: ../shared/{file} is not on this machine");
    None
}

/// The JSON that a command writes to standard output.
pub fn json(arguments: &[&str]) -> serde_json::Value {
    let output = lookalike().args(arguments).args(["--json", "-"]).assert().success();
    serde_json::from_slice(&output.get_output().stdout).expect("JSON on standard output")
}
