//! The contest: every contestant run several times, and all of them put on one map.

use std::collections::{BTreeMap, btree_map};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use measures::Finding;
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use synthesis::cell_sizes;
use table::Table;
use table::watch::{Step, Watch};

use super::axes::AxisName;
use super::battery::Battery;
use super::grid::Entry;
use super::map::{Ran, draw_map};
use super::planned::{cell_draws, planned};
use super::resume::{RunRecord, RunStore, key_of, seed_of};
use super::run::{self, SharedModel, shares_its_model};
use super::schedule::{Model, Schedule, StopOnPanic};
use super::{
    Frontier, FrontierError, Limit, Origin, Timings, epsilon_of, epsilon_remark, records_sha256,
    schema_sha256,
};
use crate::plan::CellSizes;

/// The most runs of one recipe.
const MOST_RUNS: u32 = 10_000;

/// Who takes part, how they are judged, and by which limits.
pub struct Contest<'a> {
    /// The confidential table.
    pub data_set: &'a Table,
    /// The records of it that recipes are fitted to and judged by: all, or those that are not in the holdout of the battery.
    pub original: &'a Table,
    /// Its file name.
    pub data: String,
    /// Contestants that recipes make.
    pub entries: Vec<Entry>,
    /// Contestants that other tools made.
    pub imported: Vec<Imported>,
    /// How they are judged.
    pub battery: Battery,
    /// The axis of risk.
    pub risk: AxisName,
    /// The axis of utility.
    pub utility: AxisName,
    /// The owner's limits.
    pub limits: Vec<Limit>,
    /// How often each recipe is run.
    pub repeat: u32,
    /// The seed of all runs.
    pub seed: u64,
    /// What is to be said of the whole, such as what was left out of the grid.
    pub remarks: Vec<String>,
}

/// A contestant that another tool made: the data sets of one release.
#[derive(Clone)]
pub struct Imported {
    /// Its name.
    pub name: String,
    /// The files' names, without their folders.
    pub files: Vec<String>,
    /// Their records.
    pub tables: Vec<Arc<Table>>,
}

/// What theory says of one contestant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlannedContestant {
    /// Its name.
    pub name: String,
    /// The expected value on each axis of which theory speaks.
    pub expected: Vec<(AxisName, f64)>,
}

impl Imported {
    /// Refuses files whose columns are not those of the data; their order does not matter.
    pub fn check_columns(&self, original: &Table) -> Result<(), FrontierError> {
        let names = |table: &Table| -> Vec<String> {
            table.schema().variables().iter().map(|variable| variable.name.clone()).collect()
        };
        let wanted = names(original);
        for table in &self.tables {
            let own = names(table);
            let missing: Vec<&String> = wanted.iter().filter(|name| !own.contains(name)).collect();
            let extra: Vec<&String> = own.iter().filter(|name| !wanted.contains(name)).collect();
            let list = |what: &str, names: &[&String]| {
                let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
                (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
            };
            let difference: Vec<String> =
                [list("without", &missing), list("with", &extra)].into_iter().flatten().collect();
            if !difference.is_empty() {
                return Err(FrontierError::OtherColumns {
                    name: self.name.clone(),
                    difference: difference.join("; "),
                });
            }
        }
        Ok(())
    }
}

/// A run that is to be had.
struct Job<'a> {
    contestant: usize,
    name: &'a str,
    number: u32,
    key: String,
}

/// Hears how many runs have ended, and can ask for those that have.
type Reporting<'a> =
    dyn Fn(usize, &dyn Fn() -> Vec<Option<RunRecord>>) -> Result<(), FrontierError> + Sync + 'a;

/// Tells what was found so far, but not so often that it costs more than a twentieth of the time.
#[derive(Default)]
struct SoFar(Mutex<Option<(Instant, Duration)>>);

impl SoFar {
    const PAUSE: Duration = Duration::from_millis(500);

    fn at_most_now_and_then(
        &self,
        tell: impl FnOnce() -> Result<(), FrontierError>,
    ) -> Result<(), FrontierError> {
        // Whoever comes while another one tells goes on with the work.
        let Ok(mut last) = self.0.try_lock() else { return Ok(()) };
        let is_time = last.is_none_or(|(ended, took)| ended.elapsed() >= Self::PAUSE.max(20 * took));
        if is_time {
            let start = Instant::now();
            tell()?;
            *last = Some((Instant::now(), start.elapsed()));
        }
        Ok(())
    }
}

