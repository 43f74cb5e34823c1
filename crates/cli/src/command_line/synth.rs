//! `lookalike synth`: synthetic data sets with their evidence, in a release folder.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use synthesis::model_file::ModelFile;
use synthesis::{Recipe, Run, SynthesisError, private};
use table::read::{self, ReadOptions};
use table::{DeclaredSchema, Table};

use super::describe::Reading;
use super::drawing::{Drawing, summary};
use super::privacy::Privacy;
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
    privacy: Privacy,
    #[command(flatten)]
    drawing: Drawing,
    /// Publish the schema that was learned from the records, for this reason: its levels and ranges, also rare and extreme ones, are
    /// released with the data [default: the public schema holds only what the synthetic files show]
    #[arg(long, value_name = "REASON")]
    learned_schema: Option<String>,
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
        if self.privacy.dry_run {
            return self.dry_run(&recipe, everywhere);
        }
        let out = self.drawing.out()?;
        self.check_model_path(out)?;
        if self.resume.as_deref().is_some_and(|folder| folder.starts_with(out)) {
            let message = "what is kept there is confidential; name a folder outside the release";
            return Err(SynthesisError::option("resume", message).into());
        }
        self.privacy.check_seed(&recipe)?;
        if recipe.privacy.is_some() {
            self.declared_schema()?;
        }
        let options = ReadOptions { watch: everywhere.watch(), ..self.reading.options()? };
        let table = self.declared_if_asked(read::read_table(&self.data, &options)?, &recipe)?;
        let (fitted, ledger) = if recipe.privacy.is_some() {
            self.refuse_guard_rails()?;
            let fit = private::fit(&table, &recipe, self.privacy.noise()?)
                .map_err(|error| self.with_command(error))?;
            (fit.fitted, Some(fit.ledger))
        } else {
            let run = Run {
                checkpoint: self.resume.clone(),
                memory: self.memory,
                watch: everywhere.watch(),
                ..Run::default()
            };
            (synthesis::fit_for_release(&table, &recipe, &run)?, None)
        };
        let model = match &self.save_model {
            Some(path) => Some((path, ModelFile::new(&recipe, &fitted)?.with_ledger(ledger.clone()))),
            None => None,
        };
        let manifest = self.drawing.write(&fitted, &recipe, &self.data, ledger.as_ref(), Vec::new())?;
        if let Some((path, model)) = model {
            model.write(path)?;
        }
        if let Some(folder) = &self.resume {
            synthesis::checkpoint::remove(folder)?;
        }
        everywhere.deliver(&summary(out, &manifest, &manifest.remarks), || serde_json::json!(manifest))?;
        Ok(ExitCode::SUCCESS)
    }

    /// The table, with its learned schema declared public where the owner says why.
    fn declared_if_asked(&self, table: Table, recipe: &Recipe) -> Result<Table, Failure> {
        let Some(reason) = &self.learned_schema else { return Ok(table) };
        if recipe.privacy.is_some() {
            let message = "--learned-schema: a private run needs a schema that a person declared; name it with --schema";
            return Err(Failure::Usage(message.into()));
        }
        if table.schema().declaration().is_some() {
            return Err(Failure::Usage("--learned-schema: the schema is declared; leave it out".into()));
        }
        Ok(table.declared_public(reason)?)
    }

    /// A private run is quick and may leave no trace of its noise.
    fn refuse_guard_rails(&self) -> Result<(), SynthesisError> {
        let given = [("resume", self.resume.is_some()), ("memory", self.memory.is_some())];
        match given.into_iter().find(|(_, given)| *given) {
            Some((name, _)) => {
                Err(SynthesisError::option(name, "it has no meaning in a private run; leave it out"))
            }
            None => Ok(()),
        }
    }

    /// What a private run would spend; the data are not opened.
    fn dry_run(&self, recipe: &Recipe, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        if recipe.privacy.is_none() {
            let message =
                "--dry-run shows what a private run would spend; state a budget, such as --epsilon 1";
            return Err(Failure::Usage(message.into()));
        }
        let Some(schema) = self.declared_schema()? else {
            return Err(
                self.with_command(SynthesisError::LearnedSchema { variables: vec!["every variable".into()] })
            );
        };
        let plan = private::plan(&schema, recipe)?;
        everywhere.deliver(&report::spending_text(&plan), || plan.to_json())?;
        Ok(ExitCode::SUCCESS)
    }

    /// The declared schema, made without the data; refused if it leaves anything to be read off them.
    fn declared_schema(&self) -> Result<Option<DeclaredSchema>, Failure> {
        let Some(schema) = self.reading.options()?.schema else { return Ok(None) };
        let schema = schema.finish().map_err(|error| Failure::Refused(error.to_string()))?;
        private::declared(&schema).map(Some).map_err(|error| self.with_command(error))
    }

    /// The refusal of a learned schema, with the command that helps for these data.
    fn with_command(&self, error: SynthesisError) -> Failure {
        let SynthesisError::LearnedSchema { variables } = error else { return error.into() };
        let data = self.data.display();
        let stem = self.data.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let draft = format!("{}.schema.toml", stem.split('.').next().unwrap_or_default());
        Failure::Refused(format!(
            "a private run needs a declared schema: a domain read off the records is itself a leak, and nobody has declared public \
             what may be in {}\n  1. lookalike describe {data} --write-schema {draft}\n  2. review {draft} against the code book, \
             then set `declared = true` and say why in `reason`\n  3. run this command again with --schema {draft}",
            variables.join(", ")
        ))
    }

    /// A model is confidential: it may not lie in the release, nor take the place of another file.
    fn check_model_path(&self, out: &Path) -> Result<(), SynthesisError> {
        let Some(path) = &self.save_model else { return Ok(()) };
        if path.starts_with(out) {
            let message = "the model may hold confidential material; keep it outside the release";
            return Err(SynthesisError::option("save-model", message));
        }
        if path.exists() {
            let message = format!("{} exists; choose another name", path.display());
            return Err(SynthesisError::option("save-model", message));
        }
        table::atomic_file::check(path)
            .map_err(|error| SynthesisError::option("save-model", error.to_string()))
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
        self.privacy.on_top_of(&mut recipe);
        let recipe = self.drawing.on_top_of(recipe);
        recipe.check()?;
        Ok(recipe)
    }
}
