//! One request and one outcome a job.

pub(crate) mod attack;
pub(crate) mod audit;
pub(crate) mod counts;
pub(crate) mod describe;
pub(crate) mod fit;
pub(crate) mod frontier;
pub(crate) mod key;
pub(crate) mod ledger;
pub(crate) mod measure;
pub(crate) mod plan;
pub(crate) mod reference;
pub(crate) mod release;
pub(crate) mod report;
pub(crate) mod sample;
pub(crate) mod start;
pub(crate) mod synthesise;
pub(crate) mod verify;
