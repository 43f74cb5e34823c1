//! Risk and utility of the saturated mechanism before anything is generated.

use std::path::PathBuf;

use frontier::plan::{
    Bound, Catall, CellSizes, Free, Grid, MeanCount, Plan, PlanError, ReplicatedUniques, SaturatedMechanism,
    Solution, solve,
};
use serde::Serialize;
use statistics::counts::CountFamily;
use table::watch::Watch;

use crate::{Connections, Data, Error, Request};

/// Asks what the saturated mechanism would give and cost.
///
/// ```
/// use lookalike::{Data, PlanRequest, Watch};
/// use lookalike::frontier::plan::{Grid, MeanCount, SaturatedMechanism};
/// use lookalike::statistics::counts::CountFamily;
/// use lookalike::table::read::{ReadOptions, read_csv_text};
///
/// let people = read_csv_text("sex,town\nF,a\nM,a\nF,b\nF,a\n", &ReadOptions::default())?;
/// let nbi = SaturatedMechanism::new(CountFamily::from_options("nbi", Some(0.5), None)?);
/// let grid = Grid { sigmas: vec![0.5], ms: vec![1], near: vec![(1, 0.5)], mean_count: MeanCount::Exact };
/// let planned = PlanRequest::new(Data::records("people", people), nbi, grid).run(&Watch::default())?;
/// assert_eq!((planned.cells, planned.records), (4, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlanRequest {
    /// The table.
    pub data: Data,
    /// The mechanism; its dispersion and number of data sets are those of the grid.
    pub mechanism: SaturatedMechanism,
    /// Dispersions and numbers of data sets to plan for.
    pub grid: Grid,
    /// A bound to be met, and what is free to meet it.
    pub solve: Option<(Bound, Free)>,
    /// Groups into which a number is cut where the schema declares no cuts.
    pub groups: usize,
}

/// What the mechanism would give and cost.
#[derive(Clone, Debug, Serialize)]
pub struct PlanOutcome {
    /// Cells of the cross-table that could occur.
    pub cells: u64,
    /// Records.
    pub records: u64,
    /// Every point of the grid.
    pub plan: Plan,
    /// Unique records that `catall` would repeat, for comparison.
    pub catall_replicated_uniques: ReplicatedUniques,
    /// What meets the bound, if one was asked for.
    pub solution: Option<Solution>,
}

impl PlanRequest {
    /// Asks for a plan over this grid.
    pub fn new(data: Data, mechanism: SaturatedMechanism, grid: Grid) -> Self {
        Self { data, mechanism, grid, solve: None, groups: 5 }
    }

    /// Asks for a plan of the count family of this name, at these dispersions and numbers of data sets.
    pub fn of_family(
        data: Data,
        (family, nu): (&str, Option<f64>),
        sigmas: Option<&[f64]>,
        ms: &[u32],
    ) -> Result<Self, Error> {
        let has_dispersion = family != "poisson";
        let sigmas = match sigmas {
            Some(sigmas) => sigmas.to_vec(),
            None if has_dispersion => vec![0.1, 0.5, 2.0, 10.0],
            None => vec![0.0],
        };
        let sigma = sigmas.first().copied().filter(|_| has_dispersion);
        let family = CountFamily::from_options(family, sigma, nu).map_err(PlanError::from)?;
        let grid = Grid { sigmas, ms: ms.to_vec(), near: vec![(1, 0.5)], mean_count: MeanCount::Exact };
        Ok(Self::new(data, SaturatedMechanism::new(family), grid))
    }

    /// Counts the cells of the table and computes the plan from their sizes alone.
    pub fn run(&self, watch: &Watch) -> Result<PlanOutcome, Error> {
        if self.groups < 2 {
            return Err(Error::option("groups", "at least two groups are needed"));
        }
        let Some(first) = self.grid.ms.first() else {
            return Err(Error::option("m", "name at least one number of data sets"));
        };
        let start = self.mechanism.with_m(*first)?;
        let opened = self.data.open(watch)?;
        let sizes = CellSizes::new(synthesis::cell_sizes(opened.source(), self.groups)?)?;
        let plan = Plan::over(&sizes, &self.mechanism, &self.grid)?;
        let solution =
            self.solve.as_ref().map(|(bound, free)| solve(&sizes, &start, bound, *free)).transpose()?;
        Ok(PlanOutcome {
            cells: sizes.cells(),
            records: sizes.records(),
            plan,
            catall_replicated_uniques: ReplicatedUniques::of_catall(&sizes, &Catall::new(sizes.records())),
            solution,
        })
    }
}

impl Request for PlanRequest {
    type Outcome = PlanOutcome;

    fn inputs(&self) -> Vec<PathBuf> {
        self.data.inputs()
    }

    fn reads(&self) -> Vec<PathBuf> {
        self.data.inputs().into_iter().chain(self.data.opens().0).collect()
    }

    fn connects(&self) -> Connections {
        self.data.opens().1
    }

    fn perform(&self, watch: &Watch) -> Result<PlanOutcome, Error> {
        self.run(watch)
    }

    fn text(&self, planned: &PlanOutcome) -> String {
        let mut text = report::plan_text(&planned.plan);
        text.push_str(&report::catall_text(&planned.catall_replicated_uniques));
        if let Some(solution) = &planned.solution {
            text.push_str(&format!("\n{}", report::solution_text(solution)));
        }
        text
    }

    fn json(&self, planned: &PlanOutcome) -> serde_json::Value {
        serde_json::json!(planned)
    }
}

/// A cell size k and a distance d at which τ is given, written `K:D`.
pub fn read_near(pair: &str) -> Result<(u64, f64), Error> {
    let parsed =
        pair.split_once(':').and_then(|(k, d)| Some((k.trim().parse().ok()?, d.trim().parse().ok()?)));
    parsed.ok_or_else(|| Error::Usage(format!("--near {pair}: write it as K:D, such as 1:0.5")))
}
