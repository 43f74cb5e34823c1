//! `lookalike frontier`: what each method and setting would give and cost, on one map.

use std::path::PathBuf;
use std::process::ExitCode;

use ::frontier::battery::usual_measure;
use clap::Args;
use lookalike::{Error, FrontierRequest, read_contestant, read_grid, read_regions};
use measures::Aspect;

use super::books::BooksOptions;
use super::questions::QuestionOptions;
use super::reading::Reading;
use super::{Everywhere, Run};

/// Run many methods and settings, and show which are dominated, which are acceptable, and which is best.
#[derive(Debug, Args)]
pub(super) struct FrontierCommand {
    /// The table: CSV (also .gz), Parquet or Arrow IPC; a folder of such files or a pattern such as 'part-*.parquet' is one table; `-` is CSV from standard input
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// The recipes to try (TOML) [default: a grid that suits the table]
    #[arg(long, value_name = "FILE")]
    grid: Option<PathBuf>,
    /// How often each recipe is run, so that the spread of runs is known
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Try them on so many records, drawn at random by the seed: for a table that does not fit into memory, or would take too long
    #[arg(long, value_name = "N")]
    fit_rows: Option<u64>,
    /// Set this share of the records apart before anything is fitted, so that attacks and predictions are judged by records that no recipe saw
    #[arg(long, value_name = "SHARE")]
    holdout_share: Option<f64>,
    /// A file of another tool as a contestant; several files are the data sets of one release; may be given several times
    #[arg(long, value_name = "NAME=FILE,…")]
    contestant: Vec<String>,
    #[arg(long, value_name = "MEASURE", help = axis_help("risk", Aspect::Risk))]
    risk: Option<String>,
    #[arg(long, value_name = "MEASURE", help = axis_help("utility", Aspect::Utility))]
    utility: Option<String>,
    /// A limit that a release must keep, such as "attribute.disco <= 5" or "epsilon <= 1"; may be given several times
    #[arg(long, value_name = "LIMIT")]
    limit: Vec<String>,
    /// Acceptable regions of (RR, R) for the intruder who knows all records but one, as a limit (TOML)
    #[arg(long, value_name = "FILE")]
    regions: Option<PathBuf>,
    /// The seed of all runs; one seed, one frontier
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The folder for frontier.json, recipes and finished runs; the same folder again goes on where an interrupted frontier stopped. It is as
    /// confidential as the data
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    questions: QuestionOptions,
    #[command(flatten)]
    books: BooksOptions,
}

fn axis_help(what: &str, aspect: Aspect) -> String {
    let [usual, of_many] = [0, usize::MAX].map(|variables| usual_measure(aspect, variables));
    let of_many = match usual == of_many {
        true => String::new(),
        false => format!("; {of_many} where keys are not named and there are too many variables to be keys"),
    };
    let limited = if aspect == Aspect::Risk { "the first that a --limit is on, else " } else { "" };
    format!(
        "The measure of {what} on the map; MEASURE:2 is its mean over tables of two variables [default: {limited}{usual}{of_many}]"
    )
}

impl Run for FrontierCommand {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let data = self.reading.data(&self.data);
        let contestants = self.contestant.iter().map(|text| read_contestant(text, &data));
        let request = FrontierRequest {
            grid: self.grid.as_deref().map(read_grid).transpose()?,
            repeat: self.repeat,
            fit_rows: self.fit_rows,
            holdout_share: self.holdout_share,
            contestants: contestants.collect::<Result<_, _>>()?,
            risk: self.risk.clone(),
            utility: self.utility.clone(),
            limits: self.limit.clone(),
            regions: self.regions.as_deref().map(read_regions).transpose()?,
            seed: self.seed,
            out: self.out.clone(),
            questions: self.questions.questions(),
            books: self.books.books(),
            read_from: self.grid.iter().chain(&self.regions).cloned().collect(),
            ..FrontierRequest::new(data)
        };
        everywhere.prepare(&request)?;
        let watch = everywhere.watch();
        let opened = request.open(&watch)?;
        everywhere.say(&report::planned_text(&opened.planned()?))?;
        everywhere.show(&request, &opened.run(&watch)?)
    }
}
