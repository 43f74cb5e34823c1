//! Optimality proven by duality, by enumeration of all vertices, and at the edges.

use proptest::prelude::*;

use super::super::design::{Coding, Factor, Term};
use super::*;

/// The conditions of optimality, from scratch: a basis of zero residuals, multipliers within bounds and on the right side,
/// Xᵀa = 0, and no gap between the primal and the dual objective.
fn assert_optimal(fit: &QuantileFit, design: &Design, y: &[f64], weights: &[f64]) {
    let tau = fit.tau;
    assert!(fit.optimal, "tau {tau}");
    let scale = y.iter().fold(1.0_f64, |most, y| most.max(y.abs()));
    let residuals: Vec<f64> = y.iter().zip(fit.predict(design)).map(|(y, fitted)| y - fitted).collect();
    let estimated = fit.coefficients.iter().flatten().count();
    assert_eq!(fit.interpolated.len(), estimated);
    for row in &fit.interpolated {
        assert!(residuals[*row].abs() <= 1e-9 * scale, "tau {tau}: {}", residuals[*row]);
    }
    let total: f64 = weights.iter().sum();
    let mut sums = vec![0.0; design.columns()];
    let mut sizes = vec![0.0; design.columns()];
    for (row, multiplier) in fit.multipliers.iter().enumerate() {
        let (low, high) = (weights[row] * (tau - 1.0), weights[row] * tau);
        assert!((low..=high).contains(multiplier));
        if residuals[row] > 1e-8 * scale {
            assert_eq!(*multiplier, high);
        }
        if residuals[row] < -1e-8 * scale {
            assert_eq!(*multiplier, low);
        }
        for ((sum, size), x) in sums.iter_mut().zip(&mut sizes).zip(design.row(row)) {
            *sum += multiplier * x;
            *size += x.abs();
        }
    }
    for (sum, size) in sums.iter().zip(&sizes) {
        assert!(sum.abs() <= 1e-8 * (1.0 + size), "tau {tau}: {sum} of {size}");
    }
    let primal: f64 =
        residuals.iter().zip(weights).map(|(residual, weight)| weight * check_loss(tau, *residual)).sum();
    let dual: f64 = fit.multipliers.iter().zip(y).map(|(a, y)| a * y).sum();
    assert!((primal - dual).abs() <= 1e-8 * scale * total, "tau {tau}: {primal} {dual}");
    assert!((primal - fit.loss).abs() <= 1e-9 * scale * total);
}

/// The smallest loss over all surfaces through as many records as columns.
fn smallest_loss(columns: &[Vec<f64>], y: &[f64], weights: &[f64], tau: f64) -> f64 {
    let (rows, size) = (y.len(), columns.len());
    let mut best = f64::INFINITY;
    for mask in 0_u32..1 << rows {
        if mask.count_ones() as usize != size {
            continue;
        }
        let chosen: Vec<usize> = (0..rows).filter(|row| mask >> row & 1 == 1).collect();
        let picked = columns.iter().map(|column| chosen.iter().map(|row| column[*row]).collect()).collect();
        let through: Vec<f64> = chosen.iter().map(|row| y[*row]).collect();
        let fit = linear(&Design::of_columns(picked).unwrap(), &through, None).unwrap();
        let Some(beta) = fit.coefficients.iter().copied().collect::<Option<Vec<f64>>>() else { continue };
        let loss = (0..rows).map(|row| {
            let fitted: f64 = columns.iter().zip(&beta).map(|(column, beta)| column[row] * beta).sum();
            weights[row] * check_loss(tau, y[row] - fitted)
        });
        best = best.min(loss.sum());
    }
    best
}

#[test]
fn without_predictors_it_is_the_quantile() {
    let y = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0];
    let design = Design::of_columns(vec![vec![1.0; 7]]).unwrap();
    let fits = quantile(&design, &y, None, &[0.5, 0.1, 0.9]).unwrap();
    let found: Vec<f64> = fits.iter().map(|fit| fit.coefficients[0].unwrap()).collect();
    assert_eq!(found, [3.0, 1.0, 9.0]);
    fits.iter().for_each(|fit| assert_optimal(fit, &design, &y, &[1.0; 7]));
    let weights = [1.0, 1.0, 1.0, 1.0, 1.0, 9.0, 1.0];
    let heavy = quantile(&design, &y, Some(&weights), &[0.5]).unwrap();
    assert_eq!(heavy[0].coefficients[0], Some(9.0));
    assert_optimal(&heavy[0], &design, &y, &weights);
}

