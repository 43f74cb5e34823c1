//! What many runs on two neighbouring data sets prove about ε: a lower bound with a stated confidence.
//!
//! If a mechanism is (ε, δ)-DP, then P(E | D) ≤ exp(ε)·P(E | D′) + δ for every event E and all neighbours D, D′. So counted events can disprove an ε with a stated error
//! (Ding, Wang, Wang, Zhang & Kifer 2018; Jagielski, Ullman & Oprea 2020), and the largest ε that they disprove is a lower bound. A bound above the ε that was promised is a proof of a fault; a bound
//! below it proves nothing, it only found none.
//!
//! Where a coin decides the table of each run, an intruder who guesses the coin tests a pure ε by both tables at once ([`Guesses`]), which takes the fewest runs. With a δ, or in another notion, the
//! two probabilities of one event are tested together, which takes half as many runs as a confidence bound on each of them.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::gamma::ln_gamma;

use crate::PrivacyError;

/// How often an event occurred in a number of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Runs in which it did.
    pub hits: u64,
    /// All runs.
    pub runs: u64,
}

impl Tally {
    /// How often it did not.
    fn opposite(self) -> Self {
        Self { hits: self.runs - self.hits, runs: self.runs }
    }
}

/// How often one event occurred on each of two neighbouring data sets. What is proven is that it is too likely with the canary beside without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventTally {
    /// On the one.
    pub with: Tally,
    /// On its neighbour.
    pub without: Tally,
}

impl EventTally {
    /// In how many ways an event is looked at.
    pub const WAYS: usize = 4;

    /// The event and its opposite, in both directions. A bound is told of the one that was chosen without looking at the runs that it is told of.
    pub fn ways(self) -> [Self; Self::WAYS] {
        let swapped = Self { with: self.without, without: self.with };
        let opposite = |event: Self| Self { with: event.with.opposite(), without: event.without.opposite() };
        [self, swapped, opposite(self), opposite(swapped)]
    }
}

/// How often an intruder who saw only what was released told which of two neighbours a fair coin had chosen; where he cannot tell, he does not guess.
///
/// Given what was released, the odds of the two tables are those of its two probabilities, which a pure ε keeps between exp(−ε) and exp(ε). So each guess is right with probability at most
/// exp(ε)/(1 + exp(ε)) whatever the other runs gave, and the right ones among all are stochastically no more than a binomial number with that probability (Kairouz, Oh & Viswanath 2015;
/// Steinke, Nasr & Jagielski 2023, theorem 5.2 for one guess a run).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guesses {
    /// Guesses that were right.
    pub right: u64,
    /// All guesses.
    pub all: u64,
}

impl Guesses {
    /// A lower bound on a pure ε, for a way of guessing that was chosen without looking at these runs: wrong with probability at most 1 − confidence. Zero if nothing was found.
    pub fn epsilon_lower_bound(self, confidence: f64) -> Result<f64, PrivacyError> {
        let error = 1.0 - confidence;
        check_error(error)?;
        if self.all == 0 {
            return Ok(0.0);
        }
        let share = ClopperPearson::new(Tally { hits: self.right, runs: self.all }, error)?.lower;
        Ok((share / (1.0 - share)).ln().max(0.0))
    }

    /// The same bound by the score interval (Wilson 1927) at z standard deviations, below 0 where less than half is right: not exact, and quick, so that many ways of guessing can be compared.
    pub fn approximate_bound(self, z: f64) -> f64 {
        if self.all == 0 {
            return f64::NEG_INFINITY;
        }
        let (n, share) = (self.all as f64, self.right as f64 / self.all as f64);
        let centre = share + z * z / (2.0 * n);
        let width = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        let lower = ((centre - width) / (1.0 + z * z / n)).max(1e-9);
        (lower / (1.0 - lower)).ln()
    }
}

