//! `lookalike fit`: estimates from synthetic files, with intervals that are valid for how the files were made.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::release::{LEDGER, MANIFEST, Manifest};
use clap::{Args, ValueEnum};
use inference::{
    Estimand, FileFacts, Findings, Level, Making, Manner, Provenance, Released, Resampling, Rule, Target,
    Weights, answer, valid_rule, with_common_levels,
};
use models::{Formula, ModelFamily};
use synthesis::Recipe;
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;
use table::{Schema, Table, TableError};

use super::describe::Reading;
use super::{Everywhere, Failure};

/// Estimate from synthetic files, with intervals that are valid for how they were made.
#[derive(Debug, Args)]
pub(super) struct Fit {
    /// A model such as "y ~ a + b", if one is to be fitted; then the synthetic files, or one release folder. Files that lie beside the manifest of
    /// their release are read with it
    #[arg(required = true, value_name = "FORMULA | FILES")]
    inputs: Vec<String>,
    #[command(flatten)]
    reading: Reading,
    /// The family of the model: gaussian, logistic, multinomial, ordinal or poisson [default: gaussian]
    #[arg(long, value_name = "FAMILY")]
    family: Option<String>,
    /// Means, shares or a table: "mean(income) by sex", "share(smoke) by agegr", "share(smoke = YES)", "table(edu, marital)"; may be given several times
    #[arg(long, value_name = "WHAT")]
    estimate: Vec<String>,
    /// N, the number of original records [default: what the manifest of the release says; a private release with `rows` and without `records` does not say it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    original_rows: Option<u64>,
    /// The rule: tp, ts, proper, partial, tf, pooled, posterior or bootstrap [default: the one that is valid for the release]
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// What the interval is for: the population quantity, or the estimate that the original data would give
    #[arg(long, value_enum, default_value = "population")]
    target: TargetName,
    /// How often the interval is to cover
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    level: f64,
    /// How files count in the estimate: alike, or by their number of records [default: n-syn for `saturated` releases with sigma above 0, else equal]
    #[arg(long, value_enum)]
    weights: Option<WeightsName>,
    /// Quantiles from R replicates of the bootstrap-t instead of the normal or t distribution
    #[arg(long, value_name = "R")]
    bootstrap_t: Option<usize>,
    /// Replicates of the rule `bootstrap` [default: 500]
    #[arg(long, value_name = "R")]
    replicates: Option<usize>,
    /// Draw each question's estimates with their intervals as an SVG file in this folder
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// The seed of bootstraps and of the posterior's sampler [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TargetName {
    Population,
    Original,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WeightsName {
    Equal,
    NSyn,
}

/// What the release folder says.
struct ReleaseFolder {
    manifest: Manifest,
    provenance: Provenance,
    schema: PathBuf,
}

impl Fit {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let (formula, inputs) = self.formula_and_inputs();
        let estimands = self.estimands(formula)?;
        let (paths, mut folder) = files(inputs)?;
        refuse_twice(&paths)?;
        if let Some(folder) = &mut folder {
            folder.provenance.own_schema = self.own_schema(&paths[0], folder, everywhere)?;
        }
        let provenance = folder.as_ref().map(|folder| &folder.provenance);
        let manner = self.manner(&estimands, provenance, paths.len())?;
        let tables = self.read(&paths, folder.as_ref(), everywhere)?;
        let original_rows = self.original_rows.or(provenance.and_then(Provenance::known_original_rows));
        let released = Released { files: &tables, original_rows, provenance };
        let answers = estimands
            .iter()
            .map(|estimand| answer(&released, estimand, &manner))
            .collect::<Result<Vec<_>, _>>()?;
        let facts = |(path, table): (&PathBuf, &Table)| FileFacts {
            name: path.display().to_string(),
            records: table.rows() as u64,
        };
        let findings = Findings {
            files: paths.iter().zip(&tables).map(facts).collect(),
            original_rows,
            method: folder.map(|folder| folder.manifest.method),
            target: manner.target,
            level: manner.level,
            answers,
        };
        if let Some(folder) = &self.pictures {
            std::fs::create_dir_all(folder).map_err(|source| TableError::io(folder, source))?;
            for (name, svg) in report::fit_pictures(&findings) {
                table::atomic_file::write(&folder.join(name), svg.as_bytes())?;
            }
        }
        everywhere.deliver(&report::fit_text(&findings), || serde_json::json!(findings))?;
        Ok(ExitCode::SUCCESS)
    }

    /// The first argument is a formula if it has a tilde and is no file.
    fn formula_and_inputs(&self) -> (Option<&str>, &[String]) {
        match self.inputs.split_first() {
            Some((first, rest)) if first.contains('~') && !Path::new(first).exists() => (Some(first), rest),
            _ => (None, &self.inputs),
        }
    }

    fn estimands(&self, formula: Option<&str>) -> Result<Vec<Estimand>, Failure> {
        let mut estimands = Vec::new();
        match (formula, &self.family) {
            (None, Some(_)) => {
                return Err(Failure::Usage(
                    "--family is that of a model; give a formula such as \"y ~ a + b\"".into(),
                ));
            }
            (None, None) => {}
            (Some(text), family) => {
                let formula = Formula::parse(text).map_err(|error| Failure::Usage(error.to_string()))?;
                let family = family.as_deref().map_or(Ok(ModelFamily::Gaussian), str::parse);
                let family = family.map_err(|error| Failure::Usage(format!("--family: {error}")))?;
                estimands.push(Estimand::Model { formula, family });
            }
        }
        for text in &self.estimate {
            estimands.push(Estimand::parse(text)?);
        }
        if estimands.is_empty() {
            let message = "nothing is asked for; give a formula such as \"y ~ a + b\" first, or --estimate \"mean(x) by a\"";
            return Err(Failure::Usage(message.into()));
        }
        Ok(estimands)
    }

