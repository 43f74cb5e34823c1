//! A project to begin with: the schema, the recipe, the limits and the project file of a table.

use std::path::{Path, PathBuf};

use synthesis::Recipe;
use table::schema::SchemaFile;
use table::watch::Watch;
use table::{TableError, output_file};

use crate::project::{PROJECT, Project};
use crate::{Data, DescribeOutcome, DescribeRequest, Error, Request};

/// What a person says of a table when a project begins. What is not said is left to the usual.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beginning {
    /// Columns that name people or records; they are made new.
    pub identifiers: Vec<String>,
    /// What a neighbour knows of a person.
    pub keys: Vec<String>,
    /// What must not be learned.
    pub targets: Vec<String>,
    /// Class limits of numbers: the variable and its limits in ascending order.
    pub cuts: Vec<(String, Vec<f64>)>,
    /// What a release must keep; [`usual_limits`] where none is named.
    pub limits: Vec<String>,
    /// Why levels and ranges may be published, where they may.
    pub public_because: Option<String>,
}

/// Asks for the files of a project.
#[derive(Clone, Debug)]
pub struct InitRequest {
    /// The table.
    pub data: Data,
    /// The folder to write to.
    pub folder: PathBuf,
    /// What is said of the table.
    pub beginning: Beginning,
    /// Whether files of a project that is there may be replaced.
    pub replace: bool,
}

/// What was written.
#[derive(Clone, Debug)]
pub struct InitOutcome {
    /// The project.
    pub project: Project,
    /// The files, in the order in which they were written.
    pub files: Vec<PathBuf>,
}

const SCHEMA: &str = "schema.toml";
const RECIPE: &str = "recipe.toml";
const FRONTIER: &str = "frontier";

/// The limits of a project that names none: who knows a few variables of a person guesses another one right for at most 5 more of 100 people thanks to that
/// person's own record, and two-way tables are good. Both are what the lights of a report judge by.
pub fn usual_limits() -> Vec<String> {
    use measures::risk::few_keys::names::WORST_GAIN;
    use measures::utility::tables::names::FARTHER_MEAN_S_PMSE;
    vec![format!("{WORST_GAIN} <= 5"), format!("{FARTHER_MEAN_S_PMSE}:2 <= 10")]
}

/// Names under which files have what a neighbour knows.
const KNOWN: &[&str] = &[
    "sex",
    "gender",
    "age",
    "birth",
    "region",
    "district",
    "county",
    "state",
    "municipality",
    "postcode",
    "zip",
    "town",
    "marital",
    "nationality",
];

impl Beginning {
    /// What a description suggests: identifiers by their kind, and keys by their names.
    pub fn suggested(described: &DescribeOutcome) -> Self {
        let variables = || described.profile.variables.iter();
        let is_known = |name: &str| {
            let name = name.to_lowercase();
            KNOWN.iter().any(|known| name == *known || name.starts_with(&format!("{known}_")))
        };
        let identifiers = variables().filter(|variable| variable.kind == "text-id");
        let keys = variables().filter(|variable| variable.kind != "text-id" && is_known(&variable.name));
        Self {
            identifiers: identifiers.map(|variable| variable.name.clone()).collect(),
            keys: keys.map(|variable| variable.name.clone()).take(6).collect(),
            ..Self::default()
        }
    }
}

impl InitRequest {
    /// Describes the table, for what is asked before.
    pub fn describe(&self, watch: &Watch) -> Result<DescribeOutcome, Error> {
        DescribeRequest::new(self.data.clone()).run(watch)
    }