/// Exact confidence bounds on a probability (Clopper & Pearson 1934): the p at which as many hits as seen, or more (fewer), have probability `error`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClopperPearson {
    /// The probability is below this with probability at most `error`.
    pub lower: f64,
    /// The probability is above this with probability at most `error`.
    pub upper: f64,
}

impl ClopperPearson {
    /// Both bounds, each wrong with probability at most `error`, which lies between 0 and ½.
    pub fn new(tally: Tally, error: f64) -> Result<Self, PrivacyError> {
        let Tally { hits, runs } = tally;
        if runs == 0 || hits > runs {
            return Err(PrivacyError::Audit {
                what: "an audit needs at least one run, and as many runs as hits".into(),
            });
        }
        check_error(error)?;
        let lower = lower_bound(hits, runs, error);
        // Misses are hits of the opposite event.
        let upper = 1.0 - lower_bound(runs - hits, runs, error);
        Ok(Self { lower, upper })
    }
}

/// The largest probability of an event on one table that a guarantee allows where it has probability q on the neighbour.
#[derive(Clone, Copy, Debug)]
enum ProbabilityLimit {
    /// exp(ε)·q + δ.
    Approximate { epsilon: f64, delta: f64 },
    /// Φ(Φ⁻¹(q) + μ): that of Gaussian privacy (Dong, Roth & Su 2022).
    Gaussian { mu: f64 },
}

impl ProbabilityLimit {
    fn at(self, q: f64) -> f64 {
        match self {
            Self::Approximate { epsilon, delta } => (epsilon.exp() * q + delta).min(1.0),
            Self::Gaussian { mu } => {
                let normal = Normal::standard();
                normal.cdf(normal.inverse_cdf(q) + mu)
            }
        }
    }

    /// The odds of the event on the one table over those on the other, at the limit.
    fn odds_ratio(self, q: f64) -> f64 {
        let p = self.at(q);
        if q <= 0.0 || p >= 1.0 {
            return if p > 0.0 { f64::INFINITY } else { 1.0 };
        }
        p * (1.0 - q) / (q * (1.0 - p))
    }

    /// Whether the runs disprove the guarantee, with probability at most `error` if it holds.
    ///
    /// Given how often the event occurred on both tables together, the hits on the one have Fisher's noncentral hypergeometric distribution, which depends on the odds ratio alone and
    /// rises with it. At the limit the ratio depends on q; it falls and then rises in q (of (ε, δ): the derivative of its logarithm has the sign of
    /// q²(e²ᵋ − eᵋ) + 2eᵋδq − δ(1 − δ); of μ: it is the integral over [z, z + μ] of φ/(Φ(1 − Φ)), which falls to the middle and then rises), so that it is largest at an end of
    /// the confidence interval of q. A tenth of the error goes to that interval (Berger & Boos 1994). A δ makes the ratio infinite at q = 0, where the event proves most; so with a δ half of the error goes to
    /// a confidence bound on each probability.
    fn is_disproved(self, event: EventTally, error: f64) -> Result<bool, PrivacyError> {
        let mut error = error;
        if self.at(0.0) > 0.0 {
            error /= 2.0;
            let p = ClopperPearson::new(event.with, error / 2.0)?.lower;
            if p > self.at(ClopperPearson::new(event.without, error / 2.0)?.upper) {
                return Ok(true);
            }
        }
        let q = ClopperPearson::new(event.without, error / 20.0)?;
        ClopperPearson::new(event.with, error)?;
        let odds_ratio = self.odds_ratio(q.lower).max(self.odds_ratio(q.upper));
        Ok(odds_ratio.is_finite() && conditional_tail(event, odds_ratio) <= 0.9 * error)
    }
}

/// A lower bound on ε at this δ, from one event that was chosen without looking at these runs: wrong with probability at most 1 − confidence. Zero if nothing was found.
pub fn epsilon_lower_bound(event: EventTally, delta: f64, confidence: f64) -> Result<f64, PrivacyError> {
    if !(0.0..1.0).contains(&delta) {
        return Err(PrivacyError::Audit { what: "the delta of an audit lies between 0 and 1".into() });
    }
    largest_disproved(event, confidence, |epsilon| ProbabilityLimit::Approximate { epsilon, delta })
}

