//! Why a database could not, in one sentence by its SQLSTATE. The text of the server is not repeated: it may quote a value.

use std::error::Error as _;

use table::TableError;

/// The sentence for what was tried.
pub(super) fn could_not(what: &str, error: &::postgres::Error) -> TableError {
    TableError::schema("database", sentence(what, error))
}

/// Whether the connection is gone, and with it the snapshot.
pub(super) fn is_lost(error: &::postgres::Error) -> bool {
    let code = error.code().map(|state| state.code());
    error.is_closed()
        || code.is_some_and(|code| code.starts_with("08") || code.starts_with("57P"))
        || (code.is_none() && error.source().is_some_and(|source| source.is::<std::io::Error>()))
}

fn sentence(what: &str, error: &::postgres::Error) -> String {
    let Some(state) = error.code().map(|state| state.code()) else {
        if error.is_closed() {
            return format!("could not {what}: the connection was lost");
        }
        // Without a SQLSTATE it is no answer of the server, and says nothing of the data.
        let because = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        return format!("could not {what}: {because}");
    };
    let because = match state {
        "28000" | "28P01" => {
            "it does not let this role in; is the password in the file that PGPASSFILE names, ~/.pgpass or PGPASSWORD?"
        }
        "3D000" => "there is no database of this name",
        "42P01" | "3F000" => "there is no table of this name",
        "42P07" => "a table of this name exists",
        "42501" => {
            "the role may not do this; ask for SELECT on the table, or for CREATE on its schema to write one"
        }
        "42703" => "a column of the schema is not in the table",
        "42883" | "42804" | "42846" => {
            "a column is of a type that cannot be counted as the schema says; cast it in a view"
        }
        "22P02" | "22003" | "22007" | "22008" | "22018" => {
            "a value is not what the schema says of its column; mend the table or the schema, or cast it in a view"
        }
        "57014" => "it ended the query, because of its time limit or by its operator",
        "53100" => "its disk is full",
        "53200" => "it has no memory left",
        "53300" => "it has too many connections",
        "25006" => "it is read-only",
        state if state.starts_with("57P") || state.starts_with("08") => {
            "the connection was ended by the database"
        }
        _ => "it answered with an error",
    };
    format!("could not {what}: {because} (SQLSTATE {state})")
}
