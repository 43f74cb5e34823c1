//! `lookalike fit`: estimates from synthetic files, with intervals that are valid for how the files were made.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use inference::{Estimand, Level, Rule, Target, Weights};
use lookalike::{FitRequest, model_estimand};
use table::{TableError, output_file};

use super::reading::Reading;
use super::{Everywhere, Failure, Run};

/// Estimate from synthetic files, with intervals that are valid for how they were made.
#[derive(Debug, Args)]
pub(super) struct Fit {
    /// A model such as "y ~ a + b", if one is to be fitted; then the synthetic files, or one release folder. Files that lie beside the manifest of
    /// their release are read with it
    #[arg(required = true, value_name = "FORMULA | FILES")]
    inputs: Vec<String>,
    #[command(flatten)]
    reading: Reading,
    /// The family of the model: gaussian, logistic, multinomial, ordinal or poisson [default: gaussian]
    #[arg(long, value_name = "FAMILY")]
    family: Option<String>,
    /// Means, shares or a table: "mean(income) by sex", "share(smoke) by agegr", "share(smoke = YES)", "table(edu, marital)"; may be given several times
    #[arg(long, value_name = "WHAT")]
    estimate: Vec<String>,
    /// N, the number of original records [default: what the manifest of the release says; a private release with `rows` and without `records` does not say it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    original_rows: Option<u64>,
    /// The rule: tp, ts, proper, partial, tf, pooled, posterior or bootstrap [default: the one that is valid for the release]
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// What the interval is for: the population quantity, or the estimate that the original data would give
    #[arg(long, value_enum, default_value = "population")]
    target: TargetName,
    /// How often the interval is to cover
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    level: f64,
    /// How files count in the estimate: alike, or by their number of records [default: n-syn for `saturated` releases with sigma above 0, else equal]
    #[arg(long, value_enum)]
    weights: Option<WeightsName>,
    /// Quantiles from R replicates of the bootstrap-t instead of the normal or t distribution
    #[arg(long, value_name = "R")]
    bootstrap_t: Option<usize>,
    /// Replicates of the rule `bootstrap` [default: 500]
    #[arg(long, value_name = "R")]
    replicates: Option<usize>,
    /// Draw each question's estimates with their intervals as an SVG file in this folder
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// The seed of bootstraps and of the posterior's sampler [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TargetName {
    Population,
    Original,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WeightsName {
    Equal,
    NSyn,
}

impl Run for Fit {
    fn inputs(&self) -> Vec<PathBuf> {
        let within = |path: PathBuf| -> Vec<PathBuf> {
            match std::fs::read_dir(&path) {
                Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
                Err(_) => vec![path],
            }
        };
        let (_, files) = self.formula_and_files();
        self.reading.with_schema(files.iter().map(PathBuf::from).flat_map(within))
    }

    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let (formula, files) = self.formula_and_files();
        if let Some(pictures) = &self.pictures {
            output_file::check_folder("pictures", pictures)?;
        }
        let request = FitRequest {
            reading: self.reading.data(""),
            original_rows: self.original_rows,
            rule: self.rule.as_deref().map(str::parse::<Rule>).transpose()?,
            target: match self.target {
                TargetName::Population => Target::Population,
                TargetName::Original => Target::Original,
            },
            level: Level::new(self.level)?,
            weights: self.weights.map(|weights| match weights {
                WeightsName::Equal => Weights::Equal,
                WeightsName::NSyn => Weights::NSyn,
            }),
            bootstrap_t: self.bootstrap_t,
            replicates: self.replicates,
            seed: self.seed,
            ..FitRequest::new(files, self.estimands(formula)?)
        };
        let found = request.run(&everywhere.watch())?;
        everywhere.deliver(&report::fit_text(&found), || serde_json::json!(found))?;
        if let Some(folder) = &self.pictures {
            std::fs::create_dir_all(folder).map_err(|source| TableError::io(folder, source))?;
            for (name, svg) in report::fit_pictures(&found) {
                let picture = folder.join(name);
                output_file::check("pictures", &picture, &self.inputs(), everywhere.force)?;
                output_file::write(&picture, svg.as_bytes(), everywhere.force)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Fit {
    /// The first argument is a formula if it has a tilde and is no file.
    fn formula_and_files(&self) -> (Option<&str>, &[String]) {
        match self.inputs.split_first() {
            Some((first, rest)) if first.contains('~') && !Path::new(first).exists() => (Some(first), rest),
            _ => (None, &self.inputs),
        }
    }

    fn estimands(&self, formula: Option<&str>) -> Result<Vec<Estimand>, Failure> {
        let model = match (formula, self.family.as_deref()) {
            (None, Some(_)) => {
                let message = "--family is that of a model; give a formula such as \"y ~ a + b\"";
                return Err(Failure::Usage(message.into()));
            }
            (formula, family) => formula.map(|formula| model_estimand(formula, family)).transpose()?,
        };
        let others = self.estimate.iter().map(|text| Ok(Estimand::parse(text)?));
        model.map(Ok).into_iter().chain(others).collect()
    }
}
