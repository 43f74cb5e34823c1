//! Posteriors of the counts behind a noisy margin.
//!
//! A count y has a Gamma prior with mean m (what simpler margins say) and shape κ, and was seen with Laplace or
//! normal noise. One κ is shared by the cells of a margin and averaged over a list by its evidence: a large κ
//! says that the margin is as its prior mean, up to noise, and a small one that it is not. So a margin that is
//! mostly noise is shrunk, cell by cell, to what the simpler margins imply, and a clear one is kept.
//!
//! Integrals by the trapezoid rule on nodes between [`LEAST`] and 1.2 n: 110 spaced evenly in log y, 101 within
//! ±14 scales of the noisy count, 49 around the prior mean, close together near it. The prior is normalised on
//! the same nodes.

use crate::noisy::measurement::Noise;

/// The smallest count that is considered.
const LEAST: f64 = 1e-3;
/// The largest, in units of n.
const MOST: f64 = 1.2;
const EVEN_NODES: usize = 110;
const NOISY_NODES: usize = 101;
const PRIOR_NODES: usize = 49;
/// How many scales of the noise are looked at on either side.
const SCALES: f64 = 14.0;
/// The prior's nodes reach this far on the scale of log y.
const PRIOR_REACH: f64 = 1.5;
/// Terms of a sum that are smaller than e to this power times the largest are left out.
const NEGLIGIBLE: f64 = -45.0;

/// A count seen under noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NoisyCount {
    pub(crate) value: f64,
    pub(crate) noise: Noise,
}

/// The posterior of every cell of a margin, as weights on nodes.
#[derive(Clone, Debug)]
pub(crate) struct Posterior {
    cells: Vec<Cell>,
}

#[derive(Clone, Debug)]
struct Cell {
    nodes: Vec<f64>,
    log_weights: Vec<f64>,
}

/// What a posterior says of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moments {
    pub(crate) mean: f64,
    /// (E√y)²: the count whose root is expected.
    pub(crate) root_mean_squared: f64,
    pub(crate) variance: f64,
}

impl Posterior {
    /// The posterior under `prior_means`, with κ averaged over `shapes`; `records` is n.
    pub(crate) fn new(seen: &[NoisyCount], prior_means: &[f64], shapes: &[f64], records: f64) -> Self {
        let prepared: Vec<Prepared> =
            seen.iter().zip(prior_means).map(|(seen, &mean)| Prepared::new(*seen, mean, records)).collect();
        let mut buffer = Vec::new();
        let log_evidence: Vec<Vec<(f64, f64)>> = shapes
            .iter()
            .map(|&shape| prepared.iter().map(|cell| cell.normalisers(shape, &mut buffer)).collect())
            .collect();
        let totals: Vec<f64> = log_evidence
            .iter()
            .map(|cells| cells.iter().map(|(prior, posterior)| posterior - prior).sum())
            .collect();
        let all = log_sum(&totals);
        let log_shares: Vec<f64> = totals.iter().map(|total| total - all).collect();
        let cells = prepared.into_iter().enumerate().map(|(at, cell)| {
            let mut weights = vec![0.0; cell.nodes.len()];
            for ((&shape, &log_share), normalisers) in shapes.iter().zip(&log_shares).zip(&log_evidence) {
                if log_share > NEGLIGIBLE {
                    cell.log_joint(shape, &mut buffer);
                    let offset = log_share - normalisers[at].1;
                    for (weight, &log_joint) in weights.iter_mut().zip(&buffer) {
                        let exponent = log_joint + offset;
                        // Far tails matter to a tilt, so nothing is cut before doubles end.
                        *weight += if exponent > -700.0 { exponent.exp() } else { 0.0 };
                    }
                }
            }
            Cell { nodes: cell.nodes, log_weights: weights.into_iter().map(f64::ln).collect() }
        });
        Self { cells: cells.collect() }
    }

