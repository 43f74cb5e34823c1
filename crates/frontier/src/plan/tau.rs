//! Jackson's τ metrics, as expected before synthesis.
//!
//! For a cell taken at random, f its original count and f̄ its mean synthetic count divided by scale:
//!
//! | | |
//! |---|---|
//! | τ₁(k, d) = P(\|f̄ − k\| ≤ d) | synthetic cells near k |
//! | τ₂(k) = P(f = k) | original cells of size k |
//! | τ₃(k, d) = P(\|f̄ − k\| ≤ d given f = k) | cells of size k that come out near k |
//! | τ₄(k, d) = P(f = k given \|f̄ − k\| ≤ d) | cells near k that really were of size k |
//!
//! (Jackson et al. 2022, sections 2.1 and 4.) τ(k) is τ(k, 0), and τ₃τ₂ = τ₄τ₁. The interval is closed at both ends. With
//! m data sets f̄ lies on multiples of 1/(m · scale): where no multiple lies within d of k, τ₁ and τ₃ are zero and τ₄ is
//! undefined. That happens for d = 0 when m · scale · k is not whole.
//!
//! The paper approximates f̄ by a normal variable. Sums of NBI and PIG counts are known exactly, so the default here is
//! exact; the paper's version is [`MeanCount::Clt`].

use serde::{Deserialize, Serialize};
use statistics::counts::CountDistribution;
use statrs::function::erf::erfc;

use super::{CellSizes, PlanError, SaturatedMechanism};

/// How the mean synthetic count of a cell is taken to be distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MeanCount {
    /// As the sum of m independent counts of the family.
    #[default]
    Exact,
    /// As a normal variable with the same mean and variance (Jackson et al. 2022, eqs. 2 and 3). Of no use at d = 0.
    Clt,
}

/// The four τ metrics at one k and d.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tau {
    /// The cell size in question.
    pub k: u64,
    /// How near a mean synthetic count has to be.
    pub d: f64,
    /// The share of cells whose mean synthetic count is within d of k.
    pub tau1: f64,
    /// The share of original cells of size k.
    pub tau2: f64,
    /// The probability that a cell of size k comes out within d of k. Defined also where no original cell has size k.
    pub tau3: f64,
    /// The probability that a cell which came out within d of k had size k; `None` where no cell can come out there.
    pub tau4: Option<f64>,
}

/// The share of τ₁ that may be left out by not visiting far-off cell sizes.
const LEFT_OUT: f64 = 1e-12;

/// Far-off sizes between two looks at whether the rest can be left out.
const STRIDE: usize = 8;

impl Tau {
    /// The τ metrics at (k, d), exactly.
    pub fn exact(
        sizes: &CellSizes,
        mechanism: &SaturatedMechanism,
        k: u64,
        d: f64,
    ) -> Result<Self, PlanError> {
        Self::expected(sizes, mechanism, k, d, MeanCount::Exact)
    }

    /// The τ metrics at (k, d) by the paper's normal approximation.
    pub fn clt(sizes: &CellSizes, mechanism: &SaturatedMechanism, k: u64, d: f64) -> Result<Self, PlanError> {
        Self::expected(sizes, mechanism, k, d, MeanCount::Clt)
    }

    /// The τ metrics at (k, d).
    pub fn expected(
        sizes: &CellSizes,
        mechanism: &SaturatedMechanism,
        k: u64,
        d: f64,
        mean_count: MeanCount,
    ) -> Result<Self, PlanError> {
        if !(d.is_finite() && d >= 0.0) {
            return Err(PlanError::Distance { value: d });
        }
        let near = Interval::new(mechanism, k, d, mean_count);
        let tau1 = near_share(sizes, mechanism, &near, k)?;
        let tau2 = sizes.share(k);
        let tau3 = near.probability(&mechanism.sum_of(k)?);
        let tau4 = (tau1 > 0.0).then(|| (tau3 * tau2 / tau1).min(1.0));
        Ok(Self { k, d, tau1, tau2, tau3, tau4 })
    }
}

