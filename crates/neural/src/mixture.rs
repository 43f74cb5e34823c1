//! A variational Gaussian mixture of one number, fitted to distinct values with counts.
//!
//! The prior of the weights is a Dirichlet process (stick breaking), that of means and precisions normal and gamma; coordinate ascent on the
//! factorised posterior (Bishop 2006, section 10.2; Blei & Jordan 2006) leaves components empty that the data do not need. Defaults are those of
//! CTGAN: concentration 0.001, at most 10 components, weights above 0.005 kept. Everything is in `f64`, and a million equal records cost as much as one.

use statrs::function::gamma::digamma;

/// One normal component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Component {
    /// Its share of the values.
    pub weight: f64,
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

/// Components, by their means.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    components: Vec<Component>,
}

const CONCENTRATION: f64 = 0.001;
const MOST: usize = 10;
const LEAST_WEIGHT: f64 = 0.005;
const ITERATIONS: usize = 200;
const TOLERANCE: f64 = 1e-4;

impl Mixture {
    /// Components that are known already.
    pub fn of(components: Vec<Component>) -> Self {
        Self { components }
    }

    /// The components.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Fits a mixture to distinct values, ascending, each with its count.
    ///
    /// # Panics
    /// If there is no value.
    pub fn fit(values: &[(f64, f64)]) -> Self {
        let total: f64 = values.iter().map(|(_, count)| count).sum();
        let mean = values.iter().map(|(value, count)| value * count).sum::<f64>() / total;
        let variance =
            values.iter().map(|(value, count)| (value - mean).powi(2) * count).sum::<f64>() / total;
        if values.len() < 2 || variance <= 0.0 {
            let spread = f64::max(mean.abs() * 1e-6, 1e-6);
            return Self { components: vec![Component { weight: 1.0, mean, deviation: spread }] };
        }
        // Standardised, so that the priors are those of a number of variance 1.
        let scale = variance.sqrt();
        let points: Vec<(f64, f64)> =
            values.iter().map(|(value, count)| ((value - mean) / scale, *count)).collect();
        let size = MOST.min(values.len());
        let mut shares = first_shares(&points, size);
        let mut state = Posterior::update(&points, &shares, size);
        for _ in 0..ITERATIONS {
            let before = state.weights();
            state.expect(&points, &mut shares);
            state = Posterior::update(&points, &shares, size);
            let moved: f64 = state.weights().iter().zip(&before).map(|(new, old)| (new - old).abs()).sum();
            if moved < TOLERANCE {
                break;
            }
        }
        let weights = state.weights();
        let mut components: Vec<Component> = (0..size)
            .filter(|at| weights[*at] > LEAST_WEIGHT)
            .map(|at| Component {
                weight: weights[at],
                mean: mean + scale * state.means[at],
                deviation: scale * (state.rates[at] / state.shapes[at]).sqrt(),
            })
            .collect();
        components.sort_unstable_by(|left, right| left.mean.total_cmp(&right.mean));
        let kept: f64 = components.iter().map(|component| component.weight).sum();
        components.iter_mut().for_each(|component| component.weight /= kept);
        Self { components }
    }

    /// For each component the probability that this value came from it.
    pub fn probabilities(&self, value: f64) -> Vec<f64> {
        let density = |component: &Component| {
            let z = (value - component.mean) / component.deviation;
            component.weight.ln() - component.deviation.ln() - 0.5 * z * z
        };
        let mut logs: Vec<f64> = self.components.iter().map(density).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        logs.iter_mut().for_each(|log| *log = (*log - most).exp());
        let sum: f64 = logs.iter().sum();
        logs.into_iter().map(|share| share / sum).collect()
    }
}

/// Values in order, as many records in each part.
fn first_shares(points: &[(f64, f64)], size: usize) -> Vec<f64> {
    let total: f64 = points.iter().map(|(_, count)| count).sum();
    let mut shares = vec![0.0; points.len() * size];
    let mut before = 0.0;
    for (at, (_, count)) in points.iter().enumerate() {
        let part = ((before + 0.5 * count) / total * size as f64) as usize;
        shares[at * size + part.min(size - 1)] = 1.0;
        before += count;
    }
    shares
}

/// The factorised posterior: beta sticks, normal means, gamma precisions.
struct Posterior {
    sticks: Vec<(f64, f64)>,
    means: Vec<f64>,
    /// Records' worth of knowledge of the mean.
    strengths: Vec<f64>,
    shapes: Vec<f64>,
    rates: Vec<f64>,
}

