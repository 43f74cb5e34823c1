//! The budget of a private run on the command line.

use ::privacy::Neighbours;
use clap::Args;
use lookalike::{Budget, Noise};

/// What may be spent of privacy, and how a run spends it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Privacy")]
pub(super) struct Privacy {
    #[command(flatten)]
    budget: BudgetOptions,
    /// Show what would be spent on what, without opening the data
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    noise: NoiseOptions,
}

/// What may be spent of privacy.
#[derive(Debug, Args)]
#[command(next_help_heading = "Privacy")]
pub(super) struct BudgetOptions {
    /// Make the run differentially private with this epsilon
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// The delta that goes with epsilon [default: none, a pure guarantee]
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    delta: Option<f64>,
    /// The rho of zero-concentrated privacy, instead of epsilon
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    rho: Option<f64>,
    /// Which tables are to be indistinguishable: add-remove or replace-one [default: what the method needs, else add-remove]
    #[arg(long)]
    neighbours: Option<Neighbours>,
    /// The number of records in the data, where it is public; else it is counted under noise, or --rows stands for it
    #[arg(long, value_name = "N")]
    records: Option<u64>,
}

/// Where noise comes from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Privacy")]
pub(super) struct NoiseOptions {
    /// Draw noise that can be replayed: for tests. THE GUARANTEE IS VOID, and everything written says so
    #[arg(long, value_name = "S")]
    insecure_test_seed: Option<u64>,
}

impl BudgetOptions {
    /// What overrides a recipe.
    pub(super) fn budget(&self) -> Budget {
        let Self { epsilon, delta, rho, neighbours, records } = *self;
        Budget { epsilon, delta, rho, neighbours, records }
    }
}

impl Privacy {
    /// What overrides a recipe.
    pub(super) fn budget(&self) -> Budget {
        self.budget.budget()
    }

    /// Where the noise comes from.
    pub(super) fn noise(&self) -> Noise {
        self.noise.noise()
    }
}

impl NoiseOptions {
    /// Where the noise comes from; a test seed is announced loudly.
    pub(super) fn noise(&self) -> Noise {
        match self.insecure_test_seed {
            None => Noise::OperatingSystem,
            Some(seed) => {
                eprintln!(
                    "WARNING: --insecure-test-seed: the noise can be replayed, and NOTHING IS GUARANTEED"
                );
                Noise::InsecureTestSeed(seed)
            }
        }
    }
}
