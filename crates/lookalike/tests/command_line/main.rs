//! The command line as its users call it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod demo;
mod describe;
mod frontier;
mod harness;
mod measure;
mod private;
mod sequential;
mod synth;
