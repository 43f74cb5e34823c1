//! Propensity scores by logistic regression against synthpop's `utility.gen`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use models::propensity_design;
use shared_data::{GoldenPair, Tally};

/// Compares pMSE = mean (p − c)² and the degrees of freedom: estimated coefficients less one.
fn compare(tally: &mut Tally, golden: &GoldenPair, block: &str, variables: &[&str], order: usize) {
    let expected = &golden.expected["utility.gen"][block];
    let number = |key: &str| expected[key].as_f64().unwrap();
    let propensity = propensity_design(&golden.original, &golden.synthetic, variables, order).unwrap();
    let fit = propensity.fit().unwrap();
    let records = propensity.is_synthetic.len() as f64;
    let share = propensity.is_synthetic.iter().sum::<f64>() / records;
    let pmse = fit.fitted.iter().map(|score| (score - share).powi(2)).sum::<f64>() / records;
    tally.compare(&format!("{block} pMSE"), pmse, number("pMSE"));
    let estimated = fit.estimated().len() as f64;
    tally.compare(&format!("{block} df"), estimated - 1.0, number("df"));
    assert!(fit.convergence.converged, "{block}");
}

#[test]
fn propensity_scores_on_factors_agree_with_synthpop() {
    let Some(golden) = GoldenPair::find("s7_catall") else { return };
    let names: Vec<String> =
        golden.original.schema().variables().iter().map(|variable| variable.name.clone()).collect();
    let first = |count: usize| names[..count].iter().map(String::as_str).collect::<Vec<_>>();
    let mut tally = Tally::within(1e-7);
    compare(&mut tally, &golden, "logit_maxorder0", &[], 1);
    compare(&mut tally, &golden, "logit_maxorder1", &[], 2);
    compare(&mut tally, &golden, "logit_maxorder1_first3", &first(3), 2);
    compare(&mut tally, &golden, "logit_maxorder2_first3", &first(4), 3);
    tally.finish("s7_catall propensity", 8);
}

#[test]
fn propensity_scores_with_missing_values_and_codes_agree_with_synthpop() {
    let Some(golden) = GoldenPair::find("sd18_cart") else { return };
    let six = ["sex", "age", "marital", "smoke", "height", "weight"];
    let mut tally = Tally::within(1e-7);
    compare(&mut tally, &golden, "logit_maxorder0_all", &[], 1);
    compare(&mut tally, &golden, "logit_maxorder1_6vars", &six, 2);
    tally.finish("sd18_cart propensity", 4);
}
