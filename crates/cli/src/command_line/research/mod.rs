//! Commands that repeat published studies, measure speed and show all steps on an invented town.

mod bench;
mod coverage;
mod demo;
mod reproduce;
mod tournament;
mod town;

use std::process::ExitCode;

use ::coverage::CoverageError;
use ::tournament::TournamentError;
use benchmarks::BenchError;
use clap::Subcommand;
use papers::ReproduceError;

use super::{Everywhere, Failure};

#[derive(Debug, Subcommand)]
pub(super) enum Research {
    /// Measure speed and memory, beside peers where they are installed
    Bench(bench::Bench),
    /// Count how often intervals from synthetic files cover the truth of an invented population
    Coverage(coverage::CoverageCommand),
    /// Repeat a published study, its numbers beside ours
    Reproduce(reproduce::Reproduce),
    /// Hold generators against each other on one table
    Tournament(tournament::TournamentCommand),
    /// Show all steps, from description to release and analysis, on an invented town
    Demo(demo::Demo),
    /// Write an invented town to try things on
    Town(town::TownCommand),
}

impl Research {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        match self {
            Self::Bench(bench) => bench.run(everywhere),
            Self::Coverage(coverage) => coverage.run(everywhere),
            Self::Reproduce(reproduce) => reproduce.run(everywhere),
            Self::Tournament(tournament) => tournament.run(everywhere),
            Self::Demo(demo) => demo.run(everywhere),
            Self::Town(town) => town.run(everywhere),
        }
    }
}

impl Everywhere {
    /// Says on standard error what is being done; nothing when quiet.
    fn doing(&self, what: &str) {
        if !self.quiet {
            eprintln!("{what}");
        }
    }
}

impl Failure {
    /// The options do not fit together.
    fn usage(message: String) -> Self {
        Self::Job(lookalike::Error::Usage(message))
    }
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Self {
        Self::Research { message: error.to_string(), code: 1 }
    }
}

impl From<CoverageError> for Failure {
    fn from(error: CoverageError) -> Self {
        match error {
            CoverageError::Design(message) => Self::Research { message, code: 2 },
            CoverageError::Synthesis(error) => Self::Job(error.into()),
            CoverageError::Table(error) => Self::Job(error.into()),
            other => Self::Research { message: other.to_string(), code: 1 },
        }
    }
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        Self::Research { message: error.to_string(), code: u8::from(error.is_usage()) + 1 }
    }
}

impl From<TournamentError> for Failure {
    fn from(error: TournamentError) -> Self {
        let is_usage = matches!(error, TournamentError::Option { .. });
        Self::Research { message: error.to_string(), code: u8::from(is_usage) + 1 }
    }
}

impl From<table::TableError> for Failure {
    fn from(error: table::TableError) -> Self {
        Self::Job(error.into())
    }
}

impl From<synthesis::SynthesisError> for Failure {
    fn from(error: synthesis::SynthesisError) -> Self {
        Self::Job(error.into())
    }
}
