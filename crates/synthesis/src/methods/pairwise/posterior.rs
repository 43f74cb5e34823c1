//! Counts behind noise: a Gamma prior around what is expected, and the estimate (E√y)².
//!
//! A count y has a Gamma prior with mean m and shape κ and was seen as v with noise. Normal noise of standard deviation σ leaves
//!
//! p(y | v) ∝ y^(κ−1) exp(−(y − u)²/(2σ²)),  u = v − σ²κ/m,
//!
//! so that evidence and moments are integrals of one variable, z = u/σ: H_κ(z) = ln ∫ t^(κ−1) exp(−t²/2 + zt) dt over t > 0, with
//! E√y = √σ exp(H_{κ+½}(z) − H_κ(z)). H is Laplace's approximation at the mode of ln t, t* = (z + √(z² + 4κ))/2, plus a bounded
//! correction that is tabulated by ln(t*/√κ). Laplace noise of scale b is a mixture of normals whose variances are exponential with mean 2b²,
//! taken at the nodes of Gauss and Laguerre.
//!
//! One κ is shared by the cells of a table and averaged over a list by its evidence: a large κ says that the table is as expected up to noise, a small
//! one that it is not. (E√y)² is the estimate that minimises the expected squared distance of roots.

use std::f64::consts::PI;
use std::sync::OnceLock;

/// Terms below this share of the largest are left out, as a logarithm.
const NEGLIGIBLE: f64 = -18.0;

/// Noise on a count, as a mixture of normals: logarithms of weights, and standard deviations.
#[derive(Clone, Debug)]
pub(super) struct Noise {
    parts: Vec<(f64, f64)>,
    sd: f64,
}

/// Nodes and weights of Gauss and Laguerre for e^(−x).
const LAGUERRE: [(f64, f64); 6] = [
    (0.222_846_604_179_260_7, 0.458_964_673_949_963_6),
    (1.188_932_101_672_623, 0.417_000_830_772_120_9),
    (2.992_736_326_059_314, 0.113_373_382_074_045),
    (5.775_143_569_104_511, 0.010_399_197_453_149_1),
    (9.837_467_418_382_59, 2.610_172_028_149_321e-4),
    (15.982_873_980_601_7, 8.985_479_064_296_212e-7),
];

impl Noise {
    /// Normal noise.
    pub(super) fn normal(sd: f64) -> Self {
        Self { parts: vec![(0.0, sd)], sd }
    }

    /// Laplace noise of this scale.
    pub(super) fn laplace(scale: f64) -> Self {
        let part = |(node, weight): (f64, f64)| (weight.ln(), scale * (2.0 * node).sqrt());
        Self { parts: LAGUERRE.map(part).to_vec(), sd: 2_f64.sqrt() * scale }
    }

    /// The standard deviation.
    pub(super) fn sd(&self) -> f64 {
        self.sd
    }
}

/// What a posterior with one shape says of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Belief {
    log_evidence: f64,
    root: f64,
}

/// A shape κ with its tables.
#[derive(Debug)]
pub(super) struct Shape {
    kappa: f64,
    log_gamma: f64,
    own: Correction,
    half_more: Correction,
}

/// H_κ less its Laplace approximation, by ln(t*/√κ).
#[derive(Debug)]
struct Correction {
    kappa: f64,
    values: Vec<f64>,
}

const REACH: f64 = 8.0;
const STEP: f64 = 0.02;

impl Correction {
    fn new(kappa: f64) -> Self {
        let nodes = (2.0 * REACH / STEP) as usize + 1;
        let value = |node: usize| {
            let mode = kappa.sqrt() * (node as f64 * STEP - REACH).exp();
            Self::exact(kappa, mode)
        };
        Self { kappa, values: (0..nodes).map(value).collect() }
    }

    /// By the trapezoid rule in ln t, outwards from the mode until nothing is left.
    fn exact(kappa: f64, mode: f64) -> f64 {
        let z = mode - kappa / mode;
        let width = (mode * mode + kappa).sqrt().recip();
        let step = width / 3.0;
        // Exponents relative to the mode: κ Δl − (t² − t*²)/2 + z (t − t*).
        let exponent = |distance: f64| {
            let off = mode * distance.exp_m1();
            kappa * distance - off * (mode + 0.5 * off) + z * off
        };
        let mut sum = 1.0;
        for sign in [-1.0, 1.0] {
            for at in 1.. {
                let exponent = exponent(sign * step * f64::from(at));
                if exponent < -42.0 {
                    break;
                }
                sum += exponent.exp();
            }
        }
        (sum * step / (width * (2.0 * PI).sqrt())).ln()
    }

