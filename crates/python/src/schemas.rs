//! Schemas and grids between their files and what Python edits.

use lookalike::Error;
use lookalike::table::Domain;
use lookalike::table::schema::SchemaFile;
use pyo3::prelude::*;

use crate::failure::raised;

/// A schema file as JSON, in the order in which it is written.
#[pyfunction]
pub(crate) fn schema_json(py: Python<'_>, toml: &str) -> PyResult<String> {
    let read = || -> Result<String, Error> {
        SchemaFile::parse(toml)?;
        let table: toml::Table = toml::from_str(toml).map_err(|error| Error::Usage(error.to_string()))?;
        Ok(serde_json::json!(table).to_string())
    };
    read().map_err(|error| raised(py, error))
}

/// JSON as a schema file, checked.
#[pyfunction]
pub(crate) fn schema_toml(py: Python<'_>, json: &str) -> PyResult<String> {
    let written = || -> Result<String, Error> {
        let table: toml::Table =
            serde_json::from_str(json).map_err(|error| Error::Usage(format!("schema: {error}")))?;
        let text =
            toml::to_string_pretty(&table).map_err(|error| Error::Usage(format!("schema: {error}")))?;
        SchemaFile::parse(&text)?;
        Ok(text)
    };
    written().map_err(|error| raised(py, error))
}

/// SDV metadata or a private-PGM domain (JSON) as a schema file.
#[pyfunction]
pub(crate) fn schema_of_other_tool(py: Python<'_>, json: &str) -> PyResult<String> {
    SchemaFile::text_of_other_tool(json).map_err(|error| raised(py, error.into()))
}

/// Refuses a schema that leaves something to be read off the records, and says whether it is declared.
#[pyfunction]
pub(crate) fn schema_check(py: Python<'_>, toml: &str) -> PyResult<bool> {
    let checked = SchemaFile::parse(toml).and_then(SchemaFile::finish);
    Ok(checked.map_err(|error| raised(py, error.into()))?.declaration().is_some())
}

/// The classes of a declared schema as JSON, for whoever counts: those of every modelled variable, in order.
#[pyfunction]
pub(crate) fn schema_classes(py: Python<'_>, toml: &str, groups: usize) -> PyResult<String> {
    let classes = || -> Result<String, Error> {
        let schema = SchemaFile::parse(toml)?.finish()?;
        let declared = lookalike::synthesis::private::declared(&schema)?;
        Ok(serde_json::json!(Domain::declared(&declared, groups)?).to_string())
    };
    classes().map_err(|error| raised(py, error))
}

/// Recipes as JSON in the form of a grid file.
#[pyfunction]
pub(crate) fn grid_toml(py: Python<'_>, json: &str) -> PyResult<String> {
    let written = || -> Result<String, Error> {
        let table: toml::Table = crate::stated::read("grid", json)?;
        toml::to_string_pretty(&table).map_err(|error| Error::Usage(format!("grid: {error}")))
    };
    written().map_err(|error| raised(py, error))
}
