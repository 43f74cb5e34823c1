//! `lookalike reproduce`: a published study, its numbers beside ours.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use papers::{Paper, Reproduction, Request};
use table::{TableError, atomic_file};

use super::super::{Everywhere, Failure};

/// Repeat a published study, its numbers beside ours; exit code 1 if a number that must agree does not.
#[derive(Debug, Args)]
pub(in super::super) struct Reproduce {
    /// The paper: raab2022, mcclure2012, jackson2022, taub2020 or drechsler2023
    paper: String,
    /// A file of the paper's data, known by its columns; may be given several times. Without the data that a paper needs, the command says where they come from
    #[arg(long, value_name = "FILE")]
    data: Vec<PathBuf>,
    /// The folder for report.md, reproduction.json and each figure as SVG, its numbers as CSV
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How often random runs are made [default: as the paper, or 5 where a run is long]
    #[arg(long, value_name = "R")]
    repeat: Option<u32>,
    /// What all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

impl Reproduce {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        everywhere.check_json(&self.data)?;
        let paper = Paper::named(&self.paper)?;
        if paper.lacks(&self.data) {
            everywhere.deliver(&papers::text::data_needed_text(paper), || data_needed_json(paper))?;
            return Ok(ExitCode::from(2));
        }
        self.out.as_deref().map_or(Ok(()), atomic_file::check_folder)?;
        let progress = |what: &str| everywhere.doing(what);
        let runs = self.repeat.unwrap_or(paper.runs);
        let request = Request { data: &self.data, runs, seed: self.seed, progress: &progress };
        let found = paper.reproduce(&request)?;
        let page = papers::text::reproduction_text(&found);
        let text = match &self.out {
            Some(folder) => {
                write(folder, &page, &found)?;
                let summary = papers::text::reproduction_summary(&found);
                format!("{summary}\nThe whole comparison is in {}.\n", folder.join("report.md").display())
            }
            None => page,
        };
        everywhere.deliver(&text, || serde_json::json!(found))?;
        Ok(if found.stands() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn data_needed_json(paper: &Paper) -> serde_json::Value {
    let sources = paper.data.iter().map(|source| {
        serde_json::json!({"name": source.name, "origin": source.origin, "needed_for": source.needed_for, "required": source.required})
    });
    serde_json::json!({"paper": paper.name, "data_needed": sources.collect::<Vec<_>>()})
}

/// Every file whole or not at all; the page, which names the others, comes last.
fn write(folder: &Path, page: &str, found: &Reproduction) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|source| TableError::io(folder, source))?;
    for figure in &found.figures {
        let file = |ending: &str| folder.join(format!("{}.{ending}", figure.file_stem()));
        atomic_file::write(&file("csv"), figure.csv().as_bytes())?;
        atomic_file::write(&file("svg"), figure.svg().as_bytes())?;
    }
    let json = serde_json::to_string_pretty(found).map_err(|error| Failure::usage(error.to_string()))?;
    atomic_file::write(&folder.join("reproduction.json"), format!("{json}\n").as_bytes())?;
    Ok(atomic_file::write(&folder.join("report.md"), page.as_bytes())?)
}
