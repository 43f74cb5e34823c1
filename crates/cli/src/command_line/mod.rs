//! The command line: arguments in, one call, results out.

mod audit;
mod battery;
mod bench;
mod demo;
mod describe;
mod drawing;
mod fit;
mod frontier;
mod json_schema;
mod located;
mod measure;
mod methods;
mod output;
mod plan;
mod privacy;
mod progress;
mod release;
mod reproduce;
mod sample;
mod synth;
mod tournament;
mod town;
mod verify;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use ::frontier::FrontierError;
use ::frontier::plan::PlanError;
use ::privacy::PrivacyError;
use ::tournament::TournamentError;
use inference::InferenceError;
use lookalike::evidence_bundle::ExamineError;
use measures::MeasureError;
use papers::ReproduceError;
use synthesis::SynthesisError;
use table::TableError;

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
    /// Print neither results nor progress; errors are still told
    #[arg(long, global = true)]
    quiet: bool,
    /// How many threads to use; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Tell what a table is and what is risky about it; draft its schema
    Describe(describe::Describe),
    /// Make synthetic versions of a table
    Synth(synth::Synth),
    /// Draw more data sets from a saved model
    Sample(sample::Sample),
    /// Tell what the saturated mechanism would give and cost, without generating
    Plan(plan::PlanCommand),
    /// Run many methods and settings, and show which are dominated, which are acceptable, and which is best
    Frontier(Box<frontier::FrontierCommand>),
    /// Check a claimed epsilon by many runs of the real code
    Audit(audit::Audit),
    /// Tell what synthetic files are worth and what they give away
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
    Bench(bench::Bench),
    /// Repeat a published study, its numbers beside ours
    Reproduce(reproduce::Reproduce),
    /// Hold generators against each other on one table
    Tournament(tournament::TournamentCommand),
    /// Tell the whole story on an invented town
    Demo(demo::Demo),
    /// Write an invented town to try things on
    Town(town::TownCommand),
    /// Print the JSON Schema of a file that Lookalike writes or reads
    JsonSchema(json_schema::JsonSchema),
}

impl Command {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        everywhere.check_json()?;
        match self {
            Self::Describe(describe) => describe.run(everywhere),
            Self::Synth(synth) => synth.run(everywhere),
            Self::Sample(sample) => sample.run(everywhere),
            Self::Plan(plan) => plan.run(everywhere),
            Self::Frontier(frontier) => frontier.run(everywhere),
            Self::Audit(audit) => audit.run(everywhere),
            Self::Measure(measure) => measure.run(everywhere),
            Self::Fit(fit) => fit.run(everywhere),
            Self::Measures(measures) => measures.run(everywhere),
            Self::Methods(methods) => methods.run(everywhere),
            Self::Release(release) => release.run(everywhere),
            Self::Verify(verify) => verify.run(everywhere),
            Self::Bench(bench) => bench.run(everywhere),
            Self::Demo(demo) => demo.run(everywhere),
            Self::Reproduce(reproduce) => reproduce.run(everywhere),
            Self::Tournament(tournament) => tournament.run(everywhere),
            Self::Town(town) => town.run(everywhere),
            Self::JsonSchema(schema) => schema.run(everywhere),
        }
    }
}

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Something about the data or the files.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A generator, its options or its recipe.
    #[error(transparent)]
    Synthesis(#[from] SynthesisError),
    /// A plan that cannot be made.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A question that the measures cannot answer.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A measurement of speed that could not be made.
    #[error(transparent)]
    Bench(#[from] benchmarks::BenchError),
    /// A frontier that cannot be computed.
    #[error(transparent)]
    Frontier(FrontierError),
    /// A version that the house's own limits do not allow.
    #[error(
        "nothing was released: the version that was made breaks {0}; choose another one, or say why it may leave nevertheless with --exception REASON"
    )]
    LimitsBroken(String),
    /// A question that synthetic files cannot answer.
    #[error(transparent)]
    Inference(#[from] InferenceError),
    /// A study that cannot be repeated.
    #[error(transparent)]
    Reproduce(#[from] ReproduceError),
    /// A tournament that cannot be held.
    #[error(transparent)]
    Tournament(#[from] TournamentError),
    /// The options do not fit together.
    #[error("{0}")]
    Usage(String),
    /// Refused for the sake of privacy.
    #[error("{0}")]
    Refused(String),
    /// A failure about a line of a file that a person wrote.
    #[error("{place}: {failure}")]
    Located {
        /// The file and the line.
        place: String,
        /// What is wrong there.
        failure: Box<Failure>,
    },
}

impl From<ExamineError> for Failure {
    fn from(error: ExamineError) -> Self {
        match error {
            ExamineError::Synthesis(error) => error.into(),
            ExamineError::Measure(error) => error.into(),
        }
    }
}

impl From<FrontierError> for Failure {
    /// An error of a room below keeps its own exit code.
    fn from(error: FrontierError) -> Self {
        match error {
            FrontierError::Table(error) => error.into(),
            FrontierError::Synthesis(error) => error.into(),
            FrontierError::Measure(error) => error.into(),
            FrontierError::Plan(error) => error.into(),
            other => Self::Frontier(other),
        }
    }
}

impl Failure {
    /// 1 could not, 2 wrong usage, 3 refused for privacy.
    fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Plan(_) => 2,
            Self::Reproduce(error) => match error {
                ReproduceError::UnknownPaper { .. }
                | ReproduceError::NoDataNeeded { .. }
                | ReproduceError::GivenTwice { .. }
                | ReproduceError::TooFewRuns { .. } => 2,
                _ => 1,
            },
            Self::Tournament(TournamentError::Option { .. }) => 2,
            Self::Refused(_) => 3,
            Self::Synthesis(SynthesisError::LearnedSchema { .. } | SynthesisError::SeedInPrivateRun) => 3,
            Self::Synthesis(SynthesisError::Privacy(error)) => match error {
                PrivacyError::Epsilon { .. } | PrivacyError::Delta { .. } | PrivacyError::Rho { .. } => 2,
                PrivacyError::Table(_) | PrivacyError::OperatingSystem { .. } => 1,
                _ => 3,
            },
            Self::Synthesis(SynthesisError::Option { .. } | SynthesisError::Recipe { .. }) => 2,
            Self::Measure(MeasureError::Option { .. } | MeasureError::Regions { .. }) => 2,
            Self::Inference(
                InferenceError::Option { .. } | InferenceError::Rule { .. } | InferenceError::Estimand { .. },
            ) => 2,
            Self::Frontier(FrontierError::Option { .. } | FrontierError::Grid { .. }) => 2,
            Self::Table(_)
            | Self::Synthesis(_)
            | Self::Measure(_)
            | Self::Bench(_)
            | Self::Frontier(_)
            | Self::LimitsBroken(_)
            | Self::Tournament(_)
            | Self::Inference(_) => 1,
            Self::Located { failure, .. } => failure.exit_code(),
        }
    }
}

/// Ctrl-C or a termination signal leaves nothing half-written behind.
fn stop_cleanly_when_told() {
    let installed = ctrlc::set_handler(|| {
        table::atomic_file::remove_unfinished();
        std::process::exit(130);
    });
    if let Err(error) = installed {
        eprintln!("warning: Ctrl-C may leave temporary files behind: {error}");
    }
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let CommandLine { command, everywhere } = CommandLine::parse();
    if let Some(threads) = everywhere.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
        if let Err(error) = pool {
            eprintln!("error: --threads {threads}: {error}");
            return ExitCode::FAILURE;
        }
    }
    stop_cleanly_when_told();
    match command.run(&everywhere) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
