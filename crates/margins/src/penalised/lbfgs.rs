//! L-BFGS: minimising a smooth convex function from its values and gradients (Nocedal 1980; Nocedal & Wright
//! 2006, algorithms 7.4 and 7.5).
//!
//! The curvature is learned from the last few steps. Steps are halved, or shortened to where a parabola has its
//! minimum, until the value falls enough (Armijo's rule).

use std::collections::VecDeque;

/// Steps that are remembered.
const MEMORY: usize = 20;
/// The share of the fall that the slope promises, which a step must bring.
const ENOUGH: f64 = 1e-4;
/// The share of the slope that may remain where the value is too imprecise to decide.
const FLATTER: f64 = 0.8;
/// Changes of the value below this share of it are rounding.
const ROUNDING: f64 = 1e-14;
/// A step is shortened at most this often before the search gives up.
const SHORTENED: usize = 40;

/// Where a search has ended.
#[derive(Clone, Debug)]
pub(super) struct Minimum {
    pub(super) at: Vec<f64>,
    pub(super) iterations: usize,
    /// Whether no step could make the value smaller; else the limit was reached or `done` said so.
    pub(super) stuck: bool,
}

/// Minimises from `at` on. `evaluate` fills in the gradient and returns the value, infinite where there is
/// none; `done` looks at a gradient and says whether that is the end.
pub(super) fn minimise(
    mut at: Vec<f64>,
    max_iterations: usize,
    mut evaluate: impl FnMut(&[f64], &mut [f64]) -> f64,
    done: impl Fn(&[f64]) -> bool,
) -> Minimum {
    let size = at.len();
    let mut gradient = vec![0.0; size];
    let mut value = evaluate(&at, &mut gradient);
    let mut steps: VecDeque<Step> = VecDeque::with_capacity(MEMORY);
    let mut trial = vec![0.0; size];
    let mut trial_gradient = vec![0.0; size];
    for iterations in 0..max_iterations {
        if done(&gradient) {
            return Minimum { at, iterations, stuck: false };
        }
        let mut direction = descent(&gradient, &steps);
        let mut slope = dot(&gradient, &direction);
        if slope >= 0.0 {
            steps.clear();
            direction = gradient.iter().map(|slope| -slope).collect();
            slope = -dot(&gradient, &gradient);
        }
        let mut length = 1.0;
        let mut found = None;
        for _ in 0..SHORTENED {
            for ((trial, &at), &direction) in trial.iter_mut().zip(&at).zip(&direction) {
                *trial = at + length * direction;
            }
            let reached = evaluate(&trial, &mut trial_gradient);
            let falls = reached <= value + ENOUGH * length * slope;
            // Where values differ by rounding alone, the slope decides (Hager & Zhang 2005).
            let flattens = || dot(&trial_gradient, &direction).abs() <= FLATTER * slope.abs();
            if falls || (reached <= value + ROUNDING * value.abs() && flattens()) {
                found = Some(reached);
                break;
            }
            let curvature = reached - value - length * slope;
            let parabola = -slope * length / (2.0 * curvature);
            length *= if parabola.is_finite() { parabola.clamp(0.1, 0.5) } else { 0.1 };
        }
        let Some(reached) = found else {
            if steps.is_empty() {
                return Minimum { at, iterations, stuck: true };
            }
            steps.clear();
            continue;
        };
        let moved: Vec<f64> = trial.iter().zip(&at).map(|(new, old)| new - old).collect();
        let bent: Vec<f64> = trial_gradient.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        let along = dot(&moved, &bent);
        if along > 1e-12 * dot(&bent, &bent) {
            if steps.len() == MEMORY {
                steps.pop_front();
            }
            steps.push_back(Step { moved, bent, along });
        }
        std::mem::swap(&mut at, &mut trial);
        std::mem::swap(&mut gradient, &mut trial_gradient);
        value = reached;
    }
    Minimum { at, iterations: max_iterations, stuck: false }
}

#[derive(Debug)]
struct Step {
    moved: Vec<f64>,
    bent: Vec<f64>,
    along: f64,
}

/// Minus the gradient, times the inverse curvature that the steps show.
fn descent(gradient: &[f64], steps: &VecDeque<Step>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(steps.len());
    for Step { moved, bent, along } in steps.iter().rev() {
        let share = dot(moved, &direction) / along;
        add(&mut direction, -share, bent);
        shares.push(share);
    }
    if let Some(Step { bent, along, .. }) = steps.back() {
        let scale = along / dot(bent, bent);
        direction.iter_mut().for_each(|direction| *direction *= scale);
    }
    for (Step { moved, bent, along }, share) in steps.iter().zip(shares.into_iter().rev()) {
        let back = dot(bent, &direction) / along;
        add(&mut direction, share - back, moved);
    }
    direction
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], times: f64, other: &[f64]) {
    to.iter_mut().zip(other).for_each(|(to, other)| *to += times * other);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_slope(gradient: &[f64]) -> bool {
        gradient.iter().all(|slope| slope.abs() < 1e-9)
    }

    #[test]
    fn a_long_valley_is_walked_to_its_end() {
        // f = Σ i² (x_i − i)² ÷ 2 + a coupling of neighbours; the minimum without coupling is x_i = i.
        let stiffness = |i: usize| (i as f64 + 1.0).powi(2);
        let evaluate = |x: &[f64], gradient: &mut [f64]| {
            let mut value = 0.0;
            for i in 0..x.len() {
                let off = x[i] - i as f64;
                value += stiffness(i) * off * off / 2.0;
                gradient[i] = stiffness(i) * off;
            }
            value
        };
        let found = minimise(vec![0.0; 50], 500, evaluate, no_slope);
        assert!(!found.stuck && found.iterations < 500, "{} iterations", found.iterations);
        assert!(found.at.iter().enumerate().all(|(i, x)| (x - i as f64).abs() < 1e-8));
    }

    #[test]
    fn a_step_into_nowhere_is_shortened() {
        // f = x − log x exists for positive x only, and has its minimum at 1.
        let evaluate = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0 - 1.0 / x[0];
            if x[0] > 0.0 { x[0] - x[0].ln() } else { f64::INFINITY }
        };
        for start in [1e-6, 0.3, 40.0] {
            let found = minimise(vec![start], 200, evaluate, no_slope);
            assert!((found.at[0] - 1.0).abs() < 1e-8, "from {start}: {}", found.at[0]);
        }
    }

    #[test]
    fn the_limit_on_iterations_holds() {
        let evaluate = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = x[0].exp() - 1e9;
            x[0].exp() - 1e9 * x[0]
        };
        assert_eq!(minimise(vec![0.0], 2, evaluate, no_slope).iterations, 2);
    }
}
