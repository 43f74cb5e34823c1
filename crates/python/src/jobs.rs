//! One function a job: what Python states becomes a request of the library; its outcome goes back as text for people and JSON for machines.

use std::path::PathBuf;
use std::sync::Arc;

use lookalike::frontier::plan::{Bound as PlanBound, Free, MeanCount};
use lookalike::frontier::{Frontier, grid};
use lookalike::inference::{Level, Provenance, Rule, Target, Weights};
use lookalike::report::{Edition, ReportInput, pictures, report_html};
use lookalike::table::schema::SchemaFile;
use lookalike::{
    DescribeRequest, Error, FitRequest, FrontierRequest, MeasureOutcome, MeasureRequest, MeasuresRequest,
    MethodsRequest, PlanRequest, ReleaseRequest, Request, SpendingRequest, SynthesiseRequest, VerifyRequest,
    Version, Watch, read_mechanism, read_regions,
};
use pyo3::prelude::*;

use crate::calls::run;
use crate::data::Data;
use crate::failure::raised;
use crate::model::Model;
use crate::stated::{self, noise, read};

type Progress = Option<Py<PyAny>>;

/// Text for people, JSON for machines.
type Told = (String, String);

fn told<R: Request>(request: &R, outcome: &R::Outcome) -> Told {
    (request.text(outcome), request.json(outcome).to_string())
}

/// What a table is: text, JSON, the draft of its schema, the same without what very few records have, and whether it keeps its schema.
#[pyfunction]
#[pyo3(signature = (data, keys, progress=None))]
pub(crate) fn describe(
    py: Python<'_>,
    data: PyRef<'_, Data>,
    keys: Vec<String>,
    progress: Progress,
) -> PyResult<(String, String, String, String, bool)> {
    let request = DescribeRequest { keys, ..DescribeRequest::new(data.inner.clone()) };
    run(py, progress, &Data::lines([&*data]), move |watch| {
        let described = request.run(watch)?;
        let (text, json) = told(&request, &described);
        Ok((text, json, described.draft(), described.draft_for_publication(), described.keeps_schema()))
    })
}

fn synthesise_request(data: &Data, recipe: &str, stated: &str) -> Result<SynthesiseRequest, Error> {
    let stated: stated::Synthesise = read("fit", stated)?;
    let mut recipe = stated::recipe(recipe)?;
    if stated.usual_method {
        recipe.method = lookalike::synthesis::registry::default_method(recipe.privacy.is_some()).to_owned();
    }
    Ok(SynthesiseRequest {
        usual_method: stated.usual_method,
        resume: stated.resume,
        memory: stated.memory,
        noise: noise(stated.insecure_test_seed),
        reasons: stated.reasons.into(),
        count_copies: true,
        ..SynthesiseRequest::new(data.inner.clone(), recipe)
    })
}

/// A model of the data.
#[pyfunction]
#[pyo3(signature = (data, recipe, stated, progress=None))]
pub(crate) fn synthesise(
    py: Python<'_>,
    data: PyRef<'_, Data>,
    recipe: &str,
    stated: &str,
    progress: Progress,
) -> PyResult<Model> {
    let request = synthesise_request(&data, recipe, stated).map_err(|error| raised(py, error))?;
    let made = run(py, progress, &Data::lines([&*data]), move |watch| request.run(watch))?;
    Ok(Model::new(made.fitted, data.like.clone(), made.uniques))
}

/// What a private fit would spend on what; the data are not opened.
#[pyfunction]
pub(crate) fn spending(py: Python<'_>, data: PyRef<'_, Data>, recipe: &str, stated: &str) -> PyResult<Told> {
    let request = synthesise_request(&data, recipe, stated).map_err(|error| raised(py, error))?;
    let request = SpendingRequest(request);
    run(py, None, &Data::lines([&*data]), move |watch| Ok(told(&request, &request.perform(watch)?)))
}

/// What was measured.
#[pyclass(frozen, module = "lookalike._native")]
pub(crate) struct Measured {
    #[pyo3(get)]
    text: String,
    #[pyo3(get)]
    json: String,
    outcome: Arc<MeasureOutcome>,
}

#[pymethods]
impl Measured {
    /// A page with pictures, with exact figures of the original.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        let outcome = Arc::clone(&self.outcome);
        run(py, None, &[], move |_| outcome.internal_page())
    }
}

/// What synthetic tables are worth and what they disclose.
#[pyfunction]
#[pyo3(signature = (original, synthetic, holdout, stated, progress=None))]
pub(crate) fn measure(
    py: Python<'_>,
    original: PyRef<'_, Data>,
    synthetic: Vec<PyRef<'_, Data>>,
    holdout: Option<PyRef<'_, Data>>,
    stated: &str,
    progress: Progress,
) -> PyResult<Measured> {
    let request = || -> Result<MeasureRequest, Error> {
        let stated: stated::Measure = read("measure", stated)?;
        Ok(MeasureRequest {
            holdout: holdout.as_ref().map(|data| data.inner.clone()),
            questions: stated.questions.try_into()?,
            random_size: stated.random_size,
            seed: stated.seed,
            mechanism: stated.mechanism.as_deref().map(read_mechanism).transpose()?,
            regions: stated.regions.as_deref().map(read_regions).transpose()?,
            ..MeasureRequest::new(
                original.inner.clone(),
                synthetic.iter().map(|data| data.inner.clone()).collect(),
            )
        })
    };
    let request = request().map_err(|error| raised(py, error))?;
    run(py, progress, &Data::lines([&*original]), move |watch| {
        let outcome = request.run(watch)?;
        let (text, json) = told(&request, &outcome);
        Ok(Measured { text, json, outcome: Arc::new(outcome) })
    })
}

