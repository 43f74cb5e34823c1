//! Blocks read one after the other.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use table::TableError;

use super::block::{END, JSON, MAGIC, Number, PIECE, width};
use super::{VERSION, damaged, hexadecimal};
use crate::SynthesisError;

/// How a file of the versions before this one began: it was one document of JSON.
const FORMER: &[u8] = b"{\"format\":\"lookalike-model\"";

/// Bytes of a hash.
const SUM: u64 = 32;

/// A file that was opened, and whose header and blocks belong together.
pub(crate) struct StoredFile {
    path: PathBuf,
    file: std::fs::File,
    /// Where the blocks begin, and where the file ends.
    blocks: u64,
    length: u64,
    /// What identifies the blocks, whatever header they are under.
    pub(crate) state_sha256: String,
}

impl StoredFile {
    /// Opens a file, reads its header, and checks that it is followed by the blocks with which it was written. What is in these is checked when
    /// they are read.
    pub(crate) fn open<H: DeserializeOwned>(path: &Path) -> Result<(Self, H), SynthesisError> {
        let file = std::fs::File::open(path).map_err(|source| TableError::io(path, source))?;
        let length = file.metadata().map_err(|source| TableError::io(path, source))?.len();
        let mut file = Self { path: path.to_owned(), file, blocks: 0, length, state_sha256: String::new() };
        let mut bytes = file.bytes(0)?;
        let mut start = vec![0; (length as usize).min(FORMER.len())];
        bytes.exactly(&mut start)?;
        if start == FORMER {
            let message = format!(
                "{} is a model file of version 2 or before, which this program no longer reads; fit the model again",
                path.display()
            );
            return Err(SynthesisError::ModelFile(message));
        }
        if !start.starts_with(&MAGIC) {
            return Err(SynthesisError::ModelFile(format!("{} is no model file", path.display())));
        }
        bytes = file.bytes(MAGIC.len() as u64)?;
        let version: u32 = bytes.number()?;
        if version != VERSION {
            let message = format!(
                "{} is a model file of version {version}, and this program reads version {VERSION}; fit the model again, or use the program that \
                 wrote it",
                path.display()
            );
            return Err(SynthesisError::ModelFile(message));
        }
        let size: u64 = bytes.number()?;
        let header = bytes.some(size)?;
        let sum = Sha256::digest(&header);
        if bytes.sum()? != sum[..] {
            return Err(bytes.changed());
        }
        let mut chain =
            Sha256::new().chain_update(MAGIC).chain_update(VERSION.to_le_bytes()).chain_update(sum);
        let first = length - bytes.left;
        let state = bytes.walk(&mut chain)?;
        drop(bytes);
        (file.blocks, file.state_sha256) = (first, state);
        let header =
            serde_json::from_slice(&header).map_err(|error| damaged(format!("its header: {error}")))?;
        Ok((file, header))
    }

    /// What is read of the state by `load`, which has to take every block.
    pub(crate) fn state<T>(
        &self,
        load: impl FnOnce(&mut StateReader<'_>) -> Result<T, SynthesisError>,
    ) -> Result<T, SynthesisError> {
        let mut reader = StateReader { bytes: self.bytes(self.blocks)? };
        let located = |error| match error {
            SynthesisError::ModelFile(message) if !message.contains(&*self.path.to_string_lossy()) => {
                SynthesisError::ModelFile(format!("{}: {message}", self.path.display()))
            }
            other => other,
        };
        let loaded = load(&mut reader).map_err(located)?;
        match reader.bytes.number::<u8>()? {
            END => Ok(loaded),
            _ => Err(located(damaged("it holds more than its model"))),
        }
    }

    fn bytes(&self, from: u64) -> Result<Bytes<'_>, SynthesisError> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from)).map_err(|source| TableError::io(&self.path, source))?;
        let file = BufReader::with_capacity(PIECE, file);
        Ok(Bytes { path: &self.path, file, left: self.length.saturating_sub(from) })
    }
}

/// The rest of a file.
struct Bytes<'a> {
    path: &'a Path,
    file: BufReader<&'a std::fs::File>,
    left: u64,
}

