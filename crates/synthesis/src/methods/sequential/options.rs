//! The options of sequential synthesis as they are written in a recipe, checked as far as they can be without the data.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use statistics::trees::{DEEPEST, Risk};

use super::variable_methods::{self, VariableMethod, What};
use crate::SynthesisError;
use crate::methods::sequential::smoothing::SmoothingKind;
use crate::tilt::TiltSettings;

/// Options of the whole method.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub order: Order,
    pub proper: bool,
    /// How records are chosen out of more candidates, if they are.
    pub tilt: Option<TiltSettings>,
    /// Variables that predict nothing unless they are named.
    pub except: Vec<String>,
    /// How many predictors a variable has at most; all if not said.
    pub best: Option<u32>,
    /// The method of variables of which nothing else is said.
    pub method: &'static VariableMethod,
    /// The other settings of variables of which nothing else is said.
    pub settings: Settings,
    /// What is said of single variables, in the order of the recipe.
    pub variables: Vec<(String, VariableOptions)>,
    /// Variables made for the fit alone.
    pub auxiliary: Vec<(String, AuxiliaryOptions)>,
    /// The keys that are given for all variables.
    pub keys: Vec<String>,
}

/// In which order variables are visited.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub(super) enum Order {
    Named(OrderName),
    /// These first, the others after them in file order.
    List(Vec<String>),
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OrderName {
    /// The order of the file.
    File,
    /// By size and dependence.
    Auto,
}

/// What tunes the fit of one variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// Records that a leaf must hold; none where that is chosen for each variable.
    pub min_bucket: Option<u32>,
    /// Share of the root's risk by which a split must lower it.
    pub complexity: f64,
    /// What that share is of, for categories.
    pub risk: Risk,
    /// How deep a tree may grow.
    pub depth: u32,
    /// Whether donors of a leaf are weighed by main effects of all predictors.
    pub main_effects: bool,
    /// Whether trees split by linear scores too; none where that is chosen for each variable.
    pub scores: Option<bool>,
    /// Trees of an ensemble.
    pub trees: u32,
    /// Bins of (0, 1] that quantile regression is fitted at.
    pub bins: u32,
    /// Donors among which predictive mean matching chooses.
    pub donors: u32,
    pub smoothing: SmoothingKind,
    /// Numbers below this are left as they are.
    pub smooth_above: Option<f64>,
    /// Whether a categorical variable of few frequent and many rare levels is drawn in two stages.
    pub two_stage: bool,
    /// The method that decides between groups of levels.
    pub first_stage: Option<&'static VariableMethod>,
    /// The method that decides whether a number is missing or a special code.
    pub missing_method: Option<&'static VariableMethod>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            min_bucket: None,
            complexity: 1e-8,
            risk: Risk::default(),
            depth: 30,
            main_effects: true,
            scores: None,
            trees: 10,
            bins: 25,
            donors: 5,
            smoothing: SmoothingKind::Auto,
            smooth_above: None,
            two_stage: false,
            first_stage: None,
            missing_method: None,
        }
    }
}

/// What a `[variables.NAME]` section says.
#[derive(Clone, Debug)]
pub(super) struct VariableOptions {
    /// `None` if the section does not say.
    pub method: Option<&'static VariableMethod>,
    pub predictors: Option<Predictors>,
    pub except: Vec<String>,
    pub with: Vec<String>,
    pub within: Vec<String>,
    pub formula: Option<String>,
    pub value: Option<toml::Value>,
    pub settings: Settings,
    /// The keys of the section.
    keys: Vec<String>,
}

/// Which predictors a variable has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Predictors {
    /// All that are known.
    All,
    /// So many of them at most, those that say most of it.
    Best(u32),
    /// These.
    Named(Vec<String>),
}

/// What an `[auxiliary.NAME]` section says.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct AuxiliaryOptions {
    /// Numbers and conditions whose means in each level of `by` are summed up in one score.
    #[serde(default)]
    pub score: Vec<String>,
    /// The categorical variable for whose levels the score is computed.
    pub by: Option<String>,
    /// The categorical variable whose rare levels are put together.
    pub groups_of: Option<String>,
    /// Levels of fewer records than this are rare.
    pub rare: Option<u32>,
}

/// Keys of every section, beside those that the method honours.
const EVERY_SECTION: &[&str] = &["method", "predictors", "except", "within"];

