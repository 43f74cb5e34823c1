//! Errors of the library as exceptions: the kind, the column or the option that they are about, and the words, which the Python side makes its own.

use lookalike::frontier::FrontierError;
use lookalike::inference::InferenceError;
use lookalike::measures::MeasureError;
use lookalike::models::ModelError;
use lookalike::synthesis::SynthesisError;
use lookalike::table::{FileProblem, TableError};
use lookalike::{Error, ErrorKind};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// The exception for an error: `lookalike._errors.exception(kind, message, facts)` makes it.
pub(crate) fn raised(py: Python<'_>, error: Error) -> PyErr {
    let (kind, facts) = facts(&error);
    let made = py
        .import("lookalike._errors")
        .and_then(|errors| errors.getattr("exception")?.call1((kind, error.to_string(), facts.to_string())));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(_) => PyRuntimeError::new_err(error.to_string()),
    }
}

/// The exception for what no request is to blame for.
pub(crate) fn failed(py: Python<'_>, message: &str) -> PyErr {
    let made = py
        .import("lookalike._errors")
        .and_then(|errors| errors.getattr("exception")?.call1(("could not", message, "{}")));
    made.map_or_else(|_| PyRuntimeError::new_err(message.to_owned()), PyErr::from_value)
}

/// A wrong argument, before the library is asked.
pub(crate) fn wrong(py: Python<'_>, option: &str, message: impl std::fmt::Display) -> PyErr {
    raised(py, Error::Usage(format!("option `{option}`: {message}")))
}

fn facts(error: &Error) -> (&'static str, Value) {
    match error {
        Error::Located { error, .. } => facts(error),
        Error::Table(error) => of_table(error),
        Error::Synthesis(error) => of_synthesis(error),
        Error::Measure(MeasureError::Option { option: name, .. }) => option(name),
        Error::Measure(MeasureError::Table(error)) => of_table(error),
        Error::Measure(MeasureError::Model(error)) => of_model(error),
        Error::Inference(InferenceError::Option { option: name, .. }) => option(name),
        Error::Inference(InferenceError::Table(error)) => of_table(error),
        Error::Inference(InferenceError::Model(error)) => of_model(error),
        Error::Frontier(FrontierError::Option { option: name, .. }) => option(name),
        Error::LimitsBroken { .. } => ("limits", json!({})),
        other => match (other.kind(), named_option(&other.to_string())) {
            (ErrorKind::Refused, _) => ("refused", json!({})),
            (ErrorKind::Usage, Some(name)) => option(&name),
            (ErrorKind::Usage, None) => ("usage", json!({})),
            _ => ("could not", json!({})),
        },
    }
}

fn option(name: &str) -> (&'static str, Value) {
    ("option", json!({ "option": name }))
}

fn column(name: &str) -> (&'static str, Value) {
    ("column", json!({ "column": name }))
}

fn of_table(error: &TableError) -> (&'static str, Value) {
    match error {
        TableError::Cancelled => ("cancelled", json!({})),
        TableError::Violations(violations) => {
            let counts: Vec<Value> = violations
                .all()
                .iter()
                .map(|violation| json!(lookalike::table::profile::ViolationProfile::from(violation)))
                .collect();
            ("violations", json!({ "counts": counts }))
        }
        TableError::Variable { name, .. } | TableError::UnknownVariable { name, .. } => column(name),
        TableError::File { problem, .. } => match problem {
            FileProblem::Column { column: name, .. }
            | FileProblem::TextAfterQuote { column: name, .. }
            | FileProblem::UnclosedQuote { column: name, .. }
            | FileProblem::NotANumber { column: name, .. }
            | FileProblem::NotUtf8 { column: name, .. } => column(name),
            FileProblem::OtherColumns(_) => ("schema", json!({})),
            _ => ("could not", json!({})),
        },
        TableError::Schema { .. } | TableError::Expression { .. } => ("schema", json!({})),
        TableError::Output { option: name, .. } => option(name),
        _ => ("could not", json!({})),
    }
}

fn of_model(error: &ModelError) -> (&'static str, Value) {
    match error {
        ModelError::Table(error) => of_table(error),
        ModelError::Formula { .. } => option("formula"),
        _ => ("could not", json!({})),
    }
}

fn of_synthesis(error: &SynthesisError) -> (&'static str, Value) {
    match error {
        SynthesisError::Table(error) => of_table(error),
        SynthesisError::LearnedSchema { variables } => ("not declared", json!({ "columns": variables })),
        SynthesisError::SeedInPrivateRun => ("refused", json!({ "option": "seed" })),
        SynthesisError::Privacy(_) => ("budget", json!({})),
        SynthesisError::Option { name, .. } => option(name),
        SynthesisError::Recipe { .. } => ("usage", json!({})),
        _ => ("could not", json!({})),
    }
}

/// The option that a message begins with.
fn named_option(message: &str) -> Option<String> {
    message.strip_prefix("option `")?.split_once('`').map(|(name, _)| name.to_owned())
}
