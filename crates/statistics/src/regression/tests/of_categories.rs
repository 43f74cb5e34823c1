//! Models for categories against R's `nnet::multinom` and `MASS::polr`, and by finite differences.

use super::super::categories::Categories;
use super::super::design::KeptColumns;
use super::super::multinomial::Multinomial;
use super::super::newton::Likelihood;
use super::super::proportional_odds::ProportionalOdds;
use super::*;

impl Toy {
    /// `k <- factor(((i*i*13 + i*7) %% 23 + 3*as.integer(g)) %% 3)`
    fn category(&self) -> Vec<u32> {
        (0..60).zip(&self.g).map(|(i, g)| ((i * i * 13 + i * 7) % 23 + 3 * (g + 1)) % 3).collect()
    }

    /// `o <- factor(pmin(3, ((i*i*13 + i*7) %% 23 + 2*as.integer(g) + floor(x)) %/% 9), ordered = TRUE)`
    fn ordered(&self) -> Vec<u32> {
        let each = (0..60).zip(&self.g).zip(&self.x);
        each.map(|((i, g), x)| (((i * i * 13 + i * 7) % 23 + 2 * (g + 1) + x.floor() as u32) / 9).min(3))
            .collect()
    }
}

#[test]
fn a_multinomial_model_agrees_with_multinom() {
    // summary(nnet::multinom(k ~ x + g, reltol = 1e-15, abstol = 1e-12, maxit = 10000))
    let toy = Toy::new();
    let fit = multinomial(&toy.design(), &toy.category(), None, Iterations::to_the_end()).unwrap();
    let estimates = [
        [
            -0.542235064801567,
            0.01494986350690781,
            -0.02640827464917158,
            0.6909538221006937,
            1.021896831111626,
        ],
        [-0.8992403497359686, 0.08346864690038933, 0.737185316486064, 0.8648204960534576, -0.261260893310327],
    ];
    let errors = [
        [0.7850137628079347, 0.1113798184038385, 0.9328321795550417, 0.8806021676038432, 0.849177001191836],
        [0.8213278716784226, 0.1127298687223148, 0.8453900323416067, 0.8655276445123858, 1.041670044094508],
    ];
    assert_eq!((fit.estimated(), &fit.categories[..]), (vec![0, 1, 3, 4, 5], &[0, 1, 2][..]));
    assert_eq!(fit.convergence.warning(), None);
    let found_errors = fit.standard_errors();
    for category in 0..2 {
        let flat = |of: &Vec<Vec<Option<f64>>>| of[category].iter().copied().flatten().collect::<Vec<f64>>();
        let (found, found_errors) = (flat(&fit.coefficients), flat(&found_errors));
        for column in 0..5 {
            assert!((found[column] - estimates[category][column]).abs() < 1e-6, "{category} {column}");
            assert_close(found_errors[column], errors[category][column], 1e-6);
        }
    }
    assert_close(fit.deviance(), 125.8286219567337, 1e-12);
    let total: f64 = fit.fitted[7].iter().sum();
    assert!((total - 1.0).abs() < 1e-14);
    assert_eq!(fit.predict(&toy.design()), fit.fitted);
    // Fitted frequencies are the observed ones: the score equation of the intercepts.
    for category in 0..3_u32 {
        let expected = toy.category().iter().filter(|code| **code == category).count() as f64;
        let found: f64 = fit.fitted.iter().map(|probabilities| probabilities[category as usize]).sum();
        assert_close(found, expected, 1e-10);
    }
}

