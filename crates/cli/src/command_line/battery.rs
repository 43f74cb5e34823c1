//! The measures that `measure` and `frontier` take, as options.

use std::path::Path;

use clap::Args;
use measures::risk::intruder::Regions;
use measures::utility::model::ModelRequest;
use measures::utility::tables::MissingValues;
use measures::{MEASURES, Measure, Settings};
use models::{Formula, ModelFamily};
use table::grouping::GroupingStyle;
use table::{Grouping, TableError, similar_name};

use super::Failure;

/// What is asked of synthetic files.
#[derive(Debug, Args)]
pub(super) struct Battery {
    /// Families of measures to compute, such as tables,propensity [default: all; see `lookalike measures`]
    #[arg(long, value_name = "FAMILY,…", value_delimiter = ',')]
    pub(super) only: Vec<String>,
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
}

impl Battery {
    /// The families of measures that were asked for, in the order of the registry.
    pub(super) fn families(&self) -> Result<Vec<&'static dyn Measure>, Failure> {
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

    /// The first option that is given beside those on models.
    pub(super) fn given_beside_models(&self) -> Option<&'static str> {
        [
            ("--only", !self.only.is_empty()),
            ("--tables", !self.tables.is_empty()),
            ("--ways", self.ways.is_some()),
            ("--groups", self.groups.is_some()),
            ("--without-missing", self.without_missing),
            ("--keys", !self.keys.is_empty()),
            ("--targets", !self.targets.is_empty()),
            ("--order", self.order.is_some()),
            ("--permutations", self.permutations.is_some()),
            ("--resamples", self.resamples.is_some()),
        ]
        .into_iter()
        .find_map(|(option, given)| given.then_some(option))
    }

    /// These options on top of what is usual.
    pub(super) fn settings(&self, usual: Settings) -> Result<Settings, Failure> {
        let mut settings = usual;
        if let Some(groups) = self.groups {
            settings.tables.grouping = Grouping { groups, style: GroupingStyle::QuantilesOnly };
        }
        if self.without_missing {
            settings.tables.missing = MissingValues::AreLeftOut;
        }
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
        let propensity = &mut settings.propensity;
        if let Some(orders) = &self.order {
            propensity.orders = orders.clone();
        }
        propensity.draws.permutations = self.permutations.unwrap_or(propensity.draws.permutations);
        propensity.draws.resamples = self.resamples.unwrap_or(propensity.draws.resamples);
        Ok(settings)
    }

    /// Refuses an option that none of the families looks at; `others` are options of the command itself.
    pub(super) fn check_honoured(
        &self,
        families: &[&dyn Measure],
        others: &[(&str, bool, &[&str])],
    ) -> Result<(), Failure> {
        const TABLES: &[&str] = &["tables", "counts", "distance", "interval"];
        const CLASSES: &[&str] =
            &["tables", "counts", "distance", "interval", "mca", "taub", "tau", "intruder"];
        let own: [(&str, bool, &[&str]); 12] = [
            ("--tables", !self.tables.is_empty(), TABLES),
            ("--ways", self.ways.is_some(), TABLES),
            ("--groups", self.groups.is_some(), CLASSES),
            (
                "--without-missing",
                self.without_missing,
                &["tables", "counts", "distance", "interval", "taub"],
            ),
            ("--keys", !self.keys.is_empty(), &["uniques", "identity", "attribute"]),
            ("--targets", !self.targets.is_empty(), &["attribute"]),
            ("--model", !self.model.is_empty(), &["model", "taub"]),
            ("--family", !self.family.is_empty(), &["model", "taub"]),
            ("--order", self.order.is_some(), &["propensity"]),
            ("--permutations", self.permutations.is_some(), &["propensity"]),
            ("--resamples", self.resamples.is_some(), &["propensity"]),
            ("--only model", self.only.iter().any(|name| name == "model") && self.model.is_empty(), &[]),
        ];
        for (option, given, honoured_by) in own.iter().chain(others) {
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

    /// The models that are asked for.
    pub(super) fn models(&self) -> Result<Vec<ModelRequest>, Failure> {
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

/// A file of acceptable regions of the (RR, R) plane.
pub(super) fn read_regions(path: &Path) -> Result<Regions, Failure> {
    let text = std::fs::read_to_string(path).map_err(|source| TableError::io(path, source))?;
    Ok(Regions::parse(&text)?)
}
