//! How far the mean synthetic counts are expected to be from the original ones.
//!
//! Jackson et al. (2022, section 5.2, Figure 4) show Hellinger and Euclidean distances between the original counts f and
//! the mean synthetic counts f̄, computed on counts, not on shares:
//!
//! - Hellinger: √(½ Σ (√f̄ − √f)²)
//! - Euclidean: √(Σ (f̄ − f)²)
//!
//! with f̄ divided by scale. The expected *squares* are sums over cells and known exactly; their roots are what is reported
//! here. By Jensen's inequality the root is an upper bound of the expected distance, and with Q the squared distance it is
//! too large by a share of about Var Q/(8 (E Q)²), which fades as cells are added.

use serde::{Deserialize, Serialize};

use super::{CellSizes, PlanError, SaturatedMechanism};

/// Roots of the expected squared distances between mean synthetic and original counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectedDistance {
    /// Root of E ½ Σ (√f̄ − √f)², on counts as in the paper.
    pub hellinger: f64,
    /// The same over √n: the Hellinger distance of shares, in [0, 1] up to the difference between n_syn · m/scale and n.
    /// Zero for a table without records.
    pub hellinger_of_shares: f64,
    /// Root of E Σ (f̄ − f)².
    pub euclidean: f64,
}

impl ExpectedDistance {
    /// The expected distances for one setting.
    pub fn expected(sizes: &CellSizes, mechanism: &SaturatedMechanism) -> Result<Self, PlanError> {
        SizeRule::new(sizes).expected_distance(mechanism)
    }
}

/// The cell sizes of a table, condensed for sums of smooth functions of the size.
///
/// What a cell contributes to the Hellinger distance costs microseconds, and a table has thousands of sizes. But it is a
/// smooth function of the logarithm of the size, so it is evaluated at a few Chebyshev points between 8 and 32, 32 and
/// 128, …, each with the weight that polynomial interpolation to all sizes there gives it. Made once per table, used for
/// every setting; the error is a share below 1e-9.
#[derive(Clone, Debug)]
pub struct SizeRule {
    /// Sizes, not always whole, with the number of cells they stand for.
    points: Vec<(f64, f64)>,
    random_zeros: f64,
    records: f64,
    sum_of_squares: f64,
}

/// Sizes below this are taken one by one.
const SINGLE: u64 = 8;

/// The ratio of the ends of an interval of sizes.
const RATIO: u64 = 4;

/// Chebyshev points in an interval.
const POINTS: usize = 11;

impl SizeRule {
    /// Condenses the sizes of a table.
    pub fn new(sizes: &CellSizes) -> Self {
        let mut points = Vec::new();
        let mut low = 1;
        let mut high = SINGLE;
        let mut waiting = sizes.occupied().peekable();
        while waiting.peek().is_some() {
            let mut inside = Vec::new();
            while let Some(next) = waiting.next_if(|(size, _)| *size < high) {
                inside.push((next.0 as f64, next.1 as f64));
            }
            if low == 1 || inside.len() <= POINTS {
                points.extend(inside);
            } else {
                points.extend(chebyshev_weights(low as f64, high as f64, &inside));
            }
            low = high;
            high = high.saturating_mul(RATIO);
        }
        Self {
            points,
            random_zeros: sizes.random_zeros() as f64,
            records: sizes.records() as f64,
            sum_of_squares: sizes.sum_of_squares(),
        }
    }

    /// The expected distances for one setting.
    ///
    /// A cell of size i, whose sum S over the data sets has mean m · scale · i, adds
    /// E (f̄ − i)² = (i/scale + σi²)/m and E ½(√f̄ − √i)² = √(i/(m · scale)) · (√(E S) − E √S);
    /// a random zero adds (α/scale + σα²)/m + α² and α/2.
    pub fn expected_distance(&self, mechanism: &SaturatedMechanism) -> Result<ExpectedDistance, PlanError> {
        let (alpha, scale) = (mechanism.alpha(), mechanism.scale());
        let (m, sigma) = (f64::from(mechanism.m()), mechanism.family().sigma().value());
        let noise = (self.records + self.random_zeros * alpha) / scale
            + sigma * (self.sum_of_squares + self.random_zeros * alpha * alpha);
        let squared_euclidean = noise / m + self.random_zeros * alpha * alpha;

        let mut squared_hellinger = 0.5 * self.random_zeros * alpha;
        for &(size, cells) in &self.points {
            let shortfall = mechanism.sum_around(size)?.root_shortfall();
            squared_hellinger += cells * (size / mechanism.exposure()).sqrt() * shortfall;
        }
        let hellinger = squared_hellinger.sqrt();
        Ok(ExpectedDistance {
            hellinger,
            hellinger_of_shares: if self.records > 0.0 { hellinger / self.records.sqrt() } else { 0.0 },
            euclidean: squared_euclidean.sqrt(),
        })
    }
}

