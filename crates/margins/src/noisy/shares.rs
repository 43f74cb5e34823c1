//! Shares of a budget, exact: whole multiples of 2⁻⁴⁰ that add up to the whole budget and no more.

use crate::error::Error;

/// Units of a budget of 1.
const UNITS: f64 = (1_u64 << 40) as f64;
/// The largest budget: its units, and their sums, are whole numbers that a double holds.
pub(crate) const LARGEST: u32 = 1 << 12;

/// An amount of budget in units of 2⁻⁴⁰.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Amount(u64);

impl Amount {
    /// A budget, rounded down to whole units.
    pub(crate) fn budget(value: f64) -> Result<Self, Error> {
        let units = value * UNITS;
        if !(units >= 1.0 && value <= f64::from(LARGEST)) {
            return Err(Error::Budget { most: LARGEST });
        }
        Ok(Self(units as u64))
    }

    /// A share of this amount, rounded down, and what is left of it.
    pub(crate) fn split(self, share: f64) -> (Self, Self) {
        let part = ((self.0 as f64 * share.clamp(0.0, 1.0)) as u64).min(self.0);
        (Self(part), Self(self.0 - part))
    }

    /// At most `value`, in whole units.
    pub(crate) fn at_most(self, value: f64) -> Self {
        Self(self.0.min((value * UNITS) as u64))
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Cut by weights (positive), every share rounded down; what rounding leaves goes to the first. Refused
    /// where a share would be nothing.
    pub(crate) fn shared(self, weights: &[f64]) -> Result<Vec<Self>, Error> {
        let total: f64 = weights.iter().sum();
        let mut left = self.0;
        let mut shares: Vec<u64> = weights
            .iter()
            .map(|weight| {
                let share = ((self.0 as f64 * (weight / total)) as u64).min(left);
                left -= share;
                share
            })
            .collect();
        if let Some(first) = shares.first_mut() {
            *first += left;
        }
        if shares.contains(&0) {
            return Err(Error::BudgetTooSmall { margins: weights.len() });
        }
        Ok(shares.into_iter().map(Self).collect())
    }

    /// The amount as a number, exactly.
    pub(crate) fn value(self) -> f64 {
        self.0 as f64 / UNITS
    }

    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }
}

impl std::iter::Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        Self(amounts.map(|amount| amount.0).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_add_up_to_the_budget(
            budget in 1e-6_f64..4096.0,
            weights in proptest::collection::vec(0.01_f64..100.0, 1..300),
        ) {
            let budget = Amount::budget(budget).unwrap();
            let shares = budget.shared(&weights).unwrap();
            prop_assert_eq!(shares.iter().copied().sum::<Amount>(), budget);
            // In the order of units, all sums of doubles are exact.
            prop_assert_eq!(shares.iter().map(|share| share.value()).sum::<f64>(), budget.value());
        }

        #[test]
        fn nothing_is_lost_in_a_split(budget in 1e-6_f64..4096.0, share in -0.5_f64..1.5) {
            let budget = Amount::budget(budget).unwrap();
            let (part, rest) = budget.split(share);
            prop_assert_eq!([part, rest].into_iter().sum::<Amount>(), budget);
            prop_assert!((part.value() - budget.value() * share.clamp(0.0, 1.0)).abs() < 1e-11);
        }
    }

    #[test]
    fn budgets_round_down() {
        assert_eq!(Amount::budget(0.1).unwrap().value(), 109951162777.0 / (1_u64 << 40) as f64);
        assert!(Amount::budget(0.1).unwrap().value() < 0.1);
        assert_eq!(Amount::budget(1.0).unwrap().value(), 1.0);
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-13, 5e3] {
            assert_eq!(Amount::budget(wrong), Err(Error::Budget { most: LARGEST }));
        }
        assert_eq!(Amount(5).shared(&[1.0; 6]), Err(Error::BudgetTooSmall { margins: 6 }));
    }
}