impl Options {
    /// Options from a recipe's tables; errors name the key as `variables.income.method`.
    pub(super) fn parse(given: &toml::Table) -> Result<Self, SynthesisError> {
        let method = match take::<String>(given, "", "method")? {
            Some(name) => variable_methods::named("method", &name)?,
            None => variable_methods::named("method", "cart")?,
        };
        let mut options = Self {
            order: take(given, "", "order")
                .map_err(|_| SynthesisError::option("order", "it is `file`, `auto` or a list of variables"))?
                .unwrap_or(Order::Named(OrderName::File)),
            proper: take(given, "", "proper")?.unwrap_or(false),
            tilt: None,
            except: take(given, "", "except")?.unwrap_or_default(),
            best: match predictors(given, "")? {
                None | Some(Predictors::All) => None,
                Some(Predictors::Best(most)) => Some(most),
                Some(Predictors::Named(_)) => {
                    let message = "it is `all` or `best N`; the predictors of one variable are named in its section [variables.NAME]";
                    return Err(SynthesisError::option("predictors", message));
                }
            },
            method,
            settings: Settings::default().overridden(given, "")?,
            variables: Vec::new(),
            auxiliary: Vec::new(),
            keys: given.keys().cloned().collect(),
        };
        for (name, section) in sections(given, "variables")? {
            let section = VariableOptions::parse(&name, &section, &options)?;
            options.variables.push((name, section));
        }
        for (name, section) in sections(given, "auxiliary")? {
            let place = format!("auxiliary.{name}");
            let section: AuxiliaryOptions =
                toml::Value::Table(section).try_into().map_err(|error: toml::de::Error| {
                    SynthesisError::option(&place, table::schema::located("", &error).1)
                })?;
            let is_score = !section.score.is_empty() && section.by.is_some();
            if is_score == section.groups_of.is_some()
                || (section.groups_of.is_none() && section.rare.is_some())
            {
                let message = "give either `score` and `by`, or `groups_of` and `rare`";
                return Err(SynthesisError::option(place, message));
            }
            options.auxiliary.push((name, section));
        }
        options.tilt = TiltSettings::parse(given, options.is_by_trees(), options.proper)?;
        Ok(options)
    }

    /// What is said of this variable.
    pub(super) fn of(&self, variable: &str) -> Option<&VariableOptions> {
        self.variables.iter().find(|(name, _)| name == variable).map(|(_, options)| options)
    }
}

impl VariableOptions {
    fn parse(name: &str, section: &toml::Table, all: &Options) -> Result<Self, SynthesisError> {
        let place = format!("variables.{name}.");
        let method = take::<String>(section, &place, "method")?;
        let method =
            method.map(|method| variable_methods::named(&format!("{place}method"), &method)).transpose()?;
        let effective = method.unwrap_or(all.method);
        let known = || EVERY_SECTION.iter().chain(effective.options).copied();
        if let Some(unknown) = section.keys().find(|key| known().all(|name| name != key.as_str())) {
            let hint = table::similar_name::hint(unknown, known());
            let list = known().collect::<Vec<_>>().join(", ");
            let message = format!("`{}` has no such option{hint} (it has {list})", effective.name);
            return Err(SynthesisError::option(format!("{place}{unknown}"), message));
        }
        Ok(Self {
            method,
            predictors: predictors(section, &place)?,
            except: take(section, &place, "except")?.unwrap_or_default(),
            with: take(section, &place, "with")?.unwrap_or_default(),
            within: take(section, &place, "within")?.unwrap_or_default(),
            formula: take(section, &place, "formula")?,
            value: section.get("value").cloned(),
            settings: all.settings.overridden(section, &place)?,
            keys: section.keys().cloned().collect(),
        })
    }

    /// Whether the section has this key.
    pub(super) fn says(&self, key: &str) -> bool {
        self.keys.iter().any(|own| own == key)
    }

    /// Refuses keys of the section that mean nothing for a variable of this name and kind, or without another key.
    pub(super) fn refuse_idle_keys(&self, name: &str, is_categorical: bool) -> Result<(), SynthesisError> {
        let idle = |key: &str| match key {
            "smoothing" | "smooth_above" | "missing_method" if is_categorical => {
                Some("it is about numbers, and this variable is categorical")
            }
            "two_stage" | "first_stage" if !is_categorical => {
                Some("it is about categories, and this variable is a number")
            }
            "smooth_above" if self.settings.smoothing == SmoothingKind::None => {
                Some("nothing is smoothed; say `smoothing` too")
            }
            "first_stage" if !self.settings.two_stage => {
                Some("there is one stage; say `two_stage = true` too")
            }
            _ => None,
        };
        let found = self.keys.iter().find_map(|key| Some((key, idle(key)?)));
        found.map_or(Ok(()), |(key, message)| {
            Err(SynthesisError::option(
                format!("variables.{name}.{key}"),
                format!("{message}; or take it out"),
            ))
        })
    }
}

