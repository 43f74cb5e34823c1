//! One paid look at the records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::charge::{Charge, DeltaCost};
use crate::noise::{DiscreteGaussian, DiscreteLaplace};
use crate::{Cost, Delta, PrivacyError, SampledGaussian, conversion};

/// How noise is added, or privacy else attained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mechanism {
    /// Discrete Laplace noise on integers.
    DiscreteLaplace,
    /// Discrete Gaussian noise on integers.
    DiscreteGaussian,
    /// Discrete Laplace noise on the occupied cells only, those above a threshold released.
    ThresholdedHistogram,
    /// A choice by permute-and-flip.
    PermuteAndFlip,
    /// A choice by the exponential mechanism.
    ExponentialMechanism,
    /// Draws from a posterior predictive distribution under a strong enough prior.
    PosteriorPredictive,
    /// Draws from a normal distribution around a statistic, few enough.
    NormalSample,
    /// Discrete Gaussian noise on sums of clipped integer vectors over sampled records, step after step.
    SampledGaussian,
}

/// By how much neighbours may differ in what is measured, in units of what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "norm", content = "value", rename_all = "kebab-case")]
pub enum Sensitivity {
    /// In sum of absolute differences.
    L1(f64),
    /// In root of the sum of squared differences.
    L2(f64),
    /// In the largest difference of any score.
    LargestScore(f64),
    /// The argument is not by sensitivity; the method's page has it.
    BySampling,
}

/// How records take part in each of many steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// The probability with which a record takes part in a step, by itself.
    pub probability: f64,
    /// How many steps there are.
    pub steps: u64,
}

/// One look at the records, described before it is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What is looked at, in words that may be published.
    pub purpose: String,
    /// How.
    pub mechanism: Mechanism,
    /// By how much neighbours may differ in it.
    pub sensitivity: Sensitivity,
    /// The scale of the noise (σ for the Gaussian), where there is one.
    pub scale: Option<f64>,
    /// How records are sampled, where they are.
    pub sampling: Option<Sampling>,
    /// What it costs.
    pub charge: Charge,
}

impl Event {
    /// Integers under discrete Laplace noise of rate ε/Δ₁: ε-DP.
    pub fn discrete_laplace(
        purpose: impl Into<String>,
        epsilon: Cost,
        sensitivity: u64,
    ) -> Result<Self, PrivacyError> {
        let law = DiscreteLaplace::for_cost(epsilon, sensitivity)?;
        Ok(Self {
            purpose: purpose.into(),
            mechanism: Mechanism::DiscreteLaplace,
            sensitivity: Sensitivity::L1(sensitivity as f64),
            scale: Some(law.scale()),
            sampling: None,
            charge: Charge::Pure(epsilon),
        })
    }

    /// Integers under discrete Gaussian noise with σ² = Δ₂²/(2ρ): ρ-zCDP.
    pub(crate) fn discrete_gaussian(
        purpose: impl Into<String>,
        rho: Cost,
        squared_sensitivity: u64,
    ) -> Result<Self, PrivacyError> {
        let law = DiscreteGaussian::for_cost(rho, squared_sensitivity)?;
        Ok(Self {
            purpose: purpose.into(),
            mechanism: Mechanism::DiscreteGaussian,
            sensitivity: Sensitivity::L2((squared_sensitivity as f64).sqrt()),
            scale: Some(law.sigma()),
            sampling: None,
            charge: Charge::ZeroConcentrated(rho),
        })
    }

    /// All steps of a [`SampledGaussian`] on integer vectors of norm `sensitivity` at most, with noise of parameter `scale`; the ε at this δ, rounded up.
    pub(crate) fn sampled_gaussian(
        purpose: impl Into<String>,
        sampling: Sampling,
        scale: u64,
        sensitivity: u64,
        delta: DeltaCost,
    ) -> Result<Self, PrivacyError> {
        if sensitivity == 0 {
            return Err(PrivacyError::Sensitivity);
        }
        // A quotient below 2⁵³ that is rounded down promises no noise that is not there.
        let sigma = (scale as f64 / sensitivity as f64).next_down();
        let law = SampledGaussian::new(sampling.probability, sigma, sampling.steps)?;
        let epsilon = law.epsilon(Delta::new(delta.lower())?)?;
        Ok(Self {
            purpose: purpose.into(),
            mechanism: Mechanism::SampledGaussian,
            sensitivity: Sensitivity::L2(sensitivity as f64),
            scale: Some(scale as f64),
            sampling: Some(sampling),
            charge: Charge::Approximate(epsilon, delta),
        })
    }

    /// A choice by [`permute_and_flip`](crate::noise::permute_and_flip): ε-DP. The sensitivity is in whole scores.
    pub fn permute_and_flip(
        purpose: impl Into<String>,
        epsilon: Cost,
        sensitivity: f64,
    ) -> Result<Self, PrivacyError> {
        let charge = Charge::Pure(epsilon);
        Self::choice(purpose.into(), Mechanism::PermuteAndFlip, epsilon, sensitivity, charge)
    }

    /// A choice by the [`exponential_mechanism`](crate::noise::exponential_mechanism) charged as pure ε.
    pub fn exponential_mechanism(
        purpose: impl Into<String>,
        epsilon: Cost,
        sensitivity: f64,
    ) -> Result<Self, PrivacyError> {
        let charge = Charge::Pure(epsilon);
        Self::choice(purpose.into(), Mechanism::ExponentialMechanism, epsilon, sensitivity, charge)
    }

    /// A choice by the [`exponential_mechanism`](crate::noise::exponential_mechanism) charged as ε²/8-zCDP.
    pub(crate) fn exponential_mechanism_in_rho(
        purpose: impl Into<String>,
        epsilon: Cost,
        sensitivity: f64,
    ) -> Result<Self, PrivacyError> {
        let charge = Charge::ZeroConcentrated(conversion::exponential_mechanism_rho(epsilon)?);
        Self::choice(purpose.into(), Mechanism::ExponentialMechanism, epsilon, sensitivity, charge)
    }

    fn choice(
        purpose: String,
        mechanism: Mechanism,
        epsilon: Cost,
        sensitivity: f64,
        charge: Charge,
    ) -> Result<Self, PrivacyError> {
        if epsilon.is_zero() {
            return Err(PrivacyError::FreeLook);
        }
        if !(sensitivity.is_finite() && sensitivity > 0.0) {
            return Err(PrivacyError::Sensitivity);
        }
        let scale = Some(2.0 * sensitivity / epsilon.upper());
        let sensitivity = Sensitivity::LargestScore(sensitivity);
        Ok(Self { purpose, mechanism, sensitivity, scale, sampling: None, charge })
    }
}
