//! `lookalike audit`: an empirical check of a claimed epsilon.

use std::process::ExitCode;

use ::frontier::audit::Claim;
use clap::Args;
use lookalike::{AuditRequest, Error};

use super::{Everywhere, Run};

/// Run a private method many times on neighbouring tables, and bound its epsilon from below.
#[derive(Debug, Args)]
pub(super) struct Audit {
    /// The method
    method: String,
    /// The epsilon that is claimed
    #[arg(long, value_name = "E")]
    epsilon: f64,
    /// The delta that is claimed with it
    #[arg(long, value_name = "D")]
    delta: Option<f64>,
    /// An option of the method
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Runs on each of two neighbouring tables
    #[arg(long, value_name = "R", default_value_t = 10_000)]
    runs: u32,
    /// The confidence of the bound
    #[arg(long, value_name = "C", default_value_t = 0.99)]
    confidence: f64,
}

impl Run for Audit {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let claim =
            Claim { epsilon: self.epsilon, delta: self.delta, runs: self.runs, confidence: self.confidence };
        let mut request = AuditRequest::new(&self.method, claim);
        self.set.iter().try_for_each(|assignment| request.recipe.set(assignment))?;
        everywhere.carry_out(&request)
    }
}
