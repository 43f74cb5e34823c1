//! The time, as files write it.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::date::DateFormat;

/// A time to write instead of the present one, in seconds since 1970, so that the same release is the same bytes
/// (<https://reproducible-builds.org/specs/source-date-epoch/>).
pub const EPOCH_VARIABLE: &str = "SOURCE_DATE_EPOCH";

/// The time now in UTC, as 2026-11-15T13:05:11Z; that of `SOURCE_DATE_EPOCH` where it is set.
pub fn now() -> String {
    let stated = std::env::var(EPOCH_VARIABLE).ok().and_then(|text| text.parse::<u64>().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    written(stated.unwrap_or_else(now))
}

fn written(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    format!(
        "{}T{:02}:{:02}:{:02}Z",
        DateFormat::Iso.format(days as i32),
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_since_1970_are_written_as_a_date_and_a_time() {
        assert_eq!(written(0), "1970-01-01T00:00:00Z");
        assert_eq!(written(1_700_000_000), "2023-11-14T22:13:20Z");
    }
}
