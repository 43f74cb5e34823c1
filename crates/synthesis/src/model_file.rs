//! Models on disk: JSON with a header that says what it is and whether it may leave the house.

use std::path::Path;

use serde::{Deserialize, Serialize};
use table::{TableError, atomic_file};

use crate::strata::Strata;
use crate::{Model, SynthesisError, registry};

const FORMAT: &str = "lookalike-model";

/// The version of the format; a reader refuses what it does not know.
const VERSION: u32 = 1;

/// A model file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelFile {
    format: String,
    version: u32,
    /// The method that made it.
    pub method: String,
    /// Whether it holds confidential material.
    pub confidential: bool,
    /// What that material is.
    pub confidential_because: Option<String>,
    /// Whether the state is that of several strata.
    pub stratified: bool,
    state: serde_json::Value,
}

impl ModelFile {
    /// The file of a model of this method.
    pub fn new(method: &str, stratified: bool, model: &dyn Model) -> Self {
        Self {
            format: FORMAT.into(),
            version: VERSION,
            method: method.into(),
            confidential: model.confidential().is_some(),
            confidential_because: model.confidential().map(str::to_owned),
            stratified,
            state: model.state(),
        }
    }

    /// Writes the file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), SynthesisError> {
        let json = serde_json::to_vec(self).map_err(|error| SynthesisError::ModelFile(error.to_string()))?;
        Ok(atomic_file::write(path, &json)?)
    }

    /// Reads a file and checks its header.
    pub fn read(path: &Path) -> Result<Self, SynthesisError> {
        let bytes = std::fs::read(path).map_err(|source| TableError::io(path, source))?;
        let file: Self = serde_json::from_slice(&bytes).map_err(|error| {
            SynthesisError::ModelFile(format!("{} is no model file: {error}", path.display()))
        })?;
        if file.format != FORMAT || file.version != VERSION {
            let (format, version) = (&file.format, file.version);
            let message =
                format!("{format} version {version} is not {FORMAT} version {VERSION}; fit the model again");
            return Err(SynthesisError::ModelFile(message));
        }
        Ok(file)
    }

    /// The model.
    pub fn model(&self) -> Result<Box<dyn Model>, SynthesisError> {
        let method = registry::method(&self.method)?;
        if self.stratified {
            return Ok(Box::new(Strata::load(&self.state, method.load)?));
        }
        (method.load)(self.state.clone())
    }
}
