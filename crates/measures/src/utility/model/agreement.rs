//! One model fitted to the original and to every synthetic set, coefficient by coefficient.

use models::{Coefficient, FittedModel};
use statistics::regression::SymmetricMatrix;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::utility::interval::Interval;

/// How a model fitted to synthetic data agrees with the same model fitted to the original.
///
/// Coefficients are matched by name. With β̂ and s.e. of the original on N records and q̄ the mean over m synthetic sets of n records:
/// **for the estimate**, q̄ stands for β̂ itself, with the original's standard error; **for the population**, q̄ estimates what β̂
/// estimates, with standard error s.e. √(1 + N/(n m)) (Raab, Nowok & Dibben 2016, Journal of Privacy and Confidentiality 7).
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAgreement {
    /// The coefficients that all fits have.
    pub coefficients: Vec<CoefficientAgreement>,
    /// Names of coefficients that not all fits have.
    pub unmatched: Vec<String>,
    /// Mean overlap for the estimate.
    pub overlap: f64,
    /// Mean signed overlap for the estimate, in which disjoint intervals count by how far they are apart.
    pub signed_overlap: f64,
    /// Mean overlap for the population.
    pub population_overlap: f64,
    /// Mean overlap of eq. 2 of Taub & Elliot (2020), each file with its own standard errors.
    pub own_overlap: f64,
    /// Mean absolute difference in standard errors of the original.
    pub std_diff: f64,
    /// (q̄ − β̂)ᵀ (V N/(n m))⁻¹ (q̄ − β̂), about χ² with as many degrees of freedom as coefficients if the generator is right; `None` if the
    /// covariance V cannot be inverted.
    pub lack_of_fit: Option<f64>,
    /// The probability of a larger lack of fit by chance.
    pub p_value: Option<f64>,
}

/// One coefficient in both.
#[derive(Clone, Debug, PartialEq)]
pub struct CoefficientAgreement {
    /// R's name for it.
    pub name: String,
    /// The original's estimate.
    pub original: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The mean of the synthetic estimates.
    pub synthetic: f64,
    /// The mean of the synthetic sets' own squared standard errors.
    pub synthetic_variance: f64,
    /// (synthetic − original) in standard errors of the original.
    pub std_diff: f64,
    /// The overlap for the estimate: both intervals with the original's standard error.
    pub overlap: f64,
    /// The signed overlap for the estimate.
    pub signed_overlap: f64,
    /// The standard error of the synthetic estimate for the population.
    pub population_standard_error: f64,
    /// The overlap for the population.
    pub population_overlap: f64,
    /// The overlap with the synthetic sets' own standard errors.
    pub own_overlap: f64,
}

impl ModelAgreement {
    /// Compares fits to an original of `original_records` records and to synthetic sets of `synthetic_records` each. `None` if no coefficient
    /// is in all fits with a standard error above zero in the original.
    pub fn of(
        original: &FittedModel,
        synthetic: &[FittedModel],
        original_records: f64,
        synthetic_records: f64,
    ) -> Option<Self> {
        let sets = synthetic.len() as f64;
        let shrink = original_records / (synthetic_records * sets);
        let (mut coefficients, mut places, mut unmatched) = (Vec::new(), Vec::new(), Vec::new());
        for (place, own) in original.coefficients.iter().enumerate() {
            let others: Option<Vec<&Coefficient>> =
                synthetic.iter().map(|fit| fit.coefficient(&own.name)).collect();
            match others.and_then(|others| CoefficientAgreement::of(own, &others, shrink)) {
                Some(agreement) => {
                    coefficients.push(agreement);
                    places.push(place);
                }
                None => unmatched.push(own.name.clone()),
            }
        }
        for name in synthetic.iter().flat_map(|fit| fit.coefficients.iter().map(|own| &own.name)) {
            if original.coefficient(name).is_none() && !unmatched.contains(name) {
                unmatched.push(name.clone());
            }
        }
        if coefficients.is_empty() {
            return None;
        }
        let mean = |of: fn(&CoefficientAgreement) -> f64| {
            coefficients.iter().map(of).sum::<f64>() / coefficients.len() as f64
        };
        let differences: Vec<f64> =
            coefficients.iter().map(|coefficient| coefficient.synthetic - coefficient.original).collect();
        let covariance = original.covariance.as_ref().map(|all| {
            SymmetricMatrix::from_upper(places.len(), |row, column| all.get(places[row], places[column]))
        });
        let lack_of_fit = covariance.and_then(|covariance| mahalanobis(&covariance, &differences));
        let lack_of_fit = lack_of_fit.map(|distance| distance / shrink);
        let chi_square = ChiSquared::new(coefficients.len() as f64).ok();
        Some(Self {
            overlap: mean(|one| one.overlap),
            signed_overlap: mean(|one| one.signed_overlap),
            population_overlap: mean(|one| one.population_overlap),
            own_overlap: mean(|one| one.own_overlap),
            std_diff: mean(|one| one.std_diff.abs()),
            lack_of_fit,
            p_value: lack_of_fit.zip(chi_square).map(|(lack, chi_square)| chi_square.sf(lack)),
            coefficients,
            unmatched,
        })
    }
}

impl CoefficientAgreement {
    fn of(own: &Coefficient, others: &[&Coefficient], shrink: f64) -> Option<Self> {
        let standard_error = own.standard_error.filter(|error| *error > 0.0 && error.is_finite())?;
        let sets = others.len() as f64;
        let synthetic = others.iter().map(|other| other.estimate).sum::<f64>() / sets;
        let errors: Option<Vec<f64>> = others.iter().map(|other| other.standard_error).collect();
        let synthetic_variance = errors?.iter().map(|error| error * error).sum::<f64>() / sets;
        let population_standard_error = standard_error * (1.0 + shrink).sqrt();
        let interval = Interval::around(own.estimate, standard_error);
        let around = |error: f64| interval.overlap(Interval::around(synthetic, error));
        Some(Self {
            name: own.name.clone(),
            original: own.estimate,
            standard_error,
            synthetic,
            synthetic_variance,
            std_diff: (synthetic - own.estimate) / standard_error,
            overlap: around(standard_error),
            signed_overlap: interval.signed_overlap(Interval::around(synthetic, standard_error)),
            population_standard_error,
            population_overlap: around(population_standard_error),
            own_overlap: around(synthetic_variance.sqrt()),
        })
    }
}

/// dᵀ V⁻¹ d; `None` if V is not positive definite.
fn mahalanobis(covariance: &SymmetricMatrix, difference: &[f64]) -> Option<f64> {
    let factor = covariance.cholesky()?;
    let mut solved: Vec<f64> = Vec::with_capacity(difference.len());
    for (row, wanted) in factor.iter().zip(difference) {
        let known: f64 = row.iter().zip(&solved).map(|(entry, value)| entry * value).sum();
        solved.push((wanted - known) / row[solved.len()]);
    }
    Some(solved.iter().map(|value| value * value).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mahalanobis_by_hand() {
        // V = [[2, 1], [1, 2]], V⁻¹ = [[2, −1], [−1, 2]]/3.
        let covariance = SymmetricMatrix::from_upper(2, |row, column| if row == column { 2.0 } else { 1.0 });
        let distance = mahalanobis(&covariance, &[1.0, 3.0]).unwrap();
        assert!((distance - (2.0 - 6.0 + 18.0) / 3.0).abs() < 1e-12);
        let singular = SymmetricMatrix::from_upper(2, |_, _| 1.0);
        assert_eq!(mahalanobis(&singular, &[1.0, 0.0]), None);
    }
}
