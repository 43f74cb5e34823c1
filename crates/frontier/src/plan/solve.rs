//! The setting that meets a bound on risk at the least expected distance.
//!
//! Whatever the family, expected distances grow with σ and fall with m: f̄ with a larger σ or a smaller m is more spread
//! out in convex order, because the mixing variables come from a gamma or inverse Gaussian process, whose value over time
//! is a martingale backwards in time, and so is a mean of m draws backwards in m. So with σ free the answer is the *smallest*
//! σ that meets the bound, and with m free the *largest* m. The metric itself need not be monotone: τ₄ is a ratio, and
//! the lattice of f̄ makes τ₃(k, d) jump with m. Every m is therefore tried, and σ is scanned upwards before the first hit
//! is refined by bisection. What is returned has been evaluated and meets the bound.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use statistics::counts::Dispersion;

use super::{Bound, CellSizes, ExpectedDistance, Metric, PlanError, SaturatedMechanism, Tau};

/// The parameter that may be chosen, and how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Free {
    /// σ from 0 to `up_to`; m stays.
    Sigma {
        /// The largest σ to try.
        up_to: f64,
    },
    /// m from 1 to `up_to`; σ stays.
    M {
        /// The largest m to try.
        up_to: u32,
    },
}

/// A setting that meets a bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// The bound.
    pub bound: Bound,
    /// The dispersion: found, or the mechanism's own where m was free.
    pub sigma: f64,
    /// The number of data sets: found, or the mechanism's own where σ was free.
    pub m: u32,
    /// The value of the bounded metric at this setting.
    pub reached: f64,
    /// The expected distance at this setting.
    pub distance: ExpectedDistance,
}

/// Steps of the scan in a decade of σ.
const STEPS_PER_DECADE: i32 = 20;

/// The scan's first σ above zero; nearer to zero only bisection looks.
const SMALLEST_DECADE: i32 = -6;

impl Free {
    /// σ, up to 1000.
    pub fn sigma() -> Self {
        Self::Sigma { up_to: 1000.0 }
    }

    /// m, up to 100.
    pub fn m() -> Self {
        Self::M { up_to: 100 }
    }
}

/// The setting of the free parameter that meets `bound` with the least expected distance.
///
/// With σ free: the smallest σ, found on a scan with twenty steps a decade from 10⁻⁶ on and refined to a relative 10⁻¹²
/// (a narrower window that meets the bound at a still smaller σ would be missed). With m free: the largest m in range.
pub fn solve(
    sizes: &CellSizes,
    mechanism: &SaturatedMechanism,
    bound: &Bound,
    free: Free,
) -> Result<Solution, PlanError> {
    if bound.metric == Metric::Tau2 {
        return Err(PlanError::NothingToSolve);
    }
    let value_at = |mechanism: &SaturatedMechanism| -> Result<Option<f64>, PlanError> {
        Ok(bound.value(&Tau::exact(sizes, mechanism, bound.k, bound.d)?))
    };
    let (found, reached) = match free {
        Free::Sigma { up_to } => smallest_sigma(mechanism, bound, up_to, &value_at)?,
        Free::M { up_to } => largest_m(mechanism, bound, up_to, &value_at)?,
    };
    Ok(Solution {
        bound: *bound,
        sigma: found.family().sigma().value(),
        m: found.m(),
        reached,
        distance: ExpectedDistance::expected(sizes, &found)?,
    })
}

/// Scans σ upwards, then bisects between the last miss and the first hit; the upper end always meets the bound.
fn smallest_sigma(
    mechanism: &SaturatedMechanism,
    bound: &Bound,
    up_to: f64,
    value_at: &impl Fn(&SaturatedMechanism) -> Result<Option<f64>, PlanError>,
) -> Result<(SaturatedMechanism, f64), PlanError> {
    if !(up_to.is_finite() && up_to >= 0.0) {
        return Err(PlanError::EmptyRange { free: "sigma", example: "1000" });
    }
    let with_sigma = |sigma: f64| -> Result<SaturatedMechanism, PlanError> {
        Ok(mechanism.with_family(mechanism.family().with_sigma(Dispersion::new(sigma)?)?))
    };
    let attempt = |sigma: f64| -> Result<Option<f64>, PlanError> { value_at(&with_sigma(sigma)?) };

    let scan = (0..)
        .map(|step| 10_f64.powf(f64::from(SMALLEST_DECADE) + f64::from(step) / f64::from(STEPS_PER_DECADE)))
        .take_while(|sigma| *sigma < up_to);
    let mut missed = None;
    let mut defined = false;
    for sigma in std::iter::once(0.0).chain(scan).chain([up_to]) {
        let value = attempt(sigma)?;
        defined |= value.is_some();
        match value.filter(|value| bound.admits(*value)) {
            Some(value) => {
                let Some(missed) = missed else { return Ok((with_sigma(sigma)?, value)) };
                let (sigma, value) = refine(missed, (sigma, value), bound, &attempt)?;
                return Ok((with_sigma(sigma)?, value));
            }
            None => missed = Some(sigma),
        }
    }
    if defined {
        let way_out = match bound.metric {
            Metric::Tau3 | Metric::Tau4 => "relax the bound, change m, or set another alpha or scale",
            Metric::Tau1 | Metric::Tau2 => "relax the bound, or set another alpha",
        };
        Err(PlanError::NoSolution { free: "sigma", up_to, bound: *bound, way_out })
    } else {
        Err(PlanError::Undefined { metric: bound.metric_text() })
    }
}

