//! The boundary around readers of others: they trust what a damaged file says of itself, and panic over it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use crate::{FileProblem, TableError};

thread_local! {
    /// Whether this thread is inside the boundary, where a panic is an answer and not a fault of the program.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// What a panic of a foreign reader says goes nowhere: it may quote what it read.
fn stay_silent_inside() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !INSIDE.get() {
                usual(panic);
            }
        }));
    });
}

/// What `read` gives, or "the file is damaged at …" where it panics.
pub(super) fn undamaged<T>(
    path: &Path,
    format: &str,
    place: impl FnOnce() -> String,
    read: impl FnOnce() -> Result<T, TableError>,
) -> Result<T, TableError> {
    stay_silent_inside();
    let outer = INSIDE.replace(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    INSIDE.set(outer);
    result.unwrap_or_else(|_| {
        let message = format!("not a readable {format} file: the file is damaged at {}", place());
        Err(TableError::file(path, FileProblem::Format(message)))
    })
}
