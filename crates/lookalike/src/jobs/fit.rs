//! Estimates from synthetic files, with intervals that are valid for how the files were made.

use std::path::{Path, PathBuf};

use inference::{
    Answer, Estimand, FileFacts, Findings, InferenceError, Level, Manner, Provenance, Released, Resampling,
    Rule, Target, Weights, answer, answers, valid_rule, with_common_levels,
};
use models::{Formula, ModelFamily, SurveyVariables};
use release::{FORMAT, LEDGER, MANIFEST, Manifest};
use synthesis::Recipe;
use table::expression::Expression;
use table::schema::SchemaFile;
use table::watch::{Step, Watch};
use table::{Schema, Table, TableError, output_file};

use crate::{Data, Error, Request};

/// Asks for estimates from synthetic files.
///
/// ```no_run
/// use lookalike::inference::Estimand;
/// use lookalike::{FitRequest, Watch};
///
/// let model = Estimand::parse("mean(income) by sex")?;
/// let found = FitRequest::new(["release"], vec![model]).run(&Watch::default())?;
/// for quantity in &found.answers[0].quantities {
///     println!("{}", quantity.name);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FitRequest {
    /// The synthetic files, or one release folder. Files that lie beside the manifest of their release are read with it.
    pub files: Vec<PathBuf>,
    /// Synthetic tables in memory instead of files; a release folder in `files` then only says how they were made.
    pub tables: Vec<Data>,
    /// How the tables in memory were made, where no release folder says it.
    pub made: Option<Provenance>,
    /// How they are read, where that is not said by a release; its own file is not read.
    pub reading: Data,
    /// What is estimated.
    pub estimands: Vec<Estimand>,
    /// A condition such as `age >= 18 and sex = 'F'`: only the records that meet it are asked.
    pub only_where: Option<String>,
    /// N, the number of original records, where no manifest says it.
    pub original_rows: Option<u64>,
    /// The combining rule; the one that is valid for the release if not given.
    pub rule: Option<Rule>,
    /// What the interval is for.
    pub target: Target,
    /// How often it is to cover.
    pub level: Level,
    /// How files count in the estimate.
    pub weights: Option<Weights>,
    /// Replicates of a bootstrap-t, whose quantiles replace those of the normal or t distribution.
    pub bootstrap_t: Option<usize>,
    /// Replicates of the rule `bootstrap`.
    pub replicates: Option<usize>,
    /// The seed of bootstraps and of the posterior's sampler.
    pub seed: Option<u64>,
    /// The folder for a picture of each question's estimates with their intervals.
    pub pictures: Option<PathBuf>,
    /// Whether pictures of the same names may be replaced.
    pub replace: bool,
}

/// What the release folder says.
struct ReleaseFolder {
    manifest: Manifest,
    provenance: Provenance,
    schema: PathBuf,
}

/// A model as an estimand: its formula, and the name of its family, gaussian if none is given.
fn model_estimand(formula: &str, family: Option<&str>) -> Result<Estimand, Error> {
    let formula = Formula::parse(formula).map_err(|error| Error::Usage(error.to_string()))?;
    let family = family.map_or(Ok(ModelFamily::Gaussian), str::parse);
    let family = family.map_err(|error| Error::option("family", error))?;
    Ok(Estimand::Model { formula, family })
}

impl FitRequest {
    /// Asks for these estimates of the population, at 95 %, by the valid rule.
    pub fn new(files: impl IntoIterator<Item = impl Into<PathBuf>>, estimands: Vec<Estimand>) -> Self {
        let usual = Manner::default();
        Self {
            files: files.into_iter().map(Into::into).collect(),
            tables: Vec::new(),
            made: None,
            reading: Data::file(""),
            estimands,
            only_where: None,
            original_rows: None,
            rule: None,
            target: usual.target,
            level: usual.level,
            weights: None,
            bootstrap_t: None,
            replicates: None,
            seed: None,
            pictures: None,
            replace: false,
        }
    }

    /// Asks for what a person names: a formula, if the first word has a tilde and is no file, with the family of its model; then files or a
    /// release folder; and estimands such as `mean(income) by sex`.
    pub fn of_words(words: &[String], family: Option<&str>, estimands: &[String]) -> Result<Self, Error> {
        let (formula, files) = match words.split_first() {
            Some((first, rest)) if first.contains('~') && !Path::new(first).exists() => (Some(first), rest),
            _ => (None, words),
        };
        if formula.is_none() && family.is_some() {
            let message = "--family is that of a model; give a formula such as \"y ~ a + b\"";
            return Err(Error::Usage(message.into()));
        }
        let model = formula.map(|formula| model_estimand(formula, family));
        let others = estimands.iter().map(|text| Ok(Estimand::parse(text)?));
        Ok(Self::new(files, model.into_iter().chain(others).collect::<Result<_, Error>>()?))
    }