    /// The moments of every cell.
    pub(crate) fn moments(&self) -> Vec<Moments> {
        self.tilted(0.0)
    }

    /// The moments of every cell after a tilt by exp(−μy), the same for all, with which the means add up to
    /// `total`.
    pub(crate) fn moments_with_total(&self, total: f64) -> Vec<Moments> {
        let excess = |tilt: f64| self.tilted(tilt).iter().map(|moments| moments.mean).sum::<f64>() - total;
        // The sum falls as the tilt grows. Bracket, then halve.
        let (mut low, mut high) = (0.0, 0.0);
        let mut step = 1.0 / total;
        let at_none = excess(0.0);
        for _ in 0..60 {
            if at_none > 0.0 {
                high = step;
                if excess(high) <= 0.0 {
                    break;
                }
                low = high;
            } else {
                low = -step;
                if excess(low) >= 0.0 {
                    break;
                }
                high = low;
            }
            step *= 2.0;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if excess(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.tilted(0.5 * (low + high))
    }

    fn tilted(&self, tilt: f64) -> Vec<Moments> {
        self.cells.iter().map(|cell| cell.moments(tilt)).collect()
    }
}

impl Cell {
    fn moments(&self, tilt: f64) -> Moments {
        let exponents =
            || self.nodes.iter().zip(&self.log_weights).map(|(node, weight)| weight - tilt * node);
        let largest = exponents().fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut roots, mut firsts, mut seconds) = (0.0, 0.0, 0.0, 0.0);
        for (&node, exponent) in self.nodes.iter().zip(exponents()) {
            if exponent - largest > NEGLIGIBLE {
                let weight = (exponent - largest).exp();
                total += weight;
                roots += weight * node.sqrt();
                firsts += weight * node;
                seconds += weight * node * node;
            }
        }
        let (root, mean) = (roots / total, firsts / total);
        let variance = (seconds / total - mean * mean).max(0.0);
        Moments { mean, root_mean_squared: root * root, variance }
    }
}

/// A cell's nodes with what does not depend on κ.
#[derive(Debug)]
struct Prepared {
    prior_mean: f64,
    nodes: Vec<f64>,
    log_nodes: Vec<f64>,
    /// Logarithms of the trapezoid rule's weights.
    log_widths: Vec<f64>,
    log_likelihood: Vec<f64>,
}

impl Prepared {
    fn new(seen: NoisyCount, prior_mean: f64, records: f64) -> Self {
        let nodes = nodes(seen, prior_mean, records);
        let width = |at: usize| {
            let before = nodes[at.saturating_sub(1)];
            let after = nodes[(at + 1).min(nodes.len() - 1)];
            (0.5 * (after - before)).ln()
        };
        let log_widths = (0..nodes.len()).map(width).collect();
        let log_nodes = nodes.iter().map(|node| node.ln()).collect();
        let log_likelihood = nodes
            .iter()
            .map(|node| {
                let off = node - seen.value;
                match seen.noise {
                    Noise::Laplace { scale } => -off.abs() / scale,
                    Noise::Gaussian { sigma } => -0.5 * (off / sigma).powi(2),
                }
            })
            .collect();
        Self { prior_mean, nodes, log_nodes, log_widths, log_likelihood }
    }

    /// log of the unnormalised prior times the trapezoid's width.
    fn log_prior(&self, shape: f64, to: &mut Vec<f64>) {
        let rate = shape / self.prior_mean;
        to.clear();
        to.extend(
            self.nodes
                .iter()
                .zip(&self.log_nodes)
                .zip(&self.log_widths)
                .map(|((node, log_node), log_width)| (shape - 1.0) * log_node - rate * node + log_width),
        );
    }

    /// log of prior times likelihood times width.
    fn log_joint(&self, shape: f64, to: &mut Vec<f64>) {
        self.log_prior(shape, to);
        to.iter_mut().zip(&self.log_likelihood).for_each(|(log_joint, likelihood)| *log_joint += likelihood);
    }

