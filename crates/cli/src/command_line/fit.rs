//! `lookalike fit`: estimates from synthetic files, with intervals that are valid for how the files were made.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use inference::{Level, Rule, Target, Weights};
use lookalike::{Error, FitRequest};

use super::reading::Reading;
use super::{Everywhere, Run};

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
    /// Means, quantiles, shares or a table: "mean(income) by sex", "median(income)", "quantile(income, 0.9) by sex", "share(smoke) by agegr", "share(smoke = YES)", "table(edu, marital)"; may be given several times
    #[arg(long, value_name = "WHAT")]
    estimate: Vec<String>,
    /// Ask only the records that meet a condition such as "age >= 18 AND sex = 'F'"
    #[arg(long = "where", value_name = "CONDITION")]
    only_where: Option<String>,
    /// N, the number of original records [default: what the manifest of the release says; a private release with `rows` and without `records` does not say it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    original_rows: Option<u64>,
    /// The rule: tp, ts, proper, partial, tf, pooled, posterior or bootstrap [default: the one that is valid for the release]
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// What the interval is for: the quantity in the `population`, or the estimate that the `original` data would give
    #[arg(long, default_value = "population")]
    target: Target,
    /// How often the interval is to cover
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    level: f64,
    /// How files count in the estimate: `equal`, or by their number of records, `n-syn` [default: n-syn for `saturated` releases with sigma above 0, else equal]
    #[arg(long)]
    weights: Option<Weights>,
    /// Quantiles from R replicates of the bootstrap-t instead of the normal or t distribution
    #[arg(long, value_name = "R")]
    bootstrap_t: Option<usize>,
    /// Replicates of the rule `bootstrap` [default: 199]
    #[arg(long, value_name = "R")]
    replicates: Option<usize>,
    /// Draw each question's estimates with their intervals as an SVG file in this folder
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// The seed of bootstraps and of the posterior's sampler [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
}

impl Run for Fit {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        everywhere.carry_out(&FitRequest {
            reading: self.reading.data(""),
            only_where: self.only_where.clone(),
            original_rows: self.original_rows,
            rule: self.rule.as_deref().map(str::parse::<Rule>).transpose()?,
            target: self.target,
            level: Level::new(self.level)?,
            weights: self.weights,
            bootstrap_t: self.bootstrap_t,
            replicates: self.replicates,
            seed: self.seed,
            pictures: self.pictures.clone(),
            replace: everywhere.force,
            ..FitRequest::of_words(&self.inputs, self.family.as_deref(), &self.estimate)?
        })
    }
}
