//! All 21 two-way margins of S7, seven variables of the survey SD2011 (Raab 2022, section 4). The data are
//! not part of the repository; without them beside it the test says so and passes.

use std::collections::BTreeMap;
use std::path::Path;

use margins::{FittedModel, Options, Order, TargetMargin, fit};

mod tables;
use tables::furthest;

/// Class numbers of each column, levels in alphabetical order.
fn read(path: &Path) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut reader = csv::Reader::from_path(path).expect("the file opens");
    let records: Vec<csv::StringRecord> =
        reader.records().collect::<Result<_, _>>().expect("the file is CSV");
    (0..records[0].len())
        .map(|at| {
            let mut levels: BTreeMap<&str, usize> = records.iter().map(|record| (&record[at], 0)).collect();
            levels.values_mut().enumerate().for_each(|(number, level)| *level = number);
            (levels.len(), records.iter().map(|record| levels[&record[at]]).collect())
        })
        .unzip()
}

#[test]
fn all_pairs_of_s7_are_met() {
    let Some(path) = shared_data::find("data/sd2011_s7.csv") else { return };
    let (sizes, columns) = read(&path);
    assert_eq!(sizes, [2, 5, 6, 5, 10, 7, 7]);
    let sets: Vec<[usize; 2]> = (0..7).flat_map(|i| (i + 1..7).map(move |j| [i, j])).collect();
    let targets: Vec<TargetMargin> = sets.iter().map(|set| tables::counted(&sizes, &columns, set)).collect();
    let fits = [Order::Free, Order::AsGiven].map(|order| {
        let model = fit(&sizes, &targets, &[], &Options { order, ..Options::default() }).unwrap();
        assert!(model.convergence().converged(), "{:?}", model.convergence());
        for target in &targets {
            assert!(furthest(&model.margin(&target.attributes).unwrap(), &target.counts) < 1e-8);
        }
        model
    });
    let [FittedModel::Dense(free), FittedModel::Dense(given)] = &fits else {
        panic!("all pairs need the full table")
    };
    assert!(furthest(free.table(), given.table()) < 1e-6);
    // R 4.2.2: fit <- loglin(table(d), combn(7, 2, simplify = FALSE), fit = TRUE, eps = 5e-9, iter =
    // 1000)$fit, which takes 120 iterations; then max(fit), sum(fit^2) and, over the positive cells, sum(fit
    // * log(fit)).
    assert_eq!(fits[1].convergence().sweeps, 120);
    let sum = |value: fn(f64) -> f64| {
        free.table().iter().filter(|cell| **cell > 0.0).map(|cell| value(*cell)).sum::<f64>()
    };
    assert!((free.table().iter().copied().fold(0.0, f64::max) - 42.964_230_477_8).abs() < 1e-7);
    assert!((sum(|cell| cell * cell) - 18_748.191_135_927).abs() < 1e-5);
    assert!((sum(|cell| cell * cell.ln()) - 266.438_450_359).abs() < 1e-5);
}
