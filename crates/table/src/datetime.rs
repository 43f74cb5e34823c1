//! Points in time and times of day as microseconds, in the ways files write them.
//!
//! A point in time is counted from 1970-01-01T00:00:00, a time of day from midnight. A file says no zone, or `Z` for universal time; other
//! zones are not read as time, for what they mean depends on tables of civil law.

use serde::{Deserialize, Serialize};

use crate::date::{DateFormat, FIRST_DAY, FORMATS, LAST_DAY};

/// Microseconds of a day.
pub const DAY: i64 = 86_400_000_000;

/// How a file writes a point in time or a time of day, such as `YYYY-MM-DDTHH:MM:SS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DatetimeFormat {
    /// How the day is written; `None` for a time of day.
    pub date: Option<DateFormat>,
    /// What stands between day and time.
    pub joint: Joint,
    /// The smallest unit that is written.
    pub precision: Precision,
    /// Whether a `Z` ends it.
    pub universal: bool,
}

/// What stands between day and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// The letter T, as ISO 8601 has it.
    T,
    /// A blank.
    Blank,
}

/// The smallest unit that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// 12:30
    Minute,
    /// 12:30:00
    Second,
    /// 12:30:00.000
    Millisecond,
    /// 12:30:00.000000
    Microsecond,
}

impl Precision {
    /// Its length in microseconds.
    pub fn microseconds(self) -> i64 {
        match self {
            Self::Minute => 60_000_000,
            Self::Second => 1_000_000,
            Self::Millisecond => 1_000,
            Self::Microsecond => 1,
        }
    }

    /// The coarsest one, not coarser than a second, in which all these times can be written.
    pub fn of_all(mut times: impl Iterator<Item = i64>) -> Self {
        times
            .try_fold(Self::Second, |precision, time| {
                let needed = [Self::Second, Self::Millisecond]
                    .into_iter()
                    .find(|unit| time % unit.microseconds() == 0)
                    .unwrap_or(Self::Microsecond);
                // The finest one ends the search.
                if needed == Self::Microsecond { Err(needed) } else { Ok(precision.max(needed)) }
            })
            .unwrap_or_else(|finest| finest)
    }

    fn pattern(self) -> &'static str {
        match self {
            Self::Minute => "HH:MM",
            Self::Second => "HH:MM:SS",
            Self::Millisecond => "HH:MM:SS.fff",
            Self::Microsecond => "HH:MM:SS.ffffff",
        }
    }
}

const PRECISIONS: [Precision; 4] =
    [Precision::Minute, Precision::Second, Precision::Millisecond, Precision::Microsecond];

impl Default for DatetimeFormat {
    fn default() -> Self {
        Self { date: Some(DateFormat::Iso), joint: Joint::T, precision: Precision::Second, universal: false }
    }
}

impl From<DatetimeFormat> for String {
    fn from(format: DatetimeFormat) -> Self {
        format.name()
    }
}

impl TryFrom<String> for DatetimeFormat {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::named(&name).ok_or_else(|| {
            format!(
                "`{name}` is not a format of points in time; write one such as YYYY-MM-DDTHH:MM:SS, DD.MM.YYYY HH:MM or HH:MM:SS.fff"
            )
        })
    }
}

