//! Lookalike makes synthetic versions of confidential tables and tells, with numbers, how useful and how risky each one is.
//!
//! This crate is the front door: it re-exports the rooms behind it and holds the thin command line.
//!
//! ```
//! use lookalike::table::{Grouping, profile::profile, read};
//!
//! let people = read::read_csv_text("sex,age\nF,31\nM,47\nF,31\n", &read::ReadOptions::default())?;
//! let profile = profile(&people, &[], &Grouping::default())?;
//! assert_eq!((profile.rows, profile.cells.as_str()), (3, "4"));
//! # Ok::<(), lookalike::table::TableError>(())
//! ```

pub mod evidence_bundle;

pub use {frontier, inference, measures, models, privacy, release, report, statistics, synthesis, table};
