//! What can go wrong with tables, schemas and counts, written for the person who has to mend it.
//!
//! No message quotes a value of the table: a file name, a line, a column name and a way out are enough to find it.

use std::path::PathBuf;

/// One error for the whole crate.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file could not be opened, read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: std::io::Error,
    },
    /// The file could be read, but is not a table we can trust.
    #[error("{path}: {problem}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        problem: FileProblem,
    },
    /// A schema file that does not describe a table.
    #[error("{place}: {message}")]
    Schema {
        /// The file or the variable that the message is about.
        place: String,
        /// What is wrong, and the way out.
        message: String,
    },
    /// An expression that cannot be parsed or does not fit the variables it names.
    #[error("in `{expression}`: {message}")]
    Expression {
        /// The expression as the user wrote it.
        expression: String,
        /// What is wrong, and the way out.
        message: String,
    },
    /// The table does not keep its schema.
    #[error("the table does not keep its schema: {0}")]
    Violations(crate::schema::Violations),
    /// A variable that the table does not have.
    #[error("there is no variable `{name}`{hint}")]
    UnknownVariable {
        /// The name as the user wrote it.
        name: String,
        /// "; did you mean …?" or empty.
        hint: String,
    },
    /// A dense table that would not fit.
    #[error(
        "the margin of {variables} has {cells} cells, above the limit of {limit} for a dense table; \
         leave out variables, use coarser classes, or count it sparsely"
    )]
    TooManyCells {
        /// Names of the variables, joined by ×.
        variables: String,
        /// The number of cells.
        cells: String,
        /// The limit.
        limit: usize,
    },
    /// Work that would take more memory than there is.
    #[error(
        "{what} would need about {needed} of memory, and {room} may be taken; take fewer records or variables, a machine with more, or raise --memory"
    )]
    Memory {
        /// What would take it.
        what: String,
        /// How much.
        needed: String,
        /// How much there is.
        room: String,
    },
    /// The work was cancelled from outside before it was done.
    #[error("cancelled; nothing was written")]
    Cancelled,
    /// A file for results that must not be written.
    #[error("option `{option}`: {message}")]
    Output {
        /// The option that names it.
        option: String,
        /// What stands in the way, and the way out.
        message: String,
    },
    /// A variable that cannot be used in the way that was asked.
    #[error("variable `{name}`: {message}")]
    Variable {
        /// The variable.
        name: String,
        /// What stands in the way, and the way out.
        message: String,
    },
}

/// What is wrong with a data file, and where. Lines count from 1 and include the header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileProblem {
    /// Nothing to read.
    #[error("the file is empty; a table needs a header line with the column names and at least one row")]
    Empty,
    /// A header and nothing else.
    #[error("the file has a header but no rows; a table needs at least one record")]
    NoRows,
    /// Lines that end as on computers of long ago.
    #[error(
        "its lines end with a carriage return and no line feed; convert it first, for example with `tr '\\r' '\\n'`"
    )]
    CarriageReturns,
    /// A header cell without a name.
    #[error("line 1: column {column} has no name; give every column a name in the header")]
    EmptyName {
        /// Position of the column, from 1.
        column: usize,
    },
    /// Two columns with one name.
    #[error("line 1: the name `{name}` stands for columns {first} and {second}; rename one of them")]
    DuplicateName {
        /// The name.
        name: String,
        /// Position of the first, from 1.
        first: usize,
        /// Position of the second, from 1.
        second: usize,
    },
    /// A row with too few or too many fields.
    #[error(
        "line {line}: the row has {found} fields where the header has {expected}{near}; \
         put fields that hold the separator in double quotes, or name the separator with --separator"
    )]
    RaggedRow {
        /// Line on which the row starts.
        line: u64,
        /// Fields in the row.
        found: usize,
        /// Columns in the header.
        expected: usize,
        /// The column after which fields are missing, as text for the message.
        near: String,
    },
    /// Text after a closing quote, as in `"a"b`.
    #[error(
        "line {line}, column `{column}`: text follows a closing quote; write a quote inside a quoted field twice"
    )]
    TextAfterQuote {
        /// Line on which the row starts.
        line: u64,
        /// Name of the column.
        column: String,
    },
    /// A quoted field that never ends.
    #[error(
        "line {line}, column `{column}`: a quoted field opens here and never closes; add the closing double quote"
    )]
    UnclosedQuote {
        /// Line on which the row starts.
        line: u64,
        /// Name of the column.
        column: String,
    },
    /// A field that is not the number that the schema promises.
    #[error(
        "line {line}, column `{column}`: the field is not {wanted}; mend the file, declare the token with \
         `--missing` if it means missing, or change the variable's kind in the schema"
    )]
    NotANumber {
        /// Line on which the row starts.
        line: u64,
        /// Name of the column.
        column: String,
        /// "a whole number", "a number".
        wanted: &'static str,
    },
    /// Bytes that are not UTF-8.
    #[error(
        "line {line}, column `{column}`: the bytes are not valid UTF-8; convert the file first, \
         for example with `iconv -f latin1 -t utf-8`"
    )]
    NotUtf8 {
        /// Line on which the row starts.
        line: u64,
        /// Name of the column, or its position in a header.
        column: String,
    },
    /// A byte order mark of UTF-16 or UTF-32.
    #[error(
        "the file is written in UTF-16 or UTF-32; convert it first, for example with `iconv -f utf-16 -t utf-8`"
    )]
    NotUtf8File,
    /// The schema names a column that the file lacks, or the other way round.
    #[error("the columns are not those of the schema: {0}")]
    OtherColumns(String),
    /// A value in an Arrow or Parquet column that a table cannot hold.
    #[error("column `{column}`: {message}")]
    Column {
        /// Name of the column.
        column: String,
        /// What is wrong and the way out.
        message: String,
    },
    /// A file that is not what its name says.
    #[error("{0}")]
    Format(String),
}

impl TableError {
    /// An operating system error on `path`.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        if crate::watch::is_cancelled(&source) {
            return Self::Cancelled;
        }
        Self::Io { path: path.into(), source }
    }

    /// A problem in the data file `path`.
    pub fn file(path: impl Into<PathBuf>, problem: FileProblem) -> Self {
        Self::File { path: path.into(), problem }
    }

    /// A problem in a schema.
    pub fn schema(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Schema { place: place.into(), message: message.into() }
    }

    /// A problem with one variable.
    pub fn variable(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Variable { name: name.into(), message: message.into() }
    }

    /// A file for results that must not be written.
    pub fn output(option: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Output { option: option.into(), message: message.into() }
    }

    /// A variable that is not among `known`, with the nearest known name.
    pub fn unknown_variable<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self::UnknownVariable { name: name.to_owned(), hint: crate::similar_name::hint(name, known) }
    }
}
