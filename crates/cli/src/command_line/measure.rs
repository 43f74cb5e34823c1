//! `lookalike measure`: what synthetic files are worth and what they disclose.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::{MeasureRequest, read_regions};
use measures::risk::intruder::ReleaseMechanism;
use measures::{Finding, MEASURES, card_of, family_of};
use synthesis::{SynthesisError, registry};
use table::{output_file, similar_name};

use super::questions::QuestionOptions;
use super::reading::Reading;
use super::{Everywhere, Failure};

/// Measure what synthetic files are worth and what they disclose.
#[derive(Debug, Args)]
pub(super) struct MeasureCommand {
    /// The original: CSV (also .gz), Parquet or Arrow IPC; `-` is CSV from standard input
    original: PathBuf,
    /// The synthetic files made from it; several are data sets of one release
    #[arg(required = true)]
    synthetic: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    questions: QuestionOptions,
    /// The number of records was left to the generator
    #[arg(long)]
    random_size: bool,
    /// The seed of permutations and resamples [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Records of the same population that the generator never saw: what a fresh sample scores is shown beside each number
    #[arg(long, value_name = "FILE")]
    holdout: Option<PathBuf>,
    #[arg(long, value_name = "METHOD,OPTION=VALUE,…", help = mechanism_help())]
    mechanism: Option<String>,
    /// Which risks of that intruder are acceptable (TOML)
    #[arg(long, value_name = "FILE", requires = "mechanism")]
    regions: Option<PathBuf>,
    /// Write a page with pictures as well; it holds exact figures of the original: confidential, do not release
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl MeasureCommand {
    /// All files that it reads.
    pub(super) fn inputs(&self) -> Vec<PathBuf> {
        let files =
            std::iter::once(&self.original).chain(&self.synthetic).chain(&self.holdout).chain(&self.regions);
        self.reading.with_schema(files.cloned())
    }

    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        if let Some(report) = &self.report
            && report.extension().is_none_or(|extension| extension != "html")
        {
            return Err(Failure::Usage("--report: name a file that ends in .html".into()));
        }
        if let Some(report) = &self.report {
            output_file::check("report", report, &self.inputs(), everywhere.force)?;
        }
        let data = |path: &PathBuf| self.reading.data(path);
        let request = MeasureRequest {
            holdout: self.holdout.as_ref().map(data),
            questions: self.questions.questions(),
            random_size: self.random_size,
            seed: self.seed,
            mechanism: self.mechanism.as_deref().map(mechanism).transpose()?,
            regions: self.regions.as_deref().map(read_regions).transpose()?,
            ..MeasureRequest::new(data(&self.original), self.synthetic.iter().map(data).collect())
        };
        let found = request.run(&everywhere.watch())?;
        if let Some(path) = &self.report {
            output_file::write_private(path, found.internal_page()?.as_bytes(), everywhere.force)?;
        }
        let original = self.original.display().to_string();
        let text = report::measure_text(&original, self.synthetic.len(), &found.findings);
        everywhere.deliver(&text, || serde_json::json!(found.findings))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn mechanism_help() -> String {
    let examples: Vec<&str> =
        registry::METHODS.iter().filter_map(|method| Some(method.card.mechanism?.example)).collect();
    format!(
        "How the files were made, for the intruder who knows all records but one: {}",
        examples.join(" or ")
    )
}

/// A mechanism such as `catall,nprior=0`, for the methods of which it is known how they draw cells.
fn mechanism(text: &str) -> Result<ReleaseMechanism, Failure> {
    match registry::stated_mechanism(text) {
        Ok((card, draws)) => Ok(ReleaseMechanism::new(card.name, draws)),
        Err(SynthesisError::Option { message, .. }) => {
            Err(Failure::Usage(format!("--mechanism {text}: {message}")))
        }
        Err(error) => Err(error.into()),
    }
}

/// List the measures, with what they ask and how they are read.
#[derive(Debug, Args)]
pub(super) struct Measures {
    /// One family or one measure, with the options that it honours [default: all]
    name: Option<String>,
    /// As a page of documentation
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
}

impl Measures {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        if let Some(name) = &self.name {
            return show(name, everywhere);
        }
        let families = || MEASURES.iter().map(|measure| (measure.name(), measure.cards()));
        let text = if self.markdown {
            report::measures_markdown(families())
        } else {
            report::measures_text(families())
        };
        let cards = || MEASURES.iter().flat_map(|measure| measure.cards()).collect::<Vec<_>>();
        everywhere.deliver(&text, || serde_json::json!(cards()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Shows the card of a family, or of one of its measures.
fn show(name: &str, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
    let family = MEASURES.iter().map(|measure| measure.card()).find(|card| card.name == name);
    if let Some(family) = family {
        everywhere.deliver(&report::family_text(family, None), || serde_json::json!(family))?;
    } else if let (Some(family), Some(card)) = (family_of(name), card_of(name)) {
        everywhere.deliver(&report::family_text(family, Some(name)), || serde_json::json!(card))?;
    } else {
        let known = MEASURES.iter().flat_map(|measure| {
            std::iter::once(measure.name()).chain(measure.cards().iter().map(|card| card.name))
        });
        let hint = similar_name::hint(name, known);
        return Err(Failure::Usage(format!("there is no measure `{name}`{hint}; see `lookalike measures`")));
    }
    Ok(ExitCode::SUCCESS)
}

/// What `measure --json` writes.
pub(super) type Evaluation = Vec<Finding>;
