//! The command line as its users call it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod attack;
mod bench;
mod beyond_memory;
mod bounds;
mod canaries;
mod demo;
mod describe;
mod fit;
mod frontier;
mod harness;
mod kill_and_fill;
mod measure;
mod private;
mod reading;
mod release;
mod reproduce;
mod separating_lines;
mod sequential;
mod synth;
mod trust;
mod verify;
mod workbench;
mod writing;
