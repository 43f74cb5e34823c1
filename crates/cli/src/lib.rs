//! The command line, for the binary `lookalike` and for binaries that add an engine to it.

mod command_line;

pub use command_line::{command, run};