/// What the saturated mechanism would give and cost.
#[pyfunction]
#[pyo3(signature = (data, stated, progress=None))]
pub(crate) fn plan(
    py: Python<'_>,
    data: PyRef<'_, Data>,
    stated: &str,
    progress: Progress,
) -> PyResult<Told> {
    let request = || -> Result<PlanRequest, Error> {
        let stated: stated::Plan = read("plan", stated)?;
        let family = (stated.family.as_str(), stated.nu);
        let mut request =
            PlanRequest::of_family(data.inner.clone(), family, stated.sigma.as_deref(), &stated.m)?;
        request.mechanism = request.mechanism.with_alpha(stated.alpha)?.with_scale(stated.scale)?;
        request.grid.near = stated.near;
        if stated.clt {
            request.grid.mean_count = MeanCount::Clt;
        }
        let bound = stated.solve.as_deref().map(str::parse::<PlanBound>).transpose()?;
        request.solve = bound.map(|bound| (bound, if stated.solve_m { Free::m() } else { Free::sigma() }));
        request.groups = stated.groups;
        Ok(request)
    };
    let request = request().map_err(|error| raised(py, error))?;
    run(py, progress, &Data::lines([&*data]), move |watch| Ok(told(&request, &request.perform(watch)?)))
}

/// A frontier.
#[pyclass(frozen, module = "lookalike._native")]
pub(crate) struct Mapped {
    #[pyo3(get)]
    text: String,
    #[pyo3(get)]
    json: String,
    frontier: Arc<Frontier>,
}

impl Mapped {
    fn input(&self) -> ReportInput<'_> {
        ReportInput {
            name: &self.frontier.data,
            software: &self.frontier.software,
            frontier: Some(&self.frontier),
            ..ReportInput::default()
        }
    }
}

#[pymethods]
impl Mapped {
    /// The internal page with the map.
    fn page(&self) -> String {
        report_html(&self.input(), Edition::Internal)
    }

    /// The pictures, by name.
    fn pictures(&self) -> Vec<(String, String)> {
        pictures(&self.input(), Edition::Internal)
    }

    /// The recipe of a contestant as TOML.
    fn recipe(&self, name: &str) -> Option<String> {
        let contestant = self.frontier.contestants.iter().find(|contestant| contestant.name == name)?;
        match &contestant.origin {
            lookalike::frontier::Origin::Recipe { recipe, .. } => Some(recipe.clone()),
            _ => None,
        }
    }
}

