//! The command line: arguments in, one call, results out.

mod amount;
mod attack;
mod audit;
mod books;
mod counts;
mod describe;
mod fit;
mod frontier;
mod init;
mod json_schema;
mod key;
mod ledger;
mod measure;
mod methods;
mod output;
mod plan;
mod privacy;
mod progress;
mod project;
mod protection;
mod questions;
mod reading;
mod release;
mod report;
#[cfg(feature = "research")]
mod research;
mod sample;
mod shell_files;
mod synth;
mod verify;
mod workbench;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, CommandFactory as _, Parser, Subcommand};

use lookalike::{Error, ErrorKind};

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
    #[arg(long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print every number in words where the usual output is a verdict
    #[arg(long, global = true)]
    verbose: bool,
    /// Do not read the project file (lookalike.toml) of the current folder
    #[arg(long, global = true)]
    no_project: bool,
    /// How progress is shown on standard error: as a `bar` on a terminal, or as lines of `json` for programs
    #[arg(long, value_name = "FORM", global = true, default_value = "bar")]
    progress: progress::Form,
    /// Stop, as after Ctrl-C, when standard input is closed: for programs that start this one
    #[arg(long, global = true, hide = true)]
    cancel_on_stdin_close: bool,
    /// How many threads to use; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Refuse work that would need about more memory than this: 2GB, 500MB [default: nine tenths of what is free]
    #[arg(long, value_name = "SIZE", global = true, value_parser = table::figures::bytes)]
    memory: Option<u64>,
    /// Confine the command: it reads its inputs, writes where its results go, and opens no connection
    #[arg(long, value_name = "WHEN", global = true, value_enum, default_value_t)]
    sandbox: protection::Sandbox,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Begin a project: answer a few questions once, and need no options afterwards
    Init(init::Init),
    /// Describe a table and what is risky about it; draft its schema
    Describe(describe::Describe),
    /// Make synthetic versions of a table
    Synth(Box<synth::Synth>),
    /// Count a table where it lies, for runs elsewhere
    Counts(counts::Counts),
    /// Draw more data sets from a saved model
    Sample(sample::Sample),
    /// Compute what the saturated mechanism would give and cost, without generating
    Plan(plan::PlanCommand),
    /// Run many methods and settings, and show which are dominated, which are acceptable, and which is best
    Frontier(Box<frontier::FrontierCommand>),
    /// Check a claimed epsilon by many runs of the real code
    Audit(audit::Audit),
    /// Find out how well single records are found in what a method would release
    Attack(attack::Attack),
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
    /// Show the verdict of a release, or print its report to PDF
    Report(report::Report),
    /// Check that a release is what its manifest says, and who signed it
    Verify(verify::Verify),
    /// Set what may be spent of a data set in all, and see what was
    Ledger(ledger::Ledger),
    /// Make keys that sign releases
    Key(key::Key),
    /// Do all this in a browser, on this machine alone
    Workbench(workbench::Workbench),
    #[cfg(feature = "research")]
    #[command(flatten)]
    Research(research::Research),
    /// Print the JSON Schema of a file that Lookalike writes or reads
    JsonSchema(json_schema::JsonSchema),
    /// Write completions for shells, and man pages
    ShellFiles(shell_files::ShellFiles),
}

/// What every command does.
trait Run {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error>;
}

impl Command {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let command: &dyn Run = match self {
            Self::Init(init) => init,
            Self::Describe(describe) => describe,
            Self::Synth(synth) => synth.as_ref(),
            Self::Counts(counts) => counts,
            Self::Sample(sample) => sample,
            Self::Plan(plan) => plan,
            Self::Frontier(frontier) => frontier.as_ref(),
            Self::Audit(audit) => audit,
            Self::Attack(attack) => attack,
            Self::Measure(measure) => measure.as_ref(),
            Self::Fit(fit) => fit.as_ref(),
            Self::Measures(measures) => measures,
            Self::Methods(methods) => methods,
            Self::Release(release) => release.as_ref(),
            Self::Report(report) => report,
            Self::Verify(verify) => verify,
            Self::Ledger(ledger) => ledger,
            Self::Key(key) => key,
            Self::Workbench(workbench) => workbench,
            #[cfg(feature = "research")]
            Self::Research(research) => {
                everywhere.start_threads()?;
                return research.run(everywhere);
            }
            Self::JsonSchema(schema) => schema,
            Self::ShellFiles(files) => files,
        };
        Ok(command.run(everywhere)?)
    }
}

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The library could not, or refused.
    #[error("{}", in_options(&.0.to_string()))]
    Job(#[from] Error),
    /// A study or a measurement of speed that could not be made.
    #[cfg(feature = "research")]
    #[error("{message}")]
    Research { message: String, code: u8 },
}

impl Failure {
    /// 1 could not, 2 wrong usage, 3 refused to protect the records, 130 cancelled.
    fn exit_code(&self) -> u8 {
        match self {
            Self::Job(error) => match error.kind() {
                ErrorKind::CouldNot => 1,
                ErrorKind::Usage => 2,
                ErrorKind::Refused => 3,
                ErrorKind::Cancelled => STOPPED_CODE,
            },
            #[cfg(feature = "research")]
            Self::Research { code, .. } => *code,
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

/// Set when a signal ends the process: what fails from then on, fails because its files are being removed.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// What a stopped process exits with, as after Ctrl-C.
const STOPPED_CODE: u8 = 130;

/// Ctrl-C or a termination signal leaves nothing half-written behind.
fn stop_cleanly_on_signals() {
    let installed = ctrlc::set_handler(stop);
    if let Err(error) = installed {
        eprintln!("warning: Ctrl-C may leave temporary files behind: {error}");
    }
}

/// Whoever started this process ends it by closing its input, or by ending.
fn stop_when_stdin_closes() {
    std::thread::spawn(|| {
        let copied = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        if copied.is_ok() {
            stop();
        }
    });
}

/// Leaves nothing half-written behind and ends the process.
fn stop() {
    STOPPED.store(true, Ordering::SeqCst);
    table::atomic_file::remove_unfinished();
    std::process::exit(STOPPED_CODE.into());
}

/// All commands with their options.
pub fn command() -> clap::Command {
    CommandLine::command()
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let merged = project::with_project(&CommandLine::command(), std::env::args_os().collect());
    let (arguments, told) = match merged {
        Ok(merged) => merged,
        Err(error) => {
            eprintln!("error: {}", output::harmless(&error.to_string()));
            return ExitCode::from(2);
        }
    };
    let CommandLine { command, everywhere } = CommandLine::parse_from(arguments);
    if let Some(told) = told.filter(|_| !everywhere.quiet) {
        eprintln!("{}", output::harmless(&told.to_string()));
    }
    if everywhere.cancel_on_stdin_close {
        stop_when_stdin_closes();
    }
    protection::forbid_core_dumps();
    if let Some(bytes) = everywhere.memory {
        table::memory::set_limit(bytes);
    }
    stop_cleanly_on_signals();
    match command.run(&everywhere) {
        Ok(code) => code,
        // The handler of the signal ends the process when all is removed.
        Err(_) if STOPPED.load(Ordering::SeqCst) => loop {
            std::thread::park();
        },
        Err(failure) => {
            eprintln!("error: {}", output::harmless(&failure.to_string()));
            ExitCode::from(failure.exit_code())
        }
    }
}