    fn manner(
        &self,
        estimands: &[Estimand],
        provenance: Option<&Provenance>,
        m: usize,
    ) -> Result<Manner, Failure> {
        let rule = self.rule.as_deref().map(str::parse::<Rule>).transpose()?;
        let making = provenance.map_or(Making::Unknown, Provenance::making);
        let used: Vec<Rule> = estimands
            .iter()
            .map(|estimand| rule.unwrap_or_else(|| valid_rule(&making, estimand, m).rule))
            .collect();
        let refuse = |option: &str, why: &str| {
            Err(Failure::Usage(format!("{option} has no effect: {why}; leave it out")))
        };
        if self.replicates.is_some() && !used.contains(&Rule::Bootstrap) {
            return refuse("--replicates", "the rule `bootstrap` is not used");
        }
        let random = |rule: &Rule| matches!(rule, Rule::Bootstrap | Rule::Posterior);
        if self.seed.is_some() && self.bootstrap_t.is_none() && !used.iter().any(random) {
            return refuse("--seed", "nothing random is asked for");
        }
        let usual = Manner::default();
        let seed = self.seed.unwrap_or(usual.resampling.seed);
        Ok(Manner {
            rule,
            target: match self.target {
                TargetName::Population => Target::Population,
                TargetName::Original => Target::Original,
            },
            level: Level::new(self.level)?,
            weights: self.weights.map(|weights| match weights {
                WeightsName::Equal => Weights::Equal,
                WeightsName::NSyn => Weights::NSyn,
            }),
            bootstrap_t: self.bootstrap_t.map(|replicates| Resampling { replicates, seed }),
            resampling: Resampling {
                replicates: self.replicates.unwrap_or(usual.resampling.replicates),
                seed,
            },
        })
    }

    /// The schema of the release, where the files are to be read with another. Those of a private release are read with its own alone: the noise is on its classes.
    fn own_schema(
        &self,
        path: &Path,
        folder: &ReleaseFolder,
        everywhere: &Everywhere,
    ) -> Result<Option<Schema>, Failure> {
        let options = self.reading.options()?;
        if options.schema.is_none() {
            return Ok(None);
        }
        if folder.provenance.recipe.privacy.is_some() {
            let message = "--schema is not for a private release, whose noise is on the classes of its own schema; leave it out";
            return Err(Failure::Usage(message.into()));
        }
        let schema = Some(SchemaFile::read(&folder.schema)?);
        let options = ReadOptions { schema, watch: everywhere.watch(), ..options };
        Ok(Some(read_table(path, &options)?.schema().clone()))
    }

    fn read(
        &self,
        paths: &[PathBuf],
        folder: Option<&ReleaseFolder>,
        everywhere: &Everywhere,
    ) -> Result<Vec<Table>, Failure> {
        let mut options = self.reading.options()?;
        if let (None, Some(folder)) = (&options.schema, folder) {
            options.schema = Some(SchemaFile::read(&folder.schema)?);
        }
        let read = |path: &PathBuf| {
            let options = ReadOptions { watch: everywhere.watch(), ..options.clone() };
            read_table(path, &options)
        };
        let tables = paths.iter().map(read).collect::<Result<Vec<Table>, TableError>>()?;
        Ok(with_common_levels(tables)?)
    }
}

/// The synthetic files, and the release that they are of, if one is known.
fn files(inputs: &[String]) -> Result<(Vec<PathBuf>, Option<ReleaseFolder>), Failure> {
    let paths: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
    match paths.as_slice() {
        [] => Err(Failure::Usage("no synthetic file is named; give files, or a release folder".into())),
        [folder] if folder.is_dir() => {
            let release = ReleaseFolder::read(folder)?;
            let data = release.manifest.files.iter().filter(|file| file.rows.is_some());
            let data: Vec<PathBuf> = data.map(|file| folder.join(&file.name)).collect();
            Ok((data, Some(release)))
        }
        several => {
            if let Some(folder) = several.iter().find(|path| path.is_dir()) {
                let message =
                    format!("{} is a folder; give one release folder alone, or files", folder.display());
                return Err(Failure::Usage(message));
            }
            let release = release_of(several)?;
            Ok((paths, release))
        }
    }
}

/// A file that is named twice would count as two.
fn refuse_twice(paths: &[PathBuf]) -> Result<(), Failure> {
    let mut known = std::collections::HashSet::new();
    for path in paths {
        let place = std::fs::canonicalize(path).map_err(|source| TableError::io(path, source))?;
        if !known.insert(place) {
            let message =
                format!("{} is named twice, and would count as two files; name it once", path.display());
            return Err(Failure::Usage(message));
        }
    }
    Ok(())
}

/// The release beside whose manifest all of these files lie and which names them; `None` where there is none.
fn release_of(paths: &[PathBuf]) -> Result<Option<ReleaseFolder>, Failure> {
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
        release.manifest.files.iter().any(|file| file.rows.is_some() && Some(&file.name) == name.as_ref())
    };
    Ok(paths.iter().all(listed).then_some(release))
}

impl ReleaseFolder {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(MANIFEST);
        let manifest: Manifest = json(&path)?;
        if manifest.format != "lookalike-release" || manifest.version != 1 {
            let message =
                format!("{}: it is no manifest of a release that this version knows", path.display());
            return Err(Failure::Usage(message));
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

fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let text = std::fs::read(path).map_err(|source| TableError::io(path, source))?;
    serde_json::from_slice(&text).map_err(|error| {
        Failure::Usage(format!(
            "{}, line {}: it cannot be understood; mend it, or copy the files to another folder and give --original-rows",
            path.display(),
            error.line()
        ))
    })
}