    /// Reads the files and answers every question.
    pub fn run(&self, watch: &Watch) -> Result<Findings, Error> {
        if let Some(folder) = &self.pictures {
            output_file::check_folder("pictures", folder)?;
        }
        let found = self.answers(watch)?;
        if let Some(folder) = &self.pictures {
            self.draw(folder, &found)?;
        }
        Ok(found)
    }

    fn draw(&self, folder: &Path, found: &Findings) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|source| TableError::io(folder, source))?;
        for (name, svg) in report::fit_pictures(found) {
            let picture = folder.join(name);
            output_file::check("pictures", &picture, &self.inputs(), self.replace)?;
            output_file::write(&picture, svg.as_bytes(), self.replace)?;
        }
        Ok(())
    }

    fn answers(&self, watch: &Watch) -> Result<Findings, Error> {
        if self.estimands.is_empty() {
            let message = "nothing is asked for; give a formula such as \"y ~ a + b\" first, or the option `estimate`, such as \"mean(x) by a\"";
            return Err(Error::Usage(message.into()));
        }
        let (paths, mut folder) =
            if self.tables.is_empty() { files(&self.files)? } else { self.release_alone()? };
        refuse_twice(&paths)?;
        if let (Some(folder), Some(first)) = (&mut folder, paths.first()) {
            folder.provenance.own_schema = self.own_schema(first, folder, watch)?;
        }
        let provenance = folder.as_ref().map(|folder| &folder.provenance).or(self.made.as_ref());
        let manner = self.manner(provenance, paths.len() + self.tables.len())?;
        let tables = match self.tables.as_slice() {
            [] => self.read(&paths, folder.as_ref(), watch)?,
            tables => in_memory(tables, folder.as_ref(), watch)?,
        };
        let original_rows = self.original_rows.or(provenance.and_then(Provenance::known_original_rows));
        let (tables, original_rows) = self.subset(tables, original_rows, provenance, &manner)?;
        let released = Released { files: &tables, original_rows, provenance };
        let all = answers(&released, &self.estimands, &manner, watch)?;
        let mut answers = Vec::with_capacity(self.estimands.len());
        for (estimand, mut unweighted) in self.estimands.iter().zip(all) {
            watch.check()?;
            let weighted = self.weighted(&released, estimand, &manner)?;
            if let Some(Err(reason)) = &weighted {
                unweighted
                    .warnings
                    .push(format!("records count once here, and the weighted answer is not given: {reason}"));
            }
            answers.push(unweighted);
            answers.extend(weighted.and_then(Result::ok));
            watch.report(Step::Answering { done: answers.len(), of: self.estimands.len() });
        }
        let names =
            paths.iter().map(|path| path.display().to_string()).chain(self.tables.iter().map(Data::name));
        let facts = |(name, table): (String, &Table)| FileFacts { name, records: table.rows() as u64 };
        Ok(Findings {
            files: names.zip(&tables).map(facts).collect(),
            original_rows,
            method: provenance.map(|made| made.recipe.method.clone()),
            target: manner.target,
            level: manner.level,
            answers,
        })
    }

    /// The one release folder that says how tables in memory were made, if one is named; none of its files is read.
    fn release_alone(&self) -> Result<(Vec<PathBuf>, Option<ReleaseFolder>), Error> {
        match self.files.as_slice() {
            [] => Ok((Vec::new(), None)),
            [folder] if folder.is_dir() => Ok((Vec::new(), Some(ReleaseFolder::read(folder)?))),
            _ => Err(Error::Usage("tables in memory go with one release folder, or with none".into())),
        }
    }

    /// The answer with records counted by their weight and standard errors of the design, where the schema describes one; or why it cannot be given.
    fn weighted(
        &self,
        released: &Released<'_>,
        estimand: &Estimand,
        manner: &Manner,
    ) -> Result<Option<Result<Answer, String>>, Error> {
        let Some(variables) = SurveyVariables::of(released.files[0].schema()) else { return Ok(None) };
        let is_weight = |name: &&str| variables.weight.as_deref() == Some(*name);
        if let Some(name) = estimand.variables().into_iter().find(is_weight) {
            return Ok(Some(Err(format!("`{name}` is the weight itself"))));
        }
        if self.only_where.is_some() {
            let reason = "records that `where` leaves out are part of the design; ask for classes with `by`";
            return Ok(Some(Err(reason.into())));
        }
        match answer(released, estimand, &Manner { survey: true, ..*manner }) {
            Ok(answer) => Ok(Some(Ok(answer))),
            Err(InferenceError::Table(TableError::Cancelled)) => Err(Error::from(TableError::Cancelled)),
            Err(error) => Ok(Some(Err(error.to_string()))),
        }
    }

    /// The records that meet the condition, and the number of original ones that they stand for: the same share of N. Rules that make the release again need all records.
    fn subset(
        &self,
        tables: Vec<Table>,
        original_rows: Option<u64>,
        provenance: Option<&Provenance>,
        manner: &Manner,
    ) -> Result<(Vec<Table>, Option<u64>), Error> {
        let Some(text) = &self.only_where else { return Ok((tables, original_rows)) };
        let refuse = |message: String| Err(Error::option("where", message));
        let making = provenance.and_then(Provenance::making);
        let again = |estimand| {
            let rule = self.rule.unwrap_or_else(|| valid_rule(making.as_ref(), estimand, tables.len()).rule);
            matches!(rule, Rule::Bootstrap | Rule::Posterior)
        };
        if manner.bootstrap_t.is_some() || self.estimands.iter().any(again) {
            return refuse(
                "this answer is found by making the release again, which needs all records; ask for classes with `by`"
                    .into(),
            );
        }
        let all: usize = tables.iter().map(Table::rows).sum();
        let subset = |table: &Table| -> Result<Table, Error> {
            let condition = Expression::parse(text)
                .and_then(|expression| expression.condition(table.schema().variables()))
                .map_err(|error| Error::option("where", error.to_string()))?;
            let rows: Vec<u32> = (0..table.rows() as u32)
                .filter(|row| condition.holds(&table.record(*row as usize)) == Some(true))
                .collect();
            Ok(table.take(&rows)?)
        };
        let subsets = tables.iter().map(subset).collect::<Result<Vec<Table>, Error>>()?;
        if subsets.iter().any(|table| table.rows() == 0) {
            return refuse("no record of some file meets it".into());
        }
        let kept: usize = subsets.iter().map(Table::rows).sum();
        let original_rows =
            original_rows.map(|rows| ((rows as f64 * kept as f64 / all as f64).round() as u64).max(1));
        Ok((subsets, original_rows))
    }

    fn manner(&self, provenance: Option<&Provenance>, m: usize) -> Result<Manner, Error> {
        let making = provenance.and_then(Provenance::making);
        let rule_of = |estimand| self.rule.unwrap_or_else(|| valid_rule(making.as_ref(), estimand, m).rule);
        let used: Vec<Rule> = self.estimands.iter().map(rule_of).collect();
        let no_effect = |option: &str, why: &str| {
            Err(Error::option(option, format!("it has no effect: {why}; leave it out")))
        };
        if self.replicates.is_some() && !used.contains(&Rule::Bootstrap) {
            return no_effect("replicates", "the rule `bootstrap` is not used");
        }
        let random = |rule: &Rule| matches!(rule, Rule::Bootstrap | Rule::Posterior);
        if self.seed.is_some() && self.bootstrap_t.is_none() && !used.iter().any(random) {
            return no_effect("seed", "nothing random is asked for");
        }
        let usual = Manner::default();
        let seed = self.seed.unwrap_or(usual.resampling.seed);
        Ok(Manner {
            rule: self.rule,
            target: self.target,
            level: self.level,
            weights: self.weights,
            bootstrap_t: self.bootstrap_t.map(|replicates| Resampling { replicates, seed }),
            resampling: Resampling {
                replicates: self.replicates.unwrap_or(usual.resampling.replicates),
                seed,
            },
            survey: false,
        })
    }

    /// The schema of the release, where the files are to be read with another. Those of a private release are read with its own alone: the noise is on its classes.
    fn own_schema(
        &self,
        path: &Path,
        folder: &ReleaseFolder,
        watch: &Watch,
    ) -> Result<Option<Schema>, Error> {
        if !self.reading.has_schema() {
            return Ok(None);
        }
        if folder.provenance.recipe.privacy.is_some() {
            let message = "it is not for a private release, whose noise is on the classes of its own schema; leave it out";
            return Err(Error::option("schema", message));
        }
        let own = self.reading.sibling(path).under(SchemaFile::read(&folder.schema)?);
        Ok(Some(own.read(watch)?.schema().clone()))
    }

    fn read(
        &self,
        paths: &[PathBuf],
        folder: Option<&ReleaseFolder>,
        watch: &Watch,
    ) -> Result<Vec<Table>, Error> {
        let mut reading = self.reading.clone();
        if let (false, Some(folder)) = (reading.has_schema(), folder) {
            reading = reading.under(SchemaFile::read(&folder.schema)?);
        }
        let read = |path: &PathBuf| -> Result<Table, Error> {
            Ok(table::read::read_table(path, &reading.options(watch)?)?)
        };
        let tables = paths.iter().map(read).collect::<Result<Vec<Table>, Error>>()?;
        Ok(with_common_levels(tables)?)
    }
}

