//! What is asked of synthetic files: families of measures and their settings, as every front door states them.

use std::path::Path;

use measures::risk::intruder::{Regions, ReleaseMechanism};
use measures::utility::model::ModelRequest;
use measures::utility::tables::{MissingValues, measured_classes};
use measures::{MEASURES, Measure, Setting, Settings};
use models::{Formula, ModelFamily};
use synthesis::{SynthesisError, registry};
use table::{Grouping, Schema, TableError, similar_name};

use crate::Error;

/// What is asked of synthetic files; the default asks what is usual.
///
/// ```
/// use lookalike::Questions;
///
/// let asked = Questions { only: vec!["tables".into(), "uniques".into()], ..Questions::default() };
/// assert_eq!(asked.families()?.len(), 2);
/// let wrong = Questions { only: vec!["table".into()], ..Questions::default() };
/// assert!(wrong.families().err().unwrap().to_string().contains("did you mean `tables`?"));
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Questions {
    /// Families of measures to compute; all if none is named.
    pub only: Vec<String>,
    /// Tables to compare beside those of `ways`, each by the names of its variables; with some, `ways` is none by default.
    pub tables: Vec<Vec<String>>,
    /// Compare all tables of this many variables.
    pub ways: Option<Vec<usize>>,
    /// Groups into which a number is cut in tables, where the schema declares no cuts.
    pub groups: Option<usize>,
    /// How numbers are cut where the schema declares no cuts.
    pub classes: NumberClasses,
    /// Leave records with missing values out of the tables they are missing in.
    pub without_missing: bool,
    /// Sets of variables by which an intruder might know a record.
    pub keys: Vec<Vec<String>>,
    /// What an intruder might want to know; all variables that are not keys if none is named.
    pub targets: Vec<String>,
    /// Models to fit to every file, such as `income ~ sex + age*edu`.
    pub models: Vec<String>,
    /// The family of each model, or of all of them; gaussian if none is named.
    pub model_families: Vec<String>,
    /// Orders of the regression of the propensity model: 0 main effects, 1 with interactions of two variables, 2 of three.
    pub orders: Option<Vec<usize>>,
    /// Permutations for the null distribution of the propensity tree.
    pub permutations: Option<usize>,
    /// Resamples of the original for the same, which also holds for files of another size.
    pub resamples: Option<usize>,
    /// How often each attack is tried; without a holdout, attacks are tried only where this is given.
    pub attacks: Option<usize>,
    /// Variables to predict by models trained on synthetic records; without a holdout, variables are predicted only where they are named.
    pub predict: Vec<String>,
}

/// The most permutations, resamples or attacks that can be asked for.
const MOST_DRAWS: usize = 1_000_000;

/// How numbers are cut into classes when they are measured.
///
/// ```
/// use lookalike::NumberClasses;
///
/// assert_eq!("synthpop".parse(), Ok(NumberClasses::Synthpop));
/// assert_eq!(NumberClasses::default(), NumberClasses::Original);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberClasses {
    /// Up to 20 values are classes of their own; else at quantiles of the original alone, with frequent values apart.
    #[default]
    Original,
    /// At quantiles of both files pooled, as synthpop does.
    Synthpop,
}

impl std::str::FromStr for NumberClasses {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "original" => Ok(Self::Original),
            "synthpop" => Ok(Self::Synthpop),
            other => Err(format!("there are no classes `{other}`; say `original` or `synthpop`")),
        }
    }
}

