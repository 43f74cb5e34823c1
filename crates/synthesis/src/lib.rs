//! Generators of synthetic tables.
//!
//! Settings, fitted state and output are three things: a [`Synthesizer`] fits a [`Model`] to counts, to records, or to a table behind its
//! guard, and the model draws cells or records. [`fit`] does this for a [`Recipe`], private or not, and any [`Source`](table::Source) that the method can use.
//! A method is one file in [`methods`] and one line in [`METHODS`](registry::METHODS); a [`Recipe`] names it with its options.
//! Methods draw cells of the cross-table; the [`Decoder`](decoder::Decoder) turns cells into records that keep the schema.
//!
//! ```
//! use synthesis::{Recipe, generate};
//! use table::read::{ReadOptions, read_csv_text};
//!
//! let people = read_csv_text("sex,agegr\nF,old\nM,old\nF,young\nF,old\n", &ReadOptions::default())?;
//! let recipe = Recipe::parse("method = \"catall\"\nm = 2\nrows = 10\nseed = 1\n")?;
//! let synthetic = generate(&people, &recipe)?.tables;
//! assert_eq!((synthetic.len(), synthetic[0].rows()), (2, 10));
//! # Ok::<(), synthesis::SynthesisError>(())
//! ```

pub mod after;
mod calibration;
pub mod card;
pub mod cells;
pub mod checkpoint;
mod class_numbers;
pub mod completion;
pub mod copies;
pub mod decoder;
mod error;
mod fit;
mod fitted;
mod generate;
pub mod identifiers;
pub mod key;
mod latent;
pub mod methods;
pub mod model;
pub mod model_file;
mod near;
pub mod private;
pub mod randomness;
pub mod rare;
pub mod recipe;
pub mod record_strata;
pub mod records_card;
pub mod registry;
pub mod run;
pub mod stored;
pub mod strata;
pub mod structural_zeros;
pub mod synthesizer;
pub mod tilt;

pub use card::MethodCard;
pub use cells::Cells;
pub use error::SynthesisError;
pub use fit::{cell_sizes, fit, fit_for_release};
pub use fitted::Fitted;
pub use generate::{Generated, generate};
pub use model::{AnyModel, Model};
pub use private::PrivacySettings;
pub use recipe::Recipe;
pub use records_card::{Making, RecordsCard};
pub use run::Run;
pub use structural_zeros::StructuralZeros;
pub use synthesizer::Synthesizer;