#[test]
fn two_categories_are_a_logistic_model_under_either_name() {
    let toy = Toy::new();
    let binary: Vec<u32> = toy.binary().iter().map(|y| *y as u32).collect();
    let weights = toy.weights();
    let iterations = Iterations::to_the_end();
    let plain = logistic(&toy.design(), &toy.binary(), Some(&weights), iterations).unwrap();
    let unordered = multinomial(&toy.design(), &binary, Some(&weights), iterations).unwrap();
    let ordered = proportional_odds(&toy.design(), &binary, Some(&weights), iterations).unwrap();
    assert_close(unordered.log_likelihood, plain.log_likelihood, 1e-12);
    assert_close(ordered.log_likelihood, plain.log_likelihood, 1e-12);
    assert_close(ordered.thresholds[0], -plain.coefficients[0].unwrap(), 1e-8);
    let (errors, of_thresholds) = ordered.standard_errors();
    // A GLM's errors are those of the weights one step before the last.
    assert_close(of_thresholds[0], plain.standard_errors()[0].unwrap(), 1e-6);
    for column in [1, 3, 4, 5] {
        let (beta, error) = (plain.coefficients[column].unwrap(), plain.standard_errors()[column].unwrap());
        assert_close(unordered.coefficients[0][column].unwrap(), beta, 1e-8);
        assert_close(unordered.standard_errors()[0][column].unwrap(), error, 1e-6);
        assert_close(ordered.coefficients[column].unwrap(), beta, 1e-8);
        assert_close(errors[column].unwrap(), error, 1e-6);
    }
}

#[test]
fn proportional_odds_agree_with_polr() {
    // p <- MASS::polr(o ~ x + g, Hess = TRUE, control = list(reltol = 1e-16, maxit = 10000)): its standard errors come from
    // differences of the gradient.
    let toy = Toy::new();
    let fit = proportional_odds(&toy.design(), &toy.ordered(), None, Iterations::to_the_end()).unwrap();
    assert_eq!((fit.coefficients[0], fit.coefficients[2], fit.convergence.warning()), (None, None, None));
    let (errors, of_thresholds) = fit.standard_errors();
    let betas = [0.3161085374866766, 1.1830784300051365, 1.503394406321764, 1.1421496300609733];
    let beta_errors = [0.09406420290778789, 0.6861805735248122, 0.6811013714625327, 0.6856076185241998];
    for ((column, beta), error) in [1, 3, 4, 5].into_iter().zip(betas).zip(beta_errors) {
        assert_close(fit.coefficients[column].unwrap(), beta, 1e-6);
        assert_close(errors[column].unwrap(), error, 1e-5);
    }
    let zeta = [0.06264369130963456, 1.695645900851909, 3.654150952593764];
    let zeta_errors = [0.6597284632422394, 0.6618625162661221, 0.7789896424506755];
    for cut in 0..3 {
        assert!((fit.thresholds[cut] - zeta[cut]).abs() < 1e-6);
        assert_close(of_thresholds[cut], zeta_errors[cut], 1e-5);
    }
    assert_close(fit.deviance(), 140.0976735035067, 1e-10);
    assert_eq!(fit.predict(&toy.design()), fit.fitted);
    assert!((fit.fitted[3].iter().sum::<f64>() - 1.0).abs() < 1e-14);
    let weighted =
        proportional_odds(&toy.design(), &toy.ordered(), Some(&toy.weights()), Iterations::to_the_end())
            .unwrap();
    assert_close(weighted.coefficients[1].unwrap(), 0.272900354287365, 1e-6);
    assert_close(weighted.standard_errors().0[4].unwrap(), 0.4707530468499222, 1e-5);
}

#[test]
fn information_is_the_slope_of_the_gradient_and_the_gradient_that_of_the_likelihood() {
    let toy = Toy::new();
    let design = toy.design();
    let categories = Categories::new(&design, &toy.ordered(), Some(&toy.weights())).unwrap();
    let without_intercept = KeptColumns::new(vec![1, 3, 4, 5], 6);
    let with_intercept = KeptColumns::new(vec![0, 1, 3, 4, 5], 6);
    let ordered = ProportionalOdds { design: &design, kept: &without_intercept, categories: &categories };
    check_derivatives(&ordered, &[0.1, -0.3, 0.2, 0.4, -1.0, 0.3, 1.7]);
    let unordered = Multinomial { design: &design, kept: &with_intercept, categories: &categories };
    let somewhere: Vec<f64> = (0..15).map(|at| f64::from(at * 7 % 11) / 20.0 - 0.2).collect();
    check_derivatives(&unordered, &somewhere);
}

