//! The cases of a system file as a stream of eight-byte units: plain, in bytecode, or bytecode under zlib.

use std::borrow::Cow;
use std::io::Read;

use super::dictionary::{Dictionary, Packing};
use crate::LabelledError;
use crate::bytes::Bytes;

/// Units one after the other.
pub(super) struct Cases<'a> {
    bytes: Cow<'a, [u8]>,
    at: usize,
    bytecode: Option<Bytecode>,
}

struct Bytecode {
    bias: f64,
    system_missing: f64,
    big_endian: bool,
    codes: [u8; 8],
    next: usize,
}

impl<'a> Cases<'a> {
    pub(super) fn new(file: &mut Bytes<'a>, dictionary: &Dictionary) -> Result<Self, LabelledError> {
        file.part("its cases");
        let big_endian = file.is_big_endian();
        let bytes = match dictionary.packing {
            Packing::Plain | Packing::Bytecode => Cow::Borrowed(file.take(file.left())?),
            Packing::Zlib => Cow::Owned(inflated(file)?),
        };
        let (bias, system_missing) = (dictionary.bias, dictionary.system_missing);
        let bytecode = Bytecode { bias, system_missing, big_endian, codes: [0; 8], next: 8 };
        Ok(Self { bytes, at: 0, bytecode: (dictionary.packing != Packing::Plain).then_some(bytecode) })
    }

    /// How many cases of so many units there can be at most.
    pub(super) fn most(&self, units: usize) -> usize {
        let bytes_per_unit = if self.bytecode.is_some() { 1 } else { 8 };
        self.bytes.len() / (units * bytes_per_unit).max(1) + 1
    }

    fn raw(&mut self) -> Option<[u8; 8]> {
        let unit = self.bytes.get(self.at..self.at + 8)?.first_chunk().copied()?;
        self.at += 8;
        Some(unit)
    }

    /// The next unit; none at the end of the file.
    pub(super) fn next(&mut self) -> Option<[u8; 8]> {
        loop {
            let Some(bytecode) = &mut self.bytecode else { return self.raw() };
            if bytecode.next == 8 {
                let codes = self.bytes.get(self.at..self.at + 8)?.first_chunk().copied()?;
                (bytecode.codes, bytecode.next) = (codes, 0);
                self.at += 8;
            }
            let code = bytecode.codes[bytecode.next];
            bytecode.next += 1;
            let number =
                |value: f64| if bytecode.big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
            match code {
                0 => {}
                252 => return None,
                253 => return self.raw(),
                254 => return Some([b' '; 8]),
                255 => return Some(number(bytecode.system_missing)),
                code => return Some(number(f64::from(code) - bytecode.bias)),
            }
        }
    }
}

/// The blocks of a file under zlib, each unpacked to the size that the file says and not a byte more.
fn inflated(file: &mut Bytes<'_>) -> Result<Vec<u8>, LabelledError> {
    file.part("the table of its compressed blocks");
    file.skip(8)?;
    let trailer = file.u64()?;
    file.skip(8)?;
    file.seek(trailer)?;
    file.skip(20)?;
    let blocks = file.length()?;
    let mut table =
        Bytes::new(file.items(blocks, 24)?, file.is_big_endian(), "the table of its compressed blocks");
    let mut unpacked = Vec::new();
    for _ in 0..blocks {
        table.skip(8)?;
        let at = table.u64()?;
        let (size, packed) = (table.length()?, table.length()?);
        file.part("a compressed block").seek(at)?;
        let before = unpacked.len();
        let block = flate2::read::ZlibDecoder::new(file.take(packed)?);
        block
            .take(size as u64)
            .read_to_end(&mut unpacked)
            .map_err(|_| LabelledError::damaged("a compressed block cannot be unpacked"))?;
        if unpacked.len() - before != size {
            return Err(LabelledError::damaged("a compressed block is shorter than the file says"));
        }
    }
    Ok(unpacked)
}