    /// The logarithms of the integrals of prior, and of prior times likelihood.
    fn normalisers(&self, shape: f64, buffer: &mut Vec<f64>) -> (f64, f64) {
        self.log_prior(shape, buffer);
        let prior = log_sum(buffer);
        buffer
            .iter_mut()
            .zip(&self.log_likelihood)
            .for_each(|(log_joint, likelihood)| *log_joint += likelihood);
        (prior, log_sum(buffer))
    }
}

fn nodes(seen: NoisyCount, prior_mean: f64, records: f64) -> Vec<f64> {
    let most = MOST * records;
    let mut nodes = Vec::with_capacity(EVEN_NODES + NOISY_NODES + PRIOR_NODES);
    let ratio = (most / LEAST).ln() / (EVEN_NODES - 1) as f64;
    nodes.extend((0..EVEN_NODES).map(|at| LEAST * (ratio * at as f64).exp()));
    let scale = (seen.noise.variance() / 2.0).sqrt();
    let middle = (NOISY_NODES / 2) as f64;
    nodes.extend((0..NOISY_NODES).map(|at| seen.value + SCALES * scale * (at as f64 - middle) / middle));
    let middle = (PRIOR_NODES / 2) as f64;
    nodes.extend(
        (0..PRIOR_NODES).map(|at| prior_mean * (PRIOR_REACH * ((at as f64 - middle) / middle).powi(3)).exp()),
    );
    nodes.retain(|node| (LEAST..=most).contains(node));
    nodes.sort_unstable_by(f64::total_cmp);
    nodes.dedup();
    nodes
}

fn log_sum(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponents = logs.iter().map(|log| log - largest).filter(|exponent| *exponent > NEGLIGIBLE);
    largest + exponents.map(f64::exp).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [f64; 4] = [0.3, 2.0, 40.0, 2000.0];

    /// The same moments by the midpoint rule on 200,000 points evenly spaced in log y.
    fn by_brute_force(seen: &[NoisyCount], means: &[f64], records: f64) -> Vec<Moments> {
        let points = 200_000;
        let width = (MOST * records / LEAST).ln() / points as f64;
        let log_likelihood = |seen: &NoisyCount, y: f64| match seen.noise {
            Noise::Laplace { scale } => -(y - seen.value).abs() / scale,
            Noise::Gaussian { sigma } => -0.5 * ((y - seen.value) / sigma).powi(2),
        };
        let mut log_evidence = Vec::new();
        let mut moments = Vec::new();
        for shape in SHAPES {
            let mut total_log = 0.0;
            let mut of_cells = Vec::new();
            for (seen, mean) in seen.iter().zip(means) {
                let (mut prior, mut sums) = (0.0, [0.0; 4]);
                for point in 0..points {
                    let log_y = LEAST.ln() + (point as f64 + 0.5) * width;
                    let y = log_y.exp();
                    // Up to a constant that prior and posterior share, and with dy = y d(log y).
                    let weight = (shape * (log_y - mean.ln()) - shape * (y / mean - 1.0)).exp();
                    let joint = weight * log_likelihood(seen, y).exp();
                    prior += weight;
                    for (sum, power) in sums.iter_mut().zip([1.0, y.sqrt(), y, y * y]) {
                        *sum += joint * power;
                    }
                }
                total_log += (sums[0] / prior).ln();
                of_cells.push(sums.map(|sum| sum / sums[0]));
            }
            log_evidence.push(total_log);
            moments.push(of_cells);
        }
        let all: f64 = log_evidence.iter().map(|log| log.exp()).sum();
        let average = |cell: usize, power: usize| {
            log_evidence.iter().zip(&moments).map(|(log, of)| log.exp() / all * of[cell][power]).sum::<f64>()
        };
        let moments = |cell: usize| {
            let mean = average(cell, 2);
            let variance = average(cell, 3) - mean * mean;
            Moments { mean, root_mean_squared: average(cell, 1).powi(2), variance }
        };
        (0..seen.len()).map(moments).collect()
    }

    #[test]
    fn moments_are_those_of_brute_force() {
        let records = 2_000.0;
        for noise in
            [Noise::Laplace { scale: 30.0 }, Noise::Laplace { scale: 4.0 }, Noise::Gaussian { sigma: 25.0 }]
        {
            let seen = [-40.0, 3.0, 90.0, 700.0].map(|value| NoisyCount { value, noise });
            let means = [20.0, 5.0, 60.0, 900.0];
            let found = Posterior::new(&seen, &means, &SHAPES, records).moments();
            for (found, brute) in found.iter().zip(by_brute_force(&seen, &means, records)) {
                let near = |a: f64, b: f64| (a - b).abs() < 0.01 * b + 0.01;
                assert!(near(found.mean, brute.mean), "{noise:?}: {found:?}, {brute:?}");
                assert!(near(found.root_mean_squared, brute.root_mean_squared), "{found:?}, {brute:?}");
                assert!(
                    (found.variance - brute.variance).abs() < 0.03 * brute.variance,
                    "{found:?}, {brute:?}"
                );
            }
        }
    }

    #[test]
    fn noise_about_the_prior_mean_is_shrunk_to_it_and_a_clear_signal_is_kept() {
        let shapes = [0.3, 1.0, 4.0, 16.0, 120.0, 2000.0, 20000.0];
        let means = vec![100.0; 40];
        let noise = Noise::Laplace { scale: 20.0 };
        // Independence and noise: as far off as noise is on average, on either side.
        let noisy: Vec<NoisyCount> = (0..40)
            .map(|cell| NoisyCount { value: 100.0 + if cell % 2 == 0 { 20.0 } else { -20.0 }, noise })
            .collect();
        for moments in Posterior::new(&noisy, &means, &shapes, 4_000.0).moments() {
            assert!((moments.mean - 100.0).abs() < 7.0, "{moments:?}");
            assert!(moments.variance < 200.0, "{moments:?}");
        }
        // A margin that is far from its prior mean: half of the cells empty.
        let clear: Vec<NoisyCount> = (0..40)
            .map(|cell| NoisyCount { value: if cell % 2 == 0 { 200.0 } else { 0.0 }, noise })
            .collect();
        for (cell, moments) in Posterior::new(&clear, &means, &shapes, 4_000.0).moments().iter().enumerate() {
            let wanted = if cell % 2 == 0 { 170.0..215.0 } else { 0.0..20.0 };
            assert!(wanted.contains(&moments.mean), "{cell}: {moments:?}");
        }
    }

    #[test]
    fn a_tilt_makes_the_means_add_up_even_where_what_was_seen_is_absurd() {
        let even = [250.0; 4];
        let cases = [
            ([300.0, 200.0, 260.0, 250.0], 10.0),
            ([9_000.0, -8_000.0, 7_000.0, 100.0], 3_000.0),
            ([-5e6, -4e6, -6e6, -5e6], 1e6),
            ([5e6, 4e6, 6e6, 5e6], 1e5),
            ([-900.0, -800.0, -700.0, -999.0], 1.0),
        ];
        for (values, scale) in cases {
            let seen = values.map(|value| NoisyCount { value, noise: Noise::Laplace { scale } });
            let moments =
                Posterior::new(&seen, &even, &[0.15, 1.0, 20.0], 1_000.0).moments_with_total(1_000.0);
            let sum: f64 = moments.iter().map(|moments| moments.mean).sum();
            assert!((sum - 1_000.0).abs() < 1.0, "{values:?}: {sum}");
            assert!(moments.iter().all(|moments| moments.root_mean_squared > 0.0 && moments.variance >= 0.0));
        }
    }
}
