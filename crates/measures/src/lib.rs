//! What a synthetic table is worth and what it discloses, measured against its original.
//!
//! A [`Comparison`] goes in, a flat list of [`Finding`]s comes out, each explained by a [`MeasureCard`]. Measures do not know
//! how the synthetic table was made: one of another tool is measured the same way. What cannot be computed is a finding
//! with a reason, never a zero. Families that need only counts can be [evaluated](evaluate_source) where the original is a source of counts.
//!
//! ```
//! use measures::{Comparison, utility::tables::{TableOptions, TableStatistic, one_table}};
//! use table::read::{ReadOptions, read_csv_text};
//!
//! let original = read_csv_text("sex\nF\nM\nF\nM\n", &ReadOptions::default())?;
//! let synthetic = read_csv_text("sex\nF\nF\nF\nM\n", &ReadOptions::default())?;
//! let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
//! let sex = one_table(&comparison, &["sex"], &TableOptions::default())?;
//! // (3 − 2)² / 2.5 + (1 − 2)² / 1.5 on one degree of freedom
//! assert!((sex.value(TableStatistic::SPmse).unwrap() - 16.0 / 15.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod alignment;
pub mod card;
pub mod comparison;
mod error;
pub mod evaluation;
mod exact_numbers;
pub mod files;
pub mod finding;
mod holdout;
mod inner_classes;
mod mixed_records;
mod nearest;
pub mod prepared;
pub mod registry;
pub mod risk;
pub mod setting;
pub mod shared_counts;
pub mod shared_tables;
pub mod utility;

pub use alignment::align;
pub use card::{Aspect, FamilyCard, Kept, MeasureCard, Null, Range, UsualAxis};
pub use comparison::{Comparison, SyntheticSets};
pub use error::MeasureError;
pub use evaluation::{evaluate, evaluate_source, evaluate_watched, with_holdout};
pub use finding::{Better, Finding};
pub use holdout::split;
pub use prepared::Prepared;
pub use registry::{CountMeasure, MEASURES, Measure, Settings, card_of, family_of};
pub use setting::Setting;
pub use shared_counts::{CountedTables, SharedCounts};
pub use shared_tables::SharedTables;
