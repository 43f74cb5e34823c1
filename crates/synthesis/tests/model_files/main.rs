//! Models on disk: the same after a walk through their files, refused or harmless after an alteration.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod altered;
mod container;
mod models;
mod refusals;
mod round_trip;
