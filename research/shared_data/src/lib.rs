//! For tests: data sets and golden pairs in `../shared`, the folder beside the checkout that only developers' machines have. A test that
//! needs one asks for it and returns where there is none.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod golden_pair;
mod tally;

use std::io::Write;
use std::path::{Path, PathBuf};

pub use golden_pair::GoldenPair;
pub use tally::Tally;

/// The folder of this checkout, as cargo says when it runs a test: a test compiled in another checkout that shares the target folder must not
/// look there. Every crate lies two folders deep.
pub fn checkout() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    Path::new(&package).join("../..")
}

/// This file or folder of `../shared`; nothing where it is absent, and a line that says which test is skipped, past the capture of what
/// passing tests print.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = checkout().join("../shared").join(name);
    if path.exists() {
        return Some(path);
    }
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let _ = writeln!(std::io::stderr(), "skipped: {test}, since ../shared/{name} is not on this machine");
    None
}
