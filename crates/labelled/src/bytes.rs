//! A file in memory that is read part by part, never beyond its end.

use crate::LabelledError;

/// Bytes with a position, in one byte order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
    big_endian: bool,
    part: &'static str,
}

macro_rules! number {
    ($name:ident, $type:ty, $doc:expr) => {
        #[doc = $doc]
        #[allow(dead_code)]
        pub(crate) fn $name(&mut self) -> Result<$type, LabelledError> {
            let bytes = self.array()?;
            Ok(if self.big_endian { <$type>::from_be_bytes(bytes) } else { <$type>::from_le_bytes(bytes) })
        }
    };
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(all: &'a [u8], big_endian: bool, part: &'static str) -> Self {
        Self { all, at: 0, big_endian, part }
    }

    /// Names the part of the file that is read next, for the error if it ends there.
    pub(crate) fn part(&mut self, part: &'static str) -> &mut Self {
        self.part = part;
        self
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn left(&self) -> usize {
        self.all.len() - self.at
    }

    pub(crate) fn is_big_endian(&self) -> bool {
        self.big_endian
    }

    pub(crate) fn set_big_endian(&mut self, big_endian: bool) {
        self.big_endian = big_endian;
    }

    /// Goes to a position from the start of the file.
    pub(crate) fn seek(&mut self, at: u64) -> Result<(), LabelledError> {
        match usize::try_from(at).ok().filter(|at| *at <= self.all.len()) {
            Some(at) => {
                self.at = at;
                Ok(())
            }
            None => Err(LabelledError::Truncated(self.part)),
        }
    }

    /// The next bytes.
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], LabelledError> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.all.len());
        let end = end.ok_or(LabelledError::Truncated(self.part))?;
        let taken = &self.all[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// As many items of this size as a count says, if the file holds that many.
    pub(crate) fn items(&mut self, count: usize, size: usize) -> Result<&'a [u8], LabelledError> {
        self.take(count.checked_mul(size).ok_or(LabelledError::Truncated(self.part))?)
    }

    pub(crate) fn skip(&mut self, length: usize) -> Result<(), LabelledError> {
        self.take(length).map(|_| ())
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], LabelledError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    number!(u8, u8, "A byte.");
    number!(u16, u16, "Two bytes without a sign.");
    number!(i16, i16, "Two bytes.");
    number!(i32, i32, "Four bytes.");
    number!(u32, u32, "Four bytes without a sign.");
    number!(u64, u64, "Eight bytes without a sign.");
    number!(i64, i64, "Eight bytes.");
    number!(f64, f64, "A double.");

    /// A length that the file says with a sign, and that must have none.
    pub(crate) fn length(&mut self) -> Result<usize, LabelledError> {
        let length = self.i32()?;
        usize::try_from(length)
            .map_err(|_| LabelledError::damaged(format!("a length in {} is below zero", self.part)))
    }

    /// Bytes that must be these.
    pub(crate) fn expect(&mut self, wanted: &[u8]) -> Result<(), LabelledError> {
        if self.take(wanted.len())? == wanted {
            return Ok(());
        }
        let wanted = String::from_utf8_lossy(wanted);
        Err(LabelledError::damaged(format!("{} does not stand where it should, in {}", wanted, self.part)))
    }
}
