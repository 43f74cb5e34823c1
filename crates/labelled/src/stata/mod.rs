//! Stata's data files: releases 113 to 115 (Stata 8 to 12) and 117 to 119 (Stata 13 and later) are read, 118 is written.
//!
//! The format is documented by StataCorp in `help dta`. Numbers have five widths, each with 27 missing values at its upper end: `.` and `.a` to `.z`.

pub(crate) mod read;
pub(crate) mod write;

use crate::Meaning;

/// What numbers in a format are.
fn meaning(format: &str) -> Meaning {
    let format = format.trim_start_matches(['%', '-']);
    match format.as_bytes() {
        [b't', b'd', ..] | [b'd', ..] => Meaning::Date,
        // A format that shows hours and nothing of the day is of a time of day.
        [b't', b'c', b'H' | b'h', rest @ ..] if !rest.iter().any(|byte| b"CYNDJWLlnd".contains(byte)) => {
            Meaning::TimeOfDay
        }
        [b't', b'c', ..] => Meaning::Datetime,
        _ => Meaning::Number,
    }
}

/// The widths of fixed texts in one release.
#[derive(Clone, Copy, Debug)]
struct Widths {
    name: usize,
    format: usize,
    label: usize,
}

impl Widths {
    fn of(release: u16) -> Self {
        match release {
            ..=113 => Self { name: 33, format: 12, label: 81 },
            114..=117 => Self { name: 33, format: 49, label: 81 },
            _ => Self { name: 129, format: 57, label: 321 },
        }
    }
}

/// The first missing value of each width of whole numbers; those of letters follow.
const MISSING_BYTE: i32 = 101;
const MISSING_INT: i32 = 32_741;
const MISSING_LONG: i32 = 2_147_483_621;
/// The first missing double, and the distance to the next.
const MISSING_DOUBLE: u64 = 0x7fe0_0000_0000_0000;
const DOUBLE_STEP: u64 = 0x0000_0100_0000_0000;
const MISSING_FLOAT: u32 = 0x7f00_0000;
const FLOAT_STEP: u32 = 0x0000_0800;

/// The missing number at a distance from the first one: 0 is `.`, 1 is `.a`.
fn missing_at(distance: i64) -> f64 {
    let letter = u8::try_from(distance).ok().filter(|distance| (1..=26).contains(distance));
    crate::missing(letter.map(|distance| b'a' + distance - 1))
}