/// The risk and utility of many recipes.
#[pyfunction]
#[pyo3(signature = (data, contestants, stated, progress=None))]
pub(crate) fn frontier(
    py: Python<'_>,
    data: PyRef<'_, Data>,
    contestants: Vec<(String, Vec<PyRef<'_, Data>>)>,
    stated: &str,
    progress: Progress,
) -> PyResult<Mapped> {
    let request = || -> Result<FrontierRequest, Error> {
        let stated: stated::Frontier = read("frontier", stated)?;
        let contestant = |(name, data): &(String, Vec<PyRef<'_, Data>>)| {
            (name.clone(), data.iter().map(|data| data.inner.clone()).collect())
        };
        Ok(FrontierRequest {
            grid: stated.grid.as_deref().map(grid::parse).transpose()?,
            repeat: stated.repeat,
            holdout_share: stated.holdout_share,
            contestants: contestants.iter().map(contestant).collect(),
            risk: stated.risk,
            utility: stated.utility,
            limits: stated.limits,
            regions: stated.regions.as_deref().map(read_regions).transpose()?,
            seed: stated.seed,
            out: stated.out,
            questions: stated.questions.try_into()?,
            read_from: stated.regions.into_iter().collect(),
            ..FrontierRequest::new(data.inner.clone())
        })
    };
    let request = request().map_err(|error| raised(py, error))?;
    run(py, progress, &Data::lines([&*data]), move |watch| {
        let found = request.run(watch)?;
        let (text, json) = told(&request, &found);
        Ok(Mapped { text, json, frontier: Arc::new(found.frontier) })
    })
}

/// The frontier that was written to a folder.
#[pyfunction]
pub(crate) fn read_frontier(py: Python<'_>, folder: PathBuf) -> PyResult<Mapped> {
    let frontier = lookalike::read_frontier(&folder).map_err(|error| raised(py, error))?;
    let text = lookalike::report::frontier_text(&frontier);
    Ok(Mapped { text, json: serde_json::json!(frontier).to_string(), frontier: Arc::new(frontier) })
}

/// A release with its evidence.
#[pyfunction]
#[pyo3(signature = (data, stated, progress=None))]
pub(crate) fn release(
    py: Python<'_>,
    data: PyRef<'_, Data>,
    stated: &str,
    progress: Progress,
) -> PyResult<Told> {
    let request = || -> Result<ReleaseRequest, Error> {
        let stated: stated::Release = read("release", stated)?;
        let (amount, publish) = (stated.amount(), stated.publication());
        let version = match (stated.frontier, stated.recipe) {
            (Some(folder), None) => Version::OfFrontier { folder, choose: stated.choose },
            (None, Some(recipe)) => Version::OfRecipe(Box::new(recipe)),
            _ => return Err(Error::Usage("name a method or a frontier, one of the two".into())),
        };
        Ok(ReleaseRequest {
            amount,
            publish,
            replace: stated.replace,
            name: stated.name,
            note: stated.note,
            limits: stated.limits,
            regions: stated.regions.as_deref().map(read_regions).transpose()?,
            reasons: stated.reasons.into(),
            reproducible: stated.reproducible,
            keep_copies: stated.keep_copies,
            questions: stated.questions.try_into()?,
            noise: noise(stated.insecure_test_seed),
            read_from: stated.regions.into_iter().collect(),
            ..ReleaseRequest::new(data.inner.clone(), version, stated.accepted_by, stated.out)
        })
    };
    let request = request().map_err(|error| raised(py, error))?;
    run(py, progress, &Data::lines([&*data]), move |watch| Ok(told(&request, &request.perform(watch)?)))
}

/// Whether a release is what its manifest says.
#[pyfunction]
pub(crate) fn verify(py: Python<'_>, folder: PathBuf) -> PyResult<(String, String, bool)> {
    let request = VerifyRequest::new(folder);
    run(py, None, &[], move |_| {
        let found = request.run()?;
        let (text, json) = told(&request, &found);
        Ok((text, json, found.passed))
    })
}

/// Estimates from synthetic tables.
#[pyfunction]
#[pyo3(signature = (tables, model, stated, progress=None))]
pub(crate) fn fit(
    py: Python<'_>,
    tables: Vec<PyRef<'_, Data>>,
    model: Option<PyRef<'_, Model>>,
    stated: &str,
    progress: Progress,
) -> PyResult<Told> {
    let request = || -> Result<FitRequest, Error> {
        let stated: stated::Fit = read("fit", stated)?;
        let words: Vec<String> = stated.formula.into_iter().collect();
        let asked = FitRequest::of_words(&words, stated.family.as_deref(), &stated.estimates)?;
        let fitted = model.as_ref().map(|model| model.fitted.as_ref());
        let made = fitted.map(|fitted| Provenance {
            recipe: fitted.recipe().clone(),
            original_rows: fitted.original_rows() as u64,
            ledger: fitted.ledger().cloned(),
            own_schema: None,
        });
        let schema = fitted.map(|fitted| SchemaFile::parse(&fitted.schema().to_toml())).transpose()?;
        let table = |data: &PyRef<'_, Data>| match &schema {
            Some(schema) => data.inner.clone().under(schema.clone()),
            None => data.inner.clone(),
        };
        Ok(FitRequest {
            files: stated.files,
            tables: tables.iter().map(table).collect(),
            made,
            only_where: stated.only_where,
            original_rows: stated.original_rows,
            rule: stated.rule.as_deref().map(str::parse::<Rule>).transpose()?,
            target: stated.target.parse::<Target>().map_err(|message| of_option("target", message))?,
            level: Level::new(stated.level)?,
            weights: stated
                .weights
                .as_deref()
                .map(str::parse::<Weights>)
                .transpose()
                .map_err(|message| of_option("weights", message))?,
            bootstrap_t: stated.bootstrap_t,
            replicates: stated.replicates,
            seed: stated.seed,
            ..asked
        })
    };
    let request = request().map_err(|error| raised(py, error))?;
    run(py, progress, &[], move |watch| Ok(told(&request, &request.perform(watch)?)))
}

fn of_option(name: &str, message: &str) -> Error {
    Error::Usage(format!("option `{name}`: {message}"))
}

fn reference<R: Request>(py: Python<'_>, request: R) -> PyResult<Told> {
    let found = request.perform(&Watch::default()).map_err(|error| raised(py, error))?;
    Ok(told(&request, &found))
}

/// The cards of the methods.
#[pyfunction]
#[pyo3(signature = (name=None))]
pub(crate) fn methods(py: Python<'_>, name: Option<String>) -> PyResult<Told> {
    reference(py, MethodsRequest { name, markdown: false })
}

/// The cards of the measures.
#[pyfunction]
#[pyo3(signature = (name=None))]
pub(crate) fn measures(py: Python<'_>, name: Option<String>) -> PyResult<Told> {
    reference(py, MeasuresRequest { name, markdown: false })
}
