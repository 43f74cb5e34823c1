//! `lookalike sample`: more data sets from a saved model, without the data.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use synthesis::Recipe;
use synthesis::model_file::ModelFile;

use super::drawing::{Drawing, summary};
use super::{Everywhere, Failure};

/// Draw more data sets from a saved model.
#[derive(Debug, Args)]
pub(super) struct Sample {
    /// A model that `synth --save-model` wrote
    model: PathBuf,
    #[command(flatten)]
    drawing: Drawing,
}

impl Sample {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let out = self.drawing.out()?;
        let file = ModelFile::read(&self.model)?;
        // The model's own data sets are drawn again only if their seed is asked for.
        let recipe = self.drawing.on_top_of(Recipe { seed: None, ..file.recipe.clone() });
        let fitted = file.fitted(&recipe)?;
        let manifest = self.drawing.write(&fitted, &recipe, &self.model, file.ledger.as_ref(), Vec::new())?;
        everywhere.deliver(&summary(out, &manifest, &fitted.remarks()), || serde_json::json!(manifest))?;
        Ok(ExitCode::SUCCESS)
    }
}
