//! The different values of a column with their frequencies, and what they look like.

use crate::column::{Column, Entry, Numbers};
use crate::date::FORMATS;
use crate::schema::{Kind, Variable};
use crate::value_counts::{ValueCounts, whole_numbers};

/// Rows looked at before all are: a column in which one value is frequent names nothing.
const GLANCE: usize = 2048;

/// Different values, ascending, with how many records have each.
pub(crate) struct Tally {
    values: Values,
    present: u64,
    /// Whether these are the values of all records.
    is_complete: bool,
}

enum Values {
    Whole(Vec<(i64, u64)>),
    Text(Vec<(String, u64)>),
}

impl Tally {
    /// The tally of a column that may name units; `None` of reals and dates, and of what a glance rules out.
    pub(crate) fn of(variable: &Variable, column: &Column) -> Option<Self> {
        match column {
            Column::Integer(numbers) => {
                let (low, high) = numbers.extremes()?;
                if !is_wide_enough(low, high, numbers.len() as u64 - numbers.missing())
                    || one_is_frequent(numbers)
                {
                    return None;
                }
                Some(Self::of_all(whole_numbers(numbers)))
            }
            Column::Categorical(codes) => {
                let levels = variable.kind.levels()?;
                let counts = codes.frequencies(levels.len() + 1);
                let present: u64 = counts[..levels.len()].iter().sum();
                if (levels.len() as u64) < present / 50 {
                    return None;
                }
                let values = levels.iter().zip(counts).filter(|(_, count)| *count > 0);
                let values = values.map(|(level, count)| (level.to_owned(), count)).collect();
                Some(Self::of_texts(values, present))
            }
            Column::Text(text) => {
                let counts = text.codes.frequencies(text.dictionary.len() + 1);
                let present = counts[..text.dictionary.len()].iter().sum();
                let values = text.dictionary.iter().zip(counts).filter(|(_, count)| *count > 0);
                if variable.kind == Kind::TextId && variable.identifier.whole {
                    let numbers = values.map(|(value, count)| Some((value.parse::<i64>().ok()?, count)));
                    let mut numbers: Vec<(i64, u64)> = numbers.collect::<Option<_>>()?;
                    numbers.sort_unstable();
                    return Some(Self { values: Values::Whole(numbers), present, is_complete: true });
                }
                Some(Self::of_texts(values.map(|(value, count)| (value.clone(), count)).collect(), present))
            }
            Column::Real(_) | Column::Date(_) | Column::Datetime(_) => None,
        }
    }

    /// The tally of whole numbers that were counted already; `None` of what a glance rules out.
    pub(crate) fn of_counted(numbers: &Numbers<i64>, counts: &ValueCounts) -> Option<Self> {
        let (low, high) = (counts.values().next()?, counts.values().next_back()?);
        if !is_wide_enough(low as i64, high as i64, numbers.len() as u64 - numbers.missing())
            || one_is_frequent(numbers)
        {
            return None;
        }
        // What a double does not hold exactly is kept as text.
        Some(Self::of_all(counts.iter().map(|(value, count)| (value as i64, count)).collect()))
    }

    fn of_all(values: Vec<(i64, u64)>) -> Self {
        let present = values.iter().map(|(_, count)| count).sum();
        Self { values: Values::Whole(values), present, is_complete: true }
    }

    fn of_texts(mut values: Vec<(String, u64)>, present: u64) -> Self {
        values.sort_unstable();
        Self { values: Values::Text(values), present, is_complete: true }
    }

    /// The tally of these different whole numbers, ascending, with their frequencies; `None` where a glance says that they name nothing. `is_part`: they are not those
    /// of all records.
    pub(crate) fn of_whole_numbers(values: Vec<(i64, u64)>, is_part: bool) -> Option<Self> {
        let present: u64 = values.iter().map(|(_, count)| count).sum();
        let (low, high) = (values.first()?.0, values.last()?.0);
        if !is_wide_enough(low, high, present) {
            return None;
        }
        Some(Self { values: Values::Whole(values), present, is_complete: !is_part })
    }

