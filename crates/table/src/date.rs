//! Calendar dates as days since 1970-01-01, in the ways files write them.

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};

/// 0000-01-01, the first day that four digits of a year can write.
pub(crate) const FIRST_DAY: i32 = -719_528;

/// 9999-12-31, the last one.
pub(crate) const LAST_DAY: i32 = 2_932_896;

/// How a file writes a date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub enum DateFormat {
    /// 2011-03-27
    #[default]
    #[serde(rename = "YYYY-MM-DD")]
    Iso,
    /// 03/27/2011
    #[serde(rename = "MM/DD/YYYY")]
    MonthFirst,
    /// 27/03/2011
    #[serde(rename = "DD/MM/YYYY")]
    DayFirst,
    /// 27.03.2011
    #[serde(rename = "DD.MM.YYYY")]
    Dotted,
}

/// All formats, in the order in which they are tried on unknown text.
pub(crate) const FORMATS: [DateFormat; 4] =
    [DateFormat::Iso, DateFormat::MonthFirst, DateFormat::DayFirst, DateFormat::Dotted];

impl DateFormat {
    /// The format as people write it in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iso => "YYYY-MM-DD",
            Self::MonthFirst => "MM/DD/YYYY",
            Self::DayFirst => "DD/MM/YYYY",
            Self::Dotted => "DD.MM.YYYY",
        }
    }

    /// Days since 1970-01-01, or `None` when `text` is not a date written in this format with all its digits.
    pub fn parse(self, text: &str) -> Option<i32> {
        let bytes = text.as_bytes();
        if bytes.len() != 10 {
            return None;
        }
        let number = |from: usize, to: usize| {
            bytes[from..to].iter().try_fold(0, |sum: u32, digit| {
                digit.is_ascii_digit().then(|| 10 * sum + u32::from(digit - b'0'))
            })
        };
        let separated = |first: usize, second: usize, by: u8| bytes[first] == by && bytes[second] == by;
        let (year, month, day) = match self {
            Self::Iso if separated(4, 7, b'-') => (number(0, 4)?, number(5, 7)?, number(8, 10)?),
            Self::MonthFirst if separated(2, 5, b'/') => (number(6, 10)?, number(0, 2)?, number(3, 5)?),
            Self::DayFirst if separated(2, 5, b'/') => (number(6, 10)?, number(3, 5)?, number(0, 2)?),
            Self::Dotted if separated(2, 5, b'.') => (number(6, 10)?, number(3, 5)?, number(0, 2)?),
            _ => return None,
        };
        let date = NaiveDate::from_ymd_opt(year as i32, month, day)?;
        Some(date.signed_duration_since(NaiveDate::default()).num_days() as i32)
    }

    /// The date as this format writes it; days beyond the calendar of four-digit years as its first or last one.
    pub fn format(self, days: i32) -> String {
        let days = chrono::Duration::days(i64::from(days.clamp(FIRST_DAY, LAST_DAY)));
        let date = NaiveDate::default().checked_add_signed(days).unwrap_or_default();
        let (year, month, day) = (date.year(), date.month(), date.day());
        match self {
            Self::Iso => format!("{year:04}-{month:02}-{day:02}"),
            Self::MonthFirst => format!("{month:02}/{day:02}/{year:04}"),
            Self::DayFirst => format!("{day:02}/{month:02}/{year:04}"),
            Self::Dotted => format!("{day:02}.{month:02}.{year:04}"),
        }
    }

    /// The one format in which every text is a date; `None` when there is none, or when two would read them differently.
    pub fn of_all<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let mut fitting =
            FORMATS.into_iter().filter(|format| texts.clone().all(|text| format.parse(text).is_some()));
        let first = fitting.next()?;
        (texts.clone().next().is_some() && fitting.next().is_none()).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_writes_the_same_day() {
        for format in FORMATS {
            for days in [FIRST_DAY, -36_525, -1, 0, 1, 15_060, 20_000, LAST_DAY] {
                assert_eq!(format.parse(&format.format(days)), Some(days), "{format:?}");
            }
        }
        assert_eq!(DateFormat::Iso.parse("1970-01-02"), Some(1));
        assert_eq!(DateFormat::Iso.parse("2011-02-29"), None);
        assert_eq!(DateFormat::Iso.parse("2011-2-29"), None);
        assert_eq!(
            (DateFormat::Iso.format(FIRST_DAY), DateFormat::Iso.format(i32::MAX)),
            ("0000-01-01".into(), "9999-12-31".into())
        );
    }

    #[test]
    fn an_ambiguous_order_of_day_and_month_is_not_guessed() {
        assert_eq!(
            DateFormat::of_all(["07/17/2012", "01/02/2013"].into_iter()),
            Some(DateFormat::MonthFirst)
        );
        assert_eq!(DateFormat::of_all(["17/07/2012"].into_iter()), Some(DateFormat::DayFirst));
        assert_eq!(DateFormat::of_all(["01/02/2012", "03/04/2013"].into_iter()), None);
        assert_eq!(DateFormat::of_all([].into_iter()), None);
    }
}
