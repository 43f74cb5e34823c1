//! A column that trees split by.

use std::sync::Arc;

use super::codes::{Codes, with_codes};
use super::{Coding, TreeError};

/// A column that trees split by, coded once; any number of fits share it.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictor {
    coding: Arc<Coding>,
    codes: Codes,
}

impl Predictor {
    /// A number. Where a record's mark is not 0 its value does not count (it may be NaN): mark m, say 1 for missing and 2 for
    /// a special code, is a branch of its own. More than 65,536 distinct values are cut at quantiles.
    pub fn numeric(values: &[f64], marks: Option<&[u8]>) -> Result<Self, TreeError> {
        let (coding, codes) = Coding::learn(values, marks, THIS)?;
        Ok(Self { coding: Arc::new(coding), codes })
    }

    /// Other numbers, coded as those before them. A number that was not there takes the code of the next one below.
    pub fn numeric_as(coding: &Arc<Coding>, values: &[f64], marks: Option<&[u8]>) -> Result<Self, TreeError> {
        Ok(Self { codes: coding.encode(values, marks, THIS)?, coding: Arc::clone(coding) })
    }

    /// A factor: codes below `levels`. A missing value is a level.
    pub fn categorical(codes: &[u32], levels: u32) -> Result<Self, TreeError> {
        Self::coded(&Arc::new(Coding::categorical(levels)), codes.iter().copied())
    }

    /// An ordered factor: codes below `levels` are in order, the `marks` codes from there on are branches of their own.
    pub fn ordered(codes: &[u32], levels: u32, marks: u32) -> Result<Self, TreeError> {
        Self::coded(&Arc::new(Coding::ordered(levels, marks)), codes.iter().copied())
    }

    /// Records whose codes are known already.
    pub fn coded(coding: &Arc<Coding>, codes: impl IntoIterator<Item = u32>) -> Result<Self, TreeError> {
        let mut most = 0;
        let codes = Codes::collect(coding.codes(), codes.into_iter().inspect(|code| most = most.max(*code)));
        if codes.len() > 0 && most as usize >= coding.codes() {
            return Err(TreeError::Code { what: THIS.to_owned(), codes: coding.codes() as u64 });
        }
        Ok(Self { coding: Arc::clone(coding), codes })
    }

    /// The records at these positions, in this order, repeated where a position is: a synthetic column made of donors.
    ///
    /// # Panics
    /// If a position is not below [`Self::len`].
    pub fn take(&self, rows: &[u32]) -> Self {
        Self { coding: Arc::clone(&self.coding), codes: self.codes.take(rows) }
    }

    /// How values became codes.
    pub fn coding(&self) -> &Arc<Coding> {
        &self.coding
    }

    /// The code of record `row`.
    pub fn code(&self, row: usize) -> u32 {
        self.codes.get(row)
    }

    /// Calls `with` for each of these records: its place among them and its code.
    ///
    /// # Panics
    /// If a position is not below [`Self::len`].
    #[inline]
    pub fn each_code(&self, rows: &[u32], mut with: impl FnMut(usize, u32)) {
        fn visit<C: Copy + Into<u32>>(codes: &[C], rows: &[u32], with: &mut impl FnMut(usize, u32)) {
            rows.iter().enumerate().for_each(|(place, row)| with(place, codes[*row as usize].into()));
        }
        with_codes!(&self.codes, codes => visit(codes, rows, &mut with));
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn codes(&self) -> &Codes {
        &self.codes
    }
}

const THIS: &str = "a predictor";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn donors_keep_their_codes() {
        let weight = Predictor::numeric(&[50.0, 80.0, 0.0, 65.0], Some(&[0, 0, 1, 0])).unwrap();
        let synthetic = weight.take(&[2, 2, 1, 3]);
        assert_eq!((0..4).map(|row| synthetic.code(row)).collect::<Vec<_>>(), [3, 3, 2, 1]);
        assert_eq!(synthetic.coding(), weight.coding());
        assert_eq!(Predictor::numeric_as(weight.coding(), &[79.0], None).unwrap().code(0), 1);
    }

    #[test]
    fn codes_outside_the_levels_are_refused() {
        assert!(Predictor::categorical(&[0, 1, 2], 3).is_ok());
        assert!(Predictor::categorical(&[0, 1, 3], 3).is_err());
        assert!(Predictor::categorical(&[256], 256).is_err());
        assert!(Predictor::ordered(&[3, 0], 3, 1).is_ok());
        assert!(Predictor::categorical(&[], 0).is_ok());
    }
}
