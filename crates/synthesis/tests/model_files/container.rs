//! The format of model files, written down a second time: taken apart, changed, and put together with hashes that are right.

use sha2::{Digest, Sha256};

/// A model file in its parts.
#[derive(Clone)]
pub(crate) struct Container {
    pub version: u32,
    pub header: Vec<u8>,
    pub blocks: Vec<Block>,
}

#[derive(Clone)]
pub(crate) struct Block {
    pub kind: u8,
    pub name: Vec<u8>,
    pub count: u64,
    pub data: Vec<u8>,
}

impl Block {
    /// Bytes an item.
    pub(crate) fn width(&self) -> usize {
        match self.kind {
            1 | 2 => 1,
            3 | 5 => 4,
            _ => 8,
        }
    }
}

impl Container {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let mut rest = bytes;
        let mut take = |count: usize| {
            let (taken, others) = rest.split_at(count);
            rest = others;
            taken.to_vec()
        };
        let number = |bytes: Vec<u8>| u64::from_le_bytes(bytes.try_into().unwrap());
        assert_eq!(take(8), [0x89, 0x4c, 0x4b, 0x4d, 0x4f, 0x44, 0x0d, 0x0a]);
        let version = u32::from_le_bytes(take(4).try_into().unwrap());
        let length = number(take(8)) as usize;
        let header = take(length);
        assert_eq!(take(32), Sha256::digest(&header)[..]);
        let mut blocks = Vec::new();
        loop {
            let kind = take(1)[0];
            if kind == 0 {
                break;
            }
            let length = usize::from(take(1)[0]);
            let name = take(length);
            let count = number(take(8));
            let mut block = Block { kind, name, count, data: Vec::new() };
            block.data = take(count as usize * block.width());
            take(32);
            blocks.push(block);
        }
        let container = Self { version, header, blocks };
        assert_eq!(container.bytes(), bytes, "the hashes are those of the format");
        container
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"\x89LKMOD\r\n".to_vec();
        bytes.extend(self.version.to_le_bytes());
        let mut chain = Sha256::new().chain_update(&bytes);
        let sum = Sha256::digest(&self.header);
        chain.update(sum);
        bytes.extend((self.header.len() as u64).to_le_bytes());
        bytes.extend(&self.header);
        bytes.extend(sum);
        for block in &self.blocks {
            let start = bytes.len();
            bytes.extend([block.kind, block.name.len() as u8]);
            bytes.extend(&block.name);
            bytes.extend(block.count.to_le_bytes());
            chain.update(&bytes[start..]);
            bytes.extend(&block.data);
            let sum = Sha256::digest(&bytes[start..]);
            chain.update(sum);
            bytes.extend(sum);
        }
        bytes.push(0);
        bytes.extend((self.blocks.len() as u64).to_le_bytes());
        bytes.extend(chain.finalize());
        bytes
    }
}
