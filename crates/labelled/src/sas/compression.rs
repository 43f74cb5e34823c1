//! Records of SAS files that are packed one by one: runs of one byte (`COMPRESS=CHAR`), or Ross data compression (`COMPRESS=BINARY`).

use crate::LabelledError;

/// How records are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Compression {
    #[default]
    None,
    RunLength,
    Ross,
}

const SHORT: LabelledError = LabelledError::Truncated("a packed record");

impl Compression {
    /// What the first block of text says of it.
    pub(super) fn of(text: &[u8]) -> Self {
        let holds = |word: &[u8]| text.windows(word.len()).any(|window| window == word);
        if holds(b"SASYZCRL") {
            Self::RunLength
        } else if holds(b"SASYZCR2") {
            Self::Ross
        } else {
            Self::None
        }
    }

    /// Unpacks a record to this length, and never to more.
    pub(super) fn unpack(self, packed: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), LabelledError> {
        out.clear();
        match self {
            Self::None => out.extend_from_slice(packed.get(..length).ok_or(SHORT)?),
            Self::RunLength => run_length(packed, length, out)?,
            Self::Ross => ross(packed, length, out)?,
        }
        if out.len() > length {
            return Err(LabelledError::damaged("a packed record is longer than the file says"));
        }
        out.resize(length, 0);
        Ok(())
    }
}

fn run_length(packed: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), LabelledError> {
    let mut at = 0;
    while at < packed.len() && out.len() < length {
        let (command, low) = (packed[at] >> 4, usize::from(packed[at] & 15));
        at += 1;
        let mut next = || {
            let byte = packed.get(at).copied().ok_or(SHORT);
            at += 1;
            byte
        };
        let (copied, run, byte) = match command {
            0 => (usize::from(next()?) + 64 + low * 256, 0, 0),
            1 => (usize::from(next()?) + 64 + low * 256 + 4096, 0, 0),
            2 => (low + 96, 0, 0),
            4 => (0, usize::from(next()?) + 18 + low * 256, next()?),
            5 => (0, usize::from(next()?) + 17 + low * 256, b'@'),
            6 => (0, usize::from(next()?) + 17 + low * 256, b' '),
            7 => (0, usize::from(next()?) + 17 + low * 256, 0),
            8 => (low + 1, 0, 0),
            9 => (low + 17, 0, 0),
            10 => (low + 33, 0, 0),
            11 => (low + 49, 0, 0),
            12 => (0, low + 3, next()?),
            13 => (0, low + 2, b'@'),
            14 => (0, low + 2, b' '),
            15 => (0, low + 2, 0),
            _ => return Err(LabelledError::damaged("a packed record holds a command that is not known")),
        };
        if copied > 0 {
            out.extend_from_slice(packed.get(at..at + copied).ok_or(SHORT)?);
            at += copied;
        }
        out.resize(out.len() + run, byte);
    }
    Ok(())
}

fn ross(packed: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), LabelledError> {
    let (mut at, mut bits, mut mask) = (0, 0_u16, 0_u16);
    while at < packed.len() && out.len() < length {
        let mut next = || {
            let byte = packed.get(at).copied().map(usize::from).ok_or(SHORT);
            at += 1;
            byte
        };
        mask >>= 1;
        if mask == 0 {
            bits = (next()? << 8 | next()?) as u16;
            mask = 0x8000;
        }
        if bits & mask == 0 {
            if let Ok(byte) = next() {
                out.push(byte as u8);
            }
            continue;
        }
        let first = next()?;
        let (command, low) = (first >> 4, first & 15);
        let (offset, count) = match command {
            0 => {
                let byte = next()? as u8;
                out.resize(out.len() + low + 3, byte);
                continue;
            }
            1 => {
                let count = low + (next()? << 4) + 19;
                let byte = next()? as u8;
                out.resize(out.len() + count, byte);
                continue;
            }
            2 => {
                let offset = low + 3 + (next()? << 4);
                (offset, next()? + 16)
            }
            count => (low + 3 + (next()? << 4), count),
        };
        let from = out.len().checked_sub(offset);
        let from = from.ok_or_else(|| LabelledError::damaged("a packed record points before its start"))?;
        for at in from..from + count {
            let byte = *out.get(at).ok_or(SHORT)?;
            out.push(byte);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_copies_are_unpacked() {
        let mut out = Vec::new();
        // Copy 2 bytes, 5 blanks, 4 times 'x', the rest is filled with zeros.
        let packed = [0x81, b'a', b'b', 0xe3, 0xc1, b'x'];
        Compression::RunLength.unpack(&packed, 13, &mut out).unwrap();
        assert_eq!(out, b"ab     xxxx\0\0");
        assert!(Compression::RunLength.unpack(&[0x8f, 1], 100, &mut out).is_err());
        assert!(Compression::RunLength.unpack(&[0x7f, 255], 10, &mut out).is_err());
    }

    #[test]
    fn patterns_are_repeated() {
        let mut out = Vec::new();
        // Bits 0001 0…: three bytes as they are, then 3 bytes from 3 back.
        let packed = [0x10, 0x00, b'a', b'b', b'c', 0x30, 0x00];
        Compression::Ross.unpack(&packed, 6, &mut out).unwrap();
        assert_eq!(out, b"abcabc");
        assert!(Compression::Ross.unpack(&[0x80, 0, 0x3f, 0xff], 6, &mut out).is_err());
    }
}
