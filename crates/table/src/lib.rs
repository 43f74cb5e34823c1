//! Tables, their schema and their counts: what every other room of Lookalike stands on.
//!
//! A file is [read](read::read_table) into a [`Table`]: coded columns under a [`Schema`]. Methods that need only counts
//! look at a table through [`CountSource`], whose first implementation is [`CodedTable`]: every variable in classes,
//! counted into a dense [`Margin`] or a sparse [`ContingencyTable`] that has no limit on the number of cells. A [`Source`] is
//! either: records, or counts of records that stay where they are.
//!
//! ```
//! use table::{Attributes, CodedTable, CountSource, Grouping, read};
//!
//! let people = read::read_csv_text("sex,age\nF,31\nM,47\nF,31\n", &read::ReadOptions::default())?;
//! let coded = CodedTable::new(&people, &Grouping::default())?;
//! let cross = coded.contingency_table(&Attributes::all(coded.domain()))?;
//! assert_eq!(cross.cells().to_string(), "4");
//! assert_eq!(cross.unique_records(), 1);
//! # Ok::<(), table::TableError>(())
//! ```

pub mod atomic_file;
pub mod attributes;
pub mod bought_domain;
mod classify;
pub mod clock;
pub mod coded_table;
pub mod codes;
pub mod column;
pub mod contingency_table;
pub mod count_file;
pub mod count_source;
mod counts_within;
mod covering;
pub mod date;
pub mod datetime;
mod declared_domain;
pub mod domain;
mod error;
pub mod expression;
pub mod figures;
pub mod grouping;
pub mod identifiers;
pub mod margin;
pub mod memory;
pub mod output_file;
pub mod profile;
pub mod read;
pub mod remembered;
pub mod schema;
pub mod similar_name;
pub mod source;
pub mod sparse_source;
pub mod spreadsheet;
pub mod sql;
pub mod streamed;
pub mod table;
mod take;
mod units;
mod value_counts;
pub mod watch;
mod whole;
pub mod write;

pub use attributes::Attributes;
pub use coded_table::CodedTable;
pub use codes::Codes;
pub use column::{Column, Numbers, TextColumn};
pub use contingency_table::ContingencyTable;
pub use count_file::CountFile;
pub use count_source::CountSource;
pub use domain::{Classes, Domain};
pub use error::{FileProblem, TableError};
pub use grouping::Grouping;
pub use margin::Margin;
pub use remembered::Remembered;
pub use schema::{DeclaredSchema, Kind, LearnedSchema, Levels, Schema, Variable};
pub use source::Source;
pub use sparse_source::SparseSource;
pub use streamed::StreamedTable;
pub use table::Table;
pub use units::Units;