impl Questions {
    /// The families of measures that are asked for, in the order of the registry.
    pub fn families(&self) -> Result<Vec<&'static dyn Measure>, Error> {
        for name in &self.only {
            if !MEASURES.iter().any(|measure| measure.name() == name) {
                let hint = similar_name::hint(name, MEASURES.iter().map(|measure| measure.name()));
                let message =
                    format!("there is no family of measures `{name}`{hint}; see `lookalike measures`");
                return Err(Error::option("only", message));
            }
        }
        let wanted = |measure: &&&dyn Measure| {
            self.only.is_empty() || self.only.iter().any(|name| name == measure.name())
        };
        Ok(MEASURES.iter().filter(wanted).copied().collect())
    }

    /// The first option that is given beside those on models.
    pub(crate) fn given_beside_models(&self) -> Option<&'static str> {
        [
            ("only", !self.only.is_empty()),
            ("tables", !self.tables.is_empty()),
            ("ways", self.ways.is_some()),
            ("groups", self.groups.is_some()),
            ("classes", self.classes != NumberClasses::Original),
            ("without-missing", self.without_missing),
            ("keys", !self.keys.is_empty()),
            ("targets", !self.targets.is_empty()),
            ("order", self.orders.is_some()),
            ("permutations", self.permutations.is_some()),
            ("resamples", self.resamples.is_some()),
            (Setting::Attacks.option().unwrap_or_default(), self.attacks.is_some()),
            ("predict", !self.predict.is_empty()),
        ]
        .into_iter()
        .find_map(|(option, given)| given.then_some(option))
    }

    /// These questions on top of what is usual.
    pub fn settings(&self, usual: Settings) -> Result<Settings, Error> {
        let mut settings = usual;
        if self.groups.is_some() || self.classes != NumberClasses::Original {
            let groups = self.groups.unwrap_or(settings.tables.grouping.groups);
            settings.tables.grouping = match self.classes {
                NumberClasses::Original => measured_classes(groups),
                NumberClasses::Synthpop => Grouping::synthpop(groups),
            };
        }
        if self.without_missing {
            settings.tables.missing = MissingValues::AreLeftOut;
        }
        settings.named_tables.clone_from(&self.tables);
        settings.ways = match &self.ways {
            Some(ways) => ways.clone(),
            None if self.tables.is_empty() => settings.ways,
            None => Vec::new(),
        };
        settings.keys.clone_from(&self.keys);
        settings.targets.clone_from(&self.targets);
        settings.models = self.model_requests()?;
        for (setting, asked) in [
            (Setting::Permutations, self.permutations),
            (Setting::Resamples, self.resamples),
            (Setting::Attacks, self.attacks),
        ] {
            if asked.is_some_and(|asked| asked > MOST_DRAWS) {
                let message = format!("up to {MOST_DRAWS} can be asked for");
                return Err(Error::option(setting.option().unwrap_or_default(), message));
            }
        }
        settings.attacks = self.attacks.or(settings.attacks);
        settings.predicted.clone_from(&self.predict);
        let propensity = &mut settings.propensity;
        if let Some(orders) = &self.orders {
            propensity.orders.clone_from(orders);
        }
        propensity.draws.permutations = self.permutations.unwrap_or(propensity.draws.permutations);
        propensity.draws.resamples = self.resamples.unwrap_or(propensity.draws.resamples);
        // Who names a number gets it.
        propensity.draws.until_known &= self.permutations.is_none() && self.resamples.is_none();
        Ok(settings)
    }

    /// Refuses an option that none of the families honours, and a family without the option that it needs; `others` are settings that the
    /// job itself has options for.
    pub(crate) fn check_honoured(
        &self,
        families: &[&dyn Measure],
        others: &[(Setting, bool)],
    ) -> Result<(), Error> {
        let own = [
            (Setting::Tables, !self.tables.is_empty()),
            (Setting::Ways, self.ways.is_some()),
            (Setting::Groups, self.groups.is_some()),
            (Setting::Classes, self.classes != NumberClasses::Original),
            (Setting::Missing, self.without_missing),
            (Setting::Keys, !self.keys.is_empty()),
            (Setting::Targets, !self.targets.is_empty()),
            (Setting::Models, !self.models.is_empty() || !self.model_families.is_empty()),
            (Setting::Orders, self.orders.is_some()),
            (Setting::Permutations, self.permutations.is_some()),
            (Setting::Resamples, self.resamples.is_some()),
            (Setting::Attacks, self.attacks.is_some()),
            (Setting::Predicted, !self.predict.is_empty()),
        ];
        let given = || own.iter().chain(others).filter(|(_, given)| *given).map(|(setting, _)| *setting);
        let asked = families.iter().filter(|family| self.only.iter().any(|name| name == family.name()));
        for needed in asked.filter_map(|family| family.card().requires) {
            if given().all(|setting| setting != needed) {
                let option = needed.option().unwrap_or_default();
                let message = format!("name a model with the option `{option}`, such as \"y ~ a + b\"");
                return Err(Error::option("only", message));
            }
        }
        for setting in given() {
            let honours = |family: &&dyn Measure| family.card().honours.contains(&setting);
            if !families.iter().any(honours) {
                let able: Vec<&str> =
                    MEASURES.iter().filter(|family| honours(family)).map(|family| family.name()).collect();
                return Err(Error::option(
                    setting.option().unwrap_or_default(),
                    format!(
                        "it has no effect on the families of the option `only`; leave it out, or add {}",
                        able.join(" or ")
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Refuses names of variables that the table does not have, before anything is computed.
    pub(crate) fn check_variables(&self, schema: &Schema) -> Result<(), Error> {
        let named = [
            ("tables", self.tables.concat()),
            ("keys", self.keys.concat()),
            ("targets", self.targets.clone()),
            ("predict", self.predict.clone()),
        ];
        for (option, names) in named {
            for name in names {
                schema.position_of(&name).map_err(|error| Error::option(option, error))?;
            }
        }
        let variables = schema.variables().iter().filter(|variable| variable.is_modelled()).count();
        if let Some(ways) = self.ways.iter().flatten().find(|ways| **ways > variables) {
            let message = format!("there is no table of {ways} variables: {variables} can be compared");
            return Err(Error::option("ways", message));
        }
        for request in self.model_requests()? {
            request.formula.check(schema.variables()).map_err(|error| Error::option("model", error))?;
        }
        Ok(())
    }

    /// The models that are asked for.
    pub(crate) fn model_requests(&self) -> Result<Vec<ModelRequest>, Error> {
        let family = |at: usize| -> Result<ModelFamily, Error> {
            let name = match self.model_families.as_slice() {
                [] => return Ok(ModelFamily::Gaussian),
                [one] => one,
                several => &several[at],
            };
            name.parse().map_err(|error: models::ModelError| Error::option("family", error))
        };
        if self.model_families.len() > 1 && self.model_families.len() != self.models.len() {
            let message = format!(
                "it is given {} times for {} models; give it once, or once for each model",
                self.model_families.len(),
                self.models.len()
            );
            return Err(Error::option("family", message));
        }
        let request = |(at, text): (usize, &String)| {
            let formula = Formula::parse(text).map_err(|error| Error::option("model", error))?;
            Ok(ModelRequest { formula, family: family(at)? })
        };
        self.models.iter().enumerate().map(request).collect()
    }
}

/// A mechanism such as `catall,nprior=0`, for the methods of which it is known how they draw cells.
pub fn read_mechanism(text: &str) -> Result<ReleaseMechanism, Error> {
    match registry::stated_mechanism(text) {
        Ok((card, draws)) => Ok(ReleaseMechanism::new(card.name, draws)),
        Err(SynthesisError::Option { message, .. }) => {
            Err(Error::Usage(format!("--mechanism {text}: {message}")))
        }
        Err(error) => Err(error.into()),
    }
}

/// A file of acceptable regions of the (RR, R) plane.
pub fn read_regions(path: &Path) -> Result<Regions, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| TableError::io(path, source))?;
    Ok(Regions::parse(&text)?)
}
