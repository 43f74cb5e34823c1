//! `lookalike frontier`: what each method and setting would give and cost, on one map.

use std::path::PathBuf;
use std::process::ExitCode;

use ::frontier::battery::usual_measure;
use ::frontier::resume::FRONTIER;
use clap::Args;
use lookalike::{Data, FRONTIER_PAGE, FRONTIER_RECIPES, FrontierRequest, read_grid, read_regions};
use measures::Aspect;

use super::questions::QuestionOptions;
use super::reading::Reading;
use super::{Everywhere, Failure, Run};

/// Run many methods and settings, and show which are dominated, which are acceptable, and which is best.
#[derive(Debug, Args)]
pub(super) struct FrontierCommand {
    /// The table: CSV (also .gz), Parquet or Arrow IPC; `-` is CSV from standard input
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// The recipes to try (TOML) [default: a grid that suits the table]
    #[arg(long, value_name = "FILE")]
    grid: Option<PathBuf>,
    /// How often each recipe is run, so that the spread of runs is known
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
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
}

fn axis_help(what: &str, aspect: Aspect) -> String {
    let usual = usual_measure(aspect);
    format!(
        "The measure of {what} on the map; MEASURE:2 is its mean over tables of two variables [default: {usual}]"
    )
}

impl Run for FrontierCommand {
    fn inputs(&self) -> Vec<PathBuf> {
        let files = std::iter::once(&self.data).chain(&self.grid).chain(&self.regions).cloned();
        let contestants = self.contestant.iter().filter_map(|entry| entry.split_once('='));
        let contestants = contestants.flat_map(|(_, files)| files.split(',')).map(PathBuf::from);
        self.reading.with_schema(files.chain(contestants))
    }

    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let watch = everywhere.watch();
        let opened = self.request()?.open(&watch)?;
        let planned = opened.planned()?;
        if !planned.is_empty() {
            everywhere.say(&report::planned_text(&planned))?;
        }
        let found = opened.run(&watch)?;
        let mut text = report::frontier_text(&found.frontier);
        if let Some(out) = &self.out {
            text.push_str(&format!(
                "\n{} shows the map, {} holds all numbers, {} the recipes; confidential: do not release them.\n",
                out.join(FRONTIER_PAGE).display(),
                out.join(FRONTIER).display(),
                out.join(FRONTIER_RECIPES).display()
            ));
        }
        everywhere.deliver(&text, || serde_json::json!(found.frontier))?;
        let ran = found.frontier.contestants.iter().any(|contestant| contestant.runs > 0);
        Ok(if ran { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

impl FrontierCommand {
    fn request(&self) -> Result<FrontierRequest, Failure> {
        let data = self.reading.data(&self.data);
        Ok(FrontierRequest {
            grid: self.grid.as_deref().map(read_grid).transpose()?,
            repeat: self.repeat,
            contestants: self
                .contestant
                .iter()
                .map(|text| contestant(text, &data))
                .collect::<Result<_, _>>()?,
            risk: self.risk.clone(),
            utility: self.utility.clone(),
            limits: self.limit.clone(),
            regions: self.regions.as_deref().map(read_regions).transpose()?,
            seed: self.seed,
            out: self.out.clone(),
            questions: self.questions.questions(),
            ..FrontierRequest::new(data)
        })
    }
}

/// `NAME=FILE,…`, read as the data are.
fn contestant(text: &str, data: &Data) -> Result<(String, Vec<Data>), Failure> {
    let Some((name, files)) = text.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
        return Err(Failure::Usage(format!("--contestant {text}: write it as NAME=FILE")));
    };
    Ok((name.to_owned(), files.split(',').map(|file| data.sibling(file.trim())).collect()))
}
