//! A project: what is known of a table and wanted of its synthetic versions, in one file that every command reads, so that nobody repeats it.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::output_file;

use crate::Error;

/// The name of a project's file.
pub const PROJECT: &str = "lookalike.toml";

/// A project file. Paths are relative to its folder.
///
/// ```
/// use lookalike::Project;
/// let project = Project::parse("data = \"people.csv\"\nkeys = [[\"sex\", \"age\"]]\n")?;
/// assert_eq!(project.keys, [["sex", "age"]]);
/// assert!(Project::parse("dta = \"people.csv\"").is_err());
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Project {
    /// The confidential table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<PathBuf>,
    /// Its schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<PathBuf>,
    /// Texts that mean missing, beside the empty field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The field separator of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    /// What stands before decimals: a point or a comma.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal: Option<String>,
    /// Sets of variables by which an intruder might know a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Vec<String>>,
    /// What an intruder might want to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Models that analysts will fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Limits that a release must keep.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// The recipe of `synth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<PathBuf>,
    /// The recipes that a frontier tries; its own grid where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<PathBuf>,
    /// How often a frontier runs each recipe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
    /// Families of measures to compute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// The folder of the frontier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontier: Option<PathBuf>,
}

impl Project {
    /// Reads the text of a project file.
    pub fn parse(text: &str) -> Result<Self, Error> {
        toml::from_str(text).map_err(|error| Error::Usage(format!("{PROJECT}: {}", error.message())))
    }

    /// The project in a folder, if there is one.
    pub fn in_folder(folder: &Path) -> Result<Option<Self>, Error> {
        match std::fs::read_to_string(folder.join(PROJECT)) {
            Ok(text) => Ok(Some(Self::parse(&text)?)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(table::TableError::io(folder.join(PROJECT), error).into()),
        }
    }

    /// The text of its file.
    pub fn to_toml(&self) -> String {
        let head = "# What `lookalike` knows of this project: every command that is started in this folder reads it.\n# What is given on the command line comes first. Paths are relative to this file.\n";
        format!("{head}{}", toml::to_string(self).unwrap_or_default())
    }

    /// Writes its file into a folder.
    pub fn write(&self, folder: &Path, replace: bool) -> Result<(), Error> {
        Ok(output_file::write_private(&folder.join(PROJECT), self.to_toml().as_bytes(), replace)?)
    }

    /// What it says for the options of a command: pairs of the name of an option and a value, an option that may be given several times several
    /// times. The caller takes those that the command has and that were not given.
    pub fn options(&self, folder: &Path) -> Vec<(&'static str, String)> {
        let path = |path: &PathBuf| folder.join(path).display().to_string();
        let mut options = Vec::new();
        let mut add = |name: &'static str, value: Option<String>| {
            options.extend(value.filter(|value| !value.is_empty()).map(|value| (name, value)));
        };
        add("schema", self.schema.as_ref().map(path));
        add("missing", Some(self.missing.join(",")));
        add("separator", self.separator.clone());
        add("decimal", self.decimal.clone());
        self.keys.iter().for_each(|keys| add("keys", Some(keys.join(","))));
        add("targets", Some(self.targets.join(",")));
        self.models.iter().for_each(|model| add("model", Some(model.clone())));
        self.limits.iter().for_each(|limit| add("limit", Some(limit.clone())));
        add("recipe", self.recipe.as_ref().map(path));
        add("grid", self.grid.as_ref().map(path));
        add("repeat", self.repeat.map(|repeat| repeat.to_string()));
        add("only", Some(self.only.join(",")));
        add("frontier", self.frontier.as_ref().map(path));
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_read_as_it_was_written() {
        let project = Project {
            data: Some("people.csv".into()),
            keys: vec![vec!["sex".into(), "age".into()], vec!["town".into()]],
            limits: vec!["attribute.disco <= 5".into()],
            repeat: Some(3),
            ..Project::default()
        };
        assert_eq!(Project::parse(&project.to_toml()).unwrap(), project);
        let options = project.options(Path::new("folder"));
        let expected =
            [("keys", "sex,age"), ("keys", "town"), ("limit", "attribute.disco <= 5"), ("repeat", "3")];
        assert_eq!(options, expected.map(|(name, value)| (name, value.to_owned())));
    }

    #[test]
    fn a_folder_without_a_project_has_none_and_a_broken_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Project::in_folder(folder.path()).unwrap(), None);
        std::fs::write(folder.path().join(PROJECT), "keys = \"sex\"").unwrap();
        assert!(Project::in_folder(folder.path()).unwrap_err().to_string().contains(PROJECT));
    }
}
