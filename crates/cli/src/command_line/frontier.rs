//! `lookalike frontier`: what each method and setting would give and cost, on one map.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::frontier::axes::{chosen, computed};
use ::frontier::resume::FRONTIER;
use ::frontier::{
    Battery, Contest, Entry, Frontier, Imported, Limit, Origin, RunStore, Timings, built_in, grid, limits,
};
use clap::Args;
use report::{Edition, ReportInput, report_html};
use table::read::{ReadOptions, read_table};
use table::{Table, TableError, atomic_file};

use super::battery::{self, read_regions};
use super::describe::Reading;
use super::measure::read_as_it_is;
use super::{Everywhere, Failure};

/// Run many methods and settings, and show which are dominated, which are acceptable, and which is best.
#[derive(Debug, Args)]
pub(super) struct FrontierCommand {
    /// The table: CSV (also .gz), Parquet or Arrow IPC
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// The recipes to try (TOML) [default: a grid that suits the table]
    #[arg(long, value_name = "FILE")]
    grid: Option<PathBuf>,
    /// How often each recipe is run: luck is told from method
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// A file of another tool as a contestant; several files are the data sets of one release; may be given several times
    #[arg(long, value_name = "NAME=FILE,…")]
    contestant: Vec<String>,
    /// The measure of risk on the map [default: attribute.disco]
    #[arg(long, value_name = "MEASURE")]
    risk: Option<String>,
    /// The measure of utility on the map [default: tables.mean_s_pmse:2, the mean over tables of two variables]
    #[arg(long, value_name = "MEASURE")]
    utility: Option<String>,
    /// A limit that a release must keep, such as "attribute.disco <= 5" or "epsilon <= 1"; may be given several times
    #[arg(long, value_name = "LIMIT")]
    limit: Vec<String>,
    /// Acceptable regions of (RR, R) for the intruder who knows all records but one, as a limit (TOML)
    #[arg(long, value_name = "FILE")]
    regions: Option<PathBuf>,
    /// The seed of all runs; one seed, one frontier
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The folder for frontier.json, recipes and finished runs; the same folder again goes on where an interrupted frontier stopped. It is as
    /// confidential as the data
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    battery: battery::Battery,
}

