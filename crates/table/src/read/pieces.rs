//! Parts of a column, read apart and joined at the end.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::borrow::Cow;
use std::hash::Hasher;

use crate::Codes;
use crate::column::{Entry, Numbers, TextColumn};

/// The values of one column in one block of the file.
#[derive(Debug)]
pub(super) enum Piece {
    Integer(Numbers<i64>),
    Real(Numbers<f64>),
    Date(Numbers<i32>),
    Text(TextColumn),
}

/// The pieces of a column cannot be joined without reading it again as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReadAgainAsText;

/// Largest whole number below which every whole number is a double.
pub(super) const EXACT: u64 = 1 << 53;

/// Joins the pieces of a column, in order. Whole numbers go with real ones; with text they go as they were written.
pub(super) fn join(pieces: Vec<Piece>) -> Result<Piece, ReadAgainAsText> {
    let rows = pieces.iter().map(Piece::len).sum();
    let any = |kind: fn(&Piece) -> bool| pieces.iter().any(kind);
    let (text, real) =
        (any(|piece| matches!(piece, Piece::Text(_))), any(|piece| matches!(piece, Piece::Real(_))));
    if any(|piece| matches!(piece, Piece::Date(_))) {
        let mut all = Numbers::with_capacity(rows);
        for piece in pieces {
            match piece {
                Piece::Date(days) => all.append(days),
                _ => return Err(ReadAgainAsText),
            }
        }
        return Ok(Piece::Date(all));
    }
    if text && real {
        return Err(ReadAgainAsText);
    }
    if text {
        return Ok(Piece::Text(join_text(pieces, rows)));
    }
    if real {
        let mut all = Numbers::with_capacity(rows);
        for piece in pieces {
            match piece {
                Piece::Real(numbers) => all.append(numbers),
                Piece::Integer(numbers) => {
                    if numbers.values().any(|value| value.unsigned_abs() > EXACT) {
                        return Err(ReadAgainAsText);
                    }
                    all.append(numbers.map(|value| value as f64));
                }
                Piece::Date(_) | Piece::Text(_) => return Err(ReadAgainAsText),
            }
        }
        return Ok(Piece::Real(all));
    }
    let mut all = Numbers::with_capacity(rows);
    for piece in pieces {
        if let Piece::Integer(numbers) = piece {
            all.append(numbers);
        }
    }
    Ok(Piece::Integer(all))
}

fn join_text(pieces: Vec<Piece>, rows: usize) -> TextColumn {
    let mut dictionary = Dictionary::default();
    let mut recoded: Vec<(Codes, Vec<u32>)> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let TextColumn { codes, dictionary: part } = match piece {
            Piece::Text(text) => text,
            Piece::Integer(numbers) => integers_as_text(&numbers),
            Piece::Real(_) | Piece::Date(_) => unreachable!("only text and whole numbers are joined as text"),
        };
        let mut new_code: Vec<u32> = part.into_iter().map(|text| dictionary.code(Cow::Owned(text))).collect();
        new_code.push(MISSING);
        recoded.push((codes, new_code));
    }
    let dictionary = dictionary.into_texts();
    let missing = dictionary.len() as u32;
    let mut all = Codes::with_capacity(dictionary.len() + 1, rows);
    for (codes, new_code) in recoded {
        all.extend(codes.iter().map(|code| new_code[code as usize].min(missing)));
    }
    TextColumn { codes: all, dictionary }
}

/// Whole numbers are read only in the one way Rust writes them, so the text is what stood in the file.
pub(super) fn integers_as_text(numbers: &Numbers<i64>) -> TextColumn {
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
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Integer(numbers) => numbers.len(),
            Self::Real(numbers) => numbers.len(),
            Self::Date(days) => days.len(),
            Self::Text(text) => text.codes.len(),
        }
    }
}

/// The code of a missing text while a dictionary grows.
const MISSING: u32 = u32::MAX;

/// Distinct texts in order of first appearance.
#[derive(Default)]
struct Dictionary<'a> {
    texts: Vec<Cow<'a, str>>,
    positions: HashTable<u32>,
}

impl<'a> Dictionary<'a> {
    fn code(&mut self, text: Cow<'a, str>) -> u32 {
        fn hash(text: &str) -> u64 {
            let mut hasher = FxHasher::default();
            hasher.write(text.as_bytes());
            hasher.finish()
        }
        let texts = &self.texts;
        let found = self.positions.find(hash(&text), |position| texts[*position as usize] == text);
        if let Some(position) = found {
            return *position;
        }
        let position = self.texts.len() as u32;
        let texts = &self.texts;
        self.positions.insert_unique(hash(&text), position, |position| hash(&texts[*position as usize]));
        self.texts.push(text);
        position
    }

    fn into_texts(self) -> Vec<String> {
        self.texts.into_iter().map(Cow::into_owned).collect()
    }
}

/// A text column under construction.
#[derive(Default)]
pub(super) struct TextBuilder<'a> {
    dictionary: Dictionary<'a>,
    codes: Vec<u32>,
}

impl<'a> TextBuilder<'a> {
    pub(super) fn with_capacity(rows: usize) -> Self {
        Self { codes: Vec::with_capacity(rows), ..Self::default() }
    }

    pub(super) fn push(&mut self, text: Cow<'a, str>) {
        let code = match self.codes.last() {
            Some(last) if *last != MISSING && self.dictionary.texts[*last as usize] == text => *last,
            _ => self.dictionary.code(text),
        };
        self.codes.push(code);
    }

    pub(super) fn push_missing(&mut self) {
        self.codes.push(MISSING);
    }

    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    pub(super) fn finish(self) -> TextColumn {
        let missing = self.dictionary.texts.len() as u32;
        let codes =
            Codes::collect(missing as usize + 1, self.codes.into_iter().map(|code| code.min(missing)));
        TextColumn { codes, dictionary: self.dictionary.into_texts() }
    }
}
