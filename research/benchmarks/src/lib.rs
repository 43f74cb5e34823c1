//! Speed and memory beside peers: the measurements behind every claim.
//!
//! A [`Case`] is one piece of work with those who do the same, and what was promised. Every measurement is a process of its own, so that its
//! peak memory is its own; seconds are CPU seconds of all threads, user and system, which hardly depend on who else is running.

pub mod case;
mod cases;
pub mod clock;
mod data;
mod error;
mod peers;
pub mod suite;
pub mod text;

pub use case::{Case, Measured, Peer, Promise};
pub use cases::CASES;
pub use data::Places;
pub use error::BenchError;
pub use suite::{Outcome, PeerOutcome, Results, run};
