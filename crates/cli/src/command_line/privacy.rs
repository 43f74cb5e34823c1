//! The budget of a private run on the command line.

use ::privacy::Neighbours;
use clap::{Args, ValueEnum};
use lookalike::Noise;
use synthesis::Recipe;

/// What may be spent of privacy.
#[derive(Debug, Args)]
#[command(next_help_heading = "Privacy")]
pub(super) struct Privacy {
    /// Make the run differentially private with this epsilon
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// The delta that goes with epsilon [default: none, a pure guarantee]
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    delta: Option<f64>,
    /// The rho of zero-concentrated privacy, instead of epsilon
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    rho: Option<f64>,
    /// Which tables are to be indistinguishable [default: what the method needs, else add-remove]
    #[arg(long)]
    neighbours: Option<NeighboursName>,
    /// The number of records in the data, where it is public; else it is counted under noise, or --rows stands for it
    #[arg(long, value_name = "N")]
    records: Option<u64>,
    /// Show what would be spent on what, without opening the data
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    noise: NoiseOptions,
}

/// Where noise comes from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Privacy")]
pub(super) struct NoiseOptions {
    /// Draw noise that can be replayed: for tests. THE GUARANTEE IS VOID, and everything written says so
    #[arg(long, value_name = "S")]
    insecure_test_seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum NeighboursName {
    AddRemove,
    ReplaceOne,
}

impl Privacy {
    /// Whether a budget is stated here.
    pub(super) fn is_given(&self) -> bool {
        self.epsilon.is_some() || self.delta.is_some() || self.rho.is_some()
    }

    /// The recipe's budget with what these options say on top.
    pub(super) fn on_top_of(&self, recipe: &mut Recipe) {
        if !self.is_given() && recipe.privacy.is_none() && self.neighbours.is_none() && self.records.is_none()
        {
            return;
        }
        let settings = recipe.privacy.get_or_insert_default();
        if self.is_given() {
            (settings.epsilon, settings.delta, settings.rho) = (self.epsilon, self.delta, self.rho);
        }
        settings.neighbours = match self.neighbours {
            Some(NeighboursName::AddRemove) => Some(Neighbours::AddRemove),
            Some(NeighboursName::ReplaceOne) => Some(Neighbours::ReplaceOne),
            None => settings.neighbours,
        };
        settings.records = self.records.or(settings.records);
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
