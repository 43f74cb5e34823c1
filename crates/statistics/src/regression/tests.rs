//! Linear, logistic and Poisson regression against R 4's `lm` and `glm`, and at the edges of what can be fitted.

mod of_categories;

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;

use super::design::{Factor, Term};
use super::least_squares::{ExactBelow, LeastSquares};
use super::*;

/// `i <- 0:59; x <- ((i*37) %% 101)/10; g <- factor(((i*31) %% 17) %% 4)`
struct Toy {
    x: Vec<f64>,
    g: Vec<u32>,
}

impl Toy {
    fn new() -> Self {
        Self {
            x: (0..60).map(|i| f64::from(i * 37 % 101) / 10.0).collect(),
            g: (0..60).map(|i| i * 31 % 17 % 4).collect(),
        }
    }

    /// `~ x + twice + g` with `twice <- 2*x + 1`, which is aliased.
    fn design(&self) -> Design {
        let twice = self.x.iter().map(|x| 2.0 * x + 1.0).collect();
        let terms = vec![Term::intercept(), Term::number(0), Term::number(1), Term::factor(0)];
        let factor = Factor { codes: self.g.clone(), levels: 4 };
        Design::new(60, vec![factor], vec![self.x.clone(), twice], terms).unwrap()
    }

    /// `((i*i) %% 97)/3 + 2*x`
    fn real(&self) -> Vec<f64> {
        (0..60).zip(&self.x).map(|(i, x)| f64::from(i * i % 97) / 3.0 + 2.0 * x).collect()
    }

    /// `as.integer(((i*i*13 + i*7) %% 23) < 5 + 3*as.integer(g))`
    fn binary(&self) -> Vec<f64> {
        (0..60).zip(&self.g).map(|(i, g)| f64::from((i * i * 13 + i * 7) % 23 < 5 + 3 * (g + 1))).collect()
    }

    /// `((i*i*7) %% 13) %% 6 + as.integer(g) - 1`
    fn count(&self) -> Vec<f64> {
        (0..60).zip(&self.g).map(|(i, g)| f64::from(i * i * 7 % 13 % 6 + g)).collect()
    }

    /// `1 + i %% 3`
    fn weights(&self) -> Vec<f64> {
        (0..60).map(|i| f64::from(1 + i % 3)).collect()
    }
}

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{found} where {expected} is expected");
}

/// Compares estimates and standard errors of the columns that are not aliased.
fn assert_fit(fit: &Fit, expected: &[[f64; 2]], tolerance: f64) {
    let estimates: Vec<f64> = fit.coefficients.iter().copied().flatten().collect();
    let errors: Vec<f64> = fit.standard_errors().into_iter().flatten().collect();
    assert_eq!((estimates.len(), errors.len()), (expected.len(), expected.len()));
    for ((estimate, error), expected) in estimates.iter().zip(&errors).zip(expected) {
        assert_close(*estimate, expected[0], tolerance);
        assert_close(*error, expected[1], tolerance);
    }
}

#[test]
fn a_linear_model_agrees_with_lm() {
    let toy = Toy::new();
    let fit = linear(&toy.design(), &toy.real(), None).unwrap();
    assert_eq!((fit.aliased(), fit.convergence.warning()), (vec![2], None));
    let expected = [
        [12.623699984759192, 3.405116795127038],
        [2.426164821962319, 0.4693755506034955],
        [2.078361163133665, 3.746615171867858],
        [2.209863014824925, 3.653627712530817],
        [3.850212625887048, 3.807673443779216],
    ];
    assert_fit(&fit, &expected, 1e-12);
    assert_close(fit.deviance, 6001.853946819673, 1e-12);
    assert_close(fit.log_likelihood, -223.30068587418359, 1e-12);
    assert_close(fit.dispersion.unwrap().sqrt(), 10.44627288629314, 1e-12);
    assert_close(fit.covariance().unwrap().get(1, 2), 0.1991563263074893, 1e-11);
}

