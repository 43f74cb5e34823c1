//! Frontier: the recipes to try, the map while they run and after, and the limits on it.

use std::path::{Path, PathBuf};

use lookalike::frontier::resume::SO_FAR;
use lookalike::frontier::{Frontier, Timings, grid};
use lookalike::table::output_file;
use lookalike::{PROJECT, Project, Watch, read_frontier};
use report::markup::{Markup, Tag, tag};

use super::fields::{area, button, form, hidden, list, needed_field};
use super::frame::{framed, now, problem, table};
use super::{Opened, encoded};
use crate::http::{Request, Response};
use crate::jobs::Job;
use crate::record;
use crate::server::State;

/// The file of the recipes, in the folder of the project.
const GRID: &str = "grid.toml";

/// What was not saved: its text and why.
pub(super) struct Refused {
    field: &'static str,
    text: String,
    because: String,
}

pub(super) fn page(state: &State, of: &Opened, refused: Option<&Refused>) -> String {
    let folder = of.frontier(state);
    let running = state
        .jobs
        .of_project(&of.name)
        .into_iter()
        .find(|job| job.what == "frontier" && !job.state.is_over());
    let finished = folder.as_ref().and_then(|folder| read_frontier(folder).ok());
    let mut content = Markup::default();
    content.push(refused.map(|refused| problem(&format!("Not saved: {}", refused.because))));
    match (&running, &finished) {
        (Some(job), _) => content.push(live(state, job, folder.as_deref())),
        (None, Some(frontier)) => {
            content.push(now("Left or right, up or down: the axes say which way is better, and the legend what the shaded part is. The recommended version has a ring. Look at a version, then choose it."));
            content.push(versions(of, frontier));
            content.push(tag("p").with("id", "limits-told").with("class", "quiet").with("aria-live", "polite"));
            content.push(
                tag("p").with("id", "limits-moved").with("hidden", "hidden").add(
                    button("Save these limits and judge anew")
                        .with("form", "limits-form")
                        .with("name", "then")
                        .with("value", "judge"),
                ),
            );
            content.push(report::frontier_section(frontier));
        }
        (None, None) => content.push(now("Run many methods and settings. It may take some minutes; it can be cancelled, and goes on where it stopped.")),
    }
    if running.is_none() {
        content.push(tag("h2").text(if finished.is_some() { "Run it again" } else { "Run it" }));
        let known = estimate(folder.as_deref(), finished.as_ref());
        content.push(known.or_else(|| first_estimate(state, of)));
        content.push(
            form(state, "/start")
                .add(hidden("project", &of.name))
                .add(hidden("what", "frontier"))
                .add(needed_field(
                    "repeat",
                    "How often is each recipe run?",
                    &repeat(of, finished.as_ref()),
                    "more runs show how much they scatter",
                ))
                .add(button(if finished.is_some() { "Go on, or run again" } else { "Run the frontier" })),
        );
        content.push(settings(state, of, refused, finished.is_some()));
    }
    framed("Frontier", Some(of), content)
}

fn repeat(of: &Opened, finished: Option<&Frontier>) -> String {
    of.project.repeat.or(finished.map(|frontier| frontier.repeat)).unwrap_or(3).to_string()
}

/// The map of what has run so far. The script looks every second; without it the page comes again after five.
fn live(state: &State, job: &Job, folder: Option<&Path>) -> Markup {
    let mut content = Markup::default();
    let (part, done, total) = job.progress.clone().unwrap_or_default();
    content.push(now("It runs in a process of its own. Points appear as runs end. You may close this page and come back, or pause: what has run is kept, and it goes on from there."));
    content.push(tag("noscript").add(tag("meta").with("http-equiv", "refresh").with("content", "5")));
    let mut bar = tag("progress").with("id", "progress").with("aria-label", "How much is done");
    if total > 0 {
        bar = bar.with("max", total).with("value", done);
    }
    let words = if total > 0 { format!("{part}: {done} of {total}") } else { job.state.word().to_owned() };
    content.push(
        tag("div")
            .with("id", "job")
            .with("data-id", job.id)
            .with("data-over", "no")
            .with("data-map", "map")
            .add(
                tag("p")
                    .add(tag("strong").with("id", "state").with("aria-live", "polite").text(job.state.word()))
                    .text(" ")
                    .add(tag("span").with("id", "part").text(words)),
            )
            .add(bar)
            .add(super::job::cancel_form(state, job, "Pause")),
    );
    let so_far = folder.and_then(|folder| std::fs::read(folder.join(SO_FAR)).ok());
    let so_far: Option<Frontier> = so_far.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let map = so_far.map(|frontier| {
        let runs: u32 = frontier.contestants.iter().map(|one| one.runs).sum();
        let told = format!(
            "{runs} runs of {} versions have ended. What is recommended may still change.",
            frontier.contestants.len()
        );
        [Markup::from(tag("p").text(told)), report::frontier_map(&frontier)].into_iter().collect::<Markup>()
    });
    content.push(
        tag("div")
            .with("id", "map")
            .add(map.unwrap_or_else(|| tag("p").text("No run has ended yet.").into())),
    );
    content
}