impl Request for FitRequest {
    type Outcome = Findings;

    /// The files, those of a folder one by one, and the schema.
    fn inputs(&self) -> Vec<PathBuf> {
        let within = |path: &PathBuf| -> Vec<PathBuf> {
            match std::fs::read_dir(path) {
                Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
                Err(_) => vec![path.clone()],
            }
        };
        let schema = self.reading.schema_path().map(Path::to_owned);
        self.files.iter().flat_map(within).chain(schema).collect()
    }

    fn reads(&self) -> Vec<PathBuf> {
        // A file that lies in the folder of a release is known by the manifest beside it.
        let above = self.files.iter().filter_map(|file| file.parent()).map(|folder| {
            match folder.as_os_str().is_empty() {
                true => PathBuf::from("."),
                false => folder.to_owned(),
            }
        });
        self.inputs().into_iter().chain(self.files.clone()).chain(above).collect()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        self.pictures.clone().into_iter().collect()
    }

    fn perform(&self, watch: &Watch) -> Result<Findings, Error> {
        self.run(watch)
    }

    fn text(&self, found: &Findings) -> String {
        report::fit_text(found)
    }

    fn json(&self, found: &Findings) -> serde_json::Value {
        serde_json::json!(found)
    }
}

/// Tables in memory, under the schema of the release that they are of, if one is known.
fn in_memory(tables: &[Data], folder: Option<&ReleaseFolder>, watch: &Watch) -> Result<Vec<Table>, Error> {
    let read = |data: &Data| -> Result<Table, Error> {
        let data = match folder {
            Some(folder) if !data.has_schema() => data.clone().under(SchemaFile::read(&folder.schema)?),
            _ => data.clone(),
        };
        Ok(data.read(watch)?.as_ref().clone())
    };
    Ok(with_common_levels(tables.iter().map(read).collect::<Result<Vec<Table>, Error>>()?)?)
}

