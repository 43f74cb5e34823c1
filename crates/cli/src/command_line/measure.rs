//! `lookalike measure`: what synthetic files are worth and what they disclose.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::{MeasureRequest, read_regions};
use measures::risk::intruder::Mechanism;
use measures::{Finding, MEASURES};
use statistics::counts::CountFamily;
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
    /// The generator was not told how many records to make
    #[arg(long)]
    random_size: bool,
    /// The seed of permutations and resamples [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Records of the same population that the generator never saw: what a fresh sample scores is shown beside each number
    #[arg(long, value_name = "FILE")]
    holdout: Option<PathBuf>,
    /// How the files were made, for the intruder who knows all records but one: catall,nprior=0 or dirichlet,a=0.5 or
    /// saturated,family=nbi,sigma=0.5,alpha=0
    #[arg(long, value_name = "METHOD,OPTION=VALUE,…")]
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

/// `catall,nprior=0`, `dirichlet,a=0.5` or `saturated,family=nbi,sigma=0.5,alpha=0`.
fn mechanism(text: &str) -> Result<Mechanism, Failure> {
    let refuse = |message: String| Failure::Usage(format!("--mechanism {text}: {message}"));
    let mut parts = text.split(',').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let mut family = None;
    let mut numbers: Vec<(&str, f64)> = Vec::new();
    for part in parts {
        let Some((option, value)) = part.split_once('=') else {
            return Err(refuse(format!("write `{part}` as OPTION=VALUE")));
        };
        if option == "family" {
            family = Some(value);
        } else {
            let number =
                value.parse().map_err(|_| refuse(format!("the value of `{option}` is not a number")))?;
            numbers.push((option, number));
        }
    }
    let mut take = |option: &str| {
        let at = numbers.iter().position(|(name, _)| *name == option)?;
        Some(numbers.remove(at).1)
    };
    let made = match name {
        "catall" => Mechanism::catall(take("nprior").unwrap_or(0.0))?,
        "dirichlet" => {
            let a = take("a").ok_or_else(|| refuse("name the prior count, such as a=0.5".into()))?;
            Mechanism::dirichlet(a)?
        }
        "saturated" => {
            let (sigma, nu) = (take("sigma"), take("nu"));
            let family = CountFamily::from_options(family.take().unwrap_or("nbi"), sigma, nu);
            let family = family.map_err(|error| refuse(error.to_string()))?;
            Mechanism::saturated(family, take("alpha").unwrap_or(0.0), take("scale").unwrap_or(1.0))?
        }
        other => {
            let hint = similar_name::hint(other, ["catall", "dirichlet", "saturated"]);
            return Err(refuse(format!("there is no mechanism `{other}`{hint}")));
        }
    };
    match (numbers.first(), family) {
        (Some((option, _)), _) => Err(refuse(format!("{name} has no option `{option}`"))),
        (None, Some(_)) => Err(refuse(format!("{name} has no option `family`"))),
        (None, None) => Ok(made),
    }
}

/// List the measures, with what they ask and how they are read.
#[derive(Debug, Args)]
pub(super) struct Measures {
    /// As a page of documentation
    #[arg(long)]
    markdown: bool,
}

impl Measures {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
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

/// What `measure --json` writes.
pub(super) type Evaluation = Vec<Finding>;
