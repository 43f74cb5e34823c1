//! How a file holds values whose kind does not say it: truth values, and whole numbers that name something instead of counting it.

use serde::{Deserialize, Serialize};

use crate::column::EXACT;

/// The type that a typed file format such as Parquet gives to the values of a categorical variable or an identifier. CSV has no types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stored {
    /// Whole numbers of 64 bits with a sign.
    Integer,
    /// Whole numbers of 64 bits without a sign.
    Unsigned,
    /// Truth values.
    Boolean,
}

impl Stored {
    /// The word for it in a schema file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Unsigned => "unsigned",
            Self::Boolean => "boolean",
        }
    }

    /// Whether a text can be stored this way and read back as the same text.
    pub fn holds(self, text: &str) -> bool {
        match self {
            Self::Integer => text.parse::<i64>().is_ok_and(|number| number.to_string() == text),
            Self::Unsigned => text.parse::<u64>().is_ok_and(|number| number.to_string() == text),
            Self::Boolean => matches!(text, "false" | "true"),
        }
    }

    /// The type of whole numbers that holds all these texts; `None` if there is none, or no text.
    pub(crate) fn of_whole_numbers<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let fits = |stored: &Self| texts.clone().all(|text| stored.holds(text));
        texts.clone().next()?;
        [Self::Integer, Self::Unsigned].into_iter().find(fits)
    }
}

/// Whether a text is a whole number that a double may not hold, so that arithmetic would change its last digits.
pub(crate) fn is_long_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<u64>().map_or(true, |number| number > EXACT)
}

/// The finite number that a text is. A whole number that a double does not hold is none, for its last digits would change.
pub(crate) fn exact_number(text: &str) -> Option<f64> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
    (!is_long_number(text) || format!("{value:.0}") == text).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_stored_in_the_first_type_that_holds_them_all() {
        let of = |texts: &[&str]| Stored::of_whole_numbers(texts.iter().copied());
        assert_eq!(of(&["-1", "9223372036854775807"]), Some(Stored::Integer));
        assert_eq!(of(&["0", "9223372036854775808"]), Some(Stored::Unsigned));
        for texts in [
            &["-1", "9223372036854775808"] as &[&str],
            &["18446744073709551616"],
            &["007"],
            &["+7"],
            &["7", "x"],
            &[],
        ] {
            assert_eq!(of(texts), None, "{texts:?}");
        }
    }

    #[test]
    fn numbers_above_two_to_the_53rd_are_long() {
        for text in ["9007199254740993", "-9007199254740993", "123456789012345678", "99999999999999999999999"]
        {
            assert!(is_long_number(text), "{text}");
        }
        for text in ["9007199254740992", "-1", "0", "", "-", "1e20", "12345678901234567.5"] {
            assert!(!is_long_number(text), "{text}");
        }
        assert_eq!(exact_number("9007199254740993"), None);
        assert_eq!(exact_number("9007199254740994"), Some(9_007_199_254_740_994.0));
        assert_eq!((exact_number("1e20"), exact_number("inf")), (Some(1e20), None));
    }
}