/// A lower bound on the μ of Gaussian privacy, in the same way. Where all noise is Gaussian, ρ-zero-concentrated privacy is that with μ = √(2ρ).
pub fn mu_lower_bound(event: EventTally, confidence: f64) -> Result<f64, PrivacyError> {
    largest_disproved(event, confidence, |mu| ProbabilityLimit::Gaussian { mu })
}

/// The largest guarantee of a family that the runs disprove, by bisection from below.
fn largest_disproved(
    event: EventTally,
    confidence: f64,
    limit: impl Fn(f64) -> ProbabilityLimit,
) -> Result<f64, PrivacyError> {
    let error = 1.0 - confidence;
    let (mut low, mut high) = (0.0, 50.0);
    if !limit(low).is_disproved(event, error)? {
        return Ok(0.0);
    }
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if limit(middle).is_disproved(event, error)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

/// P(X ≥ hits with the canary | all hits) for Fisher's noncentral hypergeometric X: terms relative to the one seen, which rise to one mode and fall.
fn conditional_tail(event: EventTally, odds_ratio: f64) -> f64 {
    let (n, k) = (event.with.runs as f64, event.without.runs as f64);
    let seen = event.with.hits as f64;
    let all = seen + event.without.hits as f64;
    // The term of j over that of j − 1.
    let step = |j: f64| (n - j + 1.0) * (all - j + 1.0) / (j * (k - all + j)) * odds_ratio;
    let sum = |ratios: &mut dyn Iterator<Item = f64>| {
        let (mut term, mut sum) = (1.0, 0.0);
        for ratio in ratios {
            term *= ratio;
            sum += term;
            if !f64::is_finite(sum) || (ratio < 1.0 && term < 1e-17 * sum) {
                break;
            }
        }
        sum
    };
    let (least, most) = ((all - k).max(0.0), n.min(all));
    let count = |from: f64, to: f64| (0..(to - from).max(0.0) as u64).map(|at| at as f64);
    let above = 1.0 + sum(&mut count(seen, most).map(|at| step(seen + 1.0 + at)));
    let below = sum(&mut count(least, seen).map(|at| 1.0 / step(seen - at)));
    if above.is_finite() { above / (above + below) } else { 1.0 }
}

/// A lower bound on the ρ of zero-concentrated privacy from one event that was chosen without looking at these runs.
///
/// If a mechanism is ρ-zCDP, the Rényi divergence of order α of the two distributions of any event is at most ρα (it is
/// post-processing), so every event gives ρ ≥ max over α of D_α(p‖q)/α, where p and q are the nearest probabilities within
/// their confidence bounds. For Gaussian noise that sees far more than an (ε, δ) bound from as many runs.
pub fn rho_lower_bound(event: EventTally, confidence: f64) -> Result<f64, PrivacyError> {
    let error = (1.0 - confidence) / 2.0;
    let p = ClopperPearson::new(event.with, error)?.lower;
    let q = ClopperPearson::new(event.without, error)?.upper;
    if p <= q {
        return Ok(0.0);
    }
    let orders = (0..60).map(|step| 1.0 + 0.01 * 1.15_f64.powi(step));
    let bound = |alpha: f64| renyi_divergence(p, q, alpha).max(renyi_divergence(q, p, alpha)) / alpha;
    Ok(orders.map(bound).fold(0.0, f64::max))
}

/// The Rényi divergence of order α > 1 of one coin from another.
fn renyi_divergence(p: f64, q: f64, alpha: f64) -> f64 {
    let term = |p: f64, q: f64| if p == 0.0 { 0.0 } else { (alpha * p.ln() + (1.0 - alpha) * q.ln()).exp() };
    (term(p, q) + term(1.0 - p, 1.0 - q)).ln() / (alpha - 1.0)
}

fn check_error(error: f64) -> Result<(), PrivacyError> {
    if error > 0.0 && error < 0.5 {
        return Ok(());
    }
    Err(PrivacyError::Audit { what: "the confidence of an audit lies between 0 and 1; try 0.999".into() })
}

/// The largest p with P(X ≥ hits | p) ≤ error, by bisection, from below.
fn lower_bound(hits: u64, runs: u64, error: f64) -> f64 {
    if hits == 0 {
        return 0.0;
    }
    // At p = hits/runs the mean is the integer `hits`, which is then a median, so the tail is at least ½.
    let (mut low, mut high) = (0.0, hits as f64 / runs as f64);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if upper_tail(hits, runs, middle) <= error {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// P(X ≥ hits) for X binomial and hits at or above its mean: the terms fall from the first on.
fn upper_tail(hits: u64, runs: u64, p: f64) -> f64 {
    let (k, n) = (hits as f64, runs as f64);
    let log_choose = ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
    let first = (log_choose + k * p.ln() + (n - k) * (-p).ln_1p()).exp();
    let odds = p / (1.0 - p);
    let (mut term, mut sum) = (1.0, 1.0);
    for j in hits..runs {
        term *= (n - j as f64) / (j as f64 + 1.0) * odds;
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    (first * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::noise::DiscreteLaplace;
    use crate::{Cost, NoiseSource};

    /// R: `qbeta(0.025, k, n - k + 1)` and `qbeta(0.975, k + 1, n - k)`.
    #[rstest]
    #[case(0, 10, 0.0, 0.308_497_107_818_760_8)]
    #[case(3, 10, 0.066_739_511_177_734_47, 0.652_452_850_059_997_3)]
    #[case(10, 10, 0.691_502_892_181_239_2, 1.0)]
    #[case(50_321, 100_000, 0.500_106_033_250_485_7, 0.506_313_780_540_173)]
    #[case(12, 1_000_000, 6.200_589_988_389_883e-6, 2.096_149_112_368_312e-5)]
    fn bounds_are_those_of_r(#[case] hits: u64, #[case] runs: u64, #[case] lower: f64, #[case] upper: f64) {
        let bounds = ClopperPearson::new(Tally { hits, runs }, 0.025).unwrap();
        let close = |ours: f64, theirs: f64| (ours - theirs).abs() <= 1e-9 * theirs.max(1e-3);
        assert!(close(bounds.lower, lower) && close(bounds.upper, upper), "{bounds:?}");
    }

    /// Coverage by enumeration: over all outcomes of 30 runs, the bounds miss p with at most the stated probability.
    #[test]
    fn a_bound_on_rho_stays_below_that_of_gaussians_and_comes_near() {
        // Two normal distributions a distance μ apart have ρ = μ²/2; the event is a threshold halfway.
        for (mu, share) in [(0.2, 0.524_f64), (1.0, 0.524), (3.0, 0.3)] {
            let p = statrs::function::erf::erfc(-mu / 2.0 / 2_f64.sqrt()) / 2.0;
            let runs = 100_000_000;
            let tally = |p: f64| Tally { hits: (p * runs as f64) as u64, runs };
            let event = EventTally { with: tally(p), without: tally(1.0 - p) };
            let found = rho_lower_bound(event, 0.99).unwrap();
            let rho = mu * mu / 2.0;
            assert!(found < rho && found > share * rho, "{mu}: {found} against {rho}");
        }
        let same = Tally { hits: 500, runs: 1_000 };
        assert_eq!(rho_lower_bound(EventTally { with: same, without: same }, 0.99).unwrap(), 0.0);
    }

    #[test]
    fn bounds_cover_what_they_promise() {
        for p in [0.01_f64, 0.1, 0.35, 0.5, 0.9] {
            let (mut below, mut above) = (0.0, 0.0);
            for hits in 0..=30_u64 {
                let bounds = ClopperPearson::new(Tally { hits, runs: 30 }, 0.05).unwrap();
                let k = hits as f64;
                let log = ln_gamma(31.0) - ln_gamma(k + 1.0) - ln_gamma(31.0 - k)
                    + k * p.ln()
                    + (30.0 - k) * (1.0 - p).ln();
                below += if bounds.lower > p { log.exp() } else { 0.0 };
                above += if bounds.upper < p { log.exp() } else { 0.0 };
            }
            assert!(below <= 0.05 && above <= 0.05, "{p}: {below}, {above}");
        }
    }

    /// By enumeration over all outcomes of 40 runs on each table: a guarantee that holds is disproved with at most the stated probability, and one that is broken by far is found.
    #[rstest]
    #[case(1.0, 0.0)]
    #[case(0.5, 0.0)]
    #[case(0.3, 0.1)]
    fn a_true_guarantee_is_disproved_no_more_often_than_stated(#[case] epsilon: f64, #[case] delta: f64) {
        let runs = 40;
        let limits =
            [ProbabilityLimit::Approximate { epsilon, delta }, ProbabilityLimit::Gaussian { mu: epsilon }];
        for limit in limits {
            let disproves: Vec<Vec<bool>> = (0..=runs)
                .map(|x| {
                    let at =
                        |y| EventTally { with: Tally { hits: x, runs }, without: Tally { hits: y, runs } };
                    (0..=runs).map(|y| limit.is_disproved(at(y), 0.05).unwrap()).collect()
                })
                .collect();
            let probability = |p: f64, q: f64| -> f64 {
                (0..=runs)
                    .flat_map(|x| (0..=runs).map(move |y| (x, y)))
                    .filter(|(x, y)| disproves[*x as usize][*y as usize])
                    .map(|(x, y)| binomial(x, runs, p) * binomial(y, runs, q))
                    .sum()
            };
            for step in 1..60 {
                let q = f64::from(step) / 60.0;
                let wrongly = probability(limit.at(q).min(1.0), q);
                assert!(wrongly <= 0.05, "{limit:?}, q = {q}: {wrongly}");
            }
            assert!(probability(0.95, 0.02) > 0.9, "{limit:?}");
        }
    }

    /// The tail at odds ratio 1 is that of Fisher's exact test; R: `fisher.test(matrix(c(8, 1, 2, 5), 2), alternative = "greater")`, and `or = 3`.
    #[rstest]
    #[case(1.0, 0.024_475_524_475_524_48)]
    #[case(3.0, 0.197_016_377_493_108_55)]
    fn the_tail_is_that_of_fishers_exact_test(#[case] odds_ratio: f64, #[case] expected: f64) {
        let event = EventTally { with: Tally { hits: 8, runs: 9 }, without: Tally { hits: 2, runs: 7 } };
        let tail = conditional_tail(event, odds_ratio);
        assert!((tail - expected).abs() < 1e-12, "{tail}");
    }

    /// By enumeration over all outcomes of 400 guesses: where each is right with probability exp(ε)/(1 + exp(ε)), the bound exceeds ε with at most the stated probability, and not with much less;
    /// and the quick bound is near the exact one.
    #[test]
    fn guesses_that_an_epsilon_allows_disprove_it_no_more_often_than_stated() {
        for epsilon in [0.2_f64, 1.0, 2.0] {
            let p = epsilon.exp() / (1.0 + epsilon.exp());
            let bound = |right| Guesses { right, all: 400 }.epsilon_lower_bound(0.95).unwrap();
            let wrongly: f64 =
                (0..=400).filter(|right| bound(*right) > epsilon).map(|right| binomial(right, 400, p)).sum();
            assert!(wrongly <= 0.05 && wrongly > 0.02, "{epsilon}: {wrongly}");
            let right = (400.0 * p).round() as u64;
            let quick = Guesses { right, all: 400 }.approximate_bound(1.644_853_627);
            assert!((quick - bound(right)).abs() < 0.05, "{quick} {}", bound(right));
        }
        assert_eq!(Guesses { right: 0, all: 0 }.epsilon_lower_bound(0.95).unwrap(), 0.0);
        assert_eq!(Guesses { right: 200, all: 400 }.epsilon_lower_bound(0.95).unwrap(), 0.0);
        assert!(Guesses { right: 400, all: 400 }.epsilon_lower_bound(0.95).unwrap() > 4.0);
        assert!(Guesses { right: 400, all: 400 }.epsilon_lower_bound(1.0).is_err());
    }

    /// The probability of as many hits.
    fn binomial(hits: u64, runs: u64, p: f64) -> f64 {
        let (k, n) = (hits as f64, runs as f64);
        if p >= 1.0 {
            return if hits == runs { 1.0 } else { 0.0 };
        }
        let log = ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
        (log + k * p.ln() + (n - k) * (-p).ln_1p()).exp()
    }

    /// Counts of "noisy count at least 1" on counts 1 and 0, over 200,000 runs of discrete Laplace noise.
    fn laplace_events(epsilon: f64, seed: u64) -> Vec<EventTally> {
        let law = DiscreteLaplace::for_cost(Cost::rounded_down(epsilon).unwrap(), 1).unwrap();
        let mut noise = NoiseSource::insecure_test_seed(seed);
        let runs = 200_000;
        let mut tally = |count: i64| {
            let draws: Vec<i64> = (0..runs).map(|_| law.add_to(count, noise.rng())).collect();
            [-1, 0, 1, 2]
                .map(|level| Tally { hits: draws.iter().filter(|&&draw| draw >= level).count() as u64, runs })
        };
        let (with, without) = (tally(1), tally(0));
        with.into_iter().zip(without).map(|(with, without)| EventTally { with, without }).collect()
    }

    /// The largest bound of events that were fixed beforehand, each in four ways, which share the error.
    fn best(events: &[EventTally]) -> f64 {
        let error = 0.001 / (EventTally::WAYS * events.len()) as f64;
        let ways = events.iter().flat_map(|event| event.ways());
        ways.map(|event| epsilon_lower_bound(event, 0.0, 1.0 - error).unwrap()).fold(0.0, f64::max)
    }

    #[test]
    fn an_honest_mechanism_passes_and_half_the_noise_is_caught() {
        for epsilon in [0.5, 1.0, 2.0] {
            let honest = best(&laplace_events(epsilon, 1));
            assert!(honest <= epsilon && honest > 0.95 * epsilon, "{honest}");
            let halved = best(&laplace_events(2.0 * epsilon, 2));
            assert!(halved > epsilon && halved <= 2.0 * epsilon, "{halved}");
        }
    }

    #[test]
    fn a_delta_pays_for_rare_events() {
        let runs = 1_000_000;
        let leak = EventTally { with: Tally { hits: 1_000, runs }, without: Tally { hits: 0, runs } };
        assert!(epsilon_lower_bound(leak, 0.0, 0.999).unwrap() > 4.0);
        assert_eq!(epsilon_lower_bound(leak, 1e-2, 0.999).unwrap(), 0.0);
    }

    #[test]
    fn an_event_that_never_differs_proves_nothing() {
        let same =
            EventTally { with: Tally { hits: 500, runs: 1000 }, without: Tally { hits: 500, runs: 1000 } };
        assert_eq!(epsilon_lower_bound(same, 0.0, 0.95).unwrap(), 0.0);
        assert_eq!(mu_lower_bound(same, 0.95).unwrap(), 0.0);
        assert!(epsilon_lower_bound(same, 0.0, 1.0).is_err());
        assert!(epsilon_lower_bound(same, 1.0, 0.95).is_err());
        assert!(ClopperPearson::new(Tally { hits: 2, runs: 1 }, 0.05).is_err());
    }
}
