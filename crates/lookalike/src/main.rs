//! The `lookalike` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    lookalike::command_line::run()
}