impl Bytes<'_> {
    fn changed(&self) -> SynthesisError {
        let message =
            format!("{} was changed after it was written; fit the model again", self.path.display());
        SynthesisError::ModelFile(message)
    }

    fn exactly(&mut self, bytes: &mut [u8]) -> Result<(), SynthesisError> {
        match self.left.checked_sub(bytes.len() as u64) {
            Some(left) => self.left = left,
            None => return Err(self.changed()),
        }
        self.file.read_exact(bytes).map_err(|source| TableError::io(self.path, source).into())
    }

    /// This many bytes, if the file has them.
    fn some(&mut self, count: u64) -> Result<Vec<u8>, SynthesisError> {
        if count > self.left {
            return Err(self.changed());
        }
        let mut bytes = vec![0; count as usize];
        self.exactly(&mut bytes)?;
        Ok(bytes)
    }

    fn number<T: Number>(&mut self) -> Result<T, SynthesisError> {
        let mut bytes = [0; 8];
        self.exactly(&mut bytes[..T::WIDTH])?;
        Ok(T::get(&bytes[..T::WIDTH]))
    }

    fn sum(&mut self) -> Result<[u8; SUM as usize], SynthesisError> {
        let mut sum = [0; SUM as usize];
        self.exactly(&mut sum)?;
        Ok(sum)
    }

    fn skip(&mut self, count: u64) -> Result<(), SynthesisError> {
        match (self.left.checked_sub(count), i64::try_from(count)) {
            (Some(left), Ok(count)) => {
                self.left = left;
                self.file.seek_relative(count).map_err(|source| TableError::io(self.path, source).into())
            }
            _ => Err(self.changed()),
        }
    }

    /// Goes over all blocks without their contents, and checks that these are those with which the header was written. What comes back
    /// identifies the blocks alone.
    fn walk(&mut self, chain: &mut Sha256) -> Result<String, SynthesisError> {
        let mut blocks = 0_u64;
        let mut state = Sha256::new();
        loop {
            let kind: u8 = self.number()?;
            if kind == END {
                break;
            }
            let length: u8 = self.number()?;
            let name = self.some(u64::from(length))?;
            let count: u64 = self.number()?;
            for hash in [&mut *chain, &mut state] {
                hash.update([kind, length]);
                hash.update(&name);
                hash.update(count.to_le_bytes());
            }
            let size =
                width(kind).and_then(|width| count.checked_mul(width)).ok_or_else(|| self.changed())?;
            self.skip(size)?;
            let sum = self.sum()?;
            chain.update(sum);
            state.update(sum);
            blocks += 1;
        }
        let stated: u64 = self.number()?;
        let sum = self.sum()?;
        let is_whole = stated == blocks && sum == chain.finalize_reset()[..] && self.left == 0;
        if is_whole { Ok(hexadecimal(&state.finalize())) } else { Err(self.changed()) }
    }
}

/// Gives the state of a model piece by piece, in the order in which it was written.
pub struct StateReader<'a> {
    bytes: Bytes<'a>,
}

impl StateReader<'_> {
    /// Small settings.
    pub fn settings<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, SynthesisError> {
        let (count, sum) = self.begin(JSON, name)?;
        let json = self.bytes.some(count)?;
        self.end(sum.chain_update(&json))?;
        serde_json::from_slice(&json).map_err(|error| damaged(format!("`{name}`: {error}")))
    }

    /// An array.
    pub fn array<T: Number>(&mut self, name: &str) -> Result<Vec<T>, SynthesisError> {
        let (count, mut sum) = self.begin(T::TYPE, name)?;
        let size = count.checked_mul(T::WIDTH as u64).filter(|size| *size <= self.bytes.left);
        let mut left = size.ok_or_else(|| self.bytes.changed())? as usize;
        let mut numbers = Vec::with_capacity(count as usize);
        let mut piece = vec![0; left.min(PIECE)];
        while left > 0 {
            let bytes = &mut piece[..left.min(PIECE)];
            self.bytes.exactly(bytes)?;
            sum.update(&*bytes);
            numbers.extend(bytes.chunks_exact(T::WIDTH).map(T::get));
            left -= bytes.len();
        }
        self.end(sum)?;
        Ok(numbers)
    }

    /// The count of a block, which must be of this type and name, and its hash so far.
    fn begin(&mut self, kind: u8, name: &str) -> Result<(u64, Sha256), SynthesisError> {
        let missing = || damaged(format!("`{name}` is not where it should be"));
        let found: u8 = self.bytes.number()?;
        if found != kind {
            return Err(missing());
        }
        let length: u8 = self.bytes.number()?;
        let found = self.bytes.some(u64::from(length))?;
        if found != name.as_bytes() {
            return Err(missing());
        }
        let count: u64 = self.bytes.number()?;
        let sum =
            Sha256::new().chain_update([kind, length]).chain_update(found).chain_update(count.to_le_bytes());
        Ok((count, sum))
    }

    fn end(&mut self, sum: Sha256) -> Result<(), SynthesisError> {
        if self.bytes.sum()? == sum.finalize()[..] { Ok(()) } else { Err(self.bytes.changed()) }
    }
}
