//! Engines that count a table where it lies.
//!
//! An [`Address`] says where a table is; `resolve` finds out how to get there, without a password on a command line. With the feature `postgres` it connects and
//! gives something that runs SQL on one state of the data, which [`SqlTable`](table::sql::SqlTable) counts with. A [`Place`] is where a table of any engine is, and [`add`] adds engines.

#![forbid(unsafe_code)]

mod address;
mod credentials;
mod place;
#[cfg(feature = "postgres")]
mod postgres;

use table::TableError;
use table::sql::Engine;
use table::watch::Watch;

pub use address::{Address, Host, Settings, Tls};
pub use place::{Connections, Locate, Place, add, is_address, locate};
#[cfg(feature = "postgres")]
pub use postgres::Target;

/// Why a table could not be reached.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The address, or something about it, is wrong.
    #[error("{0}")]
    Usage(String),
    /// The engine could not.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl EngineError {
    /// Something about the address, with the way out.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }
}

/// Connects, and begins to look at one state of the data.
#[cfg(feature = "postgres")]
fn open(address: &Address, watch: &Watch) -> Result<Box<dyn Engine>, EngineError> {
    Ok(Box::new(postgres::Postgres::open(address.resolve()?, watch.clone())?))
}

/// Says which build has it.
#[cfg(not(feature = "postgres"))]
fn open(_: &Address, _: &Watch) -> Result<Box<dyn Engine>, EngineError> {
    Err(EngineError::usage(WITHOUT))
}

/// Where data sets would be written: nowhere, in this build.
#[cfg(not(feature = "postgres"))]
pub enum Target {}

#[cfg(not(feature = "postgres"))]
impl Target {
    /// Says which build has it.
    pub fn open(_: &Address, _data_sets: u32, _replace: bool) -> Result<Self, EngineError> {
        Err(EngineError::usage(WITHOUT))
    }

    /// There is none to write to.
    pub fn write<E: From<TableError>>(
        self,
        _: &table::Schema,
        _: impl FnMut(u32, &mut dyn FnMut(&table::Table) -> Result<(), TableError>) -> Result<(), E>,
    ) -> Result<u64, E> {
        match self {}
    }
}

/// Whether this build can connect to a database; the sentence that says what can, if not.
fn available() -> Result<(), EngineError> {
    if cfg!(feature = "postgres") { Ok(()) } else { Err(EngineError::usage(WITHOUT)) }
}

const WITHOUT: &str = "this build of lookalike cannot connect to PostgreSQL; take one with the feature `postgres` (cargo install lookalike-cli --features postgres), or count the table there with the \
     queries that `lookalike counts --sql postgres` prints";
