//! The ε of a recipe's guarantee, whatever notion of privacy its budget is stated in.

use privacy::conversion::epsilon_of_rho;
use privacy::{Cost, Delta};
use synthesis::private::PrivacySettings;

use super::recommendation::figures;

/// The δ at which the ε of a zero-concentrated budget is stated, as in the ledger.
pub(crate) const CUSTOMARY_DELTA: f64 = 1e-6;

/// The ε of a private recipe; none where the budget makes no sense. A budget ρ of zero-concentrated privacy is converted at
/// `CUSTOMARY_DELTA`, rounded up (Canonne, Kamath & Steinke 2020, Prop. 7).
pub fn epsilon_of(privacy: &PrivacySettings) -> Option<f64> {
    match (privacy.epsilon, privacy.rho) {
        (Some(epsilon), _) => Some(epsilon),
        (None, Some(rho)) => {
            let (rho, delta) = (Cost::rounded_up(rho).ok()?, Delta::new(CUSTOMARY_DELTA).ok()?);
            epsilon_of_rho(rho, delta).ok().map(|epsilon| epsilon.upper())
        }
        (None, None) => None,
    }
}

/// At which δ that ε holds, where it is not pure.
pub(crate) fn epsilon_remark(privacy: &PrivacySettings) -> Option<String> {
    match (privacy.epsilon, privacy.delta, privacy.rho) {
        (Some(_), Some(delta), _) => Some(format!("its epsilon holds at delta {delta:e}")),
        (None, _, Some(rho)) => {
            let epsilon = figures(epsilon_of(privacy)?);
            Some(format!("rho {rho} is epsilon {epsilon} at delta {CUSTOMARY_DELTA:e}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(text: &str) -> PrivacySettings {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_budget_of_rho_has_an_epsilon_at_a_delta() {
        assert_eq!(epsilon_of(&budget("epsilon = 0.5")), Some(0.5));
        assert_eq!(epsilon_remark(&budget("epsilon = 0.5")), None);
        // The example of `privacy::conversion`.
        let rho = budget("rho = 0.02");
        assert!((epsilon_of(&rho).unwrap() - 0.8999).abs() < 1e-3);
        assert!(epsilon_remark(&rho).is_some_and(|text| text.ends_with("at delta 1e-6")));
        let approximate = budget("epsilon = 2\ndelta = 1e-5");
        assert_eq!(epsilon_of(&approximate), Some(2.0));
        assert_eq!(epsilon_remark(&approximate).as_deref(), Some("its epsilon holds at delta 1e-5"));
    }
}