    /// Writes the files.
    pub fn run(&self, watch: &Watch) -> Result<InitOutcome, Error> {
        let described = self.describe(watch)?;
        let names: Vec<&str> =
            described.profile.variables.iter().map(|variable| variable.name.as_str()).collect();
        let Beginning { identifiers, keys, targets, cuts, limits, public_because } = &self.beginning;
        let known = |option: &'static str, name: &str| match names.contains(&name) {
            true => Ok(()),
            false => {
                let hint = table::similar_name::hint(name, names.iter().copied());
                Err(Error::option(option, format!("the table has no variable `{name}`{hint}")))
            }
        };
        identifiers.iter().try_for_each(|name| known("identifiers", name))?;
        keys.iter().try_for_each(|name| known("keys", name))?;
        targets.iter().try_for_each(|name| known("targets", name))?;
        cuts.iter().try_for_each(|(name, _)| known("cuts", name))?;
        if let Some(both) = keys.iter().find(|key| targets.contains(key)) {
            return Err(Error::option("targets", format!("`{both}` is a key already")));
        }
        let limits = if limits.is_empty() { usual_limits() } else { limits.clone() };
        super::frontier::parse_limits(&limits, false)?;
        let mut schema = described.draft();
        for name in identifiers {
            schema = as_identifier(&schema, name);
        }
        for (name, limits) in cuts {
            schema = with_cuts(&schema, name, limits);
        }
        if let Some(reason) = public_because {
            schema = declared(&schema, reason);
        }
        // The schema must hold before anything is written.
        SchemaFile::parse(&schema)?.finish()?;
        std::fs::create_dir_all(&self.folder).map_err(|error| TableError::io(&self.folder, error))?;
        let inputs = self.data.inputs();
        let path = |name: &str| self.folder.join(name);
        for (option, name) in [("out", SCHEMA), ("out", RECIPE), ("out", PROJECT)] {
            output_file::check(option, &path(name), &inputs, self.replace)?;
        }
        let recipe = Recipe::new(synthesis::registry::default_method(false));
        output_file::write_private(&path(SCHEMA), schema.as_bytes(), self.replace)?;
        output_file::write_private(&path(RECIPE), recipe.to_toml().as_bytes(), self.replace)?;
        let project = Project {
            data: inputs.first().map(|data| relative(data, &self.folder)),
            schema: Some(SCHEMA.into()),
            missing: self.data.missing().to_vec(),
            separator: self
                .data
                .separator()
                .map(|separator| if separator == '\t' { "tab".to_owned() } else { separator.to_string() }),
            decimal: self.data.decimal().map(|decimal| decimal.to_string()),
            keys: if keys.is_empty() { Vec::new() } else { vec![keys.clone()] },
            targets: targets.clone(),
            limits,
            recipe: Some(RECIPE.into()),
            frontier: Some(FRONTIER.into()),
            ..Project::default()
        };
        project.write(&self.folder, self.replace)?;
        Ok(InitOutcome { project, files: [SCHEMA, RECIPE, PROJECT].map(path).into() })
    }
}

/// The path as seen from a folder: relative where it lies within, else in full.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let full = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (path, folder) = (full(path), full(folder));
    path.strip_prefix(&folder).map_or(path.clone(), Path::to_owned)
}

/// The lines of a variable's own section: the one after its head, and the one after its last.
fn section(schema: &str, name: &str) -> Option<(usize, usize)> {
    let plain = format!("[variables.{name}]");
    let quoted = format!("[variables.{}]", toml::Value::from(name));
    let lines: Vec<&str> = schema.lines().collect();
    let head = lines.iter().position(|line| line.trim() == plain || line.trim() == quoted)?;
    let more = lines[head + 1..].iter().position(|line| line.starts_with('['));
    Some((head + 1, more.map_or(lines.len(), |more| head + 1 + more)))
}

fn with_section(schema: &str, name: &str, change: impl Fn(Vec<&str>) -> Vec<String>) -> String {
    let Some((from, to)) = section(schema, name) else { return schema.to_owned() };
    let lines: Vec<&str> = schema.lines().collect();
    let mut out: Vec<String> = lines[..from].iter().map(|line| (*line).to_owned()).collect();
    out.extend(change(lines[from..to].to_vec()));
    out.extend(lines[to..].iter().map(|line| (*line).to_owned()));
    out.join("\n") + "\n"
}

fn as_identifier(schema: &str, name: &str) -> String {
    with_section(schema, name, |_| vec!["kind = \"text-id\"".into(), String::new()])
}

fn with_cuts(schema: &str, name: &str, limits: &[f64]) -> String {
    let limits: Vec<String> = limits.iter().map(f64::to_string).collect();
    let cuts = format!("cuts = [{}]", limits.join(", "));
    with_section(schema, name, |lines| {
        let kept = lines.iter().filter(|line| !line.starts_with("cuts"));
        let mut kept: Vec<String> = kept.map(|line| (*line).to_owned()).collect();
        let after = kept.iter().position(|line| line.starts_with("kind")).map_or(0, |at| at + 1);
        kept.insert(after, cuts.clone());
        kept
    })
}

