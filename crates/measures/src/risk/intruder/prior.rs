//! What an intruder believes of the missing record before seeing the release.

use std::fmt;
use std::str::FromStr;

use crate::MeasureError;

/// A prior distribution of the missing record's cell.
///
/// Written `uniform`, `empirical:1`, `truth:0.5` or `truth-among-records:0.5`.
///
/// ```
/// use measures::risk::intruder::Prior;
/// let prior: Prior = "truth:0.5".parse()?;
/// assert_eq!(prior, Prior::truth(0.5)?);
/// assert_eq!(prior.to_string(), "truth:0.5");
/// # Ok::<(), measures::MeasureError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior(pub(super) Belief);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Belief {
    Uniform,
    Empirical { spread: f64 },
    Truth { weight: f64 },
    TruthAmongRecords { weight: f64 },
}

impl Prior {
    /// Every cell is equally likely.
    pub fn uniform() -> Self {
        Self(Belief::Uniform)
    }

    /// As the other records fall, with `spread` records' worth of probability spread evenly over all cells:
    /// (y′ + spread/K)/(N − 1 + spread). The spread must be positive, since no release moves a prior of zero.
    pub fn empirical(spread: f64) -> Result<Self, MeasureError> {
        if spread.is_finite() && spread > 0.0 {
            return Ok(Self(Belief::Empirical { spread }));
        }
        let message = "must be a finite number above 0; no release moves a prior of zero".into();
        Err(MeasureError::Option { option: "the spread of an empirical prior", message })
    }

    /// `weight` on the true cell, and the rest evenly on the other cells (McClure & Reiter 2012, section 4). With two cells it is
    /// the prior of their Table 1.
    pub fn truth(weight: f64) -> Result<Self, MeasureError> {
        Self::checked(weight).map(|weight| Self(Belief::Truth { weight }))
    }

    /// `weight` on the true cell, and the rest as the other records fall on the other cells.
    pub(crate) fn truth_among_records(weight: f64) -> Result<Self, MeasureError> {
        Self::checked(weight).map(|weight| Self(Belief::TruthAmongRecords { weight }))
    }

    /// Weights on the truth at `steps` equal distances inside (0, 1), as in McClure & Reiter's Figures 3 and 4.
    pub fn grid(steps: usize) -> Vec<Self> {
        let weight = |step: usize| step as f64 / (steps + 1) as f64;
        (1..=steps).map(|step| Self(Belief::Truth { weight: weight(step) })).collect()
    }

    /// What is looked at unless something else is asked for: an intruder who knows nothing, one who knows the population, and
    /// one who is in two minds about the truth.
    pub fn usual() -> Vec<Self> {
        vec![
            Self(Belief::Uniform),
            Self(Belief::Empirical { spread: 1.0 }),
            Self(Belief::Truth { weight: 0.5 }),
        ]
    }

    fn checked(weight: f64) -> Result<f64, MeasureError> {
        if weight > 0.0 && weight < 1.0 {
            return Ok(weight);
        }
        let message = "must lie between 0 and 1, both excluded".into();
        Err(MeasureError::Option { option: "the weight that a prior gives to the truth", message })
    }
}

impl fmt::Display for Prior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Belief::Uniform => write!(f, "uniform"),
            Belief::Empirical { spread } => write!(f, "empirical:{spread}"),
            Belief::Truth { weight } => write!(f, "truth:{weight}"),
            Belief::TruthAmongRecords { weight } => write!(f, "truth-among-records:{weight}"),
        }
    }
}

impl FromStr for Prior {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, MeasureError> {
        let (name, number) = text.split_once(':').unwrap_or((text, ""));
        let refuse = || {
            let message = format!(
                "cannot be `{text}`; write uniform, empirical:1, truth:0.5 or truth-among-records:0.5"
            );
            MeasureError::Option { option: "a prior", message }
        };
        let value = || number.parse::<f64>().map_err(|_| refuse());
        match name {
            "uniform" if number.is_empty() => Ok(Self::uniform()),
            "empirical" => Self::empirical(value()?),
            "truth" => Self::truth(value()?),
            "truth-among-records" => Self::truth_among_records(value()?),
            _ => Err(refuse()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_are_read_as_they_are_written() {
        for text in ["uniform", "empirical:1", "truth:0.25", "truth-among-records:0.5"] {
            assert_eq!(text.parse::<Prior>().unwrap().to_string(), text);
        }
        for text in ["", "flat", "uniform:1", "truth", "truth:1", "truth:x", "empirical:0"] {
            assert!(text.parse::<Prior>().is_err(), "{text}");
        }
        let grid = Prior::grid(3);
        assert_eq!(grid[0], Prior::truth(0.25).unwrap());
        assert_eq!(grid.len(), 3);
    }
}