impl Posterior {
    fn update(points: &[(f64, f64)], shares: &[f64], size: usize) -> Self {
        let (mut counts, mut sums, mut squares) = (vec![1e-10; size], vec![0.0; size], vec![0.0; size]);
        for ((value, count), shares) in points.iter().zip(shares.chunks_exact(size)) {
            for at in 0..size {
                let weight = count * shares[at];
                counts[at] += weight;
                sums[at] += weight * value;
                squares[at] += weight * value * value;
            }
        }
        let mut behind: f64 = counts.iter().sum();
        let mut posterior = Self {
            sticks: Vec::with_capacity(size),
            means: Vec::with_capacity(size),
            strengths: Vec::with_capacity(size),
            shapes: Vec::with_capacity(size),
            rates: Vec::with_capacity(size),
        };
        for at in 0..size {
            behind -= counts[at];
            posterior.sticks.push((1.0 + counts[at], CONCENTRATION + behind.max(0.0)));
            // Priors as in scikit-learn: mean 0 known as from one record, precision gamma(1/2, 1/2) for one dimension.
            let strength = 1.0 + counts[at];
            let mean = sums[at] / strength;
            let own = sums[at] / counts[at];
            let scatter = (squares[at] - counts[at] * own * own).max(0.0);
            posterior.means.push(mean);
            posterior.strengths.push(strength);
            posterior.shapes.push(0.5 * (1.0 + counts[at]));
            posterior
                .rates
                .push(0.5 * (1.0 + scatter + counts[at] / strength * own * own) + 1e-6 * counts[at]);
        }
        posterior
    }

    /// The mean weight of each component.
    fn weights(&self) -> Vec<f64> {
        let mut left = 1.0;
        self.sticks
            .iter()
            .map(|(own, rest)| {
                let share = own / (own + rest);
                let weight = left * share;
                left *= 1.0 - share;
                weight
            })
            .collect()
    }

    /// For each point the share of each component.
    fn expect(&self, points: &[(f64, f64)], shares: &mut [f64]) {
        let size = self.means.len();
        let mut left = 0.0;
        let constants: Vec<f64> = (0..size)
            .map(|at| {
                let (own, rest) = self.sticks[at];
                let both = digamma(own + rest);
                let weight = digamma(own) - both + left;
                left += digamma(rest) - both;
                weight + 0.5 * (digamma(self.shapes[at]) - self.rates[at].ln()) - 0.5 / self.strengths[at]
            })
            .collect();
        for ((value, _), shares) in points.iter().zip(shares.chunks_exact_mut(size)) {
            let mut most = f64::NEG_INFINITY;
            for at in 0..size {
                let precision = self.shapes[at] / self.rates[at];
                shares[at] = constants[at] - 0.5 * precision * (value - self.means[at]).powi(2);
                most = most.max(shares[at]);
            }
            let mut sum = 0.0;
            for share in shares.iter_mut() {
                *share = (*share - most).exp();
                sum += *share;
            }
            shares.iter_mut().for_each(|share| *share /= sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2,000 quantiles each of N(0, 1) and N(20, 2): two components hold nearly everything, at the right place and width.
    #[test]
    fn two_normals_are_found() {
        use statrs::distribution::{ContinuousCDF, Normal};
        let normal = Normal::new(0.0, 1.0).unwrap();
        let quantile = |k: usize| normal.inverse_cdf((k as f64 + 0.5) / 2_000.0);
        let mut values: Vec<(f64, f64)> =
            (0..2_000).flat_map(|k| [(quantile(k), 1.0), (20.0 + 2.0 * quantile(k), 1.0)]).collect();
        values.sort_by(|left, right| left.0.total_cmp(&right.0));
        let mixture = Mixture::fit(&values);
        let near = |centre: f64, reach: f64| -> f64 {
            let close = |part: &&Component| (part.mean - centre).abs() < reach;
            mixture.components().iter().filter(close).map(|part| part.weight).sum()
        };
        assert!((near(0.0, 4.0) - 0.5).abs() < 0.02 && (near(20.0, 8.0) - 0.5).abs() < 0.02, "{mixture:?}");
        let mean: f64 = mixture.components().iter().map(|part| part.weight * part.mean).sum();
        assert!((mean - 10.0).abs() < 0.1, "{mean}");
        let shares = mixture.probabilities(0.0);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn counts_stand_for_records_and_constants_for_themselves() {
        let once: Vec<(f64, f64)> = (0..400).map(|k| (f64::from(k % 40), 1.0)).collect();
        let mut sorted = once.clone();
        sorted.sort_by(|left, right| left.0.total_cmp(&right.0));
        let counted: Vec<(f64, f64)> = (0..40).map(|k| (f64::from(k), 10.0)).collect();
        let (one, other) = (Mixture::fit(&sorted), Mixture::fit(&counted));
        assert_eq!(one.components().len(), other.components().len());
        for (left, right) in one.components().iter().zip(other.components()) {
            assert!((left.mean - right.mean).abs() < 0.2 && (left.weight - right.weight).abs() < 0.02);
        }
        assert_eq!(Mixture::fit(&[(7.0, 3.0)]).components()[0].mean, 7.0);
    }
}
