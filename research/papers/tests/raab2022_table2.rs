//! Raab (2022), Table 2: catall and ipf on three, five and seven variables of SD2011, ten runs each.
//!
//! Needs ../shared/data/sd2011_s7.csv, and says so where it is absent.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod seven_variables;

use papers::raab2022::{Run, plain_runs};
use seven_variables::{request, seven_variables};
use table::Table;

fn mean(runs: &[Run], of: impl Fn(&Run) -> f64) -> f64 {
    runs.iter().map(of).sum::<f64>() / runs.len() as f64
}

fn runs(original: &Table, method: &str) -> Vec<Run> {
    plain_runs(original, method, &request(10)).unwrap()
}

#[track_caller]
fn assert_between(what: &str, value: f64, low: f64, high: f64) {
    assert!((low..=high).contains(&value), "{what}: {value} is not in [{low}, {high}]");
}

#[test]
fn catall_is_a_fresh_sample_and_repeats_one_in_e_of_the_uniques() {
    for variables in [3, 5, 7] {
        let Some(original) = seven_variables(variables) else { return };
        let found = runs(&original, "catall");
        assert_between("two-way", mean(&found, |run| run.two_way), 0.9, 1.15);
        assert_between("three-way", mean(&found, |run| run.three_way), 0.9, 1.15);
        if variables > 3 {
            assert_between("ru/p1", mean(&found, |run| run.ru_of_p1.unwrap()), 35.0, 38.0);
        }
    }
}

#[test]
fn ipf_keeps_pairs_loses_triples_and_repeats_few_uniques() {
    for (variables, three_way, ru, ru_within) in
        [(3, None, None, 0.0), (5, Some(1.76), Some(1.6), 0.15), (7, Some(1.77), Some(6.4), 0.3)]
    {
        let Some(original) = seven_variables(variables) else { return };
        let found = runs(&original, "ipf");
        assert_between("two-way", mean(&found, |run| run.two_way), 0.9, 1.1);
        if let (Some(three_way), Some(ru)) = (three_way, ru) {
            assert_between(
                "three-way",
                mean(&found, |run| run.three_way),
                three_way - 0.15,
                three_way + 0.15,
            );
            assert_between("ru", mean(&found, |run| run.ru), ru - ru_within, ru + ru_within);
        }
    }
}
