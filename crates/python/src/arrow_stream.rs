//! Data frames in and out by Arrow's C stream (the PyCapsule interface): no value is copied on the way in before it is coded.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use table::Table;
use table::write::{Format, TableWriter, record_batch};

use crate::failure::raised;

const STREAM: &CStr = c"arrow_array_stream";

/// The batches of whatever has `__arrow_c_stream__`, or of the capsule that it gives.
pub(crate) fn batches(frame: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let capsule = match frame.cast::<PyCapsule>() {
        Ok(capsule) => capsule.clone(),
        Err(_) => frame.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?,
    };
    let pointer = capsule.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name holds a valid stream, as Arrow's PyCapsule interface demands; it is moved out once, and what is left has no
    // release callback.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(pointer.cast::<FFI_ArrowArrayStream>().as_ptr()) };
    let reader = reader.map_err(unreadable)?;
    let schema = reader.schema();
    // The producer may need the interpreter for its batches.
    let batches = reader.collect::<Result<Vec<_>, ArrowError>>().map_err(unreadable)?;
    Ok((schema, batches))
}

fn unreadable(error: ArrowError) -> PyErr {
    PyValueError::new_err(format!("the Arrow stream of the frame cannot be read: {error}"))
}

/// Records on their way to Python.
#[pyclass(frozen, module = "lookalike._native")]
pub(crate) struct Frame {
    pub(crate) batch: RecordBatch,
    table: Table,
    keep_formulas: bool,
}

impl Frame {
    /// These records, in the types of the frame that they were learned from.
    pub(crate) fn new(
        table: Table,
        like: Option<&SchemaRef>,
        keep_formulas: bool,
    ) -> Result<Self, lookalike::Error> {
        let batch = record_batch(&table, like.map(Arc::as_ref))?;
        Ok(Self { batch, table, keep_formulas })
    }
}

#[pymethods]
impl Frame {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer ignore what is asked for.
        drop(requested_schema);
        let one = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(one)), STREAM)
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    #[getter]
    fn types(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.data_type().to_string()).collect()
    }

    /// The columns as Python can take them without Arrow.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        crate::columns::given(py, &self.batch)
    }

    /// The records as the command line writes them.
    fn text(&self, format: &str) -> PyResult<Vec<u8>> {
        let format: Format = format.parse().map_err(PyValueError::new_err)?;
        let written = || -> std::io::Result<Vec<u8>> {
            let mut writer =
                TableWriter::new(Vec::new(), self.table.schema(), format)?.keep_formulas(self.keep_formulas);
            writer.write(&self.table)?;
            writer.finish()
        };
        Ok(written()?)
    }

    /// Writes the records to a file, whole or not at all.
    fn write(&self, py: Python<'_>, path: PathBuf, format: &str, replace: bool) -> PyResult<()> {
        let bytes = self.text(format)?;
        let written = table::output_file::check("path", &path, &[], replace)
            .and_then(|()| table::output_file::write(&path, &bytes, replace));
        written.map_err(|error| raised(py, error.into()))
    }
}
