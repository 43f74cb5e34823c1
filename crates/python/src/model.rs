//! A fitted model: data sets in memory or in a folder, and the bytes of its file.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lookalike::synthesis::copies::UniqueRecords;
use lookalike::synthesis::model_file::{ModelFile, SavedModel};
use lookalike::synthesis::{Fitted, Recipe, SynthesisError};
use lookalike::table::write::Format;
use lookalike::{DrawRequest, Error, Request as _};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::arrow_stream::Frame;
use crate::calls::run;
use crate::failure::raised;

/// A fitted model. It keeps no reference to the records.
#[pyclass(frozen, module = "lookalike._native")]
pub(crate) struct Model {
    pub(crate) fitted: Arc<Fitted>,
    like: Option<SchemaRef>,
    /// What identifies the unique records of the data, by which copies are counted.
    uniques: Option<Arc<UniqueRecords>>,
}

impl Model {
    pub(crate) fn new(fitted: Fitted, like: Option<SchemaRef>, uniques: Option<UniqueRecords>) -> Self {
        Self { fitted: Arc::new(fitted), like, uniques: uniques.map(Arc::new) }
    }
}

/// The model, ready to draw: as it was fitted where nothing else is said.
fn drawn(
    fitted: &Arc<Fitted>,
    (m, rows, seed, fresh): (Option<u32>, Option<u64>, Option<u64>, bool),
) -> Result<Arc<Fitted>, SynthesisError> {
    if m.is_none() && rows.is_none() && seed.is_none() && !fresh {
        return Ok(Arc::clone(fitted));
    }
    // The seed of a private model is nobody's: other amounts are drawn anew.
    let seed = seed.or((!fresh && fitted.ledger().is_none()).then(|| fitted.seed()));
    Ok(Arc::new(fitted.again(m.unwrap_or(fitted.m()), rows, seed)?))
}

#[pymethods]
impl Model {
    /// Data sets, and how many of their records equal a unique record of the data, where that can be known. `fresh` draws from a new seed.
    #[pyo3(signature = (m, rows, seed, fresh, progress=None))]
    fn sample(
        &self,
        py: Python<'_>,
        m: Option<u32>,
        rows: Option<u64>,
        seed: Option<u64>,
        fresh: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Vec<Frame>, Option<u64>)> {
        let (fitted, like) = (Arc::clone(&self.fitted), self.like.clone());
        let uniques = self.uniques.clone();
        run(py, progress, &[], move |watch| {
            let fitted = drawn(&fitted, (m, rows, seed, fresh))?;
            let keep_formulas = fitted.recipe().keep_formulas;
            let (mut frames, mut copies) = (Vec::new(), uniques.as_ref().map(|_| 0));
            for number in 0..fitted.m() {
                watch.check()?;
                let table = fitted.table(number)?;
                let more = uniques.as_ref().map_or(Ok(None), |uniques| uniques.copies_in(&table))?;
                copies = copies.zip(more).map(|(copies, more)| copies + more);
                frames.push(Frame::new(table, like.as_ref(), keep_formulas)?);
                watch.report(lookalike::Step::Drawing { done: number as usize + 1, of: fitted.m() as usize });
            }
            Ok((frames, copies))
        })
    }

    /// Data sets in a folder, with schema, recipe and manifest: what was written, as text and as JSON.
    #[expect(clippy::too_many_arguments, reason = "each is an argument of the Python method")]
    #[pyo3(signature = (out, m, rows, seed, fresh, format, keep_formulas, replace, progress=None))]
    fn write(
        &self,
        py: Python<'_>,
        out: PathBuf,
        m: Option<u32>,
        rows: Option<u64>,
        seed: Option<u64>,
        fresh: bool,
        format: &str,
        keep_formulas: bool,
        replace: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(String, String)> {
        let format: Format = format.parse().map_err(PyValueError::new_err)?;
        let (fitted, uniques) = (Arc::clone(&self.fitted), self.uniques.clone());
        run(py, progress, &[], move |watch| {
            let fitted = drawn(&fitted, (m, rows, seed, fresh))?;
            let seeded = seed.or(if fresh { None } else { fitted.recipe().seed });
            let recipe = Recipe { seed: seeded, format, keep_formulas, ..fitted.recipe().clone() };
            let request = DrawRequest { fitted, recipe, uniques, out, replace };
            let written = request.perform(watch)?;
            Ok((request.text(&written), request.json(&written).to_string()))
        })
    }

    /// What there is to know of the fit.
    fn facts(&self) -> String {
        let fitted = &self.fitted;
        let file = ModelFile::new(fitted);
        let header = file.as_ref().map(|file| &file.header);
        json!({
            "recipe": fitted.recipe(),
            "rows": fitted.rows(),
            "original_rows": fitted.original_rows(),
            "remarks": fitted.remarks(),
            "inside_remarks": fitted.inside_remarks(),
            "ledger": fitted.ledger(),
            "schema": fitted.schema().to_toml(),
            "confidential": header.map_or(true, |header| header.confidential),
            "confidential_because": header.ok().and_then(|header| header.confidential_because.clone()),
            "refuses_saving": file.as_ref().err().map(ToString::to_string),
        })
        .to_string()
    }

    /// The ledger as a page of Markdown.
    fn ledger_page(&self) -> Option<String> {
        self.fitted.ledger().map(lookalike::report::ledger_markdown)
    }

    /// The bytes of the model file, and of an empty Arrow stream with the types of the frame.
    fn dump(&self, py: Python<'_>) -> PyResult<(Vec<u8>, Option<Vec<u8>>)> {
        let dumped = || -> Result<(Vec<u8>, Option<Vec<u8>>), Error> {
            let folder = tempfile::tempdir()
                .map_err(|error| lookalike::table::TableError::io("temporary folder", error))?;
            let path = folder.path().join("saved");
            ModelFile::new(&self.fitted)?.write(&path)?;
            let bytes =
                std::fs::read(&path).map_err(|error| lookalike::table::TableError::io(&path, error))?;
            Ok((bytes, self.like.as_ref().and_then(types_of)))
        };
        dumped().map_err(|error| raised(py, error))
    }

    /// The model of these bytes.
    #[staticmethod]
    #[pyo3(signature = (bytes, types=None))]
    fn load(py: Python<'_>, bytes: &[u8], types: Option<&[u8]>) -> PyResult<Self> {
        let loaded = || -> Result<Fitted, Error> {
            let failed = |error| lookalike::table::TableError::io("temporary file", error);
            let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
            file.write_all(bytes).and_then(|()| file.flush()).map_err(failed)?;
            let saved = SavedModel::read(file.path())?;
            Ok(saved.fitted(&saved.header.recipe)?)
        };
        let fitted = loaded().map_err(|error| raised(py, error))?;
        Ok(Self::new(fitted, types.and_then(schema_of), None))
    }
}

/// The types of a frame as an empty Arrow stream.
fn types_of(schema: &SchemaRef) -> Option<Vec<u8>> {
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), schema).ok()?;
    writer.write(&RecordBatch::new_empty(Arc::clone(schema))).ok()?;
    writer.into_inner().ok()
}

fn schema_of(bytes: &[u8]) -> Option<SchemaRef> {
    arrow_ipc::reader::StreamReader::try_new(bytes, None).ok().map(|reader| reader.schema())
}
