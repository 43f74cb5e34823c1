//! Fitted models on disk: what a model is and whether its file may be released, then what was fitted, in the format of [`stored`].

use std::path::Path;
use std::sync::Arc;

use privacy::LedgerRecord;
use privacy::ledger::BoundFile;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use table::schema::{Schema, SchemaFile};
use table::{Domain, atomic_file};

use crate::class_numbers::ClassNumbers;
use crate::copies::Print;
use crate::fit::{fresh_seed, refuse_rows_if_random};
use crate::fitted::{Drawing, Fitted};
use crate::identifiers::Identifiers;
use crate::model::AnyModel;
use crate::private::Accounting;
use crate::record_strata::RecordStrata;
use crate::registry::{self, Load};
use crate::stored::{self, StateContext, StateReader, StateWriter, StoredFile, damaged, ensure};
use crate::strata::Strata;
use crate::tilt::Tilted;
use crate::{Recipe, SynthesisError, Synthesizer};

/// The word by which the header of a model file is known from that of a part of an interrupted run.
const FORMAT: &str = "lookalike-model";

/// What a model file says of its model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelHeader {
    format: String,
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
    /// The ledger, if the model was fitted privately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerRecord>,
    /// The schema that its records keep, as TOML.
    pub schema: String,
    domain: Domain,
    /// What was said of the fit beside the model's own remarks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
}

/// A fitted model that is to be saved.
pub struct ModelFile<'a> {
    /// What the file will say of it.
    pub header: ModelHeader,
    fitted: &'a Fitted,
}

impl<'a> ModelFile<'a> {
    /// The file of a fitted model, with its recipe and its ledger; refused if each of its data sets has to be paid for. Noise that can be replayed can be
    /// taken off again: such a model is confidential.
    pub fn new(fitted: &'a Fitted) -> Result<Self, SynthesisError> {
        if let Some(message) = fitted.refuses_saving() {
            return Err(SynthesisError::option("save-model", message));
        }
        let (recipe, ledger) = (fitted.recipe(), fitted.ledger());
        let replayable = ledger.and_then(|ledger| ledger.warning.as_deref());
        let confidential = replayable.or(fitted.confidential());
        let mut header = ModelHeader {
            format: FORMAT.into(),
            method: recipe.method.clone(),
            confidential: confidential.is_some(),
            confidential_because: confidential.map(str::to_owned),
            recipe: recipe.clone(),
            original_rows: fitted.original_rows() as u64,
            ledger: ledger.cloned(),
            schema: fitted.model_schema().to_toml(),
            domain: fitted.domain().cloned().map_or_else(|| Domain::new(Vec::new()), Ok)?,
            remarks: fitted.own_remarks().to_vec(),
        };
        if let Some(ledger) = &mut header.ledger {
            let state = stored::state_sha256(|into| store(fitted, into))
                .map_err(|error| SynthesisError::ModelFile(error.to_string()))?;
            ledger.binds = bound(&state, &header.schema, &header.recipe);
        }
        Ok(Self { header, fitted })
    }

    /// Writes the file, whole or not at all, without a copy of the model in memory; a confidential one for its owner alone.
    pub fn write(&self, path: &Path) -> Result<(), SynthesisError> {
        let produce = |file: &mut dyn std::io::Write| {
            stored::write(file, &self.header, |into| store(self.fitted, into))
        };
        let written = if self.header.confidential {
            atomic_file::write_private_with(path, produce)
        } else {
            atomic_file::write_with(path, produce)
        };
        Ok(written?)
    }
}

/// The state of a fitted model, block by block.
fn store(fitted: &Fitted, into: &mut StateWriter<'_>) -> std::io::Result<()> {
    let uniques = fitted.uniques();
    let words = uniques.iter().flat_map(|(left, right)| [*left, *right]);
    into.numbers(UNIQUES, 2 * uniques.len(), words)?;
    fitted.identifiers().store(into)?;
    fitted.class_numbers().store(into)?;
    fitted.store(into)
}

/// The parts of a model file that its ledger is of: what was fitted, the schema and the recipe.
fn bound(state_sha256: &str, schema: &str, recipe: &Recipe) -> Vec<BoundFile> {
    let sha256 = |text: &str| stored::hexadecimal(&Sha256::digest(text.as_bytes()));
    let parts = [
        ("model", state_sha256.to_owned()),
        ("schema", sha256(schema)),
        ("recipe", sha256(&Recipe { seed: None, ..recipe.clone() }.to_toml())),
    ];
    parts.map(|(name, sha256)| BoundFile { name: name.into(), sha256 }).into()
}

