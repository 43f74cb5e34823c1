//! Files of SPSS (.sav, .zsav), Stata (.dta) and SAS (.sas7bdat, .xpt) as columns with their labels.
//!
//! A [`LabelledFile`] is what such a file says: numbers and texts column by column, variable labels, value labels, the values that mean
//! missing, formats and the weight variable. The crate knows nothing of tables and schemas. SPSS and Stata files are also written, with the
//! same bytes for the same columns, always; SAS files are only read, for their format is not published.
//!
//! What a file says of its own lengths is never believed: everything is read through `bytes::Bytes`, which refuses to look beyond the end,
//! and nothing is allocated before the bytes that fill it are there. A damaged file is an error that says which part of it is broken.

mod bytes;
mod calendar;
mod column;
mod missing;
mod sas;
mod spss;
mod stata;
mod text;

pub use calendar::{DAY_IN_MICROSECONDS, Meaning};
pub use column::{LabelledColumn, LabelledFile, LabelledValue, Measure, MissingValues, Texts, Values};
pub use missing::{TAGS, is_missing, missing, tag_of};
pub use spss::write::{SpssCompression, write_spss};
pub use stata::write::write_stata;

/// The program that a file belongs to, with its version where that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// SPSS: `.sav`, and `.zsav` where it is compressed with zlib.
    Spss,
    /// Stata: `.dta`.
    Stata,
    /// SAS: `.sas7bdat`.
    Sas,
    /// SAS transport files: `.xpt`.
    SasTransport,
}

impl Program {
    /// As many bytes as must be looked at to know a file.
    pub const START: usize = 64;

    /// The program whose files begin with these bytes.
    pub fn of(start: &[u8]) -> Option<Self> {
        match start {
            [b'$', b'F', b'L', b'2' | b'3', ..] => Some(Self::Spss),
            [0x66..=0x73, 1 | 2, 1, 0, ..] => Some(Self::Stata),
            _ if start.starts_with(b"<stata_dta>") => Some(Self::Stata),
            _ if start.get(12..20) == Some(&sas::MAGIC[12..20]) => Some(Self::Sas),
            _ if start.starts_with(b"HEADER RECORD*******LIB") => Some(Self::SasTransport),
            _ => None,
        }
    }

    /// What its files are called.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Spss => "SPSS file (.sav)",
            Self::Stata => "Stata file (.dta)",
            Self::Sas => "SAS file (.sas7bdat)",
            Self::SasTransport => "SAS transport file (.xpt)",
        }
    }
}

/// What is wrong with a file, or with what is to be written to one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelledError {
    /// The file ends too early.
    #[error("it ends within {0}: the file is cut off")]
    Truncated(&'static str),
    /// A part of the file contradicts itself or another part.
    #[error("{0}: the file is damaged")]
    Damaged(String),
    /// A file that is whole, but of a kind that is not read.
    #[error("{0}")]
    NotRead(String),
    /// A column that such a file cannot hold.
    #[error("column `{column}`: {message}")]
    Column {
        /// Its name.
        column: String,
        /// What stands in the way, and the way out.
        message: String,
    },
    /// The sink refused what was written to it.
    #[error("{0}")]
    Sink(String),
}

impl LabelledError {
    fn damaged(message: impl Into<String>) -> Self {
        Self::Damaged(message.into())
    }

    fn column(column: &str, message: impl Into<String>) -> Self {
        Self::Column { column: column.to_owned(), message: message.into() }
    }
}

/// Reads a whole file of a program.
pub fn read(program: Program, file: &[u8]) -> Result<LabelledFile, LabelledError> {
    match program {
        Program::Spss => spss::read::read(file),
        Program::Stata => stata::read::read(file),
        Program::Sas => sas::read(file),
        Program::SasTransport => sas::transport::read(file),
    }
}

#[cfg(test)]
mod tests;