/// Chebyshev points between `low` and `high` on the logarithmic scale, each with Σ cells · ℓ(size) over the sizes inside, ℓ
/// its Lagrange polynomial in barycentric form (Berrut & Trefethen 2004, eq. 4.2).
fn chebyshev_weights(low: f64, high: f64, inside: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let (centre, half) = (0.5 * (low.ln() + high.ln()), 0.5 * (high / low).ln());
    let nodes: [(f64, f64); POINTS] = std::array::from_fn(|j| {
        let angle = std::f64::consts::PI * (j as f64 + 0.5) / POINTS as f64;
        let sign = if j % 2 == 0 { 1.0 } else { -1.0 };
        (angle.cos(), sign * angle.sin())
    });
    let mut weights = [0.0; POINTS];
    for (size, cells) in inside {
        let x = (size.ln() - centre) / half;
        if let Some(j) = nodes.iter().position(|(node, _)| *node == x) {
            weights[j] += cells;
            continue;
        }
        let share = nodes.map(|(node, weight)| weight / (x - node));
        let total: f64 = share.iter().sum();
        for (weight, share) in weights.iter_mut().zip(share) {
            *weight += cells * share / total;
        }
    }
    nodes.iter().zip(weights).map(|((node, _), weight)| ((centre + half * node).exp(), weight)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use statistics::counts::CountFamily;

    fn every_family() -> [CountFamily; 6] {
        [
            CountFamily::Poisson,
            CountFamily::nbi(0.1).unwrap(),
            CountFamily::nbi(10.0).unwrap(),
            CountFamily::nbi(1000.0).unwrap(),
            CountFamily::pig(2.0).unwrap(),
            CountFamily::delaporte(2.0, 0.6).unwrap(),
        ]
    }

    #[test]
    fn distances_are_enumeration_over_the_cells() {
        let sizes = CellSizes::new([(0, 50), (1, 20), (3, 5), (12, 2)].into()).unwrap();
        for family in every_family().into_iter().filter(|family| family.sigma().value() < 5.0) {
            for (m, scale, alpha) in [(1, 1.0, 0.0), (3, 1.0, 0.1), (2, 0.5, 0.1)] {
                let mechanism = SaturatedMechanism::new(family)
                    .with_m(m)
                    .unwrap()
                    .with_scale(scale)
                    .unwrap()
                    .with_alpha(alpha)
                    .unwrap();
                let (mut hellinger, mut euclidean) = (0.0, 0.0);
                for (size, cells) in [(0, 50.0), (1, 20.0), (3, 5.0), (12, 2.0)] {
                    let sum = mechanism.sum_of(size).unwrap();
                    for s in 0..2500 {
                        let mean_count = s as f64 / (f64::from(m) * scale);
                        let weight = cells * sum.probability(s);
                        hellinger += 0.5 * weight * (mean_count.sqrt() - (size as f64).sqrt()).powi(2);
                        euclidean += weight * (mean_count - size as f64).powi(2);
                    }
                }
                let distance = ExpectedDistance::expected(&sizes, &mechanism).unwrap();
                let what = format!("{family:?} m {m} scale {scale} alpha {alpha}");
                assert!(
                    (distance.hellinger / hellinger.sqrt() - 1.0).abs() < 1e-9,
                    "{what}: {distance:?} {hellinger}"
                );
                assert!(
                    (distance.euclidean / euclidean.sqrt() - 1.0).abs() < 1e-9,
                    "{what}: {distance:?} {euclidean}"
                );
                assert!((distance.hellinger_of_shares - distance.hellinger / 59.0_f64.sqrt()).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_condensed_sizes_give_the_full_sum() {
        let sizes = CellSizes::new(
            (0..6000).filter(|s| *s < 900 || s % 7 == 0).map(|s| (s, 1 + 50_000 / (1 + s * s))).collect(),
        )
        .unwrap();
        let rule = SizeRule::new(&sizes);
        assert!(rule.points.len() < 70, "{} points", rule.points.len());
        for family in every_family() {
            for (m, scale) in [(1, 1.0), (7, 1.0), (50, 1.0), (1, 0.1), (1, 100.0)] {
                let mechanism = SaturatedMechanism::new(family).with_m(m).unwrap().with_scale(scale).unwrap();
                let full: f64 = sizes
                    .occupied()
                    .map(|(size, cells)| {
                        let shortfall = mechanism.sum_of(size).unwrap().root_shortfall();
                        cells as f64 * (size as f64 / mechanism.exposure()).sqrt() * shortfall
                    })
                    .sum();
                let condensed = rule.expected_distance(&mechanism).unwrap().hellinger.powi(2);
                let relative = condensed / full - 1.0;
                assert!(relative.abs() < 1e-9, "{family:?} m {m} scale {scale}: {relative}");
            }
        }
    }

    /// Two hundred simulated tables: the mean *squared* distance within four of its own standard errors (estimated from the
    /// tables; an error rate of about 1e-4 for each of 8 comparisons), and the mean distance a few per cent
    /// below the root, for the twenty cells of size 30 rule here.
    #[test]
    fn simulated_distances_agree() {
        let table = [(0, 400), (1, 300), (2, 200), (6, 100), (30, 20)];
        let sizes = CellSizes::new(table.into()).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        for family in [
            CountFamily::Poisson,
            CountFamily::nbi(0.5).unwrap(),
            CountFamily::pig(0.5).unwrap(),
            CountFamily::delaporte(0.5, 0.5).unwrap(),
        ] {
            let mechanism = SaturatedMechanism::new(family)
                .with_m(3)
                .unwrap()
                .with_scale(0.5)
                .unwrap()
                .with_alpha(0.05)
                .unwrap();
            let (mut hellinger, mut euclidean) = (Vec::new(), Vec::new());
            for _ in 0..200 {
                let (mut h, mut e) = (0.0, 0.0);
                for (size, cells) in table {
                    let count = mechanism.count_of(size).unwrap();
                    for _ in 0..cells {
                        let sum: u64 = (0..3).map(|_| count.sample(&mut rng)).sum();
                        let mean_count = sum as f64 / 1.5;
                        h += 0.5 * (mean_count.sqrt() - (size as f64).sqrt()).powi(2);
                        e += (mean_count - size as f64).powi(2);
                    }
                }
                hellinger.push(h);
                euclidean.push(e);
            }
            let expected = ExpectedDistance::expected(&sizes, &mechanism).unwrap();
            for (squares, root, name) in
                [(hellinger, expected.hellinger, "Hellinger"), (euclidean, expected.euclidean, "Euclidean")]
            {
                let n = squares.len() as f64;
                let mean = squares.iter().sum::<f64>() / n;
                let variance = squares.iter().map(|q| (q - mean).powi(2)).sum::<f64>() / (n - 1.0);
                assert!(
                    (mean - root * root).abs() < 4.0 * (variance / n).sqrt(),
                    "{family:?} {name}: {mean}, expected {}",
                    root * root
                );
                let mean_distance = squares.iter().map(|q| q.sqrt()).sum::<f64>() / n;
                assert!(
                    (0.96..1.005).contains(&(mean_distance / root)),
                    "{family:?} {name}: {mean_distance}, root {root}"
                );
            }
        }
    }

    #[test]
    fn distance_falls_with_m_and_grows_with_sigma() {
        let sizes = CellSizes::new([(0, 500), (1, 100), (2, 50), (9, 20), (200, 3)].into()).unwrap();
        let at = |sigma: f64, m: u32| {
            let mechanism = SaturatedMechanism::new(CountFamily::pig(sigma).unwrap()).with_m(m).unwrap();
            ExpectedDistance::expected(&sizes, &mechanism).unwrap()
        };
        for sigma in [0.0, 0.1, 1.0, 10.0] {
            for m in [1, 2, 5, 20] {
                let (here, more_data, more_noise) =
                    (at(sigma, m), at(sigma, m + 1), at(sigma * 2.0 + 0.01, m));
                assert!(more_data.hellinger < here.hellinger && more_data.euclidean < here.euclidean);
                assert!(more_noise.hellinger > here.hellinger && more_noise.euclidean > here.euclidean);
            }
        }
        // Equation (1): the variance is divided by m, so the Euclidean distance is divided by √m.
        assert!((at(0.5, 1).euclidean / at(0.5, 16).euclidean - 4.0).abs() < 1e-12);
    }

    #[test]
    fn an_empty_table_is_at_no_distance() {
        let sizes = CellSizes::new([(0, 5)].into()).unwrap();
        let distance =
            ExpectedDistance::expected(&sizes, &SaturatedMechanism::new(CountFamily::Poisson)).unwrap();
        assert_eq!(distance, ExpectedDistance { hellinger: 0.0, hellinger_of_shares: 0.0, euclidean: 0.0 });
    }
}
