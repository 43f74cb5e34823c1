//! `lookalike synth`: synthetic data sets with their evidence, in a release folder.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use synthesis::model_file::ModelFile;
use synthesis::{Recipe, Run, SynthesisError};
use table::read::{self, ReadOptions};

use super::describe::Reading;
use super::drawing::{Drawing, summary};
use super::{Everywhere, Failure};

/// Make synthetic versions of a table.
#[derive(Debug, Args)]
pub(super) struct Synth {
    /// The table: CSV (also .gz), Parquet or Arrow IPC
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// The method; `lookalike methods` lists them [default: that of the recipe, else sequential]
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// A recipe file; options given here override it
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// An option of the method
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Variables within whose cells the method is fitted apart
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    strata: Option<Vec<String>>,
    /// Groups into which a number is cut where the schema declares no cuts
    #[arg(long, value_name = "G")]
    groups: Option<u32>,
    #[command(flatten)]
    drawing: Drawing,
    /// Write the fitted model to this file; it may hold confidential material and then says so
    #[arg(long, value_name = "FILE")]
    save_model: Option<PathBuf>,
    /// Keep what has been fitted in this folder, and take from it what an interrupted run has fitted: the same bytes as without
    /// interruption. It is as confidential as the data, and is removed at the end
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// Refuse to begin if about more memory than this would be needed: 2GB, 500MB
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<u64>,
}

/// A size such as 2GB, 1.5GiB, 500MB or a number of bytes.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|character: char| character.is_alphabetic() || character == ' ');
    let unit = match text[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "kib" => f64::from(1 << 10),
        "mib" => f64::from(1 << 20),
        "gib" => f64::from(1 << 30),
        _ => return Err("write it as 2GB, 1.5GiB or 500MB".into()),
    };
    match digits.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok((number * unit) as u64),
        _ => Err("write it as 2GB, 1.5GiB or 500MB".into()),
    }
}

impl Synth {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let done = self.synthesise(everywhere);
        done.map_err(|failure| failure.located_in(self.recipe.as_deref(), self.reading.schema()))
    }

    fn synthesise(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let recipe = self.recipe()?;
        self.drawing.check()?;
        self.check_model_path()?;
        let options = ReadOptions { progress: everywhere.reading(&self.data), ..self.reading.options()? };
        let table = read::read_table(&self.data, &options)?;
        let run = Run { checkpoint: self.resume.clone(), memory: self.memory, ..everywhere.fitting() };
        let fitted = synthesis::fit_watched(&table, &recipe, &run)?;
        let manifest = self.drawing.write(&fitted, &recipe, &self.data)?;
        if let Some(path) = &self.save_model {
            ModelFile::new(&recipe, &fitted).write(path)?;
        }
        if let Some(folder) = &self.resume {
            synthesis::checkpoint::remove(folder)?;
        }
        everywhere.deliver(&summary(&self.drawing.out, &manifest), || serde_json::json!(manifest))?;
        Ok(ExitCode::SUCCESS)
    }

    /// A model is confidential: it may not lie in the release, nor take the place of another file.
    fn check_model_path(&self) -> Result<(), SynthesisError> {
        let Some(path) = &self.save_model else { return Ok(()) };
        if path.starts_with(&self.drawing.out) {
            let message = "the model may hold confidential material; keep it outside the release";
            return Err(SynthesisError::option("save-model", message));
        }
        if path.exists() {
            let message = format!("{} exists; choose another name", path.display());
            return Err(SynthesisError::option("save-model", message));
        }
        Ok(())
    }

    /// The recipe file, with what the command line says on top.
    fn recipe(&self) -> Result<Recipe, SynthesisError> {
        let mut recipe = match (&self.recipe, &self.method) {
            (Some(path), None) => Recipe::read(path)?,
            (Some(path), Some(method)) => Recipe { method: method.clone(), ..Recipe::read(path)? },
            (None, Some(method)) => Recipe::new(method),
            (None, None) => Recipe::new("sequential"),
        };
        recipe.groups = self.groups.unwrap_or(recipe.groups);
        if let Some(strata) = &self.strata {
            recipe.strata.clone_from(strata);
        }
        self.set.iter().try_for_each(|assignment| recipe.set(assignment))?;
        let recipe = self.drawing.on_top_of(recipe);
        recipe.check()?;
        Ok(recipe)
    }
}
