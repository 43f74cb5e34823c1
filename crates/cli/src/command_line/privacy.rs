//! The budget of a private run on the command line.

use clap::{Args, ValueEnum};
use privacy::{Neighbours, NoiseSource};
use synthesis::{Recipe, SynthesisError};

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
    /// The recipe's budget with what these options say on top.
    pub(super) fn on_top_of(&self, recipe: &mut Recipe) {
        let given = self.epsilon.is_some() || self.delta.is_some() || self.rho.is_some();
        if !given && recipe.privacy.is_none() && self.neighbours.is_none() && self.records.is_none() {
            return;
        }
        let settings = recipe.privacy.get_or_insert_default();
        if given {
            (settings.epsilon, settings.delta, settings.rho) = (self.epsilon, self.delta, self.rho);
        }
        settings.neighbours = match self.neighbours {
            Some(NeighboursName::AddRemove) => Some(Neighbours::AddRemove),
            Some(NeighboursName::ReplaceOne) => Some(Neighbours::ReplaceOne),
            None => settings.neighbours,
        };
        settings.records = self.records.or(settings.records);
    }

    /// Refuses a seed in a private run, and a test seed in one that is not.
    pub(super) fn check_seed(&self, recipe: &Recipe) -> Result<(), SynthesisError> {
        match (recipe.privacy.is_some(), recipe.seed, self.insecure_test_seed) {
            (true, Some(_), _) => Err(SynthesisError::SeedInPrivateRun),
            (false, _, Some(_)) => {
                Err(SynthesisError::option("insecure-test-seed", "the run is not private; use --seed"))
            }
            _ => Ok(()),
        }
    }

    /// Where the noise comes from.
    pub(super) fn noise(&self) -> Result<NoiseSource, SynthesisError> {
        noise(self.insecure_test_seed)
    }
}

/// Noise of the operating system; a test seed is shouted.
pub(super) fn noise(insecure_test_seed: Option<u64>) -> Result<NoiseSource, SynthesisError> {
    match insecure_test_seed {
        None => Ok(NoiseSource::from_operating_system()?),
        Some(seed) => {
            eprintln!("WARNING: --insecure-test-seed: the noise can be replayed, and NOTHING IS GUARANTEED");
            Ok(NoiseSource::insecure_test_seed(seed))
        }
    }
}
