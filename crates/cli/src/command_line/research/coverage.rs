//! `lookalike coverage`: how often intervals from synthetic files cover a known truth.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use coverage::{Classes, Design, Effects, Study, run, study_text};
use synthesis::{Recipe, registry};

use super::super::{Everywhere, Failure};

/// How often intervals from synthetic files cover the truth of an invented population. Parts that were run apart are added with --add.
#[derive(Debug, Args)]
pub(in super::super) struct CoverageCommand {
    /// Columns of the table
    #[arg(long, value_name = "P", default_value_t = 16)]
    columns: usize,
    /// How much predictors matter
    #[arg(long, value_enum, default_value_t = EffectsArgument::Weak)]
    effects: EffectsArgument,
    /// What the schema says of the numbers: five classes with wide outer ones, or the range alone
    #[arg(long, value_enum, default_value_t = ClassesArgument::Five)]
    classes: ClassesArgument,
    /// Original records
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    records: usize,
    /// Synthetic files
    #[arg(long, value_name = "M", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    m: u32,
    /// A recipe file, private or not
    #[arg(long, value_name = "FILE", conflicts_with = "method")]
    recipe: Option<PathBuf>,
    /// The method
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// An option of the method; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Replications
    #[arg(long, value_name = "R", default_value_t = 20)]
    replications: u64,
    /// The number of the first; parts with different numbers can be added
    #[arg(long, value_name = "R", default_value_t = 0)]
    first: u64,
    /// The JSON of an earlier part of the same study; may be given several times
    #[arg(long, value_name = "FILE")]
    add: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EffectsArgument {
    Weak,
    Strong,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ClassesArgument {
    Five,
    Undeclared,
}

impl CoverageCommand {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let inputs: Vec<PathBuf> = self.add.iter().chain(&self.recipe).cloned().collect();
        everywhere.check_json(&inputs)?;
        let mut recipe = match &self.recipe {
            Some(path) => Recipe::read(path)?,
            None => {
                let usual = || registry::default_method(false).to_owned();
                Recipe::new(self.method.clone().unwrap_or_else(usual))
            }
        };
        recipe.m = self.m;
        self.set.iter().try_for_each(|option| recipe.set(option))?;
        let effects = match self.effects {
            EffectsArgument::Weak => Effects::Weak,
            EffectsArgument::Strong => Effects::Strong,
        };
        let classes = match self.classes {
            ClassesArgument::Five => Classes::Five,
            ClassesArgument::Undeclared => Classes::Undeclared,
        };
        let design = Design::new(self.columns, effects, self.records)?.with_classes(classes);
        let progress = |done: u64| {
            everywhere.doing(&format!("{done} of {} replications", self.replications));
        };
        let mut study = run(design, &recipe, self.first, self.replications, &progress)?;
        for path in &self.add {
            let text = std::fs::read_to_string(path).map_err(|source| table::TableError::io(path, source))?;
            let part: Study = serde_json::from_str(&text)
                .map_err(|error| Failure::usage(format!("--add {}: {error}", path.display())))?;
            study.add(&part)?;
        }
        everywhere.deliver(&study_text(&study), || serde_json::json!(study))?;
        Ok(ExitCode::SUCCESS)
    }
}
