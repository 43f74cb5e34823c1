//! What a synthesis would give, studied before anything is released.
//!
//! - [`audit`]: a claimed ε held against many runs of the real code on neighbouring tables.
//! - [`decision`]: who accepted a release, by which limits, and what may be told of it outside.
//! - [`evidence`]: distributions, tables, maps and curves that a report shows, as plain data.
//! - [`frontier`]: many settings on one risk-utility map, and the one to release.
//! - [`papers`]: published studies repeated number by number.
//! - [`plan`]: risk and utility of the saturated mechanism *a priori*, from the sizes of the cells alone.
//! - [`release`]: synthetic data sets with their schema, recipe and manifest, written whole or not at all.
//! - [`school_census`]: a deterministic table as large and as sparse as the one of Jackson, Mitra, Francis & Dove (2022),
//!   to plan and to measure speed on.
//! - [`tournament`]: generators held against each other on any table, by utility and risk.

pub mod audit;
pub mod decision;
pub mod evidence;
pub mod frontier;
pub mod papers;
pub mod plan;
pub mod release;
pub mod school_census;
pub mod tournament;