#[test]
fn the_limit_of_aliasing_is_that_of_lm() {
    // near <- x + share * sqrt(mean(x^2)) * (-1)^i: lm(y ~ x + near) keeps `near` at 1e-5 and drops it at 1e-8.
    let toy = Toy::new();
    let length = (toy.x.iter().map(|x| x * x).sum::<f64>() / 60.0).sqrt();
    for (share, aliased) in [(1e-5, vec![]), (1e-8, vec![2])] {
        let near = (0..60).zip(&toy.x).map(|(i, x)| x + share * length * if i % 2 == 0 { 1.0 } else { -1.0 });
        let design = Design::of_columns(vec![vec![1.0; 60], toy.x.clone(), near.collect()]).unwrap();
        let fit = linear(&design, &toy.real(), None).unwrap();
        assert_eq!(fit.aliased(), aliased, "{share}");
        // A GLM's limit is smaller: 1e-11.
        let fit = logistic(&design, &toy.binary(), None, Iterations::default()).unwrap();
        assert_eq!(fit.aliased(), Vec::<usize>::new());
    }
}

#[test]
fn a_logistic_model_agrees_with_glm() {
    let toy = Toy::new();
    let fit = logistic(&toy.design(), &toy.binary(), None, Iterations::as_in_r()).unwrap();
    assert_eq!((fit.aliased(), fit.convergence.warning()), (vec![2], None));
    let expected = [
        [0.4327358789818108, 0.6903815809936665],
        [-0.1832027819663638, 0.1021598995327274],
        [-0.6514626160626157, 0.7944879929732692],
        [0.671727714194856, 0.7365588480716037],
        [1.834654242053043, 0.8519940716186623],
    ];
    assert_fit(&fit, &expected, 1e-11);
    assert_close(fit.deviance, 72.14605508167213, 1e-12);
    assert_eq!(fit.convergence.iterations, 4);
    assert_close(fit.fitted[0], 0.6065267814839171, 1e-12);
    assert_close(fit.predict(&toy.design())[59], 0.4921522307740325, 1e-12);
}

#[test]
fn a_poisson_model_agrees_with_glm() {
    let toy = Toy::new();
    let fit = poisson(&toy.design(), &toy.count(), None, Iterations::as_in_r()).unwrap();
    let expected = [
        [0.6872318447875646, 0.2046089113388529],
        [0.001179176584992016, 0.02363464317515275],
        [0.5400634863518439, 0.2215152001149647],
        [0.6928776827962757, 0.21088658356974152],
        [1.110839552560614, 0.2013462968970778],
    ];
    assert_fit(&fit, &expected, 1e-11);
    assert_close(fit.deviance, 76.155926689542, 1e-12);
    assert_close(fit.log_likelihood, -123.1209880014587, 1e-12);
    assert_eq!(fit.convergence.iterations, 5);
}

#[test]
fn weights_are_counts() {
    // e <- rep(seq_along(i), w); glm(b[e] ~ x[e] + g[e], family = binomial); lm(y[e] ~ x[e] + g[e])
    let toy = Toy::new();
    let fit = logistic(&toy.design(), &toy.binary(), Some(&toy.weights()), Iterations::as_in_r()).unwrap();
    let expected = [
        [-0.01151472570944388, 0.48096976467057667],
        [-0.1257597673482161, 0.07368666363033265],
        [-0.48441618178047446, 0.5661455351556611],
        [1.1295620562522521, 0.5338623446360449],
        [1.6321230270155123, 0.5791109854855564],
    ];
    assert_fit(&fit, &expected, 1e-10);
    assert_close(fit.deviance, 149.7621342919054, 1e-12);
    let fit = linear(&toy.design(), &toy.real(), Some(&toy.weights())).unwrap();
    let expected = [
        [15.972944536746438, 2.3834050567138734],
        [2.1726993037434728, 0.3443950402546351],
        [-2.0201495426560983, 2.6972108926716594],
        [0.8454550960801939, 2.623852766083248],
        [2.9164000366282266, 2.7470300461418344],
    ];
    assert_fit(&fit, &expected, 1e-11);
}

