//! `lookalike measure`: what synthetic files are worth and what they give away.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use measures::risk::intruder::{Mechanism, Regions};
use measures::utility::model::ModelRequest;
use measures::utility::propensity::{NullDraws, PropensityOptions};
use measures::utility::tables::{MissingValues, SyntheticSize, TableOptions};
use measures::{Finding, MEASURES, Measure, Settings, SyntheticSets, align, evaluate, with_holdout};
use models::{Formula, ModelFamily};
use statistics::counts::CountFamily;
use table::grouping::GroupingStyle;
use table::read::{ReadOptions, read_table, read_unchecked};
use table::{FileProblem, Grouping, Table, TableError, similar_name};

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
    /// Families of measures to compute, such as tables,propensity [default: all; see `lookalike measures`]
    #[arg(long, value_name = "FAMILY,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Tables to compare beside those of --ways, such as sex:age,edu:socprof:income [with it, --ways is none by default]
    #[arg(long, value_name = "A:B,…", value_delimiter = ',')]
    tables: Vec<String>,
    /// Compare all tables of this many variables [default: 1,2]
    #[arg(long, value_name = "K,…", value_delimiter = ',')]
    ways: Option<Vec<usize>>,
    /// Groups into which a number is cut in tables, where the schema declares no cuts [default: 5]
    #[arg(long, value_name = "K")]
    groups: Option<usize>,
    /// Leave records with missing values out of the tables they are missing in
    #[arg(long)]
    without_missing: bool,
    /// The generator was not told how many records to make
    #[arg(long)]
    random_size: bool,
    /// Variables by which an intruder might know a record; may be given several times
    #[arg(long, value_name = "NAME,…")]
    keys: Vec<String>,
    /// What an intruder might want to know [default: all variables that are not keys]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    targets: Vec<String>,
    /// A model to fit to every file, such as "income ~ sex + age*edu"; may be given several times
    #[arg(long, value_name = "FORMULA")]
    model: Vec<String>,
    /// The family of each --model, or of all of them [default: gaussian]
    #[arg(long, value_name = "FAMILY", requires = "model")]
    family: Vec<String>,
    /// Orders of the regression that tells files apart: 0 main effects, 1 with interactions of two variables, 2 of three [default: 0]
    #[arg(long, value_name = "ORDER,…", value_delimiter = ',')]
    order: Option<Vec<usize>>,
    /// Permutations for the null distribution of the tree that tells files apart [default: 50]
    #[arg(long, value_name = "R")]
    permutations: Option<usize>,
    /// Resamples of the original for the same, which also holds for files of another size [default: 20]
    #[arg(long, value_name = "R")]
    resamples: Option<usize>,
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
}

impl MeasureCommand {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let families = self.families()?;
        let settings = self.settings(&families)?;
        let options = self.reading.options()?;
        let read = ReadOptions { progress: everywhere.reading(&self.original), ..options.clone() };
        let original = read_table(&self.original, &read)?;
        let synthetic = |path: &PathBuf| -> Result<Table, Failure> {
            let options = ReadOptions { progress: everywhere.reading(path), ..options.clone() };
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
        let text =
            report::measure_text(&self.original.display().to_string(), self.synthetic.len(), &findings);
        everywhere.deliver(&text, || serde_json::json!(findings))?;
        Ok(ExitCode::SUCCESS)
    }

