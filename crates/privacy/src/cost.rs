//! Privacy loss in whole units of 2⁻⁴⁰, so that sums are exact: costs round up, budgets round down.

use std::fmt;
use std::iter::Sum;

use serde::{Deserialize, Serialize};

use crate::PrivacyError;

/// A privacy loss (an ε or a ρ) as a whole number of units of 2⁻⁴⁰ ≈ 9.1·10⁻¹³.
///
/// A budget that a person states is rounded *down* to a multiple, a cost that comes out of real arithmetic is rounded
/// *up*, and sums are sums of integers. Noise is then drawn with exactly the ε or ρ of the integer, not with the
/// real number that it was rounded from, so the books and the deeds agree to the last digit.
///
/// The largest cost is 2²⁴ ≈ 1.7·10⁷.
///
/// ```
/// use privacy::Cost;
/// let budget = Cost::rounded_down(0.1)?;
/// let shares = budget.split(&[1.0, 2.0, 4.0])?;
/// assert!(shares.iter().copied().sum::<Cost>() <= budget);
/// assert_eq!(budget.to_string(), "0.1");
/// # Ok::<(), privacy::PrivacyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(u64);

impl Cost {
    /// Units in one: 2⁴⁰.
    pub const UNITS_IN_ONE: u64 = 1 << 40;

    /// No loss.
    pub const ZERO: Self = Self(0);

    /// A number of units of 2⁻⁴⁰.
    pub const fn from_units(units: u64) -> Self {
        Self(units)
    }

    /// The number of units of 2⁻⁴⁰.
    pub const fn units(self) -> u64 {
        self.0
    }

    /// The largest cost not above `value`: for budgets.
    pub fn rounded_down(value: f64) -> Result<Self, PrivacyError> {
        Self::in_units(value, f64::floor)
    }

    /// The smallest cost not below `value`: for costs.
    pub fn rounded_up(value: f64) -> Result<Self, PrivacyError> {
        Self::in_units(value, f64::ceil)
    }

    /// Whether this is no loss at all; noise for it would be infinite.
    pub(crate) const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// A number not below the cost; equal to it below 2¹³.
    pub fn upper(self) -> f64 {
        let nearest = self.0 as f64;
        let above = if (nearest as u128) < u128::from(self.0) { nearest.next_up() } else { nearest };
        above / Self::UNITS_IN_ONE as f64
    }

    /// A number not above the cost; equal to it below 2¹³.
    pub fn lower(self) -> f64 {
        let nearest = self.0 as f64;
        let below = if (nearest as u128) > u128::from(self.0) { nearest.next_down() } else { nearest };
        below / Self::UNITS_IN_ONE as f64
    }

    /// The decimal number with at most 12 decimals that is not below the cost: what is spent is never understated.
    pub(crate) fn decimal_up(self) -> String {
        decimal(self.0, true)
    }

    /// The decimal number with at most 12 decimals that is not above the cost: what is left is never overstated.
    pub(crate) fn decimal_down(self) -> String {
        decimal(self.0, false)
    }

    /// The number that [`Cost::decimal_up`] writes, for files.
    pub(crate) fn value_up(self) -> f64 {
        let value: f64 = self.decimal_up().parse().expect("a decimal number is a number");
        value.max(self.upper())
    }

    /// The sum, or nothing above the largest cost.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// What is left after `other`; zero if that is more.
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `numerator / denominator` of the cost, rounded down.
    ///
    /// # Panics
    /// If the share is not within 0 and 1.
    pub fn share(self, numerator: u64, denominator: u64) -> Self {
        assert!(denominator > 0 && numerator <= denominator, "a share lies within 0 and 1");
        let units = u128::from(self.0) * u128::from(numerator) / u128::from(denominator);
        Self(u64::try_from(units).expect("a share is at most the whole"))
    }

    /// Splits a budget in proportion to weights, each share rounded down, so that the sum never exceeds the budget.
    ///
    /// Weights are finite and at least zero, and one is positive. A share may be zero if its weight is; a positive weight whose
    /// share would vanish is refused, since noise for a cost of zero is infinite.
    pub fn split(self, weights: &[f64]) -> Result<Vec<Self>, PrivacyError> {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let valid = weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0);
        if !valid || largest <= 0.0 {
            return Err(PrivacyError::Weights);
        }
        // Weights as integers up to 2⁶²: from here on all is exact, so Σ⌊B·wᵢ/W⌋ ≤ B, and B·wᵢ < 2¹²⁶ fits.
        let whole: Vec<u64> =
            weights.iter().map(|weight| (weight / largest * 2_f64.powi(62)) as u64).collect();
        let sum: u128 = whole.iter().map(|&weight| u128::from(weight)).sum();
        let share = |&weight: &u64| (u128::from(self.0) * u128::from(weight) / sum) as u64;
        let shares: Vec<Self> = whole.iter().map(|weight| Self(share(weight))).collect();
        if shares.iter().zip(weights).any(|(share, &weight)| share.is_zero() && weight > 0.0) {
            return Err(PrivacyError::ShareVanishes { budget: self, shares: weights.len() });
        }
        Ok(shares)
    }

    fn in_units(value: f64, round: fn(f64) -> f64) -> Result<Self, PrivacyError> {
        // A product with a power of two is exact, and so are floor and ceil.
        let units = round(value * Self::UNITS_IN_ONE as f64);
        if value.is_nan() || value < 0.0 || units >= 2_f64.powi(64) {
            return Err(PrivacyError::CostOutOfRange { value });
        }
        Ok(Self(units as u64))
    }
}