impl DatetimeFormat {
    /// The format of times of day.
    pub(crate) fn time_of_day(precision: Precision) -> Self {
        Self { date: None, precision, ..Self::default() }
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|format| format.name() == name)
    }

    /// All formats.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::shapes().flat_map(|shape| PRECISIONS.map(|precision| Self { precision, ..shape }))
    }

    /// All formats but for their precision, in the order in which they are tried on unknown text.
    fn shapes() -> impl Iterator<Item = Self> {
        let with_date = FORMATS.into_iter().flat_map(|date| {
            [(Joint::T, false), (Joint::Blank, false), (Joint::T, true), (Joint::Blank, true)].map(
                |(joint, universal)| Self {
                    date: Some(date),
                    joint,
                    universal,
                    precision: Precision::Second,
                },
            )
        });
        with_date.chain([Self::time_of_day(Precision::Second)])
    }

    /// The format as people write it in a schema.
    pub fn name(self) -> String {
        let end = if self.universal { "Z" } else { "" };
        match self.date {
            None => self.precision.pattern().to_owned(),
            Some(date) => {
                format!("{}{}{}{end}", date.name(), self.joint.character(), self.precision.pattern())
            }
        }
    }

    /// The smallest distance of two times in microseconds.
    pub fn tick(self) -> i64 {
        self.precision.microseconds()
    }

    /// The time nearest to a number of microseconds that can be written.
    pub fn nearest(self, microseconds: f64) -> i64 {
        let tick = self.tick();
        if tick == 1 {
            microseconds.round() as i64
        } else {
            (microseconds / tick as f64).round() as i64 * tick
        }
    }

    /// Microseconds, or `None` when `text` is not a time written in this format or a coarser one.
    pub fn parse(self, text: &str) -> Option<i64> {
        self.parse_any(text).filter(|(_, precision)| *precision <= self.precision).map(|(time, _)| time)
    }

    /// A time as a person writes it in a schema or a rule: in this format, as ISO 8601, or, for a point in time, a day alone.
    pub fn parse_written(self, text: &str) -> Option<i64> {
        let iso = |joint| Self {
            date: Some(DateFormat::Iso),
            joint,
            universal: false,
            precision: Precision::Microsecond,
        };
        let exact = |format: Self| {
            let text = text.strip_suffix('Z').filter(|_| !format.universal).unwrap_or(text);
            format.parse_any(text).map(|(time, _)| time)
        };
        let time = match self.date {
            None => exact(self),
            Some(date) => exact(self)
                .or_else(|| exact(iso(Joint::T)))
                .or_else(|| exact(iso(Joint::Blank)))
                .or_else(|| {
                    let day = DateFormat::Iso.parse(text).or_else(|| date.parse(text))?;
                    Some(i64::from(day) * DAY)
                }),
        };
        time.filter(|time| time % self.tick() == 0)
    }

    /// Microseconds and the precision with which they are written, in this format but for its precision.
    fn parse_any(self, text: &str) -> Option<(i64, Precision)> {
        let (day, time) = match self.date {
            None => (0, text),
            Some(date) => {
                let (day, time) = text.split_at_checked(10)?;
                (i64::from(date.parse(day)?), time.strip_prefix(self.joint.character())?)
            }
        };
        let time = if self.universal { time.strip_suffix('Z')? } else { time };
        let (time, precision) = time_of_day(time.as_bytes())?;
        Some((day * DAY + time, precision))
    }

    /// The time as this format writes it; what is finer than the format is cut off.
    pub fn format(self, microseconds: i64) -> String {
        let (day, time) = (microseconds.div_euclid(DAY), microseconds.rem_euclid(DAY));
        let (seconds, fraction) = (time / 1_000_000, time % 1_000_000);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let time = match self.precision {
            Precision::Minute => format!("{hour:02}:{minute:02}"),
            Precision::Second => format!("{hour:02}:{minute:02}:{second:02}"),
            Precision::Millisecond => format!("{hour:02}:{minute:02}:{second:02}.{:03}", fraction / 1000),
            Precision::Microsecond => format!("{hour:02}:{minute:02}:{second:02}.{fraction:06}"),
        };
        match self.date {
            None => time,
            Some(date) => {
                let day = date.format(day.clamp(i64::from(FIRST_DAY), i64::from(LAST_DAY)) as i32);
                format!("{day}{}{time}{}", self.joint.character(), if self.universal { "Z" } else { "" })
            }
        }
    }

    /// The time as ISO 8601 without a zone, for schemas and labels.
    pub fn iso(self, microseconds: i64) -> String {
        let date = self.date.map(|_| DateFormat::Iso);
        Self { date, joint: Joint::T, universal: false, ..self }.format(microseconds)
    }

    /// The one format in which every text is a time, with the finest precision that occurs; `None` when there is none, or when two would
    /// read them differently.
    pub fn of_all<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        texts.clone().next()?;
        let mut fitting = Self::shapes().filter_map(|shape| {
            let finest = texts.clone().try_fold(Precision::Minute, |finest, text| {
                shape.parse_any(text).map(|(_, precision)| finest.max(precision))
            })?;
            Some(Self { precision: finest, ..shape })
        });
        let first = fitting.next()?;
        fitting.next().is_none().then_some(first)
    }
}

impl Joint {
    fn character(self) -> char {
        match self {
            Self::T => 'T',
            Self::Blank => ' ',
        }
    }
}

