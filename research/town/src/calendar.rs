//! A calendar day.

use std::fmt;

/// A day of the Gregorian calendar, kept as the number of days since 1970-01-01 and shown as YYYY-MM-DD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Days since 1970-01-01.
    pub days: i32,
}

impl Date {
    /// Census day, the last of 2025: ages are ages on this day.
    pub(crate) const CENSUS: Date = Date { days: 20_453 };

    /// Whether the day is a Saturday.
    #[cfg(test)]
    pub(crate) fn is_saturday(self) -> bool {
        self == self.saturday_before()
    }

    /// The last Saturday up to and including this day.
    pub(crate) fn saturday_before(self) -> Date {
        Date { days: self.days - (self.days + 5).rem_euclid(7) } // 1970-01-01 was a Thursday, 5 days after one
    }
}

impl fmt::Display for Date {
    /// Counts in 400-year cycles of 146,097 days from 0000-03-01, so that the leap day ends a year (Hinnant 2013).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = self.days + 719_468;
        let (cycle, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153; // 0 is March
        let day = day - (153 * month + 2) / 5 + 1;
        let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        write!(f, "{:04}-{month:02}-{day:02}", 400 * cycle + year + carry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_known_by_heart_come_out_right() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (19_782, "2024-02-29"),
            (Date::CENSUS.days, "2025-12-31"),
        ] {
            assert_eq!(Date { days }.to_string(), text);
        }
    }

    #[test]
    fn the_saturday_before_is_at_most_six_days_ago() {
        assert_eq!(Date { days: 2 }.saturday_before().to_string(), "1970-01-03");
        assert_eq!(Date::CENSUS.saturday_before().to_string(), "2025-12-27");
        for days in -20..20 {
            let back = days - Date { days }.saturday_before().days;
            assert!((0..7).contains(&back) && Date { days: days - back }.is_saturday());
        }
    }
}
