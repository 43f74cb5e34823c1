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

/// Files in a folder of their own, which goes with them.
pub struct Files {
    pub folder: tempfile::TempDir,
}

impl Files {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Writes a file and gives its path.
    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The path of a file, whether it exists or not.
    pub fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }
}
