//! Lookalike makes synthetic versions of confidential tables and shows, with numbers, how useful and how risky each one is.
//!
//! One request and one outcome a job: a request is plain data, `run` does the job and returns its outcome or one [`Error`]. Nothing is
//! printed, no process is ended, no thread pool is set up; work runs on the rayon pool of the caller. A [`Watch`] receives how far the
//! work is and can cancel it from another thread. What must not be released is refused here, whichever front door asks.
//!
//! | job | request | outcome |
//! |---|---|---|
//! | what is this table? | [`DescribeRequest`] | [`DescribeOutcome`] |
//! | begin a project | [`InitRequest`] | [`InitOutcome`] |
//! | what would the saturated mechanism cost? | [`PlanRequest`] | [`PlanOutcome`] |
//! | make synthetic versions | [`SynthesiseRequest`] | [`SynthesiseOutcome`] |
//! | draw more from a saved model | [`SampleRequest`] | [`SynthesiseOutcome`] |
//! | what are they worth, what do they disclose? | [`MeasureRequest`] | [`MeasureOutcome`] |
//! | which method and setting is best? | [`FrontierRequest`] | [`FrontierOutcome`] |
//! | release it with the evidence | [`ReleaseRequest`] | [`ReleaseOutcome`] |
//! | what was found of this release? | [`ReportRequest`] | [`ReportOutcome`] |
//! | is this release as it was made? | [`VerifyRequest`] | [`Verification`](release::Verification) |
//! | what may be spent in all, and what was? | [`LedgerLimitRequest`], [`LedgerShowRequest`], [`LedgerExportRequest`] | [`Books`](privacy::ledger::shared::Books) |
//! | a pair of keys that signs releases | [`KeyRequest`] | [`NewKey`](release::signature::NewKey) |
//! | draw valid conclusions from it | [`FitRequest`] | [`Findings`](inference::Findings) |
//! | which generators, measures and files are there? | [`MethodsRequest`], [`MeasuresRequest`], [`DocumentRequest`] | [`Reference`] |
//! | can single records be found in it? | [`AttackRequest`] | [`AttackFinding`](frontier::attack::AttackFinding) |
//! | does a method keep its ε? | [`AuditRequest`] | [`AuditFinding`](frontier::audit::AuditFinding) |
//!
//! ```
//! use lookalike::prelude::*;
//!
//! let people = read_csv_text("sex,age\nF,31\nM,47\nF,31\n", &ReadOptions::default())?;
//! let described = DescribeRequest::new(Data::records("people", people)).run(&Watch::default())?;
//! assert_eq!(described.profile.rows, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod amount;
mod books;
mod budget;
mod data;
mod documents;
mod error;
mod jobs;
mod noise;
pub mod prelude;
mod project;
mod questions;
mod request;
mod signing;

pub use amount::Amount;
pub use books::{Books, DATA_SET_VARIABLE, LEDGER_VARIABLE};
pub use budget::Budget;
pub use data::Data;
pub use documents::Document;
pub use engines::Connections;
pub use error::{Error, ErrorKind};
pub use jobs::attack::AttackRequest;
pub use jobs::audit::AuditRequest;
pub use jobs::counts::{CountsOutcome, CountsRequest, QueriesRequest};
pub use jobs::describe::{DescribeOutcome, DescribeRequest};
pub use jobs::fit::FitRequest;
pub use jobs::frontier::{
    FrontierOutcome, FrontierRequest, OpenedFrontier, read_contestant, read_frontier, read_grid,
};
pub use jobs::key::KeyRequest;
pub use jobs::ledger::{LedgerExportRequest, LedgerLimitRequest, LedgerShowRequest};
pub use jobs::measure::{MeasureOutcome, MeasureRequest};
pub use jobs::plan::{PlanOutcome, PlanRequest, read_near};
pub use jobs::reference::{DocumentRequest, MeasuresRequest, MethodsRequest, Reference};
pub use jobs::release::{ReleaseOutcome, ReleaseRequest, Version};
pub use jobs::report::{ReportOutcome, ReportRequest};
pub use jobs::sample::SampleRequest;
pub use jobs::start::{Beginning, InitOutcome, InitRequest, usual_limits};
pub use jobs::synthesise::{DrawRequest, SpendingRequest, SynthesiseOutcome, SynthesiseRequest};
pub use jobs::verify::VerifyRequest;
pub use noise::Noise;
pub use project::{PROJECT, Project};
pub use questions::{NumberClasses, Questions, read_mechanism, read_regions};
pub use request::Request;
pub use signing::Signing;
pub use table::watch::{Cancel, Step, Watch};
pub use {frontier, inference, measures, models, privacy, release, report, statistics, synthesis, table};

/// The name and version that everything written carries.
pub const SOFTWARE: &str = concat!("lookalike ", env!("CARGO_PKG_VERSION"));