/// The name of what identifies the unique records of the data.
const UNIQUES: &str = "unique records";

/// A model file that was opened.
pub struct SavedModel {
    /// What it says of its model.
    pub header: ModelHeader,
    file: StoredFile,
    schema: Arc<Schema>,
}

impl SavedModel {
    /// Opens a file, and checks its header, and that it is whole. The model itself is read, and checked, when it is asked for.
    pub fn read(path: &Path) -> Result<Self, SynthesisError> {
        let (file, header): (StoredFile, ModelHeader) = StoredFile::open(path)?;
        ensure(header.format == FORMAT, "it is a part of an interrupted run, not a model")?;
        let schema = Arc::new(SchemaFile::parse(&header.schema)?.finish()?);
        check(&header, &schema)?;
        check_ledger(&header, &file.state_sha256)?;
        Ok(Self { header, file, schema })
    }

    /// The model, ready to draw what `recipe` asks for: data sets, rows, seed, format.
    pub fn fitted(&self, recipe: &Recipe) -> Result<Fitted, SynthesisError> {
        recipe.check()?;
        refuse_rows_if_random(recipe)?;
        let Loaded { model, identifiers, numbers, uniques } = self.load()?;
        let identifiers =
            if identifiers.is_empty() { Identifiers::declared(&self.schema) } else { identifiers };
        let drawing =
            Drawing::new(model, Arc::clone(&self.schema), &self.header.domain, identifiers, numbers)?;
        let drawing = if self.header.ledger.is_some() { drawing.of_private_run() } else { drawing };
        let seed = recipe.seed.unwrap_or_else(fresh_seed);
        let fitted = Fitted::new(drawing, recipe, seed, self.header.original_rows, uniques)?;
        Ok(fitted.with_own_remarks(&self.header.remarks).with_ledger(self.header.ledger.clone()))
    }

    /// The model alone.
    pub fn model(&self) -> Result<AnyModel, SynthesisError> {
        self.load().map(|loaded| loaded.model)
    }

    fn load(&self) -> Result<Loaded, SynthesisError> {
        let loaded = self.file.state(|from| {
            let words: Vec<u64> = from.array(UNIQUES)?;
            let uniques = words.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            let identifiers = Identifiers::load(from, &self.schema)?;
            let numbers = ClassNumbers::load(from, &self.header.domain)?;
            Ok(Loaded { model: self.load_model(from)?, identifiers, numbers, uniques })
        })?;
        let confidential = match &loaded.model {
            AnyModel::Cells(model) => model.confidential(),
            AnyModel::Records(model) => model.confidential(),
        };
        let hides = confidential.is_some() && !self.header.confidential;
        ensure(!hides, "it holds confidential material and says that it does not")?;
        let is_covered = self.header.ledger.is_none() || confidential.is_none();
        ensure(is_covered, "it has a ledger, and holds confidential material that no ledger covers")?;
        Ok(loaded)
    }

    fn load_model(&self, from: &mut StateReader<'_>) -> Result<AnyModel, SynthesisError> {
        let recipe = &self.header.recipe;
        let load = match registry::method(&self.header.method)?.load {
            Some(Load::ByPrivacy { private, .. }) if recipe.privacy.is_some() => Load::Cells(private),
            Some(load) => load,
            None => {
                let message = format!("models of `{}` are not saved", self.header.method);
                return Err(SynthesisError::ModelFile(message));
            }
        };
        let context = StateContext {
            schema: &self.schema,
            domain: &self.header.domain,
            records: recipe.privacy.is_none().then_some(self.header.original_rows),
            options: &recipe.method_options(),
        };
        let strata = &recipe.strata;
        Ok(match load {
            Load::Records(load) | Load::ByPrivacy { plain: load, .. } => {
                let model = if strata.is_empty() {
                    load(from, context)?
                } else {
                    Box::new(RecordStrata::load(from, context, load)?)
                };
                AnyModel::Records(match Synthesizer::of(recipe)?.tilt() {
                    Some(tilt) => Box::new(Tilted::load(model, &tilt, strata, from, context)?),
                    None => model,
                })
            }
            Load::Cells(load) if strata.is_empty() => AnyModel::Cells(load(from, context)?),
            Load::Cells(load) => AnyModel::Cells(Box::new(Strata::load(from, context, strata, load)?)),
        })
    }
}

