//! A recipe: the method, its options, and everything else that makes a run.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::TableError;
use table::write::Format;

use crate::after::After;
use crate::private::PrivacySettings;
use crate::{Making, RecordsCard, SynthesisError, Synthesizer};

/// A recipe as written in a `*.recipe.toml` file. Every option of the command line has its place here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The method's name.
    pub method: String,
    /// How many data sets to make.
    #[serde(default = "one")]
    pub m: u32,
    /// Records in each; as many as in the data if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// The seed; drawn from the operating system if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Variables within whose cells the method is fitted apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strata: Vec<String>,
    /// How many groups a number is cut into where the schema declares no cuts.
    #[serde(default = "five")]
    pub groups: u32,
    /// The format of the data files.
    #[serde(default)]
    pub format: Format,
    /// Whether texts that a spreadsheet would run as a formula are written to CSV as they are; usually an apostrophe is put before them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_formulas: bool,
    /// What may be spent of privacy; without it the run is not private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub privacy: Option<PrivacySettings>,
    /// The method's own options.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub options: toml::Table,
    /// What is said of single variables, by methods that go variable by variable.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub variables: toml::Table,
    /// Variables made for the fit alone, which are not in the release.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub auxiliary: toml::Table,
    /// Disclosure control after synthesis.
    #[serde(default, skip_serializing_if = "After::is_empty")]
    pub after: After,
}

fn one() -> u32 {
    1
}

fn five() -> u32 {
    5
}

impl Recipe {
    /// A recipe of this method with nothing else said.
    pub fn new(method: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            m: 1,
            rows: None,
            seed: None,
            strata: Vec::new(),
            groups: five(),
            format: Format::Csv,
            keep_formulas: false,
            privacy: None,
            options: toml::Table::new(),
            variables: toml::Table::new(),
            auxiliary: toml::Table::new(),
            after: After::default(),
        }
    }

    /// How the records that it makes come about, as its method says; refused where the method or its options are.
    pub fn records_card(&self) -> Result<RecordsCard, SynthesisError> {
        Ok(Synthesizer::of(self)?.records_card())
    }

    /// Whether some variable is not drawn but kept as it is in the data.
    pub fn keeps_values(&self) -> bool {
        self.records_card().is_ok_and(|card| matches!(card.making, Making::PartlyKept { .. }))
    }

    /// Whether records of the data are changed, and none is drawn from a model.
    pub fn perturbs_records(&self) -> bool {
        self.records_card().is_ok_and(|card| card.making == Making::Perturbed)
    }

    /// Reads a recipe file.
    pub fn read(path: &Path) -> Result<Self, SynthesisError> {
        let text = std::fs::read_to_string(path).map_err(|source| TableError::io(path, source))?;
        Self::parse(&text).map_err(|error| match error {
            SynthesisError::Recipe { place, message } => {
                SynthesisError::Recipe { place: format!("{}, {place}", path.display()), message }
            }
            other => other,
        })
    }

    /// Parses a recipe.
    pub fn parse(text: &str) -> Result<Self, SynthesisError> {
        toml::from_str(text).map_err(|error| {
            let (line, message) = table::schema::located(text, &error);
            SynthesisError::Recipe { place: format!("line {line}"), message }
        })
    }

    /// Sets an option of the method from `name=value`, where the value is TOML or else plain text.
    pub fn set(&mut self, assignment: &str) -> Result<(), SynthesisError> {
        let Some((name, value)) = assignment.split_once('=') else {
            return Err(SynthesisError::option(assignment, "write it as name=value"));
        };
        let (name, value) = (name.trim(), value.trim());
        let parsed = toml::from_str::<toml::Table>(&format!("value = {value}")).ok();
        let parsed = parsed.and_then(|mut table| table.remove("value"));
        self.options.insert(name.to_owned(), parsed.unwrap_or_else(|| toml::Value::String(value.to_owned())));
        Ok(())
    }

    /// The method's options with the sections on variables among them, so that a method without such refuses them.
    pub fn method_options(&self) -> toml::Table {
        let mut options = self.options.clone();
        for (name, sections) in [("variables", &self.variables), ("auxiliary", &self.auxiliary)] {
            if !sections.is_empty() {
                options.insert(name.into(), toml::Value::Table(sections.clone()));
            }
        }
        options
    }

    /// The recipe as TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).unwrap_or_default()
    }

    /// Refuses what means nothing.
    pub fn check(&self) -> Result<(), SynthesisError> {
        if self.m == 0 {
            return Err(SynthesisError::option("m", "at least one data set must be made"));
        }
        if self.m > MOST_DATA_SETS {
            let message =
                format!("a release holds up to {MOST_DATA_SETS} data sets, and rarely needs more than 20");
            return Err(SynthesisError::option("m", message));
        }
        if self.groups > MOST_GROUPS {
            return Err(SynthesisError::option(
                "groups",
                format!("up to {MOST_GROUPS} groups make sense of a number"),
            ));
        }
        if self.rows == Some(0) {
            return Err(SynthesisError::option("rows", "a data set needs at least one record"));
        }
        if self.rows.is_some_and(|rows| rows > u64::from(u32::MAX)) {
            return Err(SynthesisError::option("rows", format!("one file takes up to {} records", u32::MAX)));
        }
        if self.groups < 2 {
            return Err(SynthesisError::option("groups", "at least two groups are needed"));
        }
        self.privacy.as_ref().map_or(Ok(()), PrivacySettings::check)?;
        Ok(())
    }
}

