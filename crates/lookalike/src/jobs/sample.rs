//! More data sets from a saved model, without the data.

use std::path::PathBuf;

use release::signature::signature_path;
use release::{Layout, TrustedKey, check_target, sha256_of_file};
use synthesis::Recipe;
use synthesis::model_file::SavedModel;
use table::watch::Watch;

use super::synthesise::{SynthesiseOutcome, Written, refuse_inputs_within};
use crate::{Amount, Error, Request, Signing};

/// Asks a saved model for data sets.
///
/// ```
/// use lookalike::prelude::*;
///
/// let folder = tempfile::tempdir()?;
/// let rows: String = (0..60).map(|at| format!("{},{}\n", ["F", "M"][at % 2], ["a", "b", "c"][at % 3])).collect();
/// let people = read_csv_text(&format!("sex,town\n{rows}"), &ReadOptions::default())?;
/// let mut request = SynthesiseRequest::new(Data::records("people", people), Recipe::new("catall"));
/// request.save_model = Some(folder.path().join("people.model"));
/// request.run(&Watch::default())?;
/// let mut more = SampleRequest::new(folder.path().join("people.model"));
/// more.amount.rows = Some(1_000);
/// assert_eq!(more.run(&Watch::default())?.fitted.table(0)?.rows(), 1_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SampleRequest {
    /// The model file.
    pub model: PathBuf,
    /// How much is drawn, where it differs from the recipe of the model.
    pub amount: Amount,
    /// The folder to write; nothing is written without one.
    pub out: Option<PathBuf>,
    /// Whether an earlier release in that folder may be replaced.
    pub replace: bool,
    /// The public key of whoever saved the model, a file or the key itself: the signature beside the model is checked. Without it, a guarantee is the model file's
    /// own statement, and the manifest says so.
    pub signer: Option<String>,
    /// The key that signs the manifest.
    pub sign: Option<Signing>,
    /// In how many files each data set is written.
    pub layout: Layout,
}

/// What is said of a guarantee that only a model file states.
const UNSIGNED: &str = "The guarantee is what the model file says of itself: no signature of it was checked, and whoever can write a model file can write \
                        another ledger into it.";

impl SampleRequest {
    /// Asks for what the model's own recipe makes, with a new seed, in memory.
    pub fn new(model: impl Into<PathBuf>) -> Self {
        Self {
            model: model.into(),
            amount: Amount::default(),
            out: None,
            replace: false,
            signer: None,
            sign: None,
            layout: Layout::default(),
        }
    }

    /// Reads the model and draws from it. Its own data sets are drawn again only if their seed is asked for.
    pub fn run(&self, watch: &Watch) -> Result<SynthesiseOutcome, Error> {
        if let Some(out) = &self.out {
            refuse_inputs_within(out, std::iter::once(&self.model))?;
            check_target(out, self.replace)?;
        }
        let signer = self.sign.as_ref().map(Signing::open).transpose()?;
        if let Some(key) = &self.signer {
            let checked = TrustedKey::read(key)?.check_file(&self.model);
            checked.map_err(|wrong| {
                Error::Refused(format!("the model is not the one that was signed: {wrong}"))
            })?;
        }
        let file = SavedModel::read(&self.model)?;
        let recipe = self.amount.on_top_of(Recipe { seed: None, ..file.header.recipe.clone() });
        let fitted = file.fitted(&recipe)?;
        let manifest = match &self.out {
            Some(out) => {
                let sha256 = sha256_of_file(&self.model)?;
                let written = Written {
                    fitted: &fitted,
                    recipe: &recipe,
                    input_sha256: Some(sha256),
                    ledger: file.header.ledger.as_ref(),
                    original: None,
                    not_covered: file
                        .header
                        .ledger
                        .as_ref()
                        .filter(|_| self.signer.is_none())
                        .map(|_| UNSIGNED.to_owned()),
                    signer: signer.as_ref(),
                    layout: self.layout,
                };
                Some(written.into_folder(out, self.replace, watch)?)
            }
            None => None,
        };
        let (uniques, notes, written_there) = (None, Vec::new(), None);
        Ok(SynthesiseOutcome { fitted, ledger: file.header.ledger, manifest, uniques, notes, written_there })
    }
}

impl Request for SampleRequest {
    type Outcome = SynthesiseOutcome;

    fn inputs(&self) -> Vec<PathBuf> {
        let keys = self.sign.iter().flat_map(Signing::inputs);
        std::iter::once(self.model.clone()).chain(keys).collect()
    }

    fn reads(&self) -> Vec<PathBuf> {
        self.inputs()
            .into_iter()
            .chain([signature_path(&self.model)])
            .chain(self.signer.clone().map(PathBuf::from))
            .collect()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        self.out.clone().into_iter().collect()
    }

    fn perform(&self, watch: &Watch) -> Result<SynthesiseOutcome, Error> {
        self.run(watch)
    }

    fn text(&self, made: &SynthesiseOutcome) -> String {
        made.text(self.out.as_deref())
    }

    fn json(&self, made: &SynthesiseOutcome) -> serde_json::Value {
        serde_json::json!(made.manifest)
    }
}
