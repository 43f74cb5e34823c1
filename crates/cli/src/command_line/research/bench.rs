//! `lookalike bench`: speed and memory, beside peers where they are installed.

use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::{BenchError, CASES, Places, suite};
use clap::Args;
use table::similar_name;

use super::super::{Everywhere, Failure};

/// Measure speed and memory, beside peers where they are installed.
#[derive(Debug, Args)]
pub(in super::super) struct Bench {
    /// Cases to measure [default: all; --list names them]
    #[arg(long, value_name = "CASE,…", value_delimiter = ',')]
    only: Vec<String>,
    /// List the cases with their peers
    #[arg(long)]
    list: bool,
    /// Print the results as Markdown, the form of BENCHMARKS.md
    #[arg(long)]
    markdown: bool,
    /// The folder of real data and of the runner of Python peers [default: ../shared, where it is there]
    #[arg(long, value_name = "DIR")]
    shared: Option<PathBuf>,
    /// Where data are made and peers are looked for [default: lookalike/bench in the user's cache folder]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Do one piece of work in this process and print what it took
    #[arg(long, hide = true)]
    worker: Option<String>,
    /// At this size
    #[arg(long, hide = true, requires = "worker")]
    size: Option<u64>,
}

impl Bench {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        everywhere.check_json(&[])?;
        let places = self.places()?;
        if let Some(case) = &self.worker {
            let measured = suite::work(case, self.size.unwrap_or(0), &places)?;
            println!("{}", serde_json::json!(measured));
            return Ok(ExitCode::SUCCESS);
        }
        for name in &self.only {
            if !CASES.iter().any(|case| case.name == name) {
                let hint = similar_name::hint(name, CASES.iter().map(|case| case.name));
                return Err(Failure::usage(format!("--only: there is no case `{name}`{hint}; see --list")));
            }
        }
        if self.list {
            let list = CASES.iter().map(|case| {
                let peers: Vec<&str> = case.peers.iter().map(|peer| peer.name()).collect();
                serde_json::json!({ "name": case.name, "what": case.what, "peers": peers })
            });
            everywhere.deliver(&benchmarks::text::bench_list_text(), || list.collect())?;
            return Ok(ExitCode::SUCCESS);
        }
        let worker = self.worker_command(&places)?;
        let results = suite::run(&self.only, &places, &worker, |outcome| {
            if self.markdown { Ok(()) } else { everywhere.say(&benchmarks::text::bench_case_text(outcome)) }
        })?;
        let text = if self.markdown {
            benchmarks::text::bench_markdown(&results)
        } else {
            benchmarks::text::bench_text(&results)
        };
        everywhere.deliver(&text, || serde_json::json!(results))?;
        Ok(ExitCode::SUCCESS)
    }

    fn places(&self) -> Result<Places, Failure> {
        if let Some(shared) = self.shared.as_ref().filter(|shared| !shared.is_dir()) {
            return Err(Failure::usage(format!("--shared: {} is no folder", shared.display())));
        }
        let beside = Some(PathBuf::from("../shared")).filter(|folder| folder.is_dir());
        let cache = self.cache.clone().or_else(|| {
            let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
            let folder = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home)?;
            Some(folder.join("lookalike/bench"))
        });
        let cache = cache.ok_or_else(|| {
            Failure::usage("there is no cache folder for this user; name one with --cache DIR".into())
        })?;
        Ok(Places { shared: self.shared.clone().or(beside), cache })
    }

    /// This program again, told to do one piece of work.
    fn worker_command(&self, places: &Places) -> Result<(PathBuf, Vec<String>), Failure> {
        let program = std::env::current_exe().map_err(BenchError::failed)?;
        let mut leading = vec!["bench".to_owned(), "--cache".into(), places.cache.display().to_string()];
        if let Some(shared) = &places.shared {
            leading.extend(["--shared".into(), shared.display().to_string()]);
        }
        Ok((program, leading))
    }
}
