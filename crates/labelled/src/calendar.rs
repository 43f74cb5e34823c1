//! Dates and times as the programs count them, and as days and microseconds since 1970.

/// Microseconds of a day.
pub const DAY_IN_MICROSECONDS: i64 = 86_400_000_000;

/// What the numbers of a column are, by its format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meaning {
    /// Numbers.
    #[default]
    Number,
    /// Days since 1970-01-01.
    Date,
    /// Microseconds since 1970-01-01T00:00:00.
    Datetime,
    /// Microseconds since midnight.
    TimeOfDay,
}

/// How a program counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count {
    pub(crate) meaning: Meaning,
    /// Microseconds of one unit of the program.
    unit: f64,
    /// Days from the program's day zero to 1970-01-01.
    offset: f64,
}

/// From 1582-10-14, the day zero of SPSS.
const SPSS_OFFSET: f64 = 141_428.0;
/// From 1960-01-01, the day zero of Stata and SAS.
const STATA_OFFSET: f64 = 3_653.0;
const SECOND: f64 = 1e6;
const DAY: f64 = DAY_IN_MICROSECONDS as f64;

impl Count {
    /// SPSS counts seconds.
    pub(crate) fn spss(meaning: Meaning) -> Self {
        let offset = if meaning == Meaning::TimeOfDay { 0.0 } else { SPSS_OFFSET };
        Self { meaning, unit: SECOND, offset }
    }

    /// Stata counts days, and milliseconds of times.
    pub(crate) fn stata(meaning: Meaning) -> Self {
        let unit = if meaning == Meaning::Date { DAY } else { 1e3 };
        let offset = if meaning == Meaning::TimeOfDay { 0.0 } else { STATA_OFFSET };
        Self { meaning, unit, offset }
    }

    /// SAS counts days, and seconds of times.
    pub(crate) fn sas(meaning: Meaning) -> Self {
        let unit = if meaning == Meaning::Date { DAY } else { SECOND };
        let offset = if meaning == Meaning::TimeOfDay { 0.0 } else { STATA_OFFSET };
        Self { meaning, unit, offset }
    }

    /// The number in days or microseconds since 1970, or since midnight; `None` if it is no whole number of them or beyond the calendar.
    fn to_unix(self, value: f64) -> Option<f64> {
        if value.is_nan() {
            return Some(value);
        }
        let microseconds = (value * self.unit).round() - self.offset * DAY;
        // Years 0 to 9999.
        if !(-719_528.0 * DAY..=2_932_897.0 * DAY).contains(&microseconds) {
            return None;
        }
        match self.meaning {
            Meaning::Date => Some(microseconds / DAY).filter(|days| days.fract() == 0.0),
            Meaning::TimeOfDay => Some(microseconds).filter(|time| (0.0..DAY).contains(time)),
            Meaning::Datetime | Meaning::Number => Some(microseconds),
        }
    }

    /// The number as the program counts it.
    pub(crate) fn of_unix(self, value: f64) -> f64 {
        let microseconds = if self.meaning == Meaning::Date { value * DAY } else { value };
        (microseconds + self.offset * DAY) / self.unit
    }

    /// The column in days or microseconds, with what it is; a date with a time of day is a time, and what fits none stays a number.
    pub(crate) fn convert(self, values: Vec<f64>) -> (Meaning, Vec<f64>) {
        let all = |count: Self| values.iter().map(|value| count.to_unix(*value)).collect::<Option<Vec<_>>>();
        if let Some(converted) = all(self) {
            return (self.meaning, converted);
        }
        let as_time = Self { meaning: Meaning::Datetime, ..self };
        match all(as_time) {
            Some(converted) if self.meaning == Meaning::Date => (Meaning::Datetime, converted),
            _ => (Meaning::Number, values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_days_zero_of_the_programs() {
        // 1970-01-01 is 12219379200 seconds after 1582-10-14, and 3653 days after 1960-01-01.
        assert_eq!(Count::spss(Meaning::Date).to_unix(12_219_379_200.0), Some(0.0));
        assert_eq!(Count::stata(Meaning::Date).to_unix(3_653.0), Some(0.0));
        assert_eq!(Count::stata(Meaning::Datetime).to_unix(0.0), Some(-3_653.0 * 86_400e6));
        assert_eq!(Count::sas(Meaning::TimeOfDay).to_unix(1.5), Some(1_500_000.0));
        assert_eq!(Count::sas(Meaning::Datetime).of_unix(0.0), 3_653.0 * 86_400.0);
        assert_eq!(Count::stata(Meaning::Date).to_unix(0.5), None);
        assert_eq!(Count::stata(Meaning::Date).to_unix(1e12), None);
    }

    #[test]
    fn what_is_no_date_stays_what_it_is() {
        let (meaning, values) = Count::stata(Meaning::Date).convert(vec![3_653.0, 3_653.5]);
        assert_eq!((meaning, values), (Meaning::Datetime, vec![0.0, 43_200e6]));
        let (meaning, values) = Count::stata(Meaning::Date).convert(vec![1e300]);
        assert_eq!((meaning, values), (Meaning::Number, vec![1e300]));
        let (meaning, _) = Count::spss(Meaning::TimeOfDay).convert(vec![100_000.0]);
        assert_eq!(meaning, Meaning::Number);
    }
}
