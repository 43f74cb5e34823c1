//! What is promised, and to whom: ε, δ, ρ, the notions of privacy and the relation of neighbours.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Cost, PrivacyError};

/// The ε of differential privacy: finite and above zero. "Not private" is another [`Guarantee`], not an extreme ε.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64")]
pub struct Epsilon(f64);

/// The δ of approximate differential privacy: above zero and below one.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64")]
pub struct Delta(f64);

/// The ρ of zero-concentrated differential privacy (Bun & Steinke 2016): finite and above zero.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64")]
pub struct Rho(f64);

impl Epsilon {
    /// An ε, if finite and above zero.
    pub fn new(value: f64) -> Result<Self, PrivacyError> {
        if value.is_finite() && value > 0.0 { Ok(Self(value)) } else { Err(PrivacyError::Epsilon { value }) }
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The ε as a budget: rounded down.
    pub fn budget(self) -> Result<Cost, PrivacyError> {
        above_zero(Cost::rounded_down(self.0)?, self.0)
    }

    /// The ε as a cost: rounded up.
    pub fn cost(self) -> Result<Cost, PrivacyError> {
        Cost::rounded_up(self.0)
    }
}

impl Delta {
    /// A δ, if above zero and below one.
    pub fn new(value: f64) -> Result<Self, PrivacyError> {
        if value > 0.0 && value < 1.0 { Ok(Self(value)) } else { Err(PrivacyError::Delta { value }) }
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl Rho {
    /// A ρ, if finite and above zero.
    pub fn new(value: f64) -> Result<Self, PrivacyError> {
        if value.is_finite() && value > 0.0 { Ok(Self(value)) } else { Err(PrivacyError::Rho { value }) }
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The ρ as a budget: rounded down.
    pub fn budget(self) -> Result<Cost, PrivacyError> {
        above_zero(Cost::rounded_down(self.0)?, self.0)
    }

    /// The ρ as a cost: rounded up.
    pub fn cost(self) -> Result<Cost, PrivacyError> {
        Cost::rounded_up(self.0)
    }
}

/// What a release promises about every unit in the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "GuaranteeForm", from = "GuaranteeForm")]
#[schemars(with = "GuaranteeForm")]
pub enum Guarantee {
    /// Nothing.
    NotPrivate,
    /// ε-differential privacy: P(M(D) ∈ S) ≤ exp(ε)·P(M(D′) ∈ S) for all neighbours and all S (Dwork et al. 2006).
    Pure(Epsilon),
    /// ρ-zero-concentrated: the Rényi divergence of order α of M(D) from M(D′) is at most ρ·α for all α > 1
    /// (Bun & Steinke 2016).
    ZeroConcentrated(Rho),
    /// (ε, δ)-differential privacy: P(M(D) ∈ S) ≤ exp(ε)·P(M(D′) ∈ S) + δ.
    Approximate(Epsilon, Delta),
}

/// Which pairs of data sets a guarantee makes indistinguishable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbours {
    /// One unit more or less. One record changes one cell of a histogram by one: L1 sensitivity 1.
    AddRemove,
    /// One unit replaced by another, the number of units fixed and public: L1 sensitivity 2.
    ReplaceOne,
}

impl std::str::FromStr for Neighbours {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "add-remove" => Ok(Self::AddRemove),
            "replace-one" => Ok(Self::ReplaceOne),
            _ => Err("say add-remove or replace-one"),
        }
    }
}

impl Neighbours {
    /// By how much one record changes a histogram, in sum over its cells.
    pub fn histogram_l1_sensitivity(self) -> u64 {
        match self {
            Self::AddRemove => 1,
            Self::ReplaceOne => 2,
        }
    }

