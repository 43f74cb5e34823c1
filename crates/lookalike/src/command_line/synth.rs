//! `lookalike synth`: synthetic data sets with their evidence, in a release folder.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use study::release::{INTERNAL, Input, Manifest, Release, check_target, sha256_of_file};
use synthesis::model_file::ModelFile;
use synthesis::{Recipe, SynthesisError};
use table::figures::thousands;
use table::read::{self, ReadOptions};
use table::write::Format;

use super::describe::Reading;
use super::{Everywhere, Failure};

/// Make synthetic versions of a table.
#[derive(Debug, Args)]
pub(super) struct Synth {
    /// The table: CSV (also .gz), Parquet or Arrow IPC
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// The method; `lookalike methods` lists them
    #[arg(long, value_name = "METHOD", required_unless_present = "recipe")]
    method: Option<String>,
    /// A recipe file; options given here override it
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// An option of the method
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// How many data sets to make
    #[arg(long, value_name = "M")]
    m: Option<u32>,
    /// Records in each data set [default: as many as the data]
    #[arg(long, value_name = "N")]
    rows: Option<u64>,
    /// The seed; one seed, one output [default: from the operating system]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Variables within whose cells the method is fitted apart
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    strata: Option<Vec<String>>,
    /// Groups into which a number is cut where the schema declares no cuts
    #[arg(long, value_name = "G")]
    groups: Option<u32>,
    /// The format of the data files
    #[arg(long)]
    format: Option<FileFormat>,
    /// The folder to write; it must not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace the folder if it is an earlier release
    #[arg(long)]
    force: bool,
    /// Write the fitted model to this file; it may hold confidential material and then says so
    #[arg(long, value_name = "FILE")]
    save_model: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FileFormat {
    Csv,
    Parquet,
}

impl Synth {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let recipe = self.recipe()?;
        check_target(&self.out, self.force)?;
        self.check_model_path()?;
        let options = ReadOptions { progress: everywhere.reading(&self.data), ..self.reading.options()? };
        let table = read::read_table(&self.data, &options)?;
        let fitted = synthesis::fit(&table, &recipe)?;
        let input = Input { rows: table.rows() as u64, columns: table.columns().len() };
        let release =
            Release { fitted: &fitted, recipe: &recipe, input, input_sha256: sha256_of_file(&self.data)? };
        let manifest = release.write(&self.out, self.force)?;
        if let Some(path) = &self.save_model {
            ModelFile::new(&recipe, &fitted).write(path)?;
        }
        everywhere.deliver(&summary(&self.out, &manifest), || serde_json::json!(manifest))?;
        Ok(ExitCode::SUCCESS)
    }

    /// A model is confidential: it may not lie in the release, nor take the place of another file.
    fn check_model_path(&self) -> Result<(), SynthesisError> {
        let Some(path) = &self.save_model else { return Ok(()) };
        if path.starts_with(&self.out) {
            return Err(SynthesisError::option(
                "save-model",
                "the model may hold confidential material; keep it outside the release",
            ));
        }
        if path.exists() {
            return Err(SynthesisError::option(
                "save-model",
                format!("{} exists; choose another name", path.display()),
            ));
        }
        Ok(())
    }

    /// The recipe file, with what the command line says on top.
    fn recipe(&self) -> Result<Recipe, SynthesisError> {
        let mut recipe = match (&self.recipe, &self.method) {
            (Some(path), _) => Recipe::read(path)?,
            (None, Some(method)) => Recipe::new(method),
            (None, None) => return Err(SynthesisError::option("method", "name a method, or give a recipe")),
        };
        if let (Some(method), true) = (&self.method, self.recipe.is_some()) {
            recipe.method.clone_from(method);
        }
        recipe.m = self.m.unwrap_or(recipe.m);
        recipe.rows = self.rows.or(recipe.rows);
        recipe.seed = self.seed.or(recipe.seed);
        recipe.groups = self.groups.unwrap_or(recipe.groups);
        if let Some(strata) = &self.strata {
            recipe.strata.clone_from(strata);
        }
        match self.format {
            Some(FileFormat::Csv) => recipe.format = Format::Csv,
            Some(FileFormat::Parquet) => recipe.format = Format::Parquet,
            None => {}
        }
        self.set.iter().try_for_each(|assignment| recipe.set(assignment))?;
        recipe.check()?;
        Ok(recipe)
    }
}

/// What was written, for people.
pub(super) fn summary(out: &Path, manifest: &Manifest) -> String {
    let mut text = format!("{}: {} by {}\n", out.display(), of_data_sets(manifest.m), manifest.method);
    for file in &manifest.files {
        let rows = file.rows.map_or_else(String::new, |rows| format!("  {} records", thousands(rows)));
        text.push_str(&format!("  {}{rows}\n", file.name));
    }
    manifest.remarks.iter().for_each(|remark| text.push_str(&format!("  {remark}\n")));
    text.push_str(&format!(
        "  {}\n  {INTERNAL} holds the seed; it must not leave the house\n",
        manifest.guarantee
    ));
    text
}

fn of_data_sets(m: u32) -> String {
    if m == 1 { "one synthetic data set".to_owned() } else { format!("{m} synthetic data sets") }
}
