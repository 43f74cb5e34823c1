//! The native part of the Python package `lookalike`. The package itself, `python/lookalike`, is Python; it states requests as JSON, and everything
//! that is computed, refused or written goes through the library of requests, as it does from the command line.
//!
//! | module | one idea |
//! |---|---|
//! | `arrow_stream` | data frames in and out by Arrow's C stream |
//! | `calls` | long work on threads of its own: progress, Ctrl-C, fork |
//! | `counts` | counts that a Python function answers |
//! | `data` | what a request is about |
//! | `failure` | errors as exceptions with a kind, a column, an option |
//! | `jobs` | one function a job |
//! | `model` | a fitted model |
//! | `columns` | data frames in and out without Arrow |
//! | `schemas` | schemas and grids between their files and what Python edits |
//! | `stated` | requests as Python states them |

mod arrow_stream;
mod calls;
mod columns;
mod counts;
mod data;
mod failure;
mod jobs;
mod model;
mod schemas;
mod stated;

use pyo3::prelude::*;

/// The module.
#[pymodule(gil_used = true)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<data::Data>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<arrow_stream::Frame>()?;
    module.add_class::<jobs::Measured>()?;
    module.add_class::<jobs::Mapped>()?;
    module.add_function(wrap_pyfunction!(calls::set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(calls::threads, module)?)?;
    for function in [
        wrap_pyfunction!(jobs::describe, module)?,
        wrap_pyfunction!(jobs::synthesise, module)?,
        wrap_pyfunction!(jobs::spending, module)?,
        wrap_pyfunction!(jobs::measure, module)?,
        wrap_pyfunction!(jobs::plan, module)?,
        wrap_pyfunction!(jobs::frontier, module)?,
        wrap_pyfunction!(jobs::read_frontier, module)?,
        wrap_pyfunction!(jobs::release, module)?,
        wrap_pyfunction!(jobs::verify, module)?,
        wrap_pyfunction!(jobs::fit, module)?,
        wrap_pyfunction!(jobs::methods, module)?,
        wrap_pyfunction!(jobs::measures, module)?,
        wrap_pyfunction!(schemas::schema_json, module)?,
        wrap_pyfunction!(schemas::schema_toml, module)?,
        wrap_pyfunction!(schemas::schema_of_other_tool, module)?,
        wrap_pyfunction!(schemas::schema_check, module)?,
        wrap_pyfunction!(schemas::schema_classes, module)?,
        wrap_pyfunction!(schemas::grid_toml, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}
