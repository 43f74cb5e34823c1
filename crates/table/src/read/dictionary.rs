//! Distinct texts and their codes: the lookup that every text field of a file goes through.

use std::borrow::Cow;
use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::Codes;
use crate::column::TextColumn;

/// The code of a missing text while a dictionary grows.
const MISSING: u32 = u32::MAX;

/// Distinct texts in order of first appearance.
#[derive(Debug, Default)]
pub(super) struct Dictionary<'a> {
    texts: Vec<Cow<'a, str>>,
    entries: HashTable<(Key, u32)>,
}

/// The ends of a text and its length. Up to 16 bytes they are the whole text, so that the usual level of a categorical variable
/// is found without a look at the texts themselves, which lie all over the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    first: u64,
    last: u64,
    length: u32,
}

impl Key {
    const WHOLE: usize = 16;

    #[inline]
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (first, last) = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
        } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
        } else {
            (bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0)
        };
        Self { first, last, length: bytes.len() as u32 }
    }

    #[inline]
    fn hash(self, text: &str) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.first);
        hasher.write_u64(self.last);
        hasher.write_u32(self.length);
        if text.len() > Self::WHOLE {
            hasher.write(&text.as_bytes()[8..text.len() - 8]);
        }
        hasher.finish()
    }
}

impl<'a> Dictionary<'a> {
    /// The code of this text, a new one if it has not been seen.
    #[inline]
    pub(super) fn code(&mut self, text: Cow<'a, str>) -> u32 {
        let key = Key::of(&text);
        let hash = key.hash(&text);
        let texts = &self.texts;
        let is_same = |(known, code): &(Key, u32)| {
            *known == key && (text.len() <= Key::WHOLE || texts[*code as usize] == text)
        };
        match self.entries.find(hash, is_same) {
            Some((_, code)) => *code,
            None => self.insert(key, hash, text),
        }
    }

    #[cold]
    fn insert(&mut self, key: Key, hash: u64, text: Cow<'a, str>) -> u32 {
        let code = self.texts.len() as u32;
        self.texts.push(text);
        let texts = &self.texts;
        self.entries.insert_unique(hash, (key, code), |(key, code)| key.hash(&texts[*code as usize]));
        code
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn into_texts(self) -> Vec<String> {
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

    #[inline]
    pub(super) fn push(&mut self, text: Cow<'a, str>) {
        let code = self.dictionary.code(text);
        self.codes.push(code);
    }

    pub(super) fn push_missing(&mut self) {
        self.codes.push(MISSING);
    }

    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    pub(super) fn finish(self) -> TextColumn {
        let missing = self.dictionary.len() as u32;
        let codes =
            Codes::collect(missing as usize + 1, self.codes.into_iter().map(|code| code.min(missing)));
        TextColumn { codes, dictionary: self.dictionary.into_texts() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn codes_follow_first_appearance(texts in prop::collection::vec("[ab\u{0}]{0,4}|[ab]{7,9}|[ab]{15,18}|a{20}[ab]a{20}", 0..200)) {
            let mut dictionary = Dictionary::default();
            let mut seen: Vec<&str> = Vec::new();
            for text in &texts {
                let expected = seen.iter().position(|known| known == text).unwrap_or_else(|| {
                    seen.push(text);
                    seen.len() - 1
                });
                prop_assert_eq!(dictionary.code(Cow::Borrowed(text)) as usize, expected);
            }
            prop_assert_eq!(dictionary.into_texts(), seen);
        }
    }
}
