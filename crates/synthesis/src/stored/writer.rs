//! Blocks written one after the other.

use std::io::{Error, Result, Write};

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::VERSION;
use super::block::{END, JSON, MAGIC, Number, PIECE};

/// Takes the state of a model piece by piece, straight to its file.
pub struct StateWriter<'a> {
    file: &'a mut dyn Write,
    blocks: u64,
    /// Over the hash of the header, and the names, lengths and hashes of the blocks so far.
    chain: Sha256,
    /// The same over the blocks alone.
    state: Sha256,
    piece: Vec<u8>,
}

/// What identifies the blocks that `store` hands over, whatever header they are written under.
pub(crate) fn state_sha256(store: impl FnOnce(&mut StateWriter<'_>) -> Result<()>) -> Result<String> {
    let mut nowhere = std::io::sink();
    let mut writer = StateWriter::new(&mut nowhere, Sha256::new());
    store(&mut writer)?;
    Ok(hexadecimal(&writer.state.finalize()))
}

/// A hash as hexadecimal digits.
pub(crate) fn hexadecimal(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file: this header, then the blocks that `store` hands over.
pub(crate) fn write(
    file: &mut dyn Write,
    header: &impl Serialize,
    store: impl FnOnce(&mut StateWriter<'_>) -> Result<()>,
) -> Result<()> {
    let header = serde_json::to_vec(header)?;
    let sum = Sha256::digest(&header);
    file.write_all(&MAGIC)?;
    file.write_all(&VERSION.to_le_bytes())?;
    file.write_all(&(header.len() as u64).to_le_bytes())?;
    file.write_all(&header)?;
    file.write_all(&sum)?;
    drop(header);
    let chain = Sha256::new().chain_update(MAGIC).chain_update(VERSION.to_le_bytes()).chain_update(sum);
    let mut writer = StateWriter::new(file, chain);
    store(&mut writer)?;
    let StateWriter { file, blocks, chain, .. } = writer;
    file.write_all(&[END])?;
    file.write_all(&blocks.to_le_bytes())?;
    file.write_all(&chain.finalize())
}

impl<'a> StateWriter<'a> {
    fn new(file: &'a mut dyn Write, chain: Sha256) -> Self {
        Self { file, blocks: 0, chain, state: Sha256::new(), piece: Vec::with_capacity(PIECE + 8) }
    }

    /// Small settings, as JSON.
    pub fn settings(&mut self, name: &str, settings: &impl Serialize) -> Result<()> {
        let json = serde_json::to_vec(settings)?;
        let sum = self.begin(JSON, name, json.len())?.chain_update(&json);
        self.file.write_all(&json)?;
        self.end(sum)
    }

    /// An array.
    pub fn array<T: Number>(&mut self, name: &str, numbers: &[T]) -> Result<()> {
        self.numbers(name, numbers.len(), numbers.iter().copied())
    }

    /// An array of `count` numbers that need not lie in memory as one.
    pub fn numbers<T: Number>(
        &mut self,
        name: &str,
        count: usize,
        numbers: impl IntoIterator<Item = T>,
    ) -> Result<()> {
        let mut sum = self.begin(T::TYPE, name, count)?;
        let mut written = 0;
        for number in numbers {
            number.put(&mut self.piece);
            written += 1;
            if self.piece.len() >= PIECE {
                self.flush(&mut sum)?;
            }
        }
        self.flush(&mut sum)?;
        if written != count {
            return Err(Error::other(format!("`{name}` has {written} numbers, not {count}")));
        }
        self.end(sum)
    }

    fn begin(&mut self, kind: u8, name: &str, count: usize) -> Result<Sha256> {
        let mut head = vec![kind, name.len() as u8];
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(&(count as u64).to_le_bytes());
        self.file.write_all(&head)?;
        self.chain.update(&head);
        self.state.update(&head);
        Ok(Sha256::new().chain_update(head))
    }

    fn flush(&mut self, sum: &mut Sha256) -> Result<()> {
        sum.update(&self.piece);
        self.file.write_all(&self.piece)?;
        self.piece.clear();
        Ok(())
    }

    fn end(&mut self, sum: Sha256) -> Result<()> {
        let sum = sum.finalize();
        self.chain.update(sum);
        self.state.update(sum);
        self.blocks += 1;
        self.file.write_all(&sum)
    }
}
