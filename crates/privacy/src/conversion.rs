//! From one notion of privacy to another, never understating a loss.
//!
//! | from | to | theorem |
//! |---|---|---|
//! | ε-DP | ε²/2-zCDP | Bun & Steinke 2016, Prop. 1.4 |
//! | exponential mechanism of ε | ε²/8-zCDP | Cesar & Rogers 2021, Lemma 3.4 |
//! | ρ-zCDP | (ε, δ)-DP | Canonne, Kamath & Steinke 2020, Prop. 7 |
//!
//! For every order α > 1, ρ-zCDP implies (ε, δ)-DP with δ = exp((α − 1)(αρ − ε)) / (α − 1) · (1 − 1/α)^α, so a minimum over *some* orders never understates.
//! The orders here are a fixed grid: conversions are then monotone exactly, not only up to the noise of a search, and lose at most 2·10⁻⁷ of ε
//! against the best order. Every value carries a bound of its own rounding error, and costs round up.

use std::sync::LazyLock;

use crate::{Cost, Delta, PrivacyError};

/// The smallest ε (rounded up) such that ρ-zCDP is (ε, δ)-DP.
///
/// ```
/// use privacy::{Cost, Delta, conversion::epsilon_of_rho};
/// let epsilon = epsilon_of_rho(Cost::rounded_up(0.02)?, Delta::new(1e-6)?)?;
/// assert!((epsilon.upper() - 0.8999).abs() < 1e-3);
/// # Ok::<(), privacy::PrivacyError>(())
/// ```
pub fn epsilon_of_rho(rho: Cost, delta: Delta) -> Result<Cost, PrivacyError> {
    Orders::at(delta).epsilon(rho)
}

/// The largest ρ (rounded down) such that ρ-zCDP is (ε, δ)-DP: the inverse of [`epsilon_of_rho`].
pub fn rho_of_epsilon(epsilon: Cost, delta: Delta) -> Result<Cost, PrivacyError> {
    let orders = Orders::at(delta);
    let fits = |rho: u64| orders.epsilon(Cost::from_units(rho)).is_ok_and(|spent| spent <= epsilon);
    // Bisection on whole units; what is returned has itself been converted and found to fit.
    let (mut fitting, mut beyond) = (0_u64, u64::MAX);
    while beyond - fitting > 1 {
        let middle = fitting + (beyond - fitting) / 2;
        if fits(middle) {
            fitting = middle;
        } else {
            beyond = middle;
        }
    }
    if fitting == 0 {
        return Err(PrivacyError::BudgetTooSmall { value: epsilon.upper() });
    }
    Ok(Cost::from_units(fitting))
}

/// The smallest δ (rounded up) such that ρ-zCDP is (ε, δ)-DP; at most one.
pub fn delta_of_rho(rho: Cost, epsilon: Cost) -> f64 {
    let (rho, epsilon) = (rho.upper(), epsilon.lower());
    let log_delta = |a: f64| {
        let parts = [a * rho, a * a * rho, -a * epsilon, -a * (1.0 / a).ln_1p(), -a.ln_1p()];
        parts.iter().sum::<f64>() + ROUNDING * parts.iter().map(|part| part.abs()).sum::<f64>()
    };
    let smallest = grid().map(log_delta).fold(0.0, f64::min);
    (smallest.exp() * (1.0 + ROUNDING)).min(1.0)
}

/// ε-DP is ε²/2-zCDP; rounded up from the exact square.
pub(crate) fn rho_of_pure(epsilon: Cost) -> Result<Cost, PrivacyError> {
    square_over(epsilon, 1)
}

/// The exponential mechanism with ε is ε²/8-zCDP; rounded up from the exact square.
pub fn exponential_mechanism_rho(epsilon: Cost) -> Result<Cost, PrivacyError> {
    square_over(epsilon, 3)
}

