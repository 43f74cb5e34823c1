use num_bigint::BigUint;
use statistics::counts::{CellDraws, CountFamily, Mean};

use super::*;
use crate::risk::matching::tests::{read, without_records};

const NO_NAMES: [&str; 0] = [];

fn made(draws: CellDraws) -> ReleaseMechanism {
    ReleaseMechanism::new("a generator", draws)
}

fn prior_in_each_cell(a: f64) -> ReleaseMechanism {
    made(CellDraws::prior_in_each_cell(a).unwrap())
}

fn prior_over_all_cells(records: f64) -> ReleaseMechanism {
    made(CellDraws::prior_over_all_cells(records).unwrap())
}

fn independent(family: CountFamily, alpha: f64, scale: f64) -> ReleaseMechanism {
    made(CellDraws::independent(family, alpha, scale).unwrap())
}

/// All ways to put `records` records into `cells` cells.
fn tables(records: u32, cells: usize) -> Vec<Vec<u32>> {
    if cells == 1 {
        return vec![vec![records]];
    }
    let with_first = |first: u32| {
        tables(records - first, cells - 1).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (0..=records).flat_map(with_first).collect()
}

fn factorial(n: u32) -> f64 {
    (1..=n).map(f64::from).product()
}

/// How a release comes about, written down a second time and as plainly as possible.
#[derive(Clone, Copy)]
enum Law {
    Multinomial { a: f64 },
    Poisson { alpha: f64, scale: f64 },
    Family { family: CountFamily, alpha: f64, scale: f64 },
}

impl Law {
    fn probability(self, y: &[u32], s: &[u32]) -> f64 {
        match self {
            Self::Multinomial { a } => {
                let total: f64 = y.iter().map(|y| f64::from(*y) + a).sum();
                let ways = factorial(s.iter().sum()) / s.iter().map(|s| factorial(*s)).product::<f64>();
                let of_cell = |(y, s): (&u32, &u32)| ((f64::from(*y) + a) / total).powi(*s as i32);
                ways * y.iter().zip(s).map(of_cell).product::<f64>()
            }
            Self::Poisson { alpha, scale } => {
                let of_cell = |(y, s): (&u32, &u32)| {
                    let mean = scale * if *y == 0 { alpha } else { f64::from(*y) };
                    mean.powi(*s as i32) * (-mean).exp() / factorial(*s)
                };
                y.iter().zip(s).map(of_cell).product()
            }
            Self::Family { family, alpha, scale } => {
                let of_cell = |(y, s): (&u32, &u32)| {
                    let mean = scale * if *y == 0 { alpha } else { f64::from(*y) };
                    family.distribution(Mean::new(mean).unwrap()).probability(u64::from(*s))
                };
                y.iter().zip(s).map(of_cell).product()
            }
        }
    }
}

/// The prior probability of each cell for a record of cell `own`, in words of the definitions.
fn prior_of_cells(prior: &str, y: &[u32], own: usize) -> Vec<f64> {
    let k = y.len() as f64;
    let others: Vec<f64> =
        y.iter().enumerate().map(|(cell, y)| f64::from(*y) - f64::from(u8::from(cell == own))).collect();
    let with_truth = |rest: Vec<f64>| -> Vec<f64> {
        let total: f64 = rest.iter().enumerate().filter(|(cell, _)| *cell != own).map(|(_, rest)| rest).sum();
        let cell = |(cell, rest): (usize, f64)| if cell == own { 0.3 } else { 0.7 * rest / total };
        rest.into_iter().enumerate().map(cell).collect()
    };
    match prior {
        "uniform" => vec![1.0 / k; y.len()],
        "empirical:0.5" => {
            let total: f64 = others.iter().sum::<f64>() + 0.5;
            others.iter().map(|other| (other + 0.5 / k) / total).collect()
        }
        "truth:0.3" => with_truth(vec![1.0; y.len()]),
        "truth-among-records:0.3" => with_truth(others),
        _ => panic!("{prior}"),
    }
}

/// The posterior of the truth by going through all tables that agree with what the intruder knows.
fn by_enumeration(law: Law, prior: &str, y: &[u32], sets: &[Vec<u32>], own: usize) -> f64 {
    let mut known = y.to_vec();
    known[own] -= 1;
    let of_cells = prior_of_cells(prior, y, own);
    let (mut truth, mut all) = (0.0, 0.0);
    for table in tables(y.iter().sum(), y.len()) {
        let differences: Vec<i64> =
            table.iter().zip(&known).map(|(table, known)| i64::from(*table) - i64::from(*known)).collect();
        if differences.iter().any(|difference| *difference < 0) {
            continue;
        }
        let cell = differences.iter().position(|difference| *difference == 1).unwrap();
        let release: f64 = sets.iter().map(|s| law.probability(&table, s)).product();
        all += of_cells[cell] * release;
        if cell == own {
            truth += of_cells[cell] * release;
        }
    }
    truth / all
}

#[test]
fn every_record_of_every_small_release_agrees_with_enumeration() {
    let nbi = CountFamily::nbi(0.7).unwrap();
    let pig = CountFamily::pig(0.7).unwrap();
    let delaporte = CountFamily::delaporte(0.7, 0.4).unwrap();
    let cases = [
        (prior_in_each_cell(0.4), Law::Multinomial { a: 0.4 }),
        (prior_over_all_cells(1.5), Law::Multinomial { a: 0.5 }),
        (independent(CountFamily::Poisson, 0.1, 1.0), Law::Poisson { alpha: 0.1, scale: 1.0 }),
        (independent(CountFamily::Poisson, 1.7, 0.5), Law::Poisson { alpha: 1.7, scale: 0.5 }),
        (independent(nbi, 0.1, 1.0), Law::Family { family: nbi, alpha: 0.1, scale: 1.0 }),
        (independent(pig, 0.1, 2.0), Law::Family { family: pig, alpha: 0.1, scale: 2.0 }),
        (independent(delaporte, 0.1, 1.0), Law::Family { family: delaporte, alpha: 0.1, scale: 1.0 }),
    ];
    let priors = ["uniform", "empirical:0.5", "truth:0.3", "truth-among-records:0.3"];
    let parsed: Vec<Prior> = priors.iter().map(|prior| prior.parse().unwrap()).collect();
    let mut compared = 0;
    for (mechanism, law) in cases {
        for y in tables(4, 3) {
            for s in tables(3, 3) {
                let twice = vec![s.clone(), vec![s[2], s[0], 1 + s[1]]];
                for sets in [vec![s.clone()], twice] {
                    let cells = ReleaseCells::from_counts(&y, &sets, 3_u8).unwrap();
                    let risk = IntruderRisk::new(&cells, mechanism, &parsed).unwrap();
                    for (place, prior) in priors.iter().enumerate() {
                        for (record, cell) in risk.per_record(place).iter().zip(cells.cell_of_record()) {
                            let own = *cell as usize;
                            if *prior == "truth-among-records:0.3" && y[own] == 4 {
                                assert_eq!((record.r, record.rr), (1.0, 1.0));
                                continue;
                            }
                            let expected = by_enumeration(law, prior, &y, &sets, own);
                            let before = prior_of_cells(prior, &y, own)[own];
                            assert!((record.r - expected).abs() < 1e-12, "{prior} {y:?} {sets:?}");
                            assert!((record.prior - before).abs() < 1e-12, "{prior} {y:?}");
                            assert!((record.rr - expected / before).abs() < 1e-11, "{prior} {y:?} {sets:?}");
                            compared += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(compared > 30_000, "{compared}");
}

#[test]
fn two_cells_are_mcclure_and_reiters_formula() {
    let a = 0.58;
    for (ones, synthetic_ones) in [(1_u32, 3_u32), (1, 0), (300, 290), (999, 1000)] {
        let counts = |ones: u32| vec![ones, 1000 - ones];
        let cells = ReleaseCells::from_counts(&counts(ones), &[counts(synthetic_ones)], 2_u8).unwrap();
        let risk = IntruderRisk::new(&cells, prior_in_each_cell(a), &[Prior::truth(0.2).unwrap()]).unwrap();
        // Equation (5): Bin(X*, n, (X + α)/(n + 2α)) against Bin(X*, n, (X − 1 + α)/(n + 2α)).
        let ln_binomial = |x: f64| {
            let p = (x + a) / (1000.0 + 2.0 * a);
            f64::from(synthetic_ones) * p.ln() + f64::from(1000 - synthetic_ones) * (1.0 - p).ln()
        };
        let odds = (ln_binomial(f64::from(ones)) - ln_binomial(f64::from(ones) - 1.0)).exp() * 0.2 / 0.8;
        let expected = odds / (1.0 + odds);
        assert!((risk.per_record(0)[0].r - expected).abs() < 1e-10, "{ones} {synthetic_ones}");
    }
}

#[test]
fn empty_cells_count_in_one_term_as_they_do_one_by_one() {
    let (y, s) = (vec![3, 1, 0, 1], vec![2, 0, 1, 2]);
    let padded = |counts: &[u32]| [counts, &[0; 46]].concat();
    let mechanism = independent(CountFamily::nbi(0.5).unwrap(), 0.05, 1.0);
    let short = ReleaseCells::from_counts(&y, std::slice::from_ref(&s), 50_u8).unwrap();
    let long = ReleaseCells::from_counts(&padded(&y), &[padded(&s)], 50_u8).unwrap();
    let priors = Prior::usual();
    let (short, long) = (
        IntruderRisk::new(&short, mechanism, &priors).unwrap(),
        IntruderRisk::new(&long, mechanism, &priors).unwrap(),
    );
    for prior in 0..priors.len() {
        for (short, long) in short.per_record(prior).iter().zip(long.per_record(prior)) {
            assert!((short.r - long.r).abs() < 1e-14 && (short.rr - long.rr).abs() < 1e-11);
        }
    }
}

#[test]
fn astronomically_many_cells_leave_a_relative_risk() {
    let cells = ReleaseCells::from_counts(&[1, 5], &[vec![1, 4]], BigUint::from(10_u8).pow(400)).unwrap();
    let mechanism = independent(CountFamily::Poisson, 1e-300, 1.0);
    let risk = IntruderRisk::new(&cells, mechanism, &Prior::usual()).unwrap();
    let unique = risk.per_record(0)[0];
    // L = e^(α−1)/α for the unique, e^(α−1) for each of the K − 1 other empty cells: RR = 1/α up to 1 in K.
    assert!((unique.rr / 1e300 - 1.0).abs() < 1e-9, "{}", unique.rr);
    assert_eq!(unique.prior, 0.0);
    assert!(risk.summaries().iter().all(|summary| summary.r_max <= 1.0));
}

#[test]
fn a_copy_where_no_other_could_come_from_is_certain() {
    // Without a prior in empty cells, the synthetic record in the unique's cell can stem from the unique alone.
    let cells = ReleaseCells::from_counts(&[1, 1, 8], &[vec![1, 0, 9]], 100_u8).unwrap();
    for mechanism in [prior_over_all_cells(0.0), independent(CountFamily::Poisson, 0.0, 1.0)] {
        let risk = IntruderRisk::new(&cells, mechanism, &Prior::usual()).unwrap();
        let worst = risk.worst(2);
        assert_eq!((worst[0].row, worst[0].risk.r), (1, 1.0));
        assert!(worst[1].risk.r < 1.0);
        for prior in 0..3 {
            assert_eq!(risk.per_record(prior)[0].r, 1.0);
        }
    }
    let impossible = ReleaseCells::from_counts(&[0, 9], &[vec![1, 8]], 2_u8).unwrap();
    let error = IntruderRisk::new(&impossible, prior_over_all_cells(0.0), &Prior::usual()).unwrap_err();
    assert!(error.starts_with("a synthetic record lies in a cell where this mechanism cannot put one"));
}

#[test]
fn one_cell_leaves_nothing_to_learn() {
    let cells = ReleaseCells::from_counts(&[4], &[vec![2]], 1_u8).unwrap();
    let risk = IntruderRisk::new(&cells, prior_in_each_cell(1.0), &Prior::usual()).unwrap();
    for summary in risk.summaries() {
        assert_eq!((summary.r_max, summary.rr_max, summary.er), (1.0, 1.0, 0.0));
    }
}

#[test]
fn records_summaries_and_regions_agree() {
    let cells = ReleaseCells::from_counts(&[1, 1, 5, 2, 0], &[vec![3, 0, 4, 2, 1]], 40_u8).unwrap();
    let mechanism = independent(CountFamily::nbi(0.2).unwrap(), 0.02, 1.0);
    let priors = [Prior::uniform(), Prior::truth(0.5).unwrap()];
    let risk = IntruderRisk::new(&cells, mechanism, &priors).unwrap();
    for (prior, summary) in risk.summaries().iter().enumerate() {
        let records = risk.per_record(prior);
        let n = records.len() as f64;
        let mean = |value: &dyn Fn(&Risk) -> f64| records.iter().map(value).sum::<f64>() / n;
        assert!((summary.r_mean - mean(&|risk| risk.r)).abs() < 1e-14);
        assert!((summary.er - mean(&|risk| (risk.r - risk.prior).max(0.0))).abs() < 1e-14);
        assert_eq!(summary.r_max, records.iter().map(|risk| risk.r).fold(0.0, f64::max));
        assert_eq!(summary.rr_max, records.iter().map(|risk| risk.rr).fold(0.0, f64::max));
    }
    let regions = Regions::parse("[[accept]]\nrr_at_most = 1.5\n[[accept]]\nr_at_most = 0.3").unwrap();
    let outside = risk.outside(&regions);
    let expected: Vec<bool> = (risk.per_record(0).iter().zip(risk.per_record(1)))
        .map(|(one, other)| !(regions.contain(one.rr, one.r) && regions.contain(other.rr, other.r)))
        .collect();
    assert_eq!(outside, expected);
    assert!(outside.contains(&true) && outside.contains(&false));
    let share = outside.iter().filter(|outside| **outside).count() as f64 / outside.len() as f64;
    assert_eq!(risk.outside_share(&regions), share);
    let worst = risk.worst(3);
    assert_eq!(worst.len(), 3);
    assert!(worst.windows(2).all(|pair| pair[0].risk.r >= pair[1].risk.r));
    let largest = |row: usize| risk.per_record(0)[row].r.max(risk.per_record(1)[row].r);
    let mut all: Vec<f64> = (0..9).map(largest).collect();
    all.sort_by(|one, other| other.total_cmp(one));
    assert_eq!(worst.iter().map(|record| record.risk.r).collect::<Vec<_>>(), all[..3]);
    assert!(worst.iter().all(|record| largest(record.row - 1) == record.risk.r));
    assert_eq!(risk.worst(100).len(), 9);
}

#[test]
fn what_is_not_known_is_a_reason() {
    let (original, synthetic) = (read("a\nx\ny\ny\n"), read("a\nx\ny\nz\n"));
    let because = |settings: &Settings, synthetic: &Table| -> Vec<Option<String>> {
        let found = findings(&original, &[synthetic], settings).unwrap();
        found.into_iter().map(|finding| finding.because).collect()
    };
    let unknown = because(&Settings::default(), &synthetic);
    assert_eq!(unknown, vec![Some(NO_MECHANISM.to_owned()); 5]);
    let with = |mechanism: ReleaseMechanism| Settings {
        intruder: IntruderOptions { mechanism: Some(mechanism), ..IntruderOptions::default() },
        ..Settings::default()
    };
    let without_regions = because(&with(prior_in_each_cell(1.0)), &synthetic);
    assert_eq!(without_regions.iter().flatten().collect::<Vec<_>>(), [NO_REGIONS]);
    assert_eq!(without_regions.len(), 13);
    let impossible = because(&with(prior_over_all_cells(0.0)), &synthetic);
    assert!(impossible.iter().all(|because| because.as_deref().unwrap().contains("cannot put one")));
    let empty = without_records(&original);
    let none = findings(&empty, &[&synthetic], &with(prior_over_all_cells(1.0))).unwrap();
    assert!(none.iter().all(|finding| finding.because.as_deref() == Some("the original has no records")));
    // An empty synthetic table tells an intruder of `dirichlet` nothing.
    let nothing = findings(&original, &[&empty], &with(prior_in_each_cell(1.0))).unwrap();
    let er: Vec<f64> = nothing
        .iter()
        .filter(|finding| finding.measure == "intruder.er")
        .filter_map(|finding| finding.value)
        .collect();
    assert!(er.len() == 3 && er.iter().all(|er| er.abs() < 1e-15), "{er:?}");
}

#[test]
fn files_give_what_their_counts_give() {
    let original = read("a,b\nx,u\nx,u\ny,v\n");
    let (one, other) = (read("a,b\nx,u\ny,u\n"), read("a,b\nx,u\ny,v\n"));
    let of_files =
        ReleaseCells::new(&original, &[&one, &other], &NO_NAMES, &table::Grouping::default()).unwrap();
    // Cells (x, u), (y, u), (y, v) of four.
    let of_counts = ReleaseCells::from_counts(&[2, 0, 1], &[vec![1, 1, 0], vec![1, 0, 1]], 4_u8).unwrap();
    let mechanism = independent(CountFamily::pig(0.3).unwrap(), 0.1, 1.0);
    let risk =
        |cells: &ReleaseCells| IntruderRisk::new(cells, mechanism, &Prior::usual()).unwrap().per_record(0);
    assert_eq!(risk(&of_files), risk(&of_counts));
}
