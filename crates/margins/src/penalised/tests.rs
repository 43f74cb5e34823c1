use super::*;
use crate::attributes::positions;

/// Terms with targets that contradict each other and penalties of many sizes, the same every time.
fn terms(sizes: &[usize], sets: &[&[usize]], total: f64, penalty: f64) -> Vec<Term> {
    let mut state = 7_u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    sets.iter()
        .map(|set| {
            let size = cells(sizes, set) as usize;
            let weights: Vec<f64> = (0..size).map(|_| random() - 0.1).collect();
            let sum: f64 = weights.iter().sum();
            let target = weights.iter().map(|weight| total * weight / sum).collect();
            let penalty = (0..size).map(|_| penalty * 10_f64.powf(2.0 * random())).collect();
            Term::new(*set, target, penalty)
        })
        .collect()
}

/// p of every cell of the full table, from the formula.
fn by_formula(sizes: &[usize], terms: &[Term], parameters: &[Vec<f64>]) -> Vec<f64> {
    let all: Vec<usize> = (0..sizes.len()).collect();
    let mut logs = vec![0.0; cells(sizes, &all) as usize];
    for (term, parameters) in terms.iter().zip(parameters) {
        for (log, position) in logs.iter_mut().zip(positions(sizes, &all, &term.attributes)) {
            *log += parameters[position];
        }
    }
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

const SIZES: [usize; 4] = [2, 3, 4, 3];
const SETS: [&[usize]; 6] = [&[0], &[1], &[0, 1], &[1, 2], &[2, 3], &[0, 3]];

#[test]
fn a_small_penalty_meets_the_counts_and_a_large_one_leaves_them_even() {
    let share = |penalty: f64| {
        let term = Term::new([0], vec![30.0, 70.0], vec![penalty; 2]);
        fit(&[2], 100.0, &[term], &PenalisedOptions::default()).unwrap().model.expected(&[0]).unwrap()
    };
    assert!((share(1e-6) - 30.0).abs() < 1e-3);
    assert!((share(1e6) - 50.0).abs() < 1e-2);
}

#[test]
fn at_the_minimum_every_slope_is_zero_by_the_formula() {
    for penalty in [0.01, 1.0, 100.0] {
        let terms = terms(&SIZES, &SETS, 1000.0, penalty);
        let options = PenalisedOptions { tolerance: 1e-9, ..PenalisedOptions::default() };
        let fit = fit(&SIZES, 1000.0, &terms, &options).unwrap();
        assert!(fit.model.convergence().converged(), "{:?}", fit.model.convergence());
        let p = by_formula(&SIZES, &terms, &fit.parameters);
        for (term, parameters) in terms.iter().zip(&fit.parameters) {
            let mut margin = vec![0.0; parameters.len()];
            let places = positions(&SIZES, &[0, 1, 2, 3], &term.attributes);
            p.iter().zip(places).for_each(|(p, place)| margin[place] += 1000.0 * p);
            for cell in 0..margin.len() {
                let slope = margin[cell] - term.target[cell] + term.penalty[cell] * parameters[cell];
                assert!(slope.abs() < 1e-5, "penalty {penalty}, {:?}: {slope}", term.attributes);
            }
        }
        let all = fit.model.margin(&[0, 1, 2, 3]).unwrap();
        assert!(all.iter().zip(&p).all(|(count, p)| (count - 1000.0 * p).abs() < 1e-6));
    }
}

#[test]
fn a_junction_tree_gives_what_the_full_table_gives() {
    let sizes = [2, 3, 2, 3, 2, 4];
    let sets: [&[usize]; 8] = [&[0], &[5], &[0, 1], &[1, 2], &[0, 2], &[2, 3], &[3, 4], &[4]];
    let terms = terms(&sizes, &sets, 500.0, 0.5);
    let with = |form| {
        let options = PenalisedOptions { form, tolerance: 1e-10, ..PenalisedOptions::default() };
        fit(&sizes, 500.0, &terms, &options).unwrap().model
    };
    let (dense, tree) = (with(Form::Dense), with(Form::Tree));
    assert!(matches!(dense, FittedModel::Dense(_)) && matches!(tree, FittedModel::Tree(_)));
    for set in [&[0, 1, 2][..], &[0, 5], &[1, 4], &[2, 3, 4], &[0, 1, 2, 3, 4, 5]] {
        let (dense, tree) = (dense.margin(set).unwrap(), tree.margin(set).unwrap());
        assert!(dense.iter().zip(&tree).all(|(a, b)| (a - b).abs() < 1e-5), "{set:?}");
    }
}

#[test]
fn the_minimum_is_below_its_surroundings() {
    // Two variables, all by brute force: the value at the fit against the value nearby, in every direction.
    let sizes = [2, 2];
    let terms = terms(&sizes, &[&[0], &[0, 1]], 60.0, 0.3);
    let options = PenalisedOptions { tolerance: 1e-11, ..PenalisedOptions::default() };
    let fit = fit(&sizes, 60.0, &terms, &options).unwrap();
    let value = |parameters: &[Vec<f64>]| {
        let log_sums: f64 =
            (0..4).map(|cell| (parameters[0][cell / 2] + parameters[1][cell]).exp()).sum::<f64>().ln();
        let rest = terms.iter().zip(parameters).flat_map(|(term, parameters)| {
            let each = term.target.iter().zip(&term.penalty).zip(parameters);
            each.map(|((t, r), theta)| theta * (0.5 * r * theta - t))
        });
        60.0 * log_sums + rest.sum::<f64>()
    };
    let least = value(&fit.parameters);
    for term in 0..2 {
        for cell in 0..fit.parameters[term].len() {
            for step in [-1e-3, 1e-3] {
                let mut near = fit.parameters.clone();
                near[term][cell] += step;
                assert!(value(&near) > least, "term {term}, cell {cell}, {step}");
            }
        }
    }
}

#[test]
fn starting_at_an_earlier_fit_ends_there_at_once() {
    let mut terms = terms(&SIZES, &SETS, 1000.0, 1.0);
    let options = PenalisedOptions::default();
    let first = fit(&SIZES, 1000.0, &terms, &options).unwrap();
    terms.iter_mut().zip(&first.parameters).for_each(|(term, start)| term.start.clone_from(start));
    let again = fit(&SIZES, 1000.0, &terms, &options).unwrap();
    assert_eq!(again.model.convergence().sweeps, 0);
    assert!(first.model.convergence().sweeps > 5);
}

#[test]
fn contradictions_that_push_parameters_far_do_not_break_the_fit() {
    // One margin says 600 and the other 640, and both are trusted almost blindly: parameters near ±20/1e-3.
    let terms = [
        Term::new([0], vec![600.0, 400.0], vec![1e-3; 2]),
        Term::new([0, 1], vec![340.0, 300.0, 200.0, 160.0], vec![1e-3; 4]),
    ];
    let fit = fit(&[2, 2], 1000.0, &terms, &PenalisedOptions::default()).unwrap();
    assert!(fit.model.convergence().converged(), "{:?}", fit.model.convergence());
    assert!(fit.parameters[0][0].abs() > 1000.0);
    let share = fit.model.margin(&[0]).unwrap()[0];
    assert!((600.0..640.0).contains(&share), "{share}");
}

#[test]
fn nonsense_is_refused() {
    let options = PenalisedOptions::default();
    let term = |target: f64, penalty: f64| Term::new([0], vec![target, 1.0], vec![penalty, 1.0]);
    let wrong = Err(Error::Term { attributes: vec![0] });
    for (target, penalty) in [(f64::NAN, 1.0), (1.0, 0.0), (1.0, -1.0), (1.0, f64::INFINITY)] {
        assert_eq!(fit(&[2], 10.0, &[term(target, penalty)], &options), wrong);
    }
    assert!(matches!(fit(&[2], 0.0, &[term(1.0, 1.0)], &options), Err(Error::Option { name: "total", .. })));
    assert!(matches!(fit(&[3], 1.0, &[term(1.0, 1.0)], &options), Err(Error::Shape { .. })));
    let small = PenalisedOptions { tree_limit: 10, dense_limit: 10, ..options };
    let pair = Term::new([0, 1], vec![1.0; 16], vec![1.0; 16]);
    let too_large = fit(&[4, 4], 16.0, &[pair], &small);
    assert_eq!(too_large, Err(Error::TreeTooLarge { cells: 16, limit: 10 }));
}
