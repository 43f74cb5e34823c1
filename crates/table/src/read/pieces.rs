//! Parts of a column, read apart and joined in the order of the file.

use std::borrow::Cow;

use super::dictionary::{Dictionary, TextBuilder};
use crate::Codes;
use crate::column::{EXACT, Entry, Number, Numbers, TextColumn};

/// The values of one column in one block of the file.
#[derive(Debug)]
pub(crate) enum Piece {
    Integer(Numbers<i64>),
    Real(Numbers<f64>),
    Date(Numbers<i32>),
    /// Microseconds, from a typed file.
    Datetime(Numbers<i64>),
    Text(TextColumn),
}

/// The pieces of a column cannot be joined without reading it again as text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReadAgainAsText;

/// A column that takes in its pieces as they come, so that each lives only until it is joined and the column is in memory once.
#[derive(Debug)]
pub(crate) enum Growing {
    Integer(Numbers<i64>),
    Real(Numbers<f64>),
    Date(Numbers<i32>),
    Datetime(Numbers<i64>),
    Text(GrowingText),
    /// Pieces that do not go together; the others are dropped.
    ReadAgainAsText,
}

impl Default for Growing {
    fn default() -> Self {
        Self::Integer(Numbers::with_capacity(0))
    }
}

impl Growing {
    /// Appends a piece. Whole numbers go with real ones, with text they go as they were written, and where there are only
    /// missing values they go with anything.
    pub(crate) fn append(&mut self, piece: Piece) {
        let so_far = std::mem::replace(self, Self::ReadAgainAsText);
        *self = match (so_far, piece) {
            (Self::Integer(mut all), Piece::Integer(more)) => {
                all.append(more);
                Self::Integer(all)
            }
            (Self::Integer(all), Piece::Real(more)) => match exactly_real(all) {
                Some(all) => joined(all, more, Self::Real),
                None => Self::ReadAgainAsText,
            },
            (Self::Real(all), Piece::Integer(more)) => match exactly_real(more) {
                Some(more) => joined(all, more, Self::Real),
                None => Self::ReadAgainAsText,
            },
            (Self::Real(all), Piece::Real(more)) => joined(all, more, Self::Real),
            (Self::Integer(all), Piece::Date(more)) if all.values().next().is_none() => {
                joined(all.map(|_| 0), more, Self::Date)
            }
            (Self::Date(all), Piece::Integer(more)) if more.values().next().is_none() => {
                joined(all, more.map(|_| 0), Self::Date)
            }
            (Self::Date(all), Piece::Date(more)) => joined(all, more, Self::Date),
            (Self::Integer(all), Piece::Datetime(more)) if all.values().next().is_none() => {
                joined(all, more, Self::Datetime)
            }
            (Self::Datetime(all), Piece::Datetime(more)) => joined(all, more, Self::Datetime),
            (Self::Integer(all), Piece::Text(more)) => {
                let mut text = GrowingText::default();
                text.append(integers_as_text(&all));
                text.append(more);
                Self::Text(text)
            }
            (Self::Text(mut all), Piece::Integer(more)) => {
                all.append(integers_as_text(&more));
                Self::Text(all)
            }
            (Self::Text(mut all), Piece::Text(more)) => {
                all.append(more);
                Self::Text(all)
            }
            _ => Self::ReadAgainAsText,
        };
    }

    /// Makes room for this many times the records that are there: as many as the file seems to have. A column that grows in small
    /// steps leaves holes in memory behind; room that is not used in the end is never touched, and costs none.
    pub(crate) fn reserve(&mut self, times: f64) {
        let more = |rows: usize| (rows as f64 * (times - 1.0)) as usize;
        match self {
            Self::Integer(numbers) => numbers.reserve(more(numbers.len())),
            Self::Real(numbers) => numbers.reserve(more(numbers.len())),
            Self::Date(days) => days.reserve(more(days.len())),
            Self::Datetime(times) => times.reserve(more(times.len())),
            Self::Text(text) => text.codes.reserve(more(text.codes.len())),
            Self::ReadAgainAsText => {}
        }
    }

    /// The whole column, without the room it had to grow.
    pub(crate) fn finish(self) -> Result<Piece, ReadAgainAsText> {
        Ok(match self {
            Self::Integer(numbers) => Piece::Integer(numbers.shrunk()),
            Self::Real(numbers) => Piece::Real(numbers.shrunk()),
            Self::Date(days) => Piece::Date(days.shrunk()),
            Self::Datetime(times) => Piece::Datetime(times.shrunk()),
            Self::Text(text) => Piece::Text(text.finish()),
            Self::ReadAgainAsText => return Err(ReadAgainAsText),
        })
    }
}

fn joined<T: Number>(mut all: Numbers<T>, more: Numbers<T>, growing: fn(Numbers<T>) -> Growing) -> Growing {
    all.append(more);
    growing(all)
}