/// What is read of a file beside its header.
struct Loaded {
    model: AnyModel,
    identifiers: Identifiers,
    numbers: ClassNumbers,
    /// What identifies the unique records of the data, where replicated ones are removed.
    uniques: Vec<Print>,
}

/// Refuses a ledger that is not of this model, or that a model has which was not fitted privately. Whoever can write a file can make these agree:
/// that a model is the one its owner saved, only a signature says.
fn check_ledger(header: &ModelHeader, state_sha256: &str) -> Result<(), SynthesisError> {
    let Some(ledger) = &header.ledger else {
        return ensure(header.recipe.privacy.is_none(), "its recipe is private, and it has no ledger");
    };
    ledger.verify()?;
    let asked = header.recipe.privacy.as_ref().and_then(|settings| settings.budget(Accounting::Basic).ok());
    ensure(asked.map(|budget| budget.asked()) == Some(ledger.asked), "its ledger is not that of its recipe")?;
    let own = ledger.binds == bound(state_sha256, &header.schema, &header.recipe);
    ensure(own, "its ledger is of another model")
}

/// Refuses a header that contradicts itself: another method than the recipe's, no records, or classes that are not those of the schema.
fn check(header: &ModelHeader, schema: &Schema) -> Result<(), SynthesisError> {
    ensure(header.method == header.recipe.method, "its method is not that of its recipe")?;
    ensure(header.original_rows > 0, "it was fitted to no records")?;
    let domain = Domain::new(header.domain.variables().to_vec())?;
    for classes in domain.variables() {
        let variable = schema.variable(classes.name())?;
        if !variable.is_modelled() || !classes.are_of(variable) {
            return Err(damaged(format!("the classes of `{}` are not those of its schema", classes.name())));
        }
    }
    let modelled = schema.variables().iter().filter(|variable| variable.is_modelled()).count();
    ensure([0, modelled].contains(&domain.variables().len()), "some variables have no classes")
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;
    use crate::Run;

    fn fitted(method: &str, privacy: &str) -> Fitted {
        let schema = "[table]\ndeclared = true\nreason = \"invented\"\n[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
                      [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\n";
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
        let people = read_csv_text(&format!("sex,town\n{}", "F,a\nM,b\nF,b\n".repeat(20)), &options).unwrap();
        let recipe = Recipe::parse(&format!("method = \"{method}\"\n{privacy}")).unwrap();
        crate::fit(&people, &recipe, &Run::default()).unwrap()
    }

    /// A ledger that was taken from another model is refused, and so is one under a model that holds exact counts, though all hashes were made anew.
    #[test]
    fn a_ledger_cannot_be_grafted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.model");
        let budget = "[privacy]\nepsilon = 3\nrecords = 60\n";
        let private = fitted("ipf", budget);
        let open = fitted("ipf", "");
        let refused = |file: &ModelFile<'_>| {
            file.write(&path).unwrap();
            let read = SavedModel::read(&path);
            read.and_then(|saved| saved.model()).err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert_eq!(refused(&ModelFile::new(&private).unwrap()), "");
        let mut grafted = ModelFile::new(&open).unwrap();
        grafted.header.ledger = ModelFile::new(&private).unwrap().header.ledger;
        assert!(refused(&grafted).contains("not that of its recipe"));
        grafted.header.recipe = private.recipe().clone();
        assert!(refused(&grafted).contains("of another model"));
        // With all hashes made anew, what the model itself is still tells.
        let (open, paid) = (fitted("catall", ""), fitted("catall", budget));
        let mut grafted = ModelFile::new(&open).unwrap();
        grafted.header.recipe = paid.recipe().clone();
        let mut ledger = paid.ledger().unwrap().clone();
        let state = stored::state_sha256(|into| store(&open, into)).unwrap();
        ledger.binds = bound(&state, &grafted.header.schema, &grafted.header.recipe);
        grafted.header.ledger = Some(ledger);
        assert!(refused(&grafted).contains("are not those of its records"), "{}", refused(&grafted));
        let mut bare = ModelFile::new(&private).unwrap();
        bare.header.ledger = None;
        assert!(refused(&bare).contains("has no ledger"));
    }
}
