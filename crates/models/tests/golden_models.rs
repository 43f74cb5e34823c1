//! Linear and logistic models against synthpop's `lm.synds` and `glm.synds`, that is against R's `lm` and `glm`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use models::{FittedModel, Formula, Iterations, ModelFamily, fit_by};
use shared_data::{GoldenPair, Tally};

/// The expected numbers are printed to 12 digits, of which a coefficient near 0 loses some.
const CLOSED_FORM: f64 = 1e-9;
const ITERATED: f64 = 1e-8;

fn compare(tally: &mut Tally, golden: &GoldenPair, block: &str, family: ModelFamily) {
    let expected = &golden.expected[block];
    let formula = expected["formula"].as_str().unwrap().trim_end_matches(", binomial");
    let formula = Formula::parse(formula).unwrap();
    let fits: Vec<FittedModel> = [&golden.original, &golden.synthetic]
        .map(|table| fit_by(table, &formula, family, Iterations::as_in_r()).unwrap())
        .into();
    let names: Vec<&String> = expected["observed_fit"].as_object().unwrap().keys().collect();
    assert_eq!(names, fits[0].coefficients.iter().map(|coefficient| &coefficient.name).collect::<Vec<_>>());
    for name in names {
        let number = |part: &str, key: &str| expected[part][name][key].as_f64().unwrap();
        let observed = fits[0].coefficient(name).unwrap();
        tally.compare(name, observed.estimate, number("observed_fit", "Beta"));
        tally.compare(name, observed.standard_error.unwrap(), number("observed_fit", "se(Beta)"));
        tally.compare(name, observed.statistic.unwrap(), number("observed_fit", "Z"));
        let synthetic = fits[1].coefficient(name).unwrap();
        tally.compare(name, synthetic.estimate, number("synthetic_fit", "xpct(Beta)"));
        let variance = synthetic.standard_error.unwrap().powi(2);
        tally.compare(name, variance, expected["var_syn_mvaravg"][name].as_f64().unwrap());
    }
}

#[test]
fn logistic_models_agree_with_glm() {
    let mut tally = Tally::within(ITERATED);
    for pair in ["s7_catall", "sd18_cart"] {
        let Some(golden) = GoldenPair::find(pair) else { return };
        compare(&mut tally, &golden, "glm.synds_logistic", ModelFamily::Logistic);
    }
    tally.finish("logistic models", 95);
}

#[test]
fn linear_models_agree_with_lm() {
    let mut tally = Tally::within(CLOSED_FORM);
    let Some(golden) = GoldenPair::find("sd18_cart") else { return };
    compare(&mut tally, &golden, "lm.synds_linear", ModelFamily::Gaussian);
    tally.finish("linear models", 20);
}
