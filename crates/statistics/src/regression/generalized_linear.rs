//! Logistic and Poisson regression by iteratively reweighted least squares.
//!
//! The steps are those of R's `glm.fit`: the same start, the same criterion |D − D₀| / (|D| + 0.1) < 10⁻⁸ on the deviance D, the
//! same halving of steps that overflow. Two implementations that stop at the same step agree to rounding, also where the likelihood has no
//! maximum. The covariance is that of the weights at the estimate, or of the last step's as in R: see [`CovarianceAt`].

use statrs::function::gamma::ln_gamma;

use super::least_squares::{ExactBelow, GLM_TOLERANCE, LeastSquares, Near, Solution};
use super::{Convergence, CovarianceAt, Design, Family, Fit, Iterations, RegressionError, checked_weights};

/// Logistic regression: P(y = 1) = 1 / (1 + exp(−xβ)).
///
/// The response is 0 or 1, or a share of successes among as many records as the row's weight says. Weights are counts: the
/// fit is that of the records written out one by one.
pub fn logistic(
    design: &Design,
    response: &[f64],
    weights: Option<&[f64]>,
    iterations: Iterations,
) -> Result<Fit, RegressionError> {
    if response.iter().any(|y| !(0.0..=1.0).contains(y)) {
        return Err(RegressionError::Response { wanted: "0, 1 or a share between them" });
    }
    iterate(Family::Logistic, design, response, weights, iterations)
}

/// Poisson regression: E y = exp(xβ). Weights are counts.
pub fn poisson(
    design: &Design,
    response: &[f64],
    weights: Option<&[f64]>,
    iterations: Iterations,
) -> Result<Fit, RegressionError> {
    if response.iter().any(|y| !(y.is_finite() && *y >= 0.0)) {
        return Err(RegressionError::Response { wanted: "a number of events, 0 or more" });
    }
    iterate(Family::Poisson, design, response, weights, iterations)
}

/// Fitted means this close to the edge of their range are numerically on it (R's `10 * .Machine$double.eps`).
const EDGE: f64 = 10.0 * f64::EPSILON;
/// In a converging fit the last step moves no linear predictor by this much; one that runs off moves by 1 each step.
const RUNNING_OFF: f64 = 0.5;

fn iterate(
    family: Family,
    design: &Design,
    response: &[f64],
    weights: Option<&[f64]>,
    iterations: Iterations,
) -> Result<Fit, RegressionError> {
    let counts = checked_weights(design, response, weights)?;
    let mut working = Working::start(family, response, &counts);
    let mut least_squares = LeastSquares::new(design, &working.weights, GLM_TOLERANCE, ExactBelow(1 << 18));
    let kept = least_squares.kept().clone();
    let mut state: Option<State> = None;
    let mut last_solution: Option<Solution> = None;
    let mut convergence = Convergence { converged: false, iterations: 0, separated: false };
    let mut previous_deviance = working.deviance;
    let mut largest_move: f64 = 0.0;
    while convergence.iterations < iterations.most.max(1) && !convergence.converged {
        let solution = match &state {
            None => least_squares.solve_first(&working.weights, &working.response),
            Some(state) => least_squares.solve_near(&state.near(), &working.weights, &working.response),
        };
        let Some(solution) = solution else {
            convergence.separated = true;
            break;
        };
        convergence.iterations += 1;
        let next = State::new(family, design, kept.scatter(&solution.coefficients), response, &counts);
        let next = match &state {
            None if !next.deviance.is_finite() => return Err(RegressionError::Overflow),
            Some(before) => next.halved_towards(before, family, design, response, &counts),
            None => next,
        };
        largest_move = state.as_ref().map_or(0.0, |before| before.largest_move(&next, &counts));
        convergence.converged =
            (next.deviance - previous_deviance).abs() / (next.deviance.abs() + 0.1) < iterations.tolerance;
        previous_deviance = next.deviance;
        working = Working::at(family, &next, response, &counts);
        state = Some(next);
        last_solution = Some(solution);
    }
    let (Some(state), Some(solution)) = (state, last_solution) else {
        return Err(RegressionError::Overflow);
    };
    let at_the_edge = |mean: f64| mean < EDGE || (family == Family::Logistic && mean > 1.0 - EDGE);
    let used = || state.fitted.iter().zip(&counts).filter(|(_, count)| **count > 0.0);
    convergence.separated |= used().any(|(mean, _)| at_the_edge(*mean)) || largest_move > RUNNING_OFF;
    // A fit that runs off has no estimate to take weights at.
    let at_the_estimate = (iterations.covariance == CovarianceAt::Estimate && !convergence.separated)
        .then(|| least_squares.solve_near(&state.near(), &working.weights, &working.response))
        .flatten();
    let solution = at_the_estimate.unwrap_or(solution);
    let mut coefficients = vec![None; design.columns()];
    kept.columns.iter().for_each(|column| coefficients[*column] = Some(state.coefficients[*column]));
    Ok(Fit {
        family,
        coefficients,
        unscaled_covariance: solution.unscaled_covariance(),
        dispersion: Some(1.0),
        log_likelihood: log_likelihood(family, &state, response, &counts),
        deviance: state.deviance,
        fitted: state.fitted,
        records: counts.iter().sum(),
        convergence,
    })
}

