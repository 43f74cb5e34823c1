//! What a request is about: a frame, a file, or counts.

use std::path::PathBuf;

use arrow_schema::SchemaRef;
use lookalike::table::schema::{DecimalMark, SchemaFile};
use pyo3::prelude::*;

use crate::arrow_stream;
use crate::calls::Line;
use crate::columns;
use crate::counts::AskedCounts;
use crate::failure::{raised, wrong};

/// A table to work on.
#[pyclass(frozen, module = "lookalike._native")]
#[derive(Clone)]
pub(crate) struct Data {
    pub(crate) inner: lookalike::Data,
    /// The columns of a frame, whose types those of its synthetic versions are to have.
    pub(crate) like: Option<SchemaRef>,
    /// Where counts find the caller.
    pub(crate) line: Option<Line>,
}

#[pymethods]
impl Data {
    /// Whatever has `__arrow_c_stream__`.
    #[staticmethod]
    fn of_stream(frame: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let (schema, batches) = arrow_stream::batches(frame)?;
        Ok(Self::of_batches(name, schema, batches))
    }

    /// Columns one by one: (name, kind, values, which are missing, categories).
    #[staticmethod]
    fn of_columns(py: Python<'_>, columns: Vec<columns::Taken<'_>>, name: &str) -> PyResult<Self> {
        let (schema, batches) = columns::taken(columns).map_err(|error| raised(py, error))?;
        Ok(Self::of_batches(name, schema, batches))
    }

    /// A file.
    #[staticmethod]
    fn of_file(path: PathBuf) -> Self {
        Self { inner: lookalike::Data::file(path), like: None, line: None }
    }

    /// Counts that a function answers, in the classes of a declared schema.
    #[staticmethod]
    fn of_counts(
        py: Python<'_>,
        schema: &str,
        groups: usize,
        records: u64,
        answer: Py<PyAny>,
        name: &str,
    ) -> PyResult<Self> {
        let line = Line::default();
        let asked = AskedCounts::new(schema, groups, records, answer, line.clone());
        let (schema, counts) = asked.map_err(|error| raised(py, error))?;
        Ok(Self { inner: lookalike::Data::counts(name, schema, counts), like: None, line: Some(line) })
    }

    /// The same, read in this way.
    #[pyo3(signature = (schema=None, declare=None, missing=Vec::new(), separator=None, decimal=None))]
    fn read_with(
        &self,
        py: Python<'_>,
        schema: Option<&str>,
        declare: Option<&str>,
        missing: Vec<String>,
        separator: Option<&str>,
        decimal: Option<&str>,
    ) -> PyResult<Self> {
        let separator = separator.map(lookalike::table::read::separator).transpose();
        let separator = separator.map_err(|message| wrong(py, "separator", message))?;
        let decimal = decimal.map(str::parse::<DecimalMark>).transpose();
        let decimal = decimal.map_err(|message| wrong(py, "decimal", message))?;
        let mut inner = self.inner.clone().declared_because(declare);
        if !missing.is_empty() {
            inner = inner.with_missing(missing);
        }
        if separator.is_some() {
            inner = inner.with_separator(separator);
        }
        if decimal.is_some() {
            inner = inner.with_decimal(decimal);
        }
        if let Some(schema) = schema {
            inner = inner.under(SchemaFile::parse(schema).map_err(|error| raised(py, error.into()))?);
        }
        Ok(Self { inner, ..self.clone() })
    }

    /// How many records there are, once they are read and coded.
    fn records(&self, py: Python<'_>) -> PyResult<usize> {
        let data = self.inner.clone();
        crate::calls::run(py, None, &Self::lines([self]), move |watch| Ok(data.read(watch)?.rows()))
    }

    #[getter]
    fn name(&self) -> String {
        self.inner.name()
    }
}

impl Data {
    fn of_batches(name: &str, schema: SchemaRef, batches: Vec<arrow_array::RecordBatch>) -> Self {
        Self { inner: lookalike::Data::frame(name, schema.clone(), batches), like: Some(schema), line: None }
    }

    /// Where the counts of all of these find the caller.
    pub(crate) fn lines<'a>(data: impl IntoIterator<Item = &'a Self>) -> Vec<Line> {
        data.into_iter().filter_map(|data| data.line.clone()).collect()
    }
}
