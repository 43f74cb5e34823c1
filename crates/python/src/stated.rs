//! Requests as Python states them: JSON, every key known, what is left out usual.

use std::path::PathBuf;

use lookalike::release::decision::Publication;
use lookalike::release::policy::Reasons;
use lookalike::synthesis::Recipe;
use lookalike::table::write::Format;
use lookalike::{Amount, Error, Noise, NumberClasses, Questions};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What is stated; a value that cannot be meant is an error that names the argument as far as it is known.
pub(crate) fn read<T: DeserializeOwned>(what: &str, json: &str) -> Result<T, Error> {
    serde_json::from_str(json).map_err(|error| {
        // Without the place in a document that nobody wrote.
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default().to_owned();
        Error::Usage(format!("{what}: {words}"))
    })
}

/// A recipe, checked.
pub(crate) fn recipe(json: &str) -> Result<Recipe, Error> {
    let recipe: Recipe = read("recipe", json)?;
    recipe.check()?;
    Ok(recipe)
}

/// What is asked of synthetic tables.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Asked {
    only: Vec<String>,
    tables: Vec<Vec<String>>,
    ways: Option<Vec<usize>>,
    groups: Option<usize>,
    classes: Option<String>,
    without_missing: bool,
    keys: Vec<Vec<String>>,
    targets: Vec<String>,
    models: Vec<String>,
    families: Vec<String>,
    orders: Option<Vec<usize>>,
    permutations: Option<usize>,
    resamples: Option<usize>,
    attacks: Option<usize>,
    predict: Vec<String>,
}

impl TryFrom<Asked> for Questions {
    type Error = Error;

    fn try_from(asked: Asked) -> Result<Self, Error> {
        let classes = asked.classes.as_deref().map(str::parse::<NumberClasses>).transpose();
        Ok(Self {
            only: asked.only,
            tables: asked.tables,
            ways: asked.ways,
            groups: asked.groups,
            classes: classes
                .map_err(|message| Error::Usage(format!("option `classes`: {message}")))?
                .unwrap_or_default(),
            without_missing: asked.without_missing,
            keys: asked.keys,
            targets: asked.targets,
            models: asked.models,
            model_families: asked.families,
            orders: asked.orders,
            permutations: asked.permutations,
            resamples: asked.resamples,
            attacks: asked.attacks,
            predict: asked.predict,
        })
    }
}

/// Reasons for what is refused without one.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StatedReasons {
    exception: Option<String>,
    unpaid_look: Option<String>,
    learned_schema: Option<String>,
    no_limits: Option<String>,
    small_table: Option<String>,
}

impl From<StatedReasons> for Reasons {
    fn from(stated: StatedReasons) -> Self {
        let StatedReasons { exception, unpaid_look, learned_schema, no_limits, small_table } = stated;
        Self { exception, unpaid_look, learned_schema, no_limits, small_table }
    }
}

/// What is said of a fit beside the recipe.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Synthesise {
    pub(crate) usual_method: bool,
    pub(crate) resume: Option<PathBuf>,
    pub(crate) memory: Option<u64>,
    pub(crate) insecure_test_seed: Option<u64>,
    pub(crate) reasons: StatedReasons,
}

/// What is said of a measurement.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Measure {
    pub(crate) questions: Asked,
    pub(crate) random_size: bool,
    pub(crate) seed: Option<u64>,
    pub(crate) mechanism: Option<String>,
    pub(crate) regions: Option<PathBuf>,
}

/// What is said of a plan.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    pub(crate) family: String,
    pub(crate) sigma: Option<Vec<f64>>,
    pub(crate) m: Vec<u32>,
    pub(crate) nu: Option<f64>,
    pub(crate) alpha: f64,
    pub(crate) scale: f64,
    pub(crate) near: Vec<(u64, f64)>,
    pub(crate) clt: bool,
    pub(crate) solve: Option<String>,
    pub(crate) solve_m: bool,
    pub(crate) groups: usize,
}

/// What is said of a frontier.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Frontier {
    pub(crate) grid: Option<String>,
    pub(crate) repeat: u32,
    pub(crate) holdout_share: Option<f64>,
    pub(crate) risk: Option<String>,
    pub(crate) utility: Option<String>,
    pub(crate) limits: Vec<String>,
    pub(crate) regions: Option<PathBuf>,
    pub(crate) seed: u64,
    pub(crate) out: Option<PathBuf>,
    pub(crate) questions: Asked,
}

/// What is said of a release.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Release {
    pub(crate) frontier: Option<PathBuf>,
    pub(crate) choose: Option<String>,
    pub(crate) recipe: Option<Recipe>,
    pub(crate) out: PathBuf,
    pub(crate) accepted_by: String,
    pub(crate) note: Option<String>,
    pub(crate) limits: Vec<String>,
    pub(crate) regions: Option<PathBuf>,
    pub(crate) reasons: StatedReasons,
    pub(crate) keep_copies: Option<String>,
    pub(crate) reproducible: bool,
    pub(crate) publish: Vec<String>,
    pub(crate) because: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) m: Option<u32>,
    pub(crate) rows: Option<u64>,
    pub(crate) seed: Option<u64>,
    pub(crate) format: Option<Format>,
    pub(crate) keep_formulas: bool,
    pub(crate) replace: bool,
    pub(crate) insecure_test_seed: Option<u64>,
    pub(crate) questions: Asked,
}

impl Release {
    pub(crate) fn amount(&self) -> Amount {
        let Self { m, rows, seed, format, keep_formulas, .. } = *self;
        Amount { m, rows, seed, format, keep_formulas }
    }

    pub(crate) fn publication(&self) -> Publication {
        Publication { measures: self.publish.clone(), reason: self.because.clone() }
    }
}

/// What is said of an estimate.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fit {
    pub(crate) formula: Option<String>,
    pub(crate) family: Option<String>,
    pub(crate) estimates: Vec<String>,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) only_where: Option<String>,
    pub(crate) original_rows: Option<u64>,
    pub(crate) rule: Option<String>,
    pub(crate) target: String,
    pub(crate) level: f64,
    pub(crate) weights: Option<String>,
    pub(crate) bootstrap_t: Option<usize>,
    pub(crate) replicates: Option<usize>,
    pub(crate) seed: Option<u64>,
}

/// Where noise comes from.
pub(crate) fn noise(insecure_test_seed: Option<u64>) -> Noise {
    insecure_test_seed.map_or(Noise::OperatingSystem, Noise::InsecureTestSeed)
}
