//! The tables that are compared.

use table::Table;

/// The tables a measure compares; named fields, so that none can take another's place.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The confidential table.
    pub original: &'a Table,
    /// The table that might be released in its place.
    pub synthetic: &'a Table,
    /// Records of the same population that the synthesizer never saw.
    pub holdout: Option<&'a Table>,
}

/// An original and all the synthetic tables made from it.
#[derive(Clone, Copy, Debug)]
pub struct SyntheticSets<'a> {
    /// The confidential table.
    pub original: &'a Table,
    /// The tables that might be released in its place, at least one.
    pub synthetic: &'a [&'a Table],
    /// Records of the same population that the synthesizer never saw.
    pub holdout: Option<&'a Table>,
}

impl<'a> SyntheticSets<'a> {
    /// The original with each synthetic table by itself.
    pub fn comparisons(&self) -> impl Iterator<Item = Comparison<'a>> + use<'a> {
        let (original, holdout) = (self.original, self.holdout);
        self.synthetic.iter().map(move |synthetic| Comparison { original, synthetic, holdout })
    }
}
