//! What a block holds.

/// The first bytes of a file. One is no ASCII, and the line end would not outlive a transfer as text.
pub(super) const MAGIC: [u8; 8] = *b"\x89LKMOD\r\n";

/// The type that no block has: the end of the blocks.
pub(super) const END: u8 = 0;

/// The type of JSON text.
pub(super) const JSON: u8 = 1;

/// How many bytes of numbers are converted at once.
pub(super) const PIECE: usize = 1 << 16;

/// Numbers that blocks hold.
pub trait Number: Copy {
    /// The type of the block.
    const TYPE: u8;
    /// Bytes a number.
    const WIDTH: usize;
    /// Appends the number, little-endian.
    fn put(self, to: &mut Vec<u8>);
    /// The number in these bytes, of which there are as many as it is wide.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($type:ty, $code:literal) => {
        impl Number for $type {
            const TYPE: u8 = $code;
            const WIDTH: usize = size_of::<$type>();

            fn put(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }

            fn get(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$type>()];
                own.copy_from_slice(bytes);
                Self::from_le_bytes(own)
            }
        }
    };
}

number!(u8, 2);
number!(u32, 3);
number!(u64, 4);
number!(f32, 5);
number!(f64, 6);

/// Bytes an item of a block of this type; none where there is no such type.
pub(super) fn width(kind: u8) -> Option<u64> {
    match kind {
        JSON | u8::TYPE => Some(1),
        u32::TYPE | f32::TYPE => Some(4),
        u64::TYPE | f64::TYPE => Some(8),
        _ => None,
    }
}