#[test]
fn a_share_with_a_weight_is_its_records() {
    let factor = |codes: Vec<u32>| {
        let rows = codes.len();
        Design::new(rows, vec![Factor { codes, levels: 3 }], vec![], vec![Term::intercept(), Term::factor(0)])
            .unwrap()
    };
    let joined = logistic(
        &factor(vec![0, 1, 2]),
        &[0.25, 0.5, 1.0 / 3.0],
        Some(&[4.0, 2.0, 6.0]),
        Iterations::default(),
    );
    let codes = vec![0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2];
    let records = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let single = logistic(&factor(codes), &records, None, Iterations::default()).unwrap();
    let joined = joined.unwrap();
    assert_eq!(joined.convergence, single.convergence);
    assert_close(joined.deviance, single.deviance, 1e-13);
    for (one, other) in joined.standard_errors().iter().zip(single.standard_errors()) {
        assert_close(one.unwrap(), other.unwrap(), 1e-12);
    }
    // Cells of their own: the estimates are differences of empirical log odds.
    assert_close(joined.coefficients[0].unwrap(), (1.0_f64 / 3.0).ln(), 1e-9);
    assert_close(joined.coefficients[1].unwrap(), 3.0_f64.ln(), 1e-9);
}

#[test]
fn separation_is_reported_where_r_warns_and_where_it_only_shows_in_the_errors() {
    // sep <- as.integer(i >= 30): R does not converge and warns of probabilities of 0 or 1.
    let i: Vec<f64> = (0..60).map(f64::from).collect();
    let design = Design::of_columns(vec![vec![1.0; 60], i]).unwrap();
    let decided: Vec<f64> = (0..60).map(|i| f64::from(i >= 30)).collect();
    let fit = logistic(&design, &decided, None, Iterations::default()).unwrap();
    assert!(fit.convergence.separated && !fit.convergence.converged);
    assert!(fit.convergence.warning().unwrap().contains("separation"));
    assert!(fit.standard_errors().iter().flatten().all(|error| error.is_finite()));
    // q <- ifelse(g == "3", 1, i %% 2): R converges in 17 steps without a warning, at a standard error of 1809.
    let toy = Toy::new();
    let factor = Factor { codes: toy.g.clone(), levels: 4 };
    let terms = vec![Term::intercept(), Term::factor(0)];
    let design = Design::new(60, vec![factor], vec![], terms).unwrap();
    let q: Vec<f64> =
        (0..60).zip(&toy.g).map(|(i, g)| if *g == 3 { 1.0 } else { f64::from(i % 2) }).collect();
    let fit = logistic(&design, &q, None, Iterations::default()).unwrap();
    assert_eq!((fit.convergence.converged, fit.convergence.iterations), (true, 17));
    assert!(fit.convergence.separated);
    assert_close(fit.coefficients[3].unwrap(), 18.56606850836637, 1e-9);
    assert_close(fit.standard_errors()[3].unwrap(), 1809.0545164121697, 1e-7);
}

#[test]
fn a_constant_response_has_a_defined_answer() {
    let design = Toy::new().design();
    let fit = linear(&design, &[3.0; 60], None).unwrap();
    assert!((fit.coefficients[0].unwrap() - 3.0).abs() < 1e-12 && fit.deviance < 1e-20);
    let fit = logistic(&design, &[1.0; 60], None, Iterations::default()).unwrap();
    assert!(fit.convergence.separated && fit.fitted.iter().all(|mean| *mean > 1.0 - 1e-8));
    let fit = poisson(&design, &[0.0; 60], None, Iterations::default()).unwrap();
    assert!(fit.convergence.separated && fit.deviance < 1e-6);
}

#[test]
fn more_columns_than_rows_leave_the_rest_aliased_and_no_errors() {
    let columns = vec![vec![1.0, 1.0], vec![0.0, 1.0], vec![5.0, 7.0]];
    let design = Design::of_columns(columns).unwrap();
    let fit = linear(&design, &[1.0, 4.0], None).unwrap();
    assert_eq!(fit.aliased(), [2]);
    assert_close(fit.coefficients[1].unwrap(), 3.0, 1e-12);
    assert_eq!((fit.dispersion, fit.covariance(), fit.standard_errors()), (None, None, vec![None; 3]));
    assert!(fit.draw(&mut ChaCha12Rng::seed_from_u64(1)).is_none());
}