/// The largest ε whose exponential mechanism costs at most ρ: √(8ρ), rounded down.
///
/// ```
/// use privacy::{Cost, conversion};
/// let epsilon = conversion::exponential_mechanism_epsilon(Cost::rounded_down(0.5)?)?;
/// assert_eq!(epsilon.to_string(), "2");
/// assert!(conversion::exponential_mechanism_rho(epsilon)? <= Cost::rounded_down(0.5)?);
/// # Ok::<(), privacy::PrivacyError>(())
/// ```
pub fn exponential_mechanism_epsilon(rho: Cost) -> Result<Cost, PrivacyError> {
    // (e/2⁴⁰)²/8 ≤ r/2⁴⁰ for e ≤ √(8·r·2⁴⁰); the product is below 2¹⁰⁷.
    let root = (u128::from(rho.units()) << 43).isqrt();
    u64::try_from(root).map(Cost::from_units).map_err(|_| PrivacyError::SumOutOfRange)
}

/// ε²/2^shift in units: c²/2⁸⁰ = (c²/2^(40 + shift))/2⁴⁰.
fn square_over(epsilon: Cost, shift: u32) -> Result<Cost, PrivacyError> {
    let square = u128::from(epsilon.units()) * u128::from(epsilon.units());
    let units = square.div_ceil(u128::from(Cost::UNITS_IN_ONE) << shift);
    u64::try_from(units).map(Cost::from_units).map_err(|_| PrivacyError::SumOutOfRange)
}

/// Several ulps for each sum of a few terms of logarithms.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// For one δ, the line a ↦ ε = (1 + a)·ρ + (ln(1/δ) − ln(1 + a))/a − ln(1 + 1/a) of each order α = 1 + a.
struct Orders(Vec<Order>);

struct Order {
    slope: f64,
    intercept: f64,
}

impl Orders {
    fn at(delta: Delta) -> Self {
        // The logarithms of the orders are those of every δ.
        static OF_EVERY_DELTA: LazyLock<Vec<(f64, f64, f64)>> =
            LazyLock::new(|| grid().map(|a| (a, -a.ln_1p() / a, -(1.0 / a).ln_1p())).collect());
        let log = -delta.value().ln();
        let order = |(a, second, third): &(f64, f64, f64)| {
            let parts = [log / a, *second, *third];
            let error = ROUNDING * parts.iter().map(|part| part.abs()).sum::<f64>();
            Order { slope: (1.0 + a) * (1.0 + ROUNDING), intercept: parts.iter().sum::<f64>() + error }
        };
        Self(OF_EVERY_DELTA.iter().map(order).collect())
    }

    fn epsilon(&self, rho: Cost) -> Result<Cost, PrivacyError> {
        let rho = rho.upper();
        let epsilon =
            self.0.iter().map(|order| order.slope * rho + order.intercept).fold(f64::INFINITY, f64::min);
        Cost::rounded_up(epsilon.max(0.0) * (1.0 + ROUNDING))
    }
}

