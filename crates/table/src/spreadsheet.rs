//! Texts that a spreadsheet would run as a formula when it opens a CSV file, and the apostrophe that keeps it from that.
//!
//! A cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return and is no number is written with an apostrophe before it, which
//! spreadsheets take as "text" (OWASP, CSV Injection). A text that already looks guarded gets one more, so that what was written can be recovered:
//! taking one apostrophe off a guarded text gives the text itself.

use std::borrow::Cow;

/// Whether a spreadsheet may run this text: it begins as a formula does, and is neither a number nor the sign alone.
fn is_formula(text: &str) -> bool {
    let mut characters = text.chars();
    let begins = matches!(characters.next(), Some('=' | '+' | '-' | '@' | '\t' | '\r'));
    begins && characters.next().is_some() && !is_number(text)
}

/// Whether a text is a number with a point or a comma for its decimals.
fn is_number(text: &str) -> bool {
    let is_of_number = |byte: u8| matches!(byte, b'0'..=b'9' | b'.' | b',' | b'-' | b'+' | b'e' | b'E');
    text.bytes().all(is_of_number) && text.replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// The text as a CSV file has it: with an apostrophe before a formula.
///
/// ```
/// use table::spreadsheet::guarded;
/// assert_eq!(guarded("=HYPERLINK(A1)"), "'=HYPERLINK(A1)");
/// assert_eq!(guarded("-5"), "-5");
/// ```
pub fn guarded(text: &str) -> Cow<'_, str> {
    if is_formula(text.trim_start_matches('\'')) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text that [`guarded`] made this one of; `None` if it made none.
pub fn unguarded(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('\'')?;
    is_formula(inner.trim_start_matches('\'')).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_guarded_and_numbers_are_not() {
        for text in [
            "=1+1",
            "+cmd|' /C calc'!A0",
            "-2+3",
            "@SUM(A1)",
            "\tx",
            "\r=1",
            "- none -",
            "'=1+1",
            "--5",
            "+491701234567a",
        ] {
            let written = guarded(text);
            assert_eq!(written, format!("'{text}"));
            assert_eq!(unguarded(&written), Some(text));
        }
        for text in
            ["-5", "+5", "-1.5e3", "-1,5", "-", "+", "=", "", "a=1", "5-6", "'tis", "O'Neil", "'", "-.5"]
        {
            assert_eq!(guarded(text), text, "{text}");
            assert_eq!(unguarded(&format!("'{text}")), None, "{text}");
        }
    }
}