/// What it will take, by what earlier runs took.
fn estimate(folder: Option<&Path>, finished: Option<&Frontier>) -> Option<Tag> {
    let text = std::fs::read_to_string(folder?.join("timings.json")).ok()?;
    let timings: Timings = serde_json::from_str(&text).ok()?;
    let once: f64 = timings.contestants.values().map(|[make, measure]| make + measure).sum();
    let repeat = finished.map_or(1, |frontier| frontier.repeat);
    Some(tag("p").text(format!(
        "The {} versions took about {:.0} s of one core for each repetition, {:.0} s in all; runs that are there are not made again.",
        timings.contestants.len(),
        once,
        once * f64::from(repeat)
    )))
}

/// CPU seconds of one run for a value of the table: a frontier of the invented town (2,000 by 14, 36 runs) took 27 CPU seconds, which is 2.7e-5 a value, one of SD2011
/// (5,000 by 35, 12 runs) 22.5, which is 1.1e-5.
const SECONDS: [f64; 2] = [6e-6, 3e-5];
/// Contestants of a grid that suits the table, about.
const CONTESTANTS: usize = 20;
/// Bytes for a value of the table and each core, and what the program itself takes: SD2011 took 139 MB on two cores, which is 226 a value, doubled.
const BYTES: f64 = 450.0;
const AT_LEAST: f64 = 60e6;
/// A larger file is not read for an estimate.
const READ_AT_MOST: u64 = 32 << 20;

/// What it will take, guessed by the size of the table before anything has run.
fn first_estimate(state: &State, of: &Opened) -> Option<Tag> {
    let data = of.data(state)?;
    let size = std::fs::metadata(data.path()?).ok()?.len();
    if size > READ_AT_MOST {
        return Some(tag("p").text(
            "The table is large: what a run takes is known after the first one, and until then it can be paused at any time.",
        ));
    }
    let table = state.one_at_a_time(|| data.read(&Watch::default())).ok()?;
    let grid = of.file(state, of.project.grid.as_ref()).and_then(|path| std::fs::read_to_string(path).ok());
    let named = grid.and_then(|text| grid::parse(&text).ok()).map(|entries| entries.len());
    let repeat: f64 = repeat(of, None).parse().unwrap_or(1.0);
    let runs = named.unwrap_or(CONTESTANTS) as f64 * repeat;
    let values = table.rows() as f64 * table.columns().len() as f64;
    let [low, high] = SECONDS.map(|seconds| (runs * (seconds * values).max(0.02)).max(1.0));
    let cores = std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
    let memory = AT_LEAST + BYTES * values * cores.min(runs.max(1.0));
    Some(tag("p").text(format!(
        "A guess by the size of the table: {} runs of {}, about {} to {} of one core, divided by the {cores} that this machine has, and up to about {} of memory. After the first run it is known.",
        runs,
        match named {
            Some(1) => "one recipe".to_owned(),
            Some(named) => format!("{named} recipes"),
            None => format!("about {CONTESTANTS} recipes"),
        },
        time(low),
        time(high),
        bytes(memory),
    )))
}

/// Seconds as people say them.
fn time(seconds: f64) -> String {
    match seconds {
        short if short < 90.0 => format!("{short:.0} s"),
        long if long < 5400.0 => format!("{:.0} minutes", long / 60.0),
        long => format!("{:.0} hours", long / 3600.0),
    }
}

fn bytes(bytes: f64) -> String {
    if bytes < 1e9 { format!("{:.0} MB", bytes / 1e6) } else { format!("{:.1} GB", bytes / 1e9) }
}

/// All versions, each to be looked at or chosen, two to be compared.
fn versions(of: &Opened, frontier: &Frontier) -> Markup {
    let mut content = Markup::default();
    let recommended = frontier.recommendation.name.as_deref();
    let measured = frontier.contestants.iter().filter(|one| one.failed.is_none());
    let rows = measured.clone().map(|one| {
        let point = format!("{}&name={}", of.link("/point"), encoded(&one.name));
        let release = format!("{}&choose={}", of.link("/release"), encoded(&one.name));
        let is_ours = matches!(one.origin, lookalike::frontier::Origin::Recipe { .. });
        let standing = match &one.place {
            _ if recommended == Some(one.name.as_str()) => "recommended",
            Some(place) if !place.acceptable => "breaks a limit",
            Some(place) if place.on_front => "on the front",
            _ => "dominated",
        };
        let look = tag("a").with("href", point).text(&one.name);
        let choose = is_ours.then(|| {
            tag("a").with("href", release).with("aria-label", format!("Release {}", one.name)).text("Release")
        });
        tag("tr")
            .add(tag("th").with("scope", "row").add(look))
            .add(tag("td").text(standing))
            .add(tag("td").add(choose))
    });
    let rows: Vec<Tag> = rows.collect();
    content.push(tag("h2").text("Choose"));
    content.push(table("Versions", &["version", "standing", ""], rows));
    let names: Vec<&str> = measured.map(|one| one.name.as_str()).collect();
    if let [first, second, ..] = names.as_slice() {
        let one = recommended.unwrap_or(first);
        let other = if one == *first { second } else { first };
        let options = || names.iter().map(|name| (*name, *name));
        content.push(
            super::fields::question("/point")
                .add(hidden("project", &of.name))
                .add(super::fields::choice("name", "Compare", one, options()))
                .add(super::fields::choice("beside", "with", other, options()))
                .add(button("Compare")),
        );
    }
    content
}