impl Contest<'_> {
    /// What theory says, before anything is run: one for each contestant of which it speaks.
    pub fn plan(&self) -> Result<Vec<PlannedContestant>, FrontierError> {
        let mut sizes: BTreeMap<u32, CellSizes> = BTreeMap::new();
        let mut all = Vec::new();
        for entry in &self.entries {
            if cell_draws(&entry.recipe).is_none() {
                continue;
            }
            let groups = entry.recipe.groups;
            let sizes = match sizes.entry(groups) {
                btree_map::Entry::Occupied(known) => known.into_mut(),
                btree_map::Entry::Vacant(place) => {
                    place.insert(CellSizes::new(cell_sizes(self.original, groups as usize)?)?)
                }
            };
            let expected = planned(self.original, &entry.recipe, sizes, &self.battery.settings)?;
            if !expected.is_empty() {
                all.push(PlannedContestant { name: entry.name.clone(), expected });
            }
        }
        Ok(all)
    }

    /// Runs every contestant, as far as its runs are not kept, on all cores, and puts them on the map.
    pub fn run(&self, store: &RunStore, watch: &Watch) -> Result<(Frontier, Timings), FrontierError> {
        if self.repeat == 0 {
            return Err(FrontierError::option("--repeat", "every recipe must be run at least once"));
        }
        if self.repeat > MOST_RUNS {
            let message =
                format!("a recipe can be run up to {MOST_RUNS} times, and rarely needs more than 20");
            return Err(FrontierError::option("--repeat", message));
        }
        self.imported.iter().try_for_each(|imported| imported.check_columns(self.original))?;
        let planned = self.plan()?;
        let told = SoFar::default();
        let tell = |records: Vec<Vec<RunRecord>>| {
            told.at_most_now_and_then(|| {
                let (found, _) = draw_map(self, self.ran(records, &planned));
                store.write_so_far(&found)
            })
        };
        let records = self.all_runs(store, watch, &tell)?;
        let found = draw_map(self, self.ran(records, &planned));
        store.remove_so_far();
        Ok(found)
    }

    /// Contestants with their runs.
    fn ran(&self, records: Vec<Vec<RunRecord>>, planned: &[PlannedContestant]) -> Vec<Ran> {
        let mut ran = Vec::new();
        for (at, runs) in records.into_iter().enumerate() {
            let (name, label, origin, epsilon) = match self.entries.get(at) {
                Some(entry) => {
                    let origin = Origin::Recipe {
                        method: entry.recipe.method.clone(),
                        recipe: entry.recipe.to_toml(),
                    };
                    let epsilon = entry.recipe.privacy.as_ref().and_then(epsilon_of);
                    (entry.name.clone(), entry.label.clone(), origin, epsilon)
                }
                None => {
                    let imported = &self.imported[at - self.entries.len()];
                    let origin = Origin::Imported { files: imported.files.clone() };
                    (imported.name.clone(), format!("{} (imported)", imported.name), origin, None)
                }
            };
            let expected = planned.iter().find(|planned| planned.name == name);
            let expected = expected.map(|planned| planned.expected.clone()).unwrap_or_default();
            let privacy = self.entries.get(at).and_then(|entry| entry.recipe.privacy.as_ref());
            let guarantee = privacy.and_then(epsilon_remark);
            ran.push(Ran { name, label, origin, epsilon, guarantee, expected, runs });
        }
        ran
    }

    fn jobs(&self) -> Vec<Job<'_>> {
        let version = env!("CARGO_PKG_VERSION");
        let of_table = |table: &Table| format!("{} {}", records_sha256(table), schema_sha256(table.schema()));
        let original = of_table(self.original);
        let battery = self.battery.fingerprint();
        let seed = self.seed.to_string();
        let key = |what: &str, number: u32| {
            key_of(&[version, &original, &battery, what, &seed, &number.to_string()])
        };
        let mut jobs = Vec::new();
        for (contestant, entry) in self.entries.iter().enumerate() {
            for number in 0..self.repeat {
                let key = key(&entry.recipe.to_toml(), number);
                jobs.push(Job { contestant, name: &entry.name, number, key });
            }
        }
        for (at, imported) in self.imported.iter().enumerate() {
            let tables: Vec<String> = imported.tables.iter().map(|table| of_table(table)).collect();
            let key = key(&tables.join("\n"), 0);
            jobs.push(Job { contestant: self.entries.len() + at, name: &imported.name, number: 0, key });
        }
        jobs
    }

    /// Every contestant's runs, in their order.
    fn all_runs(
        &self,
        store: &RunStore,
        watch: &Watch,
        tell: &(dyn Fn(Vec<Vec<RunRecord>>) -> Result<(), FrontierError> + Sync),
    ) -> Result<Vec<Vec<RunRecord>>, FrontierError> {
        let jobs = self.jobs();
        let kept: Vec<Option<RunRecord>> =
            jobs.iter().map(|job| store.find(job.name, job.number, &job.key)).collect();
        let pending: Vec<usize> = (0..jobs.len()).filter(|at| kept[*at].is_none()).collect();
        let found_again = jobs.len() - pending.len();
        let by_contestant = |fresh: Vec<Option<RunRecord>>| {
            let mut fresh = fresh.into_iter();
            let mut records: Vec<Vec<RunRecord>> =
                (0..self.entries.len() + self.imported.len()).map(|_| Vec::new()).collect();
            for (job, kept) in jobs.iter().zip(&kept) {
                let record = if kept.is_some() { kept.clone() } else { fresh.next().flatten() };
                records[job.contestant].extend(record);
            }
            records
        };
        let report = |done: usize, fresh: &dyn Fn() -> Vec<Option<RunRecord>>| {
            watch.report(Step::Running { done: found_again + done, of: jobs.len(), kept: found_again });
            watch.check().map_err(FrontierError::from)?;
            if store.keeps() && found_again + done > 0 { tell(by_contestant(fresh())) } else { Ok(()) }
        };
        report(0, &|| pending.iter().map(|_| None).collect())?;
        Ok(by_contestant(self.run_side_by_side(&jobs, &pending, store, &report)?))
    }

    /// The pending runs in their order. Each worker has threads of its own, so that a run's time is its own.
    fn run_side_by_side(
        &self,
        jobs: &[Job<'_>],
        pending: &[usize],
        store: &RunStore,
        report: &Reporting<'_>,
    ) -> Result<Vec<Option<RunRecord>>, FrontierError> {
        let threads = rayon::current_num_threads();
        let workers = threads.min(pending.len()).max(1);
        let schedule: Schedule<SharedModel> = Schedule::new(
            pending.iter().map(|job| jobs[*job].contestant).collect(),
            (0..self.entries.len() + self.imported.len())
                .map(|at| {
                    self.entries.get(at).is_some_and(|entry| shares_its_model(self.original, &entry.recipe))
                })
                .collect(),
        );
        let done = AtomicUsize::new(0);
        let results: Vec<Mutex<Option<RunRecord>>> = pending.iter().map(|_| Mutex::new(None)).collect();
        let failure: Mutex<Option<FrontierError>> = Mutex::new(None);
        let failed = |error| {
            schedule.stop();
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        };
        let work = || {
            let _stop = StopOnPanic(&schedule);
            let pool = match ThreadPoolBuilder::new().num_threads((threads / workers).max(1)).build() {
                Ok(pool) => pool,
                Err(error) => return failed(FrontierError::option("--threads", error.to_string())),
            };
            while let Some((at, model)) = schedule.next() {
                let job = &jobs[pending[at]];
                let record = pool.install(|| self.run_job(job, model, &schedule));
                schedule.over(job.contestant);
                match store.keep(job.name, job.number, &record) {
                    Ok(kept) => *results[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(kept),
                    Err(error) => return failed(error),
                }
                let so_far = || {
                    let copy = |one: &Mutex<Option<RunRecord>>| {
                        one.lock().unwrap_or_else(PoisonError::into_inner).clone()
                    };
                    results.iter().map(copy).collect()
                };
                if let Err(error) = report(done.fetch_add(1, Ordering::Relaxed) + 1, &so_far) {
                    return failed(error);
                }
            }
        };
        std::thread::scope(|scope| {
            (0..workers).for_each(|_| {
                scope.spawn(work);
            });
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let result =
            |result: Mutex<Option<RunRecord>>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(results.into_iter().map(result).collect())
    }

    fn run_job(
        &self,
        job: &Job<'_>,
        model: Model<SharedModel>,
        schedule: &Schedule<SharedModel>,
    ) -> RunRecord {
        let Some(entry) = self.entries.get(job.contestant) else {
            let imported = &self.imported[job.contestant - self.entries.len()];
            return run::of_files(self.original, &imported.tables, &self.battery, job.key.clone());
        };
        let (recipe, battery) = (&entry.recipe, &self.battery);
        let (seed, text) = (self.seed.to_string(), recipe.to_toml());
        let draw = |model: &SharedModel, fitting: f64| {
            run::of_model(self.original, recipe, (model, fitting), job.number, battery, job.key.clone())
        };
        match model {
            Model::There(model) => draw(&model, 0.0),
            Model::ToFit => {
                let start = Instant::now();
                let model = Arc::new(run::shared_model(self.original, recipe, seed_of(&[&seed, &text])));
                schedule.fitted(job.contestant, Arc::clone(&model));
                draw(&model, start.elapsed().as_secs_f64())
            }
            Model::Own => {
                let seed = seed_of(&[&seed, &text, &job.number.to_string()]);
                run::of_recipe(self.original, recipe, seed, battery, job.key.clone())
            }
        }
    }
}

/// The findings of the runs that have some.
pub(super) fn findings_of(runs: &[RunRecord]) -> Vec<Vec<Finding>> {
    runs.iter().filter(|run| run.failed.is_none()).map(|run| run.findings.clone()).collect()
}
