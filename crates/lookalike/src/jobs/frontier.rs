//! What each method and setting would give and cost, on one map.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use frontier::axes::{chosen, computed};
use frontier::battery::Holdout;
use frontier::resume::FRONTIER;
use frontier::{
    Battery, Contest, Entry, Frontier, Imported, Limit, Origin, PlannedContestant, RunStore, Timings,
    built_in, grid, limits,
};
use measures::Setting;
use measures::risk::intruder::Regions;
use report::{Edition, ReportInput, report_html};
use table::watch::Watch;
use table::{Table, TableError, atomic_file};

use crate::data::Opened;
use crate::{Books, Data, Error, Questions, Request};

/// The page with pictures in the folder of a frontier.
const FRONTIER_PAGE: &str = "report-internal.html";

/// The folder of the recipes in that of a frontier.
const FRONTIER_RECIPES: &str = "recipes";

/// How the names of their files end; nothing else in that folder is ours.
const RECIPE_FILE: &str = ".recipe.toml";

/// Asks for the risk and utility of many recipes on one table.
///
/// ```
/// use lookalike::{Data, FrontierRequest, Questions, Watch};
/// use lookalike::table::read::{ReadOptions, read_csv_text};
///
/// let rows: String = (0..60).map(|at| format!("{},{}\n", ["F", "M"][at % 2], ["a", "b", "c"][at % 3])).collect();
/// let people = read_csv_text(&format!("sex,town\n{rows}"), &ReadOptions::default())?;
/// let mut request = FrontierRequest::new(Data::records("people", people));
/// request.grid = Some(lookalike::frontier::grid::parse("[[recipe]]\nmethod = \"catall\"\n")?);
/// request.repeat = 1;
/// request.questions.only = vec!["tables".into(), "uniques".into()];
/// let found = request.run(&Watch::default())?;
/// assert_eq!(found.frontier.contestants.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FrontierRequest {
    /// The table.
    pub data: Data,
    /// The recipes to try; a grid that suits the table if none are given.
    pub grid: Option<Vec<Entry>>,
    /// How often each recipe is run, so that the spread of runs is known.
    pub repeat: u32,
    /// Try them on so many records, drawn at random: for tables that do not fit into memory, or would take too long.
    pub fit_rows: Option<u64>,
    /// The share of records that is set apart before anything is fitted, so that attacks and predictions can be judged by records that no recipe saw.
    pub holdout_share: Option<f64>,
    /// Files of other tools as contestants, by name; several files are the data sets of one release.
    pub contestants: Vec<(String, Vec<Data>)>,
    /// The measure of risk on the map.
    pub risk: Option<String>,
    /// The measure of utility on the map.
    pub utility: Option<String>,
    /// Limits that a release must keep, such as `attribute.disco <= 5` or `epsilon <= 1`.
    pub limits: Vec<String>,
    /// Acceptable regions of (RR, R) for the intruder who knows all records but one, as a limit.
    pub regions: Option<Regions>,
    /// The seed of all runs.
    pub seed: u64,
    /// The folder for the map, the recipes and finished runs, from which an interrupted frontier goes on. It is as confidential as the data.
    pub out: Option<PathBuf>,
    /// What is asked of every contestant.
    pub questions: Questions,
    /// Files that the grid or regions were read from, which results may not replace.
    pub read_from: Vec<PathBuf>,
    /// The ledger over all runs on these data; without one that of the environment, where it names one.
    pub books: Option<Books>,
}

/// A frontier whose data have been read and whose questions were checked; nothing has run yet.
pub struct OpenedFrontier {
    request: FrontierRequest,
    data_set: Arc<Table>,
    /// The records that are fitted to, and those that are not.
    original: Arc<Table>,
    holdout: Option<Arc<Holdout>>,
    imported: Vec<Imported>,
    limits: Vec<Limit>,
    /// What is to be said of a sample, if the records are one.
    sample: Option<String>,
}

/// The map, and how long its runs took.
pub struct FrontierOutcome {
    /// Every contestant with its values, which are dominated, which keep the limits, and which is recommended.
    pub frontier: Frontier,
    /// Seconds of every run.
    pub timings: Timings,
}

impl FrontierRequest {
    /// Asks for the usual grid, five runs each, without limits.
    pub fn new(data: Data) -> Self {
        Self {
            data,
            grid: None,
            repeat: 5,
            fit_rows: None,
            holdout_share: None,
            contestants: Vec::new(),
            risk: None,
            utility: None,
            limits: Vec::new(),
            regions: None,
            seed: 1,
            out: None,
            questions: Questions::default(),
            read_from: Vec::new(),
            books: None,
        }
    }

    /// Reads the data and runs every contestant.
    pub fn run(&self, watch: &Watch) -> Result<FrontierOutcome, Error> {
        self.open(watch)?.run(watch)
    }

