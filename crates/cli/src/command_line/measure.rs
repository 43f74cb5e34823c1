//! `lookalike measure`: what synthetic files are worth and what they disclose.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::{Error, MeasureRequest, MeasuresRequest, read_mechanism, read_regions};
use synthesis::registry;

use super::books::BooksOptions;
use super::questions::QuestionOptions;
use super::reading::Reading;
use super::{Everywhere, Run};

/// Measure what synthetic files are worth and what they disclose.
#[derive(Debug, Args)]
pub(super) struct MeasureCommand {
    /// The original: CSV (also .gz), Parquet or Arrow IPC; a folder of such files or a pattern such as 'part-*.parquet' is one table; `-` is CSV from standard input; postgresql://host/database/table is counted there
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
    /// The seed of permutations, resamples, attacks and samples of records [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Records of the same population that the generator never saw: what a fresh sample scores is shown beside each number, attacks are
    /// compared with attacks on these records, and models trained on synthetic records are tested on them
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
    #[command(flatten)]
    books: BooksOptions,
}

impl Run for MeasureCommand {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let data = |path: &PathBuf| self.reading.data(path);
        everywhere.carry_out(&MeasureRequest {
            holdout: self.holdout.as_ref().map(data),
            questions: self.questions.questions(),
            books: self.books.books(),
            random_size: self.random_size,
            seed: self.seed,
            mechanism: self.mechanism.as_deref().map(read_mechanism).transpose()?,
            regions: self.regions.as_deref().map(read_regions).transpose()?,
            report: self.report.clone(),
            replace: everywhere.force,
            read_from: self.regions.iter().cloned().collect(),
            ..MeasureRequest::new(data(&self.original), self.synthetic.iter().map(data).collect())
        })
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
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        everywhere.carry_out(&MeasuresRequest { name: self.name.clone(), markdown: self.markdown })
    }
}