/// The most data sets of a release.
const MOST_DATA_SETS: u32 = 10_000;

/// The most groups into which a number is cut.
const MOST_GROUPS: u32 = 65_000;

/// The line of a TOML text that says something of a key such as `variables.income.method`, `order` or `m`; of its section, if the key itself
/// is not there.
///
/// ```
/// let text = "method = \"sequential\"\n[options]\norder = \"auto\"\n[variables.income]\nwithin = [\"sex\"]\n";
/// assert_eq!(synthesis::recipe::line_of(text, "order"), Some(3));
/// assert_eq!(synthesis::recipe::line_of(text, "variables.income.within"), Some(5));
/// assert_eq!(synthesis::recipe::line_of(text, "variables.income.method"), Some(4));
/// assert_eq!(synthesis::recipe::line_of(text, "rows"), None);
/// ```
pub fn line_of(text: &str, key: &str) -> Option<usize> {
    let (mut section, mut of_section) = (String::new(), None);
    for (line, written) in text.lines().enumerate() {
        let written = written.trim();
        if let Some(header) = written.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = header.trim_matches('[').replace(['"', ' '], "");
        } else if let Some((name, _)) = written.split_once('=') {
            let name = name.trim().replace(['"', ' '], "");
            let full = if section.is_empty() { name.clone() } else { format!("{section}.{name}") };
            if full == key || (section == "options" && name == key) {
                return Some(line + 1);
            }
        }
        let is_parent =
            key == section || key.strip_prefix(&section).is_some_and(|rest| rest.starts_with('.'));
        if !section.is_empty() && is_parent && of_section.is_none() {
            of_section = Some(line + 1);
        }
    }
    of_section
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_reads_back_what_it_writes() {
        let mut recipe = Recipe::new("ipf");
        recipe.m = 3;
        recipe.strata = vec!["sex".into()];
        recipe.set("margins = all2").unwrap();
        recipe.set("nprior=0.5").unwrap();
        assert_eq!(recipe.options["nprior"], toml::Value::Float(0.5));
        assert_eq!(recipe.options["margins"], toml::Value::String("all2".into()));
        assert_eq!(Recipe::parse(&recipe.to_toml()).unwrap(), recipe);
    }

    #[test]
    fn unknown_keys_are_named_with_their_line() {
        let error = Recipe::parse("method = \"ipf\"\nrow = 5\n").unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("did you mean `rows`?"), "{error}");
        assert!(Recipe::new("x").set("nothing").is_err());
    }
}
