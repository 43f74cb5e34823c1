//! The header of a SAS file and its pages.

use super::{TextAt, charset, field};
use crate::LabelledError;
use crate::text::Charset;

/// The pages of a file.
#[derive(Debug)]
pub(super) struct Pages<'a> {
    pages: &'a [u8],
    page_size: usize,
    /// Whether words have 64 bits.
    pub(super) wide: bool,
    pub(super) big_endian: bool,
    pub(super) charset: Charset,
}

impl<'a> Pages<'a> {
    pub(super) fn open(file: &'a [u8]) -> Result<Self, LabelledError> {
        let header = file.get(..288).ok_or(LabelledError::Truncated("its header"))?;
        if !Self::is_magic(header) {
            return Err(LabelledError::damaged("it does not begin as a SAS file does"));
        }
        let wide = header[32] == b'3';
        let shift = if header[35] == b'3' { 4 } else { 0 };
        let big_endian = header[37] != 1;
        let header_size = field(file, 196 + shift, big_endian)? as usize;
        let page_size = field(file, 200 + shift, big_endian)? as usize;
        if header_size < 288 || page_size < 64 {
            return Err(LabelledError::damaged("its header says sizes that cannot be"));
        }
        let pages = file.get(header_size..).ok_or(LabelledError::Truncated("its header"))?;
        Ok(Self { pages, page_size, wide, big_endian, charset: charset(header[70]) })
    }

    /// The pages; a last one that is cut off is an error.
    pub(super) fn iter(&self) -> impl Iterator<Item = Result<Page<'a>, LabelledError>> + '_ {
        self.pages.chunks(self.page_size).map(|bytes| {
            if bytes.len() < self.page_size {
                return Err(LabelledError::Truncated("its last page"));
            }
            Ok(Page { bytes, wide: self.wide, big_endian: self.big_endian })
        })
    }
}

/// What a page points to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointed<'a> {
    pub(super) bytes: &'a [u8],
    /// Whether it is packed.
    pub(super) packed: bool,
    /// Whether it is a record, and no subheader.
    pub(super) is_record: bool,
}

/// One page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    bytes: &'a [u8],
    wide: bool,
    big_endian: bool,
}

impl<'a> Page<'a> {
    fn head(&self) -> usize {
        if self.wide { 32 } else { 16 }
    }

    fn two(&self, at: usize) -> usize {
        let bytes =
            self.bytes.get(at..at + 2).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or_default();
        usize::from(if self.big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    fn kind(&self) -> usize {
        self.two(self.head()) & 0x0f00
    }

    fn pointer_size(&self) -> usize {
        if self.wide { 24 } else { 12 }
    }

    /// What the page points to.
    pub(super) fn subheaders(&self) -> Result<Vec<Pointed<'a>>, LabelledError> {
        // Compressed pages without pointers, 0x9000, hold nothing of the table.
        if self.kind() == 0x0100 || self.two(self.head()) & 0x9000 == 0x9000 {
            return Ok(Vec::new());
        }
        let (count, size) = (self.two(self.head() + 4), self.pointer_size());
        let word = if self.wide { 8 } else { 4 };
        let mut found = Vec::new();
        for at in 0..count {
            let start = self.head() + 8 + at * size;
            let pointer = self.bytes.get(start..start + size).ok_or(LabelledError::Truncated("a page"))?;
            let pointer = Subheader { bytes: pointer, wide: self.wide, big_endian: self.big_endian };
            let (from, length) = (pointer.word(0)?, pointer.word(word)?);
            let (compression, kind) = (pointer.byte(2 * word)?, pointer.byte(2 * word + 1)?);
            if length == 0 || compression == 1 {
                continue;
            }
            let bytes = from.checked_add(length).and_then(|end| self.bytes.get(from..end));
            let bytes = bytes.ok_or_else(|| LabelledError::damaged("a page points beyond its end"))?;
            let own = Subheader { bytes, ..pointer };
            let is_record = kind == 1 && (compression == 4 || !own.signature().is_ok_and(is_known));
            found.push(Pointed { bytes, packed: compression == 4, is_record });
        }
        Ok(found)
    }

    /// The bytes from the first record on that lies on the page by itself, and how many there are.
    pub(super) fn records(&self, of_mixed_page: usize) -> Option<(&'a [u8], usize)> {
        let start = self.head() + 8;
        match self.kind() {
            0x0100 => Some((self.bytes.get(start..)?, self.two(self.head() + 2))),
            0x0200 => {
                let start = start + self.two(self.head() + 4) * self.pointer_size();
                let start = start + start % 8;
                Some((self.bytes.get(start..)?, of_mixed_page))
            }
            _ => None,
        }
    }
}

/// Whether a subheader of this signature describes the table; others are records that were not worth packing.
fn is_known(signature: u32) -> bool {
    matches!(
        signature,
        0xf7f7_f7f7
            | 0xf6f6_f6f6
            | 0xffff_fffd
            | 0xffff_ffff
            | 0xffff_fffc
            | 0xffff_fbfe
            | 0xffff_fffe
            | 0xffff_fc00
    )
}

/// The bytes of a subheader or a pointer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subheader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) wide: bool,
    pub(super) big_endian: bool,
}

impl Subheader<'_> {
    fn at<const N: usize>(&self, at: usize) -> Result<[u8; N], LabelledError> {
        let bytes =
            at.checked_add(N).and_then(|end| self.bytes.get(at..end)).and_then(|bytes| bytes.first_chunk());
        bytes.copied().ok_or(LabelledError::Truncated("a subheader"))
    }

    pub(super) fn byte(&self, at: usize) -> Result<u8, LabelledError> {
        Ok(self.at::<1>(at)?[0])
    }

    fn two(&self, at: usize) -> Result<usize, LabelledError> {
        let bytes = self.at(at)?;
        Ok(usize::from(if self.big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }))
    }

    pub(super) fn four(&self, at: usize) -> Result<usize, LabelledError> {
        let bytes = self.at(at)?;
        Ok(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) } as usize)
    }

    /// A word of 32 or 64 bits.
    pub(super) fn word(&self, at: usize) -> Result<usize, LabelledError> {
        if !self.wide {
            return self.four(at);
        }
        let bytes = self.at(at)?;
        let word = if self.big_endian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) };
        usize::try_from(word).map_err(|_| LabelledError::damaged("a number in a subheader is too large"))
    }

    /// The 32 bits by which subheaders are told apart.
    pub(super) fn signature(&self) -> Result<u32, LabelledError> {
        let first = self.four(0)? as u32;
        if self.big_endian && self.wide && matches!(first, 0 | u32::MAX) {
            return Ok(self.four(4)? as u32);
        }
        Ok(first)
    }

    pub(super) fn text_at(&self, at: usize) -> Result<TextAt, LabelledError> {
        Ok(TextAt { block: self.two(at)?, from: self.two(at + 2)?, length: self.two(at + 4)? })
    }
}
