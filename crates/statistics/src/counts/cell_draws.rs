//! How the synthetic counts of cells are drawn, given the original ones: what `plan` computes with, and what an intruder may know.

use super::{CountError, CountFamily};

/// The distribution of the synthetic counts s given the original counts y of K cells, N in all. Data sets of one release are independent.
///
/// A value is made by one of the constructors, which check it, and read by `match`.
///
/// ```
/// use statistics::counts::{CellDraws, CountFamily};
///
/// let draws = CellDraws::independent(CountFamily::nbi(0.5)?, 0.0, 1.0)?;
/// assert!(matches!(draws, CellDraws::Independent { scale, .. } if scale == 1.0));
/// assert!(CellDraws::prior_in_each_cell(0.0).is_err());
/// # Ok::<(), statistics::counts::CountError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellDraws {
    /// Records are drawn independently, cell i with probability (yᵢ + a)/(N + Ka).
    #[non_exhaustive]
    PriorInEachCell {
        /// The prior count a of every cell, above 0.
        a: f64,
    },
    /// Records are drawn independently, cell i with probability (yᵢ + r/K)/(N + r).
    #[non_exhaustive]
    PriorOverAllCells {
        /// The records' worth r of probability that is spread evenly over all cells, 0 or more.
        records: f64,
    },
    /// Counts are drawn cell by cell, with mean scale · yᵢ, or scale · α in empty cells.
    #[non_exhaustive]
    Independent {
        /// The family with its dispersion.
        family: CountFamily,
        /// The mean α of an empty cell, 0 or more.
        alpha: f64,
        /// The factor on all means, above 0.
        scale: f64,
    },
}

impl CellDraws {
    /// Records drawn with probabilities (yᵢ + a)/(N + Ka).
    pub fn prior_in_each_cell(a: f64) -> Result<Self, CountError> {
        Ok(Self::PriorInEachCell { a: positive("a", a)? })
    }

    /// The same with a = 1/(exp(ε/n) − 1), at which n synthetic records are ε-differentially private (McClure & Reiter 2012,
    /// section 3.1).
    pub fn prior_of_epsilon(epsilon: f64, synthetic_records: u64) -> Result<Self, CountError> {
        positive("epsilon", epsilon)?;
        positive("the number of synthetic records", synthetic_records as f64)?;
        Self::prior_in_each_cell((epsilon / synthetic_records as f64).exp_m1().recip())
    }

    /// Records drawn with probabilities (yᵢ + r/K)/(N + r).
    pub fn prior_over_all_cells(records: f64) -> Result<Self, CountError> {
        Ok(Self::PriorOverAllCells { records: not_negative("nprior", records)? })
    }

    /// Independent counts with means scale · yᵢ, or scale · α in empty cells.
    pub fn independent(family: CountFamily, alpha: f64, scale: f64) -> Result<Self, CountError> {
        let (alpha, scale) = (not_negative("alpha", alpha)?, positive("scale", scale)?);
        Ok(Self::Independent { family, alpha, scale })
    }

    /// By what all means are multiplied.
    pub fn scale(&self) -> f64 {
        match self {
            Self::Independent { scale, .. } => *scale,
            Self::PriorInEachCell { .. } | Self::PriorOverAllCells { .. } => 1.0,
        }
    }
}

fn positive(option: &'static str, value: f64) -> Result<f64, CountError> {
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(CountError::NotPositive { option }) }
}

fn not_negative(option: &'static str, value: f64) -> Result<f64, CountError> {
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(CountError::Negative { option }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_out_of_range_are_refused_by_name() {
        for (error, says) in [
            (CellDraws::prior_in_each_cell(0.0), "a must be a finite number above 0"),
            (CellDraws::prior_of_epsilon(f64::NAN, 10), "epsilon must be"),
            (CellDraws::prior_of_epsilon(1.0, 0), "the number of synthetic records must be"),
            (CellDraws::prior_over_all_cells(-1.0), "nprior must be a finite number of 0 or more"),
            (CellDraws::independent(CountFamily::Poisson, -0.1, 1.0), "alpha must be"),
            (CellDraws::independent(CountFamily::Poisson, 0.0, 0.0), "scale must be"),
        ] {
            let text = error.unwrap_err().to_string();
            assert!(text.starts_with(says), "{text}");
        }
        let draws = CellDraws::prior_of_epsilon(1000.0, 1000).unwrap();
        assert!(matches!(draws, CellDraws::PriorInEachCell { a } if (a - 0.5819767).abs() < 1e-7));
    }
}
