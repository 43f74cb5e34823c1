//! `lookalike sample`: more data sets from a saved model, without the data.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use study::release::{Input, Release, check_target, sha256_of_file};
use synthesis::Recipe;
use synthesis::model_file::ModelFile;

use super::synth::summary;
use super::{Everywhere, Failure};

/// Draw more data sets from a saved model.
#[derive(Debug, Args)]
pub(super) struct Sample {
    /// A model that `synth --save-model` wrote
    model: PathBuf,
    /// How many data sets to make [default: as the model's recipe says]
    #[arg(long, value_name = "M")]
    m: Option<u32>,
    /// Records in each data set [default: as many as the model would make]
    #[arg(long, value_name = "N")]
    rows: Option<u64>,
    /// The seed; one seed, one output [default: from the operating system]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The folder to write; it must not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace the folder if it is an earlier release
    #[arg(long)]
    force: bool,
}

impl Sample {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        check_target(&self.out, self.force)?;
        let file = ModelFile::read(&self.model)?;
        let recipe = Recipe {
            m: self.m.unwrap_or(file.recipe.m),
            rows: self.rows.or(file.recipe.rows),
            seed: self.seed,
            ..file.recipe.clone()
        };
        let fitted = file.fitted(&recipe)?;
        let columns = fitted.schema().variables().len();
        let input = Input { rows: file.original_rows, columns };
        let input_sha256 = sha256_of_file(&self.model)?;
        let manifest =
            Release { fitted: &fitted, recipe: &recipe, input, input_sha256 }.write(&self.out, self.force)?;
        everywhere.deliver(&summary(&self.out, &manifest), || serde_json::json!(manifest))?;
        Ok(ExitCode::SUCCESS)
    }
}
