//! `lookalike measure`: what synthetic files are worth and what they give away.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use measures::risk::intruder::Mechanism;
use measures::utility::tables::SyntheticSize;
use measures::{Finding, MEASURES, Measure, Settings, SyntheticSets, align, evaluate, with_holdout};
use statistics::counts::CountFamily;
use table::read::{ReadOptions, read_table, read_unchecked};
use table::{FileProblem, Table, TableError, similar_name};

use super::battery::{Battery, read_regions};
use super::describe::Reading;
use super::{Everywhere, Failure};

/// Tell what synthetic files are worth and what they give away.
#[derive(Debug, Args)]
pub(super) struct MeasureCommand {
    /// The original: CSV (also .gz), Parquet or Arrow IPC
    original: PathBuf,
    /// The synthetic files made from it; several are data sets of one release
    #[arg(required = true)]
    synthetic: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    battery: Battery,
    /// The generator was not told how many records to make
    #[arg(long)]
    random_size: bool,
    /// The seed of permutations and resamples [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Records of the same population that the generator never saw: what a fresh sample scores is told beside each number
    #[arg(long, value_name = "FILE")]
    holdout: Option<PathBuf>,
    /// How the files were made, for the intruder who knows all records but one: catall,nprior=0 or dirichlet,a=0.5 or
    /// saturated,family=nbi,sigma=0.5,alpha=0
    #[arg(long, value_name = "METHOD,OPTION=VALUE,…")]
    mechanism: Option<String>,
    /// Which risks of that intruder are acceptable (TOML)
    #[arg(long, value_name = "FILE", requires = "mechanism")]
    regions: Option<PathBuf>,
    /// Write a page with pictures as well; it holds exact figures of the original and must not leave the house
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl MeasureCommand {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        if let Some(report) = &self.report
            && report.extension().is_none_or(|extension| extension != "html")
        {
            return Err(Failure::Usage("--report: name a file that ends in .html".into()));
        }
        let families = self.battery.families()?;
        let settings = self.settings(&families)?;
        let options = self.reading.options()?;
        let read = ReadOptions { watch: everywhere.watch(), ..options.clone() };
        let original = read_table(&self.original, &read)?;
        let synthetic = |path: &PathBuf| -> Result<Table, Failure> {
            let options = ReadOptions { watch: everywhere.watch(), ..options.clone() };
            Ok(align(original.schema(), read_as_it_is(path, &options)?)?)
        };
        let synthetics = self.synthetic.iter().map(synthetic).collect::<Result<Vec<Table>, Failure>>()?;
        let holdout = self.holdout.as_ref().map(synthetic).transpose()?;
        let tables: Vec<&Table> = synthetics.iter().collect();
        let sets = SyntheticSets { original: &original, synthetic: &tables, holdout: holdout.as_ref() };
        let mut findings = evaluate(&sets, &families, &settings)?;
        if let Some(holdout) = &holdout {
            let fresh = SyntheticSets { original: &original, synthetic: &[holdout], holdout: None };
            findings = with_holdout(findings, evaluate(&fresh, &families, &settings)?);
        }
        if let Some(path) = &self.report {
            self.write_report(path, &sets, &settings, &findings)?;
        }
        let text =
            report::measure_text(&self.original.display().to_string(), self.synthetic.len(), &findings);
        everywhere.deliver(&text, || serde_json::json!(findings))?;
        Ok(ExitCode::SUCCESS)
    }

    /// The internal edition of the report.
    fn write_report(
        &self,
        path: &Path,
        sets: &SyntheticSets<'_>,
        settings: &Settings,
        findings: &[Finding],
    ) -> Result<(), Failure> {
        let file = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let models = settings.models.iter().map(|model| model.formula.text().to_owned()).collect();
        let asked: [(&str, Vec<String>); 5] = [
            ("original", vec![file(&self.original)]),
            ("synthetic files", self.synthetic.iter().map(file).collect()),
            ("intruders' keys", settings.keys.iter().map(|keys| keys.join(", ")).collect()),
            ("targets", settings.targets.clone()),
            ("models", models),
        ];
        let evidence = release::evidence::Evidence::against_original(sets, settings, findings)?;
        let input = report::ReportInput {
            name: &file(&self.original),
            software: concat!("lookalike ", env!("CARGO_PKG_VERSION")),
            asked: asked.map(|(word, texts)| (word.to_owned(), texts.join("; "))).into(),
            findings,
            evidence: Some(&evidence),
            ..Default::default()
        };
        let page = report::report_html(&input, report::Edition::Internal);
        Ok(table::atomic_file::write_private(path, page.as_bytes())?)
    }

    fn settings(&self, families: &[&dyn Measure]) -> Result<Settings, Failure> {
        let own: [(&str, bool, &[&str]); 4] = [
            ("--random-size", self.random_size, &["tables"]),
            ("--seed", self.seed.is_some(), &["propensity"]),
            ("--mechanism", self.mechanism.is_some(), &["intruder"]),
            ("--regions", self.regions.is_some(), &["intruder"]),
        ];
        self.battery.check_honoured(families, &own)?;
        let mut settings = self.battery.settings(Settings::default())?;
        settings.propensity.draws.seed = self.seed.unwrap_or(settings.propensity.draws.seed);
        if self.random_size {
            settings.tables.synthetic_size = SyntheticSize::Random;
        }
        settings.intruder.mechanism = self.mechanism.as_deref().map(mechanism).transpose()?;
        settings.intruder.regions = self.regions.as_deref().map(read_regions).transpose()?;
        Ok(settings)
    }
}

/// A synthetic file with whatever it holds. The schema says of which kind its columns are; where the file has other columns than the schema,
/// the file itself says so.
pub(super) fn read_as_it_is(path: &Path, options: &ReadOptions) -> Result<Table, TableError> {
    match read_unchecked(path, options) {
        Err(TableError::File { problem: FileProblem::OtherColumns(_), .. }) => {
            let mut missing = options.missing.clone();
            missing.extend(options.schema.iter().flat_map(|schema| schema.table.missing.iter().cloned()));
            read_unchecked(path, &ReadOptions { schema: None, missing, ..options.clone() })
        }
        read => read,
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