    fn at(&self, log_mode: f64) -> f64 {
        let place = (log_mode - 0.5 * self.kappa.ln() + REACH) / STEP;
        let place = place.clamp(0.0, (self.values.len() - 1) as f64 - 1e-9);
        let (node, rest) = (place as usize, place.fract());
        self.values[node] + rest * (self.values[node + 1] - self.values[node])
    }

    /// H_κ(z), less z²/2 where z is positive.
    fn integral(&self, z: f64) -> f64 {
        let kappa = self.kappa;
        let root = (z * z + 4.0 * kappa).sqrt();
        let mode = if z < 0.0 { 2.0 * kappa / (root - z) } else { 0.5 * (z + root) };
        let (log_mode, square) = (mode.ln(), mode * mode);
        let exponent = if z < 0.0 { z * mode - 0.5 * square } else { -0.5 * (kappa / mode).powi(2) };
        kappa * log_mode + exponent + 0.5 * (2.0 * PI / (square + kappa)).ln() + self.at(log_mode)
    }
}

impl Shape {
    fn new(kappa: f64) -> Self {
        let log_gamma = statrs::function::gamma::ln_gamma(kappa);
        Self { kappa, log_gamma, own: Correction::new(kappa), half_more: Correction::new(kappa + 0.5) }
    }

    /// The logarithm of the evidence of one normal part, and z.
    fn part(&self, seen: f64, mean: f64, sd: f64) -> (f64, f64) {
        let kappa = self.kappa;
        let shift = sd * kappa / mean;
        let z = seen / sd - shift;
        let outside = if z < 0.0 { -0.5 * (seen / sd).powi(2) } else { -0.5 * shift * (seen / sd + z) };
        let log_evidence =
            kappa * (kappa * sd / mean).ln() - self.log_gamma - 0.5 * (2.0 * PI).ln() - sd.ln()
                + outside
                + self.own.integral(z);
        (log_evidence, z)
    }

    /// The logarithm of the evidence of a cell.
    fn log_evidence(&self, seen: f64, mean: f64, noise: &Noise) -> f64 {
        match noise.parts.as_slice() {
            [(_, sd)] => self.part(seen, mean, *sd).0,
            parts => log_sum(parts.iter().map(|(log_weight, sd)| log_weight + self.part(seen, mean, *sd).0)),
        }
    }

    fn belief(&self, seen: f64, mean: f64, noise: &Noise) -> Belief {
        let log_evidence = self.log_evidence(seen, mean, noise);
        let mut root = 0.0;
        for (log_weight, sd) in &noise.parts {
            let (of_part, z) = self.part(seen, mean, *sd);
            let share = log_weight + of_part - log_evidence;
            if share > NEGLIGIBLE {
                root += share.exp() * sd.sqrt() * (self.half_more.integral(z) - self.own.integral(z)).exp();
            }
        }
        Belief { log_evidence, root }
    }
}

/// The shapes of single variables.
pub(super) fn shapes_of_one_ways() -> &'static [Shape] {
    static SHAPES: OnceLock<Vec<Shape>> = OnceLock::new();
    SHAPES.get_or_init(|| [0.15, 0.4, 1.0, 3.0, 10.0, 40.0, 400.0].map(Shape::new).into())
}

/// The shapes of pairs around what is expected of them.
pub(super) fn shapes_of_pairs() -> &'static [Shape] {
    static SHAPES: OnceLock<Vec<Shape>> = OnceLock::new();
    SHAPES.get_or_init(|| [0.3, 2.0, 20.0, 400.0].map(Shape::new).into())
}

/// What prior means say of a noisy table once κ is averaged over shapes.
#[derive(Clone, Debug)]
pub(super) struct Shrunk {
    /// The logarithm of the evidence.
    pub(super) log_evidence: f64,
    /// E√y of every cell.
    pub(super) roots: Vec<f64>,
}

