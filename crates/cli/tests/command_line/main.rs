//! The command line as its users call it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod attack;
mod bench;
mod canaries;
mod demo;
mod describe;
mod fit;
mod frontier;
mod harness;
mod measure;
mod private;
mod reading;
mod release;
mod reproduce;
mod sequential;
mod synth;
mod verify;
mod writing;
