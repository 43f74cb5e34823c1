//! Newton's method for likelihoods with a concave logarithm.

use super::least_squares::{cholesky, solve_transposed, solve_upper};
use super::{Convergence, Iterations, SymmetricMatrix};

/// A log likelihood, its gradient and its information matrix.
pub(super) trait Likelihood {
    /// The log likelihood; −∞ or NaN where the parameters are out of their range.
    fn log_likelihood(&self, parameters: &[f64]) -> f64;

    /// The gradient and minus the matrix of second derivatives.
    fn derivatives(&self, parameters: &[f64]) -> (Vec<f64>, SymmetricMatrix);

    /// How far the linear predictor of a record moves from one set of parameters to another, at most.
    fn largest_move(&self, from: &[f64], to: &[f64]) -> f64;
}

/// The maximum of a likelihood.
pub(super) struct Maximum {
    pub(super) parameters: Vec<f64>,
    pub(super) log_likelihood: f64,
    pub(super) covariance: SymmetricMatrix,
    pub(super) convergence: Convergence,
}

/// In a converging fit the last step moves no linear predictor by this much; one that runs off moves by 1 each step.
const RUNNING_OFF: f64 = 0.5;

/// Climbs from `start` until a step promises a relative gain below the tolerance; that step is still taken, so that what is
/// left is about the square of it. The covariance is the inverse information at the end. `None` when the start is no start.
pub(super) fn maximise(
    likelihood: &impl Likelihood,
    start: Vec<f64>,
    iterations: Iterations,
) -> Option<Maximum> {
    let mut parameters = start;
    let mut log_likelihood = likelihood.log_likelihood(&parameters);
    let mut convergence = Convergence { converged: false, iterations: 0, separated: false };
    let (mut gradient, information) = likelihood.derivatives(&parameters);
    let triangle_of =
        |information: &SymmetricMatrix| cholesky(information.size(), |i, j| information.get(i, j));
    let mut triangle = triangle_of(&information)?;
    let mut last_move = 0.0;
    while convergence.iterations < iterations.most && !convergence.converged {
        let step = solve_upper(&triangle, solve_transposed(&triangle, gradient.clone()));
        let gain: f64 = step.iter().zip(&gradient).map(|(a, b)| a * b).sum::<f64>() / 2.0;
        let mut length = 1.0;
        let next = loop {
            let next: Vec<f64> = parameters.iter().zip(&step).map(|(at, step)| at + length * step).collect();
            let reached = likelihood.log_likelihood(&next);
            let rounding = 1e-13 * log_likelihood.abs();
            if reached >= log_likelihood - rounding {
                log_likelihood = reached;
                break Some(next);
            }
            length /= 2.0;
            if length < 1e-10 {
                break None;
            }
        };
        let Some(next) = next else { break };
        convergence.iterations += 1;
        convergence.converged = gain < iterations.tolerance * (log_likelihood.abs() + 0.1);
        last_move = likelihood.largest_move(&parameters, &next);
        parameters = next;
        let (next_gradient, information) = likelihood.derivatives(&parameters);
        gradient = next_gradient;
        match triangle_of(&information) {
            Some(next) => triangle = next,
            None => {
                convergence.separated = true;
                break;
            }
        }
    }
    convergence.separated |= last_move > RUNNING_OFF;
    let covariance = SymmetricMatrix::inverse_of_gram(&triangle);
    Some(Maximum { parameters, log_likelihood, covariance, convergence })
}
