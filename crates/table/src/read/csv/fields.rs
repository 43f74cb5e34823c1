//! One field after another, as slices of the block.

use std::borrow::Cow;

use memchr::memchr;

/// A walk over the fields of whole records.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    position: usize,
    separator: u8,
}

/// One field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    /// Its bytes, without the quotes around it.
    pub(super) bytes: &'a [u8],
    /// Where they start in the block.
    pub(super) start: usize,
    /// Whether quotes are doubled inside.
    pub(super) escaped: bool,
    /// Whether a record ends here.
    pub(super) ends_record: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldError {
    TextAfterQuote,
    UnclosedQuote,
}

impl<'a> Field<'a> {
    /// The field as it was meant, doubled quotes made single.
    pub(super) fn unescaped(&self) -> Cow<'a, [u8]> {
        if !self.escaped {
            return Cow::Borrowed(self.bytes);
        }
        let mut single = Vec::with_capacity(self.bytes.len());
        let mut after_quote = false;
        for byte in self.bytes {
            let second = *byte == b'"' && after_quote;
            if !second {
                single.push(*byte);
            }
            after_quote = *byte == b'"' && !after_quote;
        }
        Cow::Owned(single)
    }
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8], separator: u8) -> Self {
        Self { bytes, position: 0, separator }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Goes on from where a record begins.
    pub(super) fn go_to(&mut self, position: usize) {
        self.position = position;
    }

    pub(super) fn at_end(&self) -> bool {
        self.position >= self.bytes.len()
    }

    /// Steps over a line with nothing on it.
    pub(super) fn skip_blank_line(&mut self) -> bool {
        let length = match self.bytes[self.position..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => return false,
        };
        self.position += length;
        true
    }

    /// The next field; at the end of the bytes an empty one that ends the record.
    #[inline]
    pub(super) fn next_field(&mut self) -> Result<Field<'a>, FieldError> {
        if self.bytes.get(self.position) == Some(&b'"') {
            return self.quoted();
        }
        let start = self.position;
        let end = find_end(self.bytes, start, self.separator);
        let ends_record = self.bytes.get(end) != Some(&self.separator);
        self.position = (end + 1).min(self.bytes.len());
        let mut bytes = &self.bytes[start..end];
        if ends_record && let [rest @ .., b'\r'] = bytes {
            bytes = rest;
        }
        Ok(Field { bytes, start, escaped: false, ends_record })
    }

    fn quoted(&mut self) -> Result<Field<'a>, FieldError> {
        let start = self.position + 1;
        let mut end = start;
        let mut escaped = false;
        loop {
            end += memchr(b'"', &self.bytes[end..]).ok_or(FieldError::UnclosedQuote)?;
            if self.bytes.get(end + 1) != Some(&b'"') {
                break;
            }
            escaped = true;
            end += 2;
        }
        let (length, ends_record) = match &self.bytes[end + 1..] {
            [] => (1, true),
            [b'\n', ..] => (1, true),
            [b'\r', b'\n', ..] => (2, true),
            [b'\r'] => (2, true),
            [byte, ..] if *byte == self.separator => (1, false),
            _ => return Err(FieldError::TextAfterQuote),
        };
        self.position = (end + 1 + length).min(self.bytes.len());
        Ok(Field { bytes: &self.bytes[start..end], start, escaped, ends_record })
    }
}

/// The position of the next separator or newline, or the end; eight bytes at a time.
#[inline]
fn find_end(bytes: &[u8], mut position: usize, separator: u8) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let separators = LOW * u64::from(separator);
    let newlines = LOW * u64::from(b'\n');
    // A byte of `x` is zero where it matched; the trick marks the lowest zero byte exactly, and that is the one we want.
    let zeros = |x: u64| x.wrapping_sub(LOW) & !x & HIGH;
    while let Some(eight) = bytes.get(position..position + 8) {
        let mut word = [0; 8];
        word.copy_from_slice(eight);
        let word = u64::from_le_bytes(word);
        let found = zeros(word ^ separators) | zeros(word ^ newlines);
        if found != 0 {
            return position + (found.trailing_zeros() / 8) as usize;
        }
        position += 8;
    }
    while position < bytes.len() && bytes[position] != separator && bytes[position] != b'\n' {
        position += 1;
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<(String, bool)>, FieldError> {
        let mut fields = Fields::new(text.as_bytes(), b',');
        let mut found = Vec::new();
        while !fields.at_end() {
            let field = fields.next_field()?;
            found.push((String::from_utf8(field.unescaped().into_owned()).unwrap(), field.ends_record));
        }
        Ok(found)
    }

    #[test]
    fn fields_quotes_and_line_ends() {
        let expected =
            [("a", false), ("b c", true), ("d,\n\"e\"", false), ("", true), ("long field number 1", true)];
        let expected: Vec<(String, bool)> =
            expected.iter().map(|(text, end)| ((*text).into(), *end)).collect();
        assert_eq!(all("a,b c\r\n\"d,\n\"\"e\"\"\",\nlong field number 1").unwrap(), expected);
    }

    #[test]
    fn text_after_a_quote_and_open_quotes_are_errors() {
        assert_eq!(all("\"a\"b,c\n"), Err(FieldError::TextAfterQuote));
        assert_eq!(all("a,\"b\n"), Err(FieldError::UnclosedQuote));
        assert_eq!(all("a,5\" disk\n").unwrap().len(), 2);
    }
}
