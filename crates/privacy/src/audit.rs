//! What many runs on two neighbouring data sets prove about ε: a lower bound with a stated confidence.
//!
//! If a mechanism is (ε, δ)-DP, then P(E | D) ≤ exp(ε)·P(E | D′) + δ for every event E and all neighbours D, D′. So every event gives a lower bound on ε, ln((P(E | D) − δ) / P(E | D′)), and exact
//! confidence bounds on the two probabilities make it one that fails with a stated probability at most (Ding, Wang, Wang, Zhang & Kifer 2018; Jagielski, Ullman & Oprea 2020). A bound above the
//! ε that was promised is a proof of a fault; a bound below it proves nothing, it only found none.

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

/// How often one event occurred on each of two neighbouring data sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventTally {
    /// On the one.
    pub with: Tally,
    /// On its neighbour.
    pub without: Tally,
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

/// A lower bound on ε from counted events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpsilonLowerBound {
    /// ε is below this with probability at most 1 − confidence; zero if nothing was found.
    pub epsilon: f64,
    /// The index of the event that proves it.
    pub event: usize,
    /// With what confidence.
    pub confidence: f64,
}

impl EpsilonLowerBound {
    /// The bound from one event that was chosen without looking at these runs.
    ///
    /// Both probabilities are bounded from both sides, each pair wrong with probability at most half of 1 − confidence, so that the largest of the four
    /// bounds holds: the event and its opposite, in both directions.
    pub(crate) fn of_event(event: EventTally, delta: f64, confidence: f64) -> Result<Self, PrivacyError> {
        Self::of_events(&[event], delta, confidence)
    }

    /// The largest bound over several events that were fixed beforehand; the error is shared out evenly among them (Bonferroni).
    pub(crate) fn of_events(
        events: &[EventTally],
        delta: f64,
        confidence: f64,
    ) -> Result<Self, PrivacyError> {
        if events.is_empty() || !(0.0..1.0).contains(&delta) {
            return Err(PrivacyError::Audit {
                what: "an audit needs an event to count, and a delta within 0 and 1".into(),
            });
        }
        let error = (1.0 - confidence) / events.len() as f64;
        let mut best = Self { epsilon: 0.0, event: 0, confidence };
        for (index, event) in events.iter().enumerate() {
            let epsilon = bound(event, delta, error)?;
            if epsilon > best.epsilon {
                best = Self { epsilon, event: index, confidence };
            }
        }
        Ok(best)
    }

    /// The bound from the event that looks best on the first runs, tested on the second, independent ones: costs no share of the
    /// error however many events there are.
    pub fn by_split_sample(
        first: &[EventTally],
        second: &[EventTally],
        delta: f64,
        confidence: f64,
    ) -> Result<Self, PrivacyError> {
        if first.len() != second.len() {
            return Err(PrivacyError::Audit { what: "both halves of an audit count the same events".into() });
        }
        let chosen = Self::of_events(first, delta, confidence)?.event;
        Ok(Self { event: chosen, ..Self::of_event(second[chosen], delta, confidence)? })
    }

    /// Whether the bound disproves a promised ε.
    pub fn disproves(&self, promised: f64) -> bool {
        self.epsilon > promised
    }
}

/// A lower bound on the ρ of zero-concentrated privacy from one event that was chosen without looking at these runs.
///
/// If a mechanism is ρ-zCDP, the Rényi divergence of order α of the two distributions of any event is at most ρα (it is
/// post-processing), so every event gives ρ ≥ max over α of D_α(p‖q)/α, where p and q are the nearest probabilities within
/// their confidence bounds. For Gaussian noise that sees far more than an (ε, δ) bound from as many runs.
pub fn rho_lower_bound(event: EventTally, confidence: f64) -> Result<f64, PrivacyError> {
    let error = (1.0 - confidence) / 4.0;
    let (with, without) =
        (ClopperPearson::new(event.with, error)?, ClopperPearson::new(event.without, error)?);
    let (p, q) = if with.lower > without.upper {
        (with.lower, without.upper)
    } else if without.lower > with.upper {
        (with.upper, without.lower)
    } else {
        return Ok(0.0);
    };
    let orders = (0..60).map(|step| 1.0 + 0.01 * 1.15_f64.powi(step));
    let bound = |alpha: f64| renyi_divergence(p, q, alpha).max(renyi_divergence(q, p, alpha)) / alpha;
    Ok(orders.map(bound).fold(0.0, f64::max))
}

/// The Rényi divergence of order α > 1 of one coin from another.
fn renyi_divergence(p: f64, q: f64, alpha: f64) -> f64 {
    let term = |p: f64, q: f64| if p == 0.0 { 0.0 } else { (alpha * p.ln() + (1.0 - alpha) * q.ln()).exp() };
    (term(p, q) + term(1.0 - p, 1.0 - q)).ln() / (alpha - 1.0)
}

/// The largest of the four bounds of one event, which together are wrong with probability at most `error`.
fn bound(event: &EventTally, delta: f64, error: f64) -> Result<f64, PrivacyError> {
    // Four one-sided bounds: two on each probability.
    let with = ClopperPearson::new(event.with, error / 4.0)?;
    let without = ClopperPearson::new(event.without, error / 4.0)?;
    let ratios = [
        (with.lower, without.upper),
        (without.lower, with.upper),
        (1.0 - with.upper, 1.0 - without.lower),
        (1.0 - without.upper, 1.0 - with.lower),
    ];
    let epsilon = |(p, q): (f64, f64)| if p - delta > 0.0 { ((p - delta) / q).ln() } else { 0.0 };
    Ok(ratios.into_iter().map(epsilon).fold(0.0, f64::max))
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

    #[test]
    fn an_honest_mechanism_passes_and_half_the_noise_is_caught() {
        for epsilon in [0.5, 1.0, 2.0] {
            let honest = EpsilonLowerBound::of_events(&laplace_events(epsilon, 1), 0.0, 0.999).unwrap();
            assert!(!honest.disproves(epsilon) && honest.epsilon > 0.9 * epsilon, "{honest:?}");
            let halved = laplace_events(2.0 * epsilon, 2);
            assert!(EpsilonLowerBound::of_events(&halved, 0.0, 0.999).unwrap().disproves(epsilon));
            let split =
                EpsilonLowerBound::by_split_sample(&halved, &laplace_events(2.0 * epsilon, 3), 0.0, 0.999)
                    .unwrap();
            assert!(split.disproves(epsilon) && split.epsilon <= 2.0 * epsilon, "{split:?}");
        }
    }

    #[test]
    fn a_delta_pays_for_rare_events() {
        let runs = 1_000_000;
        let leak = EventTally { with: Tally { hits: 1_000, runs }, without: Tally { hits: 0, runs } };
        assert!(EpsilonLowerBound::of_event(leak, 0.0, 0.999).unwrap().epsilon > 4.0);
        assert_eq!(EpsilonLowerBound::of_event(leak, 1e-2, 0.999).unwrap().epsilon, 0.0);
    }

    #[test]
    fn an_event_that_never_differs_proves_nothing() {
        let same =
            EventTally { with: Tally { hits: 500, runs: 1000 }, without: Tally { hits: 500, runs: 1000 } };
        assert_eq!(EpsilonLowerBound::of_event(same, 0.0, 0.95).unwrap().epsilon, 0.0);
        assert!(EpsilonLowerBound::of_events(&[], 0.0, 0.95).is_err());
        assert!(EpsilonLowerBound::of_event(same, 0.0, 1.0).is_err());
        assert!(ClopperPearson::new(Tally { hits: 2, runs: 1 }, 0.05).is_err());
    }
}
