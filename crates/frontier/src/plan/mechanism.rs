//! The settings of the saturated (σ, α) mechanism.

use std::num::NonZeroU32;

use statistics::counts::{CountDistribution, CountFamily, Mean};

use super::PlanError;

const LARGEST_ALPHA: f64 = 1e6;
const LARGEST_SCALE: f64 = 1e3;
const LARGEST_M: u32 = 1_000_000;

/// How each cell is synthesised: `m` independent counts from a family, with mean scale · size, or scale · α where the
/// original cell is empty (Jackson et al. 2022, sections 2, 3 and 6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SaturatedMechanism {
    family: CountFamily,
    alpha: f64,
    scale: f64,
    m: NonZeroU32,
}

impl SaturatedMechanism {
    /// One data set of the original size, with empty cells left empty: α = 0, scale = 1, m = 1.
    pub fn new(family: CountFamily) -> Self {
        Self { family, alpha: 0.0, scale: 1.0, m: NonZeroU32::MIN }
    }

    /// With the pseudocount α as the mean of a random zero, before `scale`.
    pub fn with_alpha(self, alpha: f64) -> Result<Self, PlanError> {
        if (0.0..=LARGEST_ALPHA).contains(&alpha) {
            Ok(Self { alpha, ..self })
        } else {
            Err(PlanError::Alpha { value: alpha })
        }
    }

    /// With all means multiplied by `scale`.
    pub fn with_scale(self, scale: f64) -> Result<Self, PlanError> {
        if scale > 0.0 && scale <= LARGEST_SCALE {
            Ok(Self { scale, ..self })
        } else {
            Err(PlanError::Scale { value: scale })
        }
    }

    /// With `m` independent data sets.
    pub fn with_m(self, m: u32) -> Result<Self, PlanError> {
        match NonZeroU32::new(m) {
            Some(m) if m.get() <= LARGEST_M => Ok(Self { m, ..self }),
            _ => Err(PlanError::M { value: u64::from(m) }),
        }
    }

    /// With another family.
    pub(crate) fn with_family(self, family: CountFamily) -> Self {
        Self { family, ..self }
    }

    /// The count family with its dispersion.
    pub fn family(&self) -> CountFamily {
        self.family
    }

    /// The pseudocount α of a random zero.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// What all means are multiplied with.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The number of data sets.
    pub fn m(&self) -> u32 {
        self.m.get()
    }

    /// What divides the sum over the m data sets to estimate the original count: m · scale.
    pub(super) fn exposure(&self) -> f64 {
        f64::from(self.m.get()) * self.scale
    }

    /// The synthetic count of a cell of this original size, in one data set.
    pub fn count_of(&self, size: u64) -> Result<CountDistribution, PlanError> {
        let original = if size == 0 { self.alpha } else { size as f64 };
        self.count_around(original)
    }

    /// The sum of the synthetic counts of a cell of this original size, over the m data sets.
    pub fn sum_of(&self, size: u64) -> Result<CountDistribution, PlanError> {
        Ok(self.count_of(size)?.sum_of(self.m))
    }

    /// As [`sum_of`](Self::sum_of), for a size between whole numbers.
    pub(super) fn sum_around(&self, size: f64) -> Result<CountDistribution, PlanError> {
        Ok(self.count_around(size)?.sum_of(self.m))
    }

    fn count_around(&self, size: f64) -> Result<CountDistribution, PlanError> {
        Ok(self.family.distribution(Mean::new(self.scale * size)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let mechanism = SaturatedMechanism::new(CountFamily::Poisson);
        for value in [-0.01, 1.1e6, f64::NAN] {
            assert!(mechanism.with_alpha(value).unwrap_err().to_string().starts_with("alpha must be"));
        }
        for value in [0.0, -1.0, 1001.0, f64::NAN] {
            assert!(mechanism.with_scale(value).unwrap_err().to_string().starts_with("scale must be"));
        }
        for value in [0, LARGEST_M + 1] {
            assert!(mechanism.with_m(value).unwrap_err().to_string().starts_with("m must be"));
        }
    }

    #[test]
    fn means_are_scaled_sizes_and_scaled_alpha() {
        let mechanism = SaturatedMechanism::new(CountFamily::nbi(0.5).unwrap())
            .with_alpha(0.01)
            .and_then(|m| m.with_scale(0.5))
            .and_then(|m| m.with_m(4))
            .unwrap();
        assert_eq!(mechanism.count_of(6).unwrap().mean(), 3.0);
        assert_eq!(mechanism.count_of(0).unwrap().mean(), 0.005);
        let sum = mechanism.sum_of(6).unwrap();
        assert_eq!((sum.mean(), sum.variance()), (12.0, 4.0 * (3.0 + 0.5 * 9.0)));
    }
}