/// Bisection between a σ that misses the bound and one that meets it, kept at the upper end.
fn refine(
    missed: f64,
    hit: (f64, f64),
    bound: &Bound,
    attempt: &impl Fn(f64) -> Result<Option<f64>, PlanError>,
) -> Result<(f64, f64), PlanError> {
    let (mut low, (mut high, mut reached)) = (missed, hit);
    while high - low > 1e-12 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        match attempt(middle)?.filter(|value| bound.admits(*value)) {
            Some(value) => (high, reached) = (middle, value),
            None => low = middle,
        }
    }
    Ok((high, reached))
}

/// Tries every m, all at once.
fn largest_m(
    mechanism: &SaturatedMechanism,
    bound: &Bound,
    up_to: u32,
    value_at: &(impl Fn(&SaturatedMechanism) -> Result<Option<f64>, PlanError> + Sync),
) -> Result<(SaturatedMechanism, f64), PlanError> {
    if up_to == 0 {
        return Err(PlanError::EmptyRange { free: "m", example: "100" });
    }
    mechanism.with_m(up_to)?;
    let tried: Vec<(SaturatedMechanism, Option<f64>)> = (1..=up_to)
        .into_par_iter()
        .map(|m| {
            let mechanism = mechanism.with_m(m)?;
            Ok((mechanism, value_at(&mechanism)?))
        })
        .collect::<Result<_, PlanError>>()?;
    let best = tried.iter().rev().find_map(|(mechanism, value)| {
        value.filter(|value| bound.admits(*value)).map(|value| (*mechanism, value))
    });
    match best {
        Some(best) => Ok(best),
        None if tried.iter().any(|(_, value)| value.is_some()) => Err(PlanError::NoSolution {
            free: "m",
            up_to: f64::from(up_to),
            bound: *bound,
            way_out: "relax the bound, or set another sigma, alpha or scale",
        }),
        None => Err(PlanError::Undefined { metric: bound.metric_text() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use statistics::counts::{CountError, CountFamily};

    fn sizes() -> CellSizes {
        CellSizes::new([(0, 9_000), (1, 500), (2, 200), (3, 100), (6, 80), (20, 40), (100, 5)].into())
            .unwrap()
    }

    fn bound(text: &str) -> Bound {
        text.parse().unwrap()
    }

    /// The answer meets the bound, and a slightly smaller σ does not.
    #[rstest]
    #[case("tau4(1, 0.5) <= 0.6", CountFamily::nbi(1.0).unwrap())]
    #[case("tau4(1) <= 0.7", CountFamily::nbi(1.0).unwrap())]
    #[case("tau3(1, 0.5) <= 0.5", CountFamily::pig(1.0).unwrap())]
    #[case("tau3(1, 0.5) < 0.7", CountFamily::delaporte(1.0, 0.5).unwrap())]
    fn the_smallest_sigma_meets_the_bound(#[case] text: &str, #[case] family: CountFamily) {
        let bound = bound(text);
        let mechanism = SaturatedMechanism::new(family).with_m(10).unwrap();
        let solution = solve(&sizes(), &mechanism, &bound, Free::sigma()).unwrap();
        let value_at = |sigma: f64| {
            let family = family.with_sigma(Dispersion::new(sigma).unwrap()).unwrap();
            bound
                .value(&Tau::exact(&sizes(), &mechanism.with_family(family), bound.k, bound.d).unwrap())
                .unwrap()
        };
        assert_eq!(value_at(solution.sigma), solution.reached);
        assert!(bound.admits(solution.reached), "{solution:?}");
        assert!(!bound.admits(value_at(solution.sigma * (1.0 - 1e-9))), "{solution:?}");
        assert_eq!(solution.m, 10);
        let far = family.with_sigma(Dispersion::new(solution.sigma * 1.5).unwrap()).unwrap();
        let further = ExpectedDistance::expected(&sizes(), &mechanism.with_family(far)).unwrap();
        assert!(
            further.euclidean > solution.distance.euclidean
                && further.hellinger > solution.distance.hellinger
        );
    }

    #[test]
    fn a_bound_that_holds_anyway_needs_no_dispersion() {
        let mechanism = SaturatedMechanism::new(CountFamily::nbi(3.0).unwrap());
        let solution = solve(&sizes(), &mechanism, &bound("tau3(1) <= 0.9"), Free::sigma()).unwrap();
        assert_eq!(solution.sigma, 0.0);
        // Bounds from below ask for utility: no noise is best again.
        let solution = solve(&sizes(), &mechanism, &bound("tau3(6, 3) >= 0.5"), Free::sigma()).unwrap();
        assert_eq!(solution.sigma, 0.0);
    }

    #[test]
    fn the_largest_m_meets_the_bound() {
        let mechanism = SaturatedMechanism::new(CountFamily::nbi(2.0).unwrap());
        let bound = bound("tau4(1, 0.5) <= 0.7");
        let solution = solve(&sizes(), &mechanism, &bound, Free::M { up_to: 60 }).unwrap();
        let admits = |m: u32| {
            let tau = Tau::exact(&sizes(), &mechanism.with_m(m).unwrap(), 1, 0.5).unwrap();
            bound.admits(tau.tau4.unwrap())
        };
        assert!(
            solution.m < 60 && admits(solution.m) && (solution.m + 1..=60).all(|m| !admits(m)),
            "{solution:?}"
        );
        assert_eq!(solution.sigma, 2.0);
    }

    #[test]
    fn an_m_between_two_misses_is_found() {
        // tau3(1, 0.1) falls, then jumps at every tenth m: only m = 10 reaches this within ten data sets.
        let mechanism = SaturatedMechanism::new(CountFamily::nbi(0.1).unwrap());
        let value = |m| Tau::exact(&sizes(), &mechanism.with_m(m).unwrap(), 1, 0.1).unwrap().tau3;
        let between = 0.5 * (value(10) + value(11).max(value(9)));
        assert!(value(9) < between && value(11) < between);
        let text = format!("tau3(1, 0.1) >= {between}");
        let solution = solve(&sizes(), &mechanism, &bound(&text), Free::M { up_to: 11 }).unwrap();
        assert_eq!(solution.m, 10);
    }

    #[test]
    fn what_cannot_be_met_is_refused_with_a_way_out() {
        let nbi = SaturatedMechanism::new(CountFamily::nbi(1.0).unwrap());
        let says = |mechanism: &SaturatedMechanism, text: &str, free: Free| {
            solve(&sizes(), mechanism, &bound(text), free).unwrap_err().to_string()
        };
        let text = says(&nbi, "tau4(1) <= 0.0001", Free::sigma());
        assert_eq!(
            text,
            "no sigma up to 1000 reaches tau4(1) <= 0.0001; relax the bound, change m, or set another alpha or scale"
        );
        let text = says(&nbi, "tau3(1) >= 0.99", Free::m());
        assert_eq!(
            text,
            "no m up to 100 reaches tau3(1) >= 0.99; relax the bound, or set another sigma, alpha or scale"
        );
        let text = says(&nbi, "tau2(1) <= 0.01", Free::sigma());
        assert!(text.starts_with("tau2 describes the original table"), "{text}");
        let text = says(&nbi.with_scale(0.3).unwrap(), "tau4(1) <= 0.5", Free::sigma());
        assert!(text.starts_with("tau4(1) is undefined here"), "{text}");
        let text = says(&nbi, "tau4(1) <= 0.5", Free::Sigma { up_to: f64::NAN });
        assert!(text.starts_with("the range for sigma is empty"), "{text}");
        let text = says(&nbi, "tau4(1) <= 0.5", Free::M { up_to: 0 });
        assert!(text.starts_with("the range for m is empty"), "{text}");
        let text = says(&nbi, "tau4(1) <= 0.5", Free::Sigma { up_to: 1e9 });
        assert!(text.starts_with("sigma must be a number from 0 to 1000000"), "{text}");
        let poisson = SaturatedMechanism::new(CountFamily::Poisson);
        let refused = solve(&sizes(), &poisson, &bound("tau4(1) <= 0.5"), Free::sigma());
        assert!(matches!(refused, Err(PlanError::Count(CountError::NotHonoured { option: "sigma", .. }))));
    }

    #[test]
    fn the_answer_does_not_depend_on_threads() {
        let mechanism = SaturatedMechanism::new(CountFamily::pig(1.0).unwrap());
        let bound = bound("tau4(1, 0.75) <= 0.7");
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| solve(&sizes(), &mechanism, &bound, Free::m()).unwrap())
        };
        assert_eq!(with_threads(1), with_threads(4));
    }
}