/// Whole numbers as real ones, if a double holds each of them.
fn exactly_real(numbers: Numbers<i64>) -> Option<Numbers<f64>> {
    let exact = numbers.values().all(|value| value.unsigned_abs() <= EXACT);
    exact.then(|| numbers.map(|value| value as f64))
}

/// A text column that takes in its pieces. While it grows, the code of a text is one more than its place in the dictionary and
/// 0 is missing, for the code of missing in the end, just above the last text, is not known yet.
#[derive(Debug)]
pub(crate) struct GrowingText {
    dictionary: Dictionary<'static>,
    codes: Codes,
}

impl Default for GrowingText {
    fn default() -> Self {
        Self { dictionary: Dictionary::default(), codes: Codes::with_capacity(0, 0) }
    }
}

impl GrowingText {
    fn append(&mut self, piece: TextColumn) {
        let TextColumn { codes, dictionary } = piece;
        let mut new_code: Vec<u32> =
            dictionary.into_iter().map(|text| self.dictionary.code(Cow::Owned(text)) + 1).collect();
        new_code.push(0);
        self.codes.widen(self.dictionary.len() + 1);
        self.codes.append_recoded(&codes, &new_code);
    }

    fn finish(mut self) -> TextColumn {
        let missing = self.dictionary.len() as u32;
        self.codes.replace_each(|code| if code == 0 { missing } else { code - 1 });
        self.codes.shrink_to_fit();
        TextColumn { codes: self.codes, dictionary: self.dictionary.into_texts() }
    }
}

/// Whole numbers are read only in the one way Rust writes them, so the text is what stood in the file.
pub(crate) fn integers_as_text(numbers: &Numbers<i64>) -> TextColumn {
    let mut column = TextBuilder::default();
    for entry in numbers.iter() {
        match entry {
            Entry::Value(value) => column.push(Cow::Owned(value.to_string())),
            Entry::Missing | Entry::Code(_) => column.push_missing(),
        }
    }
    column.finish()
}

impl Piece {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Integer(numbers) => numbers.len(),
            Self::Real(numbers) => numbers.len(),
            Self::Date(days) => days.len(),
            Self::Datetime(times) => times.len(),
            Self::Text(text) => text.codes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(pieces: impl IntoIterator<Item = Piece>) -> Result<Piece, ReadAgainAsText> {
        let mut column = Growing::default();
        pieces.into_iter().for_each(|piece| column.append(piece));
        column.finish()
    }

    fn missing<T: Number>() -> Numbers<T> {
        let mut numbers = Numbers::with_capacity(1);
        numbers.push(Entry::Missing);
        numbers
    }

    fn text(texts: &[&str]) -> Piece {
        let mut column = TextBuilder::default();
        texts.iter().for_each(|text| match *text {
            "" => column.push_missing(),
            text => column.push(Cow::Owned(text.to_owned())),
        });
        Piece::Text(column.finish())
    }

    #[test]
    fn codes_widen_as_texts_come_and_missing_stays_missing() {
        let many: Vec<String> = (0..300).map(|i| format!("t{i}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let numbers = Piece::Integer(Numbers::complete(vec![7, -1]));
        let Ok(Piece::Text(all)) = join([numbers, text(&["t5", "", "7"]), text(&many), text(&["t299", ""])])
        else {
            panic!("text")
        };
        let found: Vec<Option<&str>> = (0..all.codes.len()).map(|row| all.get(row)).collect();
        assert_eq!(found[..6], [Some("7"), Some("-1"), Some("t5"), None, Some("7"), Some("t0")]);
        assert_eq!(found[304..], [Some("t299"), Some("t299"), None]);
        assert_eq!((all.dictionary.len(), all.codes.bytes()), (302, 2 * 307));
    }

    #[test]
    fn dates_go_with_missing_values_only() {
        let dates = || Piece::Date(Numbers::complete(vec![3]));
        let joined = join([Piece::Integer(missing()), dates(), Piece::Integer(missing())]);
        let Ok(Piece::Date(days)) = joined else { panic!("dates") };
        assert_eq!(days.iter().collect::<Vec<_>>(), [Entry::Missing, Entry::Value(3), Entry::Missing]);
        for other in [text(&["a"]), Piece::Integer(Numbers::complete(vec![1])), Piece::Real(missing())] {
            assert_eq!(join([dates(), other]).err(), Some(ReadAgainAsText));
        }
    }

    #[test]
    fn whole_numbers_that_no_double_holds_do_not_go_with_real_ones() {
        let large = || Piece::Integer(Numbers::complete(vec![(1 << 53) + 1]));
        let real = || Piece::Real(Numbers::complete(vec![0.5]));
        assert_eq!(join([large(), real()]).err(), Some(ReadAgainAsText));
        assert_eq!(join([real(), large()]).err(), Some(ReadAgainAsText));
        assert!(matches!(join([real(), Piece::Integer(Numbers::complete(vec![1]))]), Ok(Piece::Real(_))));
    }
}