/// The recipes and the limits, to be changed.
fn settings(state: &State, of: &Opened, refused: Option<&Refused>, has_run: bool) -> Markup {
    let mut content = Markup::default();
    let edited =
        |field: &str| refused.filter(|refused| refused.field == field).map(|refused| refused.text.clone());
    let limits = edited("limits").unwrap_or_else(|| of.project.limits.join("\n"));
    content.push(tag("h2").text("What a release must keep"));
    content.push(
        form(state, "/limits")
            .with("id", "limits-form")
            .add(hidden("project", &of.name))
            .add(tag("p").text("One limit a line, such as attribute.disco <= 5. They are the lines on the map. After a change the versions are judged anew, which takes a moment because their runs are kept."))
            .add(area("limits", "Limits", &limits, 4))
            .add(
                tag("p")
                    .add(button("Save the limits"))
                    .text(" ")
                    .add(has_run.then(|| button("Save and judge anew").with("name", "then").with("value", "judge"))),
            ),
    );
    let file = of.file(state, of.project.grid.as_ref()).and_then(|path| std::fs::read_to_string(path).ok());
    let text = edited("grid").or(file).unwrap_or_default();
    let entries = grid::parse(&text).map(|entries| entries.len()).unwrap_or_default();
    content.push(tag("h2").text("What is tried"));
    content.push(
        form(state, "/grid")
            .add(hidden("project", &of.name))
            .add(tag("p").text(match text.trim().is_empty() {
                true => "A grid of methods and settings that suits the table. To try others, write recipes: [[recipe]], and below it method = \"cart\" and its options.".to_owned(),
                false => format!("{entries} recipes. An empty text goes back to the grid that suits the table."),
            }))
            .add(area("grid", "Recipes as TOML", &text, 6))
            .add(button("Check and save the recipes")),
    );
    content
}

pub(super) fn save_limits(request: &Request, state: &State, of: &Opened) -> Response {
    let text = request.field("limits").replace("\r\n", "\n");
    let limits = list(&text, '\n');
    let wrong = limits.iter().find_map(|limit| lookalike::frontier::limits::parse(limit).err());
    match wrong {
        Some(error) => {
            let refused = Refused { field: "limits", text, because: error.to_string() };
            Response::page(page(state, of, Some(&refused)))
        }
        None => {
            let saved = save(of, &Project { limits, ..of.project.clone() }, "/frontier");
            let finished = of.frontier(state).and_then(|folder| read_frontier(&folder).ok());
            match finished.filter(|_| saved.status == 303 && request.field("then") == "judge") {
                Some(finished) => super::job::start_frontier(state, of, finished.repeat),
                None => saved,
            }
        }
    }
}

pub(super) fn save_grid(request: &Request, state: &State, of: &Opened) -> Response {
    let text = request.field("grid").replace("\r\n", "\n");
    if text.trim().is_empty() {
        return save(of, &Project { grid: None, ..of.project.clone() }, "/frontier");
    }
    let checked = grid::parse(&text).map_err(|error| error.to_string());
    let path = of.folder.join(GRID);
    let saved = checked.and_then(|_| {
        output_file::write_private(&path, text.as_bytes(), true).map_err(|error| error.to_string())
    });
    match saved {
        Err(because) => Response::page(page(state, of, Some(&Refused { field: "grid", text, because }))),
        Ok(()) => {
            record::record(&of.folder, &record::written_file(&of.name, GRID, &text));
            save(of, &Project { grid: Some(PathBuf::from(GRID)), ..of.project.clone() }, "/frontier")
        }
    }
}

/// Writes the project file, and down that it was.
fn save(of: &Opened, project: &Project, then: &str) -> Response {
    match project.write(&of.folder, true) {
        Ok(()) => {
            record::record(&of.folder, &record::written_file(&of.name, PROJECT, &project.to_toml()));
            Response::to(&of.link(then))
        }
        Err(_) => Response::status(500),
    }
}