/// τ₁: P(|f̄ − k| ≤ d) averaged over the cells.
///
/// Sizes are visited from k outwards. A cell's sum over the data sets grows stochastically with its mean, in every family
/// here, because it is a Poisson count whose mean is a multiple of one and the same mixing variable. So for sizes from i
/// upwards, each probability is at most P(sum of size i ≤ upper end), and for sizes from i downwards at most P(sum of size
/// i ≥ lower end). As soon as that, times the cells still to come, is below 10⁻¹² of what has been found, they are left out.
/// The normal approximation obeys the same order where it is used: (mean − x)/standard deviation grows with the mean for
/// x ≥ 0 when the variance is μ + σμ² over a constant.
fn near_share(
    sizes: &CellSizes,
    mechanism: &SaturatedMechanism,
    near: &Interval,
    k: u64,
) -> Result<f64, PlanError> {
    let mut found = sizes.random_zeros() as f64 * near.probability(&mechanism.sum_of(0)?);
    let upwards = sizes.occupied().filter(|(size, _)| *size >= k);
    let downwards = sizes.occupied().rev().filter(|(size, _)| *size < k);
    found += visit(upwards, mechanism, near, found, |sum| near.probability_not_above(sum))?;
    found += visit(downwards, mechanism, near, found, |sum| near.probability_not_below(sum))?;
    Ok((found / sizes.cells() as f64).min(1.0))
}

/// The expected number of cells near k among `occupied` ones, in the order given; `ceiling` bounds the probability of the
/// size at hand and of all that follow. `before` is what was found elsewhere.
fn visit(
    occupied: impl Iterator<Item = (u64, u64)> + Clone,
    mechanism: &SaturatedMechanism,
    near: &Interval,
    before: f64,
    ceiling: impl Fn(&CountDistribution) -> f64,
) -> Result<f64, PlanError> {
    let mut to_come: f64 = occupied.clone().map(|(_, cells)| cells as f64).sum();
    let mut found = 0.0;
    for (i, (size, cells)) in occupied.enumerate() {
        let sum = mechanism.sum_of(size)?;
        if i % STRIDE == STRIDE - 1 && ceiling(&sum) * to_come <= LEFT_OUT * (before + found) {
            break;
        }
        found += cells as f64 * near.probability(&sum);
        to_come -= cells as f64;
    }
    Ok(found)
}

/// "Within d of k", for the sum over the data sets.
struct Interval {
    /// Ends in units of the sum: m · scale · (k ∓ d).
    low: f64,
    high: f64,
    /// The whole numbers between them; `None` where there are none.
    counts: Option<(u64, u64)>,
    mean_count: MeanCount,
}

impl Interval {
    fn new(mechanism: &SaturatedMechanism, k: u64, d: f64, mean_count: MeanCount) -> Self {
        let exposure = mechanism.exposure();
        let (low, high) = (exposure * (k as f64 - d), exposure * (k as f64 + d));
        // Decimal fractions like 0.1 are meant as written: 10 · (1 + 0.1) is 11 and counts as reached.
        let slack = 1e-9 * high.max(1.0);
        let (first, last) = ((low - slack).ceil().max(0.0), (high + slack).floor());
        let counts = (first <= last).then_some((first as u64, last as u64));
        Self { low, high, counts, mean_count }
    }

    fn probability(&self, sum: &CountDistribution) -> f64 {
        match (self.mean_count, self.counts) {
            (MeanCount::Exact, Some((first, last))) => sum.probability_in(first..=last),
            (MeanCount::Exact, None) => 0.0,
            (MeanCount::Clt, _) => {
                normal_between(self.low - sum.mean(), self.high - sum.mean(), sum.variance().sqrt())
            }
        }
    }

    /// At least P(sum ≤ upper end).
    fn probability_not_above(&self, sum: &CountDistribution) -> f64 {
        match (self.mean_count, self.counts) {
            (MeanCount::Exact, Some((_, last))) => sum.probability_in(0..=last),
            (MeanCount::Exact, None) => 0.0,
            (MeanCount::Clt, _) => normal_above(sum.mean() - self.high, sum.variance().sqrt()),
        }
    }

    /// At least P(sum ≥ lower end).
    fn probability_not_below(&self, sum: &CountDistribution) -> f64 {
        match (self.mean_count, self.counts) {
            (MeanCount::Exact, Some((first, _))) => {
                first.checked_sub(1).map_or(1.0, |k| sum.probability_above(k))
            }
            (MeanCount::Exact, None) => 0.0,
            (MeanCount::Clt, _) if self.low > 0.0 => {
                normal_above(self.low - sum.mean(), sum.variance().sqrt())
            }
            (MeanCount::Clt, _) => 1.0,
        }
    }
}