/// Microseconds since midnight of `12:30`, `12:30:00` or `12:30:00.5`. Digits beyond the microsecond must be zeros.
fn time_of_day(text: &[u8]) -> Option<(i64, Precision)> {
    let pair = |from: usize, below: i64| {
        let (tens, ones) = (text.get(from)?.wrapping_sub(b'0'), text.get(from + 1)?.wrapping_sub(b'0'));
        let number = i64::from(tens) * 10 + i64::from(ones);
        (tens <= 9 && ones <= 9 && number < below).then_some(number)
    };
    if text.get(2) != Some(&b':') {
        return None;
    }
    let minutes = 60 * pair(0, 24)? + pair(3, 60)?;
    if text.len() == 5 {
        return Some((minutes * 60_000_000, Precision::Minute));
    }
    if text.get(5) != Some(&b':') {
        return None;
    }
    let seconds = (60 * minutes + pair(6, 60)?) * 1_000_000;
    let fraction = match text.get(8..)? {
        [] => return Some((seconds, Precision::Second)),
        [b'.', digits @ ..] if (1..=9).contains(&digits.len()) => digits,
        _ => return None,
    };
    let mut microseconds = 0;
    for (place, digit) in fraction.iter().enumerate() {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 || (place >= 6 && digit != 0) {
            return None;
        }
        microseconds += i64::from(digit) * 10_i64.pow(5_u32.saturating_sub(place as u32));
    }
    let precision = if fraction.len() <= 3 { Precision::Millisecond } else { Precision::Microsecond };
    Some((seconds + microseconds, precision))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_name_and_reads_what_it_writes() {
        for shape in DatetimeFormat::shapes() {
            for precision in PRECISIONS {
                let format = DatetimeFormat { precision, ..shape };
                assert_eq!(DatetimeFormat::named(&format.name()), Some(format));
                for time in [0, 45_000_000_000, DAY - 60_000_000, 86_399_999_999, 40 * DAY + 61_001_001, -1] {
                    let time = time - time.rem_euclid(format.tick());
                    let time = if format.date.is_none() { time.rem_euclid(DAY) } else { time };
                    assert_eq!(format.parse(&format.format(time)), Some(time), "{}", format.name());
                    assert_eq!(format.parse_written(&format.iso(time)), Some(time), "{}", format.name());
                }
            }
        }
        assert_eq!(DatetimeFormat::named("YYYY-MM-DD"), None);
    }

    #[test]
    fn known_times_are_what_they_are() {
        let format = DatetimeFormat::default();
        assert_eq!(format.parse("1970-01-02T00:00:01"), Some(DAY + 1_000_000));
        assert_eq!(format.parse("2016-03-01T12:30:00"), Some(1_456_835_400_000_000));
        assert_eq!(format.parse("2016-03-01T12:30"), Some(1_456_835_400_000_000), "coarser is not wrong");
        for text in [
            "2016-03-01 12:30:00",
            "2016-03-01T24:00:00",
            "2016-03-01T12:60:00",
            "2016-03-01T12:30:60",
            "2016-02-30T12:30:00",
            "2016-03-01T12:30:00.5",
            "2016-03-01T12:30:00Z",
            "2016-03-01T12:30:00+01:00",
            "2016-03-01T1:30:00",
            "2016-03-01",
            "",
            "2016-03-01T12:30:",
            "2016-03-01T12:3a",
            "2016-03-01T12:30:00.",
            "é16-03-01T12:30:00",
        ] {
            assert_eq!(format.parse(text), None, "{text}");
        }
        assert_eq!(format.parse_written("2016-03-01"), Some(1_456_790_400_000_000));
        assert_eq!(format.parse_written("2016-03-01 12:30"), Some(1_456_835_400_000_000));
        assert_eq!(format.parse_written("2016-03-01T12:30:00.5"), None, "finer than the variable");
    }

    #[test]
    fn one_format_reads_all_texts_or_none_does() {
        let of = |texts: &[&str]| DatetimeFormat::of_all(texts.iter().copied()).map(DatetimeFormat::name);
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(of(&["2016-03-01T12:30:00", "2016-03-01T12:30:00.25"]), name("YYYY-MM-DDTHH:MM:SS.fff"));
        assert_eq!(of(&["2016-03-01 12:30", "2016-03-02 00:00"]), name("YYYY-MM-DD HH:MM"));
        assert_eq!(of(&["27.03.2011 12:30:01"]), name("DD.MM.YYYY HH:MM:SS"));
        assert_eq!(of(&["2016-03-01T12:30:00Z"]), name("YYYY-MM-DDTHH:MM:SSZ"));
        assert_eq!(of(&["12:30", "23:59"]), name("HH:MM"));
        assert_eq!(of(&["12:30:00.123456789"]), None, "nanoseconds are not cut off");
        assert_eq!(of(&["12:30:00.123456000"]), name("HH:MM:SS.ffffff"));
        assert_eq!(of(&["01/02/2012 12:30"]), None, "day and month cannot be told apart");
        assert_eq!(of(&["2016-03-01T12:30:00", "2016-03-01"]), None);
        assert_eq!((of(&[]), of(&["12:30", "24:30"])), (None, None));
    }

    #[test]
    fn precision_is_as_fine_as_the_times_need() {
        let of = |times: &[i64]| Precision::of_all(times.iter().copied());
        assert_eq!(of(&[]), Precision::Second);
        assert_eq!(of(&[60_000_000, 1_000_000]), Precision::Second);
        assert_eq!(of(&[1_000, 1_000_000]), Precision::Millisecond);
        assert_eq!(of(&[1_000, 1, 1_000]), Precision::Microsecond);
    }
}