    /// By how much one record changes a histogram, as a sum of squares over its cells: 1 or 1² + 1².
    pub fn histogram_l2_sensitivity_squared(self) -> u64 {
        self.histogram_l1_sensitivity()
    }
}

fn above_zero(budget: Cost, value: f64) -> Result<Cost, PrivacyError> {
    if budget.is_zero() { Err(PrivacyError::BudgetTooSmall { value }) } else { Ok(budget) }
}

/// How a [`Guarantee`] is written in files.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "notion", rename_all = "kebab-case", deny_unknown_fields)]
enum GuaranteeForm {
    NotPrivate,
    Pure { epsilon: Epsilon },
    ZeroConcentrated { rho: Rho },
    Approximate { epsilon: Epsilon, delta: Delta },
}

impl From<Guarantee> for GuaranteeForm {
    fn from(guarantee: Guarantee) -> Self {
        match guarantee {
            Guarantee::NotPrivate => Self::NotPrivate,
            Guarantee::Pure(epsilon) => Self::Pure { epsilon },
            Guarantee::ZeroConcentrated(rho) => Self::ZeroConcentrated { rho },
            Guarantee::Approximate(epsilon, delta) => Self::Approximate { epsilon, delta },
        }
    }
}

impl From<GuaranteeForm> for Guarantee {
    fn from(form: GuaranteeForm) -> Self {
        match form {
            GuaranteeForm::NotPrivate => Self::NotPrivate,
            GuaranteeForm::Pure { epsilon } => Self::Pure(epsilon),
            GuaranteeForm::ZeroConcentrated { rho } => Self::ZeroConcentrated(rho),
            GuaranteeForm::Approximate { epsilon, delta } => Self::Approximate(epsilon, delta),
        }
    }
}

macro_rules! number_with_a_letter {
    ($name:ident, $letter:literal) => {
        impl TryFrom<f64> for $name {
            type Error = PrivacyError;
            fn try_from(value: f64) -> Result<Self, PrivacyError> {
                Self::new(value)
            }
        }

        impl From<$name> for f64 {
            fn from(number: $name) -> f64 {
                number.0
            }
        }

        /// As people write it: the letter, an equals sign, the number.
        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                if self.0 < 1e-4 {
                    write!(formatter, concat!($letter, " = {:e}"), self.0)
                } else {
                    write!(formatter, concat!($letter, " = {}"), self.0)
                }
            }
        }
    };
}

number_with_a_letter!(Epsilon, "ε");
number_with_a_letter!(Delta, "δ");
number_with_a_letter!(Rho, "ρ");

impl fmt::Display for Guarantee {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPrivate => formatter.write_str("no differential privacy"),
            Self::Pure(epsilon) => write!(formatter, "differential privacy with {epsilon}"),
            Self::ZeroConcentrated(rho) => {
                write!(formatter, "zero-concentrated differential privacy with {rho}")
            }
            Self::Approximate(epsilon, delta) => {
                write!(formatter, "differential privacy with {epsilon}, {delta}")
            }
        }
    }
}

impl fmt::Display for Neighbours {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::AddRemove => "add-remove",
            Self::ReplaceOne => "replace-one",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_promise_nothing_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(
                Epsilon::new(bad).is_err() && Rho::new(bad).is_err() && Delta::new(bad).is_err(),
                "{bad}"
            );
        }
        assert!(Delta::new(1.0).is_err());
        assert!(matches!(Epsilon::new(1e-13).unwrap().budget(), Err(PrivacyError::BudgetTooSmall { .. })));
        assert!(Epsilon::new(1e-6).unwrap().budget().unwrap().units() > 1_000_000);
    }

    #[test]
    fn guarantees_read_as_people_write_them() {
        let guarantee = Guarantee::Approximate(Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
        assert_eq!(guarantee.to_string(), "differential privacy with ε = 1, δ = 1e-6");
        let text = serde_json::to_string(&guarantee).unwrap();
        assert_eq!(text, r#"{"notion":"approximate","epsilon":1.0,"delta":1e-6}"#);
        assert_eq!(serde_json::from_str::<Guarantee>(&text).unwrap(), guarantee);
        assert!(serde_json::from_str::<Guarantee>(r#"{"notion":"pure","epsilon":-1}"#).is_err());
    }
}
