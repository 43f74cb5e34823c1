//! Codes of a categorical column, in the smallest unsigned width that holds them.

/// One code a record. The width follows the number of codes that can occur: `u8` up to 256, `u16` up to 65,536, else `u32`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Codes {
    /// At most 256 different codes.
    U8(Vec<u8>),
    /// At most 65,536 different codes.
    U16(Vec<u16>),
    /// More.
    U32(Vec<u32>),
}

/// Runs `$body` with `$slice` bound to the codes of whichever width `$codes` has.
#[macro_export]
macro_rules! with_codes {
    ($codes:expr, $slice:ident => $body:expr) => {
        match $codes {
            $crate::Codes::U8($slice) => $body,
            $crate::Codes::U16($slice) => $body,
            $crate::Codes::U32($slice) => $body,
        }
    };
}

impl Codes {
    /// An empty column with room for `rows` codes below `cardinality`.
    pub fn with_capacity(cardinality: usize, rows: usize) -> Self {
        if cardinality <= 1 << 8 {
            Self::U8(Vec::with_capacity(rows))
        } else if cardinality <= 1 << 16 {
            Self::U16(Vec::with_capacity(rows))
        } else {
            Self::U32(Vec::with_capacity(rows))
        }
    }

    /// Collects codes, all below `cardinality`.
    pub fn collect(cardinality: usize, codes: impl IntoIterator<Item = u32>) -> Self {
        let codes = codes.into_iter();
        let mut all = Self::with_capacity(cardinality, codes.size_hint().0);
        all.extend(codes);
        all
    }

    /// Appends codes that are within the width.
    pub fn extend(&mut self, codes: impl IntoIterator<Item = u32>) {
        let codes = codes.into_iter();
        match self {
            Self::U8(all) => all.extend(codes.map(|code| code as u8)),
            Self::U16(all) => all.extend(codes.map(|code| code as u16)),
            Self::U32(all) => all.extend(codes),
        }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        with_codes!(self, codes => codes.len())
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of record `row`.
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Self::U8(codes) => u32::from(codes[row]),
            Self::U16(codes) => u32::from(codes[row]),
            Self::U32(codes) => codes[row],
        }
    }

    /// All codes in row order.
    pub fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Self::U8(codes) => Box::new(codes.iter().map(|code| u32::from(*code))),
            Self::U16(codes) => Box::new(codes.iter().map(|code| u32::from(*code))),
            Self::U32(codes) => Box::new(codes.iter().copied()),
        }
    }

    /// The column with each code `c` replaced by `new_code[c]`, all below `cardinality`.
    pub fn recode(&self, new_code: &[u32], cardinality: usize) -> Self {
        with_codes!(self, codes => Self::collect(cardinality, codes.iter().map(|code| new_code[*code as usize])))
    }

    /// Makes room for codes below `cardinality`.
    pub(crate) fn widen(&mut self, cardinality: usize) {
        let wide_enough = match self {
            Self::U8(_) => cardinality <= 1 << 8,
            Self::U16(_) => cardinality <= 1 << 16,
            Self::U32(_) => true,
        };
        if !wide_enough {
            *self = Self::collect(cardinality, self.iter());
        }
    }

    /// Appends each code `c` of `other` as `new_code[c]`, all of which must fit the width.
    pub(crate) fn append_recoded(&mut self, other: &Self, new_code: &[u32]) {
        with_codes!(other, other => self.extend(other.iter().map(|code| new_code[*code as usize])));
    }

    /// Replaces each code in place by one that fits the width.
    pub(crate) fn replace_each(&mut self, new_code: impl Fn(u32) -> u32) {
        match self {
            Self::U8(codes) => codes.iter_mut().for_each(|code| *code = new_code(u32::from(*code)) as u8),
            Self::U16(codes) => codes.iter_mut().for_each(|code| *code = new_code(u32::from(*code)) as u16),
            Self::U32(codes) => codes.iter_mut().for_each(|code| *code = new_code(*code)),
        }
    }

    /// Makes room for more records.
    pub(crate) fn reserve(&mut self, rows: usize) {
        with_codes!(self, codes => codes.reserve(rows));
    }

    /// Gives back room that is not used.
    pub(crate) fn shrink_to_fit(&mut self) {
        with_codes!(self, codes => codes.shrink_to_fit());
    }

    /// How often each code below `cardinality` occurs.
    pub fn frequencies(&self, cardinality: usize) -> Vec<u64> {
        let mut count = vec![0; cardinality];
        with_codes!(self, codes => codes.iter().for_each(|code| count[*code as usize] += 1));
        count
    }

    /// Size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => 2 * codes.len(),
            Self::U32(codes) => 4 * codes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_is_the_smallest_that_holds_the_cardinality() {
        assert!(matches!(Codes::collect(256, [255]), Codes::U8(_)));
        assert!(matches!(Codes::collect(257, [256]), Codes::U16(_)));
        assert!(matches!(Codes::collect(65_536, [65_535]), Codes::U16(_)));
        let widest = Codes::collect(65_537, [65_536]);
        assert_eq!((widest.get(0), widest.bytes()), (65_536, 4));
    }

    #[test]
    fn recoding_and_frequencies() {
        let codes = Codes::collect(3, [0, 2, 2, 1]);
        assert_eq!(codes.frequencies(3), [1, 1, 2]);
        assert_eq!(codes.recode(&[300, 1, 0], 301).iter().collect::<Vec<_>>(), [300, 0, 0, 1]);
    }
}
