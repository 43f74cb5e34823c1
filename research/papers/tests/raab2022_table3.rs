//! Raab (2022), Table 3: private margins of SD2011 through the real code, ledger and all; beside the paper's own method the planned one.
//!
//! Needs ../shared/data/sd2011_s7.csv, and says so where it is absent.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod seven_variables;

use papers::raab2022::printed::planned_limit;
use papers::raab2022::private_runs;
use papers::social_diagnosis::declared;
use seven_variables::{request, seven_variables};
use table::Table;

/// The mean over ten runs of the mean two-way S_pMSE.
fn two_way(original: &Table, estimate: &str, epsilon: f64) -> f64 {
    let runs = private_runs(original, estimate, epsilon, &request(10)).unwrap();
    runs.iter().map(|run| run.two_way).sum::<f64>() / runs.len() as f64
}

#[test]
fn the_papers_method_gives_the_papers_numbers() {
    let Some(five) = seven_variables(5) else { return };
    let five = declared(&five).unwrap();
    for (epsilon, printed) in [(0.1, 99.0), (0.5, 14.6), (1.0, 5.5), (2.0, 2.8), (10.0, 1.15)] {
        let found = two_way(&five, "paper", epsilon);
        assert!((found / printed - 1.0).abs() < 0.25, "S5 at {epsilon}: {found} against {printed}");
    }
}

#[test]
fn planned_margins_are_closer_than_the_papers_at_every_budget() {
    for (variables, set) in [(5, "S5"), (7, "S7")] {
        let Some(original) = seven_variables(variables) else { return };
        let original = declared(&original).unwrap();
        let mut last = f64::INFINITY;
        for epsilon in [0.1, 0.5, 1.0, 2.0, 10.0] {
            let limit = planned_limit(set, epsilon).unwrap();
            let found = two_way(&original, "planned", epsilon);
            assert!(found <= limit && found < last, "{set} at {epsilon}: {found}");
            last = found;
        }
    }
}
