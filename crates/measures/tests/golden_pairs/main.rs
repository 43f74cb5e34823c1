//! Every number of the golden pairs: what R's synthpop 1.9-3 says of two original and synthetic files.
//!
//! One test walks the whole of each `expected.json`. A number is compared, or it stands under a name in [`LEFT`] with the
//! test that looks at it or the reason why none does; any other makes the test fail.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

#[path = "../golden/mod.rs"]
mod golden;
mod ledger;
mod models;
mod propensity;
mod tables;

use golden::comparison;
use ledger::Ledger;
use shared_data::GoldenPair;

/// Numbers that are not compared here, by the beginning of their path.
const LEFT: [(&str, &str); 9] = [
    ("original_table/", "golden_uniques.rs"),
    ("synthetic_table/", "golden_uniques.rs"),
    (
        "replicated.uniques/",
        "golden_uniques.rs; for numeric keys synthpop misses copies and is not to be met",
    ),
    ("replicated_uniques_exact_matching_NOT_synthpop/", "golden_uniques.rs"),
    ("disclosure/", "the tests of the attribute family, in measures/tests"),
    ("disclosure_options/", "the tests of the attribute family, in measures/tests"),
    ("disclosure_grouped/", "the tests of the attribute family, in measures/tests"),
    ("multi.disclosure/", "the tests of the attribute family, in measures/tests"),
    (
        "utility.gen_cart_perm_NOT_deterministic/S_pMSE",
        "one random run of synthpop; our null distribution is tested in measures/tests/null_distributions.rs",
    ),
];

fn walk(name: &str, at_least: usize) {
    let Some(golden) = GoldenPair::find(name) else { return };
    let mut ledger = Ledger::new(&golden.expected);
    ledger.compare(&["n_original"], golden.original.rows() as f64);
    ledger.compare(&["n_synthetic"], golden.synthetic.rows() as f64);
    tables::compare(&mut ledger, &golden);
    propensity::compare(&mut ledger, &golden, name);
    models::compare(&mut ledger, &golden);
    ledger.finish(name, &LEFT, at_least);
}

#[test]
fn every_number_of_the_seven_factors_is_met_or_named() {
    walk("s7_catall", 1930);
}

#[test]
fn every_number_of_the_eighteen_mixed_variables_is_met_or_named() {
    walk("sd18_cart", 1840);
}

#[test]
fn every_measure_of_a_golden_pair_keeps_its_card() {
    let Some(golden) = GoldenPair::find("sd18_cart") else { return };
    let settings = measures::Settings::default();
    for measure in measures::MEASURES {
        for finding in measure.evaluate(&comparison(&golden), &settings).unwrap() {
            let card = measures::card_of(&finding.measure).unwrap();
            assert!(finding.value.is_none_or(|value| card.range.contains(value)), "{finding:?}");
        }
    }
}