    /// Reads the data and checks the questions.
    pub fn open(&self, watch: &Watch) -> Result<OpenedFrontier, Error> {
        let limits = parse_limits(&self.limits, self.regions.is_some())?;
        Books::look(
            self.books.as_ref(),
            "frontier",
            "versions are fitted with noise that can be replayed, and measured against the original",
        )?;
        if self.fit_rows == Some(0) {
            return Err(Error::option("fit-rows", "it must be at least 1"));
        }
        let (original, sample) = match self.fit_rows {
            None => (self.data.read(watch)?, None),
            Some(rows) => {
                let opened = self.data.clone().sampled(rows, self.seed).open(watch)?;
                let remark = opened.sample_remark("tried on");
                match opened {
                    Opened::Records(table) | Opened::Sampled { records: table, .. } => (table, remark),
                    _ => (self.data.read(watch)?, None),
                }
            }
        };
        self.questions.check_variables(original.schema())?;
        let imported = self.imported(&original, watch)?;
        let data_set = Arc::clone(&original);
        let (original, holdout) = match self.holdout_share {
            None => (original, None),
            Some(share) => {
                let (fitted, holdout) = measures::split(&original, share, self.seed)?;
                (Arc::new(fitted), Some(Arc::new(Holdout::new(holdout))))
            }
        };
        let opened =
            OpenedFrontier { request: self.clone(), data_set, original, holdout, imported, limits, sample };
        opened.contest()?;
        Ok(opened)
    }

    fn imported(&self, original: &Table, watch: &Watch) -> Result<Vec<Imported>, Error> {
        let one = |(name, files): &(String, Vec<Data>)| -> Result<Imported, Error> {
            let imported = Imported {
                name: grid::file_name(name.trim()),
                files: files.iter().map(Data::name).collect(),
                tables: files
                    .iter()
                    .map(|file| file.read_as_it_is(watch).map(Arc::new))
                    .collect::<Result<_, _>>()?,
            };
            imported.check_columns(original)?;
            Ok(imported)
        };
        self.contestants.iter().map(one).collect()
    }
}

impl Request for FrontierRequest {
    type Outcome = FrontierOutcome;

    fn inputs(&self) -> Vec<PathBuf> {
        let contestants = self.contestants.iter().flat_map(|(_, files)| files).flat_map(Data::inputs);
        self.data.inputs().into_iter().chain(contestants).chain(self.read_from.clone()).collect()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        // The folder itself holds what an interrupted frontier has left.
        self.out.iter().cloned().chain(Books::inputs(self.books.as_ref())).collect()
    }

    fn perform(&self, watch: &Watch) -> Result<FrontierOutcome, Error> {
        self.run(watch)
    }

    fn text(&self, found: &FrontierOutcome) -> String {
        self.with_files(report::frontier_text(&found.frontier))
    }

    fn text_in_full(&self, found: &FrontierOutcome) -> String {
        self.with_files(report::frontier_text_in_full(&found.frontier))
    }

    fn json(&self, found: &FrontierOutcome) -> serde_json::Value {
        serde_json::json!(found.frontier)
    }

    fn passed(&self, found: &FrontierOutcome) -> bool {
        found.frontier.contestants.iter().any(|contestant| contestant.runs > 0)
    }
}

impl FrontierRequest {
    /// The text, and where the files are.
    fn with_files(&self, mut text: String) -> String {
        if let Some(out) = &self.out {
            text.push_str(&format!(
                "\n{} shows the map, {} holds all numbers, {} the recipes; confidential: do not release them.\n",
                out.join(FRONTIER_PAGE).display(),
                out.join(FRONTIER).display(),
                out.join(FRONTIER_RECIPES).display()
            ));
        }
        text
    }
}

impl OpenedFrontier {
    /// What theory says of the contestants before they run.
    pub fn planned(&self) -> Result<Vec<PlannedContestant>, Error> {
        Ok(self.contest()?.plan()?)
    }

    /// Runs every contestant, as far as its runs are not kept, and writes what was found if a folder is named.
    pub fn run(&self, watch: &Watch) -> Result<FrontierOutcome, Error> {
        let contest = self.contest()?;
        let planned = contest.plan()?;
        let store = match &self.request.out {
            Some(out) => RunStore::within(out)?,
            None => RunStore::nowhere(),
        };
        if let Some(out) = self.request.out.as_ref().filter(|_| !planned.is_empty()) {
            atomic_file::write_private(&out.join("planned.json"), pretty(&planned)?.as_bytes())?;
        }
        let (frontier, timings) = contest.run(&store, watch)?;
        if let Some(out) = &self.request.out {
            write(out, &frontier, &timings)?;
        }
        Ok(FrontierOutcome { frontier, timings })
    }