    /// The same of texts.
    pub(crate) fn of_counted_texts(values: Vec<(String, u64)>, is_part: bool) -> Option<Self> {
        let present: u64 = values.iter().map(|(_, count)| count).sum();
        if (values.len() as u64) < present / 50 {
            return None;
        }
        Some(Self { is_complete: !is_part, ..Self::of_texts(values, present) })
    }

    /// Whether it is of all records.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    pub(super) fn is_whole(&self) -> bool {
        matches!(self.values, Values::Whole(_))
    }

    /// How many records have a value.
    pub(super) fn present(&self) -> u64 {
        self.present
    }

    /// How many values differ.
    pub(super) fn different(&self) -> u64 {
        match &self.values {
            Values::Whole(values) => values.len() as u64,
            Values::Text(values) => values.len() as u64,
        }
    }

    fn counts(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        match &self.values {
            Values::Whole(values) => Box::new(values.iter().map(|(_, count)| *count)),
            Values::Text(values) => Box::new(values.iter().map(|(_, count)| *count)),
        }
    }

    /// How many records the most frequent value has.
    pub(super) fn most_frequent(&self) -> u64 {
        self.counts().max().unwrap_or(0)
    }

    /// How many values one record has.
    pub(super) fn alone(&self) -> u64 {
        self.counts().filter(|count| *count == 1).count() as u64
    }

    /// Whether pairs of records with one value are at most `times` those of values that are used alike.
    pub(super) fn is_even(&self, times: f64) -> bool {
        let pairs: f64 = self.counts().map(|count| count as f64 * (count as f64 - 1.0)).sum();
        let n = self.present as f64;
        pairs <= times * n * n / self.different().max(1) as f64
    }

    /// The smallest and largest number.
    pub(super) fn extremes(&self) -> Option<(i64, i64)> {
        match &self.values {
            Values::Whole(values) => Some((values.first()?.0, values.last()?.0)),
            Values::Text(_) => None,
        }
    }

    fn numbers(&self) -> impl Iterator<Item = i64> + '_ {
        let values = match &self.values {
            Values::Whole(values) => &values[..],
            Values::Text(_) => &[],
        };
        values.iter().map(|(value, _)| *value)
    }

    /// The greatest common divisor of the differences of the numbers.
    pub(super) fn step(&self) -> u64 {
        let mut step = 0;
        let mut before: Option<i64> = None;
        for value in self.numbers() {
            let difference = before.map_or(0, |before| value.wrapping_sub(before) as u64);
            step = greatest_common_divisor(step, difference);
            before = Some(value);
            if step == 1 {
                break;
            }
        }
        step.max(1)
    }

    /// How many digits all numbers have, if that is one.
    pub(super) fn width(&self) -> Option<u32> {
        let (low, high) = self.extremes()?;
        let width = |number: i64| number.checked_ilog10().map(|log| log + 1);
        (width(low)? == width(high)?).then(|| width(low))?
    }

    /// Whether all numbers end in zero, as rounded amounts do.
    pub(super) fn is_round(&self) -> bool {
        self.numbers().all(|number| number % 10 == 0)
    }

    /// Whether the numbers are years, months or days: 1987, 198703, 19870314, also with the time of day behind.
    pub(super) fn is_calendar(&self, telling: bool) -> bool {
        let Some((low, high)) = self.extremes() else { return false };
        if low >= 1500 && high <= 2200 {
            return !telling;
        }
        let is_month = |month: i64| (1..=12).contains(&month);
        let is_year = |year: i64| (1800..=2200).contains(&year);
        let of_day =
            |day: i64| is_year(day / 10_000) && is_month(day / 100 % 100) && (1..=31).contains(&(day % 100));
        match self.width() {
            Some(6) => self.numbers().all(|number| is_year(number / 100) && is_month(number % 100)),
            Some(8) => {
                self.numbers().all(of_day)
                    || self.numbers().all(|number| is_year(number % 10_000) && number / 10_000 % 100 <= 31)
            }
            Some(10) => self.numbers().all(|number| of_day(number / 100) && number % 100 < 24),
            Some(12) => self.numbers().all(|number| of_day(number / 10_000) && number % 100 < 60),
            Some(14) => self.numbers().all(|number| of_day(number / 1_000_000) && number % 100 < 60),
            _ => false,
        }
    }

    /// The texts, without their frequencies.
    pub(super) fn texts(&self) -> Vec<&str> {
        match &self.values {
            Values::Whole(_) => Vec::new(),
            Values::Text(values) => values.iter().map(|(text, _)| text.as_str()).collect(),
        }
    }

    /// Words in a text, on average.
    pub(super) fn words(&self) -> f64 {
        let texts = self.texts();
        let words: usize = texts.iter().map(|text| text.split_whitespace().count()).sum();
        words as f64 / texts.len().max(1) as f64
    }

    /// Whether the texts are numbers or dates written in a way that is not read as such, or times of day.
    pub(super) fn reads_as_numbers_or_times(&self) -> bool {
        let texts = self.texts();
        let all = |test: &dyn Fn(&str) -> bool| texts.iter().all(|text| test(text.trim()));
        let is_time = |text: &str| {
            let parts: Vec<&str> = text.split(':').collect();
            let below = |part: &&str, limit: f64| {
                part.len() >= 2 && part.parse::<f64>().is_ok_and(|number| (0.0..limit).contains(&number))
            };
            (2..=3).contains(&parts.len())
                && parts[0].len() <= 2
                && parts[0].parse::<u32>().is_ok_and(|hour| hour < 25)
                && parts[1..].iter().all(|part| below(part, 60.0))
        };
        let is_number = |text: &str| {
            let bare = text.trim_start_matches(['-', '+', '€', '$', '£', ' ']);
            let bare = bare.trim_end_matches(['%', '€', '$', '£', ' ']);
            let digits = bare.chars().filter(char::is_ascii_digit).count();
            let marks = bare.chars().filter(|character| !character.is_ascii_digit()).count();
            let plain = bare.chars().all(|character| character.is_ascii_digit() || ".,'".contains(character));
            digits > 0 && plain && marks > 0
        };
        let is_date = |text: &str| {
            let day = text.split(['T', ' ']).next().unwrap_or_default();
            FORMATS.iter().any(|format| format.parse(day).is_some())
        };
        all(&is_time) || all(&is_number) || all(&is_date)
    }

    /// Whether every value is one of the other's.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        fn all_in<T: Ord>(these: &[(T, u64)], those: &[(T, u64)]) -> bool {
            let mut rest = those.iter();
            these.iter().all(|(value, _)| rest.any(|(other, _)| other == value))
        }
        match (&self.values, &other.values) {
            (Values::Whole(these), Values::Whole(those)) => all_in(these, those),
            (Values::Text(these), Values::Text(those)) => all_in(these, those),
            _ => false,
        }
    }

    /// The ranks of the numbers among the other's, with their frequencies.
    pub(super) fn ranks_in(&self, other: &Self) -> Vec<(usize, u64)> {
        let (Values::Whole(these), Values::Whole(those)) = (&self.values, &other.values) else {
            return Vec::new();
        };
        let rank = |value: i64| those.binary_search_by_key(&value, |(other, _)| *other).ok();
        these.iter().filter_map(|(value, count)| Some((rank(*value)?, *count))).collect()
    }
}

/// Whether so many records could have different numbers, or at least not fifty of them each.
fn is_wide_enough(low: i64, high: i64, present: u64) -> bool {
    high.checked_sub(low).map_or(u64::MAX, |width| width as u64) >= present / 50
}

/// Whether, at a glance, one number has more than a seventh of the records.
fn one_is_frequent(numbers: &Numbers<i64>) -> bool {
    let stride = (numbers.len() / GLANCE).max(1);
    let seen = (0..numbers.len()).step_by(stride).filter_map(|row| match numbers.get(row) {
        Entry::Value(value) => Some(value),
        Entry::Missing | Entry::Code(_) => None,
    });
    let mut seen: Vec<i64> = seen.collect();
    seen.sort_unstable();
    let all = seen.len() as u64;
    all >= 50 && counted(seen).iter().any(|(_, count)| count * 7 > all)
}

/// Ascending values with how often each occurs.
fn counted(values: Vec<i64>) -> Vec<(i64, u64)> {
    let mut counts: Vec<(i64, u64)> = Vec::new();
    for value in values {
        match counts.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => counts.push((value, 1)),
        }
    }
    counts
}

fn greatest_common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
