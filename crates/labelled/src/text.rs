//! Bytes into text, by the encoding that a file names, and texts into codes.

use std::borrow::Cow;
use std::hash::Hasher;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::Texts;

/// How a file writes its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Charset {
    encoding: &'static Encoding,
    /// Whether the file says nothing of it: then what is Unicode is taken as such.
    guessed: bool,
}

impl Charset {
    pub(crate) const UTF8: Self = Self { encoding: UTF_8, guessed: false };
    /// What files without a word about it are written in, if it is not Unicode.
    pub(crate) const WESTERN: Self = Self { encoding: WINDOWS_1252, guessed: true };

    /// The encoding of this name.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        let name = name.trim_ascii();
        let alias: &[u8] = match name.to_ascii_lowercase().as_slice() {
            b"utf8" => b"utf-8",
            b"us-ascii" | b"ascii" => b"windows-1252",
            b"cp932" => b"shift_jis",
            b"cp936" => b"gbk",
            b"cp949" => b"euc-kr",
            b"cp950" => b"big5",
            _ => name,
        };
        Encoding::for_label(alias).map(|encoding| Self { encoding, guessed: false })
    }

    /// The encoding of a Windows code page.
    pub(crate) fn code_page(page: i32) -> Option<Self> {
        match page {
            65001 => Some(Self::UTF8),
            2 | 3 => Some(Self::WESTERN),
            28591..=28606 => Self::named(format!("iso-8859-{}", page - 28590).as_bytes()),
            437 | 850 | 852 => None,
            page => Self::named(format!("cp{page}").as_bytes())
                .or_else(|| Self::named(format!("windows-{page}").as_bytes())),
        }
    }

    /// The text of bytes; what is no text in this encoding becomes the replacement character.
    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match std::str::from_utf8(bytes) {
            Ok(text) if self.guessed => Cow::Borrowed(text),
            _ => self.encoding.decode_without_bom_handling(bytes).0,
        }
    }

    /// The text of a field that is filled up with blanks or zeros.
    pub(crate) fn field(self, bytes: &[u8]) -> Cow<'_, str> {
        let end = bytes.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |last| last + 1);
        self.decode(&bytes[..end])
    }

    /// The text of a field that ends with a zero.
    pub(crate) fn until_zero(self, bytes: &[u8]) -> Cow<'_, str> {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        self.decode(&bytes[..end])
    }
}

/// A column of texts under construction: bytes are decoded once for each distinct text.
#[derive(Debug, Default)]
pub(crate) struct TextsBuilder {
    raw: Vec<Box<[u8]>>,
    known: HashTable<u32>,
    codes: Vec<u32>,
}

impl TextsBuilder {
    /// Appends the bytes of a text.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let hash = hash(bytes);
        let raw = &self.raw;
        let code = match self.known.find(hash, |code| &*raw[*code as usize] == bytes) {
            Some(code) => *code,
            None => {
                let code = self.raw.len() as u32;
                self.raw.push(bytes.into());
                let raw = &self.raw;
                self.known.insert_unique(hash, code, |code| self::hash(&raw[*code as usize]));
                code
            }
        };
        self.codes.push(code);
    }

    pub(crate) fn finish(self, charset: Charset) -> Texts {
        // Two runs of bytes may be one text, so the distinct texts are found again.
        let mut distinct: Vec<String> = Vec::new();
        let mut known: hashbrown::HashMap<String, u32> = hashbrown::HashMap::new();
        let mut code = |raw: &[u8]| {
            let text = charset.decode(raw).into_owned();
            *known.entry(text).or_insert_with_key(|text| {
                distinct.push(text.clone());
                distinct.len() as u32 - 1
            })
        };
        let new: Vec<u32> = self.raw.iter().map(|raw| code(raw)).collect();
        Texts { dictionary: distinct, codes: self.codes.iter().map(|code| new[*code as usize]).collect() }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Bytes without the blanks at their end.
pub(crate) fn without_blanks(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |last| last + 1);
    &bytes[..end]
}
