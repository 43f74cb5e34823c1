//! Confidence intervals: an estimate, a variance and a reference distribution.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::InferenceError;

/// The probability with which an interval is to cover: above 0 and below 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64")]
pub struct Level(f64);

impl Level {
    /// 95 %.
    pub const USUAL: Self = Self(0.95);

    /// A level above 0 and below 1.
    pub fn new(value: f64) -> Result<Self, InferenceError> {
        if value > 0.0 && value < 1.0 {
            return Ok(Self(value));
        }
        Err(InferenceError::Option {
            option: "--level",
            message: "must lie above 0 and below 1, such as 0.95".into(),
        })
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The probability below the lower end.
    pub(crate) fn tail(self) -> f64 {
        (1.0 - self.0) / 2.0
    }
}

impl TryFrom<f64> for Level {
    type Error = InferenceError;

    fn try_from(value: f64) -> Result<Self, InferenceError> {
        Self::new(value)
    }
}

impl From<Level> for f64 {
    fn from(level: Level) -> Self {
        level.0
    }
}

/// The distribution of a standardised estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "distribution", rename_all = "kebab-case")]
pub enum Reference {
    /// Standard normal.
    Normal,
    /// Student's t.
    StudentT {
        /// Its degrees of freedom.
        degrees_of_freedom: f64,
    },
}

/// Degrees of freedom above which the quantile is computed from the normal one.
const MANY: f64 = 1e4;

impl Reference {
    /// The quantile of an equal-tailed interval: 1.96 for the normal at 95 %.
    pub fn quantile(self, level: Level) -> f64 {
        let upper = 1.0 - level.tail();
        let z = Normal::standard().inverse_cdf(upper);
        match self {
            Self::Normal => z,
            // Cornish and Fisher's expansion; the next term is of order 1/ν³.
            Self::StudentT { degrees_of_freedom: nu } if nu > MANY => {
                z + (z.powi(3) + z) / (4.0 * nu)
                    + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * nu * nu)
            }
            Self::StudentT { degrees_of_freedom } => {
                StudentsT::new(0.0, 1.0, degrees_of_freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(upper))
            }
        }
    }
}

/// An interval from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The interval of an estimate with this variance.
    pub fn around(estimate: f64, variance: f64, reference: Reference, level: Level) -> Self {
        let reach = reference.quantile(level) * variance.sqrt();
        Self { low: estimate - reach, high: estimate + reach }
    }

    /// Whether it holds `value`.
    pub fn covers(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_r() {
        // R: sprintf("%.12f", c(qnorm(.975), qt(.975, c(1, 4, 9.5, 9999, 10001, 1e6)), qt(.95, 4)))
        let t = |nu: f64| Reference::StudentT { degrees_of_freedom: nu };
        let expected = [
            (Reference::Normal, 0.95, 1.959963984540),
            (t(1.0), 0.95, 12.706204736175),
            (t(4.0), 0.95, 2.776445105198),
            (t(9.5), 0.95, 2.244137461492),
            (t(9999.0), 0.95, 1.960201263621),
            (t(10001.0), 0.95, 1.960201216165),
            (t(1e6), 0.95, 1.959966356814),
            (t(4.0), 0.9, 2.131846786327),
        ];
        for (reference, level, quantile) in expected {
            let found = reference.quantile(Level::new(level).unwrap());
            assert!((found / quantile - 1.0).abs() < 1e-9, "{reference:?}: {found} {quantile}");
        }
    }

    #[test]
    fn a_level_is_a_probability() {
        assert!(Level::new(95.0).unwrap_err().to_string().contains("0.95"));
        assert!(Level::new(1.0).is_err() && Level::new(f64::NAN).is_err());
    }
}
