//! Privacy by sampling: draws from the posterior predictive distribution under a strong enough prior (McClure & Reiter 2012).
//!
//! Each of n records falls into cell i with probability (yᵢ + a) / (N + K·a), independently.
//!
//! **Privacy, replace-one.** N is fixed, so the denominator is the same for neighbours. Replacing a record takes one from a cell and adds one to
//! another; the probability of the worst outcome, all n records in the cell that gained, grows by the factor
//! ((1 + a)/a)ⁿ at most, when that cell was empty. So ε = n·ln(1 + 1/a), attained with a = 1/(e^(ε/n) − 1) (McClure & Reiter, Appendix A).
//! Each data set is another n draws and pays again.
//!
//! **Exactness.** a is a multiple of a power of two, rounded up, and each draw is one uniform integer below N·2ˢ + K·a·2ˢ. The first N·2ˢ of
//! these are shared out among the records, 2ˢ each, in whatever order the records have: in that of the table, or of the cells where only their counts
//! are known.

use num_bigint::BigUint;
use table::{Attributes, CodedTable, ContingencyTable, TableError};

use super::{GuardedTable, Held};
use crate::ledger::{Charge, Event, Mechanism, Sensitivity};
use crate::noise::{uniform_below, uniform_below_u64};
use crate::{Cost, PrivacyError};

/// The weight a of the prior in each cell, as `units` / 2^`shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriorWeight {
    /// a·2^shift.
    pub units: u64,
    /// The power of two.
    pub shift: u32,
}

impl PriorWeight {
    /// The weight with which a data set of `rows` records costs at most ε: 1/(e^(ε/n) − 1), rounded up.
    pub fn for_cost(epsilon: Cost, rows: u64) -> Result<Self, PrivacyError> {
        Self::for_units(epsilon, rows, 1)
    }

    /// The same for units of up to k records, all of which may move into one empty cell: (1 + k/a)ⁿ ≤ e^ε with a = k/(e^(ε/n) − 1).
    pub fn for_units(epsilon: Cost, rows: u64, k: u64) -> Result<Self, PrivacyError> {
        let refuse = || PrivacyError::CostOutOfRange { value: epsilon.upper() };
        if epsilon.is_zero() || rows == 0 {
            return Err(PrivacyError::FreeLook);
        }
        let each = epsilon.lower() / rows as f64;
        let weight = k as f64 / each.exp_m1();
        // 52 bits below the leading one; a few units more than covers the rounding of exp_m1, of its argument and of the quotients.
        let shift = u32::try_from(52 - weight.log2().floor() as i64).map_err(|_| refuse())?;
        if shift > 900 {
            return Err(refuse());
        }
        let units = (weight * 2_f64.powi(shift as i32)).ceil() as u64 + 16 + each.ceil() as u64;
        Ok(Self { units, shift })
    }

    /// The weight as a number.
    pub fn value(&self) -> f64 {
        self.units as f64 * 2_f64.powi(-(self.shift as i32))
    }
}

impl GuardedTable<'_> {
    /// A data set of `rows` cells among those that `possible` allows; replace-one neighbours only.
    pub fn predictive_draws(
        &mut self,
        purpose: &str,
        rows: usize,
        epsilon: Cost,
        possible: &impl Fn(&[u32]) -> bool,
    ) -> Result<Vec<Vec<u32>>, PrivacyError> {
        let records = self.fixed_size("sampling from a posterior predictive distribution")?;
        let weight = PriorWeight::for_units(epsilon, rows as u64, self.ledger.records_per_unit())?;
        self.ledger.spend(Event {
            purpose: purpose.to_owned(),
            mechanism: Mechanism::PosteriorPredictive,
            sensitivity: Sensitivity::BySampling,
            scale: Some(weight.value()),
            sampling: None,
            charge: Charge::Pure(epsilon),
        })?;
        let domain = self.held.counts().domain();
        let all = Attributes::all(domain);
        let sizes = domain.sizes(&all);
        let records = BigUint::from(records) << weight.shift;
        let cells_of_records = CellsOfRecords::new(&self.held)?;
        let everything = &records + domain.cells(&all) * weight.units;
        let rng = self.noise.rng();
        let mut drawn = Vec::with_capacity(rows);
        while drawn.len() < rows {
            let unit = uniform_below(rng, &everything);
            let mut any_cell =
                || sizes.iter().map(|size| uniform_below_u64(rng, *size as u64) as u32).collect::<Vec<u32>>();
            if unit < records {
                let mut cell = cells_of_records.at(u64::try_from(unit >> weight.shift).unwrap_or_default());
                // A record where none can be counts for no cell in particular, so that neighbours keep one denominator.
                while !possible(&cell) {
                    cell = any_cell();
                }
                drawn.push(cell);
            } else {
                // Impossible cells are proposed and passed over: what is left is even over the possible ones.
                let cell = any_cell();
                if possible(&cell) {
                    drawn.push(cell);
                }
            }
        }
        Ok(drawn)
    }
}

/// The cell of every record.
enum CellsOfRecords<'a> {
    /// In the order of the table.
    Coded(&'a CodedTable),
    /// In the order of cells, with the running totals of their counts.
    Counted(ContingencyTable, Vec<u64>),
}

impl<'a> CellsOfRecords<'a> {
    fn new(held: &'a Held<'_>) -> Result<Self, TableError> {
        match held {
            Held::Records { coded, .. } => Ok(Self::Coded(coded)),
            Held::Counts(counts) => {
                let table = counts.contingency_table(&Attributes::all(counts.domain()))?;
                let totals = table.counts().iter().scan(0, |total, count| {
                    *total += count;
                    Some(*total)
                });
                let totals = totals.collect();
                Ok(Self::Counted(table, totals))
            }
        }
    }

    fn at(&self, record: u64) -> Vec<u32> {
        match self {
            Self::Coded(coded) => coded.columns().iter().map(|codes| codes.get(record as usize)).collect(),
            Self::Counted(table, totals) => table.cell(totals.partition_point(|total| *total <= record)),
        }
    }
}