#[test]
fn data_that_cannot_be_fitted_are_refused() {
    let design = Toy::new().design();
    let iterations = Iterations::default();
    assert_eq!(
        linear(&design, &[1.0], None).unwrap_err().to_string(),
        "the response has 1 entries where the design has 60 rows; give one for each row"
    );
    assert!(matches!(linear(&design, &[f64::NAN; 60], None), Err(RegressionError::Response { .. })));
    assert!(matches!(linear(&design, &[1.0; 60], Some(&[0.0; 60])), Err(RegressionError::Empty)));
    assert!(matches!(linear(&design, &[1.0; 60], Some(&[-1.0; 60])), Err(RegressionError::Weight)));
    assert!(matches!(logistic(&design, &[2.0; 60], None, iterations), Err(RegressionError::Response { .. })));
    assert!(matches!(poisson(&design, &[-1.0; 60], None, iterations), Err(RegressionError::Response { .. })));
    let empty = Design::new(0, vec![], vec![], vec![Term::intercept()]).unwrap();
    assert!(matches!(linear(&empty, &[], None), Err(RegressionError::Empty)));
}

#[test]
fn the_fast_road_of_a_glm_is_the_exact_one() {
    // 8,000 rows × (1 + 5 + 7 + 35 + 1) columns are above the limit of the exact road.
    let rows = 8000_u32;
    let factor =
        |step: u32, levels| Factor { codes: (0..rows).map(|i| i * step % 1009 % levels).collect(), levels };
    let both = Term { factors: vec![(0, Coding::Treatment), (1, Coding::Treatment)], numbers: vec![] };
    let terms = vec![Term::intercept(), Term::factor(0), Term::factor(1), Term::number(0), both];
    let x = (0..rows).map(|i| 100.0 + f64::from(i * 37 % 101)).collect();
    let design = Design::new(rows as usize, vec![factor(31, 7), factor(17, 8)], vec![x], terms).unwrap();
    let y: Vec<f64> = (0..rows).map(|i| f64::from(i % 997 * (i % 997) % 7 < 3)).collect();
    let fast = logistic(&design, &y, None, Iterations::default()).unwrap();
    assert!(design.rows() * design.columns().pow(2) > 1 << 24, "the test is about the fast road");
    let written_out: Vec<Vec<f64>> = {
        let rows: Vec<Vec<f64>> = (0..design.rows()).map(|row| design.row(row)).collect();
        (0..design.columns()).map(|column| rows.iter().map(|row| row[column]).collect()).collect()
    };
    let dense = Design::of_columns(written_out).unwrap();
    // One exact step from the fast fit must stay where it is.
    let weights: Vec<f64> = fast.fitted.iter().map(|mean| mean * (1.0 - mean)).collect();
    let predictor = design.linear_predictor(&fast.complete_coefficients());
    let response: Vec<f64> = predictor
        .iter()
        .zip(&fast.fitted)
        .zip(&weights)
        .zip(&y)
        .map(|(((eta, mean), weight), y)| eta + (y - mean) / weight)
        .collect();
    let mut exact = LeastSquares::new(&dense, &weights, 1e-11, ExactBelow(usize::MAX));
    let solution = exact.solve_first(&weights, &response).unwrap();
    let coefficients: Vec<f64> = fast.coefficients.iter().copied().flatten().collect();
    for (one, other) in solution.coefficients.iter().zip(&coefficients) {
        assert!((one - other).abs() < 1e-8 * (1.0 + other.abs()), "{one} {other}");
    }
    let errors = solution.unscaled_covariance().root_diagonal();
    for (one, other) in errors.iter().zip(fast.standard_errors().iter().flatten()) {
        assert_close(*one, *other, 1e-6);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let rows = 30_000_u32;
    let factor = Factor { codes: (0..rows).map(|i| i * 31 % 1009 % 40).collect(), levels: 40 };
    let x = (0..rows).map(|i| f64::from(i * 37 % 101).sqrt()).collect();
    let terms = vec![Term::intercept(), Term::factor(0), Term::number(0)];
    let design = Design::new(rows as usize, vec![factor], vec![x], terms).unwrap();
    let y: Vec<f64> = (0..rows).map(|i| f64::from(i * 7 % 11 < 3)).collect();
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            (logistic(&design, &y, None, Iterations::default()).unwrap(), linear(&design, &y, None).unwrap())
        })
    };
    assert_eq!(with_threads(1), with_threads(5));
}

