//! Models on disk: JSON with a header that says what it is and whether it may leave the house, and a sum that tells whether it was changed
//! since.

use std::path::Path;
use std::sync::Arc;

use privacy::LedgerRecord;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use table::schema::SchemaFile;
use table::{Domain, TableError, atomic_file};

use crate::fit::{fresh_seed, refuse_rows_if_random};
use crate::fitted::{Drawing, Fitted};
use crate::identifiers::Identifiers;
use crate::model::AnyModel;
use crate::record_strata::RecordStrata;
use crate::registry::{self, Load};
use crate::strata::Strata;
use crate::{Recipe, SynthesisError};

const FORMAT: &str = "lookalike-model";

/// The version of the format; a reader refuses what it does not know.
pub(crate) const VERSION: u32 = 2;

/// What every version of the format has.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

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
    /// The recipe by which it was fitted.
    pub recipe: Recipe,
    /// Records in the data: the N of inference, and how many are drawn if nothing else is said.
    pub original_rows: u64,
    /// The books, if the model was fitted privately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerRecord>,
    /// The schema that its records keep, as TOML.
    pub schema: String,
    domain: Domain,
    /// What is kept of the identifiers.
    #[serde(default, skip_serializing_if = "Identifiers::is_empty")]
    identifiers: Identifiers,
    /// What was said of the fit beside the model's own remarks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    /// What tells the unique records of the data apart, where replicated ones are removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    uniques: Vec<(u64, u64)>,
    state: serde_json::Value,
    /// SHA-256 of all of this while the sum is empty.
    sha256: String,
}

impl ModelFile {
    /// The file of a model that was fitted by this recipe; refused if each of its data sets has to be paid for.
    pub fn new(recipe: &Recipe, fitted: &Fitted) -> Result<Self, SynthesisError> {
        if let Some(message) = fitted.refuses_saving() {
            return Err(SynthesisError::option("save-model", message));
        }
        let confidential = fitted.confidential();
        Ok(Self {
            format: FORMAT.into(),
            version: VERSION,
            method: recipe.method.clone(),
            confidential: confidential.is_some(),
            confidential_because: confidential.map(str::to_owned),
            recipe: recipe.clone(),
            original_rows: fitted.original_rows() as u64,
            ledger: None,
            schema: fitted.model_schema().to_toml(),
            domain: fitted.domain().cloned().map_or_else(|| Domain::new(Vec::new()), Ok)?,
            identifiers: fitted.identifiers().clone(),
            remarks: fitted.own_remarks().to_vec(),
            uniques: fitted.uniques().to_vec(),
            state: fitted.state(),
            sha256: String::new(),
        })
    }

    /// The same file with the books of a private fit. Noise that can be replayed can be taken off again: such a model is confidential.
    pub fn with_ledger(mut self, ledger: Option<LedgerRecord>) -> Self {
        if let Some(warning) = ledger.as_ref().and_then(|ledger| ledger.warning.clone()) {
            (self.confidential, self.confidential_because) = (true, Some(warning));
        }
        Self { ledger, ..self }
    }

    /// Writes the file, whole or not at all; a confidential one for its owner alone.
    pub fn write(mut self, path: &Path) -> Result<(), SynthesisError> {
        self.sha256 = self.sum()?;
        let json = serde_json::to_vec(&self).map_err(|error| SynthesisError::ModelFile(error.to_string()))?;
        let write = if self.confidential { atomic_file::write_private } else { atomic_file::write };
        Ok(write(path, &json)?)
    }

    /// The sum of a file that has none yet.
    fn sum(&self) -> Result<String, SynthesisError> {
        let mut sum = Sha256::new();
        serde_json::to_writer(&mut sum, self)
            .map_err(|error| SynthesisError::ModelFile(error.to_string()))?;
        Ok(format!("{:x}", sum.finalize()))
    }

    /// Reads a file and checks its header and its sum.
    pub fn read(path: &Path) -> Result<Self, SynthesisError> {
        let bytes = std::fs::read(path).map_err(|source| TableError::io(path, source))?;
        let no_model =
            |error| SynthesisError::ModelFile(format!("{} is no model file: {error}", path.display()));
        let header: Header = serde_json::from_slice(&bytes).map_err(no_model)?;
        if header.format != FORMAT || header.version != VERSION {
            let Header { format, version } = header;
            let message =
                format!("{format} version {version} is not {FORMAT} version {VERSION}; fit the model again");
            return Err(SynthesisError::ModelFile(message));
        }
        let mut file: Self = serde_json::from_slice(&bytes).map_err(no_model)?;
        let sum = std::mem::take(&mut file.sha256);
        if file.sum()? != sum {
            let message = format!("{} was changed after it was written; fit the model again", path.display());
            return Err(SynthesisError::ModelFile(message));
        }
        Ok(file)
    }

    /// The model, ready to draw what `recipe` asks for: data sets, rows, seed, format.
    pub fn fitted(&self, recipe: &Recipe) -> Result<Fitted, SynthesisError> {
        recipe.check()?;
        refuse_rows_if_random(recipe)?;
        let schema = Arc::new(SchemaFile::parse(&self.schema)?.finish()?);
        let identifiers = if self.identifiers.is_empty() {
            Identifiers::declared(&schema)
        } else {
            self.identifiers.clone()
        };
        let drawing = Drawing::new(self.model()?, schema, &self.domain, identifiers)?;
        let seed = recipe.seed.unwrap_or_else(fresh_seed);
        let fitted = Fitted::new(drawing, recipe, seed, self.original_rows, self.uniques.clone())?;
        Ok(fitted.with_own_remarks(&self.remarks).with_ledger(self.ledger.clone()))
    }

    /// The model alone.
    pub fn model(&self) -> Result<AnyModel, SynthesisError> {
        let Some(load) = registry::method(&self.method)?.load else {
            return Err(SynthesisError::ModelFile(format!("models of `{}` are not kept", self.method)));
        };
        Ok(match load {
            Load::Records(load) if RecordStrata::is_state(&self.state) => {
                AnyModel::Records(Box::new(RecordStrata::load(&self.state, load)?))
            }
            Load::Records(load) => AnyModel::Records(load(self.state.clone())?),
            Load::Cells(load) if !self.recipe.strata.is_empty() => {
                AnyModel::Cells(Box::new(Strata::load(&self.state, load)?))
            }
            Load::Cells(load) => AnyModel::Cells(load(self.state.clone())?),
        })
    }
}
