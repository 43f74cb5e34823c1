//! Sums of numbers and of products of numbers under noise, for variables with declared bounds.
//!
//! A value x of a variable declared to lie in [a, b] is clamped, and put on a grid of whole numbers q = −G … G, with G = [`GRID`]. Sums of q and of products of two
//! q are integers, so that noise on them is integer noise and exact. One record changes a sum of q by at most G and a sum of
//! products by at most G²; a replaced record by twice that.

use table::column::Entry;
use table::{Table, Variable};

use super::{GuardedTable, Held};
use crate::ledger::{Charge, Event, Mechanism, Sensitivity};
use crate::noise::DiscreteGaussian;
use crate::{Cost, PrivacyError};

/// The largest grid value: a range is cut into 2·GRID steps.
pub const GRID: i64 = 1 << 14;

/// A number with declared bounds, on its grid.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaledVariable {
    name: String,
    low: f64,
    high: f64,
}

impl ScaledVariable {
    /// The variable, if it is a number or a date with a declared range, and never missing or a special code.
    pub fn new(variable: &Variable) -> Result<Self, PrivacyError> {
        let refuse =
            |message: &str| Err(PrivacyError::Table(format!("column `{}`: {message}", variable.name)));
        let Some((low, high)) = variable.declared_range() else {
            return refuse(
                "it needs a declared `range`, because noise is scaled to what one record can change",
            );
        };
        if variable.missing || !variable.codes.is_empty() {
            return refuse(
                "values may be missing or special codes, which have no place in a sum; use a table method",
            );
        }
        if low >= high {
            return refuse("its declared range holds one value only");
        }
        Ok(Self { name: variable.name.clone(), low, high })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The declared bounds.
    pub fn bounds(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// The grid value of a number; numbers outside the bounds count as the bounds.
    pub(crate) fn to_grid(&self, value: f64) -> i64 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        (share * (2 * GRID) as f64).round() as i64 - GRID
    }

    /// The number that a grid value stands for; fractions are allowed.
    pub(crate) fn number_at(&self, grid: f64) -> f64 {
        self.low + (grid + GRID as f64) / (2 * GRID) as f64 * (self.high - self.low)
    }
}

impl GuardedTable<'_> {
    /// The variable of this name with its declared bounds.
    pub fn scaled(&self, name: &str) -> Result<ScaledVariable, PrivacyError> {
        ScaledVariable::new(self.schema.variable(name)?)
    }

    /// The sum over records of one variable, or of the product of two, on their grids.
    pub fn noisy_sum(&mut self, factors: &[&ScaledVariable], charge: Charge) -> Result<i64, PrivacyError> {
        self.held.table()?;
        let names: Vec<&str> = factors.iter().map(|factor| factor.name.as_str()).collect();
        let bound = factors.iter().fold(1, |bound: u64, _| bound * GRID as u64);
        let change = bound * self.ledger.unit_l1_sensitivity();
        let law = self.pay(&format!("sum of {}", names.join(" · ")), charge, change, change * change)?;
        let columns = factors.iter().map(|factor| self.grid(factor)).collect::<Result<Vec<_>, _>>()?;
        let rows = columns.first().map_or(0, Vec::len);
        let sum = (0..rows).map(|row| columns.iter().map(|column| column[row]).product::<i64>()).sum();
        Ok(law.add_to(sum, self.noise.rng()))
    }

    /// How many records of N(mean, σ²) the charge pays for: ⌊2ρσ²/Δ²⌋, Δ = (b − a)/N.
    pub fn normal_records(&self, of: &ScaledVariable, sigma: f64, rho: Cost) -> Result<u64, PrivacyError> {
        let variance = self.normal_variance(of, sigma)?;
        Ok((u128::from(rho.units()) * 2 * variance / (self.squared_change() << 40)) as u64)
    }

    /// `rows` draws from a normal distribution with known σ around the mean of a variable: releasing few enough of them is private by itself
    /// (Drechsler 2023). Replace-one neighbours, whose N is public.
    ///
    /// **Privacy.** A draw is the sum S of grid values plus discrete Gaussian noise of variance V ≥ (Nσ)² in grid units, divided by N. A replaced record
    /// changes S by at most 2G, so that a draw costs ρ = (2G)²/(2V) (Canonne, Kamath & Steinke 2020, Thm. 4), and n draws n
    /// times that; rounded up.
    pub fn normal_sample(
        &mut self,
        purpose: &str,
        of: &ScaledVariable,
        sigma: f64,
        rows: u64,
    ) -> Result<Vec<f64>, PrivacyError> {
        self.held.table()?;
        let variance = self.normal_variance(of, sigma)?;
        let law = DiscreteGaussian::with_variance_parameter(variance, 1)?;
        let units = (u128::from(rows) * (self.squared_change() << 40)).div_ceil(2 * variance);
        let rho = u64::try_from(units).map_err(|_| PrivacyError::SumOutOfRange)?;
        self.ledger.spend(Event {
            purpose: purpose.to_owned(),
            mechanism: Mechanism::NormalSample,
            sensitivity: Sensitivity::L2(
                (of.high - of.low) * self.ledger.records_per_unit() as f64 / self.coded_records() as f64,
            ),
            scale: Some(sigma),
            sampling: None,
            charge: Charge::ZeroConcentrated(Cost::from_units(rho)),
        })?;
        let sum: i64 = self.grid(of)?.iter().sum();
        let records = self.coded_records() as f64;
        let rng = self.noise.rng();
        Ok((0..rows).map(|_| of.number_at(law.add_to(sum, rng) as f64 / records)).collect())
    }

    /// (Nσ)² in grid units, rounded up.
    fn normal_variance(&self, of: &ScaledVariable, sigma: f64) -> Result<u128, PrivacyError> {
        let records = self.fixed_size("a release of draws around a mean")?;
        if !(sigma.is_finite() && sigma > 0.0) {
            return Err(PrivacyError::Scale);
        }
        let deviation = records as f64 * sigma * (2 * GRID) as f64 / (of.high - of.low);
        let variance = (deviation * deviation * (1.0 + 1e-12)).ceil();
        if variance > 2_f64.powi(80) {
            return Err(PrivacyError::Scale);
        }
        Ok((variance as u128).max(1))
    }

    /// The square of what a replaced unit changes in a sum of grid values: (2Gk)².
    fn squared_change(&self) -> u128 {
        (2 * GRID as u128 * u128::from(self.ledger.records_per_unit())).pow(2)
    }

    fn coded_records(&self) -> u64 {
        self.held.counts().records()
    }

    /// The grid values of a variable in the records that are here.
    fn grid(&self, of: &ScaledVariable) -> Result<Vec<i64>, PrivacyError> {
        let (records, rows) = self.held.table()?;
        let column = records.column(&of.name)?;
        let value = |row: usize| match column.number(row) {
            Some(Entry::Value(value)) => of.to_grid(value),
            _ => 0,
        };
        Ok(match rows {
            Some(rows) => rows.iter().map(|row| value(*row as usize)).collect(),
            None => (0..column.len()).map(value).collect(),
        })
    }
}

impl<'a> Held<'a> {
    /// The records, and which of their rows are here; refused where there are only counts.
    fn table(&self) -> Result<(&'a Table, Option<&[u32]>), PrivacyError> {
        match self {
            Self::Records { records, rows, .. } => Ok((records, rows.as_deref())),
            Self::Counts(_) => Err(PrivacyError::Table(
                "a sum of numbers needs the records themselves, and here are only their counts; use a method of counts"
                    .into(),
            )),
        }
    }
}