impl Settings {
    /// These settings with what a table says on top.
    fn overridden(self, given: &toml::Table, place: &str) -> Result<Self, SynthesisError> {
        let method = |key: &str| -> Result<Option<&'static VariableMethod>, SynthesisError> {
            let name = take::<String>(given, place, key)?;
            name.map(|name| variable_methods::named(&format!("{place}{key}"), &name)).transpose()
        };
        let settings = Self {
            min_bucket: leaf_size(given, place)?.unwrap_or(self.min_bucket),
            complexity: take(given, place, "complexity")?.unwrap_or(self.complexity),
            risk: take(given, place, "risk")?.unwrap_or(self.risk),
            depth: take(given, place, "depth")?.unwrap_or(self.depth),
            main_effects: take(given, place, "main_effects")?.unwrap_or(self.main_effects),
            scores: scores(given, place)?.unwrap_or(self.scores),
            trees: take(given, place, "trees")?.unwrap_or(self.trees),
            bins: take(given, place, "bins")?.unwrap_or(self.bins),
            donors: take(given, place, "donors")?.unwrap_or(self.donors),
            smoothing: take(given, place, "smoothing")?.unwrap_or(self.smoothing),
            smooth_above: take(given, place, "smooth_above")?.or(self.smooth_above),
            two_stage: take(given, place, "two_stage")?.unwrap_or(self.two_stage),
            first_stage: method("first_stage")?.or(self.first_stage),
            missing_method: method("missing_method")?.or(self.missing_method),
        };
        let refuse = |key: &str, message: &str| Err(SynthesisError::option(format!("{place}{key}"), message));
        if !(settings.complexity.is_finite() && settings.complexity >= 0.0) {
            return refuse("complexity", "it must be 0 or a positive number");
        }
        if !(1..=DEEPEST).contains(&settings.depth) {
            return refuse("depth", &format!("it must be between 1 and {DEEPEST}"));
        }
        if !(1..=10_000).contains(&settings.trees) {
            return refuse("trees", "it must be between 1 and 10000");
        }
        if !(2..=1000).contains(&settings.bins) {
            return refuse("bins", "it must be between 2 and 1000");
        }
        if settings.donors == 0 {
            return refuse("donors", "at least one donor is needed");
        }
        for (key, method) in
            [("first_stage", settings.first_stage), ("missing_method", settings.missing_method)]
        {
            let decides = |method: &VariableMethod| !method.is_special() && method.draws != What::Numbers;
            if let Some(method) = method.filter(|method| !decides(method)) {
                return refuse(key, &format!("`{}` does not decide between categories", method.name));
            }
        }
        Ok(settings)
    }
}

/// The value of a key, if it is there and is what is wanted.
fn take<T: DeserializeOwned>(
    from: &toml::Table,
    place: &str,
    key: &str,
) -> Result<Option<T>, SynthesisError> {
    let Some(value) = from.get(key) else { return Ok(None) };
    value.clone().try_into().map(Some).map_err(|error: toml::de::Error| {
        SynthesisError::option(
            format!("{place}{key}"),
            table::schema::located("", &error).1.trim().to_owned(),
        )
    })
}

/// Which predictors are wanted.
fn predictors(from: &toml::Table, place: &str) -> Result<Option<Predictors>, SynthesisError> {
    let refuse = || {
        let message = "it is `all`, `best N` with a number from 1 on, or a list of variables";
        Err(SynthesisError::option(format!("{place}predictors"), message))
    };
    match from.get("predictors") {
        None => Ok(None),
        Some(toml::Value::String(words)) => match words.split_whitespace().collect::<Vec<_>>()[..] {
            ["all"] => Ok(Some(Predictors::All)),
            ["best", most] => match most.parse() {
                Ok(most) if most > 0 => Ok(Some(Predictors::Best(most))),
                _ => refuse(),
            },
            _ => refuse(),
        },
        Some(toml::Value::Array(_)) => Ok(take(from, place, "predictors")?.map(Predictors::Named)),
        Some(_) => refuse(),
    }
}

/// How many records a leaf must hold, or that this is chosen.
fn leaf_size(from: &toml::Table, place: &str) -> Result<Option<Option<u32>>, SynthesisError> {
    let refuse = |message: &str| Err(SynthesisError::option(format!("{place}min_bucket"), message));
    match from.get("min_bucket") {
        None => Ok(None),
        Some(toml::Value::String(word)) if word == "auto" => Ok(Some(None)),
        Some(toml::Value::Integer(0)) => refuse("a leaf needs at least one record"),
        Some(toml::Value::Integer(records)) => match u32::try_from(*records) {
            Ok(records) => Ok(Some(Some(records))),
            Err(_) => refuse("it is `auto`, or a number of records"),
        },
        Some(_) => refuse("it is `auto`, or a number of records"),
    }
}

/// Whether trees split by scores, or that this is chosen.
fn scores(from: &toml::Table, place: &str) -> Result<Option<Option<bool>>, SynthesisError> {
    match from.get("scores") {
        None => Ok(None),
        Some(toml::Value::String(word)) if word == "auto" => Ok(Some(None)),
        Some(toml::Value::Boolean(scores)) => Ok(Some(Some(*scores))),
        Some(_) => Err(SynthesisError::option(format!("{place}scores"), "it is `auto`, true or false")),
    }
}

/// The tables below a key.
fn sections(given: &toml::Table, key: &str) -> Result<Vec<(String, toml::Table)>, SynthesisError> {
    let Some(value) = given.get(key) else { return Ok(Vec::new()) };
    let message = || format!("write a section [{key}.NAME] for each");
    let sections = value.as_table().ok_or_else(|| SynthesisError::option(key, message()))?;
    let section = |(name, section): (&String, &toml::Value)| match section.as_table() {
        Some(section) => Ok((name.clone(), section.clone())),
        None => Err(SynthesisError::option(format!("{key}.{name}"), message())),
    };
    sections.iter().map(section).collect()
}
