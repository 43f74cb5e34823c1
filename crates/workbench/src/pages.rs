//! The pages, one file each, and which of them answers what.

mod begin;
mod fields;
mod frame;
mod frontier;
mod job;
mod log;
mod open;
mod overview;
mod plan;
mod point;
mod projects;
mod release;
mod schema;

use std::path::{Path, PathBuf};

use lookalike::table::schema::DecimalMark;
use lookalike::{Data, PROJECT, Project};

use crate::http::{Request, Response};
use crate::server::State;

/// Every page there is, and every place that changes something.
pub(crate) const ROUTES: [&str; 21] = [
    "/",
    "/open",
    "/project",
    "/schema",
    "/plan",
    "/frontier",
    "/point",
    "/release",
    "/job",
    "/job.json",
    "/log",
    "/log.sh",
    "/report",
    "/style.css",
    "/script.js",
    "/enter",
    "/begin",
    "/grid",
    "/limits",
    "/start",
    "/cancel",
];

/// Answers what changes nothing.
pub(crate) fn show(request: &Request, state: &State) -> Response {
    let opened = || Opened::of(state, request.asked("project"));
    let page = match request.path.as_str() {
        "/" => Some(projects::page(state)),
        "/open" => open::page(state, &open::Asked::of_query(request), None),
        "/project" => opened().map(|of| overview::page(state, &of)),
        "/schema" => opened().map(|of| schema::page(state, &of, None)),
        "/plan" => opened().map(|of| plan::page(state, &of, request)),
        "/frontier" => opened().map(|of| frontier::page(state, &of, None)),
        "/point" => opened().and_then(|of| point::page(state, &of, request)),
        "/release" => opened().map(|of| release::page(state, &of, request.asked("choose"))),
        "/job" => job::of(request, state).map(|job| job::page(state, &job)),
        "/job.json" => {
            return job::of(request, state).map_or_else(|| Response::status(404), |job| job::json(&job));
        }
        "/log" => opened().map(|of| log::page(&of)),
        "/log.sh" => return opened().map_or_else(|| Response::status(404), |of| log::file(&of)),
        "/report" => {
            return opened()
                .and_then(|of| release::report(state, &of, request.asked("file")))
                .unwrap_or_else(|| Response::status(404));
        }
        "/style.css" => {
            let styles = [report::STYLES[0], report::STYLES[1], include_str!("workbench.css")].join("\n");
            return Response::text("text/css; charset=utf-8", styles);
        }
        "/script.js" => {
            let scripts = [report::SCRIPT, include_str!("workbench.js")].join("\n");
            return Response::text("text/javascript; charset=utf-8", scripts);
        }
        _ => None,
    };
    page.map_or_else(|| Response::status(404), Response::page)
}

/// Answers what changes something. Whoever asks was let in and sent a form of ours.
pub(crate) fn change(request: &Request, state: &State) -> Response {
    if request.path == "/begin" {
        return begin::begin(request, state);
    }
    if request.path == "/cancel" {
        return job::cancel(request, state);
    }
    let Some(of) = Opened::of(state, request.field("project")) else { return Response::status(404) };
    match request.path.as_str() {
        "/schema" => schema::save(request, state, &of),
        "/grid" => frontier::save_grid(request, state, &of),
        "/limits" => frontier::save_limits(request, state, &of),
        "/start" => job::start(request, state, &of),
        _ => Response::status(404),
    }
}

/// A project that exists below the root.
pub(crate) struct Opened {
    /// Its folder, as it is written below the root.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) project: Project,
}

impl Opened {
    /// The project of this name; none where there is none, or its file cannot be read.
    pub(crate) fn of(state: &State, name: &str) -> Option<Self> {
        let folder = state.root.existing(name)?;
        let file = std::fs::canonicalize(folder.join(PROJECT)).ok()?;
        let project = Project::in_folder(&folder).ok()?.filter(|_| file.starts_with(state.root.folder()))?;
        let name = state.root.relative(&folder);
        Some(Self { name, folder, project })
    }

    /// A file that the project names, if it is below the root.
    fn file(&self, state: &State, path: Option<&PathBuf>) -> Option<PathBuf> {
        let full = std::fs::canonicalize(self.folder.join(path?)).ok()?;
        full.starts_with(state.root.folder()).then_some(full)
    }

    /// The folder of the frontier, where there is one.
    fn frontier(&self, state: &State) -> Option<PathBuf> {
        self.file(state, Some(&self.frontier_name()))
    }

    fn frontier_name(&self) -> PathBuf {
        self.project.frontier.clone().unwrap_or_else(|| "frontier".into())
    }

    /// The table with its schema and how it is read, if both are below the root.
    fn data(&self, state: &State) -> Option<Data> {
        let data = self.records(state)?;
        Some(match self.file(state, self.project.schema.as_ref()) {
            Some(schema) => data.with_schema(schema),
            None => data,
        })
    }

    /// The table by itself, whatever the schema says of it.
    fn records(&self, state: &State) -> Option<Data> {
        let data = Data::file(self.file(state, self.project.data.as_ref())?)
            .with_missing(self.project.missing.clone())
            .with_separator(
                self.project
                    .separator
                    .as_deref()
                    .and_then(|text| lookalike::table::read::separator(text).ok()),
            )
            .with_decimal(self.project.decimal.as_deref().and_then(|mark| mark.parse::<DecimalMark>().ok()));
        Some(data)
    }

    fn link(&self, page: &str) -> String {
        format!("{page}?project={}", encoded(&self.name))
    }
}

/// Text as a part of an address.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Whether a file is a table by its name.
fn is_table(path: &Path) -> bool {
    const ENDS: [&str; 14] = [
        ".csv",
        ".csv.gz",
        ".csv.zst",
        ".tsv",
        ".parquet",
        ".arrow",
        ".feather",
        ".jsonl",
        ".ndjson",
        ".xlsx",
        ".sav",
        ".dta",
        ".sas7bdat",
        ".zsav",
    ];
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    ENDS.iter().any(|end| name.ends_with(end)) && name != "codebook.csv"
}