    /// The families of measures that were asked for, in the order of the registry.
    fn families(&self) -> Result<Vec<&'static dyn Measure>, Failure> {
        for name in &self.only {
            if !MEASURES.iter().any(|measure| measure.name() == name) {
                let hint = similar_name::hint(name, MEASURES.iter().map(|measure| measure.name()));
                let message = format!(
                    "--only: there is no family of measures `{name}`{hint}; see `lookalike measures`"
                );
                return Err(Failure::Usage(message));
            }
        }
        let wanted = |measure: &&&dyn Measure| {
            self.only.is_empty() || self.only.iter().any(|name| name == measure.name())
        };
        Ok(MEASURES.iter().filter(wanted).copied().collect())
    }

    fn settings(&self, families: &[&dyn Measure]) -> Result<Settings, Failure> {
        self.check_honoured(families)?;
        let mut settings = Settings::default();
        let mut grouping = TableOptions::default().grouping;
        if let Some(groups) = self.groups {
            grouping = Grouping { groups, style: GroupingStyle::QuantilesOnly };
        }
        settings.tables = TableOptions {
            grouping,
            missing: if self.without_missing { MissingValues::AreLeftOut } else { MissingValues::AreAClass },
            synthetic_size: if self.random_size { SyntheticSize::Random } else { SyntheticSize::Fixed },
        };
        let names = |list: &String, by: char| list.split(by).map(|name| name.trim().to_owned()).collect();
        settings.named_tables = self.tables.iter().map(|table| names(table, ':')).collect();
        settings.ways = match &self.ways {
            Some(ways) => ways.clone(),
            None if self.tables.is_empty() => settings.ways,
            None => Vec::new(),
        };
        settings.keys = self.keys.iter().map(|keys| names(keys, ',')).collect();
        settings.targets = self.targets.clone();
        settings.models = self.models()?;
        let usual = PropensityOptions::default();
        settings.propensity = PropensityOptions {
            orders: self.order.clone().unwrap_or(usual.orders),
            draws: NullDraws {
                permutations: self.permutations.unwrap_or(usual.draws.permutations),
                resamples: self.resamples.unwrap_or(usual.draws.resamples),
                seed: self.seed.unwrap_or(usual.draws.seed),
            },
        };
        settings.intruder.mechanism = self.mechanism.as_deref().map(mechanism).transpose()?;
        if let Some(path) = &self.regions {
            let text = std::fs::read_to_string(path).map_err(|source| TableError::io(path, source))?;
            settings.intruder.regions = Some(Regions::parse(&text)?);
        }
        Ok(settings)
    }

    /// Refuses an option that none of the families looks at.
    fn check_honoured(&self, families: &[&dyn Measure]) -> Result<(), Failure> {
        const TABLES: &[&str] = &["tables", "counts", "distance", "interval"];
        const CLASSES: &[&str] =
            &["tables", "counts", "distance", "interval", "mca", "taub", "tau", "intruder"];
        let given: [(&str, bool, &[&str]); 16] = [
            ("--tables", !self.tables.is_empty(), TABLES),
            ("--ways", self.ways.is_some(), TABLES),
            ("--groups", self.groups.is_some(), CLASSES),
            (
                "--without-missing",
                self.without_missing,
                &["tables", "counts", "distance", "interval", "taub"],
            ),
            ("--random-size", self.random_size, &["tables"]),
            ("--keys", !self.keys.is_empty(), &["uniques", "identity", "attribute"]),
            ("--targets", !self.targets.is_empty(), &["attribute"]),
            ("--model", !self.model.is_empty(), &["model", "taub"]),
            ("--family", !self.family.is_empty(), &["model", "taub"]),
            ("--order", self.order.is_some(), &["propensity"]),
            ("--permutations", self.permutations.is_some(), &["propensity"]),
            ("--resamples", self.resamples.is_some(), &["propensity"]),
            ("--seed", self.seed.is_some(), &["propensity"]),
            ("--mechanism", self.mechanism.is_some(), &["intruder"]),
            ("--regions", self.regions.is_some(), &["intruder"]),
            ("--only model", self.only.iter().any(|name| name == "model") && self.model.is_empty(), &[]),
        ];
        for (option, given, honoured_by) in given {
            if !given {
                continue;
            }
            if honoured_by.is_empty() {
                return Err(Failure::Usage(format!("{option}: name a model with --model \"y ~ a + b\"")));
            }
            if !families.iter().any(|family| honoured_by.contains(&family.name())) {
                return Err(Failure::Usage(format!(
                    "{option} has no effect on the families of --only; leave it out, or add {}",
                    honoured_by.join(" or ")
                )));
            }
        }
        Ok(())
    }

    fn models(&self) -> Result<Vec<ModelRequest>, Failure> {
        let family = |at: usize| -> Result<ModelFamily, Failure> {
            let name = match self.family.as_slice() {
                [] => return Ok(ModelFamily::Gaussian),
                [one] => one,
                several => &several[at],
            };
            name.parse().map_err(|error: models::ModelError| Failure::Usage(format!("--family: {error}")))
        };
        if self.family.len() > 1 && self.family.len() != self.model.len() {
            let message = format!(
                "--family is given {} times for {} models; give it once, or once for each --model",
                self.family.len(),
                self.model.len()
            );
            return Err(Failure::Usage(message));
        }
        let request = |(at, text): (usize, &String)| {
            let formula =
                Formula::parse(text).map_err(|error| Failure::Usage(format!("--model: {error}")))?;
            Ok(ModelRequest { formula, family: family(at)? })
        };
        self.model.iter().enumerate().map(request).collect()
    }
}

/// A synthetic file with whatever it holds. The schema says of which kind its columns are; where the file has other columns than the schema,
/// the file itself says so.
fn read_as_it_is(path: &Path, options: &ReadOptions) -> Result<Table, TableError> {
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
