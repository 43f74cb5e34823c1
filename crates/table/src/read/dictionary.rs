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

/// The first 16 bytes of a text, zeros after its end, and its length. Up to 16 bytes they are the whole text, so that the usual
/// level of a categorical variable is found without a look at the texts themselves, which lie all over the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    start: [u64; 2],
    length: u32,
}

impl Key {
    const WHOLE: usize = 16;

    fn of(text: &str) -> Self {
        Self::of_slice(text.as_bytes(), 0, text.len())
    }

    /// The key of a part of `bytes`. Both words are loaded whatever the length and what is not of the text is masked, for a
    /// branch on the length of a field is a coin toss.
    #[inline]
    fn of_slice(bytes: &[u8], from: usize, length: usize) -> Self {
        let kept = |bytes: usize| if bytes < 8 { (1 << (8 * bytes)) - 1 } else { u64::MAX };
        let first = eight_bytes(bytes, from) & kept(length);
        let second = eight_bytes(bytes, from + 8) & kept(length.saturating_sub(8));
        Self { start: [first, second], length: length as u32 }
    }

    #[inline]
    fn hash(self, text: &str) -> u64 {
        const ODD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];
        let [first, second] = self.start;
        let product = u128::from(first ^ ODD[0]) * u128::from(second ^ ODD[1] ^ u64::from(self.length));
        let hash = (product >> 64) as u64 ^ product as u64;
        if text.len() <= Self::WHOLE {
            return hash;
        }
        let mut hasher = FxHasher::default();
        hasher.write_u64(hash);
        hasher.write(&text.as_bytes()[Self::WHOLE..]);
        hasher.finish()
    }
}

/// Eight bytes from a position on, the first one lowest; zeros after the end.
#[inline]
pub(super) fn eight_bytes(bytes: &[u8], from: usize) -> u64 {
    match bytes.get(from..from + 8).and_then(|eight| eight.first_chunk()) {
        Some(eight) => u64::from_le_bytes(*eight),
        None => last_bytes(bytes, from),
    }
}

#[cold]
fn last_bytes(bytes: &[u8], from: usize) -> u64 {
    let last = bytes.get(from..).unwrap_or_default();
    last.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

impl<'a> Dictionary<'a> {
    /// The code of this text, a new one if it has not been seen.
    pub(super) fn code(&mut self, text: Cow<'a, str>) -> u32 {
        self.code_of_key(Key::of(&text), text)
    }

    #[inline]
    fn code_of_key(&mut self, key: Key, text: Cow<'a, str>) -> u32 {
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

    /// The code of a text, for [`push_code`](Self::push_code).
    pub(super) fn code(&mut self, text: Cow<'a, str>) -> u32 {
        self.dictionary.code(text)
    }

    /// Pushes a text by its code.
    #[inline]
    pub(super) fn push_code(&mut self, code: u32) {
        self.codes.push(code);
    }

    /// Pushes a part of `text`.
    #[inline]
    pub(super) fn push_slice(&mut self, text: &'a str, from: usize, length: usize) {
        let key = Key::of_slice(text.as_bytes(), from, length);
        let code = self.dictionary.code_of_key(key, Cow::Borrowed(&text[from..from + length]));
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
            let (mut whole, mut sliced) = (TextBuilder::default(), TextBuilder::default());
            let all = texts.concat();
            let mut from = 0;
            for text in &texts {
                whole.push(Cow::Borrowed(text));
                sliced.push_slice(&all, from, text.len());
                from += text.len();
            }
            prop_assert_eq!(whole.finish(), sliced.finish());
        }
    }
}
