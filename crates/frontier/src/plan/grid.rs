//! A plan over a grid of dispersions and numbers of data sets.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use statistics::counts::{CountFamily, Dispersion, PoissonShare};

use super::{
    CellSizes, ExpectedDistance, MeanCount, PlanError, ReplicatedUniques, SaturatedMechanism, SizeRule,
    SyntheticRecords, Tau,
};

/// Which settings to plan for, and which τ metrics to show at each.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Dispersions; with the Poisson family only 0.
    pub sigmas: Vec<f64>,
    /// Numbers of data sets.
    pub ms: Vec<u32>,
    /// Pairs (k, d) at which the four τ metrics are given.
    pub near: Vec<(u64, f64)>,
    /// Exact, or the paper's normal approximation.
    pub mean_count: MeanCount,
}

/// What each point of a grid promises, in the order σ first, then m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The count family by name.
    pub family: String,
    /// The Poisson share of a Delaporte family.
    pub nu: Option<f64>,
    /// The pseudocount of random zeros.
    pub alpha: f64,
    /// What all means are multiplied with.
    pub scale: f64,
    /// How mean counts were taken to be distributed in the τ metrics.
    pub mean_count: MeanCount,
    /// The points.
    pub points: Vec<PlanPoint>,
}

/// Risk and utility expected at one setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanPoint {
    /// The dispersion.
    pub sigma: f64,
    /// The number of data sets.
    pub m: u32,
    /// The τ metrics, in the order of [`Grid::near`].
    pub tau: Vec<Tau>,
    /// Expected distance of the mean counts.
    pub distance: ExpectedDistance,
    /// Replicated uniques of one data set.
    pub replicated_uniques: ReplicatedUniques,
    /// Records of one data set.
    pub records: SyntheticRecords,
}

impl Plan {
    /// Plans every point of the grid; the mechanism gives family, ν, α and scale, the grid σ and m.
    ///
    /// Points are computed side by side and do not depend on how many threads there are.
    pub fn over(sizes: &CellSizes, mechanism: &SaturatedMechanism, grid: &Grid) -> Result<Self, PlanError> {
        let rule = SizeRule::new(sizes);
        let settings = grid
            .sigmas
            .iter()
            .flat_map(|sigma| grid.ms.iter().map(move |m| (*sigma, *m)))
            .map(|(sigma, m)| with_sigma(mechanism, sigma)?.with_m(m))
            .collect::<Result<Vec<SaturatedMechanism>, PlanError>>()?;
        let points = settings
            .par_iter()
            .map(|setting| PlanPoint::at(sizes, &rule, setting, grid))
            .collect::<Result<_, PlanError>>()?;
        Ok(Self {
            family: mechanism.family().name().to_owned(),
            nu: mechanism.family().nu().map(PoissonShare::value),
            alpha: mechanism.alpha(),
            scale: mechanism.scale(),
            mean_count: grid.mean_count,
            points,
        })
    }
}

impl PlanPoint {
    fn at(
        sizes: &CellSizes,
        rule: &SizeRule,
        setting: &SaturatedMechanism,
        grid: &Grid,
    ) -> Result<Self, PlanError> {
        let tau = grid
            .near
            .iter()
            .map(|(k, d)| Tau::expected(sizes, setting, *k, *d, grid.mean_count))
            .collect::<Result<_, PlanError>>()?;
        Ok(Self {
            sigma: setting.family().sigma().value(),
            m: setting.m(),
            tau,
            distance: rule.expected_distance(setting)?,
            replicated_uniques: ReplicatedUniques::of_saturated(sizes, setting)?,
            records: SyntheticRecords::expected(sizes, setting),
        })
    }
}

/// The mechanism with another dispersion; a Poisson grid may say 0.
fn with_sigma(mechanism: &SaturatedMechanism, sigma: f64) -> Result<SaturatedMechanism, PlanError> {
    match mechanism.family() {
        CountFamily::Poisson if sigma == 0.0 => Ok(*mechanism),
        family => Ok(mechanism.with_family(family.with_sigma(Dispersion::new(sigma)?)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> CellSizes {
        CellSizes::new([(0, 900), (1, 60), (2, 25), (5, 10), (70, 5)].into()).unwrap()
    }

    fn grid() -> Grid {
        Grid {
            sigmas: vec![0.0, 0.5],
            ms: vec![1, 5, 10],
            near: vec![(1, 0.0), (1, 0.5)],
            mean_count: MeanCount::Exact,
        }
    }

    #[test]
    fn points_are_the_single_plans_in_order() {
        let mechanism = SaturatedMechanism::new(CountFamily::nbi(7.0).unwrap()).with_alpha(0.01).unwrap();
        let plan = Plan::over(&sizes(), &mechanism, &grid()).unwrap();
        let settings: Vec<(f64, u32)> = plan.points.iter().map(|point| (point.sigma, point.m)).collect();
        assert_eq!(settings, [(0.0, 1), (0.0, 5), (0.0, 10), (0.5, 1), (0.5, 5), (0.5, 10)]);
        let point = &plan.points[4];
        let single = mechanism.with_family(CountFamily::nbi(0.5).unwrap()).with_m(5).unwrap();
        assert_eq!(point.tau[1], Tau::exact(&sizes(), &single, 1, 0.5).unwrap());
        assert_eq!(point.distance, ExpectedDistance::expected(&sizes(), &single).unwrap());
        assert_eq!(point.replicated_uniques, ReplicatedUniques::of_saturated(&sizes(), &single).unwrap());
        assert_eq!(point.records, SyntheticRecords::expected(&sizes(), &single));
        assert_eq!((plan.family.as_str(), plan.nu, plan.alpha, plan.scale), ("nbi", None, 0.01, 1.0));
    }

    #[test]
    fn a_plan_survives_json() {
        let mechanism = SaturatedMechanism::new(CountFamily::delaporte(1.0, 0.25).unwrap());
        let plan = Plan::over(&sizes(), &mechanism, &grid()).unwrap();
        let text = serde_json::to_string(&plan).unwrap();
        assert!(text.contains(r#""family":"delaporte","nu":0.25"#), "{text}");
        let back: Plan = serde_json::from_str(&text).unwrap();
        assert_eq!(back.points.len(), plan.points.len());
        for (back, plan) in back.points.iter().zip(&plan.points) {
            assert!((back.distance.hellinger / plan.distance.hellinger - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn a_poisson_grid_has_no_dispersion() {
        let poisson = SaturatedMechanism::new(CountFamily::Poisson);
        assert!(Plan::over(&sizes(), &poisson, &Grid { sigmas: vec![0.0], ..grid() }).is_ok());
        assert!(Plan::over(&sizes(), &poisson, &grid()).is_err());
        let nbi = SaturatedMechanism::new(CountFamily::nbi(1.0).unwrap());
        assert!(Plan::over(&sizes(), &nbi, &Grid { ms: vec![0], ..grid() }).is_err());
        assert!(Plan::over(&sizes(), &nbi, &Grid { sigmas: vec![-1.0], ..grid() }).is_err());
        assert!(Plan::over(&sizes(), &nbi, &Grid { near: vec![(1, -1.0)], ..grid() }).is_err());
    }

    #[test]
    fn threads_do_not_change_a_plan() {
        let mechanism = SaturatedMechanism::new(CountFamily::pig(1.0).unwrap());
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Plan::over(&sizes(), &mechanism, &grid()).unwrap())
        };
        assert_eq!(with_threads(1), with_threads(3));
    }
}