#[test]
fn a_median_line_by_hand() {
    // Four records on y = 1 + 2x and one far off: the line of the four has the smallest sum of absolute residuals.
    let design = Design::of_columns(vec![vec![1.0; 5], vec![0.0, 1.0, 2.0, 3.0, 4.0]]).unwrap();
    let y = [1.0, 3.0, 50.0, 7.0, 9.0];
    let fit = &quantile(&design, &y, None, &[0.5]).unwrap()[0];
    assert!((fit.coefficients[0].unwrap() - 1.0).abs() < 1e-12);
    assert!((fit.coefficients[1].unwrap() - 2.0).abs() < 1e-12);
    assert_eq!(fit.loss, 22.5);
    assert_optimal(fit, &design, &y, &[1.0; 5]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_vertex_is_better(
        x in prop::collection::vec(-5..5_i32, 9),
        z in prop::collection::vec(-1.0..1.0_f64, 9),
        y in prop::collection::vec(-4..4_i32, 9),
        weights in prop::collection::vec(1..4_i32, 9),
        tau in 0.03..0.97_f64,
    ) {
        let real = |numbers: &[i32]| numbers.iter().map(|number| f64::from(*number)).collect::<Vec<f64>>();
        let columns = vec![vec![1.0; 9], real(&x), z];
        let (y, weights) = (real(&y), real(&weights));
        let design = Design::of_columns(columns.clone()).unwrap();
        let fit = &quantile(&design, &y, Some(&weights), &[tau]).unwrap()[0];
        assert_optimal(fit, &design, &y, &weights);
        let used: Vec<Vec<f64>> = columns
            .into_iter()
            .zip(&fit.coefficients)
            .filter(|(_, coefficient)| coefficient.is_some())
            .map(|(column, _)| column)
            .collect();
        let best = smallest_loss(&used, &y, &weights, tau);
        prop_assert!((fit.loss - best).abs() <= 1e-9 * (1.0 + best), "{} {best}", fit.loss);
    }
}

/// Counts with many ties on factors and numbers.
fn tied(rows: u32) -> (Design, Vec<f64>) {
    let hash = |i: u32, salt: u32| {
        (i.wrapping_mul(2_654_435_761) ^ salt.wrapping_mul(40_503)).wrapping_mul(2_246_822_519) >> 8
    };
    let factor =
        |salt, levels: u32| Factor { codes: (0..rows).map(|i| hash(i, salt) % levels).collect(), levels };
    let number = |salt, most: u32| (0..rows).map(|i| f64::from(hash(i, salt) % most)).collect::<Vec<f64>>();
    let y = (0..rows).map(|i| f64::from(hash(i, 9) % 7 + hash(i, 1) % 5 + (hash(i, 3) % 12) / 4)).collect();
    let terms = vec![
        Term::intercept(),
        Term::factor(0),
        Term::factor(1),
        Term::number(0),
        Term::number(1),
        Term { factors: vec![(1, Coding::Treatment)], numbers: vec![0] },
    ];
    let design = Design::new(
        rows as usize,
        vec![factor(1, 5), factor(2, 4)],
        vec![number(3, 12), number(4, 90)],
        terms,
    );
    (design.unwrap(), y)
}

#[test]
fn ties_do_not_stop_the_walk() {
    let (design, y) = tied(20_000);
    let taus: Vec<f64> = (0..25).map(|bin| (f64::from(bin) + 0.5) / 25.0).collect();
    let fits = quantile(&design, &y, None, &taus).unwrap();
    let ones = vec![1.0; 20_000];
    fits.iter().for_each(|fit| assert_optimal(fit, &design, &y, &ones));
    // Shares below the surface are near τ: at most as many records as columns may differ, and ties.
    for fit in &fits {
        let fitted = fit.predict(&design);
        let below = y.iter().zip(&fitted).filter(|(y, fitted)| **y < **fitted - 1e-9).count() as f64;
        let at_most = y.iter().zip(&fitted).filter(|(y, fitted)| **y <= **fitted + 1e-9).count() as f64;
        assert!(below / 20_000.0 <= fit.tau && fit.tau <= at_most / 20_000.0, "{}", fit.tau);
    }
}

#[test]
fn the_order_of_taus_is_that_of_the_answers_and_aliased_columns_are_left_out() {
    let (design, y) = tied(3000);
    let fits = quantile(&design, &y, None, &[0.9, 0.1]).unwrap();
    assert_eq!((fits[0].tau, fits[1].tau), (0.9, 0.1));
    let x: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 13)).collect();
    let twice: Vec<f64> = x.iter().map(|x| 2.0 * x + 1.0).collect();
    let y: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17)).collect();
    let design = Design::of_columns(vec![vec![1.0; 40], x, twice]).unwrap();
    let fit = &quantile(&design, &y, None, &[0.3]).unwrap()[0];
    assert_eq!(fit.coefficients[2], None);
    assert_optimal(fit, &design, &y, &[1.0; 40]);
    let mut weights = vec![1.0; 40];
    weights[3] = 0.0;
    weights[17] = 0.0;
    assert_optimal(&quantile(&design, &y, Some(&weights), &[0.3]).unwrap()[0], &design, &y, &weights);
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let design = Design::of_columns(vec![vec![1.0, 1.0]]).unwrap();
    let refused = |y: &[f64], taus: &[f64]| quantile(&design, y, None, taus).unwrap_err().to_string();
    assert!(refused(&[1.0, 2.0], &[1.0]).contains("between 0 and 1"));
    assert!(refused(&[1.0], &[0.5]).contains("2 rows"));
    assert!(refused(&[1.0, f64::NAN], &[0.5]).contains("finite"));
    let nothing = Design::of_columns(vec![vec![0.0, 0.0]]).unwrap();
    assert!(
        quantile(&nothing, &[1.0, 2.0], None, &[0.5]).unwrap_err().to_string().contains("add an intercept")
    );
    let constant = quantile(&design, &[2.0, 2.0], None, &[0.5]).unwrap();
    assert_eq!((constant[0].coefficients[0], constant[0].loss), (Some(2.0), 0.0));
}