/// P(low ≤ Z ≤ high) for a normal variable with mean 0, from the tail that is smaller; a point mass at 0 without spread.
fn normal_between(low: f64, high: f64, standard_deviation: f64) -> f64 {
    if standard_deviation == 0.0 {
        return f64::from(u8::from(low <= 0.0 && 0.0 <= high));
    }
    let above = |x: f64| normal_above(x, standard_deviation);
    if low > 0.0 { above(low) - above(high) } else { above(-high) - above(-low) }
}

/// P(Z ≥ x) for a normal variable with mean 0.
fn normal_above(x: f64, standard_deviation: f64) -> f64 {
    0.5 * erfc(x / standard_deviation * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rstest::rstest;
    use statistics::counts::CountFamily;

    fn nbi(sigma: f64) -> SaturatedMechanism {
        SaturatedMechanism::new(CountFamily::nbi(sigma).unwrap())
    }

    fn small_table() -> CellSizes {
        CellSizes::new([(0, 880), (1, 60), (2, 30), (3, 15), (7, 10), (40, 4), (300, 1)].into()).unwrap()
    }

    fn every_family() -> [CountFamily; 5] {
        [
            CountFamily::Poisson,
            CountFamily::nbi(0.5).unwrap(),
            CountFamily::nbi(10.0).unwrap(),
            CountFamily::pig(2.0).unwrap(),
            CountFamily::delaporte(2.0, 0.6).unwrap(),
        ]
    }

    /// τ₃(1, 0.5) of NBI with m = 10, from methods.md 4.3, checked there by recomputation.
    #[rstest]
    #[case(0.1, 0.9077, 0.8683)]
    #[case(0.5, 0.8539, 0.8033)]
    #[case(2.0, 0.7036, 0.6387)]
    #[case(10.0, 0.4033, 0.3664)]
    fn the_reference_values_come_out(#[case] sigma: f64, #[case] exact: f64, #[case] clt: f64) {
        let mechanism = nbi(sigma).with_m(10).unwrap();
        let sizes = small_table();
        let near = |d: f64, expected: f64| {
            assert!((d - expected).abs() < 5e-5, "sigma {sigma}: {d}, not {expected}")
        };
        near(Tau::exact(&sizes, &mechanism, 1, 0.5).unwrap().tau3, exact);
        near(Tau::clt(&sizes, &mechanism, 1, 0.5).unwrap().tau3, clt);
    }

    #[test]
    fn the_normal_approximation_is_equation_2_and_3_of_the_paper() {
        let sizes = small_table();
        let (sigma, m, k, d) = (0.5, 30.0_f64, 1.0, 0.75);
        let mechanism = nbi(sigma).with_m(30).unwrap();
        let phi = |x: f64| 0.5 * erfc(-x / std::f64::consts::SQRT_2);
        let within = |i: f64| {
            let sd = ((i + sigma * i * i) / m).sqrt();
            phi((k + d - i) / sd) - phi((k - d - i) / sd)
        };
        let tau1: f64 =
            sizes.occupied().map(|(i, cells)| within(i as f64) * cells as f64).sum::<f64>() / 1000.0;
        let tau = Tau::clt(&sizes, &mechanism, 1, d).unwrap();
        assert!((tau.tau1 - tau1).abs() < 1e-14);
        assert!((tau.tau3 - within(1.0)).abs() < 1e-14);
        assert!((tau.tau4.unwrap() - within(1.0) * 0.06 / tau1).abs() < 1e-13);
    }

    #[test]
    fn tau_is_enumeration_over_all_cells() {
        let sizes = small_table();
        for family in every_family() {
            for (m, scale, alpha) in
                [(1, 1.0, 0.0), (1, 1.0, 0.05), (4, 1.0, 0.05), (3, 0.5, 0.02), (2, 2.5, 0.0)]
            {
                let mechanism = SaturatedMechanism::new(family)
                    .with_m(m)
                    .unwrap()
                    .with_scale(scale)
                    .unwrap()
                    .with_alpha(alpha)
                    .unwrap();
                for (k, d) in
                    [(0, 0.0), (0, 0.6), (1, 0.0), (1, 0.5), (1, 1.0), (3, 1.25), (40, 10.0), (5, 2.0)]
                {
                    let tau = Tau::exact(&sizes, &mechanism, k, d).unwrap();
                    let near = |size: u64| -> f64 {
                        let sum = mechanism.sum_of(size).unwrap();
                        let limit = (f64::from(m) * scale * (k as f64 + d)) as u64 + 2;
                        (0..=limit)
                            .filter(|s| (*s as f64 / (f64::from(m) * scale) - k as f64).abs() <= d + 1e-9)
                            .map(|s| sum.probability(s))
                            .sum()
                    };
                    let all = sizes.occupied().map(|(size, cells)| near(size) * cells as f64).sum::<f64>()
                        + near(0) * 880.0;
                    let what = format!("{family:?} m {m} scale {scale} alpha {alpha} k {k} d {d}: {tau:?}");
                    assert!((tau.tau1 - all / 1000.0).abs() < 1e-12, "{what}, tau1 {}", all / 1000.0);
                    assert!((tau.tau3 - near(k)).abs() < 1e-12, "{what}");
                    // The law that links the four.
                    let right = tau.tau4.map_or(0.0, |tau4| tau4 * tau.tau1);
                    assert!((tau.tau3 * tau.tau2 - right).abs() < 1e-15, "{what}");
                }
            }
        }
    }

    #[test]
    fn leaving_out_far_cells_changes_nothing_that_matters() {
        // Many sizes, so that the search stops early; compared with the plain sum over all of them.
        let sizes =
            CellSizes::new((0..4000).map(|size| (size, 1 + 100_000 / (1 + size * size))).collect()).unwrap();
        for family in every_family() {
            for m in [1, 7, 50] {
                let mechanism = SaturatedMechanism::new(family).with_m(m).unwrap();
                for (k, d, mean_count) in [
                    (1, 0.5, MeanCount::Exact),
                    (30, 4.0, MeanCount::Exact),
                    (0, 0.0, MeanCount::Exact),
                    (1, 0.5, MeanCount::Clt),
                    (30, 4.0, MeanCount::Clt),
                    (2, 5.0, MeanCount::Clt),
                ] {
                    let near = Interval::new(&mechanism, k, d, mean_count);
                    let all: f64 = sizes
                        .occupied()
                        .map(|(size, cells)| {
                            cells as f64 * near.probability(&mechanism.sum_of(size).unwrap())
                        })
                        .sum::<f64>()
                        + sizes.random_zeros() as f64 * near.probability(&mechanism.sum_of(0).unwrap());
                    let tau1 = Tau::expected(&sizes, &mechanism, k, d, mean_count).unwrap().tau1;
                    let relative = tau1 * sizes.cells() as f64 / all - 1.0;
                    assert!(relative.abs() < 4e-12, "{family:?} m {m} k {k} {mean_count:?}: {relative}");
                }
            }
        }
    }

    /// Five simulated tables against the expected metrics. Each of them is a mean of independent indicators, so four of its
    /// standard errors are allowed: an error rate of 6e-5 each, about 0.2 % for the sixty comparisons, with a fixed seed.
    #[test]
    fn simulated_tables_show_the_expected_metrics() {
        let sizes = CellSizes::new([(0, 40_000), (1, 12_000), (2, 6_000), (5, 2_000)].into()).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for family in every_family() {
            for (m, scale, d) in [(1, 1.0, 0.0), (5, 1.0, 0.5), (4, 0.5, 0.5)] {
                let mechanism = SaturatedMechanism::new(family)
                    .with_m(m)
                    .unwrap()
                    .with_scale(scale)
                    .unwrap()
                    .with_alpha(0.05)
                    .unwrap();
                let tau = Tau::exact(&sizes, &mechanism, 1, d).unwrap();
                let (mut near, mut near_uniques) = (0.0, 0.0);
                for (size, cells) in sizes.occupied().chain([(0, sizes.random_zeros())]) {
                    let count = mechanism.count_of(size).unwrap();
                    for _ in 0..cells {
                        let sum: u64 = (0..m).map(|_| count.sample(&mut rng)).sum();
                        let is_near = (sum as f64 / mechanism.exposure() - 1.0).abs() <= d;
                        near += f64::from(u8::from(is_near));
                        near_uniques += f64::from(u8::from(is_near && size == 1));
                    }
                }
                let check = |found: f64, expected: f64, of: f64, name: &str| {
                    let error = (expected * (1.0 - expected) / of).sqrt();
                    assert!(
                        (found - expected).abs() < 4.0 * error,
                        "{family:?} m {m}: {name} {found}, expected {expected}"
                    );
                };
                check(near / 60_000.0, tau.tau1, 60_000.0, "tau1");
                check(near_uniques / 12_000.0, tau.tau3, 12_000.0, "tau3");
                check(near_uniques / near, tau.tau4.unwrap(), near, "tau4");
            }
        }
    }

    #[test]
    fn risk_grows_with_m_and_falls_with_sigma() {
        // Jackson's Figure 1: tau4(1, 0.5) and tau3(1, 0.5), at the m where the lattice does not interfere.
        let sizes = small_table();
        let at = |sigma: f64, m: u32| Tau::exact(&sizes, &nbi(sigma).with_m(m).unwrap(), 1, 0.5).unwrap();
        for m in [10, 20, 50] {
            for pair in [0.0, 0.1, 0.5, 2.0, 10.0].windows(2) {
                assert!(
                    at(pair[0], m).tau3 > at(pair[1], m).tau3 && at(pair[0], m).tau4 > at(pair[1], m).tau4,
                    "{pair:?}"
                );
            }
        }
        for sigma in [0.0, 0.1, 0.5, 2.0, 10.0] {
            for pair in [10, 20, 30, 40, 50].windows(2) {
                assert!(at(sigma, pair[0]).tau3 < at(sigma, pair[1]).tau3, "{sigma} {pair:?}");
                assert!(at(sigma, pair[0]).tau4 < at(sigma, pair[1]).tau4, "{sigma} {pair:?}");
            }
        }
        // "There is an initial fall in the tau3(1, 0.1) curves" (section 5.1).
        let tau3 = |m: u32| Tau::exact(&sizes, &nbi(0.5).with_m(m).unwrap(), 1, 0.1).unwrap().tau3;
        assert!(tau3(5) < tau3(1) && tau3(10) > tau3(9));
    }

    #[test]
    fn decimal_ends_are_reached() {
        // m (1 ± d) is whole on paper for d = 0.1 and every tenth m; in binary it is not.
        for m in (10..=500).step_by(10) {
            for d in [0.1, 0.2, 0.3, 0.7] {
                let near = Interval::new(&nbi(0.5).with_m(m).unwrap(), 1, d, MeanCount::Exact);
                let tenths = u64::from(m / 10);
                let distance = tenths * (d * 10.0).round() as u64;
                assert_eq!(
                    near.counts,
                    Some((10 * tenths - distance, 10 * tenths + distance)),
                    "m {m} d {d}"
                );
            }
        }
    }

    #[test]
    fn where_no_mean_count_can_be_tau4_is_undefined() {
        let mechanism = nbi(0.5).with_scale(0.3).unwrap();
        let tau = Tau::exact(&small_table(), &mechanism, 1, 0.0).unwrap();
        assert_eq!((tau.tau1, tau.tau3, tau.tau4), (0.0, 0.0, None));
        assert!(Tau::clt(&small_table(), &nbi(0.5), 1, 0.0).unwrap().tau4.is_none());
        for d in [-0.5, f64::NAN, f64::INFINITY] {
            assert!(Tau::exact(&small_table(), &mechanism, 1, d).is_err());
        }
    }

    #[test]
    fn a_cell_count_beyond_a_million_million_millions_keeps_its_metrics() {
        let sizes = CellSizes::new([(0, 1_000_000_000_000_000_000), (1, 50), (2, 20)].into()).unwrap();
        let tau = Tau::exact(&sizes, &nbi(0.5), 1, 0.0).unwrap();
        let own = nbi(0.5).count_of(1).unwrap().probability(1) * 50.0;
        let pairs = nbi(0.5).count_of(2).unwrap().probability(1) * 20.0;
        assert!((tau.tau4.unwrap() - own / (own + pairs)).abs() < 1e-12);
    }
}
