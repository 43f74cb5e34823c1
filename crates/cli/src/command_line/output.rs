//! Results to people on standard output, to machines as JSON.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::{Everywhere, Failure};
use table::{TableError, output_file};

impl Everywhere {
    /// Prints `text` for people and writes `json` where it was asked for.
    pub(super) fn deliver(
        &self,
        text: &str,
        json: impl FnOnce() -> serde_json::Value,
    ) -> Result<(), Failure> {
        let to_stdout = self.json.as_deref() == Some("-");
        if let Some(file) = &self.json {
            let mut document =
                serde_json::to_string_pretty(&json()).map_err(|error| Failure::Usage(error.to_string()))?;
            document.push('\n');
            if to_stdout {
                print(&document)?;
            } else {
                // It may hold figures of confidential data.
                output_file::write_private(Path::new(file), document.as_bytes(), self.force)?;
            }
        }
        if self.quiet || to_stdout { Ok(()) } else { print(text) }
    }

    /// Finds out whether the file of `--json` can be written, before long work.
    pub(super) fn check_json(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        match self.json.as_deref() {
            None | Some("-") => Ok(()),
            Some(file) => Ok(output_file::check("json", Path::new(file), inputs, self.force)?),
        }
    }

    /// Prints something that is not the result itself.
    pub(super) fn say(&self, text: &str) -> Result<(), Failure> {
        if self.quiet || self.json.as_deref() == Some("-") { Ok(()) } else { print(text) }
    }
}

/// Writes to standard output; a reader that went away, such as `head`, is no error.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(TableError::io("standard output", error).into())
        }
        _ => Ok(()),
    }
}
