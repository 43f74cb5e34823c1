//! One code a record, in the smallest unsigned width.

/// Codes of at most 256, 65,536 or more different values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Codes {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
}

/// Runs `$body` with `$slice` bound to the codes of whichever width `$codes` has.
macro_rules! with_codes {
    ($codes:expr, $slice:ident => $body:expr) => {
        match $codes {
            $crate::trees::codes::Codes::U8($slice) => $body,
            $crate::trees::codes::Codes::U16($slice) => $body,
            $crate::trees::codes::Codes::U32($slice) => $body,
        }
    };
}
pub(super) use with_codes;

impl Codes {
    /// Collects codes, all below `cardinality`.
    pub fn collect(cardinality: usize, codes: impl Iterator<Item = u32>) -> Self {
        if cardinality <= 1 << 8 {
            Self::U8(codes.map(|code| code as u8).collect())
        } else if cardinality <= 1 << 16 {
            Self::U16(codes.map(|code| code as u16).collect())
        } else {
            Self::U32(codes.collect())
        }
    }

    pub fn len(&self) -> usize {
        with_codes!(self, codes => codes.len())
    }

    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Self::U8(codes) => u32::from(codes[row]),
            Self::U16(codes) => u32::from(codes[row]),
            Self::U32(codes) => codes[row],
        }
    }

    /// The codes of `rows`, in their order.
    pub fn take(&self, rows: &[u32]) -> Self {
        match self {
            Self::U8(codes) => Self::U8(rows.iter().map(|&row| codes[row as usize]).collect()),
            Self::U16(codes) => Self::U16(rows.iter().map(|&row| codes[row as usize]).collect()),
            Self::U32(codes) => Self::U32(rows.iter().map(|&row| codes[row as usize]).collect()),
        }
    }
}
