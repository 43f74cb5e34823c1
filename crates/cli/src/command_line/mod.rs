//! The command line: arguments in, one call, results out.

mod amount;
mod audit;
#[cfg(feature = "research")]
mod bench;
#[cfg(feature = "research")]
mod demo;
mod describe;
mod fit;
mod frontier;
mod json_schema;
mod measure;
mod methods;
mod output;
mod plan;
mod privacy;
mod progress;
mod questions;
mod reading;
mod release;
#[cfg(feature = "research")]
mod reproduce;
mod sample;
mod synth;
#[cfg(feature = "research")]
mod tournament;
#[cfg(feature = "research")]
mod town;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory as _, Parser, Subcommand};

use lookalike::ErrorKind;

/// Synthetic versions of confidential tables, with the evidence of how useful and how risky each one is.
#[derive(Debug, Parser)]
#[command(name = "lookalike", version, max_term_width = 110)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    everywhere: Everywhere,
}

/// Options of every command.
#[derive(Debug, Args)]
struct Everywhere {
    /// Write the result as JSON to this file; `-` is standard output, and then nothing else is printed there
    #[arg(long, value_name = "FILE", global = true)]
    json: Option<String>,
    /// Replace files and release folders that exist; never an input of the run, nor what an earlier release does not list
    #[arg(long, global = true)]
    force: bool,
    /// Print neither results nor progress; errors are still printed
    #[arg(long, global = true)]
    quiet: bool,
    /// How many threads to use; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Describe a table and what is risky about it; draft its schema
    Describe(describe::Describe),
    /// Make synthetic versions of a table
    Synth(Box<synth::Synth>),
    /// Draw more data sets from a saved model
    Sample(sample::Sample),
    /// Compute what the saturated mechanism would give and cost, without generating
    Plan(plan::PlanCommand),
    /// Run many methods and settings, and show which are dominated, which are acceptable, and which is best
    Frontier(Box<frontier::FrontierCommand>),
    /// Check a claimed epsilon by many runs of the real code
    Audit(audit::Audit),
    /// Measure what synthetic files are worth and what they disclose
    Measure(Box<measure::MeasureCommand>),
    /// Estimate from synthetic files, with intervals that are valid for how they were made
    Fit(Box<fit::Fit>),
    /// List the measures, with what they ask and how they are read
    Measures(measure::Measures),
    /// List the generators, with their options
    Methods(methods::Methods),
    /// Release the chosen version with the evidence attached
    Release(Box<release::ReleaseCommand>),
    /// Check that a release is what its manifest says
    Verify(verify::Verify),
    /// Measure speed and memory, beside peers where they are installed
    #[cfg(feature = "research")]
    Bench(bench::Bench),
    /// Repeat a published study, its numbers beside ours
    #[cfg(feature = "research")]
    Reproduce(reproduce::Reproduce),
    /// Hold generators against each other on one table
    #[cfg(feature = "research")]
    Tournament(tournament::TournamentCommand),
    /// Show all steps, from description to release and analysis, on an invented town
    #[cfg(feature = "research")]
    Demo(demo::Demo),
    /// Write an invented town to try things on
    #[cfg(feature = "research")]
    Town(town::TownCommand),
    /// Print the JSON Schema of a file that Lookalike writes or reads
    JsonSchema(json_schema::JsonSchema),
}

