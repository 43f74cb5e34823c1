//! The propensity score by logistic regression, whose null distribution is known.

use models::{ModelError, propensity_design};

use super::{Pooled, PropensityScores, ScoreSummary};
use crate::{Comparison, Prepared};

/// What logistic regression says of two files.
///
/// When the synthetic records come from the distribution of the original, pMSE is about (1 − c)² c / (N + n) times a χ² variable with
/// df = k − 1 degrees of freedom, for k estimated coefficients with the intercept (Snoke, Raab, Nowok, Dibben & Slavkovic 2018,
/// Theorem 1).
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticPropensity {
    /// What the scores say.
    pub summary: ScoreSummary,
    /// Estimated coefficients less the intercept.
    pub df: usize,
    /// All coefficients, those aliased with others included.
    pub coefficients: usize,
    /// The expectation of pMSE.
    pub null: f64,
    /// pMSE over its expectation; `None` without degrees of freedom.
    pub s_pmse: Option<f64>,
    /// pMSE less its expectation, over its standard deviation: about normal for many degrees of freedom; `None` without any.
    pub z: Option<f64>,
    /// Whether the iterations met their criterion.
    pub converged: bool,
    /// What is to be said of the fit: that it did not converge, or that some values occur in one file alone.
    pub warning: Option<&'static str>,
}

/// [`logistic_propensity`], found again where another family of measures has asked for it; `pooled` holds the records of the comparison.
pub(crate) fn logistic_propensity_prepared(
    comparison: &Comparison<'_>,
    pooled: &Pooled,
    variables: &[&str],
    order: usize,
    prepared: &Prepared,
) -> Result<Option<LogisticPropensity>, ModelError> {
    let key = pooled.key(("logistic", variables, order));
    prepared.regression(key, || logistic_propensity(comparison, variables, order))
}

/// The propensity on these variables, or on all that both tables have but identifiers, by main effects (`order` 0), with products of two
/// variables (1), of three (2) …; `None` if a file is empty.
pub fn logistic_propensity(
    comparison: &Comparison<'_>,
    variables: &[&str],
    order: usize,
) -> Result<Option<LogisticPropensity>, ModelError> {
    let (original, synthetic) = (comparison.original, comparison.synthetic);
    if original.rows() == 0 || synthetic.rows() == 0 {
        return Ok(None);
    }
    let design = propensity_design(original, synthetic, variables, order + 1)?;
    let fit = design.fit()?;
    let is_synthetic = design.is_synthetic.iter().map(|is| *is == 1.0).collect();
    let df = fit.estimated().len().saturating_sub(1);
    let coefficients = fit.coefficients.len();
    let (converged, warning) = (fit.convergence.converged, fit.convergence.warning());
    let Some(scores) = PropensityScores::new(fit.fitted, is_synthetic) else { return Ok(None) };
    let (share, records) = (scores.share(), (original.rows() + synthetic.rows()) as f64);
    let unit = (1.0 - share).powi(2) * share / records;
    let summary = scores.summary();
    let (null, freedom) = (df as f64 * unit, df as f64);
    Ok(Some(LogisticPropensity {
        summary,
        df,
        coefficients,
        null,
        s_pmse: (df > 0).then(|| summary.pmse / null),
        z: (df > 0).then(|| (summary.pmse - null) / (unit * (2.0 * freedom).sqrt())),
        converged,
        warning,
    }))
}
