//! The cheap path: the original's counts once, then S_pMSE alone for thousands of synthetic tables.

use rayon::prelude::*;
use table::{Attributes, CountSource, Domain, Margin};

use super::cell_pairs::{missing_classes, voas_williamson};
use super::{CellPairs, MissingValues, SyntheticSize, TableOptions, Undefined};
use crate::MeasureError;

/// The original's counts over some tables, kept to be compared with one synthetic table after another.
#[derive(Clone, Debug)]
pub struct ReferenceTables {
    domain: Domain,
    of: Vec<Attributes>,
    margins: Vec<Margin>,
    missing: MissingValues,
    synthetic_size: SyntheticSize,
}

impl ReferenceTables {
    /// Counts the original over these tables. They are held densely: a table above the dense limit is refused.
    pub fn new(
        original: &dyn CountSource,
        of: &[Attributes],
        options: &TableOptions,
    ) -> Result<Self, MeasureError> {
        Ok(Self {
            domain: original.domain().clone(),
            of: of.to_vec(),
            margins: original.margins(of)?,
            missing: options.missing,
            synthetic_size: options.synthetic_size,
        })
    }

    /// The tables.
    pub fn tables(&self) -> &[Attributes] {
        &self.of
    }

    /// S_pMSE of every table.
    pub fn s_pmse(&self, synthetic: &dyn CountSource) -> Result<Vec<Result<f64, Undefined>>, MeasureError> {
        if *synthetic.domain() != self.domain {
            return Err(MeasureError::DifferentDomains);
        }
        let per_batch = self.of.len().div_ceil(4 * rayon::current_num_threads()).max(16);
        let batches = self.of.par_chunks(per_batch).zip(self.margins.par_chunks(per_batch));
        let scores = batches.map(|(of, originals)| {
            let synthetics = synthetic.margins(of)?;
            Ok(originals.iter().zip(&synthetics).map(|(y, s)| self.score(y, s)).collect::<Vec<_>>())
        });
        Ok(scores.collect::<Result<Vec<_>, MeasureError>>()?.into_iter().flatten().collect())
    }

    /// The mean of S_pMSE over the tables for which it is defined; `None` if there are none.
    pub fn mean_s_pmse(&self, synthetic: &dyn CountSource) -> Result<Option<f64>, MeasureError> {
        let scores: Vec<f64> = self.s_pmse(synthetic)?.into_iter().flatten().collect();
        Ok((!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64))
    }

    fn score(&self, original: &Margin, synthetic: &Margin) -> Result<f64, Undefined> {
        if missing_classes(&self.domain, original.attributes(), self.missing).is_some() {
            let kept = CellPairs::of_margins(&self.domain, original, synthetic, self.missing);
            return s_pmse(kept.pairs.iter().copied(), self.synthetic_size);
        }
        let pairs = original.counts().iter().copied().zip(synthetic.counts().iter().copied());
        s_pmse(pairs, self.synthetic_size)
    }
}

/// VW/df of pairs of an original and a synthetic count, empty cells allowed.
fn s_pmse(pairs: impl Iterator<Item = (u64, u64)> + Clone, size: SyntheticSize) -> Result<f64, Undefined> {
    let (mut original, mut synthetic, mut occupied) = (0, 0, 0_u64);
    for (y, s) in pairs.clone() {
        original += y;
        synthetic += s;
        occupied += u64::from(y + s > 0);
    }
    match (original, synthetic, occupied - u64::from(size == SyntheticSize::Fixed && occupied > 0)) {
        (0, _, _) => Err(Undefined::NoOriginal),
        (_, 0, _) => Err(Undefined::NoSynthetic),
        (_, _, 0) => Err(Undefined::OneCell),
        (_, _, df) => Ok(voas_williamson(pairs, original, synthetic) / df as f64),
    }
}
