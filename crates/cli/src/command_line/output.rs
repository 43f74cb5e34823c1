//! Results to people on standard output, to machines as JSON.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lookalike::{Error, Request};
use table::{TableError, output_file};

use super::Everywhere;

impl Everywhere {
    /// Does the job and shows what came of it.
    pub(super) fn carry_out(&self, request: &impl Request) -> Result<ExitCode, Error> {
        self.prepare(request)?;
        self.show(request, &request.perform(&self.watch())?)
    }

    /// Shows what came of a job.
    pub(super) fn show<R: Request>(&self, request: &R, outcome: &R::Outcome) -> Result<ExitCode, Error> {
        request.notes(outcome).iter().for_each(|note| eprintln!("{note}"));
        self.deliver(&request.text(outcome), || request.json(outcome))?;
        Ok(if request.passed(outcome) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Prints `text` for people and writes `json` where it was asked for.
    pub(super) fn deliver(&self, text: &str, json: impl FnOnce() -> serde_json::Value) -> Result<(), Error> {
        let to_stdout = self.json.as_deref() == Some("-");
        if let Some(file) = &self.json {
            let mut document =
                serde_json::to_string_pretty(&json()).map_err(|error| Error::Usage(error.to_string()))?;
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
    pub(super) fn check_json(&self, inputs: &[PathBuf]) -> Result<(), Error> {
        match self.json.as_deref() {
            None | Some("-") => Ok(()),
            Some(file) => Ok(output_file::check("json", Path::new(file), inputs, self.force)?),
        }
    }

    /// Prints something that is not the result itself.
    pub(super) fn say(&self, text: &str) -> Result<(), Error> {
        if self.quiet || self.json.as_deref() == Some("-") { Ok(()) } else { print(text) }
    }
}

/// Writes to standard output; a reader that went away, such as `head`, is no error.
fn print(text: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(TableError::io("standard output", error).into())
        }
        _ => Ok(()),
    }
}