/// The sum; costs are far too small to overflow in practice, and it panics rather than wrap.
impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::ZERO, |sum, cost| sum.checked_add(cost).expect("a sum of costs stays below 2²⁴"))
    }
}

/// As `Cost::decimal_up`.
impl fmt::Display for Cost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.decimal_up())
    }
}

const DECIMALS: u128 = 1_000_000_000_000;

fn decimal(units: u64, up: bool) -> String {
    let scaled = u128::from(units) * DECIMALS;
    let one = u128::from(Cost::UNITS_IN_ONE);
    let rounded = if up { scaled.div_ceil(one) } else { scaled / one };
    let (whole, fraction) = (rounded / DECIMALS, rounded % DECIMALS);
    let text = format!("{whole}.{fraction:012}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn budgets_round_down_and_costs_round_up() {
        let (down, up) = (Cost::rounded_down(0.1).unwrap(), Cost::rounded_up(0.1).unwrap());
        assert_eq!(up.units() - down.units(), 1);
        assert_eq!(Cost::rounded_down(0.5).unwrap(), Cost::rounded_up(0.5).unwrap());
        assert_eq!(Cost::rounded_up(1e-300).unwrap(), Cost::from_units(1));
        assert!(Cost::rounded_down(1e-300).unwrap().is_zero());
        assert_eq!(Cost::rounded_down(1e5).unwrap().units(), 100_000 << 40);
        for bad in [-1.0, f64::NAN, f64::INFINITY, 2e7] {
            assert!(Cost::rounded_up(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn decimals_never_understate_what_is_spent() {
        assert_eq!(Cost::rounded_down(0.1).unwrap().decimal_up(), "0.1");
        assert_eq!(Cost::rounded_down(0.1).unwrap().decimal_down(), "0.099999999999");
        assert_eq!(Cost::from_units(1).decimal_up(), "0.000000000001");
        assert_eq!(Cost::from_units(1).decimal_down(), "0");
        assert_eq!(Cost::from_units(3 << 39).to_string(), "1.5");
        assert_eq!(Cost::ZERO.to_string(), "0");
        assert_eq!(Cost::rounded_down(100.0).unwrap().to_string(), "100");
    }

    #[test]
    fn splits_that_cannot_be_are_refused() {
        let budget = Cost::rounded_down(1.0).unwrap();
        for weights in [&[][..], &[0.0, 0.0], &[1.0, -1.0], &[f64::NAN], &[f64::INFINITY]] {
            assert!(matches!(budget.split(weights), Err(PrivacyError::Weights)), "{weights:?}");
        }
        assert!(matches!(
            Cost::from_units(2).split(&[1.0, 1.0, 1.0]),
            Err(PrivacyError::ShareVanishes { .. })
        ));
        assert_eq!(budget.split(&[0.0, 2.0]).unwrap(), [Cost::ZERO, budget]);
    }

    proptest! {
        #[test]
        fn a_split_never_exceeds_the_budget_and_wastes_less_than_a_unit_a_share(
            budget in 1e-6..1e5_f64,
            weights in prop::collection::vec(1e-3..1e3_f64, 1..60),
        ) {
            let budget = Cost::rounded_down(budget).unwrap();
            if let Ok(shares) = budget.split(&weights) {
                let sum: Cost = shares.iter().copied().sum();
                prop_assert!(sum <= budget);
                prop_assert!(budget.units() - sum.units() < weights.len() as u64);
                let total: f64 = weights.iter().sum();
                for (share, weight) in shares.iter().zip(&weights) {
                    let wanted = budget.upper() * weight / total;
                    prop_assert!((share.upper() - wanted).abs() <= 1e-12 + 1e-12 * wanted);
                }
            }
        }

        #[test]
        fn numbers_enclose_the_cost(units in any::<u64>()) {
            let cost = Cost::from_units(units);
            let exact = |value: f64| (value * 2_f64.powi(40)) as u128;
            prop_assert!(exact(cost.lower()) <= u128::from(units));
            prop_assert!(exact(cost.upper()) >= u128::from(units));
            prop_assert!(Cost::rounded_up(cost.lower()).unwrap() <= cost);
        }
    }
}
