//! `lookalike ledger`: the ledger over all runs on a data set.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use lookalike::{Budget, Error, LedgerExportRequest, LedgerLimitRequest, LedgerShowRequest};
use privacy::Neighbours;

use super::{Everywhere, Run};

/// Set what may be spent of a data set in all, and see what was.
#[derive(Debug, Args)]
pub(super) struct Ledger {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show limits, what was taken of them, and looks that no guarantee covers; check that no line was changed
    Show {
        #[command(flatten)]
        which: Which,
        /// A hash that was kept elsewhere: the ledger must still hold the line that has it
        #[arg(long, value_name = "HASH")]
        contains: Option<String>,
    },
    /// Set what may be spent of a data set in all; the file is made if there is none
    Limit {
        /// The file of the ledger [default: that of LOOKALIKE_LEDGER]
        #[arg(long, value_name = "FILE")]
        ledger: Option<PathBuf>,
        /// What the owner calls the data
        #[arg(long, value_name = "NAME")]
        data_set: String,
        /// What is protected, as the schema calls it in `unit`
        #[arg(long, value_name = "UNIT", default_value = "record")]
        unit: String,
        /// The epsilon of all runs together
        #[arg(long, value_name = "E", allow_negative_numbers = true)]
        epsilon: Option<f64>,
        /// The delta that goes with it: runs are then added up by way of rho
        #[arg(long, value_name = "D", allow_negative_numbers = true)]
        delta: Option<f64>,
        /// The rho of all runs together, instead of epsilon
        #[arg(long, value_name = "R", allow_negative_numbers = true)]
        rho: Option<f64>,
        /// Add up the epsilon and the delta of runs as they are, instead of by way of rho: for runs that buy levels, or sample
        #[arg(long)]
        basic: bool,
        /// Which tables are to be indistinguishable: add-remove or replace-one [default: add-remove]
        #[arg(long)]
        neighbours: Option<Neighbours>,
    },
    /// Write all entries as a CSV table, for auditors
    Export {
        #[command(flatten)]
        which: Which,
        /// The file to write [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// Which ledger, and which part of it.
#[derive(Debug, Args)]
struct Which {
    /// The file of the ledger [default: that of LOOKALIKE_LEDGER]
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Only what is of this data set
    #[arg(long, value_name = "NAME")]
    data_set: Option<String>,
}

impl Which {
    fn show(&self) -> LedgerShowRequest {
        LedgerShowRequest { ledger: self.ledger.clone(), data_set: self.data_set.clone(), contains: None }
    }
}

impl Run for Ledger {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        match &self.action {
            Action::Show { which, contains } => {
                everywhere.carry_out(&LedgerShowRequest { contains: contains.clone(), ..which.show() })
            }
            Action::Limit { ledger, data_set, unit, epsilon, delta, rho, basic, neighbours } => everywhere
                .carry_out(&LedgerLimitRequest {
                    ledger: ledger.clone(),
                    data_set: data_set.clone(),
                    unit: unit.clone(),
                    budget: Budget {
                        epsilon: *epsilon,
                        delta: *delta,
                        rho: *rho,
                        neighbours: *neighbours,
                        records: None,
                    },
                    basic: *basic,
                }),
            Action::Export { which, out } => everywhere.carry_out(&LedgerExportRequest {
                show: which.show(),
                out: out.clone(),
                replace: everywhere.force,
            }),
        }
    }
}
