//! What files of SPSS, Stata and SAS say beside the values: labels of variables and values, values that count as missing, and how numbers are shown.

use indexmap::IndexMap;

use super::{Kind, Levels};

/// The labels of one variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labelling {
    /// What the variable is, in a sentence; empty if nobody said.
    pub label: String,
    /// What values mean: levels, or numbers as text.
    pub labels: IndexMap<String, String>,
    /// Values that are there and count as missing in SPSS.
    pub user_missing: Vec<UserMissing>,
    /// How the program shows it, in the program's words: `F8.2`, `%9.0g`, `DATE9.`.
    pub display: Option<String>,
}

/// Values that count as missing.
#[derive(Clone, Debug, PartialEq)]
pub enum UserMissing {
    /// One number.
    Number(f64),
    /// The numbers from one to another, which may be infinite.
    Range(f64, f64),
    /// One text.
    Text(String),
}

impl UserMissing {
    /// Whether a level, or a number as text, is among them.
    pub fn holds(&self, value: &str) -> bool {
        match self {
            Self::Text(text) => text == value,
            Self::Number(number) => value.parse() == Ok(*number),
            Self::Range(low, high) => value.parse().is_ok_and(|value: f64| (*low..=*high).contains(&value)),
        }
    }
}

impl Labelling {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The label of a level, or of a number as text.
    pub fn of(&self, value: &str) -> Option<&str> {
        self.labels.get(value).map(String::as_str)
    }

    /// The same for a variable of this kind: labels and missing values of levels that it does not have are left out, so that what has been taken out of a domain does
    /// not come back through its labels.
    pub fn of_kind(&self, kind: &Kind) -> Self {
        let Some(levels) = kind.levels() else { return self.clone() };
        self.among(kind, |value| levels.position(value).is_some())
    }

    /// The same for a variable of this kind, of the values that are kept. Which numbers count as missing says nothing of records, and stays.
    pub(crate) fn among(&self, kind: &Kind, keep: impl Fn(&str) -> bool) -> Self {
        let mut kept = self.clone();
        kept.labels.retain(|value, _| keep(value));
        if kind.levels().is_some() {
            kept.user_missing.retain(|missing| match missing {
                UserMissing::Text(text) => keep(text),
                UserMissing::Number(number) => keep(&number.to_string()),
                UserMissing::Range(..) => true,
            });
        }
        kept
    }

    /// The same without values that are special codes already.
    pub(crate) fn without_codes(mut self, codes: &[super::SpecialCode]) -> Self {
        let is_code = |value: f64| codes.iter().any(|code| code.value == value);
        self.labels.retain(|value, _| !value.parse().is_ok_and(is_code));
        self.user_missing
            .retain(|missing| !matches!(missing, UserMissing::Number(number) if is_code(*number)));
        self
    }

    /// The first labelled value that is no level; every one of a declared list must be.
    pub(super) fn stranger<'a>(&'a self, levels: &Levels) -> Option<&'a str> {
        self.labels.keys().map(String::as_str).find(|value| levels.position(value).is_none())
    }
}

/// The special code that stands for a missing value with a letter (Stata's .a to .z, SAS's .A to .Z and ._), which no table of numbers could tell from others.
///
/// ```
/// use table::schema::{letter_of_code, code_of_letter};
/// assert_eq!(code_of_letter(b'a'), -99_999_901.0);
/// assert_eq!(letter_of_code(-99_999_926.0), Some(b'z'));
/// assert_eq!(letter_of_code(-8.0), None);
/// ```
pub fn code_of_letter(letter: u8) -> f64 {
    let place =
        if letter == b'_' { 0 } else { letter.to_ascii_lowercase().wrapping_sub(b'a').wrapping_add(1) };
    -99_999_900.0 - f64::from(place)
}

/// The letter for which a special code stands.
pub fn letter_of_code(code: f64) -> Option<u8> {
    let place = -99_999_900.0 - code;
    match place {
        0.0 => Some(b'_'),
        place if (1.0..=26.0).contains(&place) && place.fract() == 0.0 => Some(b'a' + place as u8 - 1),
        _ => None,
    }
}