impl FrontierCommand {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let limits = self.limits()?;
        let entries = self.grid.as_deref().map(read_grid).transpose()?;
        let options = self.reading.options()?;
        let read = ReadOptions { watch: everywhere.watch(), ..options.clone() };
        let original = read_table(&self.data, &read)?;
        let imported = self.imported(&original, &options)?;
        let contest = self.contest(&original, entries, imported, limits)?;
        let planned = contest.plan()?;
        let store = match &self.out {
            Some(out) => RunStore::within(out)?,
            None => RunStore::nowhere(),
        };
        if !planned.is_empty() {
            everywhere.tell(&report::planned_text(&planned))?;
            if let Some(out) = &self.out {
                atomic_file::write_private(&out.join("planned.json"), pretty(&planned)?.as_bytes())?;
            }
        }
        let (frontier, timings) = contest.run(&store, &everywhere.watch())?;
        if let Some(out) = &self.out {
            write(out, &frontier, &timings)?;
        }
        let mut text = report::frontier_text(&frontier);
        if let Some(out) = &self.out {
            text.push_str(&format!(
                "\n{} shows the map, {} holds all numbers, {} the recipes; none of them must leave the house.\n",
                out.join(REPORT).display(),
                out.join(FRONTIER).display(),
                out.join(RECIPES).display()
            ));
        }
        everywhere.deliver(&text, || serde_json::json!(frontier))?;
        Ok(ExitCode::SUCCESS)
    }

    fn contest<'a>(
        &self,
        original: &'a Table,
        entries: Option<Vec<Entry>>,
        imported: Vec<Imported>,
        limits: Vec<Limit>,
    ) -> Result<Contest<'a>, Failure> {
        let families = self.battery.families()?;
        let regions: (&str, bool, &[&str]) = ("--regions", self.regions.is_some(), &["intruder"]);
        self.battery.check_honoured(&families, &[regions])?;
        let mut settings = self.battery.settings(Battery::usual(original.columns().len()))?;
        settings.propensity.draws.seed = self.seed;
        settings.intruder.regions = self.regions.as_deref().map(read_regions).transpose()?;
        let mut battery = Battery::new(settings, families);
        let names = battery.family_names();
        let axis = |option: &str, text: &Option<String>, usual: usize| match text {
            Some(text) => chosen(option, text, &names),
            None => battery.usual_axes().map(|axes| axes[usual].clone()),
        };
        let (risk, utility) = (axis("--risk", &self.risk, 0)?, axis("--utility", &self.utility, 1)?);
        for limit in &limits {
            let name = limits::axis_of(limit);
            computed(&format!("--limit \"{}\"", limit.text), &name, &names)?;
            battery.named.insert(name.measure);
        }
        battery.named.extend([risk.measure.clone(), utility.measure.clone()]);
        let (entries, remarks) = match entries {
            Some(entries) => (entries, Vec::new()),
            None => built_in(original)?,
        };
        check_names(&entries, &imported)?;
        Ok(Contest {
            original,
            data: file_name(&self.data),
            entries,
            imported,
            battery,
            risk,
            utility,
            limits,
            repeat: self.repeat,
            seed: self.seed,
            remarks,
        })
    }

    fn limits(&self) -> Result<Vec<Limit>, Failure> {
        let mut limits = self.limit.iter().map(|text| limits::parse(text)).collect::<Result<Vec<_>, _>>()?;
        limits.extend(self.regions.is_some().then(limits::regions));
        Ok(limits)
    }

    fn imported(&self, original: &Table, options: &ReadOptions) -> Result<Vec<Imported>, Failure> {
        let one = |text: &String| -> Result<Imported, Failure> {
            let Some((name, files)) = text.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
                return Err(Failure::Usage(format!("--contestant {text}: write it as NAME=FILE")));
            };
            let paths: Vec<PathBuf> = files.split(',').map(|file| PathBuf::from(file.trim())).collect();
            let tables = paths.iter().map(|path| read_as_it_is(path, options)).collect::<Result<_, _>>()?;
            let imported = Imported {
                name: grid::file_name(name.trim()),
                files: paths.iter().map(|path| file_name(path)).collect(),
                tables,
            };
            imported.check_columns(original)?;
            Ok(imported)
        };
        self.contestant.iter().map(one).collect()
    }
}

/// The page with pictures in the folder of the frontier.
const REPORT: &str = "report-internal.html";

/// The folder of the recipes in that of the frontier.
const RECIPES: &str = "recipes";

/// How the names of their files end; nothing else in that folder is ours.
const RECIPE_FILE: &str = ".recipe.toml";

fn read_grid(path: &Path) -> Result<Vec<Entry>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|source| TableError::io(path, source))?;
    grid::parse(&text).map_err(|error| Failure::Located {
        place: path.display().to_string(),
        failure: Box::new(error.into()),
    })
}

fn check_names(entries: &[Entry], imported: &[Imported]) -> Result<(), Failure> {
    let mut names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    for imported in imported {
        if names.contains(&imported.name.as_str()) {
            let message = format!("--contestant: the name `{}` is taken; choose another", imported.name);
            return Err(Failure::Usage(message));
        }
        names.push(&imported.name);
    }
    Ok(())
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Writes what was found. All of it is confidential, and is for its owner only.
fn write(out: &Path, frontier: &Frontier, timings: &Timings) -> Result<(), Failure> {
    let recipes = out.join(RECIPES);
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
    atomic_file::write_private(&out.join(REPORT), page.as_bytes())?;
    atomic_file::write_private(&out.join("timings.json"), pretty(timings)?.as_bytes())?;
    atomic_file::write_private(&out.join(FRONTIER), pretty(frontier)?.as_bytes())?;
    Ok(())
}

fn pretty(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(text + "\n")
}
