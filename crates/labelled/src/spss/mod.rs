//! SPSS system files: a dictionary of records, then cases of eight-byte units.
//!
//! The format is described in PSPP's developer guide, "System File Format" (gnu.org/software/pspp/pspp-dev). A variable takes one unit if it is
//! a number, as many as its text needs otherwise, and texts above 255 bytes are spread over several variables.

mod cases;
mod dictionary;
mod formats;
pub(crate) mod read;
pub(crate) mod write;

/// How many bytes of a text one variable of the file holds.
const SEGMENT: usize = 255;

/// How many bytes each variable but the last is reckoned to hold where the width of the last one is found.
const RECKONED: usize = 252;

/// The number that stands for missing.
const SYSTEM_MISSING: f64 = -f64::MAX;

/// The number that stands for the lowest one in a range: the smallest double above [`SYSTEM_MISSING`].
const LOWEST: f64 = f64::from_bits(SYSTEM_MISSING.to_bits() - 1);

/// The widths of the variables over which a text of this width is spread.
fn segments(width: usize) -> Vec<usize> {
    if width <= SEGMENT {
        return vec![width];
    }
    let count = width.div_ceil(RECKONED);
    let mut widths = vec![SEGMENT; count];
    widths[count - 1] = width - (count - 1) * RECKONED;
    widths
}
