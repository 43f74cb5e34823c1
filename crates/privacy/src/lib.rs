//! Differential privacy that is exact, declared and paid for.

pub mod audit;
#[cfg(test)]
mod chi_square;
pub mod conversion;
mod cost;
#[cfg(test)]
mod draws;
mod error;
mod guarantee;
mod guard;
pub mod ledger;
pub mod noise;
mod randomness;
#[cfg(test)]
mod scripted;

pub use cost::Cost;
pub use error::PrivacyError;
pub use guarantee::{Delta, Epsilon, Guarantee, Neighbours, Rho};
pub use guard::{
    Candidate, DENSE_CELLS, GRID, GuardedTable, LazyCells, NoiseLaw, NoisyCells, NoisyCounts, PriorWeight,
    ScaledVariable, threshold,
};
pub use ledger::{Budget, Charge, Event, LedgerRecord, PrivacyLedger};
pub use randomness::{KeyedNoise, NoiseSource, NoiseStream};
