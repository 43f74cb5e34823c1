//! Own models: `compare(glm.synds(…), data)` and `lm.synds`.

use measures::SyntheticSets;
use measures::utility::model::{ModelRequest, model_agreement};
use models::{Formula, ModelFamily};
use shared_data::GoldenPair;

use crate::ledger::Ledger;

/// Compares all numbers of the models.
pub fn compare(ledger: &mut Ledger<'_>, golden: &GoldenPair) {
    compare_model(ledger, golden, "glm.synds_logistic", ModelFamily::Logistic);
    compare_model(ledger, golden, "lm.synds_linear", ModelFamily::Gaussian);
}

fn compare_model(ledger: &mut Ledger<'_>, golden: &GoldenPair, block: &str, family: ModelFamily) {
    let Some(formula) = ledger.at(&[block, "formula"]).as_str() else { return };
    let formula = Formula::parse(formula.trim_end_matches(", binomial")).unwrap();
    let sets = SyntheticSets { original: &golden.original, synthetic: &[&golden.synthetic], holdout: None };
    let found = model_agreement(&sets, &ModelRequest { formula, family }).unwrap().unwrap();
    assert!(found.unmatched.is_empty());
    let tolerance = if family == ModelFamily::Gaussian { 1e-9 } else { 1e-6 };
    let population = "population_inference";
    for one in &found.coefficients {
        let name = one.name.as_str();
        for (path, value) in [
            (&[block, "coef_syn_mcoefavg", name][..], one.synthetic),
            (&[block, "var_syn_mvaravg", name], one.synthetic_variance),
            (&[block, "observed_fit", name, "Beta"], one.original),
            (&[block, "observed_fit", name, "se(Beta)"], one.standard_error),
            (&[block, "observed_fit", name, "Z"], one.original / one.standard_error),
            (&[block, "synthetic_fit", name, "xpct(Beta)"], one.synthetic),
            (&[block, "synthetic_fit", name, "xpct(se.Beta)"], one.standard_error),
            (&[block, "synthetic_fit", name, "xpct(z)"], one.synthetic / one.standard_error),
            (&[block, "coef_diff", name, "Synthetic"], one.synthetic),
            (&[block, "coef_diff", name, "Observed"], one.original),
            (&[block, "ci_overlap", name, "0"], one.overlap),
            (&[block, population, "synthetic_fit", name, "Beta.syn"], one.synthetic),
            (&[block, population, "synthetic_fit", name, "se.Beta.syn"], one.population_standard_error),
            (
                &[block, population, "synthetic_fit", name, "z.syn"],
                one.synthetic / one.population_standard_error,
            ),
            (&[block, population, "ci_overlap", name, "0"], one.population_overlap),
        ] {
            ledger.compare_to(path, value, tolerance);
        }
        // A difference of nearly equal numbers has as many digits less as they have in common.
        let error = tolerance * one.original.abs().max(one.standard_error);
        ledger.compare_within(&[block, "coef_diff", name, "Diff"], one.synthetic - one.original, |_| error);
        let error = error / one.standard_error;
        ledger.compare_within(&[block, "coef_diff", name, "Std. coef diff"], one.std_diff, |_| error);
    }
    ledger.compare_to(&[block, "mean_ci_overlap"], found.overlap, tolerance);
    ledger.compare_to(&[block, "mean_abs_std_diff"], found.std_diff, 100.0 * tolerance);
    ledger.compare_to(&[block, "lack_of_fit"], found.lack_of_fit.unwrap(), 100.0 * tolerance);
    ledger.compare_to(&[block, "lof_pvalue"], found.p_value.unwrap(), 100.0 * tolerance);
    ledger.compare(&[block, "ncoef"], found.coefficients.len() as f64);
    ledger.compare_to(&[block, population, "mean_ci_overlap"], found.population_overlap, tolerance);
}
