//! The time, as files write it.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::date::DateFormat;

/// The time now in UTC, as 2026-11-15T13:05:11Z.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    format!(
        "{}T{:02}:{:02}:{:02}Z",
        DateFormat::Iso.format(days as i32),
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}
