//! `lookalike measure`: what synthetic files are worth and what they disclose.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::{MeasureRequest, read_mechanism, read_regions};
use measures::MEASURES;
use synthesis::registry;
use table::output_file;

use super::questions::QuestionOptions;
use super::reading::Reading;
use super::{Everywhere, Failure, Run};

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

impl Run for MeasureCommand {
    fn inputs(&self) -> Vec<PathBuf> {
        let files =
            std::iter::once(&self.original).chain(&self.synthetic).chain(&self.holdout).chain(&self.regions);
        self.reading.with_schema(files.cloned())
    }

    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
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
            mechanism: self.mechanism.as_deref().map(read_mechanism).transpose()?,
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

/// List the measures, with what they ask and how they are read.
#[derive(Debug, Args)]
pub(super) struct Measures {
    /// One family or one measure, with the options that it honours [default: all]
    name: Option<String>,
    /// As a page of documentation
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
}

impl Run for Measures {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        if let Some(name) = &self.name {
            let (text, card) = report::measure_card_text(name).map_err(Failure::Usage)?;
            everywhere.deliver(&text, || card)?;
            return Ok(ExitCode::SUCCESS);
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
