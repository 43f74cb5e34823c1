//! Missing numbers, with the letter that Stata (.a to .z) and SAS (.A to .Z, ._) give some of them.
//!
//! A column of numbers holds missing ones as NaN, and the letter lies in the payload of the NaN, as Stata and SAS do it.

/// The letters, in lower case; the underscore is SAS's.
pub const TAGS: &[u8] = b"abcdefghijklmnopqrstuvwxyz_";

const QUIET: u64 = 0x7ff8_0000_0000_0000;

/// A missing number with this letter, or without one.
pub fn missing(tag: Option<u8>) -> f64 {
    let tag = tag.map(|tag| tag.to_ascii_lowercase()).filter(|tag| TAGS.contains(tag)).unwrap_or(0);
    f64::from_bits(QUIET | u64::from(tag))
}

/// Whether a number is missing.
pub fn is_missing(value: f64) -> bool {
    value.is_nan()
}

/// The letter of a missing number.
///
/// ```
/// use labelled::{missing, tag_of};
/// assert_eq!(tag_of(missing(Some(b'A'))), Some(b'a'));
/// assert_eq!(tag_of(missing(None)), None);
/// assert_eq!(tag_of(1.0), None);
/// ```
pub fn tag_of(value: f64) -> Option<u8> {
    let tag = (value.to_bits() & 0xff) as u8;
    (value.is_nan() && TAGS.contains(&tag)).then_some(tag)
}
