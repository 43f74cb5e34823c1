//! What an event costs, and what there is to spend.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conversion::rho_of_epsilon;
use crate::{Cost, Delta, Epsilon, Guarantee, PrivacyError, Rho};

/// A δ in whole units of 2⁻⁶⁴, so that sums are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeltaCost(u64);

impl DeltaCost {
    /// No δ.
    pub const ZERO: Self = Self(0);

    /// The largest multiple not above δ: for budgets.
    pub fn rounded_down(delta: Delta) -> Self {
        // The product with a power of two is exact, and below 2⁶⁴ since δ is below one.
        Self((delta.value() * 2_f64.powi(64)).floor() as u64)
    }

    /// The smallest multiple not below δ: for costs.
    pub fn rounded_up(delta: Delta) -> Self {
        Self((delta.value() * 2_f64.powi(64)).ceil() as u64)
    }

    /// A number of units of 2⁻⁶⁴.
    pub const fn from_units(units: u64) -> Self {
        Self(units)
    }

    /// The number of units of 2⁻⁶⁴.
    pub const fn units(self) -> u64 {
        self.0
    }

    /// A number not below the δ.
    pub fn upper(self) -> f64 {
        let nearest = self.0 as f64;
        let above = if (nearest as u128) < u128::from(self.0) { nearest.next_up() } else { nearest };
        above * 2_f64.powi(-64)
    }

    /// A number not above the δ.
    pub fn lower(self) -> f64 {
        let nearest = self.0 as f64;
        let below = if (nearest as u128) > u128::from(self.0) { nearest.next_down() } else { nearest };
        below * 2_f64.powi(-64)
    }

    fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }
}

/// A notion of differential privacy in which losses can be added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Notion {
    /// ε-DP: the ε add up.
    Pure,
    /// ρ-zCDP: the ρ add up.
    ZeroConcentrated,
    /// (ε, δ)-DP: the ε add up, and the δ do (basic composition).
    Approximate,
}

/// The privacy loss of one event, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// ε-DP.
    Pure(Cost),
    /// ρ-zCDP.
    ZeroConcentrated(Cost),
    /// (ε, δ)-DP.
    Approximate(Cost, DeltaCost),
}

impl Charge {
    /// The notion in which the loss is stated.
    pub fn notion(self) -> Notion {
        match self {
            Self::Pure(_) => Notion::Pure,
            Self::ZeroConcentrated(_) => Notion::ZeroConcentrated,
            Self::Approximate(..) => Notion::Approximate,
        }
    }

    /// The ε or ρ.
    pub fn cost(self) -> Cost {
        match self {
            Self::Pure(cost) | Self::ZeroConcentrated(cost) | Self::Approximate(cost, _) => cost,
        }
    }

    /// The δ; zero unless the notion has one.
    pub fn delta(self) -> DeltaCost {
        match self {
            Self::Approximate(_, delta) => delta,
            _ => DeltaCost::ZERO,
        }
    }

    /// The loss in another notion, if a theorem gives it one without choosing a δ.
    pub(super) fn in_notion(self, notion: Notion) -> Option<Amount> {
        match (self, notion) {
            (Self::Pure(epsilon), Notion::Pure | Notion::Approximate) => Some(Amount::new(epsilon)),
            (Self::Pure(epsilon), Notion::ZeroConcentrated) => {
                crate::conversion::rho_of_pure(epsilon).ok().map(Amount::new)
            }
            (Self::ZeroConcentrated(rho), Notion::ZeroConcentrated) => Some(Amount::new(rho)),
            (Self::Approximate(cost, delta), Notion::Approximate) => Some(Amount { cost, delta }),
            (Self::ZeroConcentrated(_), _) | (Self::Approximate(..), _) => None,
        }
    }
}

/// What may be spent: fixed before anything is looked at, rounded down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    asked: Guarantee,
    limit: Charge,
}

impl Budget {
    /// ε-DP.
    pub fn pure(epsilon: Epsilon) -> Result<Self, PrivacyError> {
        Ok(Self { asked: Guarantee::Pure(epsilon), limit: Charge::Pure(epsilon.budget()?) })
    }

    /// ρ-zCDP; pure events are charged ε²/2.
    pub fn zero_concentrated(rho: Rho) -> Result<Self, PrivacyError> {
        Ok(Self { asked: Guarantee::ZeroConcentrated(rho), limit: Charge::ZeroConcentrated(rho.budget()?) })
    }