/// Coefficients, one a column, and what follows from them.
struct State {
    coefficients: Vec<f64>,
    predictor: Vec<f64>,
    fitted: Vec<f64>,
    deviance: f64,
}

impl State {
    fn new(
        family: Family,
        design: &Design,
        coefficients: Vec<f64>,
        response: &[f64],
        counts: &[f64],
    ) -> Self {
        let predictor = design.linear_predictor(&coefficients);
        let fitted: Vec<f64> = predictor.iter().map(|predictor| family.mean(*predictor)).collect();
        let deviance = deviance(family, response, &fitted, counts);
        Self { coefficients, predictor, fitted, deviance }
    }

    fn near(&self) -> Near<'_> {
        Near { coefficients: &self.coefficients, predictor: &self.predictor }
    }

    /// This state, or one so much nearer to `before` that its deviance is finite.
    fn halved_towards(
        mut self,
        before: &Self,
        family: Family,
        design: &Design,
        response: &[f64],
        counts: &[f64],
    ) -> Self {
        for _ in 0..60 {
            if self.deviance.is_finite() {
                break;
            }
            let both = self.coefficients.iter().zip(&before.coefficients);
            let halfway = both.map(|(one, other)| (one + other) / 2.0).collect();
            self = Self::new(family, design, halfway, response, counts);
        }
        self
    }

    fn largest_move(&self, next: &Self, counts: &[f64]) -> f64 {
        let moves = self.predictor.iter().zip(&next.predictor).zip(counts);
        moves.filter(|(_, count)| **count > 0.0).fold(0.0, |most, ((a, b), _)| most.max((a - b).abs()))
    }
}

/// The weighted least squares problem of one step.
struct Working {
    weights: Vec<f64>,
    response: Vec<f64>,
    deviance: f64,
}

impl Working {
    /// R's starting values: means (y + ½) / 2 for single records of a logistic model, y + 0.1 for a Poisson one.
    fn start(family: Family, response: &[f64], counts: &[f64]) -> Self {
        let rows = response.iter().zip(counts);
        if family == Family::Logistic {
            // Successes start at a mean of ¾, failures at ¼; a share is their mixture, with the same weight for both.
            let (log_odds, weight) = (3.0_f64.ln(), 0.75 * 0.25);
            let of_success = log_odds + 0.25 / weight;
            let deviance = rows.clone().map(|(_, count)| -2.0 * count * 0.75_f64.ln()).sum();
            return Self {
                weights: counts.iter().map(|count| count * weight).collect(),
                response: response.iter().map(|y| (2.0 * y - 1.0) * of_success).collect(),
                deviance,
            };
        }
        let start: Vec<f64> = response.iter().map(|y| y + 0.1).collect();
        Self {
            weights: start.iter().zip(counts).map(|(mean, count)| mean * count).collect(),
            response: start.iter().zip(response).map(|(mean, y)| mean.ln() + (y - mean) / mean).collect(),
            deviance: deviance(family, response, &start, counts),
        }
    }

    /// Weights w (dμ/dη)² / V(μ) and response η + (y − μ) / (dμ/dη).
    fn at(family: Family, state: &State, response: &[f64], counts: &[f64]) -> Self {
        let rows = state.predictor.iter().zip(&state.fitted).zip(response.iter().zip(counts));
        let (weights, response) = rows
            .map(|((predictor, mean), (y, count))| {
                let (slope, variance) = match family {
                    Family::Gaussian => (1.0, 1.0),
                    Family::Logistic => {
                        let odds = predictor.exp();
                        let beyond = predictor.abs() > 30.0;
                        let slope = if beyond { f64::EPSILON } else { odds / ((1.0 + odds) * (1.0 + odds)) };
                        (slope, mean * (1.0 - mean))
                    }
                    Family::Poisson => (*mean, *mean),
                };
                (count * slope * slope / variance, predictor + (y - mean) / slope)
            })
            .unzip();
        Self { weights, response, deviance: state.deviance }
    }
}

fn deviance(family: Family, response: &[f64], fitted: &[f64], counts: &[f64]) -> f64 {
    let x_ln = |x: f64, argument: f64| if x == 0.0 { 0.0 } else { x * argument.ln() };
    let terms = response.iter().zip(fitted).zip(counts).filter(|(_, count)| **count > 0.0);
    let terms = terms.map(|((y, mean), count)| {
        let of_one = match family {
            Family::Gaussian => (y - mean).powi(2),
            Family::Logistic => -2.0 * (x_ln(*y, *mean) + x_ln(1.0 - y, 1.0 - mean)),
            Family::Poisson => 2.0 * (x_ln(*y, y / mean) - (y - mean)),
        };
        count * of_one
    });
    terms.sum()
}

fn log_likelihood(family: Family, state: &State, response: &[f64], counts: &[f64]) -> f64 {
    if family == Family::Logistic {
        return -0.5 * state.deviance;
    }
    let terms = response.iter().zip(&state.fitted).zip(counts);
    terms.map(|((y, mean), count)| count * (y * mean.ln() - mean - ln_gamma(y + 1.0))).sum()
}