/// Shrinks noisy counts towards prior means, all above zero.
pub(super) fn shrink(seen: &[f64], means: &[f64], shapes: &[Shape], noise: &Noise) -> Shrunk {
    let evidence = |shape: &Shape| -> f64 {
        seen.iter().zip(means).map(|(seen, mean)| shape.log_evidence(*seen, *mean, noise)).sum()
    };
    let evidences: Vec<f64> = shapes.iter().map(evidence).collect();
    let all = log_sum(evidences.iter().copied());
    let mut roots = vec![0.0; seen.len()];
    for (shape, evidence) in shapes.iter().zip(&evidences) {
        let weight = (evidence - all).exp();
        if evidence - all > NEGLIGIBLE {
            for ((root, seen), mean) in roots.iter_mut().zip(seen).zip(means) {
                *root += weight * shape.belief(*seen, *mean, noise).root;
            }
        }
    }
    Shrunk { log_evidence: all - (shapes.len() as f64).ln(), roots }
}

/// ln Σ exp.
pub(super) fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + logs.map(|log| (log - largest).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evidence and E√y by the midpoint rule on 400,000 points of ln y.
    fn by_brute_force(kappa: f64, seen: f64, mean: f64, likelihood: impl Fn(f64) -> f64) -> (f64, f64) {
        let (low, high, points) = (-60.0 / kappa.min(1.0), (1e7_f64).ln(), 400_000);
        let width = (high - low) / f64::from(points);
        let (mut evidence, mut roots) = (0.0, 0.0);
        for point in 0..points {
            let log_y = low + (f64::from(point) + 0.5) * width;
            let y = log_y.exp();
            let log_prior = kappa * (kappa / mean).ln() - statrs::function::gamma::ln_gamma(kappa)
                + kappa * log_y
                - kappa * y / mean;
            let weight = log_prior.exp() * likelihood(y - seen) * width;
            evidence += weight;
            roots += weight * y.sqrt();
        }
        (evidence.ln(), roots / evidence)
    }

    #[test]
    fn evidence_and_roots_are_those_of_brute_force() {
        for kappa in [0.3, 2.0, 20.0, 400.0] {
            let shape = Shape::new(kappa);
            for (seen, mean, sd) in [
                (-30.0, 4.0, 12.0),
                (0.0, 9.0, 3.0),
                (55.0, 40.0, 10.0),
                (900.0, 850.0, 5.0),
                (3.0, 600.0, 70.0),
            ] {
                let normal = |off: f64| (-0.5 * (off / sd).powi(2)).exp() / (sd * (2.0 * PI).sqrt());
                let (evidence, root) = by_brute_force(kappa, seen, mean, normal);
                let found = shape.belief(seen, mean, &Noise::normal(sd));
                assert!(
                    (found.log_evidence - evidence).abs() < 2e-3,
                    "{kappa}, {seen}: {found:?}, {evidence}"
                );
                assert!((found.root / root - 1.0).abs() < 1e-3, "{kappa}, {seen}: {found:?}, {root}");
            }
        }
    }

    #[test]
    fn laplace_noise_is_nearly_its_mixture_of_normals() {
        let scale = 8.0;
        for kappa in [0.3, 2.0, 20.0] {
            let shape = Shape::new(kappa);
            for (seen, mean) in [(-20.0, 5.0), (30.0, 20.0), (400.0, 300.0)] {
                let laplace = |off: f64| (-off.abs() / scale).exp() / (2.0 * scale);
                let (evidence, root) = by_brute_force(kappa, seen, mean, laplace);
                let found = shape.belief(seen, mean, &Noise::laplace(scale));
                assert!(
                    (found.log_evidence - evidence).abs() < 0.2,
                    "{kappa}, {seen}: {found:?}, {evidence}"
                );
                assert!((found.root / root - 1.0).abs() < 0.06, "{kappa}, {seen}: {found:?}, {root}");
            }
        }
    }

    #[test]
    fn absurd_numbers_stay_numbers() {
        for noise in [Noise::normal(1e7), Noise::normal(0.3), Noise::laplace(1e9), Noise::laplace(0.01)] {
            let seen = [-1e9, -5.0, 0.0, 1e-3, 7.0, 1e9];
            for mean in [1e-6, 1.0, 1e8] {
                let shrunk = shrink(&seen, &[mean; 6], shapes_of_pairs(), &noise);
                assert!(shrunk.log_evidence.is_finite());
                assert!(shrunk.roots.iter().all(|root| root.is_finite() && *root >= 0.0), "{shrunk:?}");
            }
        }
    }
}