    /// (ε, δ)-DP by basic composition: the ε and the δ of events are added.
    pub fn approximate(epsilon: Epsilon, delta: Delta) -> Result<Self, PrivacyError> {
        let limit = Charge::Approximate(epsilon.budget()?, DeltaCost::rounded_down(delta));
        if limit.delta() == DeltaCost::ZERO {
            return Err(PrivacyError::BudgetTooSmall { value: delta.value() });
        }
        Ok(Self { asked: Guarantee::Approximate(epsilon, delta), limit })
    }

    /// (ε, δ)-DP by way of the largest ρ (rounded down) whose tight conversion stays within ε at δ
    /// ([`rho_of_epsilon`]); events are charged in ρ.
    pub fn approximate_via_zcdp(epsilon: Epsilon, delta: Delta) -> Result<Self, PrivacyError> {
        let rho = rho_of_epsilon(epsilon.budget()?, delta)?;
        Ok(Self { asked: Guarantee::Approximate(epsilon, delta), limit: Charge::ZeroConcentrated(rho) })
    }

    /// What was asked for, as the user said it.
    pub fn asked(&self) -> Guarantee {
        self.asked
    }

    /// What may be spent, in the notion in which it is spent.
    pub fn limit(&self) -> Charge {
        self.limit
    }

    /// The notion in which events are added up.
    pub fn notion(&self) -> Notion {
        self.limit.notion()
    }

    /// The ε or ρ to be split among events.
    pub fn cost(&self) -> Cost {
        self.limit.cost()
    }

    pub(super) fn amount(&self) -> Amount {
        Amount { cost: self.limit.cost(), delta: self.limit.delta() }
    }

    /// Checks a limit that was read from a file against what was asked for.
    pub(super) fn from_parts(asked: Guarantee, limit: Charge) -> Result<Self, PrivacyError> {
        let possible = match (asked, limit.notion()) {
            (Guarantee::Pure(epsilon), Notion::Pure) => Some(Self::pure(epsilon)?),
            (Guarantee::ZeroConcentrated(rho), Notion::ZeroConcentrated) => {
                Some(Self::zero_concentrated(rho)?)
            }
            (Guarantee::Approximate(epsilon, delta), Notion::Approximate) => {
                Some(Self::approximate(epsilon, delta)?)
            }
            (Guarantee::Approximate(epsilon, delta), Notion::ZeroConcentrated) => {
                Some(Self::approximate_via_zcdp(epsilon, delta)?)
            }
            _ => None,
        };
        possible
            .filter(|budget| limit.cost() <= budget.cost() && limit.delta() <= budget.limit.delta())
            .ok_or(PrivacyError::DoesNotAddUp {
                what: format!("a limit of {limit} is not within what was asked, {asked}"),
            })
    }
}

/// A loss in a notion that is known from elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub cost: Cost,
    pub delta: DeltaCost,
}

impl Amount {
    pub fn new(cost: Cost) -> Self {
        Self { cost, delta: DeltaCost::ZERO }
    }

    pub fn checked_add(self, other: Self) -> Option<Self> {
        let (cost, delta) = (self.cost.checked_add(other.cost)?, self.delta.checked_add(other.delta)?);
        Some(Self { cost, delta })
    }

    pub fn saturating_sub(self, other: Self) -> Self {
        let delta = DeltaCost(self.delta.0.saturating_sub(other.delta.0));
        Self { cost: self.cost.saturating_sub(other.cost), delta }
    }

    pub fn max(self, other: Self) -> Self {
        Self { cost: self.cost.max(other.cost), delta: self.delta.max(other.delta) }
    }

    pub fn is_within(self, limit: Self) -> bool {
        self.cost <= limit.cost && self.delta <= limit.delta
    }

    pub(crate) fn in_words(self, notion: Notion) -> Charge {
        match notion {
            Notion::Pure => Charge::Pure(self.cost),
            Notion::ZeroConcentrated => Charge::ZeroConcentrated(self.cost),
            Notion::Approximate => Charge::Approximate(self.cost, self.delta),
        }
    }
}

/// As people write it, rounded up.
impl fmt::Display for Charge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pure(epsilon) => write!(formatter, "ε = {epsilon}"),
            Self::ZeroConcentrated(rho) => write!(formatter, "ρ = {rho}"),
            Self::Approximate(epsilon, delta) => write!(formatter, "ε = {epsilon}, δ = {:e}", delta.upper()),
        }
    }
}

impl fmt::Display for Notion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Pure => "pure ε",
            Self::ZeroConcentrated => "zero-concentrated ρ",
            Self::Approximate => "ε and δ by basic composition",
        })
    }
}
