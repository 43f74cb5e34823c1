//! Raab (2022), Table 3: private margins of SD2011 through the real code, ledger and all; beside the paper's own method the planned one.
//!
//! Needs ../shared/data/sd2011_s7.csv, and says so where it is absent.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::path::Path;

use measures::Comparison;
use measures::utility::tables::{TableOptions, all_tables};
use privacy::NoiseSource;
use rayon::prelude::*;
use synthesis::Recipe;
use synthesis::private::{self, PrivacySettings};
use table::Table;
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;

const RUNS: u64 = 10;

/// The first variables of the file, under their own schema, declared.
fn original(variables: usize) -> Option<Table> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/sd2011_s7.csv");
    if !path.exists() {
        eprintln!("skipped: ../shared/data/sd2011_s7.csv is not on this machine");
        return None;
    }
    let names = ["sex", "age", "placesize", "edu", "socprof", "income", "marital"];
    let table = read_table(&path, &ReadOptions::default()).unwrap().select(&names[..variables]).unwrap();
    let declared = table.schema().to_toml().replacen("declared = false", "declared = true", 1);
    let declared = declared.replacen("reason = \"\"", "reason = \"code book of Social Diagnosis 2011\"", 1);
    let schema = SchemaFile::parse(&declared).unwrap().finish().unwrap();
    Some(table.conform(std::sync::Arc::new(schema)).unwrap())
}

/// The mean over the runs of the mean two-way S_pMSE.
fn two_way(original: &Table, estimate: &str, epsilon: f64) -> f64 {
    let privacy = PrivacySettings { epsilon: Some(epsilon), ..Default::default() };
    let mut recipe =
        Recipe { rows: Some(original.rows() as u64), privacy: Some(privacy), ..Recipe::new("ipf") };
    recipe.set(&format!("estimate={estimate}")).unwrap();
    let run = |seed: u64| {
        let fit = private::fit(original, &recipe, NoiseSource::insecure_test_seed(seed)).unwrap();
        assert!(fit.ledger.totals.pure.unwrap().value <= epsilon);
        let made = fit.fitted.table(0).unwrap();
        let comparison = Comparison { original, synthetic: &made, holdout: None };
        let tables = all_tables(&comparison, 2, &TableOptions::default()).unwrap();
        tables.iter().map(|table| table.s_pmse().unwrap()).sum::<f64>() / tables.len() as f64
    };
    let found: Vec<f64> = (0..RUNS).into_par_iter().map(run).collect();
    found.iter().sum::<f64>() / RUNS as f64
}

#[test]
fn the_papers_method_gives_the_papers_numbers() {
    let Some(five) = original(5) else { return };
    for (epsilon, printed) in [(0.1, 99.0), (0.5, 14.6), (1.0, 5.5), (2.0, 2.8), (10.0, 1.15)] {
        let found = two_way(&five, "paper", epsilon);
        eprintln!("paper S5 eps {epsilon}: {found:.2}, printed {printed}");
        assert!((found / printed - 1.0).abs() < 0.25, "S5 at {epsilon}: {found} against {printed}");
    }
}

#[test]
fn planned_margins_are_closer_than_the_papers_at_every_budget() {
    let limits = [
        (5, [(0.1, 27.0), (0.5, 5.2), (1.0, 2.7), (2.0, 1.9), (10.0, 1.2)]),
        (7, [(0.1, 37.0), (0.5, 12.5), (1.0, 5.8), (2.0, 3.1), (10.0, 1.6)]),
    ];
    for (variables, limits) in limits {
        let Some(original) = original(variables) else { return };
        let mut last = f64::INFINITY;
        for (epsilon, limit) in limits {
            let found = two_way(&original, "planned", epsilon);
            eprintln!("planned S{variables} eps {epsilon}: {found:.2}, at most {limit}");
            assert!(found <= limit && found < last, "S{variables} at {epsilon}: {found}");
            last = found;
        }
    }
}