/// α − 1 from 10⁻⁶ to 10⁸, 1,024 to a factor of e: the best order is about √(ln(1/δ)/ρ), and within the grid for every cost that can be held.
fn grid() -> impl Iterator<Item = f64> {
    (-14_148..=18_864).map(|step| (f64::from(step) / 1024.0).exp())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn cost(value: f64) -> Cost {
        Cost::rounded_up(value).unwrap()
    }

    /// The definition, written as in the paper, at one order.
    fn delta_at(alpha: f64, rho: f64, epsilon: f64) -> f64 {
        ((alpha - 1.0) * (alpha * rho - epsilon)).exp() / (alpha - 1.0) * (1.0 - 1.0 / alpha).powf(alpha)
    }

    /// OpenDP's figures; the looser ρ + 2√(ρ·ln(1/δ)) of Bun & Steinke would give 0.980, 1.071 and 1.308.
    #[rstest]
    #[case(1e-5, 0.7943)]
    #[case(1e-6, 0.8999)]
    #[case(1e-9, 1.1633)]
    fn the_tight_figures(#[case] delta: f64, #[case] figure: f64) {
        let epsilon = epsilon_of_rho(cost(0.02), Delta::new(delta).unwrap()).unwrap().upper();
        assert!(epsilon > figure - 5e-5 && epsilon < figure + 1e-3, "{epsilon}");
        assert!(epsilon < 0.02 + 2.0 * (0.02 * -delta.ln()).sqrt());
    }

    #[test]
    fn pure_privacy_becomes_half_its_square_rounded_up() {
        assert_eq!(rho_of_pure(cost(2.0)).unwrap(), cost(2.0));
        assert_eq!(exponential_mechanism_rho(cost(2.0)).unwrap(), cost(0.5));
        assert_eq!(rho_of_pure(Cost::from_units(1)).unwrap(), Cost::from_units(1));
        assert!(matches!(rho_of_pure(cost(1e5)), Err(PrivacyError::SumOutOfRange)));
        let third = rho_of_pure(cost(1.0 / 3.0)).unwrap();
        assert!(third.upper() >= 1.0 / 18.0 && third.upper() < 1.0 / 18.0 + 2e-12);
    }

    #[test]
    fn a_budget_that_no_rho_fits_is_refused() {
        let delta = Delta::new(1e-9).unwrap();
        assert!(matches!(
            rho_of_epsilon(Cost::from_units(1), delta),
            Err(PrivacyError::BudgetTooSmall { .. })
        ));
        assert!(rho_of_epsilon(cost(1e-3), delta).is_ok());
        assert!(rho_of_epsilon(cost(1e5), delta).unwrap() > cost(9e4));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// No order of the paper's formula gives a smaller δ at the ε that we state, up to the rounding of the formula itself.
        #[test]
        fn losses_are_never_understated_and_hardly_overstated(log_rho in -9.0..3.0_f64, log_delta in -15.0..-0.5_f64) {
            let (rho, delta) = (cost(10_f64.powf(log_rho)), Delta::new(10_f64.powf(log_delta)).unwrap());
            let epsilon = epsilon_of_rho(rho, delta).unwrap().upper();
            prop_assume!(epsilon > 1e-9);
            let best = |epsilon: f64| {
                (-8_000..12_000).map(|step| 1.0 + (f64::from(step) / 1000.0).exp())
                    .map(|alpha| delta_at(alpha, rho.upper(), epsilon)).fold(f64::INFINITY, f64::min)
            };
            prop_assert!(best(epsilon) <= delta.value() * (1.0 + 1e-5));
            prop_assert!(best(epsilon * (1.0 - 1e-5) - 1e-11) > delta.value());
        }

        #[test]
        fn conversions_are_monotone_and_inverse_to_each_other(
            log_rho in -9.0..3.0_f64, factor in 1.0..3.0_f64, log_delta in -15.0..-0.5_f64, log_factor in 0.0..2.0_f64,
        ) {
            let delta = Delta::new(10_f64.powf(log_delta)).unwrap();
            let smaller_delta = Delta::new(10_f64.powf(log_delta - log_factor)).unwrap();
            let (rho, more) = (cost(10_f64.powf(log_rho)), cost(10_f64.powf(log_rho) * factor));
            let epsilon = epsilon_of_rho(rho, delta).unwrap();
            prop_assert!(epsilon_of_rho(more, delta).unwrap() >= epsilon);
            prop_assert!(epsilon_of_rho(rho, smaller_delta).unwrap() >= epsilon);
            if !epsilon.is_zero() {
                let back = rho_of_epsilon(epsilon, delta).unwrap();
                prop_assert!(back >= rho && epsilon_of_rho(back, delta).unwrap() <= epsilon);
                let next = Cost::from_units(back.units() + 1);
                prop_assert!(epsilon_of_rho(next, delta).unwrap() > epsilon);
                let stated = delta_of_rho(rho, epsilon);
                prop_assert!(stated <= delta.value() * (1.0 + 1e-5), "{stated} {delta}");
            }
        }
    }
}
