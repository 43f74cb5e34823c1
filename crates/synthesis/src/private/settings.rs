//! What a recipe says about privacy: how much may be spent, in which notion, for which neighbours.

use privacy::{Budget, Delta, Epsilon, Neighbours, Rho};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Accounting;
use crate::SynthesisError;

/// The `[privacy]` table of a recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrivacySettings {
    /// The ε of the guarantee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// The δ that goes with ε; without it the guarantee is pure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// The ρ of zero-concentrated privacy, instead of ε.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rho: Option<f64>,
    /// Which tables are to be indistinguishable; what the method's argument needs, or else add-remove, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<Neighbours>,
    /// The number of records in the data, where it is public; `rows` stands for it where only that is stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// The share of the budget that a noisy count of the records costs where `rows` is not stated.
    #[serde(default = "five_per_cent")]
    pub size_share: f64,
    /// The share of the budget that the sizes of strata cost.
    #[serde(default = "ten_per_cent")]
    pub strata_share: f64,
    /// The share of the budget that domains cost which are bought: cuts of numbers that have none in the schema, and whatever the schema calls `"private"`.
    #[serde(default = "ten_per_cent")]
    pub domain_share: f64,
}

fn five_per_cent() -> f64 {
    0.05
}

fn ten_per_cent() -> f64 {
    0.1
}

impl Default for PrivacySettings {
    fn default() -> Self {
        Self {
            epsilon: None,
            delta: None,
            rho: None,
            neighbours: None,
            records: None,
            size_share: five_per_cent(),
            strata_share: ten_per_cent(),
            domain_share: ten_per_cent(),
        }
    }
}

impl PrivacySettings {
    /// The budget, for a method that spends an ε with a δ in this way.
    pub fn budget(&self, accounting: Accounting) -> Result<Budget, SynthesisError> {
        let refuse = |name: &str, message: &str| Err(SynthesisError::option(name, message));
        match (self.epsilon, self.delta, self.rho) {
            (Some(_), _, Some(_)) => refuse("rho", "state the budget as epsilon or as rho, not as both"),
            (None, Some(_), _) => refuse("delta", "a delta needs an epsilon; with rho none is stated"),
            (None, None, None) => refuse("epsilon", "a private run needs a budget: state epsilon, or rho"),
            (Some(epsilon), None, None) => Ok(Budget::pure(Epsilon::new(epsilon)?)?),
            (Some(epsilon), Some(delta), None) => {
                let (epsilon, delta) = (Epsilon::new(epsilon)?, Delta::new(delta)?);
                Ok(match accounting {
                    Accounting::ZeroConcentrated => Budget::approximate_via_zcdp(epsilon, delta)?,
                    Accounting::Basic => Budget::approximate(epsilon, delta)?,
                })
            }
            (None, None, Some(rho)) => Ok(Budget::zero_concentrated(Rho::new(rho)?)?),
        }
    }

    /// Refuses shares that leave nothing for the method.
    pub fn check(&self) -> Result<(), SynthesisError> {
        let shares = [
            ("size_share", self.size_share),
            ("strata_share", self.strata_share),
            ("domain_share", self.domain_share),
        ];
        for (name, share) in shares {
            if !(share > 0.0 && share < 0.9) {
                return Err(SynthesisError::option(name, "it must lie above 0 and below 0.9"));
            }
        }
        if self.records == Some(0) {
            return Err(SynthesisError::option("records", "a table without records has nothing to protect"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_that_mean_nothing_are_refused() {
        let none = PrivacySettings::default();
        let wrong = [
            none.clone(),
            PrivacySettings { epsilon: Some(1.0), rho: Some(0.1), ..none.clone() },
            PrivacySettings { delta: Some(1e-6), ..none.clone() },
            PrivacySettings { delta: Some(1e-6), rho: Some(1.0), ..none.clone() },
            PrivacySettings { epsilon: Some(-1.0), ..none.clone() },
            PrivacySettings { epsilon: Some(f64::INFINITY), ..none.clone() },
            PrivacySettings { epsilon: Some(1.0), delta: Some(1.0), ..none.clone() },
        ];
        assert!(wrong.iter().all(|settings| settings.budget(Accounting::Basic).is_err()));
        assert!(PrivacySettings { size_share: 0.0, ..none.clone() }.check().is_err());
        let both = PrivacySettings { epsilon: Some(1.0), delta: Some(1e-6), ..none };
        let notion = |accounting| both.budget(accounting).unwrap().notion().to_string();
        assert_ne!(notion(Accounting::Basic), notion(Accounting::ZeroConcentrated));
    }
}
