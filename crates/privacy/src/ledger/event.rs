//! One paid look at the records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::charge::Charge;
use crate::noise::{DiscreteGaussian, DiscreteLaplace};
use crate::{Cost, PrivacyError, conversion};

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
            charge: Charge::ZeroConcentrated(rho),
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
        Ok(Self { purpose, mechanism, sensitivity: Sensitivity::LargestScore(sensitivity), scale, charge })
    }
}