/// Central differences, whose relative error is about 1e-9 here.
fn check_derivatives(likelihood: &impl Likelihood, at: &[f64]) {
    let (gradient, information) = likelihood.derivatives(at);
    for i in 0..at.len() {
        let moved = |by: f64| {
            let mut moved = at.to_vec();
            moved[i] += by;
            moved
        };
        let step = 1e-5;
        let slope = (likelihood.log_likelihood(&moved(step)) - likelihood.log_likelihood(&moved(-step)))
            / (2.0 * step);
        assert!((gradient[i] - slope).abs() < 1e-5 * (1.0 + slope.abs()), "{i}: {} {slope}", gradient[i]);
        let (up, down) = (likelihood.derivatives(&moved(step)).0, likelihood.derivatives(&moved(-step)).0);
        for j in 0..at.len() {
            let slope = -(up[j] - down[j]) / (2.0 * step);
            assert!((information.get(i, j) - slope).abs() < 1e-5 * (1.0 + slope.abs()), "{i} {j}");
        }
    }
}

#[test]
fn categories_without_records_are_left_out_and_one_category_is_refused() {
    let toy = Toy::new();
    let spread: Vec<u32> = toy.category().iter().map(|code| 2 * code).collect();
    let (iterations, design) = (Iterations::to_the_end(), toy.design());
    let (spread_fit, fit) = (
        multinomial(&design, &spread, None, iterations).unwrap(),
        multinomial(&design, &toy.category(), None, iterations).unwrap(),
    );
    assert_eq!(spread_fit.categories, [0, 2, 4]);
    assert_eq!(spread_fit.coefficients, fit.coefficients);
    assert_eq!(proportional_odds(&design, &spread, None, iterations).unwrap().thresholds.len(), 2);
    assert!(matches!(
        multinomial(&design, &[1; 60], None, iterations),
        Err(RegressionError::Response { .. })
    ));
    assert!(matches!(multinomial(&design, &[1; 6], None, iterations), Err(RegressionError::Length { .. })));
    let no_intercept = Design::of_columns(vec![toy.x]).unwrap();
    assert!(matches!(
        proportional_odds(&no_intercept, &spread, None, iterations),
        Err(RegressionError::Design(_))
    ));
}

#[test]
fn separated_categories_are_reported() {
    let i: Vec<f64> = (0..60).map(f64::from).collect();
    let design = Design::new(60, vec![], vec![i], vec![Term::intercept(), Term::number(0)]).unwrap();
    let decided: Vec<u32> = (0..60).map(|i| i / 20).collect();
    for iterations in [Iterations::default(), Iterations::to_the_end()] {
        let fit = multinomial(&design, &decided, None, iterations).unwrap();
        assert!(fit.convergence.separated && fit.log_likelihood > -1e-3);
        assert!(fit.standard_errors().iter().flatten().flatten().all(|error| error.is_finite()));
        let fit = proportional_odds(&design, &decided, None, iterations).unwrap();
        assert!(fit.convergence.separated && fit.log_likelihood > -1e-3);
        assert!(fit.thresholds.iter().all(|zeta| zeta.is_finite()));
    }
}

#[test]
fn draws_of_categories_have_the_mean_and_spread_of_the_estimates() {
    let toy = Toy::new();
    let mut rng = ChaCha12Rng::seed_from_u64(5);
    let fit = multinomial(&toy.design(), &toy.category(), None, Iterations::to_the_end()).unwrap();
    let draws: Vec<f64> = (0..20_000).map(|_| fit.draw(&mut rng).unwrap()[1][3]).collect();
    // 4.5 standard errors of the mean and of the variance of 20,000 normal draws.
    let check = |draws: &[f64], mean: f64, error: f64| {
        let found = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|draw| (draw - found).powi(2)).sum::<f64>() / 20_000.0;
        assert!((found - mean).abs() < 4.5 * 0.0071 * error, "{found} {mean}");
        assert!((variance / (error * error) - 1.0).abs() < 4.5 * 0.01, "{variance}");
    };
    check(&draws, fit.coefficients[1][3].unwrap(), fit.standard_errors()[1][3].unwrap());
    let fit = proportional_odds(&toy.design(), &toy.ordered(), None, Iterations::to_the_end()).unwrap();
    let draws: Vec<f64> = (0..20_000).map(|_| fit.draw(&mut rng).unwrap().coefficients[4]).collect();
    check(&draws, fit.coefficients[4].unwrap(), fit.standard_errors().0[4].unwrap());
}