    fn contest(&self) -> Result<Contest<'_>, Error> {
        let FrontierRequest { questions, regions, .. } = &self.request;
        let families = questions.families()?;
        questions.check_honoured(&families, &[(Setting::Regions, regions.is_some())])?;
        let mut settings = questions.settings(Battery::usual(self.original.columns().len()))?;
        settings.propensity.draws.seed = self.request.seed;
        settings.intruder.regions.clone_from(regions);
        let mut battery = Battery::new(settings, families);
        battery.holdout.clone_from(&self.holdout);
        let names = battery.family_names();
        let axis = |option: &str, text: &Option<String>, usual: usize| match text {
            Some(text) => chosen(option, text, &names),
            None => battery.usual_axes(self.original.columns().len()).map(|axes| axes[usual].clone()),
        };
        let limited = battery.limited_risk(&self.limits, self.original.columns().len());
        let risk = match (&self.request.risk, limited) {
            (None, Some(limited)) => limited,
            _ => axis("--risk", &self.request.risk, 0)?,
        };
        let utility = axis("--utility", &self.request.utility, 1)?;
        for limit in &self.limits {
            let name = limits::axis_of(limit);
            computed(&format!("--limit \"{}\"", limit.text), &name, &names)?;
            battery.named.insert(name.measure);
        }
        battery.named.extend([risk.measure.clone(), utility.measure.clone()]);
        let (entries, mut remarks) = match &self.request.grid {
            Some(entries) => (entries.clone(), Vec::new()),
            None => built_in(&self.original)?,
        };
        remarks.extend(self.sample.clone());
        check_names(&entries, &self.imported)?;
        Ok(Contest {
            data_set: &self.data_set,
            original: &self.original,
            data: self.request.data.name(),
            entries,
            imported: self.imported.clone(),
            battery,
            risk,
            utility,
            limits: self.limits.clone(),
            repeat: self.request.repeat,
            seed: self.request.seed,
            remarks,
        })
    }
}

/// Limits as people write them, and that of acceptable regions where there are some.
pub(super) fn parse_limits(texts: &[String], regions: bool) -> Result<Vec<Limit>, Error> {
    let mut parsed = texts.iter().map(|text| limits::parse(text)).collect::<Result<Vec<_>, _>>()?;
    parsed.extend(regions.then(limits::regions));
    Ok(parsed)
}

/// Files of another tool as a contestant, written `NAME=FILE,…`, read as the data are.
pub fn read_contestant(text: &str, data: &Data) -> Result<(String, Vec<Data>), Error> {
    let Some((name, files)) = text.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
        return Err(Error::Usage(format!("--contestant {text}: write it as NAME=FILE")));
    };
    Ok((name.to_owned(), files.split(',').map(|file| data.sibling(file.trim())).collect()))
}

/// The grid of recipes in a file.
pub fn read_grid(path: &Path) -> Result<Vec<Entry>, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| TableError::io(path, source))?;
    grid::parse(&text)
        .map_err(|error| Error::Located { place: path.display().to_string(), error: Box::new(error.into()) })
}

/// The frontier that was written to this folder.
pub fn read_frontier(folder: &Path) -> Result<Frontier, Error> {
    let path = folder.join(FRONTIER);
    let bytes = std::fs::read(&path).map_err(|source| TableError::io(&path, source))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Error::Usage(format!("{} is not a finished frontier: {error}", path.display())))
}

fn check_names(entries: &[Entry], imported: &[Imported]) -> Result<(), Error> {
    let mut names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    for imported in imported {
        if names.contains(&imported.name.as_str()) {
            let message = format!("the name `{}` is taken; choose another", imported.name);
            return Err(Error::option("contestant", message));
        }
        names.push(&imported.name);
    }
    Ok(())
}

/// Writes what was found. All of it is confidential, and is for its owner only.
fn write(out: &Path, frontier: &Frontier, timings: &Timings) -> Result<(), Error> {
    let recipes = out.join(FRONTIER_RECIPES);
    let failed = |source| TableError::io(&recipes, source);
    std::fs::create_dir_all(&recipes).map_err(failed)?;
    for entry in std::fs::read_dir(&recipes).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().ends_with(RECIPE_FILE) {
            std::fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    for contestant in &frontier.contestants {
        if let Origin::Recipe { recipe, .. } = &contestant.origin {
            let path = recipes.join(format!("{}{RECIPE_FILE}", contestant.name));
            atomic_file::write_private(&path, recipe.as_bytes())?;
        }
    }
    let input = ReportInput {
        name: &frontier.data,
        software: &frontier.software,
        frontier: Some(frontier),
        ..ReportInput::default()
    };
    let page = report_html(&input, Edition::Internal);
    atomic_file::write_private(&out.join(FRONTIER_PAGE), page.as_bytes())?;
    atomic_file::write_private(&out.join("timings.json"), pretty(timings)?.as_bytes())?;
    atomic_file::write_private(&out.join(FRONTIER), pretty(frontier)?.as_bytes())?;
    Ok(())
}

fn pretty(value: &impl serde::Serialize) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Error::Usage(error.to_string()))?;
    Ok(text + "\n")
}