/// The synthetic files, and the release that they are of, if one is known.
fn files(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Option<ReleaseFolder>), Error> {
    match paths {
        [] => Err(Error::Usage("no synthetic file is named; give files, or a release folder".into())),
        [folder] if folder.is_dir() && folder.join(MANIFEST).exists() => {
            let release = ReleaseFolder::read(folder)?;
            let data: Vec<PathBuf> =
                release.manifest.data_sets().into_iter().map(|name| folder.join(name)).collect();
            Ok((data, Some(release)))
        }
        several => {
            // A folder of files is a data set of a release, or else one table.
            if let Some(folder) = several.iter().find(|path| path.join(MANIFEST).exists()) {
                let message =
                    format!("{} is a folder; give one release folder alone, or files", folder.display());
                return Err(Error::Usage(message));
            }
            let release = release_of(several)?;
            Ok((several.to_vec(), release))
        }
    }
}

/// A file that is named twice would count as two.
fn refuse_twice(paths: &[PathBuf]) -> Result<(), Error> {
    let mut known = std::collections::HashSet::new();
    for path in paths {
        let place = std::fs::canonicalize(path).map_err(|source| TableError::io(path, source))?;
        if !known.insert(place) {
            let message =
                format!("{} is named twice, and would count as two files; name it once", path.display());
            return Err(Error::Usage(message));
        }
    }
    Ok(())
}

/// The release beside whose manifest all of these files lie and which names them; `None` where there is none.
fn release_of(paths: &[PathBuf]) -> Result<Option<ReleaseFolder>, Error> {
    let folder = |path: &PathBuf| match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let first = folder(&paths[0]);
    if paths.iter().any(|path| folder(path) != first) || !first.join(MANIFEST).exists() {
        return Ok(None);
    }
    let release = ReleaseFolder::read(&first)?;
    let listed = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| release.manifest.data_sets().contains(&name))
    };
    Ok(paths.iter().all(listed).then_some(release))
}

impl ReleaseFolder {
    fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(MANIFEST);
        let manifest: Manifest = json(&path)?;
        if manifest.format != FORMAT || manifest.version != 1 {
            let message =
                format!("{}: it is no manifest of a release that this version knows", path.display());
            return Err(Error::Usage(message));
        }
        let ledger = folder.join(LEDGER);
        let provenance = Provenance {
            recipe: Recipe::read(&folder.join("recipe.toml"))?,
            original_rows: manifest.input.rows,
            ledger: if ledger.exists() { Some(json(&ledger)?) } else { None },
            own_schema: None,
        };
        Ok(Self { manifest, provenance, schema: folder.join("schema.toml") })
    }
}

fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = std::fs::read(path).map_err(|source| TableError::io(path, source))?;
    serde_json::from_slice(&text).map_err(|error| {
        Error::Usage(format!(
            "{}, line {}: it cannot be understood; mend it, or copy the files to another folder and give the option `original-rows`",
            path.display(),
            error.line()
        ))
    })
}