#[test]
fn draws_have_the_posterior_mean_and_spread() {
    let toy = Toy::new();
    let fit = linear(&toy.design(), &toy.real(), None).unwrap();
    let mut rng = ChaCha12Rng::seed_from_u64(11);
    let draws: Vec<Drawn> = (0..20_000).map(|_| fit.draw(&mut rng).unwrap()).collect();
    let moments = |of: &dyn Fn(&Drawn) -> f64| {
        let mean = draws.iter().map(of).sum::<f64>() / 20_000.0;
        (mean, draws.iter().map(|draw| (of(draw) - mean).powi(2)).sum::<f64>() / 20_000.0)
    };
    // β is t-distributed with 55 degrees of freedom, whose variance is 55/53 of the squared scale; σ² has mean RSS / 53.
    // The standard error of a mean of 20,000 draws is 0.0071 of their spread: 4.5 of them fail once in 150,000 runs.
    for (column, error) in [(0, 3.405116795127038), (1, 0.4693755506034955), (5, 3.807673443779216)] {
        let (mean, variance) = moments(&|draw| draw.coefficients[column]);
        assert!((mean - fit.coefficients[column].unwrap()).abs() < 4.5 * 0.0071 * error, "{column}");
        assert!((variance / (error * error * 55.0 / 53.0) - 1.0).abs() < 4.5 * 0.0105, "{column} {variance}");
    }
    let (mean, _) = moments(&|draw| draw.sigma * draw.sigma);
    assert!((mean / (fit.deviance / 53.0) - 1.0).abs() < 4.5 * 0.0071 * (2.0_f64 / 51.0).sqrt());
    assert!(draws.iter().all(|draw| draw.coefficients[2] == 0.0), "an aliased column stays at 0");
    let fit = logistic(&toy.design(), &toy.binary(), None, Iterations::default()).unwrap();
    let draws: Vec<f64> = (0..20_000).map(|_| fit.draw(&mut rng).unwrap().coefficients[1]).collect();
    let mean = draws.iter().sum::<f64>() / 20_000.0;
    assert!((mean + 0.1832027819663638).abs() < 4.5 * 0.0071 * 0.1021598995327274);
}

proptest! {
    #[test]
    fn residuals_are_orthogonal_to_every_column(
        x in prop::collection::vec(-1e3..1e3_f64, 30),
        y in prop::collection::vec(-1e3..1e3_f64, 30),
        codes in prop::collection::vec(0..4_u32, 30),
    ) {
        let terms = vec![
            Term::intercept(),
            Term::factor(0),
            Term::number(0),
            Term { factors: vec![(0, Coding::Treatment)], numbers: vec![0] },
        ];
        let design = Design::new(30, vec![Factor { codes, levels: 4 }], vec![x], terms).unwrap();
        let fit = linear(&design, &y, None).unwrap();
        let rows: Vec<Vec<f64>> = (0..30).map(|row| design.row(row)).collect();
        for column in 0..design.columns() {
            let entries: Vec<f64> = rows.iter().map(|row| row[column]).collect();
            let residuals = y.iter().zip(&fit.fitted).map(|(y, mean)| y - mean);
            let product: f64 = entries.iter().zip(residuals).map(|(entry, residual)| entry * residual).sum();
            let scale: f64 = entries.iter().zip(&y).map(|(entry, y)| (entry * y).abs()).sum();
            prop_assert!(product.abs() <= 1e-9 * (scale + 1.0), "{column}: {product}");
        }
    }
}

/// The covariance of a logistic fit is the inverse of X' diag(μ(1 − μ)) X at the estimate; R's, of the weights before the last step, is near it and another.
#[test]
fn standard_errors_are_those_at_the_estimate() {
    let toy = Toy::new();
    let (design, y) = (toy.design(), toy.binary());
    let own = logistic(&design, &y, None, Iterations::default()).unwrap();
    let exact = logistic(&design, &y, None, Iterations::to_the_end()).unwrap();
    let as_in_r = logistic(&design, &y, None, Iterations::as_in_r()).unwrap();
    assert_eq!(own.coefficients, as_in_r.coefficients);
    let errors = |fit: &Fit| fit.standard_errors().into_iter().flatten().collect::<Vec<f64>>();
    let largest = |left: &Fit, right: &Fit| {
        let both = errors(left).into_iter().zip(errors(right));
        both.map(|(left, right)| (left / right - 1.0).abs()).fold(0.0, f64::max)
    };
    assert!(largest(&own, &exact) < 1e-6, "{}", largest(&own, &exact));
    assert!(largest(&as_in_r, &exact) > 10.0 * largest(&own, &exact), "{}", largest(&as_in_r, &exact));
}
