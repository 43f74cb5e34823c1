//! `lookalike plan`: risk and utility of the saturated mechanism before anything is generated.

use std::path::PathBuf;
use std::process::ExitCode;

use ::frontier::plan::{Bound, Free, MeanCount};
use clap::Args;
use lookalike::{Error, PlanRequest, read_near};

use super::reading::Reading;
use super::{Everywhere, Run};

/// Compute what the saturated mechanism would give and cost, without generating.
#[derive(Debug, Args)]
pub(super) struct PlanCommand {
    /// The table: CSV (also .gz), Parquet or Arrow IPC; a folder of such files or a pattern such as 'part-*.parquet' is one table; `-` is CSV from standard input; postgresql://host/database/table is counted there
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// The count family: poisson, nbi, pig or delaporte
    #[arg(long, default_value = "nbi")]
    family: String,
    /// Dispersions to plan for [default: 0.1,0.5,2,10; 0 for poisson]
    #[arg(long, value_name = "SIGMA,…", value_delimiter = ',')]
    sigma: Option<Vec<f64>>,
    /// Numbers of data sets to plan for
    #[arg(long, value_name = "M,…", value_delimiter = ',', default_values_t = [1, 5, 10])]
    m: Vec<u32>,
    /// The Poisson share of the delaporte family
    #[arg(long)]
    nu: Option<f64>,
    /// Mean count of a cell that is empty but could occur
    #[arg(long, default_value_t = 0.0)]
    alpha: f64,
    /// Factor on all means
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Cell sizes k and distances d at which tau is given
    #[arg(long, value_name = "K:D,…", value_delimiter = ',', default_values_t = [String::from("1:0.5")])]
    near: Vec<String>,
    /// The paper's normal approximation instead of the exact distribution
    #[arg(long)]
    clt: bool,
    /// A bound such as "tau4(1,0.5) <= 0.1", met by the sigma with the least expected distance at the first m
    #[arg(long, value_name = "BOUND")]
    solve: Option<String>,
    /// With --solve: find m, up to 100, at the first sigma
    #[arg(long, requires = "solve")]
    solve_m: bool,
    /// Groups into which a number is cut where the schema declares no cuts
    #[arg(long, value_name = "G", default_value_t = 5)]
    groups: u32,
}

impl Run for PlanCommand {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let free = if self.solve_m { Free::m() } else { Free::sigma() };
        let bound = self.solve.as_deref().map(str::parse::<Bound>).transpose()?;
        let data = self.reading.data(&self.data);
        let mut request =
            PlanRequest::of_family(data, (&self.family, self.nu), self.sigma.as_deref(), &self.m)?;
        request.mechanism = request.mechanism.with_alpha(self.alpha)?.with_scale(self.scale)?;
        request.grid.near = self.near.iter().map(|pair| read_near(pair)).collect::<Result<_, _>>()?;
        if self.clt {
            request.grid.mean_count = MeanCount::Clt;
        }
        request.solve = bound.map(|bound| (bound, free));
        request.groups = self.groups as usize;
        everywhere.carry_out(&request)
    }
}
