//! The `lookalike` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    lookalike_cli::run()
}