/// What every command does.
trait Run {
    /// All files that it reads, none of which its results may replace.
    fn inputs(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure>;
}

impl Command {
    fn command(&self) -> &dyn Run {
        match self {
            Self::Describe(describe) => describe,
            Self::Synth(synth) => synth.as_ref(),
            Self::Sample(sample) => sample,
            Self::Plan(plan) => plan,
            Self::Frontier(frontier) => frontier.as_ref(),
            Self::Audit(audit) => audit,
            Self::Measure(measure) => measure.as_ref(),
            Self::Fit(fit) => fit.as_ref(),
            Self::Measures(measures) => measures,
            Self::Methods(methods) => methods,
            Self::Release(release) => release.as_ref(),
            Self::Verify(verify) => verify,
            #[cfg(feature = "research")]
            Self::Bench(bench) => bench,
            #[cfg(feature = "research")]
            Self::Demo(demo) => demo,
            #[cfg(feature = "research")]
            Self::Reproduce(reproduce) => reproduce,
            #[cfg(feature = "research")]
            Self::Tournament(tournament) => tournament,
            #[cfg(feature = "research")]
            Self::Town(town) => town,
            Self::JsonSchema(schema) => schema,
        }
    }

    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let command = self.command();
        everywhere.check_json(&command.inputs())?;
        command.run(everywhere)
    }
}

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The library could not, or refused.
    #[error("{}", in_options(&.0.to_string()))]
    Job(#[from] lookalike::Error),
    /// The options do not fit together.
    #[error("{0}")]
    Usage(String),
    /// A measurement of speed that could not be made.
    #[cfg(feature = "research")]
    #[error(transparent)]
    Bench(#[from] benchmarks::BenchError),
    /// A study that cannot be repeated.
    #[cfg(feature = "research")]
    #[error(transparent)]
    Reproduce(#[from] papers::ReproduceError),
    /// A tournament that cannot be held.
    #[cfg(feature = "research")]
    #[error(transparent)]
    Tournament(#[from] ::tournament::TournamentError),
}

/// The errors of the crates below, by way of the library's.
macro_rules! by_way_of_the_library {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Job(error.into())
            }
        })*
    };
}

by_way_of_the_library!(
    table::TableError,
    synthesis::SynthesisError,
    measures::MeasureError,
    inference::InferenceError,
    ::frontier::plan::PlanError
);

impl Failure {
    /// 1 could not, 2 wrong usage, 3 refused to protect the records, 130 cancelled.
    fn exit_code(&self) -> u8 {
        match self {
            Self::Job(error) => match error.kind() {
                ErrorKind::CouldNot => 1,
                ErrorKind::Usage => 2,
                ErrorKind::Refused => 3,
                ErrorKind::Cancelled => 130,
            },
            Self::Usage(_) => 2,
            #[cfg(feature = "research")]
            Self::Bench(_) => 1,
            #[cfg(feature = "research")]
            Self::Reproduce(error) => u8::from(error.is_usage()) + 1,
            #[cfg(feature = "research")]
            Self::Tournament(error) => {
                u8::from(matches!(error, ::tournament::TournamentError::Option { .. })) + 1
            }
        }
    }
}

/// A message of the library, with options of the command line as they are typed: "option `keys`" becomes "--keys". Those of methods stay.
fn in_options(message: &str) -> String {
    let mut parts = message.split("option `");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let typed = |(name, rest): (&str, &str)| is_typed(name).then(|| format!("--{name}{rest}"));
        match part.split_once('`').and_then(typed) {
            Some(typed) => text = text.trim_end_matches("the ").to_owned() + &typed,
            None => text.push_str(&format!("option `{part}")),
        }
    }
    text
}

/// Whether some command has an option of this name.
fn is_typed(name: &str) -> bool {
    let has = |command: &clap::Command| command.get_arguments().any(|option| option.get_long() == Some(name));
    let all = CommandLine::command();
    has(&all) || all.get_subcommands().any(has)
}

/// Ctrl-C or a termination signal leaves nothing half-written behind.
fn stop_cleanly_on_signals() {
    let installed = ctrlc::set_handler(|| {
        table::atomic_file::remove_unfinished();
        std::process::exit(130);
    });
    if let Err(error) = installed {
        eprintln!("warning: Ctrl-C may leave temporary files behind: {error}");
    }
}

/// Runs the command line of this process.
pub(crate) fn run() -> ExitCode {
    let CommandLine { command, everywhere } = CommandLine::parse();
    if let Some(threads) = everywhere.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
        if let Err(error) = pool {
            eprintln!("error: --threads {threads}: {error}");
            return ExitCode::FAILURE;
        }
    }
    stop_cleanly_on_signals();
    match command.run(&everywhere) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