fn declared(schema: &str, reason: &str) -> String {
    let mut lines: Vec<String> = schema
        .lines()
        .filter(|line| !line.starts_with("declared") && !line.starts_with("reason"))
        .map(str::to_owned)
        .collect();
    let lines_of_table = ["declared = true".to_owned(), format!("reason = {}", toml::Value::from(reason))];
    match lines.iter().position(|line| line.trim() == "[table]") {
        Some(at) => lines.splice(at + 1..at + 1, lines_of_table).for_each(drop),
        None => {
            lines.splice(0..0, std::iter::once("[table]".to_owned()).chain(lines_of_table)).for_each(drop)
        }
    }
    lines.join("\n") + "\n"
}

impl Request for InitRequest {
    type Outcome = InitOutcome;

    fn inputs(&self) -> Vec<PathBuf> {
        self.data.inputs()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        vec![self.folder.clone(), self.folder.join(PROJECT)]
    }

    fn perform(&self, watch: &Watch) -> Result<InitOutcome, Error> {
        self.run(watch)
    }

    fn text(&self, begun: &InitOutcome) -> String {
        let files: Vec<String> = begun.files.iter().map(|file| file.display().to_string()).collect();
        let keys = begun.project.keys.iter().map(|keys| keys.join(", ")).collect::<Vec<_>>().join("; ");
        let keys =
            if keys.is_empty() { "none named, so that every variable is tried".to_owned() } else { keys };
        format!(
            "{}: a project of {}\n  {}\n  keys: {keys}\n  limits: {}\nReview the schema. Then, in that folder, without further options:\n  lookalike synth --out first\n  lookalike frontier\n  lookalike release --accepted-by \"WHO\" --out release\n",
            self.folder.display(),
            self.data.place(),
            files.join("\n  "),
            begun.project.limits.join("; "),
        )
    }

    fn json(&self, begun: &InitOutcome) -> serde_json::Value {
        serde_json::json!({ "project": begun.project, "files": begun.files })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people() -> Data {
        let row = |at: usize| format!("p{at},{},{},{}\n", ["F", "M"][at % 2], 20 + at % 50, at * 37 % 1000);
        let rows: String = (0..90).map(row).collect();
        let table = table::read::read_csv_text(
            &format!("id,sex,age,income\n{rows}"),
            &table::read::ReadOptions::default(),
        );
        Data::records("people", table.unwrap())
    }

    #[test]
    fn a_project_is_written_with_what_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let request = InitRequest {
            data: people(),
            folder: folder.path().join("new"),
            beginning: Beginning {
                identifiers: vec!["id".into()],
                keys: vec!["sex".into(), "age".into()],
                targets: vec!["income".into()],
                cuts: vec![("age".into(), vec![20.0, 40.0, 70.0])],
                public_because: Some("the code book \"2024\"".into()),
                ..Beginning::default()
            },
            replace: false,
        };
        let begun = request.run(&Watch::default()).unwrap();
        assert_eq!(begun.project.limits, usual_limits());
        let schema = std::fs::read_to_string(folder.path().join("new/schema.toml")).unwrap();
        let schema = SchemaFile::parse(&schema).unwrap().finish().unwrap();
        assert!(schema.declaration().unwrap().contains("2024"));
        assert_eq!(schema.variable("id").unwrap().kind, table::Kind::TextId);
        assert_eq!(schema.variable("age").unwrap().cuts, Some(vec![20.0, 40.0, 70.0]));
        let read = Project::in_folder(&folder.path().join("new")).unwrap().unwrap();
        assert_eq!(read, begun.project);
        // It is not written over without a word.
        assert!(request.run(&Watch::default()).is_err());
    }

    #[test]
    fn what_is_wrong_is_refused_by_name_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let wrong = [
            Beginning { keys: vec!["sx".into()], ..Beginning::default() },
            Beginning { keys: vec!["sex".into()], targets: vec!["sex".into()], ..Beginning::default() },
            Beginning { limits: vec!["nonsense <= 4".into()], ..Beginning::default() },
            Beginning { cuts: vec![("age".into(), vec![3.0, 1.0])], ..Beginning::default() },
        ];
        for beginning in wrong {
            let request =
                InitRequest { data: people(), folder: folder.path().join("x"), beginning, replace: false };
            assert!(request.run(&Watch::default()).is_err());
            assert!(!folder.path().join("x").join(PROJECT).exists());
        }
    }
}
